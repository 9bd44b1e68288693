package survey

import (
	"payonce/cost"
	"payonce/enrich"
)

// Counts says how many rows a survey found by what will become of them, and the
// lookups by operation.
type Counts struct {
	Rows, Filled, Duplicates, Answered, Rejected, InDoubt, Forfeited, Forgotten, Skipped, Lookup int64

	Unidentifiable map[enrich.Unidentifiable]int64
	Lookups        map[enrich.Operation]int64
	Kinds          map[cost.Kind]int64     // the lookups by operation and pattern
	Asked          [enrich.NumFields]int64 // fields that the lookups ask for
}

// Count sums the survey up. A person counts once, at its leading row.
func (v *Survey) Count() Counts {
	counts := v.settled
	counts.Rows, counts.Filled, counts.Duplicates = v.Rows, v.Filled, v.Duplicates
	counts.Unidentifiable = v.Unidentifiable
	counts.Lookups, counts.Kinds = map[enrich.Operation]int64{}, map[cost.Kind]int64{}
	var marks [256]int64
	for _, mark := range v.rows {
		marks[mark]++
	}
	for i, n := range marks {
		mark := rowMark(i)
		ask := mark.ask()
		if ask == 0 || n == 0 {
			continue
		}
		counts.Lookup += n
		counts.Lookups[ask.Operation()] += n
		counts.Kinds[cost.Kind{Operation: ask.Operation(), Pattern: mark.pattern()}] += n
		for f := range ask.Each() {
			counts.Asked[f] += n
		}
	}
	return counts
}

// addSettled counts a person that nothing is asked for by why that is so.
func (c *Counts) addSettled(p person) {
	switch {
	case p.unasked() != 0:
	case p.wants&p.doubted != 0:
		c.InDoubt++
	case p.wants&p.forfeited != 0:
		c.Forfeited++
	case p.wants&p.rejected != 0:
		c.Rejected++
	case p.wants&p.forgotten != 0:
		c.Forgotten++
	default:
		c.Answered++
	}
}

// plusSettled returns the sums of what addSettled counted.
func (c Counts) plusSettled(other Counts) Counts {
	c.InDoubt += other.InDoubt
	c.Forfeited += other.Forfeited
	c.Rejected += other.Rejected
	c.Forgotten += other.Forgotten
	c.Answered += other.Answered
	return c
}
