package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// checkTotals compares the recorded sums with the recomputed ones.
func (c *checker) checkTotals() error {
	c.summary.Totals = c.totalsOf(record.ScopeAll)
	err := c.store.Scan([]byte{record.TotalsPrefix}, nil, func(key, value []byte) (bool, error) {
		scope := string(key[1:])
		name := fmt.Sprintf("sums of %q", scope)
		var recorded cost.Totals
		if read(c, name, key, value, &recorded) {
			c.compareTotals(name, c.fieldsOf(scope), recorded, c.totalsOf(scope))
		}
		delete(c.totals, scope)
		return true, nil
	})
	for _, scope := range slices.Sorted(maps.Keys(c.totals)) {
		if c.totalsOf(scope) != (cost.Totals{}) {
			c.problem(fmt.Sprintf("sums of %q", scope), "are missing")
		}
	}
	return err
}

// checkDays compares the recorded spans of the days with the recomputed ones.
func (c *checker) checkDays() error {
	err := c.store.Scan([]byte{record.DayPrefix}, nil, func(key, value []byte) (bool, error) {
		day := string(key[1:])
		name := "the record of " + day
		var recorded record.Span
		if want := c.days[day]; read(c, name, key, value, &recorded) && recorded != want {
			c.problem(name, "says that attempts %d to %d ended then, and those from %d to %d did", recorded.First, recorded.Last, want.First, want.Last)
		}
		delete(c.days, day)
		return true, nil
	})
	for _, day := range slices.Sorted(maps.Keys(c.days)) {
		c.problem("the record of "+day, "is missing")
	}
	return err
}

// fieldsOf returns the fields of the account that a scope belongs to.
func (c *checker) fieldsOf(scope string) enrich.Catalogue {
	for number, account := range c.accounts {
		if number := attempt.Account(number); number > 0 && strings.HasPrefix(scope, number.Scope("")) {
			return account.catalogue
		}
	}
	return c.catalogue
}

func (c *checker) compareTotals(name string, fields enrich.Catalogue, recorded, want cost.Totals) {
	compare := func(what string, recorded, want any) {
		if recorded != want {
			c.problem(name, "have %s %v, and the attempts add up to %v", what, recorded, want)
		}
	}
	compareAmounts := func(what string, recorded, want cost.Amounts) {
		compare(what, recorded.Money(), want.Money())
		for m := cost.USD + 1; m < cost.MaxMeters; m++ {
			compare(fmt.Sprintf("%s of meter %d", what, m), recorded[m], want[m])
		}
	}
	compareAmounts("settled", recorded.Settled, want.Settled)
	compareAmounts("held", recorded.Held, want.Held)
	compareAmounts("ever held", recorded.EverHeld, want.EverHeld)
	compare("lookups", recorded.Lookups, want.Lookups)
	compare("whole answers", recorded.Whole, want.Whole)
	compare("forfeited", recorded.Forfeited, want.Forfeited)
	compare("uncharged", recorded.Uncharged, want.Uncharged)
	compare("open", recorded.Open, want.Open)
	for f := range enrich.PossibleFields.Each() {
		compare("charged of "+fields.Name(f), recorded.Charged[f], want.Charged[f])
		compare("asked of "+fields.Name(f), recorded.Asked[f], want.Asked[f])
		compare("returned of "+fields.Name(f), recorded.Returned[f], want.Returned[f])
	}
}
