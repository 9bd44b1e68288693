package cost

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
)

// metered is a case of lost and answered calls of an interface with three meters, and of what its
// account lost.
type metered struct {
	tariff    Tariff
	rates     Rates
	asked     []enrich.Fields
	answered  enrich.ByField[int64]
	booked    Amounts
	sure      Amounts // the part of it that belongs to fields without an allowance
	lost      Amounts
	exclusive bool
}

// drawMetered draws a tariff of up to three fields. Money is the first of its meters, and the account
// may not show it. The others are free allowances or units that a value consumes.
func drawMetered(t *rapid.T) (c metered) {
	c.tariff.Meters = []MeterInfo{{Name: "usd", Hidden: rapid.Bool().Draw(t, "no money")}, {Name: "one"}, {Name: "two"}}
	c.rates = Rates{}
	units := []Meter{1, 2}
	prices := Prices{}
	fields := rapid.IntRange(1, 3).Draw(t, "fields")
	for f := range enrich.Field(fields) {
		rate := &c.tariff.Rates[f]
		prices[f] = Money(rapid.Int64Range(0, 3).Draw(t, "price")) * 5 * Cent
		if len(units) > 0 && rapid.Bool().Draw(t, "an allowance") {
			rate.Allowance, units = units[0], units[1:]
		}
	}
	for f := range enrich.Field(fields) {
		rate := &c.tariff.Rates[f]
		for _, m := range units {
			rate.Uses[m] = rapid.Int64Range(0, 2).Draw(t, "units")
			if rate.Allowance == USD && rapid.Bool().Draw(t, "varies") {
				rate.Varies |= MetersOf(m)
			}
		}
	}
	c.rates = c.tariff.At(prices)
	c.exclusive = rapid.Bool().Draw(t, "exclusive")
	c.drawCalls(t, enrich.Fields(1<<fields-1))
	return c
}

// drawCalls draws what the calls asked for and what the charges took of the account.
func (c *metered) drawCalls(t *rapid.T, fields enrich.Fields) {
	take := func(f enrich.Field) Amounts { return rapid.SampledFrom(c.rates[f].ways(^Meters(0))).Draw(t, "way") }
	for f := range fields.Each() {
		c.answered[f] = rapid.Int64Range(0, 2).Draw(t, "answered")
		for range c.answered[f] {
			taken := take(f)
			c.lost = c.lost.Plus(taken)
			if c.rates[f].Allowance == USD {
				c.sure = c.sure.Plus(taken)
			} else {
				taken = take(f) // another one may have had the free unit
			}
			c.booked = c.booked.Plus(taken)
		}
	}
	set := rapid.Map(rapid.Uint8Range(1, 7), func(n uint8) enrich.Fields { return enrich.Fields(n) & fields })
	c.asked = rapid.SliceOfN(set.Filter(func(f enrich.Fields) bool { return f != 0 }), 1, 3).Draw(t, "lost")
	for _, asked := range c.asked {
		for f := range asked.Each() {
			if rapid.Bool().Draw(t, "charged") {
				c.lost = c.lost.Plus(take(f))
			}
		}
	}
	for m := range Meter(3) {
		unit := int64(1)
		if m == USD {
			unit = int64(5 * Cent)
		}
		c.lost[m] = max(0, c.lost[m]+unit*rapid.SampledFrom([]int64{0, 0, 0, 0, 0, -1, 1, 3}).Draw(t, "else"))
	}
}

// evidence returns the case as two snapshots of an account.
func (c metered) evidence() Evidence {
	account := func(lost Amounts) (a Account) {
		a.ReadAt = time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC)
		for m := range c.tariff.Meters {
			left, reserved := Known(100-lost[m]), Known[int64](0)
			if f, free := c.tariff.fieldOf(Meter(m)); free {
				a.Free[f], a.FreeReserved[f] = left, reserved
			} else {
				a.Left[m], a.Reserved[m] = left, reserved
			}
		}
		if !c.tariff.Meters[USD].Hidden {
			a.Balance = Balance{Available: Known(Dollar - lost.Money()), Included: Known(Money(0)), Reserved: Known(Money(0))}
		}
		return a
	}
	return Evidence{
		Base: account(Amounts{}), Now: account(c.lost), Tariff: c.tariff, Rates: c.rates, Exclusive: c.exclusive,
		Booked: Totals{Settled: c.booked, Charged: c.answered, Returned: c.answered},
	}
}

