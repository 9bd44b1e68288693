package main

import (
	"cmp"
	"context"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/report"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/row"
	"payonce/pipeline/survey"
	"payonce/service/v1"
)

// job is one list with what is wanted of it: what plan, run and write share.
type job struct {
	*session
	name    string
	list    *listFile
	schema  table.Schema
	scope   row.Scope
	card    cost.RateCard // whose options are compared
	quote   cost.Quote    // what the wanted fields cost, and where that stands
	survey  *survey.Survey
	counts  survey.Counts
	account cost.Account
	// published is what the service tells of its lookups; nothing when it was not asked.
	published []publication
	// asked says whether the account's status was read; without it the account
	// sets no ceilings.
	asked bool
	// approved is what the run may come to by what was agreed to; nil without that.
	approved *cost.Money
}

// prepareJob opens the list and finds its columns. Nothing is written or sent.
func prepareJob(s *session, names []string) (*job, error) {
	list, err := s.openList(names)
	if err != nil {
		return nil, err
	}
	j := &job{session: s, list: list, name: s.name}
	if j.schema, err = list.Schema(); err != nil {
		return nil, err
	}
	mapping, err := row.MapColumns(j.schema, s.mapping)
	if err == nil {
		err = mapping.CheckFilled(j.schema, enrich.Fields(s.fields))
	}
	if err != nil {
		return nil, usagef("%s: %w", strings.Join(names, " "), hinted(err))
	}
	if !mapping.CanIdentify() {
		return nil, usagef("%s: no columns that identify a person: a profile URL, or first name, last name and company domain or name; "+
			"its columns are %s; name them with --map, such as --map profile_url=COLUMN", strings.Join(names, " "), row.ListColumns(j.schema))
	}
	if j.name == "" {
		if j.name, err = runName(list, enrich.Fields(s.fields)); err != nil {
			return nil, err
		}
	}
	j.scope = row.Scope{
		Mapping: mapping, Wanted: enrich.Fields(s.fields), Prefer: s.preference(),
		Reask: attempt.Reask{Before: s.reaskMissing.Before(s.env.now()), Forfeited: s.rebuy}, Limit: s.limit,
		Memory: cmp.Or(s.memory.Bytes, machineMemory()/4), TempDir: s.tempDir,
	}
	if s.rateCard != "" {
		if err := j.choosePrices(); err != nil { // for what is wrong in it
			return nil, err
		}
	}
	if s.priority != "" {
		if j.scope.Priority, err = row.ParsePriority(j.schema, s.priority); err != nil {
			return nil, usagef("%s: --priority %s: %w", strings.Join(names, " "), s.priority, err)
		}
	}
	return j, nil
}

// surveyGCPercent is how much garbage a survey may leave, in percent of what is live.
const surveyGCPercent = 30

// take surveys the whole list.
func (j *job) take(ctx context.Context) (err error) {
	// What is kept of the persons is large and holds no pointers: to collect early costs
	// little, and keeps the memory near what is needed.
	defer debug.SetGCPercent(debug.SetGCPercent(surveyGCPercent))
	j.survey, err = survey.Take(ctx, j.scope, j.list, j.recorder())
	if err != nil {
		return err
	}
	j.counts = j.survey.Count()
	return nil
}

// recorder returns the journal, or one that knows nothing when there is none yet.
func (j *job) recorder() survey.Recorder {
	if j.journal != nil {
		return j.journal
	}
	return blankRecorder{key: checkpoint.AnonymousKey()}
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
		return asService(ctx, err)
	}
	return j.useAccount(ctx, client, account)
}

// useAccount takes the account status, reads what the service publishes and chooses the
// prices.
func (j *job) useAccount(ctx context.Context, client *v1.StatusClient, account cost.Account) error {
	j.account, j.asked = account, true
	if err := j.readPublished(ctx, client); err != nil {
		return err
	}
	return j.choosePrices()
}

