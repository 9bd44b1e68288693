package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/time/rate"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/io/listfile"
	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// Run searches: it shows the plan, asks, asks for the pages that are needed, and writes the list. Running the
// same again resumes.
func Run(ctx context.Context, w *pipeline.Work, o Options, approver Approver) (*Ended, error) {
	return pipeline.WithSession(w, func(place *workspace.Session) (*Ended, error) {
		s, err := newSession(w, place, o, nil)
		if err != nil {
			return nil, err
		}
		return s.run(ctx, approver)
	})
}

// session is one search in its workspace.
type session struct {
	Options
	work  *pipeline.Work
	place *workspace.Session
	// service is that of v2, which alone has searches.
	service  provider.Service
	provider providerv2.Provider
	name     string
	journal  *checkpoint.Journal // as the account sees it; nil before the account is known
	pages    *knownPages
	account  cost.Account
	// refusal is what the service said when it refused a page.
	refusal  *refusals
	progress dispatch.AccountProgress // of all rounds
	asked    report.ApprovalAsked     // whether the calls may be sent
	people   *peopleSearch            // the run that goes on with what is found; nil for a search alone
}

func newSession(w *pipeline.Work, place *workspace.Session, o Options, people *peopleSearch) (*session, error) {
	s := &session{people: people, Options: o, work: w, place: place, name: cmp.Or(o.Run, o.Order.runName()), refusal: &refusals{}}
	if err := o.Order.check(); err != nil {
		return nil, problem.AsUsage(err)
	}
	var known bool
	if s.service, s.provider, known = provider.Of[providerv2.Provider](w.Workspace.Services); !known || !w.Workspace.IsConfigured(s.service) {
		return nil, problem.Coded("v2_missing", "searches need the v2 interface of the service, and its address is not known")
	}
	if people == nil || o.Output.Path != "" { // a run has all its limits
		if err := o.checkUnits(s.provider); err != nil {
			return nil, err
		}
	}
	if o.Output.Path == "" {
		return s, nil // a plan
	}
	return s, output.CheckTarget(o.Output.Path, o.Output.Sources)
}

// use makes a journal the one that is asked. It may be nil.
func (s *session) use(journal *checkpoint.Journal) error {
	s.journal = journal
	var pages Pages
	if journal != nil {
		pages = journal
	}
	since := s.work.Env.Now()
	if s.people != nil && journal != nil { // the pages of the run stay those of its list
		run, found, err := journal.Run(s.name)
		if err != nil {
			return err
		}
		if found {
			since = run.Started
		}
	}
	s.pages = newKnownPages(pages, s.reask(since))
	if s.people != nil {
		s.pages.used = s.usedBy
	}
	return nil
}

func (s *session) walk() (Progress, error) {
	return Walk(s.pages, s.Order.Most, s.Order.roots())
}

func (s *session) run(ctx context.Context, approver Approver) (*Ended, error) {
	if !s.Yes && !approver.CanAsk() {
		return nil, problem.Unapproved("search_cannot_ask", "a search asks before it spends, and this is not a terminal; nothing was sent")
	}
	if s.people == nil {
		if err := output.CheckNew(s.request(), s.schema()); err != nil {
			return nil, problem.AsUsage(err)
		}
	}
	if s.place.Options.Journal.Shared != "" {
		return nil, problem.Coded("not_shared", "searches do not work with a shared journal yet; nothing was changed")
	}
	if err := s.place.OpenJournal(ctx, "search "+s.name); err != nil {
		return nil, err
	}
	at, err := s.place.Endpoint(s.service)
	if err != nil {
		return nil, err
	}
	client, err := v2.NewClient(s.provider.Config(at))
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	defer client.Close()
	read := func() (err error) {
		if s.account, err = client.Status(ctx); err != nil {
			return problem.AsRefused(ctx, err)
		}
		return nil
	}
	if err := s.place.CheckKey(s.service, read); err != nil {
		return nil, err
	}
	if err := read(); err != nil {
		return nil, err
	}
	journal, err := s.place.Register(s.service, func() error { return nil }) // the status was read
	if err != nil {
		return nil, err
	}
	if err := s.use(journal); err != nil {
		return nil, err
	}
	if err := s.settle(ctx, client.StatusClient); err != nil {
		return nil, err
	}
	progress, err := s.walk()
	if err != nil {
		return nil, err
	}
	if err := s.ask(ctx, s.plan(progress), approver); err != nil {
		return nil, err
	}
	return s.toEnd(ctx, client)
}

