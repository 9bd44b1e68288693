package scan

import (
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// Counts says how many rows a scan found by what will become of them, and the
// lookups by the fields that they ask for.
type Counts struct {
	Rows, Filled, Duplicates, Answered, Rejected, InDoubt, Forfeited, Forgotten, Skipped, Lookup int64

	Unidentifiable map[enrich.Unidentifiable]int64
	Lookups        cost.Workload
	Kinds          map[cost.Kind]int64   // the lookups by fields and pattern
	Asked          enrich.ByField[int64] // fields that the lookups ask for
	Held           map[HeldColumn]int64  // rows that hold a field in a further column
	DoubtfulNames  int64                 // rows with a full name that could be split in another way
	Placeholders   int64                 // cells of wanted fields that hold a placeholder
}

// Count sums the scan up. A person counts once, at its first occurrence.
func (s *Scan) Count() Counts {
	counts := s.settled
	counts.Rows, counts.Filled, counts.Duplicates = s.Rows, s.Filled, s.Duplicates
	counts.Unidentifiable, counts.Held, counts.Placeholders = s.Unidentifiable, s.Held, s.Placeholders
	counts.DoubtfulNames = s.DoubtfulNames
	counts.Lookups, counts.Kinds = cost.Workload{}, map[cost.Kind]int64{}
	var lookups [numLookupStates]int64
	for _, state := range s.rows {
		lookups[state.Lookup()]++
	}
	for i, n := range lookups {
		state := RowState(i)
		if n == 0 || !state.HasFields() {
			continue
		}
		fields := state.Fields()
		counts.Lookup += n
		counts.Lookups[fields] += n
		counts.Kinds[cost.Kind{Fields: fields, Pattern: state.Pattern()}] += n
		for f := range fields.Each() {
			counts.Asked[f] += n
		}
	}
	return counts
}

// addSettled counts a person that misses fields of which none is asked for, by the reason.
func (c *Counts) addSettled(fields enrich.Fields, record *attempt.Record) {
	var states [attempt.Forgotten + 1]bool
	for f := range fields.Each() {
		states[record.States[f]] = true
	}
	switch {
	case states[attempt.OutcomeUnknown]:
		c.InDoubt++
	case states[attempt.PaidAndGone]:
		c.Forfeited++
	case states[attempt.Rejected]:
		c.Rejected++
	case states[attempt.Forgotten]:
		c.Forgotten++
	default:
		c.Answered++
	}
}

// plus returns the sums of what addSettled counted.
func (c Counts) plus(other Counts) Counts {
	c.InDoubt += other.InDoubt
	c.Forfeited += other.Forfeited
	c.Rejected += other.Rejected
	c.Forgotten += other.Forgotten
	c.Answered += other.Answered
	return c
}
