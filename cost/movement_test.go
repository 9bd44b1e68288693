package cost

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawMovement draws 1 to 5 fields that take from 1 to 3 meters, with at most six charges. What
// the meters lost is what some of the charges took, and sometimes a little else.
func drawMovement(t *rapid.T) movement {
	meters := rapid.IntRange(1, 3).Draw(t, "meters")
	m := movement{lost: make([]int64, meters)}
	for range meters {
		m.grain = append(m.grain, rapid.SampledFrom([]int64{1, 1, 1, 10}).Draw(t, "grain"))
	}
	left := int64(6)
	for range rapid.IntRange(1, 5).Draw(t, "fields") {
		var c charges
		for range rapid.IntRange(1, 3).Draw(t, "ways") {
			c.ways = append(c.ways, rapid.SliceOfN(rapid.SampledFrom([]int64{0, 0, 1, 2, 3, 5, 15}), meters, meters).Draw(t, "way"))
		}
		c.certain = rapid.Int64Range(0, min(left, 2)).Draw(t, "certain")
		left -= c.certain
		c.most = rapid.Int64Range(0, min(left, 3)).Draw(t, "most")
		left -= c.most
		m.charges = append(m.charges, c)
		for range c.certain + rapid.Int64Range(0, c.most).Draw(t, "charged") {
			for meter, amount := range rapid.SampledFrom(c.ways).Draw(t, "paid") {
				m.lost[meter] += amount
			}
		}
	}
	for meter := range m.lost {
		m.lost[meter] = max(0, m.lost[meter]+rapid.SampledFrom([]int64{0, 0, 0, 0, -1, 1, 4}).Draw(t, "else"))
	}
	return m
}

// assignments calls use with the number of lost calls charged for each field and with what all
// charges take of the meters, for every choice of charged calls and of their ways.
func (m movement) assignments(use func(lost, taken []int64)) {
	lost := make([]int64, len(m.charges))
	var assign func(f int, charge int64, taken []int64)
	assign = func(f int, charge int64, taken []int64) {
		if f == len(m.charges) {
			use(lost, taken)
			return
		}
		c := m.charges[f]
		if charge == c.certain+c.most {
			assign(f+1, 0, taken)
			return
		}
		if charge >= c.certain { // a lost call that was not charged
			assign(f, charge+1, taken)
			lost[f]++
			defer func() { lost[f]-- }()
		}
		for _, way := range c.ways {
			after := slices.Clone(taken)
			for meter, amount := range way {
				after[meter] += amount
			}
			assign(f, charge+1, after)
		}
	}
	assign(0, 0, make([]int64, len(m.lost)))
}

// shown reports whether a meter that shows whole grains can show a loss for an amount.
func shown(amount, loss, grain int64) bool {
	return amount == loss || amount%grain != 0 && loss > amount-grain && loss < amount+grain
}

// TestExplainAgreesWithAllAssignments compares the search with the enumeration of every choice
// of charges and ways.
func TestExplainAgreesWithAllAssignments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMovement(t)
		want := explanations{complete: true}
		m.assignments(func(lost, taken []int64) {
			for meter, amount := range taken {
				if !shown(amount, m.lost[meter], m.grain[meter]) {
					return
				}
			}
			if !want.found {
				want.found, want.least, want.most = true, slices.Clone(lost), slices.Clone(lost)
			}
			for f, n := range lost {
				want.least[f], want.most[f] = min(want.least[f], n), max(want.most[f], n)
			}
		})
		if diff := cmp.Diff(want, m.explain(), cmp.AllowUnexported(explanations{})); diff != "" {
			t.Errorf("(-all assignments +explain):\n%s", diff)
		}
	})
}

// TestFitsAgreesWithAllAssignments does the same for the upper bound, which others may have a
// part in.
func TestFitsAgreesWithAllAssignments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMovement(t)
		field := rapid.IntRange(0, len(m.charges)-1).Draw(t, "field")
		one := movement{lost: m.lost, grain: m.grain, charges: slices.Clone(m.charges)}
		for f := range one.charges {
			one.charges[f].most = 0
		}
		one.charges[field].certain++
		want := false
		one.assignments(func(_, taken []int64) {
			fits := true
			for meter, amount := range taken {
				fits = fits && amount-amount%m.grain[meter] <= m.lost[meter]
			}
			want = want || fits
		})
		if got := m.fits(field); got != want {
			t.Errorf("a charge of field %d fits: %t, want %t", field, got, want)
		}
	})
}

// thousandLost is a movement with 1,000 lost calls that each ask for all of some fields, of which
// a half was charged. The fields have free units and prices of their own.
func thousandLost(fields int, price func(field int) int64) movement {
	m := movement{lost: make([]int64, fields+1), grain: slices.Repeat([]int64{1}, fields+1)}
	for f := range fields {
		free, money := make([]int64, fields+1), make([]int64, fields+1)
		free[f], money[fields] = 1, price(f)
		m.charges = append(m.charges, charges{ways: [][]int64{free, money}, certain: 50_000, most: 1000})
		m.lost[f] = 100
		m.lost[fields] += (50_000 - 100 + 500) * money[fields]
	}
	return m
}

// TestAThousandLostCallsAreExplained shows that the bounds of a search leave room for 1,000 lost
// calls for two fields.
func TestAThousandLostCallsAreExplained(t *testing.T) {
	e := thousandLost(2, func(f int) int64 { return []int64{150_000, 250_000}[f] }).explain()
	if !e.complete || !e.found || e.least[0] != 0 || e.most[0] != 1000 || e.least[1] != 200 || e.most[1] != 800 {
		t.Errorf("%+v", e)
	}
}

// TestASearchThatTakesTooLongDecidesNothing: prices without common parts leave too many states.
func TestASearchThatTakesTooLongDecidesNothing(t *testing.T) {
	m := thousandLost(5, func(f int) int64 { return []int64{150_001, 250_003, 100_007, 310_011, 470_013}[f] })
	if e := m.explain(); e.complete || e.found {
		t.Errorf("the search ended: %+v", e)
	}
	for f := range 5 {
		if !m.fits(f) {
			t.Errorf("a charge of field %d does not fit, and 500 were charged", f)
		}
	}
	if e := m.search(false, 1); e.complete {
		t.Error("a search of one step ended")
	}
}

func BenchmarkExplain(b *testing.B) {
	for _, fields := range []int{1, 2, 5} {
		b.Run(fmt.Sprint(fields), func(b *testing.B) {
			m := thousandLost(fields, func(f int) int64 { return int64(f+3) * 50_000 })
			for b.Loop() {
				m.explain()
			}
		})
	}
}
