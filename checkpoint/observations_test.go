package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// companyByID is the identity of a company by its id.
func companyByID(id string) enrich.Identity {
	return enrich.Identity{Company: enrich.Company{ID: id}}
}

func (r *rig) observe(want int, changes ...Observed) {
	r.t.Helper()
	added, err := r.Observe(changes)
	r.check(err)
	if added != want {
		r.t.Errorf("%d changes are new, want %d", added, want)
	}
}

func (r *rig) observed(company string) (all []record.Observation) {
	r.t.Helper()
	all, err := r.Observations(company)
	r.check(err)
	slices.SortFunc(all, func(a, b record.Observation) int { return a.At.Compare(b.At) })
	return all
}

// TestAChangeIsObservedOnce: the same content of the same company is one observation, in whatever order its members
// come, in one call or several, and after the journal was opened again. All that came is kept as it came.
func TestAChangeIsObservedOnce(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(request(companyByID("7"), email)), found)
	change := Observed{"7", []byte(`{"event_type":"name", "extra":{"b":1.50,"a":[2]},"date_created":"2026-11-01"}`)}
	again := Observed{"7", []byte(`{"date_created":"2026-11-01","extra":{"a":[2],"b":1.50},"event_type":"name"}`)}
	r.observe(1, change, again)
	want := []record.Observation{{Company: "7", At: start, Content: string(change.Content), After: 1}}
	r.settle(r.grant(request(companyByID("8"), email)), found)
	r.clock.at = start.Add(time.Hour)
	r.observe(0, again)
	r.reopen()
	r.observe(0, change)
	if diff := cmp.Diff(want, r.observed("7")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	other := Observed{"7", []byte(`{"event_type":"name","extra":{"b":1.5,"a":[2]},"date_created":"2026-11-02"}`)}
	r.observe(2, other, Observed{"8", change.Content})
	want = append(want, record.Observation{Company: "7", At: r.clock.at, Content: string(other.Content), After: 2})
	if diff := cmp.Diff(want, r.observed("7")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if all := r.observed("9"); len(all) > 0 {
		t.Errorf("observed %+v", all)
	}
	wantSound(t, r.store)
}

// TestManyChangesAreObserved that take more than one commit.
func TestManyChangesAreObserved(t *testing.T) {
	r := newRig(t)
	var all []Observed
	for n := range 20_000 {
		all = append(all, Observed{fmt.Sprint(n % 100), fmt.Appendf(nil, `{"message":"change %d of a company"}`, n)})
	}
	r.observe(20_000, all...)
	r.observe(0, all...)
	r.reopen()
	if got := len(r.observed("42")); got != 200 {
		t.Errorf("%d changes of the company, want 200", got)
	}
}

// TestAnErasedChangeIsNotObservedAgain: forget and prune take the content of changes, and the same change, when it is
// told again, is still the same.
func TestAnErasedChangeIsNotObservedAgain(t *testing.T) {
	named := Observed{"7", []byte(`{"event_type":"shareholder_name","message":"from Ann Lee to Bob Roe"}`)}
	other := Observed{"7", []byte(`{"event_type":"name","message":"from A to B"}`)}
	for name, erase := range map[string]func(r *rig) (Erasure, error){
		"forget": func(r *rig) (Erasure, error) {
			return r.erase(Person{Identity: enrich.Identity{FirstName: "Ann", LastName: "Lee", CompanyName: "Acme"}})
		},
		"prune": func(r *rig) (Erasure, error) { return r.Prune(start.Add(time.Minute)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.observe(1, named)
			r.clock.at = start.Add(time.Hour)
			r.observe(1, other)
			if erased, err := erase(r); err != nil || erased.Observations != 1 {
				t.Errorf("erased %+v, error %v", erased, err)
			}
			r.reopen()
			r.observe(0, named, other)
			want := []record.Observation{{Company: "7", At: start}, {Company: "7", At: r.clock.at, Content: string(other.Content)}}
			if diff := cmp.Diff(want, r.observed("7")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			wantSound(t, r.store)
		})
	}
}

// TestEarlierAnswersAreFound after fields were asked for again: those that were released or lost are not among them.
func TestEarlierAnswersAreFound(t *testing.T) {
	r := newRig(t)
	who := companyByID("7")
	again := func(last attempt.ID) attempt.Request {
		req := request(who, email)
		req.Reask.UpTo = last
		return req
	}
	want := func(ids ...attempt.ID) {
		t.Helper()
		got, err := r.AnswersOf(r.Key(who), v1.WorkEmail)
		r.check(err)
		if diff := cmp.Diff(ids, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	want()
	r.settle(r.grant(again(0)), found) // 1
	want(1)
	r.check(r.Release(r.grant(again(1)).ID, attempt.Release{Reason: "busy"})) // 2
	want(1)
	r.settle(r.grant(again(1)), v1.Answer{Status: enrich.NotFound}) // 3
	lost := r.grant(again(3))                                       // 4
	want(1, 3)
	r.reopen()
	want(1, 3)
	r.check(r.Assume(true, lost.ID))
	rebuy := again(0)
	rebuy.Reask.Forfeited = true
	r.settle(r.grant(rebuy), found) // 5
	want(1, 3, 5)
	if got := r.LastAttempt(); got != 5 {
		t.Errorf("the last attempt is %d", got)
	}
}

// TestASecondPaymentNeedsAnObservedChange: the check of a journal accepts no other reason.
func TestASecondPaymentNeedsAnObservedChange(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(request(companyByID("7"), email)), found)
	req := request(companyByID("7"), email)
	req.Reask.UpTo = 1
	r.settle(r.grant(req), found)
	if got := problemsOf(t, r.store); len(got) != 1 || got[0] != "resolution of attempt 2 pays for work_email a second time: attempt 1 paid for it before" {
		t.Errorf("%q", got)
	}
	r = newRig(t)
	r.settle(r.grant(request(companyByID("7"), email)), found)
	r.observe(1, Observed{"7", []byte("{}")})
	r.settle(r.grant(req), found)
	wantSound(t, r.store)
}

// changing drives a journal at random with changes of companies, crashes and commits that fail.
type changing struct {
	*world
	payments map[string]int // calls that were charged, by company
	of       []string       // the companies of the calls in flight
}

// TestAnObservedChangeIsPaidForOnce: a company is never paid for more often than once, and once more for each change
// that was observed, however often that was, across crashes, lost calls and commits of unknown result.
func TestAnObservedChangeIsPaidForOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &changing{
			world: &world{t: t, store: newMemStore(), clock: &clock{start}}, payments: map[string]int{},
		}
		c.reopen()
		told := map[string][][]byte{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			company := fmt.Sprint(rapid.IntRange(1, 2).Draw(t, "company"))
			var err error
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0, 1:
				told[company] = append(told[company], fmt.Appendf(nil, `{"n":%d}`, len(told[company])))
				fallthrough
			case 2: // all of them are told again
				var all []Observed
				for _, content := range told[company] {
					all = append(all, Observed{company, content})
				}
				_, err = c.Observe(all)
			case 3:
				done := rapid.Bool().Draw(t, "the commit happened")
				c.store.before = func(int) (error, bool) { return errors.New("disk"), done }
			case 4:
				c.reopen()
				c.of = nil
			case 5, 6, 7:
				c.ask(company)
			default:
				c.end()
			}
			if errors.Is(err, ErrFailed) {
				c.reopen()
				c.of = nil
			}
			for company, payments := range c.payments {
				if payments > 1+len(told[company]) {
					t.Fatalf("company %s was paid for %d times for %d changes", company, payments, len(told[company]))
				}
			}
		}
		c.reopen()
		if problems := problemsOf(t, c.store); len(problems) > 0 {
			t.Fatalf("problems: %q", problems)
		}
	})
}

