package simulation

import (
	"fmt"
	"slices"
	"strings"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/scan"
)

// rows checks that an output has every row of its list once, in order, and that
// no cell of it that held something has changed.
func (c *checker) rows(list, output []byte) {
	in, out := readRows(list), readRows(output)
	if len(in) != len(out) {
		c.broken("P3: the list has %d rows, the output %d", len(in)-1, len(out)-1)
		return
	}
	for i, row := range in {
		for column, cell := range row {
			if cell != "" && out[i][column] != cell {
				c.broken("P3: row %d, column %s: %q became %q", i, in[0][column], cell, out[i][column])
			}
		}
	}
}

// cell returns the value of a column of a row below a header.
func cell(header, row []string, column string) string {
	if at := slices.Index(header, column); at >= 0 {
		return row[at]
	}
	return ""
}

// columnOf returns the list's own column of a field.
func columnOf(f enrich.Field) string {
	if f == v1.WorkEmail {
		return "email"
	}
	return "phone"
}

// contact returns what a row of these lists says of its person.
func contact(header, row []string) enrich.Contact {
	return enrich.Contact{
		ProfileURL: cell(header, row, "linkedin_url"),
		FirstName:  cell(header, row, "first_name"), LastName: cell(header, row, "last_name"),
		CompanyDomain: cell(header, row, "website"), CompanyName: cell(header, row, "company"),
	}
}

// end checks the state of the world after an undisturbed start that came to its
// end: every row has its outcome, and a doubt that is left has a reason.
func (c *checker) end(list []byte, o outcome) {
	w := c.world
	open := checkpoint.New
	if w.database != nil {
		open = checkpoint.Read // nothing is in flight
	}
	journal, err := open(&store{process: &process{world: w, number: w.starts + 1, calm: true}},
		checkpoint.Options{Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 1, Window: 1}, Now: (&process{world: w}).now})
	if err != nil {
		c.broken("liveness: the journal cannot be opened: %v", err)
		return
	}
	defer journal.Close()
	states := map[attempt.FieldState]int{}
	in := readRows(list)
	out := readRows(o.output)
	if len(in) != len(out) {
		return // rows has said so
	}
	for i, row := range in[1:] {
		identity, reason := contact(in[0], row).Identify(enrich.ByProfile)
		if reason != "" {
			continue
		}
		record, err := journal.Record(identity)
		if err != nil {
			c.broken("P3: row %d cannot be read from the journal: %v", i+1, err)
			continue
		}
		for f := range w.Wanted.Each() {
			if cell(in[0], row, columnOf(f)) == "" {
				states[record.States[f]]++
				c.state(i+1, f, record.States[f], cell(out[0], out[i+1], columnOf(f)))
			}
		}
	}
	c.hopeless(states, o)
}

// state checks one field of one row at the end.
func (c *checker) state(row int, f enrich.Field, state attempt.FieldState, value string) {
	switch state {
	case attempt.Found:
		if value == "" {
			c.broken("P3: row %d: %s is known and not in the output", row, f)
		}
	case attempt.Rejected:
		c.broken("row %d is rejected, though the service rejects nobody", row)
	default:
		if value != "" {
			c.broken("P3: row %d: %s is in the output and not known", row, f)
		}
	}
}

// hopeless checks that fields without an answer have a reason: money that ran out,
// or a charge without an answer. Without either, every lost lookup can be proved
// not charged, and all have to be answered.
func (c *checker) hopeless(states map[attempt.FieldState]int, o outcome) {
	lost := c.unanswered()
	if o.stop == nil && states[attempt.Unasked] > 0 {
		c.broken("liveness: %d fields were not asked", states[attempt.Unasked])
	}
	proves := !c.world.others() && !c.world.hides() && !c.world.renews() && !c.world.database.hasFailedOver()
	if lost == 0 && proves && states[attempt.PaidAndGone]+states[attempt.OutcomeUnknown] > 0 {
		c.broken("liveness: nothing was charged without an answer, but %d fields are forfeited and %d in doubt",
			states[attempt.PaidAndGone], states[attempt.OutcomeUnknown])
	}
	if charged := c.forfeited(); charged > lost && !c.world.others() {
		c.broken("liveness: %d fields are forfeited, but only %d were charged without an answer", charged, lost)
	}
}

// unanswered returns how many charges no answer in the journal explains.
func (c *checker) unanswered() int {
	answered := map[string]bool{}
	for _, in := range c.intents(false) {
		if res, resolved := c.resolution(in.ID); resolved && res.State == attempt.Settled {
			answered[res.RequestID] = true
		}
	}
	lost := 0
	for _, charge := range ours(c.world.service.Ledger()).Charges {
		if !answered[charge.RequestID] {
			lost++
		}
	}
	return lost
}

// forfeited returns how many fields the journal calls charged and gone.
func (c *checker) forfeited() int {
	fields := 0
	for _, in := range c.intents(false) {
		res, resolved := c.resolution(in.ID)
		if !resolved || res.State != attempt.Forfeited {
			continue
		}
		for range (res.Charge.Free | res.Charge.Paid).Each() {
			fields++
		}
	}
	return fields
}

// sameAsUndisturbed compares the output with that of a run in which nothing went
// wrong, row by row where the row and its person have all their answers. Where the
// money ended, a row can have one field and say that the other was not asked for.
func sameAsUndisturbed(disturbed, undisturbed []byte) (differences []string) {
	got, want := readRows(disturbed), readRows(undisturbed)
	if len(got) != len(want) {
		return []string{"the numbers of rows differ"}
	}
	header := want[0]
	open := []string{string(scan.StatusInDoubt), string(scan.StatusForfeited), string(scan.StatusNotAttempted)}
	for i := range want {
		status, reason := cell(header, got[i], "enrich_status"), cell(header, got[i], "enrich_reason")
		for column, name := range header {
			switch name {
			case "enrich_charge_usd", "enrich_request_id", "enrich_retrieved_at", "enrich_reason":
				continue
			}
			excused := slices.Contains(open, status) && (got[i][column] == "" || name == "enrich_status") ||
				status == string(scan.StatusDuplicate) && got[i][column] == "" ||
				strings.Contains(reason, fieldOf(name)+" not asked for") && (got[i][column] == "" || name == "enrich_status")
			if got[i][column] != want[i][column] && !excused {
				differences = append(differences, fmt.Sprintf("row %d, %s: %q instead of %q", i, name, got[i][column], want[i][column]))
			}
		}
	}
	return differences
}

// fieldOf returns the field that a column of the output shows, as reasons name it: the
// row's status rests on either.
func fieldOf(column string) string {
	switch column {
	case "email":
		return v1.WorkEmail.String()
	case "phone", "phone_type":
		return v1.BusinessPhone.String()
	case "enrich_status":
		return ""
	}
	return "no field"
}
