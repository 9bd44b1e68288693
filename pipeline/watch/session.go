// Package watch has the use cases of watched companies: starting and ending watches, recording changes (poll), and
// asking again for changed companies (refresh).
//
// A change is first recorded as an observation in the journal. An observation allows one paid call. The journal decides
// by the numbers of attempts: a record whose last attempt began before the observation may be asked for again. So the
// number of observations of one change, their order, crashes and lost calls do not matter.
package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/paidcalls"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// Paying says how paid calls are sent, and within which limits.
type Paying struct {
	Run string // the name of the run; "" for the default of the use case
	// Within says that the calls are those of a run which records itself afterwards.
	Within bool
	Budget pipeline.Budget
	Pace   pipeline.Pace
	Rebuy  bool // also ask again when a call was charged and its answer is lost
	Yes    bool // do not ask before spending
}

// Approver is the person who starts a command.
type Approver interface {
	// Show shows the plan before anything is sent.
	Show(plan Plan) error
	// CanAsk reports whether Confirm can ask the person.
	CanAsk() bool
	// Confirm asks whether a number of calls may be sent.
	Confirm(ctx context.Context, calls int64) bool
}

// Plan is what is shown before paid calls are sent.
type Plan interface {
	report.Report
	// Calls returns the number of paid calls that are needed.
	Calls() int64
}

// session is one use case in its workspace.
type session struct {
	paidcalls.Session
	config v2.Config
	free   *v2.WatchClient
}

// with runs a use case and closes what it opened.
func with[T any](w *pipeline.Work, do func(*session) (T, error)) (T, error) {
	return pipeline.WithSession(w, func(place *workspace.Session) (result T, err error) {
		of, err := paidcalls.New(w, place, "watched companies")
		if err != nil {
			return result, err
		}
		return do(&session{Session: of})
	})
}

// look opens the journal to read it, if it exists, and connects a client of the free requests.
func (s *session) look(ctx context.Context, doing string) error {
	found, err := s.Place.ReadExisting(ctx, doing)
	if err == nil && found {
		s.Journal, err = s.Place.AccountOf(s.Service)
	}
	if err != nil {
		return err
	}
	at, err := s.Place.Endpoint(s.Service)
	if err != nil {
		return err
	}
	_, err = s.connect(s.Provider.Config(at))
	return problem.AsUsage(err)
}

// own opens the journal to write to it, checks the key and registers the account.
func (s *session) own(ctx context.Context, doing string) error { return s.Own(ctx, doing, s.connect) }

// connect connects the client of the free requests.
func (s *session) connect(config v2.Config) (status *v2.StatusClient, err error) {
	s.config = config
	if s.free, err = v2.NewWatchClient(config); err != nil {
		return nil, err
	}
	return s.free.StatusClient, nil
}

// waits are the times between the tries of a free request that failed.
var waits = [...]time.Duration{time.Second, 5 * time.Second, 20 * time.Second}

// ask sends a free request, and repeats it after a failure that may be temporary.
func ask[T any](ctx context.Context, request func() (T, error)) (value T, err error) {
	for try := 0; ; try++ {
		value, err = request()
		failure, is := errors.AsType[*v2.Error](err)
		mayPass := err != nil && !errors.Is(err, v2.ErrID) && (!is || failure.MayPass())
		switch {
		case ctx.Err() != nil:
			return value, ctx.Err()
		case err == nil || is && failure.NotFound() || errors.Is(err, v2.ErrID):
			return value, err
		case !mayPass || try == len(waits):
			return value, problem.AsRefused(ctx, err)
		}
		timer := time.NewTimer(waits[try])
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return value, ctx.Err()
		}
	}
}

// isNotFound reports whether the service does not know the company, or the identifier has another form.
func isNotFound(err error) bool {
	failure, is := errors.AsType[*v2.Error](err)
	return is && failure.NotFound() || errors.Is(err, v2.ErrID)
}

// mostPages is more than any list has. It ends the reading when the service repeats a page without end.
const mostPages = 100_000

// pages visits the items of all pages.
func pages[T any](ctx context.Context, page func(v2.Paging) (v2.Page[T], error), visit func(T)) error {
	for number := 1; number <= mostPages; number++ {
		found, err := ask(ctx, func() (v2.Page[T], error) { return page(v2.Paging{Page: number}) })
		if err != nil {
			return err
		}
		for _, item := range found.Items {
			visit(item)
		}
		if len(found.Items) == 0 && found.Count == 0 || found.Pages.Known && int64(number) >= found.Pages.Value {
			return nil
		}
	}
	return problem.AsRefused(ctx, fmt.Errorf("the list has more than %d pages", mostPages))
}

// watched returns the companies that the account watches, in the order of the service.
func (s *session) watched(ctx context.Context) (all []v2.Watched, err error) {
	seen := map[string]bool{}
	err = pages(ctx, func(p v2.Paging) (v2.Page[v2.Watched], error) {
		return s.free.Watched(ctx, v2.WatchedSince{Paging: p})
	}, func(w v2.Watched) {
		if w.ID.Value != "" && !seen[w.ID.Value] {
			seen[w.ID.Value] = true
			all = append(all, w)
		}
	})
	return all, err
}