// ask asks for a company as far as a change was observed.
func (c *changing) ask(company string) {
	all, err := c.Observations(company)
	if err != nil {
		c.t.Fatal(err)
	}
	req := request(companyByID(company), email)
	for _, o := range all {
		req.Reask.UpTo = max(req.Reask.UpTo, o.After)
	}
	decision, err := c.Begin(req)
	if err != nil {
		return
	}
	if granted, is := decision.(attempt.Granted); is {
		if ticket, err := granted.Ticket(); err == nil {
			c.flight, c.of = append(c.flight, ticket), append(c.of, company)
		}
	}
}

// end ends a call. An answer counts as paid for when it was sent, also when it could not be recorded.
func (c *changing) end() {
	if len(c.flight) == 0 {
		return
	}
	id, company := c.flight[0].ID, c.of[0]
	c.flight, c.of = c.flight[1:], c.of[1:]
	switch rapid.IntRange(0, 3).Draw(c.t, "end") {
	case 0:
		_ = c.Release(id, attempt.Release{Reason: "busy", Sent: true})
	case 1:
		c.payments[company]++
		_ = c.MarkInDoubt(id, attempt.LostCall{Cause: "lost"})
	default:
		c.payments[company]++
		_, _ = c.Settle(id, v1.EncodeAnswer(found))
	}
}