// settle settles what an earlier start left in doubt, and makes the account's counters the base of what
// follows. Nothing is in flight.
func (s *session) settle(ctx context.Context, status *v2.StatusClient) error {
	if !s.journal.AwaitsAccount() {
		return s.journal.Rebase(s.account)
	}
	reconciler := s.reconciler(status)
	if pending := reconciler.Pending(); pending > 0 {
		s.note(fmt.Sprintf("an earlier start left %s in doubt: waiting for the account to settle, to see what was counted", report.Counted(pending, "call")))
	}
	reconciled, err := reconciler.Reconcile(ctx)
	var refused interface{ Refused() bool }
	switch {
	case errors.As(err, &refused):
		return problem.AsRefused(ctx, err)
	case err != nil:
		return err
	}
	if reconciled.Why != "" {
		s.note("calls stay in doubt: " + reconciled.Why)
	}
	return nil
}

// ask shows the plan, and asks before anything is sent.
func (s *session) ask(ctx context.Context, plan *Plan, approver Approver) error {
	if err := approver.Show(plan); err != nil || plan.Needed == 0 || s.Yes {
		return err
	}
	s.asked.Since = s.work.Env.Now()
	if confirmed := approver.Confirm(ctx, plan); ctx.Err() != nil {
		return ctx.Err()
	} else if !confirmed {
		return problem.Unapproved("", "not confirmed; nothing was sent")
	}
	s.asked.Approved = s.work.Env.Now()
	return nil
}

// toEnd asks for pages until none is needed, and writes the list. From here on the search is on record, and its
// list is written however it ends.
func (s *session) toEnd(ctx context.Context, client *v2.Client) (*Ended, error) {
	record, err := s.record()
	if err != nil {
		return nil, err
	}
	if err := s.journal.SaveRun(record); err != nil {
		return nil, err
	}
	noted := context.AfterFunc(ctx, func() {
		s.note(s.interruptedText())
	})
	defer noted()
	progress, tally, stop, err := s.rounds(ctx, client)
	if err != nil {
		return nil, err
	}
	if s.people != nil {
		s.people.progress = progress
		record.Waits = report.AddSentWaits(record.Waits, tally.Waited, record.Restarted, s.work.Env.Now())
		if err := s.journal.SaveRun(record); err != nil { // it has not ended
			return nil, err
		}
		return &Ended{s.summary(progress, tally, stop, nil), stop}, nil
	}
	cells, err := s.cells(context.WithoutCancel(ctx), progress.Items)
	if err != nil {
		return nil, err
	}
	rows := table.NewMemory(s.schema().Columns, cells)
	defer s.work.Observer.Writing()()
	kept, err := output.WriteNew(context.WithoutCancel(ctx), s.request(), rows, output.Protection{
		Journal: s.journal, Run: s.name, Now: s.work.Env.Now(), Most: s.Output.Keep, Rows: int64(len(progress.Items)),
	})
	if err != nil {
		return nil, &output.NotWrittenError{Path: s.Output.Path, Err: err}
	}
	if account, err := client.Status(context.WithoutCancel(ctx)); err == nil {
		s.account = account // as it is now
	}
	record.Ended, record.Waits = s.work.Env.Now(), report.AddSentWaits(record.Waits, tally.Waited, record.Restarted, s.work.Env.Now())
	if stop != nil {
		record.Stop = stop.Word()
	}
	if err := s.journal.SaveRun(record); err != nil {
		return nil, err
	}
	return &Ended{s.summary(progress, tally, stop, kept), stop}, nil
}

// cells returns the rows of the list: the results, each with the cells of its company.
func (s *session) cells(ctx context.Context, items []ResultItem) ([][]string, error) {
	var ofList map[string][]string
	if len(s.Order.List.Columns) > 0 {
		ids := map[string]bool{}
		for _, item := range items {
			ids[item.Company] = true
		}
		var err error
		if ofList, err = s.Order.List.Read(ctx, ids); err != nil {
			return nil, err
		}
	}
	rows := make([][]string, len(items))
	for i, item := range items {
		rows[i] = slices.Concat(item.Cells, ofList[item.Company])
	}
	return rows, nil
}

// rounds asks for the pages that are needed until none is, or until something stops it.
func (s *session) rounds(
	ctx context.Context, client *v2.Client,
) (progress Progress, tally dispatch.Tally, stop dispatch.Stop, err error) {
	for {
		if progress, err = s.walk(); err != nil {
			return progress, tally, stop, err
		}
		if len(progress.Needed) == 0 && stop == nil {
			stop = s.refused(progress)
		}
		if len(progress.Needed) == 0 || stop != nil {
			return progress, tally, stop, nil
		}
		var round dispatch.Tally
		round, stop, err = s.send(ctx, client, progress.Needed)
		if tally = tally.Plus(round); err != nil {
			return progress, tally, stop, err
		}
		switch {
		case stop != nil:
		case round.GivenUp > 0:
			stop = dispatch.ServiceRefused{Code: dispatch.CodeUnavailable, Message: report.Counted(round.GivenUp, "call") + " failed three times"}
		case round.Lookups == 0:
			err := errors.New("the search does not go on: the journal asks for pages that it does not let pass")
			return progress, tally, stop, err
		}
	}
}