// settle reconciles calls that an earlier start left in doubt, and makes the account's counters the new base. No call
// is in flight.
func (s *session) settle(ctx context.Context) error {
	if err := s.Settle(ctx, s.free.StatusClient); err != nil {
		return err
	}
	return s.decideStarts(ctx)
}

// wanted is a paid call to send.
type wanted struct {
	lookup enrich.Lookup
	reask  attempt.Reask
}

// key names a wanted call.
type key struct {
	id     enrich.Identity
	fields enrich.Fields
}

// sending is what the calls of one run have in common.
type sending struct {
	Paying
	about  string // what the calls ask for, for the progress display
	rates  cost.Rates
	finder dispatch.Finder
}

// send sends calls as the lookups of a run are sent.
func (s *session) send(ctx context.Context, o sending, calls []wanted) (dispatch.Tally, dispatch.Stop, error) {
	reask := map[key]attempt.Reask{}
	for _, call := range calls {
		reask[key{call.lookup.Identity, call.lookup.Fields}] = call.reask
	}
	defer context.AfterFunc(ctx, func() {
		s.Note("interrupted: waiting for the calls in flight; interrupt again to stop at once")
	})()
	return s.Send(ctx, s.free.StatusClient, paidcalls.Calls{
		Run: o.Run, About: o.about, Budget: o.Budget, Pace: o.Pace, Rates: o.rates, Finder: o.finder,
		ReaskOf: func(l enrich.Lookup) attempt.Reask { return reask[key{l.Identity, l.Fields}] },
		Number:  int64(len(calls)), Next: yield(calls),
	})
}

func (s *session) tariff() cost.Tariff { return s.Provider.Modules.Tariff() }

// agree shows a plan, and asks before anything is sent.
func (s *session) agree(ctx context.Context, plan Plan, yes bool, approver Approver) error {
	if err := approver.Show(plan); err != nil {
		return err
	}
	return s.Agree(ctx, plan.Calls(), yes, func() bool { return approver.Confirm(ctx, plan.Calls()) })
}

// begin records a run that is about to send calls. It keeps the time of its first start.
func (s *session) begin(p Paying, about, output string) (checkpoint.Run, error) {
	run := checkpoint.Run{Name: p.Run, Output: output, Fields: about, Started: s.Work.Env.Now()}
	p.Budget.Note(&run)
	p.Budget.NoteAccount(&run, s.Journal.Number(), s.tariff())
	run.Restarted = run.Started
	before, found, err := s.Journal.Run(p.Run)
	if err != nil {
		return run, err
	}
	if found {
		run.Started = before.Started
	}
	run.Waits = report.WaitsAtStart(before, s.Asked, run.Restarted)
	if p.Within {
		return run, nil
	}
	return run, s.Journal.SaveRun(run)
}

// end records how a run ended.
func (s *session) end(p Paying, run checkpoint.Run, tally dispatch.Tally, stop dispatch.Stop) error {
	if p.Within {
		return nil
	}
	run.Ended, run.Waits = s.Work.Env.Now(), report.AddSentWaits(run.Waits, tally.Waited, run.Restarted, s.Work.Env.Now())
	if stop != nil {
		run.Stop = stop.Word()
	}
	return s.Journal.SaveRun(run)
}

// Units says how many units of a module are needed, used and left.
type Units struct {
	Module string `json:"module"`
	Needed int64  `json:"needed"`
	Limit  *int64 `json:"limit"` // of the run; null when the run has none for the module
	Used   int64  `json:"used"`  // by the run, over all its starts
	Held   int64  `json:"held"`  // by calls in doubt
	// AccountLeft is what is left of the account's own total; null when the account does not show it.
	AccountLeft *int64 `json:"account_left"`
}

// units returns the modules that a number of calls of each operation use.
func (s *session) units(p Paying, calls map[v2.Operation]int64) (all []Units) {
	var needed cost.Amounts
	for o, n := range calls {
		needed = needed.Plus(s.Provider.Modules.Hold(o, v2.Reveal{}).Times(n))
	}
	for _, meter := range v2.Meters() {
		u := Units{Module: v2.MeterName(meter), Needed: needed[meter]}
		if s.Journal != nil && p.Run != "" {
			totals := s.Journal.Totals(s.Journal.Number().Scope(checkpoint.RunScope(p.Run)))
			u.Used, u.Held = totals.Settled[meter], totals.Held[meter]
		}
		if limit, limited := p.Budget.Units[u.Module]; limited {
			u.Limit = &limit
		}
		if left := s.Account.Left[meter]; left.Known {
			u.AccountLeft = &left.Value
		}
		if u.Needed > 0 || u.Used+u.Held > 0 {
			all = append(all, u)
		}
	}
	return all
}

func renderUnits(page *report.Page, all []Units) {
	for _, u := range all {
		text := report.Textf("%d needed", u.Needed)
		if u.Used > 0 {
			text += report.Textf(", %d used by this run before", u.Used)
		}
		if u.Limit != nil {
			text += report.Textf(", at most %d", *u.Limit)
		}
		if u.Held > 0 {
			text += report.Textf(", %d held by calls in doubt", u.Held)
		}
		if u.AccountLeft != nil {
			text += report.Textf("; the account has %d left", *u.AccountLeft)
		}
		page.Entryf("units of "+u.Module, "%s", text)
	}
}
