package search

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/paidcalls"
	"payonce/pipeline/problem"
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
	paidcalls.Session
	name  string
	pages *knownPages
	// refusal is what the service said when it refused a page.
	refusal  *refusals
	progress dispatch.AccountProgress // of all rounds
	people   *peopleSearch            // the run that goes on with what is found; nil for a search alone
}

func newSession(w *pipeline.Work, place *workspace.Session, o Options, people *peopleSearch) (*session, error) {
	s := &session{people: people, Options: o, name: cmp.Or(o.Run, o.Order.runName()), refusal: &refusals{}}
	if err := o.Order.check(); err != nil {
		return nil, problem.AsUsage(err)
	}
	var err error
	if s.Session, err = paidcalls.New(w, place, "searches"); err != nil {
		return nil, err
	}
	if people == nil || o.Output.Path != "" { // a run has all its limits
		if err := s.CheckUnits(o.Budget, o.Order.Kind.Operation); err != nil {
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
	s.Journal = journal
	var pages Pages
	if journal != nil {
		pages = journal
	}
	since := s.Work.Env.Now()
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
	if s.people != nil && journal != nil {
		s.pages.used, s.people.account = s.usedBy, journal.Number()
	}
	return nil
}

func (s *session) walk() (Progress, error) {
	return Walk(s.pages, s.Order.Most, s.Order.roots())
}

func (s *session) run(ctx context.Context, approver Approver) (*Ended, error) {
	if err := paidcalls.MayAsk(s.Yes, approver.CanAsk()); err != nil {
		return nil, err
	}
	if s.people == nil {
		if err := output.CheckNew(s.request(), s.schema()); err != nil {
			return nil, problem.AsUsage(err)
		}
	}
	var client *v2.Client
	connect := func(config v2.Config) (_ *v2.StatusClient, err error) {
		if client, err = v2.NewClient(config); err != nil {
			return nil, err
		}
		return client.StatusClient, nil
	}
	err := s.Own(ctx, "search "+s.name, connect)
	if client != nil {
		defer client.Close()
	}
	if err != nil {
		return nil, err
	}
	if err := s.use(s.Journal); err != nil {
		return nil, err
	}
	if err := s.Settle(ctx, client.StatusClient); err != nil {
		return nil, err
	}
	progress, err := s.walk()
	if err != nil {
		return nil, err
	}
	plan := s.plan(progress)
	if err := approver.Show(plan); err != nil {
		return nil, err
	}
	if err := s.Agree(ctx, plan.Needed, s.Yes, func() bool { return approver.Confirm(ctx, plan) }); err != nil {
		return nil, err
	}
	return s.toEnd(ctx, client)
}

// toEnd asks for pages until none is needed, and writes the list. From here on the search is on record, and its
// list is written however it ends.
func (s *session) toEnd(ctx context.Context, client *v2.Client) (*Ended, error) {
	record, err := s.record()
	if err != nil {
		return nil, err
	}
	if err := s.Journal.SaveRun(record); err != nil {
		return nil, err
	}
	noted := context.AfterFunc(ctx, func() {
		s.Note("%s", s.interruptedText())
	})
	defer noted()
	progress, tally, stop, err := s.rounds(ctx, client)
	if err != nil {
		return nil, err
	}
	if s.people != nil {
		s.pages.reask.Forfeited = false // the rows follow from the pages, not from the flags of this start
		if progress, err = s.walk(); err != nil {
			return nil, err
		}
		s.people.progress = progress
		record.Waits = report.AddSentWaits(record.Waits, tally.Waited, record.Restarted, s.Work.Env.Now())
		if err := s.Journal.SaveRun(record); err != nil { // it has not ended
			return nil, err
		}
		return &Ended{s.summary(progress, tally, stop, nil), stop}, nil
	}
	cells, err := s.cells(context.WithoutCancel(ctx), progress.Items)
	if err != nil {
		return nil, err
	}
	rows := table.NewMemory(s.schema().Columns, cells)
	defer s.Work.Observer.Writing()()
	kept, err := output.WriteNew(context.WithoutCancel(ctx), s.request(), rows, output.Protection{
		Journal: s.Journal, Run: s.name, Now: s.Work.Env.Now(), Most: s.Output.Keep, Rows: int64(len(progress.Items)),
	})
	if err != nil {
		return nil, &output.NotWrittenError{Path: s.Output.Path, Err: err}
	}
	if account, err := client.Status(context.WithoutCancel(ctx)); err == nil {
		s.Account = account // as it is now
	}
	record.Ended, record.Waits = s.Work.Env.Now(), report.AddSentWaits(record.Waits, tally.Waited, record.Restarted, s.Work.Env.Now())
	if stop != nil {
		record.Stop = stop.Word()
	}
	if err := s.Journal.SaveRun(record); err != nil {
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
	return s.Send(ctx, client.StatusClient, paidcalls.Calls{
		Run: s.name, About: s.Order.Kind.Name, Budget: s.Budget, Pace: s.Pace, Rates: rates(s.Order.Kind.Operation, s.Provider),
		Finder: s.refusal.hear(v2.Finder{Client: client, Prices: s.Provider.Prices}), Reask: s.pages.reask, Progress: &s.progress,
		Number: int64(len(needed)), Next: lookupsOf(needed),
	})
}

// request says how the list is written.
func (s *session) request() output.Request {
	return output.Request{
		Path: s.Output.Path, Stdout: s.Output.Stdout, Mode: s.Work.Env.FileMode, Raw: s.Work.Env.Raw,
		Kinds: append(ListKinds(s.Order.Kind.Operation), make([]enrich.CellKind, len(s.Order.List.Columns))...), // texts
	}
}

// record returns what the journal is to remember of the search, which keeps the time of its first start.
func (s *session) record() (checkpoint.Run, error) {
	run := checkpoint.Run{
		Name: s.name, Output: s.Output.Path, Fields: "search " + s.Order.Kind.Name, Limit: s.Order.Most,
		Started: s.Work.Env.Now(),
	}
	s.Budget.Note(&run)
	s.Budget.NoteAccount(&run, s.Journal.Number(), s.Provider.Modules.Tariff())
	if run.Output != listfile.Standard {
		var err error
		if run.Output, err = filepath.Abs(run.Output); err != nil {
			return run, err
		}
	}
	run.Restarted = run.Started
	before, found, err := s.Journal.Run(s.name)
	if found {
		run.Started = before.Started
	}
	if err == nil && s.people != nil {
		run, err = s.people.record(run, before)
	}
	run.Waits = report.WaitsAtStart(before, s.Asked, run.Restarted)
	return run, err
}

// used returns what the run has used and holds of the meters of the search.
func (s *session) used() (meters []UsedMeter) {
	for _, meter := range s.MetersOf(s.Order.Kind.Operation) {
		m := UsedMeter{Module: v2.MeterName(meter)}
		if limit, limited := s.Budget.Units[m.Module]; limited {
			m.Limit = &limit
		}
		totals := s.totals(cost.Ceiling{Scope: checkpoint.RunScope(s.name), Meter: meter})
		m.Used, m.Held = totals.Settled[meter], totals.Held[meter]
		if left := s.Account.Left[meter]; left.Known {
			m.AccountLeft = &left.Value
		}
		meters = append(meters, m)
	}
	return meters
}
