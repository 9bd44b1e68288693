package main

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"payonce/pipeline/report"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"payonce/configs"
	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
)

// planFlags are command lines of plan that show everything that a plan can hold.
func planFlags(dir string) map[string][]string {
	return map[string][]string{
		"nothing but the list": nil,
		"offline":              {"--offline", "--fields", "email,phone"},
		"every ceiling": {
			"--max-spend", "3", "--max-lookups", "9", "--daily", "1", "--monthly", "20", "--workspace-monthly", "50",
			"--job", "nightly", "--approval-threshold", "0.10", "--fields", "email,phone", "--priority", "id:asc",
		},
		"a sample":       {"--sample", "5", "--limit", "20", "--name", "trial", "--fields", "phone"},
		"complete first": {"--max-spend", "1", "--complete-first", "--fields", "email,phone"},
		"slow":           {"--rate", "1/24h", "--fields", "email,phone"},
		"kept":           {"--max-spend", "3", "--out", filepath.Join(dir, "plan.json"), "--strict"},
	}
}

// planBench is a workbench with a history, on a list of every kind of row.
func planBench(t *testing.T) *workbench {
	t.Helper()
	config := sandbox.DefaultConfig()
	config.Window = sandbox.Window{Limit: 10000, Per: time.Second}
	b := newWorkbench(t, config, world.DefaultList(8, 120))
	b.batch("run", "--limit", "40", "--fields", "email,phone", "--max-spend", "20", "--yes", "--rate", "10000/1s")
	return b
}

