package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/service"
)

// job is one list with what is wanted of it: what plan, run and write share.
type job struct {
	*session
	name    string
	list    *listFile
	schema  table.Schema
	scope   pipeline.Scope
	card    cost.RateCard
	option  cost.Option
	survey  *pipeline.Survey
	counts  pipeline.Counts
	account cost.Account
	// asked says whether the account's status was read; without it the account
	// sets no ceilings.
	asked bool
}

// prepareJob opens the list and finds its columns. Nothing is written or sent.
func prepareJob(ctx context.Context, s *session, path string) (*job, error) {
	list, err := openList(ctx, path)
	if err != nil {
		return nil, err
	}
	j := &job{session: s, list: list, name: s.name}
	if j.card, j.option, err = s.option(); err != nil {
		return nil, err
	}
	if j.schema, err = list.schema(); err != nil {
		return nil, err
	}
	mapping, err := pipeline.MapColumns(j.schema, s.mapping)
	if err != nil {
		return nil, usagef("%s: %w", path, err)
	}
	if !mapping.CanIdentify() {
		return nil, usagef("%s: no columns that identify a person: a profile URL, or first name, last name and company domain or name; "+
			"name them with --map, such as --map profile_url=COLUMN", path)
	}
	if j.name == "" {
		j.name = runName(list.path, enrich.Fields(s.fields))
	}
	j.scope = pipeline.Scope{
		Mapping: mapping, Wanted: enrich.Fields(s.fields), Prefer: s.preference(),
		Reask: attempt.Reask{Before: s.reaskMissing.before(s.env.now()), Forfeited: s.rebuy}, Limit: s.limit,
	}
	return j, nil
}

// take surveys the whole list.
func (j *job) take() (err error) {
	j.survey, err = j.scope.Take(j.list, j.recorder())
	if err != nil {
		return err
	}
	j.counts = j.survey.Count()
	return nil
}

// recorder returns the journal, or one that knows nothing when there is none yet.
func (j *job) recorder() pipeline.Recorder {
	if j.journal != nil {
		return j.journal
	}
	return blankRecorder{key: checkpoint.AnonymousKey()}
}

// blankRecorder is the journal of a workspace that has none.
type blankRecorder struct {
	key func(enrich.Identity) enrich.Key
}

func (b blankRecorder) Key(id enrich.Identity) enrich.Key { return b.key(id) }

func (blankRecorder) Record(enrich.Identity) (attempt.Record, error) { return attempt.Record{}, nil }

// readAccount reads the account status. When nothing is to be looked up, a
// service that cannot be reached is no reason to fail.
func (j *job) readAccount(ctx context.Context, client *service.StatusClient) error {
	account, err := client.Status(ctx)
	if err != nil {
		if j.counts.Lookup == 0 && ctx.Err() == nil {
			return nil
		}
		return asService(ctx, err)
	}
	j.account, j.asked = account, true
	return pricesFit(account, j.option.Prices, j.scope.Wanted)
}

func pricesFit(account cost.Account, prices cost.Prices, wanted enrich.Fields) error {
	return asUsage(pipeline.CheckPrices(account, prices, wanted))
}

// runCeilings returns the ceilings that the user set.
func (j *job) runCeilings() []cost.Ceiling {
	if j.maxSpend.amount == nil {
		return nil
	}
	return []cost.Ceiling{{Name: "max-spend", Scope: checkpoint.RunScope(j.name), Limit: *j.maxSpend.amount}}
}

// ceilings returns every ceiling of the run, those of the account too.
func (j *job) ceilings() []cost.Ceiling {
	ceilings := j.runCeilings()
	return append(ceilings, j.account.Ceilings(checkpoint.ScopeAccount)...)
}

// totals returns the sums of a scope; zero where there is no journal yet.
func (j *job) totals(scope string) cost.Totals {
	if j.journal == nil {
		return cost.Totals{}
	}
	return j.journal.Totals(scope)
}

// planTotals returns the sums of a scope as they will be once the account's
// snapshot is its new base: then only lookups in doubt hold something.
func (j *job) planTotals(scope string) cost.Totals {
	if scope != checkpoint.ScopeAccount || j.journal == nil {
		return j.totals(scope)
	}
	_, held := j.journal.InDoubt("")
	return cost.Totals{Held: held}
}

// freeLeft returns the free allowance that the plan counts on.
func (j *job) freeLeft() cost.Allowances {
	if j.strict {
		return cost.Allowances{}
	}
	return j.account.FreeLeft()
}

// record returns what the journal is to remember of the run, which keeps the time
// of its first start.
func (j *job) record() (checkpoint.Run, error) {
	output, err := filepath.Abs(j.output)
	if err != nil {
		return checkpoint.Run{}, err
	}
	run := checkpoint.Run{
		Name: j.name, List: j.list.path, Output: output, Fields: j.fields.String(), Map: j.mapping, Prefer: j.prefer.value,
		Limit: j.limit, MaxSpend: *j.maxSpend.amount, Started: j.env.now(),
	}
	earlier, found, err := j.journal.Run(j.name)
	if found {
		run.Started = earlier.Started
	}
	return run, err
}

// outputOf says how the output of the run is made when it stopped like this.
func (j *job) outputOf(stop pipeline.Stop) pipeline.Output {
	stopped := ""
	if stop != nil {
		stopped = stop.Word()
	}
	return pipeline.Output{Scope: j.scope, Run: j.name, Stopped: stopped}
}

// lookUp sends the lookups of the survey and returns why it stopped. What an earlier
// start left in doubt may turn out not to have been charged meanwhile: then the list
// is surveyed again and what is missing is sent too.
func (j *job) lookUp(ctx context.Context, client *service.Client, progress *progress) (pipeline.Tally, pipeline.Stop, error) {
	leftovers := j.reconciler(client.StatusClient).Pending() > 0
	tally, stop, err := j.lookUpOnce(ctx, client, progress)
	if !leftovers || stop != nil || err != nil {
		return tally, stop, err
	}
	if err := j.take(); err != nil || j.counts.Lookup == 0 {
		return tally, nil, err
	}
	more, stop, err := j.lookUpOnce(ctx, client, progress)
	return tally.Plus(more), stop, err
}

// lookUpOnce sends the lookups of one survey.
func (j *job) lookUpOnce(ctx context.Context, client *service.Client, progress *progress) (pipeline.Tally, pipeline.Stop, error) {
	next, done := j.scope.Lookups(j.list, j.survey, j.journal)
	defer done()
	lookups := &pipeline.Lookups{
		Ledger: j.journal, Finder: client, Concurrency: j.concurrency, Now: j.env.now, Report: progress.update,
		Reconciler: j.reconciler(client.StatusClient), Note: progress.note,
		Order: attempt.Request{
			Run: j.name, Prices: j.option.Prices, Ceilings: j.runCeilings(), Strict: j.strict, Reask: j.scope.Reask,
		},
	}
	if j.pace.value == "even" {
		lookups.Pacer = newPacer(j.journalRate())
	}
	tally, stop, err := lookups.Run(ctx, next)
	if stop == nil && err == nil && tally.GivenUp > 0 {
		stop = pipeline.ServiceRefused{Code: "temporarily_unavailable", Message: fmt.Sprintf("%d lookups failed three times", tally.GivenUp)}
	}
	return tally, stop, err
}

// duration returns the least time that the planned lookups take.
func (j *job) duration() time.Duration {
	rate := j.journalRate()
	return cost.Duration(j.counts.Lookup, rate.Slots, rate.Window)
}
