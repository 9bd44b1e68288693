package forecast_test

import (
	"math/rand/v2"
	"testing"

	"payonce/cost"
)

func TestWidthAfterShrinksWithTheSample(t *testing.T) {
	list := map[cost.Kind]int64{emailByName: 5000}
	for name, history := range map[string]map[cost.Kind]cost.Totals{
		"none":     nil,
		"short":    {emailByName: seen(10, 6)},
		"borrowed": {emailByProfile: seen(1000, 600)},
	} {
		f := of(list, cost.Allowances{20, 5}, history)
		last := cost.Money(5000 * 15 * cost.Cent)
		if now, known := f.Spend(standard()); known {
			last = now.Width()
		}
		for _, sample := range []int64{20, 100, 500, 2500} {
			width, known := f.WidthAfter(map[cost.Kind]int64{emailByName: sample}, standard())
			if !known || width >= last {
				t.Errorf("history %s: after %d lookups the range is $%s wide, known %t; it was $%s", name, sample, width, known, last)
			}
			last = width
		}
		for _, sample := range []int64{5000, 9000} {
			if width, known := f.WidthAfter(map[cost.Kind]int64{emailByName: sample}, standard()); !known || width != 0 {
				t.Errorf("history %s: after the whole list the range is $%s wide, known %t", name, width, known)
			}
		}
	}
	two := of(map[cost.Kind]int64{emailByName: 10, bothByName: 10}, cost.Allowances{}, nil)
	if width, known := two.WidthAfter(map[cost.Kind]int64{emailByName: 5}, standard()); known {
		t.Errorf("a sample that leaves a kind out tells a width of $%s", width)
	}
}

// TestFreeUnitsOfASampleAreNotCountedForTheRest shows that the free units that a sample uses are not
// counted on for the rest.
func TestFreeUnitsOfASampleAreNotCountedForTheRest(t *testing.T) {
	f := of(map[cost.Kind]int64{emailByName: 1000}, cost.Allowances{400, 0}, map[cost.Kind]cost.Totals{emailByName: seen(1000, 600)})
	width, known := f.WidthAfter(map[cost.Kind]int64{emailByName: 500}, standard())
	// Of the rest about 300 are returned and 100 free: 4 standard deviations of about 13.
	if !known || width < 6*cost.Dollar || width > 10*cost.Dollar {
		t.Errorf("after the sample the range is $%s wide, known %t", width, known)
	}
}

// TestThePredictedWidthAfterASampleMatchesSimulation looks up samples and compares how wide the ranges of the rest
// then are with what was said before.
func TestThePredictedWidthAfterASampleMatchesSimulation(t *testing.T) {
	w := world{usual(), all(100), all(int64(200)), cost.Allowances{20, 5}}
	random := rand.New(rand.NewPCG(3000, 1))
	past := w.past(random)
	told, known := w.forecast(past).WidthAfter(all(int64(50)), standard())
	if !known {
		t.Fatal("unknown")
	}
	const trials = 20
	var sum cost.Money
	for range trials {
		sample := world{w.rates, all(50), w.list, w.free}.past(random)
		after, rest := map[cost.Kind]cost.Totals{}, all(int64(150))
		for _, kind := range w.kinds() {
			after[kind] = plus(past[kind], sample[kind])
		}
		got, _ := of(rest, cost.Allowances{}, after).Spend(standard())
		sum += got.Width()
	}
	if mean := sum / trials; told < mean*85/100 || told > mean*115/100 {
		t.Errorf("told a width of $%s, it was $%s", told, mean)
	}
}

// plus returns the match rates of two histories together.
func plus(a, b cost.Totals) cost.Totals {
	a.Lookups += b.Lookups
	a.Whole += b.Whole
	for f := range a.Returned {
		a.Asked[f] += b.Asked[f]
		a.Returned[f] += b.Returned[f]
	}
	return a
}

func BenchmarkSpend(b *testing.B) {
	for name, lookups := range map[string]int64{"thousand": 1000, "ten million": 10_000_000} {
		w := world{usual(), all(500), all(lookups / 6), cost.Allowances{20, 5}}
		past := w.past(rand.New(rand.NewPCG(1, 1)))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, known := w.forecast(past).Spend(standard()); !known {
					b.Fatal("unknown")
				}
			}
		})
	}
}

func BenchmarkCovers(b *testing.B) {
	for name, lookups := range map[string]int64{"thousand": 1000, "ten million": 10_000_000} {
		w := world{usual(), all(500), all(lookups / 6), cost.Allowances{20, 5}}
		f := w.forecast(w.past(rand.New(rand.NewPCG(1, 1))))
		spend, _ := f.Spend(standard())
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, known := f.Covers(spend.Expected/2, standard()); !known {
					b.Fatal("unknown")
				}
			}
		})
	}
}
