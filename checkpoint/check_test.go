package checkpoint

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// problemsOf checks a store and returns what was found.
func problemsOf(t interface{ Fatal(...any) }, store Store) []string {
	return problemsWith(t, v1.Catalogue(), store)
}

func problemsWith(t interface{ Fatal(...any) }, catalogue enrich.Catalogue, store Store) []string {
	var problems []string
	summary, err := verify.Check(store, catalogue, nil, func(p verify.Problem) { problems = append(problems, p.Record+" "+p.Text) })
	if err != nil {
		t.Fatal(err)
	}
	if int(summary.Problems) != len(problems) {
		t.Fatal("the summary counts other problems than were reported")
	}
	return problems
}

// world drives a journal at random, with crashes.
type world struct {
	*Journal
	t      *rapid.T
	store  *memStore
	clock  *clock
	flight []attempt.Ticket
}

func (w *world) reopen() {
	if w.Journal != nil {
		_ = w.Close() // after a failed commit there is nothing to say
	}
	w.store.before = nil
	var err error
	if w.Journal, err = New(w.store, Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1000, Window: time.Minute}, Now: w.clock.now}); err != nil {
		w.t.Fatal(err)
	}
	w.flight = nil
}

func (w *world) begin() {
	req := request(person(rapid.IntRange(0, 5).Draw(w.t, "person")), enrich.Fields(rapid.IntRange(1, 3).Draw(w.t, "fields")))
	req.Run = rapid.SampledFrom([]string{"one", "two"}).Draw(w.t, "run")
	req.Job = rapid.SampledFrom([]string{"", "nightly"}).Draw(w.t, "job")
	req.Ceilings = []cost.Ceiling{{Name: "monthly", Scope: WorkspaceScope, Period: cost.Month, Limit: int64(100 * cost.Dollar)}}
	req.Reask = attempt.Reask{Forfeited: rapid.Bool().Draw(w.t, "rebuy")}
	if rapid.Bool().Draw(w.t, "reask") {
		req.Reask.Before = w.clock.at
	}
	decision, err := w.Begin(req)
	if granted, ok := decision.(attempt.Granted); ok && err == nil {
		if ticket, err := granted.Ticket(); err == nil {
			w.flight = append(w.flight, ticket)
		}
	}
}

// end ends one call in flight; after a failed commit that is refused, which is fine.
func (w *world) end() {
	if len(w.flight) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.flight)-1).Draw(w.t, "call")
	ticket := w.flight[i]
	w.flight = slices.Delete(w.flight, i, i+1)
	switch rapid.IntRange(0, 4).Draw(w.t, "end") {
	case 0:
		_, _ = w.Settle(ticket.ID, v1.EncodeAnswer(found))
	case 1:
		_, _ = w.Settle(ticket.ID, v1.EncodeAnswer(v1.Answer{Status: enrich.Partial, WorkEmail: "x@y.example"}))
	case 2:
		_ = w.Release(ticket.ID, attempt.Release{Reason: "no", Sent: true, Reject: rapid.Bool().Draw(w.t, "reject")})
	case 3:
		_ = w.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "lost"})
	case 4:
		_, _ = w.Settle(ticket.ID, v1.EncodeAnswer(v1.Answer{Status: enrich.NotFound}))
	}
}

func (w *world) account() {
	switch rapid.IntRange(0, 3).Draw(w.t, "account") {
	case 0:
		_ = w.Rebase(accountWith(rapid.Int64Range(0, 3).Draw(w.t, "free"), 1))
	case 1:
		_, _ = w.Reconcile(accountWith(rapid.Int64Range(0, 3).Draw(w.t, "free"), 1), rapid.Bool().Draw(w.t, "exclusive"))
	default:
		for _, d := range w.Doubts() {
			_ = w.Assume(rapid.Bool().Draw(w.t, "charged"), d.ID)
		}
	}
}

