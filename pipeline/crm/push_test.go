package crm_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/enrich/fit"
	iocrm "payonce/io/crm"
	"payonce/pipeline/columns"
	"payonce/pipeline/crm"
	"payonce/pipeline/output"
)

// errKilled ends a process of the tests at any call.
var errKilled = errors.New("killed")

// held is a record of the CRM of the tests.
type held struct {
	values   map[string]string
	modified int
	locked   bool
	by       map[string]string // who wrote a field last
	removed  map[string]bool   // the fields of which a person removed what the program wrote, since the last approval
}

// model is a CRM in memory. Before and after each of its calls a person may change a record, the answer may be lost, and
// the process may be killed.
type model struct {
	t        *rapid.T
	records  map[string]*held
	clock    int
	problems []string
	writes   int
	quiet    bool // nothing goes wrong any more
	dead     bool // the process was killed: it saves nothing more
	passed   time.Duration
	late     []iocrm.Change // that were sent, whose answers were lost, and that have not arrived yet
}

// now is the time of the program.
func (m *model) now() time.Time { return time.Unix(int64(m.clock), 0).Add(m.passed) }

// kill kills the process.
func (m *model) kill() error {
	m.dead = true
	return errKilled
}

func timeOf(n int) string { return time.Unix(int64(n)*10, 0).UTC().Format(time.RFC3339) }

// chance draws whether something happens, seldom.
func (m *model) chance(what string, of int) bool {
	return !m.quiet && rapid.IntRange(1, of).Draw(m.t, what) == 1
}

func (m *model) wrong(format string, args ...any) {
	m.problems = append(m.problems, fmt.Sprintf(format, args...))
}

// disturb lets a change arrive late, and a person change a record.
func (m *model) disturb() {
	for len(m.late) > 0 && (m.quiet || m.chance("arrives", 2)) {
		change := m.late[0]
		m.late = m.late[1:]
		m.apply(change)
	}
	if len(m.records) == 0 || !m.chance("edits", 8) {
		return
	}
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(m.records))).Draw(m.t, "record")
	m.clock++
	now := m.records[id]
	field := rapid.SampledFrom([]string{"Email", "Phone", "Mobile", "Last_Name", "Email_Opt_Out", "Title", "lock", "delete"}).Draw(m.t, "field")
	switch field {
	case "lock":
		now.locked = !now.locked
		return
	case "delete":
		delete(m.records, id)
		return
	case "Email_Opt_Out":
		now.values[field] = "true"
	default:
		value := rapid.SampledFrom([]string{"by@hand.example", "+49 1", ""}).Draw(m.t, "edit")
		now.removed[field] = now.removed[field] || value == "" && now.by[field] == "program"
		now.values[field] = value
	}
	now.modified, now.by[field] = m.clock, "person"
}

func (m *model) Fields(context.Context) ([]iocrm.Field, error) {
	return []iocrm.Field{
		{Name: "Email", Label: "Email", Type: iocrm.Email, MaxLength: 100},
		{Name: "Phone", Label: "Phone", Type: iocrm.Phone, MaxLength: 20},
		{Name: "Mobile", Label: "Mobile", Type: iocrm.Phone, Mobile: true},
	}, nil
}

func (m *model) Find(ctx context.Context, _ iocrm.Selection, visit func(iocrm.Record) error) error {
	found, err := m.Read(ctx, slices.Sorted(maps.Keys(m.records)))
	for _, r := range found {
		err = errors.Join(err, visit(r))
	}
	return err
}

func (m *model) Read(_ context.Context, ids []string) (found []iocrm.Record, err error) {
	m.disturb()
	switch {
	case m.chance("killed reading", 40):
		return nil, m.kill()
	case m.chance("unreachable", 40):
		return nil, &iocrm.Error{Problem: iocrm.Unreachable, Err: errors.New("no connection")}
	}
	for _, id := range ids {
		if r := m.records[id]; r != nil {
			record := iocrm.Record{ID: id, Modified: timeOf(r.modified), Values: map[string]string{}, Account: iocrm.Account{Name: "Acme", Website: "acme.example"}}
			for name, value := range r.values {
				if value != "" {
					record.Values[name] = value
				}
			}
			found = append(found, record)
		}
	}
	return found, nil
}

