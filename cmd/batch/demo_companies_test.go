package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
	"payonce/io/service/v2"
)

// demoCompanies are the rows of the list of companies that ships with the program, with the names of its
// columns: companies of the embedded service that are named in every way, duplicates in other spellings, and
// companies that nobody knows.
func demoCompanies() [][]string { return companiesOf(sandbox.DefaultConfig().Seed) }

// companiesOf returns a list of companies of the sandbox with a seed, as demoCompanies does.
func companiesOf(seed uint64) [][]string {
	config := sandbox.DefaultConfig()
	w := world.World{People: world.People{Seed: seed, MatchRates: config.MatchRates, UnknownRate: config.UnknownRate}}
	rows := [][]string{{"Company name", "Website", "Country", "State", "Registration number", "VAT number", "Owner"}}
	owners := []string{"Ines", "Tomás", "Wei"}
	add := func(name, website, country, state, registration, vat string) {
		rows = append(rows, []string{name, website, country, state, registration, vat, owners[len(rows)%len(owners)]})
	}
	number := 0
	for c := range w.Listed() {
		if number++; number%7 != 0 { // not only companies of the first names
			continue
		}
		country := c.Country().Code
		state := ""
		if country == "US" {
			state = c.Place().RegionCode
		}
		switch i := len(rows); {
		case len(rows) > 300:
			return rows
		case i%25 == 24:
			add("Nobody "+fmt.Sprint(i), fmt.Sprintf("unknown%d.example", i), country, "", "", "")
		case i%25 == 12:
			add("Nobody "+fmt.Sprint(i), "", "GB", "", fmt.Sprintf("%08d", 99000000+i), "")
		case i%10 == 5: // a row before, in another spelling
			earlier := rows[i-4]
			website := strings.ToUpper(strings.TrimPrefix(earlier[1], "https://"))
			add(earlier[0]+" ", website, strings.ToLower(earlier[2]), earlier[3], strings.ToLower(earlier[4]), earlier[5])
		case i%10 == 9:
			add(c.Name(), "", country, "", "", "")
		case i%10 == 7 && c.VAT() != "" && country != "US":
			add(c.Name(), "", country, "", "", c.VAT())
		case i%2 == 0:
			add(c.Name(), "", country, state, c.Registration(), "")
		default:
			add(c.Name(), c.Website(), country, "", "", "")
		}
	}
	return rows
}

func TestDemoCompanyListIsReproducible(t *testing.T) {
	var list bytes.Buffer
	if err := csv.NewWriter(&list).WriteAll(demoCompanies()); err != nil {
		t.Fatal(err)
	}
	golden(t, "companies.csv", list.Bytes())
}