func (w *world) erase() {
	who := []Person{{Identity: person(rapid.IntRange(0, 7).Draw(w.t, "who"))}, {Email: "X@y.example"}, {Phone: "1 555-0100"}}
	if rapid.Bool().Draw(w.t, "prune") {
		_, _ = w.Prune(w.clock.at.Add(-time.Duration(rapid.IntRange(0, 20).Draw(w.t, "age")) * time.Second))
		return
	}
	_, _ = forget(w.Journal, rapid.SampledFrom(who).Draw(w.t, "by"))
}

// crash lets a coming commit fail, done or not, and opens the journal again.
func (w *world) crash() {
	done := rapid.Bool().Draw(w.t, "done")
	w.store.before = func(int) (error, bool) { return fmt.Errorf("crash"), done }
	w.begin()
	w.end()
	w.reopen()
}

func TestCheckFindsNoProblemAfterAnyHistoryOfCommands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t, store: newMemStore(), clock: &clock{start}}
		w.reopen()
		defer func() { _ = w.Close() }()
		steps := []func(){w.begin, w.begin, w.begin, w.end, w.end, w.end, w.account, w.erase, w.crash}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w.clock.at = w.clock.at.Add(time.Second)
			rapid.SampledFrom(steps).Draw(t, "step")()
			if problems := problemsOf(t, w.store); len(problems) > 0 {
				t.Fatalf("problems in a sound journal:\n%s", strings.Join(problems, "\n"))
			}
			checkFlight(t, w.Journal)
		}
	})
}

func wantSound(t *testing.T, s Store) {
	t.Helper()
	if problems := problemsOf(t, s); len(problems) > 0 {
		t.Errorf("problems:\n%s", strings.Join(problems, "\n"))
	}
}

// soundRig is a journal with an attempt of every state.
func soundRig(t *testing.T) *rig {
	r := newRig(t)
	r.settle(r.grant(request(person(1), email|phone)), found)                                                   // 1
	r.check(r.Release(r.grant(request(person(2), email)).ID, attempt.Release{Reason: "invalid", Reject: true})) // 2
	forfeited := r.grant(request(person(3), email))                                                             // 3
	r.check(r.MarkInDoubt(forfeited.ID, attempt.LostCall{Cause: "lost"}))
	r.check(r.Assume(true, forfeited.ID))
	r.check(r.MarkInDoubt(r.grant(request(person(4), phone)).ID, attempt.LostCall{Cause: "lost"})) // 4
	r.settle(r.grant(request(person(5), email)), found)                                            // 5
	r.grant(request(person(6), email))                                                             // 6
	r.settle(r.grant(request(person(7), phone)), v1.Answer{Status: "partial"})                     // 7
	r.check(r.SaveRun(record.Run{Name: "run"}))
	return r
}

// change rewrites a record as damage would.
func change[T record.Record](t *testing.T, store *memStore, key []byte, edit func(*T)) {
	t.Helper()
	read, found, err := record.Load[T](store, key)
	if err != nil || !found {
		t.Fatalf("record %q: %v, found %t", key, err, found)
	}
	edit(&read)
	store.records[string(key)] = record.Encode(&read)
}