// What "batch plan --json" prints, and what --out keeps, is what the schema says.
func TestPlanSchema(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	schema := compileSchema(t, "plan.schema.json")
	b := planBench(t)
	fresh := newWorkbench(t, sandbox.DefaultConfig(), world.DefaultList(8, 120)) // without a history
	config := sandbox.DefaultConfig()
	config.Prices = cost.Prices{v1.WorkEmail: 15 * cost.Cent} // and so every lookup of a phone is refused
	unpriced := newWorkbench(t, config, world.DefaultList(8, 120))
	seen := map[string]bool{}
	for name, flags := range planFlags(b.dir) {
		for _, bench := range []*workbench{b, fresh, unpriced} {
			plan := decode[any](t, bench.batch("plan", append(flags, "--json")...))
			if err := schema.Validate(plan); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			addMembers(seen, "", plan)
		}
	}
	writeFile(t, fresh.path("list.csv"), "first,last,company,website,email,email 2\n"+
		"Ann,Lee,Acme,https://www.linkedin.com/company/acme,n/a,\nBob,Ray,Beta,,,bob@beta.example\n")
	writeFile(t, fresh.path("names.csv"), "name,company\nMary Ann Lee,Acme\nTotal: 1\n")
	writeFile(t, fresh.path("latin.csv"), "first_name,last_name,company\nJos\xe9,Lee,Acme\n")
	for _, list := range []string{"names.csv", "latin.csv"} {
		stdout, _, _ := fresh.try("plan", fresh.path(list), "--json")
		if err := schema.Validate(decode[any](t, stdout)); err != nil {
			t.Errorf("%s: %v", list, err)
		}
		addMembers(seen, "", decode[any](t, stdout))
	}
	addUnitPlans(t, seen, schema)
	addHeldBack(t, seen, schema)
	plan := decode[any](t, fresh.batch("plan", "--json"))
	if err := schema.Validate(plan); err != nil {
		t.Errorf("a list that holds values: %v", err)
	}
	addMembers(seen, "", plan)
	data, err := os.ReadFile(b.path("plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	kept := decode[map[string]any](t, string(data))
	if err := schema.Validate(kept["plan"]); err != nil {
		t.Errorf("kept: %v", err)
	}
	b.try("journal", "prune", "--keep-answers", "0s", "--yes")
	pruned := decode[any](t, b.batch("plan", "--fields", "email,phone", "--json"))
	if err := schema.Validate(pruned); err != nil {
		t.Errorf("with erased answers: %v", err)
	}
	addMembers(seen, "", pruned)
	for _, member := range documentedMembers(t) {
		if !seen[member] {
			t.Errorf("no plan of the test holds %s, which the schema documents", member)
		}
	}
}

// addUnitPlans validates plans of lists of companies and of contacts that ask v2: before and after a run that leaves
// companies ambiguous and reaches a limit of the account.
func addUnitPlans(t *testing.T, seen map[string]bool, schema *jsonschema.Schema) {
	t.Helper()
	config := sandbox.DefaultConfig()
	config.Window = sandbox.Window{Limit: 10000, Per: time.Second}
	config.V2.Window, config.V2.Daily = config.Window, map[kit.Module]int64{kit.Financials: 1}
	b := newWorkbench(t, config, world.DefaultList(8, 20))
	second := map[string]string{
		"SERVICE_V2_BASE_URL": strings.TrimSuffix(b.url, "/api/v1") + "/v2", "SERVICE_V2_API_KEY": sandboxv2.DefaultKey,
	}
	try := func(args ...string) string {
		vars := b.vars()
		maps.Copy(vars, second)
		stdout, stderr, code := executeIn(t.Context(), quietEnvironment(vars), append(args, "--rate-v2", "10000/1s", "--json")...)
		if code != exitDone && code != exitCeiling {
			t.Fatalf("%q: exit code %d\n%s", args, code, stderr)
		}
		return stdout
	}
	companies := [][]string{{"Company", "Country", "Website", "VAT", "Registration number", "State", "Company profile", "company_id"}}
	for _, row := range demoCompanies()[1:] {
		companies = append(companies, []string{row[0], row[2], row[1], row[5], row[4], row[3], "", ""})
	}
	writeRows(t, b.path("companies.csv"), companies)
	writeFile(t, b.path("ids.csv"), "company_id\n101\n102\n103\n")
	writeFile(t, b.path("people.csv"), "First Name,Last Name,Company,Email\nAnn,Lee,Acme,\nBob,Ray,Beta,bob@beta.example\n")
	budget := []string{
		"--max-units", "companies=500", "--max-units", "financials=500", "--max-units", "contacts=5",
		"--max-units", "email_count=5", "--max-units", "phone_count=5", "--max-units", "digital_insights=90",
	}
	plans := [][]string{
		{"companies.csv", "--fields", "company,financials,insights"},
		{"companies.csv", "--fields", "company,financials", "--resolve", "autocomplete"},
		{"companies.csv", "--fields", "company,financials", "--sample", "5"},
		{"ids.csv", "--fields", "company,financials", "--daily-units", "companies=3", "--monthly-units", "financials=7"},
		{"people.csv", "--fields", "contact,company"},
		{"people.csv", "--fields", "email,phone", "--from", "v2,v1", "--max-spend", "5"},
		{"people.csv", "--fields", "email,phone", "--from", "v2,v1", "--max-spend", "5", "--unit-prices", "contacts=0.30"},
	}
	for _, isAfter := range []bool{false, true} {
		for _, args := range plans {
			command := append([]string{"plan", b.path(args[0])}, args[1:]...)
			plan := decode[any](t, try(append(command, budget...)...))
			if err := schema.Validate(plan); err != nil {
				t.Errorf("%q: %v", args, err)
			}
			addMembers(seen, "", plan)
		}
		if !isAfter {
			run := []string{"run", b.path("companies.csv"), "--fields", "company,financials", "--yes", "-o", b.path("out.csv")}
			plan := decode[any](t, try(append(append(run, "--dry-run"), budget...)...))
			if err := schema.Validate(plan); err != nil {
				t.Errorf("%q --dry-run: %v", run, err)
			}
			addMembers(seen, "", plan)
			try(append(run, budget...)...)
		}
	}
	if !seen["limits.module"] || !seen["ambiguous.companies"] {
		t.Error("no plan shows a limit that is reached, or none shows ambiguous companies")
	}
}

// addHeldBack validates plans of a run that was approved and of one that the service has asked to wait.
func addHeldBack(t *testing.T, seen map[string]bool, schema *jsonschema.Schema) {
	t.Helper()
	fault, err := sandbox.ParseFault("rate_limited:at=1,retry-after=720h")
	if err != nil {
		t.Fatal(err)
	}
	config := sandbox.DefaultConfig()
	config.Faults = []sandbox.Fault{fault}
	b := newWorkbench(t, config, world.DefaultList(8, 40))
	flags := []string{"--max-spend", "3", "--json"}
	approved := b.batch("run", append(flags, "--dry-run", "--approval-threshold", "0.10", "--approve", "2", "-o", b.path("out.csv"))...)
	b.batchTo([]int{exitRefused}, "run", append(flags, "--yes", "-o", b.path("out.csv"))...)
	for _, text := range []string{approved, b.batch("plan", flags...)} {
		plan := decode[any](t, text)
		if err := schema.Validate(plan); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		addMembers(seen, "", plan)
	}
}

func writeRows(t *testing.T, path string, rows [][]string) {
	t.Helper()
	var text strings.Builder
	if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, text.String())
}

func compileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// addMembers notes the names of the members of an object, and of those within it.
func addMembers(seen map[string]bool, prefix string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			seen[prefix+name] = true
			addMembers(seen, prefix+name+".", member)
		}
	case []any:
		for _, item := range value {
			addMembers(seen, prefix, item)
		}
	}
}