func (m *model) Update(ctx context.Context, c iocrm.Change) (iocrm.Outcome, error) {
	if err := ctx.Err(); err != nil {
		m.t.Fatal("an interrupt ended a change")
	}
	m.disturb()
	if err := c.Check(); err != nil {
		m.wrong("the change is %v", err)
	}
	switch {
	case m.chance("killed before", 20):
		return iocrm.Outcome{}, m.kill()
	case m.chance("refused", 40):
		return iocrm.Outcome{}, &iocrm.Error{Problem: iocrm.Exhausted, Err: errors.New("no credits")}
	case m.chance("lost before", 12):
		return iocrm.Outcome{Result: iocrm.Unknown}, nil
	case m.chance("rejected", 20):
		return iocrm.Outcome{Result: iocrm.Rejected, Field: "Email", Code: "INVALID_DATA"}, nil
	}
	if m.chance("lost and late", 12) {
		m.late = append(m.late, c)
		return iocrm.Outcome{Result: iocrm.Unknown}, nil
	}
	outcome := m.apply(c)
	switch {
	case m.chance("killed after", 12):
		return iocrm.Outcome{}, m.kill()
	case m.chance("lost after", 12):
		return iocrm.Outcome{Result: iocrm.Unknown}, nil
	}
	return outcome, nil
}

// apply changes a record, if its condition holds.
func (m *model) apply(c iocrm.Change) iocrm.Outcome {
	now := m.records[c.ID]
	switch {
	case now == nil:
		return iocrm.Outcome{Result: iocrm.Gone}
	case now.locked:
		return iocrm.Outcome{Result: iocrm.Locked}
	case timeOf(now.modified) != c.Modified:
		return iocrm.Outcome{Result: iocrm.Changed}
	}
	for field, value := range c.Values {
		for id, other := range m.records {
			if field == "Email" && id != c.ID && other.values[field] == value {
				return iocrm.Outcome{Result: iocrm.Duplicate, Field: field, Other: id}
			}
		}
	}
	m.clock++
	now.modified = m.clock
	m.writes++
	for field, value := range c.Values {
		switch {
		case field != "Email" && field != "Phone":
			m.wrong("%s is written", field)
		case now.values[field] != "":
			m.wrong("%s of %s is overwritten", field, c.ID)
		case now.values["Email_Opt_Out"] == "true":
			m.wrong("%s has opted out", c.ID)
		case now.removed[field]:
			m.wrong("%s of %s is written, which a person removed", field, c.ID)
		}
		now.values[field], now.by[field] = value, "program"
	}
	for _, field := range c.Clear {
		if now.by[field] != "program" {
			m.wrong("%s of %s is cleared, which %q wrote", field, c.ID, now.by[field])
		}
		delete(now.values, field)
		now.by[field] = "undo"
	}
	return iocrm.Outcome{Result: iocrm.Written, Modified: timeOf(now.modified)}
}

func hashOf(value string) (key enrich.Key) {
	copy(key[:], strings.ToLower(value)+"################")
	return key
}

// rig has a CRM, a list that was pulled from it, and what a journal would keep.
type rig struct {
	*model
	crm     crm.CRM
	list    []contact
	rows    [][]string
	journal map[string]record.RecordWrite // by record and field
	decided map[string]crm.Decision
}

