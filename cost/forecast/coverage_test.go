package forecast_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"payonce/cost"
	"payonce/cost/forecast"
	"payonce/enrich"
)

const (
	email     = enrich.Field(0)
	phone     = enrich.Field(1)
	allFields = enrich.Fields(1<<email | 1<<phone)
)

var (
	emailByProfile = cost.Kind{Fields: enrich.FieldsOf(email), Pattern: enrich.ByProfile}
	emailByName    = cost.Kind{Fields: enrich.FieldsOf(email), Pattern: enrich.ByName}
	phoneByProfile = cost.Kind{Fields: enrich.FieldsOf(phone), Pattern: enrich.ByProfile}
	phoneByName    = cost.Kind{Fields: enrich.FieldsOf(phone), Pattern: enrich.ByName}
	bothByProfile  = cost.Kind{Fields: allFields, Pattern: enrich.ByProfile}
	bothByName     = cost.Kind{Fields: allFields, Pattern: enrich.ByName}
)

// standard are the prices of prepaid use (specification v1, "Allowances and rate card").
func standard() cost.Prices {
	return cost.Prices{email: 15 * cost.Cent, phone: 25 * cost.Cent}
}

// truth is the real match rates of a kind of lookup: the shares of lookups that return
// an email alone, a phone alone and both.
type truth struct{ email, phone, both float64 }

// look draws what one lookup returns.
func (r truth) look(asked enrich.Fields, random *rand.Rand) enrich.Fields {
	at := random.Float64()
	for _, outcome := range []struct {
		share  float64
		fields enrich.Fields
	}{
		{r.email, enrich.FieldsOf(email)}, {r.phone, enrich.FieldsOf(phone)}, {r.both, allFields},
	} {
		if at < outcome.share {
			return outcome.fields & asked
		}
		at -= outcome.share
	}
	return 0
}

// world is lists of one make-up, with a history, and their real match rates.
type world struct {
	rates   map[cost.Kind]truth
	history map[cost.Kind]int
	list    map[cost.Kind]int64
	free    cost.Allowances
}

// kinds returns the kinds of the list in an order that is always the same.
func (w world) kinds() []cost.Kind {
	return slices.SortedFunc(maps.Keys(w.list), func(a, b cost.Kind) int {
		return 2*(int(a.Fields)-int(b.Fields)) + int(a.Pattern) - int(b.Pattern)
	})
}

// past draws a history.
func (w world) past(random *rand.Rand) map[cost.Kind]cost.Totals {
	past := map[cost.Kind]cost.Totals{}
	for _, kind := range w.kinds() {
		var totals cost.Totals
		asked := kind.Fields
		for range w.history[kind] {
			totals.Count(asked, w.rates[kind].look(asked, random))
		}
		past[kind] = totals
	}
	return past
}

// spend draws what the list really costs: one lookup after the other, by the rules by
// which the journal settles them.
func (w world) spend(random *rand.Rand) cost.Money {
	var spend cost.Money
	allowance := cost.Allowance{Left: tariff.AllowanceAmounts(enrich.ByField[int64](w.free))}
	for _, kind := range w.kinds() {
		asked := kind.Fields
		for range w.list[kind] {
			hold := cost.Hold{Fields: asked, Rates: tariff.At(standard())}
			hold.Free, _ = allowance.Take(asked, hold.Rates)
			charge := hold.Settle(w.rates[kind].look(asked, random))
			allowance.Left = allowance.Left.Minus(charge.Amounts)
			spend += charge.Money()
		}
	}
	return spend
}

// forecast is what a history tells about the list.
func (w world) forecast(past map[cost.Kind]cost.Totals) *forecast.Forecast {
	return forecast.New(forecast.Input{
		Lookups: w.list, Free: w.free, History: func(kind cost.Kind) cost.Totals { return past[kind] },
	})
}

// all returns the same number for every kind of lookup.
func all[N int | int64](n N) map[cost.Kind]N {
	numbers := map[cost.Kind]N{}
	for _, kind := range []cost.Kind{emailByProfile, emailByName, phoneByProfile, phoneByName, bothByProfile, bothByName} {
		numbers[kind] = n
	}
	return numbers
}

// usual are match rates as they may be; a profile finds more than a name.
func usual() map[cost.Kind]truth {
	return map[cost.Kind]truth{
		emailByProfile: {email: 0.72},
		emailByName:    {email: 0.41},
		phoneByProfile: {phone: 0.45},
		phoneByName:    {phone: 0.22},
		bothByProfile:  {email: 0.34, phone: 0.07, both: 0.38},
		bothByName:     {email: 0.25, phone: 0.05, both: 0.17},
	}
}

