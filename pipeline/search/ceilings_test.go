package search_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/search"
	"payonce/pipeline/workspace"
)

// read calls do with the journal of the bench, which a search may own meanwhile.
func (b *bench) read(t *testing.T, do func(*checkpoint.Journal)) {
	t.Helper()
	place := &workspace.Session{Options: b.opts, Env: workspace.Environment{Now: b.now, Program: "batch", Version: "test"}}
	if err := place.Read(context.WithoutCancel(t.Context()), "test"); err != nil {
		t.Error(err)
		return
	}
	defer place.Close()
	do(place.Journal)
}

// employees is a search for the employees of ten companies, which have 145 together.
func (b *bench) employees(t *testing.T) search.Options {
	o := b.options(order(t, "employees"))
	o.Order.Companies = slices.Values([]string{"1", "12", "13", "14", "15", "16", "17", "18", "19", "20"})
	o.Order.Count = 10
	return o
}

// TestEachPageIsHeldBeforeItIsSent reads the journal whenever a call arrives. By then the journal holds the unit and the
// money of every call that has arrived, and never more than a ceiling allows. Some responses are lost. The service
// counted some of those calls.
func TestEachPageIsHeldBeforeItIsSent(t *testing.T) {
	const price = 5 * cost.Cent
	for name, limit := range map[string]pipeline.Budget{
		"units":           {Units: map[string]int64{"contacts": 6}},
		"units of a day":  {DailyUnits: map[string]int64{"contacts": 6}},
		"money":           {MaxSpend: new(6*price + price - 1)},
		"money and units": {MaxSpend: new(6 * price), Units: map[string]int64{"contacts": 7}, MonthlyUnits: map[string]int64{"contacts": 9}},
		"money of a day":  {Daily: new(6 * price), Units: map[string]int64{"contacts": 100}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 0)
			b.setPrices(v2.Prices{v2.MeterContacts: price})
			o := b.employees(t)
			o.Run, o.Budget, o.Pace.Concurrency = "search", limit, 4
			counted, before := int64(0), int64(0)
			b.spoil = func(number int, w http.ResponseWriter, count func()) bool {
				b.read(t, func(journal *checkpoint.Journal) {
					of, err := journal.For(1)
					if err != nil {
						t.Error(err)
						return
					}
					totals := of.Totals(of.Number().Scope(checkpoint.RunScope("search")))
					both := totals.Settled.Plus(totals.Held)
					held, money := both[v2.MeterContacts], both.Money()
					if held < counted+1 || held > 6 {
						t.Errorf("call %d: %d units are held, %d were counted", number, held, counted)
					}
					// Calls in doubt hold their whole price, also when fewer units were counted.
					if money < price*cost.Money(held) || limit.Units == nil && limit.DailyUnits == nil && money > 6*price {
						t.Errorf("call %d: $%s are held with %d units", number, money, held)
					}
				})
				lost := number%3 == 0
				if !lost || number%2 == 0 {
					counted++
				}
				if lost {
					if number%2 == 0 {
						count()
					}
					drop(w)
				}
				return lost
			}
			for range 4 {
				ended := b.run(t, o)
				if b.used["contacts"] > 6 || ended.Stop == nil || b.used["contacts"] < before {
					t.Errorf("stop %v, the service counted %v", ended.Stop, b.used)
				}
				before = b.used["contacts"]
			}
			b.checkOnce(t)
			if before < 4 {
				t.Errorf("only %d pages were counted", before)
			}
		})
	}
}

// TestSearchesOfAJobShareItsCeilings searches twice for one job in a day, and again on the next day.
func TestSearchesOfAJobShareItsCeilings(t *testing.T) {
	b := newBench(t, 200)
	noon := time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)
	day := 0
	b.now = func() time.Time { return noon.Add(time.Duration(day) * 24 * time.Hour) }
	search := func(filter, want string, used int64) {
		t.Helper()
		o := b.options(order(t, "companies", filter))
		o.Budget = pipeline.Budget{Job: "nightly", DailyUnits: map[string]int64{"companies": 2}, MonthlyUnits: map[string]int64{"companies": 5}}
		if ended := b.run(t, o); stopWord(ended) != want || b.used["companies"] != used {
			t.Errorf("day %d, %s: stop %q, the service counted %v", day, filter, stopWord(ended), b.used)
		}
	}
	search("number_of_employees=0..1500", "ceiling:daily-units companies", 2)
	search("number_of_employees=0..1400", "ceiling:daily-units companies", 2)
	if noon.AddDate(0, 0, 2).Month() != noon.Month() {
		return // the month ends
	}
	day = 1
	search("number_of_employees=0..1500", "ceiling:daily-units companies", 4)
	day = 2
	search("number_of_employees=0..1400", "ceiling:monthly-units companies", 5)
}

// TestTheRecordOfASearchHasItsCeilings: the units are those of the account of v2, as they are for runs.
func TestTheRecordOfASearchHasItsCeilings(t *testing.T) {
	b := newBench(t, 60)
	o := b.options(order(t, "companies"))
	o.Run, o.Budget = "search", pipeline.Budget{Job: "nightly", MaxSpend: new(cost.Dollar), Units: map[string]int64{"companies": 2}}
	b.run(t, o)
	b.read(t, func(journal *checkpoint.Journal) {
		run, _, err := journal.Run("search")
		scope := checkpoint.RunScope("search")
		asked := []checkpoint.AskedAccount{{Account: 1, Ceilings: []cost.Ceiling{
			{Name: "max-units companies", Scope: scope, Meter: v2.MeterCompanies, Limit: 2},
		}}}
		if diff := cmp.Diff(asked, run.Accounts); err != nil || diff != "" || run.MaxSpend != cost.Dollar || run.Job != "nightly" {
			t.Errorf("%+v, error %v\n%s", run, err, diff)
		}
		if diff := cmp.Diff([]cost.Ceiling{cost.SpendCeiling("max-spend", scope, cost.Dollar)}, run.Ceilings); diff != "" {
			t.Error(diff)
		}
	})
}