// totals calls use with what all charges take together, for every choice of how each charge of a
// field with an allowance and each charge of a lost call was paid.
func (c metered) totals(charged []enrich.Fields, use func(taken Amounts)) {
	var fields []enrich.Field
	for _, set := range charged {
		fields = slices.AppendSeq(fields, set.Each())
	}
	for f, n := range c.answered {
		if c.rates[enrich.Field(f)].Allowance != USD {
			fields = append(fields, slices.Repeat([]enrich.Field{enrich.Field(f)}, int(n))...)
		}
	}
	var pay func(i int, taken Amounts)
	pay = func(i int, taken Amounts) {
		if i == len(fields) {
			use(taken.Only(c.tariff.Shown()))
			return
		}
		for _, way := range c.rates[fields[i]].ways(^Meters(0)) {
			pay(i+1, taken.Plus(way))
		}
	}
	pay(0, c.sure)
}

// fitting returns all assignments of charged fields to the lost calls that fit what the account lost.
func (c metered) fitting(others bool) (fitting [][]enrich.Fields) {
	lost := c.lost.Only(c.tariff.Shown())
	assignment := make([]enrich.Fields, len(c.asked))
	var assign func(i int)
	assign = func(i int) {
		if i < len(c.asked) {
			for charged := range enrich.Fields(8) {
				if charged.Without(c.asked[i]) == 0 {
					assignment[i] = charged
					assign(i + 1)
				}
			}
			return
		}
		fits := false
		c.totals(assignment, func(taken Amounts) { fits = fits || taken == lost || others && taken.Within(lost) })
		if fits {
			fitting = append(fitting, slices.Clone(assignment))
		}
	}
	assign(0)
	return fitting
}

// reconcile says what all assignments that fit have in common.
func (c metered) reconcile() []CallResult {
	if exact := c.fitting(false); c.exclusive && len(exact) > 0 {
		return agreed(exact)
	}
	bound := c.fitting(true)
	if len(bound) == 0 {
		return make([]CallResult, len(c.asked))
	}
	results := agreed(bound)
	for i := range results {
		if results[i].Result == Charged {
			results[i] = CallResult{}
		}
	}
	return results
}

// TestReconcileAgreesWithAllAssignmentsOfThreeMeters does what TestReconcileAgreesWithAllAssignments does, for
// tariffs with units that values consume, units that vary, and without money.
func TestReconcileAgreesWithAllAssignmentsOfThreeMeters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawMetered(t)
		got, why := c.evidence().Reconcile(c.asked)
		if diff := cmp.Diff(c.reconcile(), got); diff != "" {
			t.Fatalf("%+v\n%s\n(-all assignments +Judge):\n%s", c, why, diff)
		}
	})
}

// TestMostInDoubtIsTheChangeMinusTheCertainCharges compares MostInDoubt with every way to pay for the
// certain charges, meter by meter.
func TestMostInDoubtIsTheChangeMinusTheCertainCharges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawMetered(t)
		lost, found := c.lost.Only(c.tariff.Shown()), false
		var want Amounts
		c.totals(nil, func(taken Amounts) {
			if taken.Within(lost) {
				want, found = want.Most(lost.Minus(taken)), true
			}
		})
		got, known := c.evidence().MostInDoubt(c.answered)
		if got = got.Only(c.tariff.Shown()); known != found || known && got != want {
			t.Fatalf("%+v\nmost in doubt %v (%t), want %v (%t)", c, got, known, want, found)
		}
	})
}
