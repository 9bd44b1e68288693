package forecast

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

var (
	both      = cost.Kind{Fields: 3, Pattern: enrich.ByProfile}
	email     = cost.Kind{Fields: 1, Pattern: enrich.ByProfile}
	emailName = cost.Kind{Fields: 1, Pattern: enrich.ByName}
)

// TestOutcomeCountsAreRecoveredFromTheSums shows that the sums of a journal tell how often every
// outcome was seen.
func TestOutcomeCountsAreRecoveredFromTheSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asked := enrich.Fields(rapid.IntRange(1, 3).Draw(t, "asked"))
		want := make(counts, asked+1)
		var totals cost.Totals
		for outcome := range want {
			if enrich.Fields(outcome).Without(asked) != 0 {
				continue
			}
			n := rapid.IntRange(0, 9).Draw(t, "lookups")
			want[outcome] = float64(n)
			for range n {
				totals.Count(asked, enrich.Fields(outcome))
			}
		}
		if diff := cmp.Diff(want, countOutcomes(asked, totals)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestOutcomesOfManyFieldsKeepTheRateOfEach shows that what the sums tell of each of three to five fields
// is not lost.
func TestOutcomesOfManyFieldsKeepTheRateOfEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asked := enrich.Fields(rapid.SampledFrom([]int{0b111, 0b11111, 0b10110, 0b11010000}).Draw(t, "asked"))
		var totals cost.Totals
		for range rapid.IntRange(1, 20).Draw(t, "lookups") {
			totals.Count(asked, asked&enrich.Fields(rapid.IntRange(0, 255).Draw(t, "returned")))
		}
		seen := countOutcomes(asked, totals)
		sum := 0.0
		for outcome, n := range seen {
			if sum += n; n < 0 || n > 0 && enrich.Fields(outcome).Without(asked) != 0 {
				t.Errorf("outcome %b was seen %v times", outcome, n)
			}
		}
		if math.Abs(sum-float64(totals.Lookups)) > 1e-9 {
			t.Errorf("%v outcomes of %d lookups", sum, totals.Lookups)
		}
		for f := range asked.Each() {
			if got := seen.of(f); math.Abs(got-float64(totals.Returned[f])) > 1e-9 {
				t.Errorf("field %d was returned %v times, want %d", f, got, totals.Returned[f])
			}
		}
	})
}

// TestAForecastOfFiveFieldsIsRight: each is found in half of the lookups of a long history.
func TestAForecastOfFiveFieldsIsRight(t *testing.T) {
	const lookups = 1000
	kind := cost.Kind{Fields: 0b11111, Pattern: enrich.ByName}
	totals := cost.Totals{Lookups: 10 * lookups}
	prices := cost.Prices{}
	for f := range enrich.Field(5) {
		totals.Returned[f], prices[f] = 5*lookups, 10*cost.Cent
	}
	f := New(Input{Lookups: map[cost.Kind]int64{kind: lookups}, History: func(cost.Kind) cost.Totals { return totals }})
	spend, known := f.Spend(prices)
	if off := spend.Expected - 250*cost.Dollar; !known || off < -cost.Dollar || off > cost.Dollar {
		t.Errorf("$%s is expected, known %t, want about $250", spend.Expected, known)
	}
	if spend.Low > 250*cost.Dollar || spend.High < 250*cost.Dollar || spend.High-spend.Low > 25*cost.Dollar {
		t.Errorf("the range is $%s to $%s", spend.Low, spend.High)
	}
	if covers, known := f.Covers(50*cost.Dollar, prices); !known || covers < 150 || covers > 210 {
		t.Errorf("$50 covers %d lookups, known %t, want a bit less than 200", covers, known)
	}
}

// TestContradictorySumsGiveNoNegativeOutcomeCounts shows that sums that contradict themselves make no
// negative counts and no more lookups than there were.
func TestContradictorySumsGiveNoNegativeOutcomeCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		any := rapid.Int64Range(0, 20)
		totals := cost.Totals{
			Lookups: any.Draw(t, "lookups"), Whole: any.Draw(t, "whole"),
			Returned: enrich.ByField[int64]{any.Draw(t, "emails"), any.Draw(t, "phones")},
		}
		var sum float64
		for outcome, n := range countOutcomes(3, totals) {
			if n < 0 {
				t.Errorf("%v was seen %v times in %+v", enrich.Fields(outcome), n, totals)
			}
			sum += n
		}
		if sum != float64(totals.Lookups) {
			t.Errorf("%v outcomes of %+v", sum, totals)
		}
	})
}

