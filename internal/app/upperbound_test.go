package app

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		switch random.IntN(6) {
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