func TestCheckNamesEveryDamage(t *testing.T) {
	type res = attempt.Resolution
	resolution := func(id attempt.ID, edit func(*res)) func(*testing.T, *rig) {
		return func(t *testing.T, r *rig) { change(t, r.store, record.IDKey(record.ResolutionPrefix, id), edit) }
	}
	remove := func(key []byte) func(*testing.T, *rig) {
		return func(_ *testing.T, r *rig) { delete(r.store.records, string(key)) }
	}
	set := func(key []byte, value string) func(*testing.T, *rig) {
		return func(_ *testing.T, r *rig) { r.store.records[string(key)] = []byte(value) }
	}
	intentOf := func(id attempt.ID, edit func(*record.Intent)) func(*testing.T, *rig) {
		return func(t *testing.T, r *rig) { change(t, r.store, record.IDKey(record.IntentPrefix, id), edit) }
	}
	field := func(n int, f enrich.Field, edit func(*record.FieldEntry)) func(*testing.T, *rig) {
		return func(t *testing.T, r *rig) { change(t, r.store, record.FieldKey(r.Key(person(n)), f), edit) }
	}
	inFlight := func(ids ...attempt.ID) func(*testing.T, *rig) {
		return func(t *testing.T, r *rig) {
			change(t, r.store, record.StateKey, func(b *record.State) { b.InFlight = ids })
		}
	}
	totals := func(scope string, edit func(*cost.Totals)) func(*testing.T, *rig) {
		return func(t *testing.T, r *rig) { change(t, r.store, record.NameKey(record.TotalsPrefix, scope), edit) }
	}
	for name, c := range map[string]struct {
		damage func(*testing.T, *rig)
		want   string
	}{
		"intent gone":         {remove(record.IDKey(record.IntentPrefix, 1)), "intent of attempt 1 is missing"},
		"last intent gone":    {remove(record.IDKey(record.IntentPrefix, 7)), "intent of attempt 7 is missing"},
		"intent too many":     {set(record.IDKey(record.IntentPrefix, 8), string(record.Encode(&record.Intent{}))), "intent of attempt 8 has an ID that was not given out"},
		"intent unreadable":   {set(record.IDKey(record.IntentPrefix, 1), "\x07{"), "intent of attempt 1 cannot be read"},
		"unknown version":     {set(record.IDKey(record.IntentPrefix, 1), "\x08{}"), "intent of attempt 1 is of a version that this program does not know"},
		"odd key":             {set([]byte("a7"), "\x07"), `record "a7" has no ID`},
		"odd orphan":          {set([]byte("r7"), "\x07"), `record "r7" has no ID`},
		"unknown kind":        {set([]byte("zz"), "\x07"), `record "zz" is of no known kind`},
		"resolution gone":     {remove(record.IDKey(record.ResolutionPrefix, 1)), "resolution of attempt 1 is missing"},
		"resolution alone":    {set(record.IDKey(record.ResolutionPrefix, 99), "\x07"), "resolution of attempt 99 belongs to no intent"},
		"doubt alone":         {set(record.IDKey(record.DoubtPrefix, 99), "\x07"), "doubt of attempt 99 belongs to no intent"},
		"open mark alone":     {set(record.IDKey(record.OpenPrefix, 99), "\x07"), "open mark of attempt 99 belongs to no intent"},
		"doubt unreadable":    {set(record.IDKey(record.DoubtPrefix, 4), "\x07?"), "doubt of attempt 4 cannot be read"},
		"resolved and open":   {set(record.IDKey(record.OpenPrefix, 1), "\x07"), "open mark of attempt 1 stands although the attempt is resolved"},
		"open mark gone":      {remove(record.IDKey(record.OpenPrefix, 4)), "resolution of attempt 4 is missing, and the attempt is not open either"},
		"not in flight":       {inFlight(), "resolution of attempt 6 is missing, and the attempt is not open either"},
		"in flight, resolved": {inFlight(5, 6), "the ledger state has attempt 5 in flight, which is resolved"},
		"in flight, in doubt": {inFlight(4, 6), "the ledger state has attempt 4 in flight, which is in doubt"},
		"in flight, no mark": {func(t *testing.T, r *rig) {
			remove(record.IDKey(record.OpenPrefix, 4))(t, r)
			inFlight(4, 6)(t, r)
		}, "the ledger state has attempt 4 in flight, which is in doubt"},
		"in flight, twice":     {inFlight(6, 6), "the ledger state does not list what is in flight in its order, each once: [6 6]"},
		"in flight, disorder":  {inFlight(8, 6), "the ledger state does not list what is in flight in its order, each once: [8 6]"},
		"doubt gone":           {remove(record.IDKey(record.DoubtPrefix, 4)), "doubt of attempt 4 is missing, and its open mark stands"},
		"in flight, unknown":   {inFlight(6, 8), "the ledger state has attempt 8 in flight, which has no intent"},
		"resolution changed":   {resolution(1, func(r *res) { r.State = 9 }), "resolution of attempt 1 has the state"},
		"other run":            {resolution(1, func(r *res) { r.Run = "x" }), `resolution of attempt 1 belongs to run "x"`},
		"answer gone":          {resolution(1, func(r *res) { r.Status = "" }), "resolution of attempt 1 is settled without an answer"},
		"charge changed":       {resolution(1, func(r *res) { r.Charge.Amounts[cost.USD]-- }), "resolution of attempt 1 charges $0.399999"},
		"charge over the hold": {resolution(1, func(r *res) { r.Charge.Amounts[cost.USD] *= 3 }), "resolution of attempt 1 charges $1.20, more than the $0.40 held"},
		"value gone":           {resolution(5, func(r *res) { r.Returned = 0 }), "resolution of attempt 5 charges $0.15"},
		"voided and charged":   {resolution(2, func(r *res) { r.Charge.Amounts[cost.USD] = 1 }), "resolution of attempt 2 is voided and has a charge"},
		"forfeited for free":   {resolution(3, func(r *res) { r.Charge = cost.Charge{} }), "resolution of attempt 3 charges $0.00"},
		"identity changed":     {intentOf(1, func(i *record.Intent) { i.Identity = person(9) }), "intent of attempt 1 has an identity that does not hash to its key"},
		"erased by half":       {eraseByHalf, "intent of attempt 1 is erased and still holds the identity"},
		"erased but known":     {intentOf(1, func(i *record.Intent) { i.Erased, i.Identity = true, enrich.Identity{} }), "intent of attempt 1 is erased, and its answer is not"},
		"hold without price":   {intentOf(1, func(i *record.Intent) { i.Hold.Rates = nil }), "intent of attempt 1 holds money for no field"},
		"other pattern":        {intentOf(1, func(i *record.Intent) { i.Pattern = "name" }), "intent of attempt 1 counts as a lookup by name, and its identity is by profile"},
		"other job":            {intentOf(1, func(i *record.Intent) { i.Job = "x" }), `sums of "job/x/2026-11" are missing`},
		"day changed": {func(t *testing.T, r *rig) {
			change(t, r.store, record.NameKey(record.DayPrefix, "2026-11-01"), func(s *record.Span) { s.Last++ })
		}, "the record of 2026-11-01 says that attempts 1 to 8 ended then, and those from 1 to 7 did"},
		"day gone": {remove(record.NameKey(record.DayPrefix, "2026-11-01")), "the record of 2026-11-01 is missing"},
		"paid twice": {func(t *testing.T, r *rig) {
			other, _, _ := record.Load[record.Intent](r.store, record.IDKey(record.IntentPrefix, 1))
			intentOf(5, func(i *record.Intent) { i.Key, i.Identity = other.Key, other.Identity })(t, r)
		}, "resolution of attempt 5 pays for work_email a second time: attempt 1 paid for it before"},
		"field gone": {func(_ *testing.T, r *rig) {
			delete(r.store.records, string(record.FieldKey(r.Key(person(1)), v1.WorkEmail)))
		}, "is missing: attempt 1 decided it"},
		"field of nobody":       {set(record.FieldKey(enrich.Key{1}, v1.WorkEmail), `{"state":1}`), "is of a version"},
		"field unexplained":     {set(record.FieldKey(enrich.Key{1}, v1.WorkEmail), string(record.Encode(&record.FieldEntry{State: attempt.Found, Attempt: 4}))), "points to attempt 4, which decided nothing about it"},
		"field misnamed":        {set([]byte("fxx"), "\x07"), "a field record has a key that names no field"},
		"field's other attempt": {field(1, v1.WorkEmail, func(f *record.FieldEntry) { f.Attempt = 5 }), "says state 1 by attempt 5, and attempt 1 made it state 1"},
		"field's other state":   {field(3, v1.WorkEmail, func(f *record.FieldEntry) { f.State = attempt.Missing }), "says state 2 by attempt 3, and attempt 3 made it state 5"},
		"field forgotten":       {field(1, v1.WorkEmail, func(f *record.FieldEntry) { f.State = attempt.Forgotten }), "is forgotten, and attempt 1 still holds the identity"},
		"sum changed":           {totals(RunScope("run"), func(s *cost.Totals) { s.Settled[cost.USD]++ }), `sums of "run/run" have settled 0.700001, and the attempts add up to 0.70`},
		"held changed":          {totals(ScopeAll, func(s *cost.Totals) { s.Held[cost.USD]-- }), `sums of "all" have held`},
		"account changed":       {totals(ScopeAccount, func(s *cost.Totals) { s.EverHeld[cost.USD]++ }), `sums of "account" have ever held`},
		"history changed":       {totals("history/enrich/profile", func(s *cost.Totals) { s.Whole-- }), `sums of "history/enrich/profile" have whole answers 0, and the attempts add up to 1`},
		"open changed":          {totals("job/run/2026-11-01", func(s *cost.Totals) { s.Open++ }), `sums of "job/run/2026-11-01" have open 3, and the attempts add up to 2`},
		"count changed":         {totals(ScopeAll, func(s *cost.Totals) { s.Asked[1]++ }), `sums of "all" have asked of business_phone 3`},
		"sums gone":             {remove(record.NameKey(record.TotalsPrefix, ScopeAll)), `sums of "all" are missing`},
		"sums unreadable":       {set(record.NameKey(record.TotalsPrefix, ScopeAll), "\x07x"), `sums of "all" cannot be read`},
		"ledger gone":           {remove(record.StateKey), "intent of attempt 1 has an ID that was not given out: the next is 1"},
		"ledger behind": {func(t *testing.T, r *rig) {
			change(t, r.store, record.StateKey, func(b *record.State) { b.Resolved-- })
		}, "the ledger state counts 4 resolved attempts, and there are 5"},
		"identity gone":          {remove(record.IdentityKey), "the journal's identity is missing or incomplete"},
		"run unreadable":         {set(record.NameKey(record.RunPrefix, "run"), "\x07{"), `run "run" cannot be read`},
		"job unreadable":         {set(record.NameKey(record.JobPrefix, "n"), "\x07{"), `job "n" cannot be read`},
		"job under another name": {set(record.NameKey(record.JobPrefix, "n"), string(record.Encode(&record.Job{Name: "m"}))), `job "n" calls itself "m"`},
		"occurrence of another": {
			set(record.OccurrenceKey("n", "2026-11-22T02:30"), string(record.Encode(&record.Occurrence{Job: "m", At: "2026-11-22T02:30"}))),
			`occurrence "n/2026-11-22T02:30" calls itself "2026-11-22T02:30" of "m"`,
		},
		"alert unreadable":         {set(record.AlertKey("n", "a"), "\x07{"), `alert "n/a" cannot be read`},
		"alert under another name": {set(record.AlertKey("n", "a"), string(record.Encode(&record.Alert{Job: "n", ID: "b"}))), `alert "n/a" calls itself "b" of "n"`},
		"alert twice to a channel": {
			set(record.AlertKey("n", "a"), string(record.Encode(&record.Alert{Job: "n", ID: "a", Deliveries: []record.Delivery{{Channel: "ops"}, {Channel: "ops"}}}))),
			`alert "n/a" has two deliveries to the channel "ops"`,
		},
		"run under another name": {set(record.NameKey(record.RunPrefix, "other"), string(record.Encode(&record.Run{Name: "run"}))), `run "other" calls itself "run"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := soundRig(t)
			if problems := problemsOf(t, r.store); len(problems) > 0 {
				t.Fatalf("before the damage: %q", problems)
			}
			c.damage(t, r)
			problems := problemsOf(t, r.store)
			if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, c.want) }) {
				t.Errorf("found %q, want %q", problems, c.want)
			}
		})
	}
}

func TestCheckAllowsAForfeitedFieldToBeBoughtAgain(t *testing.T) {
	r := newRig(t)
	ticket := r.grant(request(person(1), email))
	r.check(r.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "lost"}))
	r.check(r.Assume(true, ticket.ID))
	again := request(person(1), email)
	again.Reask.Forfeited = true
	r.settle(r.grant(again), found)
	if problems := problemsOf(t, r.store); len(problems) > 0 {
		t.Errorf("problems %q", problems)
	}
}

// eraseByHalf says of an intent that it is erased, and leaves the identity in it.
func eraseByHalf(_ *testing.T, r *rig) {
	key := string(record.IDKey(record.IntentPrefix, 1))
	r.store.records[key] = protowire.AppendVarint(protowire.AppendTag(r.store.records[key], 4, protowire.VarintType), 1)
}