// freeLeft returns the free allowance that the plan counts on.
func (j *job) freeLeft() cost.Allowances {
	if j.strict {
		return cost.Allowances{}
	}
	return j.account.FreeLeft()
}

// record returns what the journal is to remember of the run, which keeps the time
// of its first start. A comparison has no output, and may have no list.
func (j *job) record() (checkpoint.Run, error) {
	output := j.output
	if output != "" && output != listfile.Standard {
		var err error
		if output, err = filepath.Abs(output); err != nil {
			return checkpoint.Run{}, err
		}
	}
	run := checkpoint.Run{
		Name: j.name, Output: output, Encoding: j.encoding, Sheet: j.sheet, Fields: j.fields.String(), Map: j.mapping, Prefer: j.prefer.Value,
		Limit: j.limit, Profile: j.profile, Priority: j.priority, Job: j.jobName(), MaxSpend: *j.maxSpend.Amount,
		Ceilings: j.ceilingsOf(j.name, j.jobName()), Started: j.env.now(),
	}
	run.Restarted = run.Started
	if j.list != nil {
		j.list.recordIn(&run)
	}
	earlier, found, err := j.journal.Run(j.name)
	if found {
		run.Started = earlier.Started
	}
	return run, err
}

// outputOf says how the output of the run is made when it stopped like this.
func (j *job) outputOf(stop dispatch.Stop) output.Output {
	stopped := ""
	if stop != nil {
		stopped = stop.Word()
	}
	return output.Output{Scope: j.scope, Run: j.name, Stopped: stopped, Profile: j.profile}
}

// lookUp sends the lookups of the survey and returns why it stopped. What an earlier
// start left in doubt may turn out not to have been charged meanwhile: then the list
// is surveyed again and what is missing is sent too.
func (j *job) lookUp(ctx context.Context, client *v1.Client, progress *progress) (dispatch.Tally, dispatch.Stop, error) {
	leftovers := j.reconciler(client.StatusClient).Pending() > 0
	tally, stop, err := j.lookUpOnce(ctx, client, progress)
	if !leftovers || stop != nil || err != nil {
		return tally, stop, err
	}
	switch err := j.take(ctx); {
	case ctx.Err() != nil:
		return tally, dispatch.StopOf(ctx), nil
	case err != nil || j.counts.Lookup == 0:
		return tally, nil, err
	}
	more, stop, err := j.lookUpOnce(ctx, client, progress)
	return tally.Plus(more), stop, err
}

// lookUpOnce sends the lookups of one survey.
func (j *job) lookUpOnce(ctx context.Context, client *v1.Client, progress *progress) (dispatch.Tally, dispatch.Stop, error) {
	next, done := j.survey.Lookups(ctx, j.list)
	defer done()
	lookups := &dispatch.Lookups{
		Ledger: j.journal, Finder: client, Concurrency: j.concurrency, Now: j.env.now, Report: progress.update,
		Reconciler: j.reconciler(client.StatusClient), Note: progress.note,
		ShortBudget: j.shortBudgetPolicy(),
		Request: attempt.Request{
			Run: j.name, Job: j.jobName(), Prices: j.quote.Prices, Ceilings: j.runCeilings(), Strict: j.strict, Reask: j.scope.Reask,
		},
	}
	if j.pace.Value == "even" {
		lookups.Pacer = newPacer(j.journalRate())
	}
	tally, stop, err := lookups.Run(ctx, next)
	if stop == nil && err == nil && tally.GivenUp > 0 {
		stop = dispatch.ServiceRefused{Code: dispatch.CodeUnavailable, Message: report.Lookups(tally.GivenUp) + " failed three times"}
	}
	return tally, stop, err
}

// duration returns the least time that the planned lookups take.
func (j *job) duration() time.Duration {
	rate := j.journalRate()
	return cost.Duration(j.counts.Lookup, rate.Slots, rate.Window)
}