// refused is how a search ends whose filters the service refuses.
func (s *session) refused(progress Progress) dispatch.Stop {
	if len(progress.Items) > 0 || len(progress.Gaps) == 0 || int64(len(progress.Gaps)) < progress.Roots {
		return nil
	}
	for _, gap := range progress.Gaps {
		if gap.Why != RejectedPage || gap.Page != 0 {
			return nil
		}
	}
	return dispatch.ServiceRefused{Code: v2.CodeInvalidRequest, Message: cmp.Or(s.refusal.last(), "it refused the filters before")}
}

// send sends calls as the lookups of a run are sent.
func (s *session) send(ctx context.Context, client *v2.Client, needed []v2.Call) (dispatch.Tally, dispatch.Stop, error) {
	rates := rates(s.Order.Kind.Operation, s.provider)
	update, sent := s.work.Observer.Sending(pipeline.Sending{
		Run: s.name, Fields: s.Order.Kind.Name, Lookups: int64(len(needed)), Rate: s.rate(), Money: len(s.provider.Prices) > 0,
	})
	defer sent()
	lookups := &dispatch.Lookups{
		Ledger: s.journal, Finder: s.refusal.hear(v2.Finder{Client: client, Prices: s.provider.Prices}), Now: s.work.Env.Now,
		Report:      func(tally dispatch.Tally) { update(pipeline.SentSoFar{Tally: tally}) },
		Concurrency: s.Pace.Concurrency, Spacing: s.rate().Spacing(), Reconciler: s.reconciler(client.StatusClient),
		Note: s.note, Catalogue: v2.Catalogue(), Tariff: v2.Tariff(s.provider.Modules), Progress: &s.progress,
		Request: attempt.Request{
			Run: s.name, Job: s.Budget.JobOf(s.name), Rates: rates, Ceilings: s.ceilings(), Reask: s.pages.reask,
		},
	}
	if s.Pace.Even {
		lookups.Pacer = rate.NewLimiter(rate.Every(s.rate().Spacing()), 1)
	}
	return lookups.Run(ctx, lookupsOf(needed))
}

// rate returns the limit that the journal keeps.
func (s *session) rate() checkpoint.Rate {
	return s.service.KeptRate()
}

func (s *session) reconciler(status *v2.StatusClient) *dispatch.Reconciler {
	options := s.work.Workspace
	return &dispatch.Reconciler{
		Arbiter: s.journal, Status: status, SettleDelay: options.SettleDelay, Exclusive: options.Exclusive, Now: s.work.Env.Now,
	}
}

func (s *session) note(text string) { s.work.Observer.Note(text) }

// request says how the list is written.
func (s *session) request() output.Request {
	return output.Request{Path: s.Output.Path, Stdout: s.Output.Stdout, Mode: s.work.Env.FileMode, Raw: s.work.Env.Raw}
}

// record returns what the journal is to remember of the search, which keeps the time of its first start.
func (s *session) record() (checkpoint.Run, error) {
	run := checkpoint.Run{
		Name: s.name, Output: s.Output.Path, Fields: "search " + s.Order.Kind.Name, Limit: s.Order.Most,
		Started: s.work.Env.Now(),
	}
	s.Budget.Note(&run)
	s.Budget.NoteAccount(&run, s.journal.Number(), s.provider.Modules.Tariff())
	if run.Output != listfile.Standard {
		var err error
		if run.Output, err = filepath.Abs(run.Output); err != nil {
			return run, err
		}
	}
	run.Restarted = run.Started
	before, found, err := s.journal.Run(s.name)
	if found {
		run.Started = before.Started
	}
	if s.people != nil {
		run = s.people.record(run, before)
	}
	run.Waits = report.WaitsAtStart(before, s.asked, run.Restarted)
	return run, err
}

// used returns what the run has used and holds of the meters of the search.
func (s *session) used() (meters []UsedMeter) {
	for _, meter := range usedMeters(s.Order.Kind.Operation, s.provider.Modules) {
		m := UsedMeter{Module: v2.MeterName(meter)}
		if limit, limited := s.Budget.Units[m.Module]; limited {
			m.Limit = &limit
		}
		totals := s.totals(cost.Ceiling{Scope: checkpoint.RunScope(s.name), Meter: meter})
		m.Used, m.Held = totals.Settled[meter], totals.Held[meter]
		if left := s.account.Left[meter]; left.Known {
			m.AccountLeft = &left.Value
		}
		meters = append(meters, m)
	}
	return meters
}
