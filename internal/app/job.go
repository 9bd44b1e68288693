package app

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"time"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/interfaces"
	"payonce/internal/listcost"
	"payonce/internal/pricing"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/internal/userlist"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/row"
	"payonce/pipeline/steps"
	"payonce/pipeline/survey"
	"payonce/service/v1"
)

// job is one list with what is wanted of it: what plan, run and write share.
type job struct {
	session *session
	of      interfaces.Interface // that is asked
	order   List
	budget  Budget
	pace    Pace
	output  Output

	name      string
	mapFile   string // that says how the columns are read; "" for none
	list      *userlist.File
	schema    table.Schema
	reading   *columns.Reading
	scope     row.Scope
	prices    pricing.Choice // what the wanted fields cost
	survey    *survey.Survey
	watched   *listcost.Watcher // of the journal; nil when nobody asks what the list has cost
	counts    survey.Counts
	account   cost.Account
	published pricing.Publications // nothing when the service was not asked
	// asked says whether the account's status was read; without it the account
	// sets no ceilings.
	asked bool
	// approved is what the run may come to by what was agreed to; nil without that.
	approved *cost.Money
}

// prepare opens the list and finds its columns. Nothing is written or sent.
func (s *session) prepare(order List) (*job, error) {
	list, err := userlist.Open(userlist.Options{
		Names: order.Names, Stdin: order.Stdin, Encoding: order.Encoding, Delimiter: order.Delimiter, Sheet: order.Sheet, HeaderRow: order.HeaderRow, TempDir: order.TempDir,
	})
	if err != nil {
		return nil, err
	}
	s.lists = append(s.lists, list)
	j := &job{session: s, of: s.asked(), order: order, list: list, name: order.Run}
	if err := j.readColumns(order); err != nil {
		return nil, err
	}
	if j.name == "" {
		if j.name, err = runName(list, order.Fields); err != nil {
			return nil, err
		}
	}
	j.scope = row.Scope{
		Catalogue: j.of.Catalogue,
		Mapping:   j.reading.Mapping, Held: order.Held, Wanted: order.Fields, Prefer: order.Prefer, Reask: order.Reask, Limit: order.Limit,
		Memory: order.Memory, TempDir: order.TempDir,
	}
	if s.work.Workspace.Prices.Card != "" {
		if err := j.choosePrices(); err != nil { // for what is wrong in it
			return nil, err
		}
	}
	if order.Priority != "" {
		if j.scope.Priority, err = row.ParsePriority(j.schema, order.Priority); err != nil {
			return nil, problem.Usagef("%s: the priority %s: %w", strings.Join(order.Names, " "), order.Priority, err)
		}
	}
	return j, j.readForgotten()
}

// readForgotten reads who is never looked up.
func (j *job) readForgotten() (err error) {
	if journal := j.session.journal(); journal != nil {
		j.scope.Forgotten, err = journal.Forgotten()
	}
	return err
}

// take surveys the whole list.
func (j *job) take(ctx context.Context) (err error) {
	defer j.session.work.Observer.Surveying()()
	if err := j.readForgotten(); err != nil {
		return err
	}
	j.survey, err = survey.Take(ctx, j.scope, j.list, j.recorder())
	if err != nil {
		return err
	}
	j.counts = j.survey.Count()
	return nil
}

// recorder returns the journal, or one that knows nothing when there is none yet.
func (j *job) recorder() survey.Recorder {
	journal := j.session.journal()
	switch {
	case journal == nil:
		return blankRecorder{key: checkpoint.AnonymousKey()}
	case j.watched != nil:
		return j.watched
	}
	return journal
}

// blankRecorder is the journal of a workspace that has none.
type blankRecorder struct {
	key func(canonical []byte) enrich.Key
}

func (b blankRecorder) KeyOf(canonical []byte) enrich.Key { return b.key(canonical) }

func (blankRecorder) People() int64 { return 0 }

func (blankRecorder) Records(enrich.Key, enrich.Key, func(enrich.Key, func() (attempt.Record, error)) error) error {
	return nil
}

func (blankRecorder) RecordOf(enrich.Key) (attempt.Record, error) { return attempt.Record{}, nil }

