package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/scan"
)

// job is one list with what is wanted of it: what plan, run and write share.
type job struct {
	RunSteps
	readList
	pace    Pace
	output  Output // its Path is "" where nothing is written
	profile bool   // answers have the person's profile

	watched map[*checkpoint.Journal]*scan.CostWatcher // of journals of which somebody asks what the list has cost

	choosing choosing             // among the results of searches
	only     func(row int64) bool // the rows that are asked for now; nil for all
	approval report.ApprovalAsked // of the spend
	ahead    ahead                // of this start
	enough   report.Enough        // limits for all that this start found to send
}

// newJob returns a job without its list.
func (s *session) newJob(o RunOptions) *job {
	j := &job{
		RunSteps: RunSteps{session: s, Name: o.List.Run, Budget: o.Budget}, readList: readList{order: o.List}, pace: o.Pace, output: o.Output,
		choosing: choosing{Selected: o.List.Selected}, profile: s.work.Workspace.Profile,
	}
	if !o.Unapproved.IsZero() {
		j.approval = report.ApprovalAsked{Since: o.Unapproved, Approved: s.now()}
	}
	return j
}

// prepare opens the list and finds its columns. Nothing is written or sent.
func (s *session) prepare(o RunOptions) (*job, error) {
	o.List.Fields = s.work.fieldsOf(o)
	j, order := s.newJob(o), o.List
	list, err := order.open()
	if err != nil {
		return nil, err
	}
	s.lists, j.list = append(s.lists, list), list
	if j.asked, err = s.work.Workspace.Interfaces().Of(provider.Wanted{Fields: order.Fields, From: order.From}); err != nil {
		return nil, provider.AsUnasked(err)
	}
	if err := j.checkFigures(); err != nil {
		return nil, err
	}
	if err := j.readColumns(); err != nil {
		return nil, err
	}
	if j.Name == "" {
		if j.Name, err = runNameOf(list, slices.Concat(order.Fields, order.From)); err != nil {
			return nil, err
		}
	}
	if err := j.addSteps(); err != nil {
		return nil, problem.Usagef("%s: %w", strings.Join(order.Names, " "), err)
	}
	if s.work.Workspace.Prices.Card != "" {
		if err := j.choosePrices(); err != nil { // for what is wrong in it
			return nil, err
		}
	}
	if order.Priority != "" && order.CompleteFirst {
		return nil, problem.Usagef("rows are looked up either in the order of %s or so that most are complete; choose one of them", order.Priority)
	}
	if order.Priority != "" {
		priority, err := scan.ParsePriority(j.Schema, order.Priority)
		if err != nil {
			return nil, problem.Usagef("%s: the priority %s: %w", strings.Join(order.Names, " "), order.Priority, err)
		}
		for _, s := range j.Steps {
			s.Scope.Priority = priority
		}
	}
	return j, nil
}

// open lets the accounts use the journal and their services.
func (j *job) open(ctx context.Context, use provider.Use) error {
	for _, account := range j.Accounts {
		account.Strict = j.Budget.Strict
		if err := account.Open(ctx, use); err != nil {
			return err
		}
		j.accounts = append(j.accounts, account)
	}
	return nil
}

// choosePrices chooses the prices of all accounts without their services.
func (j *job) choosePrices() error {
	for _, account := range j.Accounts {
		if err := account.ChoosePrices(); err != nil {
			return err
		}
	}
	return nil
}

// record returns what the journal is to remember of the run, which keeps the time
// of its first start. A comparison has no output, and may have no list.
func (j *job) record() (checkpoint.Run, error) {
	outputPath, err := output.AbsolutePath(j.output.Path)
	if err != nil {
		return checkpoint.Run{}, err
	}
	run := checkpoint.Run{Name: j.Name, Output: outputPath, Profile: j.profile, Started: j.now()}
	run.Restarted = run.Started
	j.Budget.Note(&run)
	for _, account := range j.Accounts {
		if account.Journal != nil {
			j.Budget.NoteAccount(&run, account.Journal.Number(), account.Tariff)
		}
	}
	asked := j.order
	asked.Mapping = j.mapping
	if err := asked.note(&run, j.list, j.recorded()); err != nil {
		return run, err
	}
	earlier, found, err := j.journal().Run(j.Name)
	if found {
		run.Started = earlier.Started
	}
	run.Users = earlier.Users
	if user := j.work.Env.User; user != "" && !slices.Contains(run.Users, user) {
		run.Users = append(slices.Clone(run.Users), user)
	}
	run.Waits = report.WaitsAtStart(earlier, j.approval, run.Restarted)
	return run, err
}

// lookUp sends the lookups of the scans and returns why it stopped. What an earlier
// start left in doubt may turn out not to have been charged meanwhile: then the list
// is scanned again and what is missing is sent too.
func (j *job) lookUp(ctx context.Context, update func(SentSoFar)) (dispatch.Stop, error) {
	leftovers := 0
	for _, account := range j.Accounts {
		if account.Journal != nil {
			leftovers += account.Reconciler().Pending()
		}
	}
	for known := int64(0); ; {
		stop, err := j.lookUpRows(ctx, update)
		// Lookups that were not sent, because answers showed other identities of their companies, may leave rows with the
		// same website or name that those answers do not fit.
		again := leftovers > 0 || j.Tally().AlreadyKnown > known
		leftovers, known = 0, j.Tally().AlreadyKnown
		if !again || stop != nil || err != nil {
			return stop, err
		}
		switch err := j.take(ctx); {
		case ctx.Err() != nil:
			for _, s := range j.Steps {
				s.Stop = dispatch.StopOf(ctx)
			}
			return dispatch.StopOf(ctx), nil
		case err != nil || j.Lookups() == 0:
			return nil, err
		}
		j.lookAheadNow()
	}
}

