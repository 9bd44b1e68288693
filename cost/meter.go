package cost

import (
	"cmp"
	"encoding/json"
	"math/bits"
	"slices"

	"payonce/enrich"
)

// Meter is something that a call can consume: money, units of a free allowance, units of a
// module. It is a small number within the tariff of its interface.
type Meter uint8

// USD is the first meter of every tariff: money, in micro-USD.
const USD Meter = 0

// MaxMeters is the most meters that a tariff can have.
const MaxMeters = 12

// ByMeter holds a value for each meter that a tariff can have. It is an array: assigning it
// copies the values.
type ByMeter[T any] [MaxMeters]T

// Amounts are amounts of each meter.
type Amounts ByMeter[int64]

// Money returns the amount of money.
func (a Amounts) Money() Money { return Money(a[USD]) }

// OfMoney returns an amount of money.
func OfMoney(amount Money) Amounts { return Amounts{USD: int64(amount)} }

// Plus returns the sums, meter by meter.
func (a Amounts) Plus(other Amounts) Amounts {
	for m, amount := range other {
		a[m] += amount
	}
	return a
}

// Minus returns the differences, meter by meter.
func (a Amounts) Minus(other Amounts) Amounts {
	for m, amount := range other {
		a[m] -= amount
	}
	return a
}

// Times returns the amounts n times.
func (a Amounts) Times(n int64) Amounts {
	for m := range a {
		a[m] *= n
	}
	return a
}

// Least returns the lesser amount of each meter.
func (a Amounts) Least(other Amounts) Amounts {
	for m, amount := range other {
		a[m] = min(a[m], amount)
	}
	return a
}

// Most returns the greater amount of each meter.
func (a Amounts) Most(other Amounts) Amounts {
	for m, amount := range other {
		a[m] = max(a[m], amount)
	}
	return a
}

// Within reports whether no amount is greater than that of the same meter in limit.
func (a Amounts) Within(limit Amounts) bool { return a.Least(limit) == a }

// compare orders amounts by the last meter that differs, the greater amount first.
func (a Amounts) compare(other Amounts) int {
	for m := MaxMeters - 1; m >= 0; m-- {
		if a[m] != other[m] {
			return cmp.Compare(other[m], a[m])
		}
	}
	return 0
}

// Only returns the amounts of some meters.
func (a Amounts) Only(meters Meters) Amounts {
	for m := range a {
		if !meters.Has(Meter(m)) {
			a[m] = 0
		}
	}
	return a
}

// Meters returns the meters of which there is an amount above zero.
func (a Amounts) Meters() (set Meters) {
	for m, amount := range a {
		if amount > 0 {
			set |= 1 << m
		}
	}
	return set
}

// MarshalJSON writes the amounts in the order of the meters, up to the last one that is not zero.
func (a Amounts) MarshalJSON() ([]byte, error) {
	length := MaxMeters
	for length > 0 && a[length-1] == 0 {
		length--
	}
	return json.Marshal(a[:length])
}

// Meters is a set of meters.
type Meters uint16

// MetersOf returns the set of the given meters.
func MetersOf(meters ...Meter) (set Meters) {
	for _, m := range meters {
		set |= 1 << m
	}
	return set
}

// Has reports whether a meter is in the set.
func (s Meters) Has(m Meter) bool { return s&(1<<m) != 0 }

// Each yields the meters of the set in their order.
func (s Meters) Each() func(yield func(Meter) bool) {
	return func(yield func(Meter) bool) {
		for rest := s; rest != 0; rest &= rest - 1 {
			if !yield(Meter(bits.TrailingZeros16(uint16(rest)))) {
				return
			}
		}
	}
}

// Rate is what one returned value of a field consumes.
type Rate struct {
	// Uses is what a value consumes, at most, when no free allowance pays for it.
	Uses Amounts
	// Call is what an answered call that asks for the field consumes with any result. A call that asks for
	// several such fields consumes it once, so it is the same for them. The interface reports what a call
	// consumed.
	Call Amounts `json:",omitzero"`
	// Varies are the meters of which a value may consume nothing. The interface then reports
	// what a call consumed. A field with an allowance varies in none.
	Varies Meters
	// Allowance is the meter of the field's free allowance: one unit of it pays for a value
	// instead of money while there is one. An allowance belongs to one field. USD stands for
	// none.
	Allowance Meter
}

// Price returns the money that a value costs when no free allowance pays for it.
func (r Rate) Price() Money { return r.Uses.Money() }

// Free returns what a value consumes when the free allowance pays for it.
func (r Rate) Free() Amounts {
	free := r.Uses
	free[USD] = 0
	if r.Allowance != USD {
		free[r.Allowance]++
	}
	return free
}

// ways returns all that a value can consume: with the free allowance or without it, and with or
// without each meter that varies. Only the given meters count.
func (r Rate) ways(meters Meters) (ways []Amounts) {
	ways = []Amounts{r.Uses} // without what the call consumes
	if r.Allowance != USD {
		ways = []Amounts{r.Free(), r.Uses}
	}
	for m := range r.Varies.Each() {
		for _, way := range ways {
			way[m] = 0
			ways = append(ways, way)
		}
	}
	for i := range ways {
		ways[i] = ways[i].Plus(r.Call).Only(meters)
	}
	slices.SortFunc(ways, Amounts.compare)
	return slices.Compact(ways)
}