// readAccount reads the account status and what the service publishes, and chooses the
// prices. When nothing is to be looked up, a service that cannot be reached is no
// reason to fail.
func (j *job) readAccount(ctx context.Context, client *v1.StatusClient) error {
	account, err := client.Status(ctx)
	switch {
	case err != nil && j.counts.Lookup == 0 && ctx.Err() == nil:
		return j.choosePrices()
	case err != nil:
		return problem.AsRefused(ctx, err)
	}
	return j.useAccount(ctx, client, account)
}

// useAccount takes the account status, reads what the service publishes and chooses the
// prices.
func (j *job) useAccount(ctx context.Context, client *v1.StatusClient, account cost.Account) (err error) {
	j.account, j.asked = account, true
	service := j.session.work.Workspace.Service
	check := func(p pricing.Publication) error { return p.CheckNames(service.Names, service.Transport, j.sent()) }
	if j.published, err = pricing.ReadPublications(ctx, client, service.Transport, check, func(err error) {
		j.session.note(j.session.work.Explain(err) + "; the plan goes on without it")
	}); err != nil {
		return err
	}
	return j.choosePrices()
}

// choosePrices takes the price of every wanted field from the first source that tells
// it, and refuses where another one shows that holds would be too small.
func (j *job) choosePrices() (err error) {
	j.prices, err = pricing.Choose(j.session.work.Workspace.Prices, j.scope.Wanted, j.published, j.account)
	if err != nil || !j.asked {
		return err
	}
	return j.prices.Check(j.account, j.scope.Wanted)
}

// sent returns the lookups as they are sent, by operation.
func (j *job) sent() cost.Workload {
	return pricing.Sent(j.counts.Lookups, j.session.work.Workspace.Service.Profile)
}

// foreseen says why the service would refuse the lookups now, as far as the account
// and what is published tell; nil when nothing is known against them.
func (j *job) foreseen() dispatch.Stop {
	if stop := dispatch.Precheck(j.account, j.counts.Lookups, j.budget.Expendable, j.service()); stop != nil {
		return stop
	}
	return j.published.Unavailable(j.account, j.sent())
}

// service returns what checks of an account need to know of its interface.
func (j *job) service() dispatch.Service {
	return dispatch.Service{Catalogue: j.of.Catalogue, WantsMoney: j.of.WantsMoney}
}

// freeLeft returns the free allowance that the plan counts on.
func (j *job) freeLeft() cost.Allowances {
	if j.budget.Strict {
		return cost.Allowances{}
	}
	return j.account.FreeLeft()
}

// record returns what the journal is to remember of the run, which keeps the time
// of its first start. A comparison has no output, and may have no list.
func (j *job) record() (checkpoint.Run, error) {
	output := j.output.Path
	if output != "" && output != listfile.Standard {
		var err error
		if output, err = filepath.Abs(output); err != nil {
			return checkpoint.Run{}, err
		}
	}
	run := checkpoint.Run{
		Name: j.name, Output: output, Encoding: j.order.Encoding, Sheet: j.order.Sheet, Fields: report.FieldNames(j.order.Fields),
		Map: j.order.Mapping, Prefer: j.order.Prefer.String(), Limit: j.order.Limit, Profile: j.session.work.Workspace.Service.Profile,
		Priority: j.order.Priority, Job: j.jobName(), MaxSpend: *j.budget.MaxSpend,
		Ceilings: j.budget.Ceilings(j.name, j.jobName()), Started: j.session.now(),
	}
	run.Restarted = run.Started
	if j.list != nil {
		recordList(&run, j.list)
		recorded := j.recorded()
		run.Columns, run.Header = recorded.Columns, recorded.Header
		run.HeaderRow, run.Delimiter = j.order.HeaderRow, j.order.Delimiter
		run.Held, run.CopyHeld = j.order.Held.String(), j.order.CopyHeld
	}
	earlier, found, err := j.session.journal().Run(j.name)
	if found {
		run.Started = earlier.Started
	}
	return run, err
}