// csvRows returns the rows of a CSV file by the names of its columns.
func csvRows(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
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

// TestTheCompanyDemoFillsAListAndTables enriches the list of companies with the embedded service, as make
// demo-companies does.
func TestTheCompanyDemoFillsAListAndTables(t *testing.T) {
	skipIfShort(t)
	work := t.TempDir()
	in := func(name string) string { return filepath.Join(work, name) }
	flags := []string{"--sandbox", "--state", in("state"), "--json"}
	run := append([]string{
		"run", filepath.Join(demoDir(t), "companies.csv"), "--name", "companies", "-o", in("companies.csv"), "--tables", in("tables"),
		"--fields", "company,financials,insights,ownership", "--rate-v2", "1000/1s", "--yes",
		"--max-units", "companies=300", "--max-units", "financials=300", "--max-units", "digital_insights=300", "--max-units", "ownership=300",
	}, flags...)
	stdout, stderr, code := runHere(t, run...)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	var summary struct {
		Posts  int64
		Tables struct {
			Written []struct {
				Name string
				Rows int
			}
			Unread int64 `json:"cells_not_read"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &summary); err != nil || summary.Posts == 0 || summary.Tables.Unread != 0 {
		t.Fatalf("%v, summary\n%s", err, stdout)
	}
	compareUnits(t, in("state"), flags)
	before := filesIn(t, in("tables"))
	if stdout, stderr, code = runHere(t, run...); code != exitDone || !strings.Contains(stdout, `"posts": 0,`) {
		t.Errorf("the same command again: exit code %d\n%s%s", code, stderr, stdout)
	}
	if diff := cmp.Diff(before, filesIn(t, in("tables"))); diff != "" {
		t.Errorf("the same command writes other tables (-first +second):\n%s", diff)
	}
	write := append([]string{"write", "companies", "-o", in("again.csv"), "--tables", in("again"), "--tables-format", "csv"}, flags...)
	if _, stderr, code := runHere(t, write...); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, table := range summary.Tables.Written {
		if rows := csvRows(t, filepath.Join(in("again"), table.Name+".csv")); len(rows) != table.Rows {
			t.Errorf("%s has %d rows as CSV and %d as Parquet", table.Name, len(rows), table.Rows)
		}
	}
	checkJoins(t, csvRows(t, in("companies.csv")), in("again"))
	checkReadmeQuery(t, work)
}

// filesIn returns the files of a directory.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[entry.Name()] = string(data)
	}
	return found
}

// compareUnits compares what the service counted with what the journal booked, by module.
func compareUnits(t *testing.T, state string, flags []string) {
	t.Helper()
	counted, booked := map[string]int64{}, map[string]int64{}
	ledger, err := os.ReadFile(filepath.Join(state, "sandbox", "default", "sandbox.jsonl.v2"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(ledger) {
		var entry struct {
			Kind, Module string
			Units        int64
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatal(err)
		}
		if entry.Kind == "counted" {
			counted[entry.Module] += entry.Units
		}
	}
	dump, stderr, code := runHere(t, append([]string{"journal", "dump"}, flags[:3]...)...)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for line := range strings.Lines(dump) {
		var record struct {
			Record, Name string
			Value        struct {
				Used []int64 `json:"free_used"`
			}
		}
		if !strings.Contains(line, `"account/1/all"`) {
			continue
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil || record.Record != "totals" {
			t.Fatalf("%v: %s", err, line)
		}
		for i, meter := range (v2.Modules{}).Tariff().Meters[1:] {
			if i < len(record.Value.Used) && record.Value.Used[i] > 0 {
				booked[meter.Name] = record.Value.Used[i]
			}
		}
	}
	if diff := cmp.Diff(counted, booked); diff != "" || len(counted) != 4 {
		t.Errorf("units that the service counted, and the journal booked (-counted +booked):\n%s", diff)
	}
}

// checkJoins joins the tables to the list: each company of a table is in the list, and the headline figures of
// the list are those of the latest year.
func checkJoins(t *testing.T, list []map[string]string, tables string) {
	t.Helper()
	headline, companies := map[string]string{}, map[string]bool{}
	for _, row := range list {
		companies[row["company_id"]] = true
		if row["financials_year"] != "" {
			headline[row["company_id"]] = strings.Join([]string{
				row["financials_year"], row["financials_currency"], row["financials_turnover"], row["financials_employees"],
			}, " ")
		}
	}
	if delete(companies, ""); len(list) != 300 || len(companies) < 200 || len(headline) < 100 {
		t.Errorf("%d rows, %d companies, %d with figures", len(list), len(companies), len(headline))
	}
	latest, years := map[string]string{}, map[string]int{}
	for _, row := range csvRows(t, filepath.Join(tables, "financials.csv")) {
		year, err := strconv.Atoi(row["year"])
		if id := row["company_id"]; err != nil || year == years[id] {
			t.Errorf("company %s has the year %q twice, %v", id, row["year"], err)
		} else if year > years[id] {
			years[id] = year
			latest[id] = strings.Join([]string{row["year"], row["Currency"], row["Turnover"], row["Employee-Numbers"]}, " ")
		}
	}
	if diff := cmp.Diff(headline, latest); diff != "" {
		t.Errorf("the list and the table say different things of the latest year (-list +table):\n%s", diff)
	}
	for _, name := range []string{"insights", "technologies", "visits", "shareholders", "group_structure"} {
		rows := csvRows(t, filepath.Join(tables, name+".csv"))
		unknown := map[string]bool{}
		for _, row := range rows {
			if !companies[row["company_id"]] {
				unknown[row["company_id"]] = true
			}
		}
		if len(rows) == 0 || len(unknown) > 0 {
			t.Errorf("%s has %d rows, and companies that the list lacks: %v", name, len(rows), slices.Sorted(maps.Keys(unknown)))
		}
	}
}

// readmeQuery returns the query that README shows, for files in another directory than dist.
func readmeQuery(t *testing.T, dir string) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(demoDir(t), "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```sql\n")
	query, _, closed := strings.Cut(rest, "```")
	if !found || !closed || strings.Count(query, "'dist/") < 2 {
		t.Fatalf("README has no query of files in dist: %q", query)
	}
	return strings.ReplaceAll(query, "'dist/", "'"+dir+"/")
}

// checkReadmeQuery runs the query of README with the DuckDB of the benchmarks, where that is installed.
func checkReadmeQuery(t *testing.T, dir string) {
	t.Helper()
	query := readmeQuery(t, dir)
	for name := range strings.SplitSeq(query, "'") {
		if strings.HasPrefix(name, dir) {
			if _, err := os.Stat(name); err != nil {
				t.Errorf("README queries a file that the demonstration does not write: %v", err)
			}
		}
	}
	installed := filepath.Join(demoDir(t), "..", "dist", "bench", "duckdb", "node_modules", "@duckdb", "node-api")
	if _, err := os.Stat(installed); err != nil {
		t.Log("DuckDB is not installed; make bench-peers installs it")
		return
	}
	script := `const { DuckDBInstance } = require(process.argv[1]);
		(async () => {
			const connection = await (await DuckDBInstance.create(':memory:')).connect();
			console.log((await connection.runAndReadAll(process.argv[2])).getRows().length);
		})();`
	out, err := exec.CommandContext(t.Context(), "node", "-e", script, installed, query).CombinedOutput()
	if rows, parseErr := strconv.Atoi(strings.TrimSpace(string(out))); err != nil || parseErr != nil || rows == 0 {
		t.Errorf("the query of README: %v\n%s", err, out)
	}
}
