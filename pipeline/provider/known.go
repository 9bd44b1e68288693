package provider

import (
	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// known is what the journal knows of an account, as the steps of a run need it.
type known struct {
	recorder
	output.OutputAnswers
}

// recorder is the part of known that scans read.
type recorder interface {
	scan.Recorder
	Forgotten() (map[enrich.Key]bool, error)
}

// KeyOf returns a short stand-in for an identity.
func (k known) KeyOf(canonical []byte) enrich.Key { return k.recorder.KeyOf(canonical) }

// RecordOf returns what durable attempts say about some fields of the subject with a key.
func (k known) RecordOf(key enrich.Key, fields enrich.Fields) (attempt.Record, error) {
	return k.recorder.RecordOf(key, fields)
}

// watched is a journal of which it is watched what the list has cost.
type watched struct {
	*scan.CostWatcher
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

func (blank) RecordOf(enrich.Key, enrich.Fields) (attempt.Record, error) {
	return attempt.Record{}, nil
}

func (blank) Forgotten() (map[enrich.Key]bool, error) { return nil, nil }

func (blank) Recall(int64, bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	return func(_ []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) { return known, nil }
}

// Known returns what a journal knows of its account, and nothing where there is no journal.
func Known(journal *checkpoint.Journal) output.StepAccount {
	if journal == nil {
		return blank{key: checkpoint.AnonymousKey()}
	}
	return journal
}

// Watched is Known with somebody who watches what scans read.
func Watched(journal *checkpoint.Journal, watcher *scan.CostWatcher) output.StepAccount {
	return known{watched{watcher, journal}, journal}
}