// steps returns the steps of the run, which stopped like this. A run asks one account so far.
func (j *job) steps(stop dispatch.Stop) steps.Steps {
	stopped := ""
	if stop != nil {
		stopped = stop.Word()
	}
	return j.session.stepsOf(output.Output{
		Scope: j.scope, Run: j.name, Stopped: stopped, Optional: j.session.work.Workspace.Service.Profile,
		Names: j.schema.Columns, CopyHeld: j.order.CopyHeld,
	})
}

// stepsOf returns the steps of a run whose output is made like this.
func (s *session) stepsOf(made output.Output) steps.Steps {
	made.Decoder = s.asked().NewDecoder()
	return steps.Steps{{Output: made, Name: made.Scope.Catalogue.Interface, Account: s.journal()}}
}

// lookUp sends the lookups of the survey and returns why it stopped. What an earlier
// start left in doubt may turn out not to have been charged meanwhile: then the list
// is surveyed again and what is missing is sent too.
func (j *job) lookUp(ctx context.Context, client *v1.Client, update func(dispatch.Tally)) (dispatch.Tally, dispatch.Stop, error) {
	leftovers := j.session.reconciler(client.StatusClient).Pending() > 0
	tally, stop, err := j.lookUpOnce(ctx, client, update)
	if !leftovers || stop != nil || err != nil {
		return tally, stop, err
	}
	switch err := j.take(ctx); {
	case ctx.Err() != nil:
		return tally, dispatch.StopOf(ctx), nil
	case err != nil || j.counts.Lookup == 0:
		return tally, nil, err
	}
	more, stop, err := j.lookUpOnce(ctx, client, update)
	return tally.Plus(more), stop, err
}

// lookUpOnce sends the lookups of one survey.
func (j *job) lookUpOnce(ctx context.Context, client *v1.Client, update func(dispatch.Tally)) (dispatch.Tally, dispatch.Stop, error) {
	var tally dispatch.Tally
	stop, err := j.steps(nil).Run(ctx, j.list, j.survey, func(
		ctx context.Context, _ int, found *survey.Survey, rows row.List,
	) (stop dispatch.Stop, err error) {
		next, done := found.Lookups(ctx, rows)
		defer done()
		tally, stop, err = j.lookups(client, update).Run(ctx, next)
		return stop, err
	})
	if stop == nil && err == nil && tally.GivenUp > 0 {
		stop = someGivenUp(tally)
	}
	return tally, stop, err
}

// lookups says how the lookups of a survey are sent.
func (j *job) lookups(client *v1.Client, update func(dispatch.Tally)) *dispatch.Lookups {
	lookups := &dispatch.Lookups{
		Ledger: j.session.journal(), Finder: client, Now: j.session.work.Env.Now, Report: update,
		Concurrency: j.pace.Concurrency, Spacing: j.rate().Spacing(), LongestPause: j.pace.LongestPause,
		Reconciler: j.session.reconciler(client.StatusClient), Note: j.session.note, Expendable: j.budget.Expendable, Catalogue: j.of.Catalogue,
		Request: j.request(),
	}
	lookups.Request.Reask = j.scope.Reask
	if j.pace.Even {
		lookups.Pacer = newPacer(j.rate())
	}
	return lookups
}

// someGivenUp is how a run ends that has sent all lookups and has given some up.
func someGivenUp(tally dispatch.Tally) dispatch.Stop {
	return dispatch.ServiceRefused{Code: dispatch.CodeUnavailable, Message: report.Lookups(tally.GivenUp) + " failed three times"}
}

// request returns what every lookup of the run asks the journal for.
func (j *job) request() attempt.Request {
	return attempt.Request{
		Run: j.name, Job: j.jobName(), Rates: j.of.Tariff.At(j.prices.Quote.Prices), Ceilings: j.runCeilings(), Strict: j.budget.Strict,
	}
}

// rate returns the limit that the journal keeps.
func (j *job) rate() checkpoint.Rate { return j.session.work.Workspace.Journal.Rate }

// duration returns the least time that the planned lookups take.
func (j *job) duration() time.Duration {
	return cost.Duration(j.counts.Lookup, j.rate().Slots, j.rate().Window)
}

// jobName returns the job that the run belongs to: one with the run's name when none
// was given.
func (j *job) jobName() string { return cmp.Or(j.budget.Job, j.name) }
