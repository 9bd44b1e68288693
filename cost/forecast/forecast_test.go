package forecast_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/cost/forecast"
	"payonce/enrich"
)

// tariff has money and a free allowance for each field.
var tariff = cost.AllowancePerField(enrich.Named("work_email", "business_phone"))

// seen returns the sums of lookups for emails. found of them returned one.
func seen(lookups, found int64) cost.Totals {
	return cost.Totals{
		Lookups: lookups, Whole: found,
		Asked: enrich.ByField[int64]{email: lookups}, Returned: enrich.ByField[int64]{email: found},
	}
}

// of returns the forecast of a list by a history.
func of(list map[cost.Kind]int64, free cost.Allowances, history map[cost.Kind]cost.Totals) *forecast.Forecast {
	return forecast.New(forecast.Input{
		Lookups: list, Free: free, History: func(kind cost.Kind) cost.Totals { return history[kind] },
	})
}

func TestAForecastWithoutHistoryIsUnknownOrBorrowed(t *testing.T) {
	list := map[cost.Kind]int64{emailByProfile: 100, emailByName: 100, bothByName: 10, phoneByName: 0}
	tests := []struct {
		name              string
		history           map[cost.Kind]cost.Totals
		unknown, borrowed []cost.Kind
	}{
		{"none at all", nil, []cost.Kind{emailByProfile, emailByName, bothByName}, nil},
		{"one kind is missing", map[cost.Kind]cost.Totals{emailByProfile: seen(10, 5)}, []cost.Kind{bothByName}, []cost.Kind{emailByName}},
		{"lookups without an answer", map[cost.Kind]cost.Totals{emailByProfile: {Open: 3, Forfeited: 2}, bothByName: seen(3, 0)}, []cost.Kind{emailByProfile, emailByName}, nil},
		{"borrowed", map[cost.Kind]cost.Totals{emailByName: seen(9, 1), bothByProfile: seen(9, 1)}, nil, []cost.Kind{emailByProfile, bothByName}},
		{"its own", map[cost.Kind]cost.Totals{emailByName: seen(9, 1), emailByProfile: seen(1, 0), bothByName: seen(9, 1)}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := of(list, cost.Allowances{}, tt.history)
			if diff := cmp.Diff(tt.unknown, f.Unknown()); diff != "" {
				t.Errorf("unknown: %s", diff)
			}
			if diff := cmp.Diff(tt.borrowed, f.Borrowed()); diff != "" {
				t.Errorf("borrowed: %s", diff)
			}
			known := len(tt.unknown) == 0
			if _, got := f.Spend(standard()); got != known || f.Known() != known {
				t.Errorf("the spend is known: %t, want %t", got, known)
			}
			if _, got := f.Covers(cost.Dollar, standard()); got != known {
				t.Errorf("the coverage is known: %t, want %t", got, known)
			}
		})
	}
}

func TestAForecastWithoutAPriceIsUnknown(t *testing.T) {
	f := of(map[cost.Kind]int64{emailByName: 10}, cost.Allowances{}, map[cost.Kind]cost.Totals{emailByName: seen(10, 5)})
	for _, prices := range []cost.Prices{nil, {phone: 1}} {
		if got, known := f.Spend(prices); known {
			t.Errorf("without a price: %+v", got)
		}
		if got, known := f.Covers(cost.Dollar, prices); known {
			t.Errorf("without a price %+v are covered", got)
		}
		if got, known := f.WidthAfter(map[cost.Kind]int64{emailByName: 5}, prices); known {
			t.Errorf("without a price the range is %s wide", got)
		}
	}
	if _, known := f.Spend(cost.Prices{email: 1}); !known {
		t.Error("a price that is not needed is missed")
	}
}

func TestAForecastOfAnEmptyListIsZero(t *testing.T) {
	f := of(nil, cost.Allowances{}, nil)
	if got, known := f.Spend(nil); !known || got != (forecast.Range{}) {
		t.Errorf("an empty list costs %+v, known %t", got, known)
	}
	if got, known := f.Covers(0, nil); !known || got != 0 {
		t.Errorf("of an empty list %+v are covered, known %t", got, known)
	}
}

