package pipeline

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"payonce/cost"
	"payonce/io/sandbox"
)

// TestARunUsesAtMostWhatItsPlanSays draws lists of companies that are named in any way, fields, limits and samples. A
// run uses no more than its plan says, and no more than the sample says whose limits it has. The same command again
// sends nothing.
func TestARunUsesAtMostWhatItsPlanSays(t *testing.T) {
	t.Parallel()
	known := t.TempDir()
	o := runOf(companyIDs(t, known, "ids.csv", 41, 60), "company")
	if _, err := bothIn(known).Run(t.Context(), o, silent{}); err != nil {
		t.Fatal(err)
	}
	companies := cells(t, o.Output.Path)
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			dir := t.TempDir()
			list := filepath.Join(dir, "list.csv")
			if err := os.WriteFile(list, []byte(drawCompanies(random, companies)), 0o600); err != nil {
				t.Fatal(err)
			}
			fields := [][]string{{"company"}, {"financials"}, {"company", "financials"}, {"company", "insights"}, {"company", "financials", "ownership"}}
			o := runOf(list, fields[random.IntN(len(fields))]...)
			o.List.Resolve = random.IntN(3) == 0
			o.List.Fallback = random.IntN(2) == 0
			sample := 1 + random.Int64N(6)
			planned, err := bothIn(dir).Plan(t.Context(), PlanOptions{List: o.List, Budget: o.Budget, Sample: &sample})
			if err != nil {
				t.Fatal(err)
			}
			most := map[string]int64{}
			for _, s := range planned.Plan.Steps {
				for _, units := range s.Units {
					most[units.Meter] += units.Most
				}
			}
			sampled := o
			sampled.List.Limit, sampled.Budget.Units = sample, planned.Plan.Sample.MaxUnits
			for _, run := range []struct {
				name string
				o    RunOptions
				most map[string]int64
			}{{"the sample", sampled, planned.Plan.Sample.MaxUnits}, {"the run", o, most}} {
				for start := range 3 {
					ended, err := bothIn(dir).Run(t.Context(), run.o, silent{})
					if err != nil {
						t.Fatalf("%s, start %d: %v", run.name, start, err)
					}
					if ended.Stop != nil {
						t.Errorf("%s, start %d: stopped by %v", run.name, start, ended.Stop)
					}
					if start > 0 && ended.Summary.Posts > 0 {
						t.Errorf("%s: start %d sent %d requests more", run.name, start, ended.Summary.Posts)
					}
					for _, account := range ended.Summary.Accounts {
						for _, units := range account.Units {
							if units.Used > run.most[units.Meter] {
								t.Errorf("%s used %d units of %s, at most %d were planned", run.name, units.Used, units.Meter, run.most[units.Meter])
							}
						}
					}
				}
			}
		})
	}
}

// drawCompanies returns a list of companies, each of them named in one way at least; some come again.
func drawCompanies(random *rand.Rand, companies []map[string]string) string {
	var text strings.Builder
	text.WriteString("Company,Website,Country,Registration number,company_id\n")
	for range 2 + random.IntN(10) {
		c := companies[random.IntN(min(len(companies), 8))]
		switch random.IntN(8) {
		case 6: // an unknown number, and what finds the company
			fmt.Fprintf(&text, "%q,%s,%s,9999%d,\n", c["company_name"], c["company_website"], c["company_country_code"], random.IntN(3))
		case 7: // an unknown id, and an unknown website
			fmt.Fprintf(&text, "%q,unknown%d.example,%s,%s,8888888%d\n", c["company_name"], random.IntN(3), c["company_country_code"], c["company_registration_number"], random.IntN(3))
		case 0:
			fmt.Fprintf(&text, ",%s,,,\n", c["company_website"])
		case 1:
			fmt.Fprintf(&text, ",,%s,%s,\n", c["company_country_code"], c["company_registration_number"])
		case 2:
			fmt.Fprintf(&text, ",,,,%s\n", c["company_id"])
		case 3:
			fmt.Fprintf(&text, "%q,,%s,,%s\n", c["company_name"], c["company_country_code"], c["company_id"])
		case 4:
			fmt.Fprintf(&text, "Nobody %d Ltd,,GB,,\n", random.IntN(3))
		default:
			fmt.Fprintf(&text, "%q,,%s,,\n", c["company_name"], c["company_country_code"])
		}
	}
	return text.String()
}

// TestARunSpendsAtMostWhatItsPlanSaysIsPossible draws prices and limits of units. Some responses are lost before the
// service counts the calls, and others after it. Each of several starts spends no more than its plan says. With limits
// that bind, the plan says less than the maximum of all lookups.
func TestARunSpendsAtMostWhatItsPlanSaysIsPossible(t *testing.T) {
	t.Parallel()
	seeds, lower := uint64(12), 0
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		s := stand(t, func(*sandbox.Config) {})
		var calls atomic.Int64
		s.lost = func(path string, handle func()) bool {
			if path == "metrics" || calls.Add(1)%8 != int64(seed%8) {
				return false
			}
			if calls.Load()%16 < 8 {
				handle()
			}
			return true
		}
		o := runOf(companyIDs(t, dir, "list.csv", 101, 110), "company", "financials")
		if random.IntN(2) == 0 {
			o = runOf(contacts(t, dir, 12, 4), "contact", "company")
		}
		o.Pace.Concurrency, o.Budget.MaxSpend = 1, new(100*cost.Dollar)
		prices := map[cost.Meter]cost.Money{}
		for _, name := range slices.Sorted(maps.Keys(allUnits())) {
			o.Budget.Units[name] = random.Int64N(8)
			if random.IntN(3) > 0 {
				prices[meterNamed(t, name)] = cost.Money(1+random.Int64N(50)) * cost.Cent
			}
		}
		work := func() *Work {
			w := s.work(dir)
			setPrices(w, prices)
			w.Workspace.Exclusive = seed%3 == 0
			return w
		}
		for start := range 4 {
			planned, err := work().Plan(t.Context(), PlanOptions{List: o.List, Budget: o.Budget})
			if err != nil {
				t.Fatal(err)
			}
			ended, err := work().Run(t.Context(), o, silent{})
			if err != nil {
				t.Fatal(err)
			}
			plan := planned.Plan
			if ended.Summary.SpentNow > plan.Possible || plan.Possible > plan.Maximum {
				t.Errorf("seed %d, start %d: $%s were spent, $%s were possible, the maximum is $%s", seed, start, ended.Summary.SpentNow, plan.Possible, plan.Maximum)
			}
			if plan.Possible < plan.Maximum {
				lower++
			}
			for _, name := range slices.Sorted(maps.Keys(o.Budget.Units)) {
				o.Budget.Units[name] += random.Int64N(4)
			}
		}
	}
	if lower == 0 {
		t.Error("no limit on units lowered what a plan says is possible")
	}
}
