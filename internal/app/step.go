package app

import (
	"context"
	"errors"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/internal/accounts"
	"payonce/internal/listcost"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/row"
	"payonce/pipeline/steps"
	"payonce/pipeline/survey"
)

// step is one step of a run: an account is asked for some fields.
type step struct {
	name    string // unique in the run
	account *accounts.Account
	scope   row.Scope
	// survey is of the list for the first step. A later step has that of the most that it can ask for, as long
	// as earlier ones may find values.
	survey *survey.Survey
	counts survey.Counts
	tally  dispatch.Tally // what the lookups of this start came to
}

// known is what the journal knows of an account, as the steps of a run need it.
type known struct {
	recorder
	output.Answers
}

// recorder is the part of known that surveys read.
type recorder interface {
	survey.Recorder
	Forgotten() (map[enrich.Key]bool, error)
}

// KeyOf returns a short stand-in for an identity.
func (k known) KeyOf(canonical []byte) enrich.Key { return k.recorder.KeyOf(canonical) }

// RecordOf returns what durable attempts say about the subject with a key.
func (k known) RecordOf(key enrich.Key) (attempt.Record, error) { return k.recorder.RecordOf(key) }

// watched is a journal of which it is watched what the list has cost.
type watched struct {
	*listcost.Watcher
	journal *checkpoint.Journal
}

func (w watched) Forgotten() (map[enrich.Key]bool, error) { return w.journal.Forgotten() }

// blank is the journal of a workspace that has none.
type blank struct {
	key func(canonical []byte) enrich.Key
}

func (b blank) KeyOf(canonical []byte) enrich.Key { return b.key(canonical) }

func (blank) People() int64 { return 0 }

func (blank) Records(enrich.Key, enrich.Key, func(enrich.Key, func() (attempt.Record, error)) error) error {
	return nil
}

func (blank) RecordOf(enrich.Key) (attempt.Record, error) { return attempt.Record{}, nil }

func (blank) Forgotten() (map[enrich.Key]bool, error) { return nil, nil }

func (blank) Recall(int64, bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	return func(_ []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) { return known, nil }
}

// knownTo returns what the journal knows of an account.
func (j *job) knownTo(account *accounts.Account) steps.Account {
	switch journal := account.Journal; {
	case journal == nil:
		return blank{key: checkpoint.AnonymousKey()}
	case j.watched != nil && journal == j.session.journal():
		return known{watched{j.watched, journal}, journal}
	default:
		return journal
	}
}

// run returns the steps of the run for the pipeline. The rows that were not attempted say why it stopped.
func (j *job) run(stopped string) (all steps.Steps) {
	for _, s := range j.steps {
		all = append(all, steps.Step{
			Name: s.name, Account: j.knownTo(s.account),
			Output: output.Output{
				Scope: s.scope, Run: j.name, Stopped: stopped, Optional: j.profile, Names: j.schema.Columns,
				CopyHeld: j.order.CopyHeld, Decoder: s.account.NewDecoder(),
			},
		})
	}
	return all
}

// take surveys the whole list for each step.
func (j *job) take(ctx context.Context) error {
	defer j.session.work.Observer.Surveying()()
	run := j.run("")
	for i, s := range j.steps {
		if err := j.takeStep(ctx, run, i); err != nil {
			return err
		}
		s.counts = s.survey.Count()
	}
	for _, account := range j.accounts {
		account.Lookups = map[enrich.Fields]int64{}
		for _, s := range j.of(account) {
			for fields, n := range s.counts.Lookups {
				account.Lookups[fields] += n
			}
		}
	}
	return nil
}

// takeStep surveys the list for a step.
func (j *job) takeStep(ctx context.Context, run steps.Steps, i int) (err error) {
	rows, err := run.After(ctx, j.list, i)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	take := run.Most
	if i == 0 {
		take = run.Survey
	}
	j.steps[i].survey, err = take(ctx, rows, i)
	return err
}

// of returns the steps that ask an account.
func (j *job) of(account *accounts.Account) (asking []*step) {
	for _, s := range j.steps {
		if s.account == account {
			asking = append(asking, s)
		}
	}
	return asking
}

// lookups returns how many lookups the steps have.
func (j *job) lookups() (lookups int64) {
	for _, s := range j.steps {
		lookups += s.counts.Lookup
	}
	return lookups
}

// tally returns what the lookups of this start came to. Fields that were asked for and returned are in the
// tallies of the steps alone.
func (j *job) tally() (sum dispatch.Tally) {
	for _, s := range j.steps {
		tally := s.tally
		tally.Asked, tally.Returned = enrich.ByField[int64]{}, enrich.ByField[int64]{}
		sum = sum.Plus(tally)
	}
	return sum
}
