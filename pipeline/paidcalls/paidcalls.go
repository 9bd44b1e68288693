// Package paidcalls sends paid calls of the v2 interface that are not lookups of the rows of a list: pages of searches,
// starts of watches, and calls for observed changes. They go through the journal, as the lookups of a run do.
package paidcalls

import (
	"context"
	"fmt"

	"golang.org/x/time/rate"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// Session is one use case in its workspace.
type Session struct {
	Work     *pipeline.Work
	Place    *workspace.Session
	Service  provider.Service // v2, the only interface with such calls
	Provider providerv2.Provider
	Journal  *checkpoint.Journal  // as the account sees it; nil before the account is known
	Account  cost.Account         // as the service showed it last
	Asked    report.ApprovalAsked // whether the calls may be sent
}

// New returns a session without a journal. What names the calls in the error about a service that is not configured.
func New(w *pipeline.Work, place *workspace.Session, what string) (Session, error) {
	service, v2Provider, known := provider.Of[providerv2.Provider](w.Workspace.Services)
	if !known || !w.Workspace.IsConfigured(service) {
		return Session{}, problem.Coded("v2_missing", "%s need the v2 interface of the service, and its address is not set", what)
	}
	return Session{Work: w, Place: place, Service: service, Provider: v2Provider}, nil
}

// Own opens the journal to write to it, connects, checks the key, reads the account and registers it.
func (s *Session) Own(ctx context.Context, doing string, connect func(v2.Config) (*v2.StatusClient, error)) error {
	if err := s.Place.OpenJournal(ctx, doing); err != nil {
		return err
	}
	at, err := s.Place.Endpoint(s.Service)
	if err != nil {
		return err
	}
	status, err := connect(s.Provider.Config(at))
	if err != nil {
		return problem.AsUsage(err)
	}
	read := func() error { return s.ReadAccount(ctx, status) }
	if err := s.Place.CheckKey(s.Service, read); err != nil {
		return err
	}
	if err := read(); err != nil {
		return err
	}
	s.Journal, err = s.Place.Register(s.Service, func() error { return nil }) // the status was read
	return err
}

// ReadAccount reads the account.
func (s *Session) ReadAccount(ctx context.Context, status *v2.StatusClient) (err error) {
	if s.Account, err = status.Status(ctx); err != nil {
		return problem.AsRefused(ctx, err)
	}
	return nil
}

// Note tells the person what happens.
func (s *Session) Note(format string, args ...any) {
	s.Work.Observer.Note(fmt.Sprintf(format, args...))
}

// Settle decides calls that an earlier start left in doubt, and makes the account's counters the base of what follows.
// It must be called while no call is in flight.
func (s *Session) Settle(ctx context.Context, status *v2.StatusClient) error {
	if !s.Journal.AwaitsAccount() {
		s.Journal.BeginReading()
		if err := s.ReadAccount(ctx, status); err != nil {
			return err
		}
		return s.Journal.Rebase(s.Account)
	}
	reconciler := s.reconciler(status)
	if pending := reconciler.Pending(); pending > 0 {
		s.Note("an earlier start left %s in doubt: waiting for the account to settle, to see what was counted", report.Counted(pending, "call"))
	}
	reconciled, err := reconciler.Reconcile(ctx)
	if err != nil {
		return problem.IfRefused(ctx, err)
	}
	if reconciled.Why != "" {
		s.Note("calls stay in doubt: %s", reconciled.Why)
	}
	return nil
}

func (s *Session) reconciler(status *v2.StatusClient) *dispatch.Reconciler {
	o := s.Work.Workspace
	return &dispatch.Reconciler{
		Arbiter: s.Journal, Status: status, SettleDelay: o.SettleDelay, Exclusive: o.Exclusive, Now: s.Journal.Now,
	}
}

// MayAsk refuses a command that spends when it may not spend without asking and cannot ask.
func MayAsk(yes, canAsk bool) error {
	if !yes && !canAsk {
		return problem.Unapproved("search_cannot_ask", "the command asks before it spends, and this is not a terminal; nothing was sent")
	}
	return nil
}

// Agree asks before anything is sent, unless nothing is or yes is set.
func (s *Session) Agree(ctx context.Context, calls int64, yes bool, confirm func() bool) error {
	if calls == 0 || yes {
		return nil
	}
	s.Asked.Since = s.Work.Env.Now()
	if confirmed := confirm(); ctx.Err() != nil {
		return ctx.Err()
	} else if !confirmed {
		return problem.Unapproved("", "not confirmed; nothing was sent")
	}
	s.Asked.Approved = s.Work.Env.Now()
	return nil
}

// CheckUnits refuses calls of an operation that could use up units without a limit. A limit on money limits units with a
// price.
func (s *Session) CheckUnits(b pipeline.Budget, o v2.Operation) error {
	for _, meter := range s.MetersOf(o) {
		name := v2.MeterName(meter)
		inMoney := s.Provider.Prices[meter] > 0 && b.MaxSpend != nil
		if !inMoney && !b.HasLimit(name) {
			return problem.Coded("max_units_missing", "the command needs a limit on the units of the module %s; nothing was sent", name).With(name)
		}
	}
	return nil
}

// MetersOf returns the meters that a call of an operation uses.
func (s *Session) MetersOf(o v2.Operation) (meters []cost.Meter) {
	held := s.Provider.Modules.Hold(o, v2.Reveal{})
	for _, meter := range v2.Meters() {
		if held[meter] > 0 {
			meters = append(meters, meter)
		}
	}
	return meters
}

// Calls are calls to send.
type Calls struct {
	Run    string
	About  string // what is asked for, for whoever watches
	Budget pipeline.Budget
	Pace   pipeline.Pace
	Rates  cost.Rates
	Finder dispatch.Finder
	// Reask says which calls may be sent again. ReaskOf, when it is not nil, says so for each lookup.
	Reask    attempt.Reask
	ReaskOf  func(enrich.Lookup) attempt.Reask
	Progress *dispatch.AccountProgress // kept by a caller that sends several times; may be nil
	Number   int64
	Next     func() (enrich.Lookup, error) // returns io.EOF after the last one
}

// Send sends calls as the lookups of a run are sent, and says why it stopped early.
func (s *Session) Send(ctx context.Context, status *v2.StatusClient, calls Calls) (dispatch.Tally, dispatch.Stop, error) {
	limit := s.Service.KeptRate()
	update, sent := s.Work.Observer.Sending(pipeline.Sending{
		Run: calls.Run, Fields: calls.About, Lookups: calls.Number, Rate: limit, Money: len(s.Provider.Prices) > 0, Calls: true,
	})
	defer sent()
	if calls.Progress == nil {
		calls.Progress = &dispatch.AccountProgress{}
	}
	lookups := &dispatch.Lookups{
		Ledger: s.Journal, Finder: calls.Finder, Now: s.Work.Env.Now,
		Report:      func(t dispatch.Tally) { update(pipeline.SentSoFar{Tally: t}) },
		Concurrency: calls.Pace.Concurrency, Spacing: limit.Spacing(), LongestPause: calls.Pace.LongestPause,
		Reconciler: s.reconciler(status), Note: s.Work.Observer.Note, Progress: calls.Progress,
		Catalogue: v2.Catalogue(), Tariff: v2.Tariff(s.Provider.Modules), Reask: calls.ReaskOf,
		Request: attempt.Request{
			Run: calls.Run, Job: calls.Budget.JobOf(calls.Run), Rates: calls.Rates,
			Ceilings: calls.Budget.All(calls.Run, s.Provider.Modules.Tariff()), Reask: calls.Reask,
		},
	}
	if calls.Pace.Even {
		lookups.Pacer = rate.NewLimiter(rate.Every(limit.Spacing()), 1)
	}
	tally, stop, err := lookups.Run(ctx, calls.Next)
	if err == nil && stop == nil && tally.GivenUp > 0 {
		stop = dispatch.ServiceRefused{Code: dispatch.CodeUnavailable, Message: report.Counted(tally.GivenUp, "call") + " failed three times"}
	}
	return tally, stop, err
}
