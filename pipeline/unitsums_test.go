package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/pipeline/dispatch"
)

// crossing writes a random list of companies. Rows name each by some of its identities, and several rows name one. Some
// have an identity that the service does not know, so that they ask by another one with fallbacks.
func crossing(t *testing.T, dir string, random *rand.Rand) string {
	t.Helper()
	known := cells(t, everyWay(t, t.TempDir()))
	text := "Company,Website,Country,Registration number\n"
	for range 80 {
		c, other := known[random.IntN(len(known))], known[random.IntN(len(known))]
		website, number := c["Website"], c["Registration number"]
		country := c["Country"]
		if random.IntN(2) == 0 {
			website = other["Website"]
		}
		switch random.IntN(4) {
		case 0:
			website = fmt.Sprintf("unknown-%d.example", random.IntN(5))
		case 1:
			number = fmt.Sprintf("99%d", random.IntN(5))
		}
		text += fmt.Sprintf("%q,%s,%s,%s\n", c["Company"], website, country, number)
	}
	list := filepath.Join(dir, "crossing.csv")
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestUnitColumnsAddUpWhereRowsShareIdentities runs random lists with fallbacks, with and without limits that end the
// run early. The columns of units say in sum what the service counted and what the summary says.
func TestUnitColumnsAddUpWhereRowsShareIdentities(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 7))
		dir := t.TempDir()
		service := stand(t, func(*sandbox.Config) {})
		o := runOf(crossing(t, dir, random), "company", "financials")
		o.List.Fallback, o.List.Resolve = true, random.IntN(2) == 0
		if random.IntN(2) == 0 {
			o.Budget.Units["companies"] = 20 + random.Int64N(20)
		}
		ended, err := service.work(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if _, ceiling := ended.Stop.(dispatch.CeilingReached); ended.Stop != nil && !ceiling {
			t.Fatalf("seed %d: stopped by %v", seed, ended.Stop)
		}
		rows := cells(t, o.Output.Path)
		checkUnits(t, rows, service, "companies", "financials")
		for _, units := range ended.Summary.Accounts[0].Units {
			sum := int64(0)
			for _, row := range rows {
				var used int64
				_, _ = fmt.Sscan(row["enrich_units_"+units.Meter], &used) // an empty cell is 0
				sum += used
			}
			if sum != units.Used {
				t.Errorf("seed %d: the rows used %d units of %s, and the summary says %d", seed, sum, units.Meter, units.Used)
			}
		}
	}
}

// TestTheChargeOfADuplicateIsNotShownAgain has two rows of one person for the first interface, which are two persons for
// the second one. The charges of the rows are in sum what the run spent.
func TestTheChargeOfADuplicateIsNotShownAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	service := stand(t, func(*sandbox.Config) {})
	var text strings.Builder
	text.WriteString("First Name,Last Name,Company,Email,Phone\n")
	for i := range 40 {
		fmt.Fprintf(&text, "Ann%d,Lee,Acme %d,,+1 555 %d\nAnn%d,Lee,Acme %d,ann%d@acme-%d.example,\n", i, i, i, i, i, i, i)
	}
	list := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(list, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runOf(list, "email", "phone")
	o.List.From = []string{"v1", "v2"}
	maxSpend := 100 * cost.Dollar
	o.Budget.MaxSpend, o.Budget.Strict = &maxSpend, true
	ended, err := service.work(dir).Run(t.Context(), o, silent{})
	if err != nil || ended.Stop != nil {
		t.Fatalf("%v, stopped by %v", err, ended.Stop)
	}
	sum := cost.Money(0)
	for _, row := range cells(t, o.Output.Path) {
		if cell := row["enrich_charge_usd"]; cell != "" {
			amount, err := cost.ParseMoney(cell)
			if err != nil {
				t.Fatal(err)
			}
			sum += amount
		}
	}
	if sum != ended.Summary.Spent || sum == 0 {
		t.Errorf("the rows say $%s, the summary $%s", sum, ended.Summary.Spent)
	}
}