// documentedMembers returns the names of the members that the schema documents, but
// for those that only a journal with more history has.
func documentedMembers(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "plan.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct {
			Properties map[string]any
			Items      struct{ Properties map[string]any }
		}
		Defs map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name, property := range schema.Properties {
		names = append(names, name)
		for _, members := range []map[string]any{property.Properties, property.Items.Properties} {
			for member := range members {
				names = append(names, name+"."+member)
			}
		}
	}
	for list, of := range map[string]string{"ceilings": "ceiling", "steps": "step"} {
		for member := range schema.Defs[of].Properties {
			names = append(names, list+"."+member)
		}
	}
	rare := strings.NewReplacer("rows.forgotten", "rows", "prices.disagreements", "prices",
		"spent_before.without_outcome", "spent_before", "spent_before.at_most", "spent_before")
	for i, name := range names {
		names[i] = rare.Replace(name)
	}
	return names
}

// A plan of normal input is not wider than a terminal.
func TestPlanFitsATerminal(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	b := planBench(t)
	for name, flags := range planFlags(b.dir) {
		for line := range strings.SplitSeq(b.batch("plan", flags...), "\n") {
			if width := utf8.RuneCountInString(line); width > report.LineWidth && !strings.Contains(line, b.dir) {
				t.Errorf("%s: %d columns: %s", name, width, line)
			}
		}
	}
}

// Large amounts are no wider than a terminal either, wherever they are shown.
func TestLargeAmountsFitATerminal(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	b := planBench(t)
	flags := []string{
		"--max-spend", "123456789.99", "--monthly", "123456789.123456", "--daily", "123456789.12", "--workspace-monthly", "123456789.12",
		"--job", "nightly", "--name", "trial", "--fields", "email,phone", "--limit", "60", "--rate", "10000/1s",
	}
	plan := b.batch("plan", flags...)
	run := b.batch("run", append(flags, "--yes")...)
	printed := func(args ...string) string {
		stdout, stderr, code := b.try(args...)
		if code != exitDone {
			t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
		}
		return stdout
	}
	for name, text := range map[string]string{
		"plan": plan, "run": run, "show": printed("show", "trial"), "budget": printed("budget"),
	} {
		for line := range strings.SplitSeq(text, "\n") {
			if width := utf8.RuneCountInString(line); width > report.LineWidth && !strings.Contains(line, b.dir) {
				t.Errorf("%s: %d columns: %s", name, width, line)
			}
		}
	}
}

// An operation that the service has no price for is foreseen.
func TestAPlanForeseesARefusalForAMissingPrice(t *testing.T) {
	t.Parallel()
	config := sandbox.DefaultConfig()
	config.Prices = cost.Prices{v1.WorkEmail: 15 * cost.Cent}
	b := newWorkbench(t, config, world.DefaultList(8, 30))
	plan := decode[report.Plan](t, b.batch("plan", "--fields", "email,phone", "--json"))
	if plan.Refused == nil || plan.Refused.Code != "operation_pricing_unavailable" {
		t.Errorf("%+v", plan.Refused)
	}
	if plan := decode[report.Plan](t, b.batch("plan", "--fields", "email", "--json")); plan.Refused != nil {
		t.Errorf("emails: %+v", plan.Refused)
	}
}

// The example configurations are read as they are by a plan, and by a run.
func TestExampleConfigurationsWorkWithPlanAndRun(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	examples, err := configs.Examples()
	if err != nil {
		t.Fatal(err)
	}
	b := planBench(t)
	for _, example := range examples {
		path := b.path(example.Name + ".yaml")
		writeFile(t, path, string(example.Text))
		plan := decode[report.Plan](t, b.batch("plan", "--config", path, "--json"))
		if plan.Fields.Get("business_phone") == 0 || len(plan.Ceilings) < 3 {
			t.Errorf("%s: %+v", example.Name, plan)
		}
		_, stderr, code := b.try("run", b.path("list.csv"), "--config", path, "--yes", "--limit", "1", "-o", b.path("out.csv"))
		if code != exitDone {
			t.Errorf("%s: exit code %d\n%s", example.Name, code, stderr)
		}
	}
}