func TestForecastSpendFollowsTheHistory(t *testing.T) {
	long := map[cost.Kind]cost.Totals{emailByProfile: seen(100_000, 70_000)}
	nothing := map[cost.Kind]cost.Totals{emailByProfile: seen(100_000, 0)}
	tests := []struct {
		name               string
		lookups            int64
		free               cost.Allowances
		history            map[cost.Kind]cost.Totals
		expected, maxWidth cost.Money
	}{
		{"a well known rate", 1000, cost.Allowances{}, long, 105 * cost.Dollar, 10 * cost.Dollar},
		{"free units pay first", 1000, cost.Allowances{100, 100}, long, 90 * cost.Dollar, 10 * cost.Dollar},
		{"free units pay all", 1000, cost.Allowances{900, 0}, long, 0, 0},
		{"nothing is ever found", 1000, cost.Allowances{}, nothing, 0, 15 * cost.Cent},
		{"ten million", 10_000_000, cost.Allowances{}, long, 1_050_000 * cost.Dollar, 10_000 * cost.Dollar},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, known := of(map[cost.Kind]int64{emailByProfile: tt.lookups}, tt.free, tt.history).Spend(standard())
			if !known || got.Width() > tt.maxWidth {
				t.Errorf("the range is %+v, known %t", got, known)
			}
			if off := got.Expected - tt.expected; off < -tt.expected/1000 || off > tt.expected/1000 {
				t.Errorf("$%s is expected, want $%s", got.Expected, tt.expected)
			}
		})
	}
}

// anyHistory draws the answered lookups of a kind.
func anyHistory(t *rapid.T, kind cost.Kind) cost.Totals {
	var totals cost.Totals
	for range rapid.IntRange(0, 12).Draw(t, "lookups") {
		returned := enrich.Fields(rapid.Uint8Max(uint8(allFields)).Draw(t, "returned"))
		totals.Count(kind.Fields, returned&kind.Fields)
	}
	return totals
}

// TestAForecastStaysWithinTheMaximumAndIsReproducible shows of any list, history, allowance and price that the
// range is in order and within what the list can cost at most, that what an amount
// covers is too, and that all of it is the same the next time.
func TestAForecastStaysWithinTheMaximumAndIsReproducible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, history := map[cost.Kind]int64{}, map[cost.Kind]cost.Totals{}
		workload := cost.Workload{}
		for _, kind := range []cost.Kind{emailByProfile, emailByName, phoneByName, bothByProfile, bothByName} {
			list[kind] = rapid.SampledFrom([]int64{0, 0, 1, 2, 24, 25, 300}).Draw(t, "lookups")
			history[kind] = anyHistory(t, kind)
			workload[kind.Fields] += list[kind]
		}
		units := rapid.Int64Range(-2, 400)
		free := cost.Allowances{units.Draw(t, "free emails"), units.Draw(t, "free phones")}
		micros := rapid.Int64Range(0, 300_000)
		prices := cost.Prices{email: cost.Money(micros.Draw(t, "price of an email")), phone: cost.Money(micros.Draw(t, "price of a phone"))}
		f := of(list, free, history)
		got, known := f.Spend(prices)
		if !known {
			return
		}
		maximum, err := workload.Demand().Maximum(free, prices)
		if err != nil {
			t.Fatal(err)
		}
		if got.Low < 0 || got.Low > got.Expected || got.Expected > got.High || got.High > maximum {
			t.Errorf("%+v of at most %s", got, maximum)
		}
		left := cost.Money(rapid.Int64Range(-1, int64(maximum)+1).Draw(t, "left"))
		covers, _ := f.Covers(left, prices)
		surely, err := cost.LookupCosts{{Lookups: workload, Free: free, Rates: prices.Rates()}}.Covers(left)
		if err != nil || surely > covers || covers > workload.Lookups() {
			t.Errorf("$%s of $%s covers %d of %d lookups, %d surely; error %v", left, maximum, covers, workload.Lookups(), surely, err)
		}
		if left >= maximum && covers != workload.Lookups() {
			t.Errorf("the maximum covers %d of %d lookups", covers, workload.Lookups())
		}
		again := of(list, free, history)
		if spend, _ := again.Spend(prices); spend != got {
			t.Errorf("first %+v, then %+v", got, spend)
		}
		if other, _ := again.Covers(left, prices); other != covers {
			t.Errorf("first %d, then %d", covers, other)
		}
	})
}

// TestAForecastNarrowsWithMoreHistory shows that a range narrows with what is known, down to
// what luck alone leaves.
func TestAForecastNarrowsWithMoreHistory(t *testing.T) {
	last := cost.Money(math.MaxInt64)
	for _, lookups := range []int64{10, 100, 1000, 10_000} {
		got, _ := of(map[cost.Kind]int64{emailByName: 1000}, cost.Allowances{},
			map[cost.Kind]cost.Totals{emailByName: seen(lookups, lookups*6/10)}).Spend(standard())
		if got.Width() >= last {
			t.Errorf("after %d lookups the range is $%s wide, it was $%s", lookups, got.Width(), last)
		}
		last = got.Width()
	}
	// 1000 lookups at 60 %: 4 standard deviations of 15.5 fields at $0.15.
	if last < 8*cost.Dollar || last > 11*cost.Dollar {
		t.Errorf("a known rate leaves $%s to luck", last)
	}
}

