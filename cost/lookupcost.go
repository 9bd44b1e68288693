package cost

import (
	"cmp"
	"slices"
	"sort"

	"payonce/enrich"
)

// LookupCost is lookups of one account, with what they consume.
type LookupCost struct {
	Lookups Workload
	Free    Allowances // of the account
	Rates   Rates
}

// Maximum returns the money that the holds of all lookups come to: for each field its free allowance first and
// then its price, and for each lookup what it costs with any result. A price that is needed and unknown is
// an error.
func (l LookupCost) Maximum() (Money, error) {
	total, err := l.Lookups.Demand().Maximum(l.Free, l.Rates.Prices())
	if err != nil {
		return 0, err
	}
	for fields, n := range l.Lookups {
		total = total.Plus(l.Rates.call(fields).Money().Times(n))
	}
	return total, nil
}

// scarce returns the fields asked for that have free units. Whether lookups go beyond these depends on which
// lookups they are.
func (l LookupCost) scarce() (fields enrich.Fields) {
	for f := range l.Lookups.fields().Each() {
		if l.Free[f] > 0 {
			fields = fields.With(f)
		}
	}
	return fields
}

// worth returns what a lookup for some fields costs when the free units of the given fields pay for these.
func (l LookupCost) worth(fields, free enrich.Fields) Money {
	sum := l.Rates.call(fields).Money()
	for f := range fields.Without(free).Each() {
		sum = sum.Plus(l.Rates[f].Price())
	}
	return sum
}

// LookupCosts are lookups of several accounts.
type LookupCosts []LookupCost

// Lookups returns how many lookups there are.
func (l LookupCosts) Lookups() (lookups int64) {
	for _, one := range l {
		lookups += one.Lookups.Lookups()
	}
	return lookups
}

// Maximum returns the money that the holds of all lookups come to. A price that is needed and unknown is an
// error.
func (l LookupCosts) Maximum() (total Money, err error) {
	for _, one := range l {
		amount, err := one.Maximum()
		if err != nil {
			return 0, err
		}
		total = total.Plus(amount)
	}
	return total, nil
}

// MostExpensive returns the most that any n of the lookups can cost: the n most expensive ones, with every field
// returned. A price that is needed and unknown is an error.
func (l LookupCosts) MostExpensive(n int64) (mostExpensive Money, err error) {
	// What lookups cost is the sum, over the fields that go beyond their free units, of the price times what goes
	// beyond. Which fields those are is not known before, so every set of them is tried: with it, each lookup
	// counts the prices of its other fields, and the n that count most are taken. No set gives more than
	// what these n cost, and the right one gives the most.
	for _, one := range l {
		if _, err := one.Lookups.Demand().capped(n).Maximum(one.Free, one.Rates.Prices()); err != nil {
			return 0, err
		}
	}
	free := make([]enrich.Fields, len(l))
	var try func(account int) error
	try = func(account int) error {
		if account == len(l) {
			amount, err := l.top(n, free).Maximum()
			mostExpensive = max(mostExpensive, amount)
			return err
		}
		scarce := l[account].scarce()
		for free[account] = scarce; ; free[account] = (free[account] - 1) & scarce {
			if err := try(account + 1); err != nil || free[account] == 0 {
				return err
			}
		}
	}
	return mostExpensive, try(0)
}

// top returns the n lookups that cost most when the free units of the given fields of each account pay for these.
func (l LookupCosts) top(n int64, free []enrich.Fields) LookupCosts {
	type kind struct {
		account int
		fields  enrich.Fields
		worth   Money
	}
	var kinds []kind
	top := slices.Clone(l)
	for i, one := range l {
		top[i].Lookups = Workload{}
		for fields := range one.Lookups {
			kinds = append(kinds, kind{i, fields, one.worth(fields, free[i])})
		}
	}
	slices.SortFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.account, b.account), cmp.Compare(a.fields, b.fields))
	})
	for _, k := range kinds {
		taken := min(n, l[k.account].Lookups[k.fields])
		top[k.account].Lookups[k.fields] = taken
		n -= taken
	}
	return top
}

// Covers returns how many of the lookups an amount certainly covers. None of them is refused for lack of
// money, in any order and with any result. A price that is needed and unknown is an error.
func (l LookupCosts) Covers(left Money) (int64, error) {
	lookups := l.Lookups()
	if _, err := l.MostExpensive(lookups); err != nil {
		return 0, err
	}
	first := sort.Search(int(lookups), func(n int) bool {
		amount, err := l.MostExpensive(int64(n) + 1)
		return err != nil || amount > max(left, 0)
	})
	return int64(first), nil
}