// review returns the review of the list with what the journal has.
func (r *rig) review() *crm.Review {
	header := crm.PulledHeader()
	email, phone := slices.Index(header, "email"), slices.Index(header, "phone")
	review := &crm.Review{Run: "june", RecordID: "record_id", Targets: []crm.Target{
		crm.TargetOf(columns.Email, email, "email"), crm.TargetOf(columns.Phone, phone, "phone"),
	}}
	at := crm.Columns{Record: 0, Modified: 1, Event: columns.None, Pulled: crm.FindPulled(header)}
	b := review.Build(false)
	for i, cells := range r.rows {
		c := r.list[i]
		line := row{int64(i) + 1, cells}
		found := &output.FoundRow{Row: line}
		for _, value := range []output.FoundValue{
			{Column: email, Field: "work_email", Role: columns.Email, Value: c.foundEmail},
			{Column: phone, Field: "business_phone", Role: columns.Phone, Value: c.foundPhone},
		} {
			value.Says[enrich.PartFullName], value.Fit = c.name, fit.Result{}
			if value.Value != "" {
				found.Values = append(found.Values, value)
			}
		}
		b.Add(review.ReadRow(found, at, line.Cell))
	}
	b.End()
	for i := range review.Lines {
		line := &review.Lines[i]
		line.Restore(r.journal[line.Record+" "+line.Field], true)
		_ = line.Decide(r.decided[line.Record+" "+line.Field], crm.ByPerson) // refused for some
	}
	return review
}

// push pushes once. It reports whether it came to its end.
func (r *rig) push(ctx context.Context) bool {
	review := r.review()
	r.dead = false
	fields, _ := r.Fields(ctx)
	p := &crm.Push{CRM: &r.crm, Run: "june", Fields: fields, Hash: hashOf, Now: r.now}
	p.Save = func(item *crm.Item) error {
		if r.dead || r.chance("killed saving before", 40) {
			return r.kill()
		}
		for _, c := range item.Cells {
			if c.State == crm.Returned && strings.Contains(c.About, "opt_out") {
				r.wrong("%s was sent back because of %s %q, and the person has opted out", item.Record, c.Why, c.About)
			}
			review.Take(c)
			line := &review.Lines[c.Line]
			r.journal[line.Record+" "+line.Field], r.decided[line.Record+" "+line.Field] = line.Write, line.Decision
		}
		if r.chance("killed saving after", 40) {
			return r.kill()
		}
		return nil
	}
	for _, item := range review.Items(&r.crm) {
		if err := p.Write(ctx, item); err != nil {
			return false
		}
	}
	return true
}

// undo undoes once. It reports whether it came to its end.
func (r *rig) undo(ctx context.Context) bool {
	r.dead = false
	u := &crm.Undo{CRM: &r.crm, Hash: hashOf, Now: r.now}
	for _, id := range slices.Sorted(maps.Keys(r.records)) {
		item := &crm.Item{Record: id}
		keys := []string{id + " work_email", id + " business_phone"}
		for i, key := range keys {
			if w := r.journal[key]; w.State == crm.Written || w.State == crm.Sent || w.State == crm.Clearing {
				item.Cells = append(item.Cells, &crm.Cell{Line: i, Asked: true, RecordWrite: w})
			}
		}
		u.Save = func(item *crm.Item) error {
			if r.dead || r.chance("killed saving before", 40) {
				return r.kill()
			}
			for _, c := range item.Cells {
				if r.journal[keys[c.Line]] = c.RecordWrite; c.State == crm.Cleared {
					r.decided[keys[c.Line]] = crm.Undecided
				}
			}
			return nil
		}
		if len(item.Cells) > 0 && u.Clear(ctx, item) != nil {
			return false
		}
	}
	return true
}