// TestARangeBorrowedFromAnotherPatternIsWider shows that a long history of the other pattern does not
// make a range as narrow as one of its own.
func TestARangeBorrowedFromAnotherPatternIsWider(t *testing.T) {
	list := map[cost.Kind]int64{emailByName: 1000}
	mine, _ := of(list, cost.Allowances{}, map[cost.Kind]cost.Totals{emailByName: seen(5000, 3000)}).Spend(standard())
	other, _ := of(list, cost.Allowances{}, map[cost.Kind]cost.Totals{emailByProfile: seen(5000, 3000)}).Spend(standard())
	if other.Width() < 5*mine.Width() {
		t.Errorf("borrowed, the range is $%s wide; its own is $%s", other.Width(), mine.Width())
	}
	if off := other.Expected - mine.Expected; off < -2*cost.Dollar || off > 2*cost.Dollar {
		t.Errorf("$%s is expected, and $%s when borrowed", mine.Expected, other.Expected)
	}
}

// TestCoversProbably shows that of 100 lists, sent in any order until one lookup does
// not fit, about 95 get as far as is probable.
func TestCoversProbably(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const trials = 100
	w := world{usual(), all(60), all(int64(50)), cost.Allowances{20, 5}}
	const left = 20 * cost.Dollar
	probably := 0
	for trial := range uint64(trials) {
		random := rand.New(rand.NewPCG(2000, trial))
		covers, known := w.forecast(w.past(random)).Covers(left, standard())
		if !known {
			t.Fatal("unknown")
		}
		sent := w.sentUnder(left, random)
		if sent >= covers {
			probably++
		}
	}
	if probably < trials*90/100 || probably > trials*99/100 {
		t.Errorf("%d of %d lists got as far as is probable", probably, trials)
	}
}

// sentUnder sends the list, mixed, until a lookup does not fit under the limit.
func (w world) sentUnder(limit cost.Money, random *rand.Rand) int64 {
	var lookups []cost.Kind
	for _, kind := range w.kinds() {
		for range w.list[kind] {
			lookups = append(lookups, kind)
		}
	}
	random.Shuffle(len(lookups), func(i, j int) { lookups[i], lookups[j] = lookups[j], lookups[i] })
	var spent cost.Money
	allowance := cost.Allowance{Left: tariff.AllowanceAmounts(enrich.ByField[int64](w.free))}
	for i, kind := range lookups {
		hold := cost.Hold{Fields: kind.Fields, Rates: tariff.At(standard())}
		hold.Free, _ = allowance.Take(hold.Fields, hold.Rates)
		if spent+hold.Money() > limit {
			return int64(i)
		}
		charge := hold.Settle(w.rates[kind].look(hold.Fields, random))
		allowance.Left = allowance.Left.Minus(charge.Amounts)
		spent += charge.Money()
	}
	return int64(len(lookups))
}

func TestCompare(t *testing.T) {
	card := cost.RateCard{Options: []cost.Option{
		{Name: "payg", Prices: standard()},
		{Name: "growth", MonthlyIncluded: 149 * cost.Dollar, Prices: cost.Prices{email: 12 * cost.Cent}},
		{Name: "unpriced", Prices: cost.Prices{phone: 1}},
	}}
	history := map[cost.Kind]cost.Totals{emailByName: seen(10_000, 5000)}
	tests := []struct {
		lookups  int64
		cheapest string
		growth   cost.Money // its expected total
	}{
		{1000, "payg", 149 * cost.Dollar},   // 500 emails: $75.00
		{2400, "growth", 149 * cost.Dollar}, // 1200 emails: $180.00, which growth includes
		{20_000, "growth", 1200 * cost.Dollar},
	}
	for _, tt := range tests {
		ranges := of(map[cost.Kind]int64{emailByName: tt.lookups}, cost.Allowances{}, history).Compare(card)
		for _, r := range ranges {
			if r.Known != (r.Option.Name != "unpriced") {
				t.Errorf("%s is known: %t", r.Option.Name, r.Known)
			}
			if r.Cheapest != (r.Option.Name == tt.cheapest) {
				t.Errorf("%d lookups: %s is the cheapest: %t", tt.lookups, r.Option.Name, r.Cheapest)
			}
		}
		got := ranges[1].Total.Expected
		if off := got - tt.growth; off < -tt.growth/500 || off > tt.growth/500 {
			t.Errorf("%d lookups: growth is expected to cost $%s, want $%s", tt.lookups, got, tt.growth)
		}
	}
	for _, r := range of(map[cost.Kind]int64{emailByName: 1}, cost.Allowances{}, nil).Compare(card) {
		if r.Known || r.Cheapest {
			t.Errorf("without a history: %+v", r)
		}
	}
}