// TestASearchSendsAtMostWhatItsPlanSays plans under each limit before and between two starts.
func TestASearchSendsAtMostWhatItsPlanSays(t *testing.T) {
	const price = 5 * cost.Cent
	for name, test := range map[string]struct {
		budget pipeline.Budget
		most   int64
	}{
		"money":              {pipeline.Budget{MaxSpend: new(2*price + 1)}, 2},
		"money of the month": {pipeline.Budget{MaxSpend: new(cost.Dollar), WorkspaceMonthly: new(2 * price)}, 2},
		"units":              {pipeline.Budget{Units: map[string]int64{"companies": 2}}, 2},
		"units of a day":     {pipeline.Budget{DailyUnits: map[string]int64{"companies": 2}}, 2},
		"less money than units": {
			pipeline.Budget{Units: map[string]int64{"companies": 50}, MaxSpend: new(2 * price)}, 2,
		},
		"nothing that binds": {pipeline.Budget{Units: map[string]int64{"companies": 50}, MaxSpend: new(cost.Dollar)}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 120)
			b.setPrices(v2.Prices{v2.MeterCompanies: price})
			o := b.options(order(t, "companies"))
			o.Budget = test.budget
			for _, most := range []int64{test.most, 0} {
				plan, err := search.MakePlan(t.Context(), b.work(t), o)
				if err != nil || plan.AtMost == nil || plan.Maximum == nil {
					t.Fatalf("%+v, error %v", plan, err)
				}
				before := maps.Clone(b.used)
				ended := b.run(t, o)
				used := b.used["companies"] - before["companies"]
				if *plan.AtMost != most || used > *plan.AtMost || cost.Money(used)*price > *plan.Maximum || *plan.Maximum != cost.Money(most)*price {
					t.Errorf("planned at most %d calls for $%s, want %d; the service counted %d", *plan.AtMost, plan.Maximum, most, used)
				}
				if want := cost.Money(b.used["companies"]) * price; *ended.Summary.Spent != want {
					t.Errorf("the search spent $%s, want $%s", ended.Summary.Spent, want)
				}
			}
			if limit := test.budget.Units["companies"]; fmt.Sprint(limit) != fmt.Sprint(limitOf(t, b, o)) {
				t.Errorf("the plan shows a limit of %d, want %d", limitOf(t, b, o), limit)
			}
		})
	}
}

// limitOf returns the limit on units that a plan shows, 0 for none.
func limitOf(t *testing.T, b *bench, o search.Options) int64 {
	t.Helper()
	plan, err := search.MakePlan(t.Context(), b.work(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Units[0].Limit == nil {
		return 0
	}
	return *plan.Units[0].Limit
}

// TestRecordsAreKeptToTheirCeilingsAndBoughtOnce loses every third response, counted or not, and starts again until the
// ceiling is reached: of rows that are completed, of figures of years, and of pages of the search by what names a company.
func TestRecordsAreKeptToTheirCeilingsAndBoughtOnce(t *testing.T) {
	for _, test := range []struct{ kind, module string }{{"autocomplete", "companies"}, {"figures", "financials"}, {"overview", "companies"}} {
		t.Run(test.kind, func(t *testing.T) {
			b := newBench(t, 60)
			o := b.options(order(t, test.kind))
			switch test.kind {
			case "figures":
				o = b.options(order(t, test.kind, "year=2023,2024"))
				o.Order.Companies, o.Order.Count = slices.Values([]string{"1", "2", "3", "4", "5", "6"}), 6
			case "autocomplete":
				o.Order.Rows, o.Order.Count = func(yield func(string, map[string]string) bool) {
					for i := range 12 {
						if !yield(fmt.Sprint(i), map[string]string{"name": fmt.Sprint("Acme ", i)}) {
							return
						}
					}
				}, 12
			}
			const most = 8
			o.Run, o.Budget = "search", pipeline.Budget{Units: map[string]int64{test.module: most}}
			o.Pace.Concurrency = 1
			b.spoil = func(number int, w http.ResponseWriter, count func()) bool {
				lost := number%3 == 0
				if lost {
					if number%2 == 0 {
						count()
					}
					drop(w)
				}
				return lost
			}
			for range 4 {
				b.run(t, o)
				b.read(t, func(journal *checkpoint.Journal) {
					of, err := journal.For(1)
					if err != nil {
						t.Fatal(err)
					}
					totals := of.Totals(of.Number().Scope(checkpoint.RunScope("search")))
					both := totals.Settled.Plus(totals.Held)
					held := max(both[v2.MeterCompanies], both[v2.MeterFinancials])
					if held > most || held < b.used[test.module] {
						t.Errorf("%d units are settled or held, and the service counted %v", held, b.used)
					}
				})
			}
			b.checkOnce(t)
			if b.used[test.module] > most || b.used[test.module] < most/2 {
				t.Errorf("the service counted %v", b.used)
			}
		})
	}
}
