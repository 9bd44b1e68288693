// This file finds out what the persons of a list have cost already: in any run, under any name and for any fields.

package scan

import (
	"slices"
	"sync"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// CostWatcher is a Recorder that keeps which attempts were about the persons that a scan asked for.
type CostWatcher struct {
	Recorder

	mu       sync.Mutex
	attempts []attempt.ID // an ID may be there several times
}

// WatchCost returns a Watcher of a recorder.
func WatchCost(recorder Recorder) *CostWatcher { return &CostWatcher{Recorder: recorder} }

// Records implements Recorder.
func (w *CostWatcher) Records(first, last enrich.Key, visit func(enrich.Key, func() (attempt.Record, error)) error) error {
	return w.Recorder.Records(first, last, func(key enrich.Key, record func() (attempt.Record, error)) error {
		return visit(key, func() (attempt.Record, error) { return w.keep(record()) })
	})
}

// RecordOf implements Recorder. It reads all fields, because all of them have cost something.
func (w *CostWatcher) RecordOf(key enrich.Key, _ enrich.Fields) (attempt.Record, error) {
	return w.keep(w.Recorder.RecordOf(key, enrich.PossibleFields))
}

// keep keeps the attempts of a record.
func (w *CostWatcher) keep(record attempt.Record, err error) (attempt.Record, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for f, id := range record.Attempts {
		if id != 0 {
			w.attempts = append(w.attempts, id)
		}
		if kept := record.Kept[f]; kept != 0 {
			w.attempts = append(w.attempts, kept)
		}
		w.attempts = append(w.attempts, record.Earlier[f]...)
	}
	return record, err
}

// CostJournal is the part of the journal that knows how attempts ended.
type CostJournal interface {
	// Recall returns a function that appends the outcomes of attempts, whose numbers ascend.
	Recall(memory int64, who bool) func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
}

// ListCost is what attempts have cost.
type ListCost struct {
	Lookups int64 // that were answered
	Charged cost.Money
	AtMost  bool                  // a part of Charged may turn out to have been free
	Bought  enrich.ByField[int64] // fields that were charged, by money or by a free unit
	Runs    map[string]cost.Money // what was charged, by run
	Erased  int64                 // answers with values, which were erased
	Open    int64                 // lookups without an outcome, which may have been charged
}

// together is how many outcomes are read at a time.
const together = 1024

// Cost returns what the attempts about the persons have cost. It reads each attempt once.
func (w *CostWatcher) Cost(journal CostJournal) (ListCost, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.attempts)
	w.attempts = slices.Compact(w.attempts)
	found := ListCost{Runs: map[string]cost.Money{}}
	if len(w.attempts) == 0 {
		return found, nil
	}
	read := journal.Recall(0, false)
	var known []attempt.Outcome
	for ids := range slices.Chunk(w.attempts, together) {
		var err error
		if known, err = read(ids, known[:0]); err != nil {
			return found, err
		}
		for _, outcome := range known {
			found.add(outcome)
		}
	}
	return found, nil
}

func (c *ListCost) add(outcome attempt.Outcome) {
	ended := outcome.Ended
	if ended.State == 0 {
		c.Open++
		return
	}
	if ended.Answered() {
		c.Lookups++
		if ended.Erased && ended.Status != enrich.NotFound {
			c.Erased++
		}
	}
	charged := ended.Charge.Money()
	if charged > 0 {
		c.Charged += charged
		c.AtMost = c.AtMost || outcome.MayBeFree != 0
		c.Runs[ended.Run] += charged
	}
	for f := range ended.Charge.Fields().Each() {
		c.Bought[f]++
	}
}