// most returns the most that a call for the field alone consumes.
func (r Rate) most() Amounts { return r.Uses.Plus(r.Call) }

// Rates are the rates of fields. A field without an entry has an unknown price. An unknown price
// never counts as zero.
type Rates map[enrich.Field]Rate

// Total returns what values of all the given fields consume at most when no free allowance pays
// for them. An unknown price is an error.
func (r Rates) Total(fields enrich.Fields) (total Amounts, err error) {
	for f := range fields.Each() {
		rate, known := r[f]
		if !known {
			return Amounts{}, unknownPrice(f)
		}
		total = total.Plus(rate.Uses)
	}
	return total.Plus(r.call(fields)), nil
}

// Fractions reports whether a price has a fraction of a cent.
func (r Rates) Fractions() bool {
	for _, rate := range r {
		if rate.Price()%Cent != 0 {
			return true
		}
	}
	return false
}

// call returns what a call that asks for the fields consumes once.
func (r Rates) call(fields enrich.Fields) (call Amounts) {
	for f := range fields.Each() {
		call = call.Most(r[f].Call)
	}
	return call
}

// Prices returns the prices of the rates.
func (r Rates) Prices() Prices {
	prices := make(Prices, len(r))
	for f, rate := range r {
		prices[f] = rate.Price()
	}
	return prices
}

// MeterInfo says what a meter is.
type MeterInfo struct {
	Name string
	// Hidden says that the account status does not show it.
	Hidden bool
	// Counting says how its counter moves.
	Counting Counting
}

// Tariff is what an interface charges for, without its prices.
type Tariff struct {
	// Meters are the meters. The first is money.
	Meters []MeterInfo
	// Rates say what one returned value of each field consumes besides money.
	Rates enrich.ByField[Rate]
	// Operation returns the name of the call that sends a lookup. The service counts the calls of one name on one
	// module. It is nil where no module counts calls.
	Operation func(enrich.Lookup) string
	// Others is the usual rate limit of one key. A lower limit that a user sets does not bind others.
	Others Pace
}

// AllowancePerField returns the tariff of an interface that charges money for each returned value
// and has a free allowance for each field.
func AllowancePerField(catalogue enrich.Catalogue) Tariff {
	t := Tariff{Meters: []MeterInfo{{Name: "usd"}}}
	for f, field := range catalogue.Fields {
		t.Rates[f].Allowance = Meter(len(t.Meters))
		t.Meters = append(t.Meters, MeterInfo{Name: "free_" + field.Name})
	}
	return t
}

// At returns the rates at some prices. A field without a price has no rate.
func (t Tariff) At(prices Prices) Rates {
	rates := make(Rates, len(prices))
	for f, price := range prices {
		rate := t.Rates[f]
		rate.Uses[USD] = int64(price)
		rates[f] = rate
	}
	return rates
}

// Counted returns the meters besides money and free allowances that calls for some fields can consume.
func (t Tariff) Counted(fields enrich.Fields) (counted Meters) {
	for f := range fields.Each() {
		counted |= t.Rates[f].Uses.Plus(t.Rates[f].Call).Meters()
	}
	return counted &^ MetersOf(USD)
}

// IsAllowance reports whether a meter is that of the free allowance of a field.
func (t Tariff) IsAllowance(m Meter) bool {
	_, is := t.fieldOf(m)
	return is
}

// Shown returns the meters that the account status shows.
func (t Tariff) Shown() (shown Meters) {
	for m, info := range t.Meters {
		if !info.Hidden {
			shown |= 1 << m
		}
	}
	return shown
}

// fieldOf returns the field whose free allowance a meter is.
func (t Tariff) fieldOf(m Meter) (f enrich.Field, found bool) {
	for f, rate := range t.Rates {
		if m != USD && rate.Allowance == m {
			return enrich.Field(f), true
		}
	}
	return 0, false
}

// AllowanceUnits returns the amounts of the free allowance of each field.
func (t Tariff) AllowanceUnits(a Amounts) (units enrich.ByField[int64]) {
	for f, rate := range t.Rates {
		if rate.Allowance != USD {
			units[f] = a[rate.Allowance]
		}
	}
	return units
}

// FreeUnits returns what a snapshot has left of each free allowance. What it does not show counts as
// used up.
func (t Tariff) FreeUnits(a Account) (left Amounts) {
	for f, rate := range t.Rates {
		if rate.Allowance != USD {
			left[rate.Allowance] = a.Free[f].Value
		}
	}
	return left
}

// AllowanceAmounts returns units of the free allowance of each field as amounts of the meters.
func (t Tariff) AllowanceAmounts(units enrich.ByField[int64]) (a Amounts) {
	for f, rate := range t.Rates {
		if rate.Allowance != USD {
			a[rate.Allowance] = units[f]
		}
	}
	return a
}