func TestTheBasisOfAForecastIsTheClosestHistory(t *testing.T) {
	long := cost.Totals{Lookups: 1000, Whole: 600, Returned: enrich.ByField[int64]{600}}
	short := cost.Totals{Lookups: 4, Whole: 1, Returned: enrich.ByField[int64]{1}}
	tests := []struct {
		name    string
		history map[cost.Kind]cost.Totals
		want    counts
		basis   basis
	}{
		{"nothing", nil, nil, none},
		{"other fields", map[cost.Kind]cost.Totals{both: long}, nil, none},
		{"its own", map[cost.Kind]cost.Totals{email: short, emailName: long}, counts{3, 1}, own},
		{"a short one of the other pattern", map[cost.Kind]cost.Totals{emailName: short}, counts{3, 1}, borrowed},
		{"one of companies", map[cost.Kind]cost.Totals{{Fields: 1, Pattern: enrich.ByID}: long}, nil, none},
		{"a long one of the other pattern", map[cost.Kind]cost.Totals{emailName: long}, counts{4, 6}, borrowed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, basis := outcomesOf(email, func(kind cost.Kind) cost.Totals { return tt.history[kind] })
			if basis != tt.basis {
				t.Errorf("basis %d, want %d", basis, tt.basis)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTheDrawIsBetaBinomial compares the mean and the variance of what is drawn with
// those of the beta-binomial distribution: the luck of the draw and what is uncertain
// about the rate.
func TestTheDrawIsBetaBinomial(t *testing.T) {
	for _, c := range []struct {
		lookups      int64
		found, empty float64
	}{
		{1, 3, 1}, {20, 3, 1}, {500, 70, 30}, {500, 0, 40}, {10_000_000, 7, 3}, {10_000_000, 70_000, 30_000},
	} {
		p := newPosterior(enrich.Fields(1), counts{c.empty, c.found})
		futures := simulate([]part{{kind: email, lookups: c.lookups, rates: p}}, numFutures)
		drawn := make([]float64, len(futures))
		for i, future := range futures {
			drawn[i] = float64(future[0])
		}
		mean, variance := stat.MeanVariance(drawn, nil)
		n, a, b := float64(c.lookups), c.found+priorWeight(1), c.empty+priorWeight(1)
		beta := distuv.Beta{Alpha: a, Beta: b}
		wantMean := n * beta.Mean()
		wantVariance := n*beta.Mean()*(1-beta.Mean()) + n*(n-1)*beta.Variance()
		if off := math.Abs(mean-wantMean) / math.Sqrt(wantVariance/numFutures); off > 4 {
			t.Errorf("%+v: the mean is %.3f, want %.3f: %.1f standard errors off", c, mean, wantMean, off)
		}
		if ratio := variance / wantVariance; ratio < 0.85 || ratio > 1.15 {
			t.Errorf("%+v: the variance is %.2f of what it should be", c, ratio)
		}
	}
}

// TestSimulatedOutcomesKeepTheCorrelationOfFields shows that lookups for both fields that find both or
// nothing are drawn so.
func TestSimulatedOutcomesKeepTheCorrelationOfFields(t *testing.T) {
	p := newPosterior(3, counts{0: 5000, 3: 5000})
	for _, future := range simulate([]part{{kind: both, lookups: 1000, rates: p}}, numFutures) {
		if apart := future[0] - future[1]; apart < -5 || apart > 5 {
			t.Fatalf("%d emails and %d phones", future[0], future[1])
		}
	}
}

func TestBinomialAtRatesOfZeroAndOne(t *testing.T) {
	random := rand.NewPCG(1, 1)
	for rate, want := range map[float64]int64{0: 0, 1: 7, 1.0000001: 7, -0.0000001: 0} {
		if got := binomial(7, rate, random); got != want {
			t.Errorf("%d of 7 at a rate of %v", got, rate)
		}
	}
}

// TestFirstLookupsHoldTheShareOfEveryKind shows that the first lookups of a list add up and hold every kind's
// share of them.
func TestFirstLookupsHoldTheShareOfEveryKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &Forecast{}
		number := rapid.Int64Range(1, 1000)
		for _, kind := range []cost.Kind{email, emailName, both} {
			f.parts = append(f.parts, part{kind: kind, lookups: number.Draw(t, "lookups")})
		}
		n := rapid.Int64Range(0, f.lookups()).Draw(t, "first")
		var sum int64
		for i, p := range f.first(n) {
			sum += p.lookups
			share := float64(n) * float64(f.parts[i].lookups) / float64(f.lookups())
			if p.lookups < 0 || p.lookups > f.parts[i].lookups || math.Abs(float64(p.lookups)-share) > 1 {
				t.Errorf("%d of the first %d are of a kind with %d of %d", p.lookups, n, f.parts[i].lookups, f.lookups())
			}
		}
		if sum != n {
			t.Errorf("the first %d are %d", n, sum)
		}
	})
}