// lookAheadNow estimates what this start will send from now on.
func (j *job) lookAheadNow() {
	now := j.now()
	j.ahead = j.lookAhead(now, j.viewCeilings(now, j.Paid().Forecast()))
}

// lookUpOnce sends the lookups of one scan of each step.
func (j *job) lookUpOnce(ctx context.Context, update func(SentSoFar)) (dispatch.Stop, error) {
	scanned := func() {}
	stops, err := j.run().Run(ctx, j.list, j.Steps[0].Scan, func(
		ctx context.Context, i int, found *scan.Scan, rows scan.List,
	) (sent output.Sent, err error) {
		scanned()
		scanned = func() {}
		s := j.Steps[i]
		if refused := j.foreseen(s.Account); refused != nil || s.Account.Journal == nil {
			return output.Sent{Stop: refused}, nil // without a journal nothing is asked of the account
		}
		j.keep(found)
		next, done := found.Lookups(ctx, rows)
		defer done()
		before, earlier := j.Tally(), report.FoundNow(j.stepsDone()).Fields
		lookups := j.dispatched(s, func(now dispatch.Tally) {
			found := report.JoinFound(earlier, report.FieldsFound(s.Account.Catalogue, now.Asked, now.Returned))
			sum := before.Plus(now)
			update(SentSoFar{Tally: sum, Step: i, Found: found, Ahead: j.ahead.legs(i, now, sum.Spent)})
		})
		lookups.Limited = func(refuses dispatch.Refuses) { sent.Refuses = refuses }
		var tally dispatch.Tally
		tally, sent.Stop, err = lookups.Run(ctx, next)
		s.Tally = s.Tally.Plus(tally)
		if i+1 < len(j.Steps) {
			scanned = j.work.Observer.Scanning()
		}
		return sent, err
	})
	scanned()
	for i, s := range j.Steps {
		s.Stop = stops[i]
		if s.Stop == nil && s.Tally.GivenUp > 0 {
			s.Stop = someGivenUp(s.Tally)
		}
	}
	stop := stops.FirstStop()
	if tally := j.Tally(); stop == nil && err == nil && tally.GivenUp > 0 {
		stop = someGivenUp(tally)
	}
	return stop, err
}

// foreseen says why the service would refuse the lookups of an account now; nil when nothing is known
// against them.
func (j *job) foreseen(account *provider.Account) dispatch.Stop {
	if !account.Read {
		return nil
	}
	return account.Foreseen(j.Budget.Expendable)
}

// dispatched says how the lookups of a step are sent.
func (j *job) dispatched(s *RunStep, update func(dispatch.Tally)) *dispatch.Lookups {
	s.NotSent = nil // the list may be scanned again
	lookups := &dispatch.Lookups{
		Ledger: s.Account.Journal, Finder: s.Account.Finder, Now: j.place.Now, Report: update,
		Concurrency: j.pace.Concurrency, Spacing: s.Account.Rate.Spacing(), LongestPause: j.pace.LongestPause,
		Reconciler: s.Account.Reconciler(), Note: j.note, Expendable: j.Budget.Expendable, Whole: s.Scope.Whole, Catalogue: s.Account.Catalogue,
		Tariff: s.Account.Tariff, Request: j.Request(s.Account), Progress: &s.Account.Progress,
		NotSent: func(why dispatch.Stop, lookups int64) {
			s.NotSent = append(s.NotSent, StepNotSent{Why: why, Lookups: lookups})
		},
	}
	lookups.Request.Reask = s.Scope.Reask
	if known := j.knownCompanies(s); known != nil {
		lookups.Known = func(lookup enrich.Lookup) (bool, error) {
			as, err := known.As(lookup.Identity, s.Account.Journal.Key(lookup.Identity), func(row *enrich.Described) { *row = *lookup.Row })
			return as != lookup.Identity, err
		}
	}
	if j.pace.Even {
		lookups.Pacer = rate.NewLimiter(rate.Every(s.Account.Rate.Spacing()), 1) // spread evenly over the window
	}
	return lookups
}

// someGivenUp is how a run ends that has sent all lookups and has given some up.
func someGivenUp(tally dispatch.Tally) dispatch.Stop {
	return dispatch.ServiceRefused{Code: dispatch.CodeUnavailable, Message: report.Lookups(tally.GivenUp) + " failed three times"}
}

// warnOfDelay warns when an account may be compared before the service has ended a lost call.
func (s *session) warnOfDelay() {
	var longest time.Duration
	for _, of := range s.work.Workspace.Used() {
		longest = max(longest, of.Timeout)
	}
	if delay := s.work.Workspace.SettleDelay; delay < longest {
		s.note(fmt.Sprintf("the settle delay of %s is shorter than the time-out of %s: a lost lookup that the service still processes can be paid twice",
			delay, longest))
	}
}
