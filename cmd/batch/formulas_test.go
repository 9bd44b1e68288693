package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	sandboxv2 "payonce/io/sandbox/v2"
)

// formulaBodies returns answers with values that begin like formulas, and with values that only look so.
func formulaBodies() map[string]func() string {
	text := func(body string) func() string { return func() string { return body } }
	return map[string]func() string{
		"companies 101": text(`{"id": "101", "name": "=HYPERLINK(\"https://a.example\")", "company_phone": "+49 171 5550100", "registration_number": "@SUM(A1)"}`),
		"companies 102": text(`{"id": "102", "name": "+cmd|' /C calc'!A0", "company_phone": "+1 (555) 010-0100", "registration_number": "-123.4"}`),
		"companies 103": text(`{"id": "103", "name": "'=1", "company_phone": "-A1"}`),
		"financial 101": text(`{"2024": {"Turnover": -123.4, "=Evil": -5}}`),
		"financial 102": text(`{"2024": {"Turnover": 1}}`),
		"financial 103": text(`{"2024": {"Turnover": 1}}`),
		"ownership 103": text(`{"shareholders": [{"id": 1, "name": "=1+1", "quantity": 5}], "group_structure": [], "data": []}`),
		"ownership 102": text(`{"shareholders": [], "group_structure": [], "data": []}`),
		"ownership 101": text(`{"shareholders": [], "group_structure": [], "data": []}`),
	}
}

// TestFormulasOfTheServiceAreText runs a list whose answers begin like formulas, and whose own cells do, too. In CSV,
// the values of the service are text and the own cells stay. The output is the same again, is no edit, and can be
// read as a list. In a workbook, and with --formulas keep, the values have their own bytes.
func TestFormulasOfTheServiceAreText(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	service := newHostileService(t)
	service.bodies = formulaBodies()
	server := httptest.NewServer(service)
	defer server.Close()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(in(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	own := []string{"=own()", "+49 171 1", "'@own"}
	if err := os.WriteFile(in("list.csv"), []byte("company_id,note\n101,"+own[0]+"\n102,"+own[1]+"\n103,"+own[2]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	batch := func(args ...string) string {
		t.Helper()
		args = append(args, "--base-url-v2", server.URL+"/v2", "--state", in("state"), "--json")
		stdout, stderr, code := executeIn(t.Context(), quietEnvironment(map[string]string{"SERVICE_V2_API_KEY": sandboxv2.DefaultKey}), args...)
		if code != exitDone {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
		if strings.Contains(stdout, "kept_as") {
			t.Errorf("%v: a file was kept:\n%s", args, stdout)
		}
		return stdout
	}
	buy := func(list, out string, more ...string) {
		t.Helper()
		batch(append([]string{
			"run", in(list), "--name", list, "-o", in(out), "--yes", "--fields", "company,financials,ownership", "--rate-v2", "100000/1s",
			"--max-units", "companies=3", "--max-units", "financials=3", "--max-units", "ownership=3",
		}, more...)...)
	}
	tables := []string{"--tables", in("tables"), "--tables-format", "csv"}
	escaped := []map[string]string{
		{"company_name": `'=HYPERLINK("https://a.example")`, "company_phone": "+49 171 5550100", "company_registration_number": "'@SUM(A1)", "note": own[0]},
		{"company_name": "'+cmd|' /C calc'!A0", "company_phone": "+1 (555) 010-0100", "company_registration_number": "-123.4", "note": own[1]},
		{"company_name": "''=1", "company_phone": "'-A1", "note": own[2]},
	}
	raw := []map[string]string{
		{"company_name": `=HYPERLINK("https://a.example")`, "company_phone": "+49 171 5550100", "company_registration_number": "@SUM(A1)", "note": own[0]},
		{"company_name": "+cmd|' /C calc'!A0", "company_phone": "+1 (555) 010-0100", "company_registration_number": "-123.4", "note": own[1]},
		{"company_name": "'=1", "company_phone": "-A1", "note": own[2]},
	}
	check := func(name string, want []map[string]string) {
		t.Helper()
		rows := csvRows(t, in(name))
		for i, cells := range want {
			for column, value := range cells {
				got, has := rows[i][column]
				if got != value || !has && value != "" {
					t.Errorf("%s, row %d: %s is %q, want %q", name, i+1, column, got, value)
				}
			}
		}
	}

	buy("list.csv", "out.csv", tables...)
	paid := service.paid.Load()
	check("out.csv", escaped)
	for i, line := range strings.Split(read("list.csv"), "\n")[:4] {
		if !strings.HasPrefix(strings.Split(read("out.csv"), "\n")[i], line+",") {
			t.Errorf("the own cells %q have changed", line)
		}
	}
	first := read("out.csv")
	if text := read("tables/shareholders.csv"); !strings.Contains(text, "'=1+1") || strings.Contains(text, ",=1+1") {
		t.Error(text)
	}
	if text := read("tables/financials.csv"); !strings.Contains(text, ",'=Evil") || !strings.Contains(text, ",-123.4,") || !strings.Contains(text, ",-5") {
		t.Error(text)
	}

	// The same again, from the journal and over a file with the other form, keeps nothing and buys nothing.
	buy("list.csv", "out.csv", tables...)
	batch("write", "list.csv", "-o", in("again.csv"))
	batch("write", "list.csv", "-o", in("out.csv"), "--formulas", "keep")
	check("out.csv", raw)
	buy("list.csv", "out.csv")
	if read("out.csv") != first || read("again.csv") != first {
		t.Error("the output is not the same again")
	}

	// A workbook has the bytes of the values in text cells.
	batch("write", "list.csv", "-o", in("out.xlsx"))
	book, err := excelize.OpenFile(in("out.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	rows, err := book.GetRows("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range raw {
		for c, name := range rows[0] {
			if value, is := want[name]; is && (c >= len(rows[i+1]) && value != "" || c < len(rows[i+1]) && rows[i+1][c] != value) {
				t.Errorf("out.xlsx, row %d: %s is %q, want %q", i+1, name, rows[i+1], value)
			}
		}
	}

	// The output as a list has the same companies, and nothing is bought again.
	if err := os.WriteFile(in("next.csv"), []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	buy("next.csv", "next.out.csv")
	if got := service.paid.Load(); got != paid {
		t.Errorf("%d answers were bought, want %d", got, paid)
	}
}