// TestNothingIsPushedAgainstTheRules pushes and undoes lists at random against a CRM in which people change records at
// the same time, answers are lost, and the process is killed at any moment. The CRM says what is against the rules: to
// overwrite or clear what a person wrote, to touch a field of mobile numbers, and to write to somebody who opted out.
// Afterwards nothing that was written is unknown to the journal, nothing was written that nobody approved, and an undo
// leaves none of it.
func TestNothingIsPushedAgainstTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, records: map[string]*held{}, clock: 100}
		r := &rig{model: m, journal: map[string]record.RecordWrite{}, decided: map[string]crm.Decision{}}
		r.crm = crm.CRM{Connector: m, Name: "model", Names: crm.Names{
			FirstName: "First_Name", LastName: "Last_Name", Email: "Email", Phone: "Phone", Mobile: "Mobile", OptOut: "Email_Opt_Out",
		}}
		decisions := rapid.SampledFrom([]crm.Decision{crm.Approve, crm.Approve, crm.Reject, crm.Undecided})
		for n := range rapid.IntRange(1, 5).Draw(t, "records") {
			id := fmt.Sprint(n + 1)
			m.records[id] = &held{modified: n, by: map[string]string{}, removed: map[string]bool{}, values: map[string]string{
				"First_Name": "Ann", "Last_Name": "Lee",
				"Email":         rapid.SampledFrom([]string{"", "", "", "x@y.example"}).Draw(t, "email"),
				"Phone":         rapid.SampledFrom([]string{"", "", "+1 555"}).Draw(t, "phone"),
				"Email_Opt_Out": rapid.SampledFrom([]string{"false", "false", "false", "true"}).Draw(t, "opt out"),
			}}
			r.list = append(r.list, contact{
				foundEmail: rapid.SampledFrom([]string{"", id + "@acme.example", id + "@acme.example", "x@y.example"}).Draw(t, "found email"),
				foundPhone: rapid.SampledFrom([]string{"", "+1 556 " + id, "+1 555 0000000000000000000000"}).Draw(t, "found phone"),
			})
			r.decided[id+" work_email"], r.decided[id+" business_phone"] = decisions.Draw(t, "decision"), decisions.Draw(t, "decision")
		}
		m.quiet = true
		_ = r.crm.Find(t.Context(), iocrm.Selection{View: "1"}, func(record iocrm.Record) error {
			r.rows = append(r.rows, r.crm.Pulled(&record))
			return nil
		})
		m.quiet = false
		approved := maps.Clone(r.decided)
		for _, what := range rapid.SliceOfN(rapid.SampledFrom([]string{"push", "push", "push", "undo", "approve"}), 1, 8).Draw(t, "commands") {
			switch what {
			case "push":
				r.push(t.Context())
			case "undo":
				r.undo(t.Context())
			case "approve": // again what was sent back
				for _, now := range m.records {
					clear(now.removed)
				}
				for key, d := range approved {
					if d == crm.Approve {
						r.decided[key] = d
					}
				}
			}
		}
		m.quiet = true
		m.disturb() // the late ones arrive
		m.passed = time.Hour
		if !r.push(t.Context()) {
			t.Error("a push that nothing disturbs does not end")
		}
		for id, now := range m.records {
			for name, field := range map[string]string{"Email": "work_email", "Phone": "business_phone"} {
				key := id + " " + field
				state := r.journal[key].State
				if now.by[name] == "program" && state != crm.Written && state != crm.Clearing {
					t.Errorf("%s has the value of the program, and the journal says %q", key, state)
				}
				if now.by[name] == "program" && approved[key] != crm.Approve {
					t.Errorf("%s has a value that nobody approved", key)
				}
				if state == crm.Sent {
					t.Errorf("%s is in doubt after a push that nothing disturbs", key)
				}
			}
		}
		writes := m.writes
		r.push(t.Context())
		if m.writes != writes {
			t.Errorf("a push after a whole one writes %d records", m.writes-writes)
		}
		for id := range m.records {
			m.records[id].locked = false
		}
		if !r.undo(t.Context()) {
			t.Error("an undo that nothing disturbs does not end")
		}
		for id, now := range m.records {
			for _, name := range []string{"Email", "Phone"} {
				if now.by[name] == "program" {
					t.Errorf("%s of %s is still there after the undo", name, id)
				}
			}
		}
		if len(m.problems) > 0 {
			t.Error(strings.Join(m.problems, "\n"))
		}
	})
}