// only returns a world of one kind of lookup.
func only(kind cost.Kind, rates truth, history int, list int64, free cost.Allowances) world {
	return world{map[cost.Kind]truth{kind: rates}, map[cost.Kind]int{kind: history}, map[cost.Kind]int64{kind: list}, free}
}

// TestTheRangeCoversTheSpend shows that the range holds the real spend in about 95 of
// 100 lists: each with a history of its own, drawn by the same match rates. Where the
// spend has few values a range of whole ones has to cover more. The bounds leave 2.5
// standard errors for the luck of 200 lists of one make-up, and of all together.
func TestTheRangeCoversTheSpend(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const trials = 200
	tests := []struct {
		name  string
		world world
		exact bool // the spend has enough values for 95 % to be met
	}{
		{"emails, a short history", only(emailByProfile, truth{email: 0.72}, 15, 400, cost.Allowances{}), true},
		{"emails, a history as long as the list", only(emailByProfile, truth{email: 0.72}, 300, 300, cost.Allowances{}), true},
		{"emails, a long history", only(emailByName, truth{email: 0.41}, 3000, 200, cost.Allowances{}), true},
		{"emails that are nearly always found", only(emailByProfile, truth{email: 0.97}, 200, 400, cost.Allowances{}), true},
		{"phones that are seldom found", only(phoneByName, truth{phone: 0.04}, 200, 600, cost.Allowances{}), true},
		{"both, correlated", only(bothByProfile, truth{email: 0.05, phone: 0.02, both: 0.55}, 100, 300, cost.Allowances{}), true},
		{"both, one or the other", only(bothByName, truth{email: 0.45, phone: 0.45}, 100, 300, cost.Allowances{}), true},
		{"an allowance that ends in the middle", only(bothByProfile, truth{email: 0.34, phone: 0.07, both: 0.38}, 80, 200, cost.Allowances{80, 30}), true},
		{"an allowance that is just enough", only(emailByProfile, truth{email: 0.5}, 100, 200, cost.Allowances{100, 0}), false},
		{"an allowance that is never used up", only(emailByProfile, truth{email: 0.5}, 100, 200, cost.Allowances{400, 0}), false},
		{"a list of one", only(emailByProfile, truth{email: 0.72}, 50, 1, cost.Allowances{}), false},
		{"a list of five", only(bothByProfile, truth{email: 0.34, phone: 0.07, both: 0.38}, 50, 5, cost.Allowances{1, 1}), false},
		{"a history of one", only(emailByProfile, truth{email: 0.6}, 1, 300, cost.Allowances{}), false},
		{"all kinds", world{usual(), all(60), all(int64(50)), cost.Allowances{20, 5}}, true},
		{"all kinds, mostly free", world{usual(), all(60), all(int64(20)), cost.Allowances{45, 25}}, true},
		{"all kinds, histories of all lengths", world{usual(), map[cost.Kind]int{
			emailByProfile: 2000, emailByName: 12, phoneByProfile: 40, phoneByName: 300, bothByProfile: 25, bothByName: 700,
		}, all(int64(70)), cost.Allowances{20, 5}}, true},
	}
	lists, covered := 0, 0
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			below, within := 0, 0
			for trial := range uint64(trials) {
				random := rand.New(rand.NewPCG(1000+uint64(i), trial))
				expected, known := tt.world.forecast(tt.world.past(random)).Spend(standard())
				if !known || expected.Low > expected.Expected || expected.Expected > expected.High {
					t.Fatalf("the forecast is %+v, known %t", expected, known)
				}
				switch spend := tt.world.spend(random); {
				case spend < expected.Low:
					below++
				case spend <= expected.High:
					within++
				}
			}
			coverage := float64(within) / trials
			t.Logf("covers %.3f, %.3f below and %.3f above", coverage, float64(below)/trials, float64(trials-below-within)/trials)
			if coverage < 0.91 || tt.exact && coverage > 0.99 {
				t.Errorf("the range covers %.1f %% of the lists, want about 95 %%", 100*coverage)
			}
			if tt.exact {
				lists, covered = lists+trials, covered+within
			}
		})
	}
	if coverage := float64(covered) / float64(lists); coverage < 0.938 || coverage > 0.962 {
		t.Errorf("the ranges cover %.1f %% of %d lists, want 95 %%", 100*coverage, lists)
	} else {
		t.Logf("the ranges cover %.1f %% of %d lists", 100*coverage, lists)
	}
}
