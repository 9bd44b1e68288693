package pipeline

import (
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// bothIn returns work with both interfaces of a sandbox of its own.
func bothIn(dir string) *Work {
	w := workIn(dir)
	rate := checkpoint.Rate{Slots: 10_000, Window: time.Second}
	for i := range w.Workspace.Services {
		of := &w.Workspace.Services[i]
		of.Rate, of.Kept, of.Timeout = rate, rate, time.Minute
	}
	return w
}

// staff returns persons of the embedded services, who work for a few companies in turn. No two of them have the same name
// and company.
func staff(persons, companies int) (all []world.Employee) {
	config := sandbox.DefaultConfig()
	w := world.World{People: world.People{Seed: config.Seed, MatchRates: config.MatchRates, UnknownRate: config.UnknownRate}}
	places := []int{0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11} // the one in the third place may have the name of another one
	var employers []world.Company
	for id := 1; len(employers) < companies; id++ {
		c, exists := w.ByID(strconv.Itoa(id))
		if exists && c.Staff() > slices.Max(places) && len(w.ByName(c.Name())) == 1 {
			employers = append(employers, c)
		}
	}
	for i := range persons {
		e, _ := w.Employee(employers[i%companies], places[i/companies])
		all = append(all, e)
	}
	return all
}

// contacts writes a list of persons at a few companies.
func contacts(t *testing.T, dir string, persons, companies int) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("First Name,Last Name,Company\n")
	for _, e := range staff(persons, companies) {
		fmt.Fprintf(&text, "%s,%s,%s\n", e.First, e.Last, e.Company.Name())
	}
	list := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(list, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return list
}

// cells returns the rows of a CSV file by the names of its columns.
func cells(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// allUnits are limits that no test reaches.
func allUnits() map[string]int64 {
	return map[string]int64{
		"companies": 9999, "contacts": 9999, "financials": 9999, "digital_insights": 9999, "ownership": 9999,
		"email_count": 9999, "phone_count": 9999,
	}
}

// runOf returns options of a run of a list to out.csv beside it.
func runOf(list string, fields ...string) RunOptions {
	return RunOptions{
		List:   List{Names: []string{list}, Fields: fields, Prefer: enrich.ByProfile, Memory: 1 << 20},
		Budget: Budget{Units: allUnits()}, Pace: Pace{Concurrency: 4},
		Output: Output{Path: filepath.Join(filepath.Dir(list), "out.csv")}, Yes: true,
	}
}

// TestAPlanCountsCompaniesOnceThatTheListNamesByTheirIDs plans a list of ids, and one of websites and ids.
func TestAPlanCountsCompaniesOnceThatTheListNamesByTheirIDs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	for text, want := range map[string]map[string]int64{
		"company_id\n101\n102\n103\n":                                            {"v2_company": 3, "v2_financials": 3, "v2_ownership": 3},
		"company_id,website\n101,\n,alder.example\n103,\n,birch.example\n101,\n": {"v2_company": 4, "v2_financials": 4, "v2_ownership": 4},
	} {
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		planned, err := bothIn(dir).Plan(t.Context(), PlanOptions{List: runOf(list, "company", "financials", "ownership").List, Budget: Budget{Units: allUnits()}})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for _, s := range planned.Plan.Steps {
			got[s.Step] = s.Lookups
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: lookups of the steps (-want +got):\n%s", text, diff)
		}
	}
}

// TestEachCompanyOfContactsIsAskedForOnce asks for contacts, and then for their companies by the ids that the
// answers have. A second start asks for nothing, and the output can be written again from the journal.
func TestEachCompanyOfContactsIsAskedForOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := contacts(t, dir, 20, 4)
	o := runOf(list, "contact", "company")
	planned, err := bothIn(dir).Plan(t.Context(), PlanOptions{List: o.List, Budget: o.Budget})
	if err != nil {
		t.Fatal(err)
	}
	want := []report.PlanStep{
		{Step: "v2_contact", Lookups: 20, Fields: map[string]int64{"contact": 20, "email": 20, "phone": 20}},
		{Step: "v2_company", Lookups: 20, UpTo: true, Fields: map[string]int64{"company": 20}},
	}
	var got []report.PlanStep
	for _, s := range planned.Plan.Steps {
		got = append(got, report.PlanStep{Step: s.Step, Lookups: s.Lookups, UpTo: s.UpTo, Fields: s.Fields})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the steps of the plan (-want +got):\n%s", diff)
	}
	ended, err := bothIn(dir).Run(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	rows := cells(t, o.Output.Path)
	found, ids := 0, map[string]bool{}
	for _, row := range rows {
		if id := row["contact_company_id"]; id != "" {
			found++
			ids[id] = true
			if row["company_id"] != id || row["company_name"] == "" {
				t.Errorf("a contact of company %s got company %s %q", id, row["company_id"], row["company_name"])
			}
		}
	}
	if ended.Stop != nil || ended.Summary.Posts != int64(20+len(ids)) || found < 15 || len(ids) > 4 {
		t.Errorf("%d posts for %d contacts at %d companies, stopped by %v", ended.Summary.Posts, found, len(ids), ended.Stop)
	}
	before, err := os.ReadFile(o.Output.Path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := bothIn(dir).Run(t.Context(), o, silent{})
	if err != nil || again.Summary.Posts != 0 {
		t.Fatalf("a second start sent %d posts: %v", again.Summary.Posts, err)
	}
	reading := List{Prefer: enrich.ByProfile, Memory: 1 << 20}
	if _, err := bothIn(dir).Write(t.Context(), ended.Summary.Run, reading, o.Output); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(o.Output.Path); err != nil || string(after) != string(before) {
		t.Errorf("the output that was written again is another one: %v", err)
	}
}

// TestTheLimitHoldsForCompaniesThatTheListNamesByTheirIDs asks for the figures of the first two of six.
func TestTheLimitHoldsForCompaniesThatTheListNamesByTheirIDs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(list, []byte("company_id\n101\n102\n103\n104\n105\n106\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runOf(list, "financials")
	o.List.Limit = 2
	ended, err := bothIn(dir).Run(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	if ended.Stop != nil || ended.Summary.Posts != 2 {
		t.Errorf("%d posts for the first 2 companies, stopped by %v", ended.Summary.Posts, ended.Stop)
	}
}

// TestARunNeedsALimitOnAllUnitsThatItCanUse: nothing is sent without one, and the error names each.
func TestARunNeedsALimitOnAllUnitsThatItCanUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := runOf(contacts(t, dir, 3, 1), "email", "contact", "company")
	o.List.From, o.Budget.Units = []string{"v2"}, map[string]int64{"contacts": 5}
	_, err := bothIn(dir).Run(t.Context(), o, silent{})
	found, _ := errors.AsType[*problem.Error](err)
	if found == nil || found.Code != "max_units_missing" || found.Kind != problem.Usage {
		t.Fatalf("%v", err)
	}
	if want := []any{"companies", "email_count", "phone_count"}; !slices.Equal(found.Values, want) {
		t.Errorf("missing %v, want %v", found.Values, want)
	}
	o.Budget.Units, o.Budget.MonthlyUnits = map[string]int64{"contacts": 2, "companies": 9}, map[string]int64{"email_count": 9, "phone_count": 9}
	ended, err := bothIn(dir).Run(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	if ended.Stop == nil || ended.Stop.Word() != "ceiling:max-units contacts" || ended.Summary.Posts > 3 {
		t.Errorf("stopped by %v after %d posts", ended.Stop, ended.Summary.Posts)
	}
}

// TestMoneyLimitsUnitsThatHaveAPrice: a unit that costs money needs no limit of its own, and each that costs
// nothing needs one.
func TestMoneyLimitsUnitsThatHaveAPrice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := runOf(companyIDs(t, dir, "list.csv", 101, 108), "company", "ownership")
	o.Budget.Units = map[string]int64{"ownership": 99}
	work := func() *Work {
		w := bothIn(dir)
		setPrices(w, map[cost.Meter]cost.Money{meterNamed(t, "companies"): 10 * cost.Cent})
		return w
	}
	code := func() string {
		_, err := work().Run(t.Context(), o, silent{})
		if found, is := errors.AsType[*problem.Error](err); is {
			return found.Code
		}
		return fmt.Sprint(err)
	}
	if got := code(); got != "max_spend_missing" {
		t.Errorf("without a limit on money: %s", got)
	}
	o.Budget.MaxSpend, o.Budget.Units = new(35*cost.Cent), nil
	if got := code(); got != "max_units_missing" {
		t.Errorf("without a limit on units that cost nothing: %s", got)
	}
	o.Budget.Units = map[string]int64{"ownership": 99}
	ended, err := work().Run(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	if ended.Stop == nil || ended.Stop.Word() != "ceiling:max-spend" || ended.Summary.Spent != 30*cost.Cent {
		t.Errorf("stopped by %v after $%s", ended.Stop, ended.Summary.Spent)
	}
}

// setPrices sets what units of v2 cost the user.
func setPrices(w *Work, prices map[cost.Meter]cost.Money) {
	provider.Change(w.Workspace.Services, func(p *providerv2.Provider) { p.Prices = prices })
}

// meterNamed returns the meter of v2 with a name.
func meterNamed(t *testing.T, name string) cost.Meter {
	t.Helper()
	meters := providerv2.Provider{}.Interface().Tariff.Meters
	at := slices.IndexFunc(meters, func(m cost.MeterInfo) bool { return m.Name == name })
	if at < 0 {
		t.Fatalf("v2 has no meter %s", name)
	}
	return cost.Meter(at)
}

// TestAFieldOfAnInterfaceThatIsNotConfiguredIsRefused says which interface it needs.
func TestAFieldOfAnInterfaceThatIsNotConfiguredIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workIn(dir)
	w.Workspace.Sandbox, w.Workspace.Services[0].BaseURL = false, "https://service.example/api/v1"
	for fields, code := range map[string]string{"company": "not_configured_v2", "email": "max_spend_missing"} {
		_, err := w.Run(t.Context(), runOf(contacts(t, dir, 1, 1), fields), silent{})
		if found, _ := errors.AsType[*problem.Error](err); found == nil || found.Code != code {
			t.Errorf("%s: %v, want %s", fields, err, code)
		}
	}
}

// TestMoneyAndUnitsLimitARunOfBothInterfaces asks v1 for emails and v2 for the contacts' companies.
func TestMoneyAndUnitsLimitARunOfBothInterfaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := runOf(contacts(t, dir, 6, 2), "email", "contact")
	o.Budget.MaxSpend = new(3 * cost.Dollar)
	ended, err := bothIn(dir).Run(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	if ended.Stop != nil || ended.Summary.Posts != 12 {
		t.Errorf("%d posts, stopped by %v", ended.Summary.Posts, ended.Stop)
	}
	for _, row := range cells(t, o.Output.Path) {
		if row["work_email"] == "" && row["contact_id"] == "" {
			t.Errorf("a row has nothing: %v", row)
		}
	}
}

// fieldOf returns the field of v2 with a name.
func fieldOf(t *testing.T, name string) enrich.Field {
	t.Helper()
	f, found := providerv2.Provider{}.Interface().Catalogue.Lookup(name)
	if !found {
		t.Fatalf("v2 has no field %s", name)
	}
	return f
}

// TestAWaterfallAsksV1OnlyForWhatV2DidNotReturn takes 500 contacts through v2 and then v1. What the ledger of each
// account says is what the columns of the output say.
func TestAWaterfallAsksV1OnlyForWhatV2DidNotReturn(t *testing.T) {
	t.Parallel()
	const persons = 500
	dir := t.TempDir()
	service := stand(t, func(*sandbox.Config) {})
	w := service.work(dir)
	w.Workspace.Services[0].Rate = w.Workspace.Services[0].Kept
	o := runOf(contacts(t, dir, persons, 50), "email", "phone")
	o.List.From, o.Budget.MaxSpend = []string{"v2", "v1"}, new(500*cost.Dollar)
	ended, err := w.Run(t.Context(), o, silent{})
	if err != nil || ended.Stop != nil {
		t.Fatalf("%v, stopped by %v", err, ended.Stop)
	}
	s := &workspace.Session{Options: w.Workspace, Env: w.Env}
	if err := s.Read(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v2, err := s.AccountOf(w.Workspace.Services[1])
	if err != nil || v2 == nil {
		t.Fatalf("%v, %v", v2, err)
	}
	first, second := v2.Totals(v2.Number().Scope(checkpoint.ScopeAll)), s.Journal.Totals(checkpoint.ScopeAll)
	email, phone := fieldOf(t, "email"), fieldOf(t, "phone")
	missing := first.Asked[email] - first.Returned[email] + first.Asked[phone] - first.Returned[phone]
	if asked := second.Asked[v1.WorkEmail] + second.Asked[v1.BusinessPhone]; asked != missing || missing == 0 {
		t.Errorf("v2 left %d values open, and v1 was asked for %d", missing, asked)
	}
	var emails, phones int64
	var spent cost.Money
	rows := cells(t, o.Output.Path)
	for _, row := range rows {
		if row["email"]+row["work_email"] != "" {
			emails++
		}
		if row["phone"]+row["business_phone"] != "" {
			phones++
		}
		if row["enrich_charge_usd_v1"] != "" {
			amount, err := cost.ParseMoney(row["enrich_charge_usd_v1"])
			if err != nil {
				t.Fatal(err)
			}
			spent += amount
		}
	}
	if want := first.Returned[email] + second.Returned[v1.WorkEmail]; emails != want {
		t.Errorf("the output has %d emails, and %d were returned", emails, want)
	}
	if want := first.Returned[phone] + second.Returned[v1.BusinessPhone]; phones != want {
		t.Errorf("the output has %d phones, and %d were returned", phones, want)
	}
	if charged := service.Ledger().Charged; spent != charged || spent != second.Settled.Money() || spent != ended.Summary.Spent {
		t.Errorf("the output says $%s, the service $%s, the journal $%s, the summary $%s",
			spent, charged, second.Settled.Money(), ended.Summary.Spent)
	}
	checkUnits(t, rows, service, "contacts", "email_count", "phone_count")
	if len(rows) != persons || first.Lookups != persons {
		t.Errorf("%d rows, %d contacts", len(rows), first.Lookups)
	}
}

// checkUnits checks that the columns of units say in sum what the service counted, and that there is a column for
// each of the meters alone.
func checkUnits(t *testing.T, rows []map[string]string, service *standingService, meters ...string) {
	t.Helper()
	columns := map[string]int64{}
	for _, row := range rows {
		for name, cell := range row {
			meter, is := strings.CutPrefix(name, "enrich_units_")
			if !is {
				continue
			}
			used, err := strconv.ParseInt("0"+cell, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			columns[meter] += used
		}
	}
	counted := map[string]int64{}
	ledger := service.Second().Units()
	for _, usage := range ledger.Usage() {
		counted[string(usage.Module)] = usage.Used
	}
	counted["email_count"], counted["phone_count"] = ledger.Found(time.Time{}, service.now())
	maps.DeleteFunc(counted, func(_ string, units int64) bool { return units == 0 })
	if diff := cmp.Diff(counted, columns); diff != "" {
		t.Errorf("units (-the ledger of the service +the output):\n%s", diff)
	}
	if got := slices.Sorted(maps.Keys(columns)); !slices.Equal(got, slices.Sorted(slices.Values(meters))) {
		t.Errorf("the output has columns for %q, want %q", got, meters)
	}
}

// TestTheUnitsOfEachRowOfCompaniesAreThoseOfTheLedger has companies that are named in every way: some twice, some
// unknown, some that are searched for, and some for which the service chooses.
func TestTheUnitsOfEachRowOfCompaniesAreThoseOfTheLedger(t *testing.T) {
	t.Parallel()
	for _, resolve := range []bool{false, true} {
		dir := t.TempDir()
		service := stand(t, func(*sandbox.Config) {})
		o := runOf(everyWay(t, dir), "company", "financials", "insights", "ownership")
		o.List.Resolve = resolve
		ended, err := service.work(dir).Run(t.Context(), o, silent{})
		if err != nil || ended.Stop != nil {
			t.Fatalf("%v, stopped by %v", err, ended.Stop)
		}
		rows := cells(t, o.Output.Path)
		checkUnits(t, rows, service, "companies", "financials", "digital_insights", "ownership")
		for _, row := range rows {
			isDuplicate := row["enrich_status"] == "duplicate"
			if isDuplicate && row["enrich_units_companies"] != "" || row["enrich_status"] == "matched" && row["enrich_units_companies"] < "1" {
				t.Errorf("a row that is %s used %q units of companies: %v", row["enrich_status"], row["enrich_units_companies"], row)
			}
		}
	}
}

// everyWay writes a list of companies that are named by websites, numbers and names. Another journal finds out which
// companies there are.
func everyWay(t *testing.T, dir string) string {
	t.Helper()
	elsewhere := t.TempDir()
	o := runOf(companyIDs(t, elsewhere, "ids.csv", 101, 140), "company")
	if _, err := bothIn(elsewhere).Run(t.Context(), o, silent{}); err != nil {
		t.Fatal(err)
	}
	text := "Company,Website,Country,Registration number\n"
	for i, c := range cells(t, o.Output.Path) {
		line, country := "", c["company_country_code"]
		switch {
		case i%3 == 0 && c["company_website"] != "":
			line = fmt.Sprintf(",%s,,\n", c["company_website"])
		case i%3 == 1 && country != "US" && c["company_registration_number"] != "":
			line = fmt.Sprintf(",,%s,%s\n", country, c["company_registration_number"])
		default:
			line = fmt.Sprintf("%q,,%s,\n", c["company_name"], country)
		}
		text += line
		if i%7 == 0 {
			text += line
		}
	}
	text += "Nobody at all Ltd,,GB,\n,unknown.example,,\n,,GB,00000000\n"
	list := filepath.Join(dir, "companies.csv")
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestALimitTakesTheFirstRowsThroughAllSteps has a company in the first row that the service does not know. So the
// row has no figures, and the step that asks for figures does not take a later row instead. Another start asks for
// nothing.
func TestALimitTakesTheFirstRowsThroughAllSteps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	text := "company_website,company_id\nhttps://unknown-1.example,\n,101\n,102\n,103\n"
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := stand(t, func(*sandbox.Config) {})
	o := runOf(list, "company", "financials")
	o.List.Limit = 2
	for range 2 {
		ended, err := s.work(dir).Run(t.Context(), o, silent{})
		if err != nil || ended.Stop != nil {
			t.Fatalf("stopped by %v: %v", ended.Stop, err)
		}
		if s.calls("enrichment") != 1 || s.calls("companies") != 1 || s.calls("financial") != 1 {
			t.Errorf("the calls were %v", s.asked)
		}
	}
}
