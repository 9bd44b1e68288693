package checkpoint

import (
	"fmt"
	"maps"
	"slices"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// add enters an attempt into the recomputed sums, as the books do. The account's
// begin at the base: of earlier attempts they have only what is still held.
func (c *checker) add(id attempt.ID, in intent, res attempt.Resolution, resolved bool) {
	for _, scope := range in.Scopes {
		if scope == ScopeAccount && id < c.books.BaseFirst && resolved {
			c.doubtedBefore.Hold(in.Hold)
			continue
		}
		totals := c.totals[scope]
		totals.Hold(in.Hold)
		if resolved {
			totals.Release(in.Hold, res.Charge)
			countOutcome(&totals, in.Hold, res)
		}
		c.totals[scope] = totals
	}
}

// checkTotals compares the recorded sums with the recomputed ones.
func (c *checker) checkTotals() error {
	c.summary.Totals = c.totals[ScopeAll]
	err := c.store.Scan([]byte{totalsPrefix}, nil, func(key, value []byte) (bool, error) {
		scope := string(key[1:])
		name := fmt.Sprintf("sums of %q", scope)
		var recorded cost.Totals
		if c.read(name, key, value, &recorded) {
			c.compareTotals(name, scope, recorded, c.totals[scope])
		}
		delete(c.totals, scope)
		return true, nil
	})
	for _, scope := range slices.Sorted(maps.Keys(c.totals)) {
		if c.totals[scope] != (cost.Totals{}) {
			c.problem(fmt.Sprintf("sums of %q", scope), "are missing")
		}
	}
	return err
}

func (c *checker) compareTotals(name, scope string, recorded, want cost.Totals) {
	if scope == ScopeAccount {
		recorded = c.sinceBase(recorded, want)
	}
	compare := func(what string, recorded, want any) {
		if recorded != want {
			c.problem(name, "have %s %v, and the attempts add up to %v", what, recorded, want)
		}
	}
	compare("settled", recorded.Settled, want.Settled)
	compare("held", recorded.Held, want.Held)
	compare("ever held", recorded.EverHeld, want.EverHeld)
	compare("lookups", recorded.Lookups, want.Lookups)
	for f := range enrich.AllFields.Each() {
		compare("free used of "+f.String(), recorded.FreeUsed[f], want.FreeUsed[f])
		compare("free held of "+f.String(), recorded.FreeHeld[f], want.FreeHeld[f])
		compare("free ever held of "+f.String(), recorded.FreeEverHeld[f], want.FreeEverHeld[f])
		compare("charged of "+f.String(), recorded.Charged[f], want.Charged[f])
		compare("asked of "+f.String(), recorded.Asked[f], want.Asked[f])
		compare("returned of "+f.String(), recorded.Returned[f], want.Returned[f])
	}
}

// sinceBase allows the account's sums of what was ever held to contain doubts
// from before the base that were resolved since: which of them, no record tells.
func (c *checker) sinceBase(recorded, want cost.Totals) cost.Totals {
	if more := recorded.EverHeld - want.EverHeld; more > 0 && more <= c.doubtedBefore.EverHeld {
		recorded.EverHeld = want.EverHeld
	}
	for f := range enrich.AllFields.Each() {
		if more := recorded.FreeEverHeld[f] - want.FreeEverHeld[f]; more > 0 && more <= c.doubtedBefore.FreeEverHeld[f] {
			recorded.FreeEverHeld[f] = want.FreeEverHeld[f]
		}
	}
	return recorded
}
