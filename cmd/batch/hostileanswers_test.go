package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"

	"payonce/enrich"
	"payonce/io/sandbox"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v2"
)

// hostileService is the embedded v2 service with other bodies in its successful answers. The list of ids has one
// company for each kind of hostile body; see hostileBodies.
type hostileService struct {
	*sandbox.Server
	t      *testing.T
	bodies map[string]func() string // by operation and company
	paid   atomic.Int64             // calls that were answered with a record of a company
}

func newHostileService(t *testing.T) *hostileService {
	t.Helper()
	config := sandbox.DefaultConfig()
	config.V2.Window.Limit = 100_000
	service, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	return &hostileService{Server: service, t: t, bodies: hostileBodies()}
}

func (s *hostileService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	recorder := httptest.NewRecorder()
	s.Handler().ServeHTTP(recorder, r)
	body := recorder.Body.String()
	operation, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v2/"), "/")
	if hostile, isHostile := s.bodies[operation+" "+id]; isHostile && recorder.Code == http.StatusOK {
		s.paid.Add(1)
		body = hostile()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(recorder.Code)
	if _, err := w.Write([]byte(body)); err != nil && r.Context().Err() == nil {
		s.t.Error(err)
	}
}

// everyFigure is a year with a value for each figure that the specification names, by the type of the figure.
func everyFigure() map[string]any {
	year := map[string]any{}
	for i, figure := range v2.Figures() {
		year[figure.Name] = map[enrich.CellKind]any{
			enrich.TextCell: fmt.Sprint("text ", i), enrich.DateCell: "2024-06-30", enrich.IntegerCell: i, enrich.NumberCell: float64(i) + 0.25,
		}[figure.Kind]
	}
	return year
}

// hostileBodies returns the bodies by operation and company.
func hostileBodies() map[string]func() string {
	text := func(body string) func() string { return func() string { return body } }
	return map[string]func() string{
		// Identifiers as texts and numbers, null lists, members of unknown names and of other types.
		"companies 101": text(`{"id": "101", "name": "As text", "company_phone": null, "company_email": null, "industry": null, "sic": null, "later": {"a": [1]}}`),
		"companies 102": text(`{"id": 102, "name": "As number", "company_phone": [null, 5, "+1"], "industry": [null, {"value": "Steel"}], "size": 12, "founding_date": "soon"}`),
		"companies 103": text(`{"id": 1.03e2, "name": ["no name"], "company_website": {"a": 1}}`),
		"companies 104": func() string {
			return fmt.Sprintf(`{"id": 104, "name": "Long", "brands": %q, "company_phone": [%s"+9"]}`,
				strings.Repeat("brand ", 10_000), strings.Repeat(`"+1 555", `, 10_000))
		},
		"financial 101": func() string {
			body, _ := json.Marshal(map[string]any{"2024": everyFigure()}) // such values always have a form
			return string(body)
		},
		"financial 102": text(`{"2024": {"Turnover": "n/a", "Cash": [1], "Employee-Numbers": 1.5, "Goodwill": "12.5", "Brand-New": 7, "Mood": "good"},
			"latest": {"Turnover": 1}, "20230": {}, "2022": null, "2021": "none", "": {}, "2020": {"Turnover": 3}}`),
		"financial 103": text(`{"2024": {}, "2023": null}`),
		"financial 104": func() string {
			var b strings.Builder
			for b.WriteString(`{"2024": {"Turnover": 5`); b.Len() < 50_000; {
				fmt.Fprintf(&b, `, "Unknown-%06d": %d`, b.Len(), b.Len())
			}
			return b.String() + "}}"
		},
		"digital-insights 101": text(`{"id": "101", "domain": null, "mx_list": null, "technologies": null, "visits": null, "graph": null, "global_rank": "7", "later": 1}`),
		"digital-insights 102": text(`{"id": 102, "visits": [null, 7, {"date_value": "x", "value": 1}], "technologies": [{"id": "1", "list": null}, {"list": [{"name": 5}]}]}`),
		"digital-insights 106": func() string {
			return fmt.Sprintf(`{"id": 106, "domain": "long.example", "raw": %q}`, strings.Repeat("a server ", 10<<20/9+1))
		},
		"enrichment employee/linkedin": text(`{"id": 7, "full_name": null, "first_name": ["Ann"], "email": ["a@b.example"], "phone": null, "seniority_level": "cxo",
			"department": [null, {"id": 1}], "company_id": 9007199254740993, "later": {"a": [null]}}`),
		"ownership 101": text(`{"shareholders": null, "group_structure": null, "data": null}`),
		"ownership 103": text(`{"shareholders": [{"id": "9", "quantity": "many", "later": {}}, null, 7], "data": [null, {"a": 1}], "group_structure": [{"id": {}}]}`),
		"ownership 106": func() string {
			var b strings.Builder
			for b.WriteString(`{"shareholders": [{"id": 1}`); b.Len() < 10<<20; {
				fmt.Fprintf(&b, `, {"id": %d, "name": "Holder %d%s", "quantity": 5}`, b.Len(), b.Len(), strings.Repeat(" and partners", 30))
			}
			return b.String() + "]}"
		},
	}
}

// TestHostileAnswersBecomeAListAndTables runs a list whose answers are hostile, and reads the output and the tables.
// Every value that can be read is there with its type, what cannot be read is reported, and nothing stops the run.
func TestHostileAnswersBecomeAListAndTables(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	service := newHostileService(t)
	server := httptest.NewServer(service)
	defer server.Close()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("list.csv"), []byte("company_id\n101\n102\n103\n104\n106\n 101\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--base-url-v2", server.URL + "/v2", "--state", in("state"), "--json"}
	run := append([]string{
		"run", in("list.csv"), "--name", "hostile", "-o", in("out.csv"), "--tables", in("csv"), "--tables-format", "csv", "--yes",
		"--fields", "company,financials,insights,ownership", "--rate-v2", "100000/1s",
		"--max-units", "companies=5", "--max-units", "financials=5", "--max-units", "digital_insights=5", "--max-units", "ownership=5",
	}, flags...)
	batch := func(args ...string) string {
		t.Helper()
		stdout, stderr, code := executeIn(t.Context(), quietEnvironment(map[string]string{"SERVICE_V2_API_KEY": sandboxv2.DefaultKey}), args...)
		if code != exitDone {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
		return stdout
	}
	checkUnread(t, batch(run...))
	checkHostileList(t, csvRows(t, in("out.csv")))
	checkHostileTables(t, in("csv"))
	batch(append([]string{"write", "hostile", "-o", in("again.csv"), "--tables", in("parquet")}, flags...)...)
	checkFigureTypes(t, in("parquet"))
	batch(append([]string{"journal", "check"}, flags...)...)
}

// TestAHostileContactIsRead runs a list of contacts whose answers are hostile. An email that cannot be read
// counts as a unit all the same.
func TestAHostileContactIsRead(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	server := httptest.NewServer(newHostileService(t))
	defer server.Close()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("list.csv"), []byte("LinkedIn URL\nhttps://pro-network.example/in/jonas-farrell-1001\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := executeIn(t.Context(), quietEnvironment(map[string]string{"SERVICE_V2_API_KEY": sandboxv2.DefaultKey}),
		"run", in("list.csv"), "-o", in("out.csv"), "--yes", "--fields", "contact", "--rate-v2", "100000/1s", "--json",
		"--max-units", "contacts=1", "--max-units", "email_count=1", "--max-units", "phone_count=1",
		"--base-url-v2", server.URL+"/v2", "--state", in("state"))
	if code != exitDone {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for column, want := range map[string]string{
		"contact_id": "7", "contact_full_name": "", "contact_first_name": "", "contact_email": "", "contact_phone": "",
		"contact_seniority_level": "cxo", "contact_department": `{"id":1}`, "contact_company_id": "9007199254740993", "enrich_reason": "phone not found; could not be read: first_name is not text; email is not text",
		"enrich_units_contacts": "1", "enrich_units_email_count": "1", "enrich_units_phone_count": "0",
	} {
		if got, there := csvRows(t, in("out.csv"))[0][column]; got != want || !there {
			t.Errorf("%s is %q, want %q", column, got, want)
		}
	}
}

// checkUnread checks that the summary reports each value that could not be read.
func checkUnread(t *testing.T, stdout string) {
	t.Helper()
	var summary struct {
		Tables struct {
			Unread int `json:"cells_not_read"`
			First  []struct{ Company, Column, Problem string }
		}
	}
	stdout = strings.Replace(stdout, `"first_cells_not_read"`, `"first"`, 1)
	if err := json.Unmarshal([]byte(stdout), &summary); err != nil {
		t.Fatalf("%v in\n%s", err, stdout)
	}
	reported := map[string]bool{}
	for _, cell := range summary.Tables.First {
		reported[cell.Company+" "+cell.Column+" "+cell.Problem] = true
	}
	for _, want := range []string{
		"102 2024.Turnover is not a number", "102 2024.Cash is not a number", "102 2024.Employee-Numbers is not an integer",
		"102 latest is not a year", "102 20230 is not a year", "102 2021 is not an object of figures",
		"102 visits[2].date_value is not a date", "103 shareholders[0].quantity is not an integer",
	} {
		if !reported[want] {
			t.Errorf("%q is not reported", want)
		}
	}
	if summary.Tables.Unread < len(summary.Tables.First) {
		t.Errorf("%d cells were not read, and %d are described", summary.Tables.Unread, len(summary.Tables.First))
	}
}

func checkHostileList(t *testing.T, rows []map[string]string) {
	t.Helper()
	if len(rows) != 6 {
		t.Fatalf("%d rows, want 6", len(rows))
	}
	for row, wanted := range []map[string]string{
		{"company_name": "As text", "company_phone": "", "financials_year": "2024", "insights": "101"},
		{
			"company_name": "As number", "company_phone": `["5","+1"]`, "company_industry": "Steel", "company_size": "12", "company_founding_date": "", "financials_year": "2024", "financials_turnover": "",
			"enrich_reason": "v2_company: could not be read: founding_date is not a date; v2_financials: could not be read: 2024.Employee-Numbers is not an integer; 2024.Turnover is not a number; v2_ownership: ownership not found",
		},
		{"company_name": "", "company": "1.03e2", "financials_year": "2024", "ownership": "1"},
		{"company_name": "Long", "financials_turnover": "5"},
		{"insights": "long.example"},
		{"enrich_status": "duplicate", "company_name": "As text", "financials_year": "2024"}, // asked once
	} {
		for column, want := range wanted {
			if got, there := rows[row][column]; got != want || !there {
				t.Errorf("row %d: %s is %q, want %q", row+1, column, got, want)
			}
		}
	}
	for _, column := range []string{"company_brands", "company_phone"} {
		if value := rows[3][column]; len(value) > 32_000 || !strings.Contains(value[len(value)-10:], "…") {
			t.Errorf("%s has %d bytes", column, len(value))
		}
	}
	var phones []string
	if err := json.Unmarshal([]byte(rows[3]["company_phone"]), &phones); err != nil || phones[0] != "+1 555" {
		t.Errorf("a list that was cut: %v", err)
	}
}

func checkHostileTables(t *testing.T, dir string) {
	t.Helper()
	rows := csvRows(t, filepath.Join(dir, "financials.csv"))
	byYear := map[string]map[string]string{}
	for _, row := range rows {
		byYear[row["company_id"]+" "+row["year"]] = row
	}
	for i, figure := range v2.Figures() {
		want := map[enrich.CellKind]string{
			enrich.TextCell: fmt.Sprint("text ", i), enrich.DateCell: "2024-06-30", enrich.IntegerCell: fmt.Sprint(i), enrich.NumberCell: fmt.Sprint(float64(i) + 0.25),
		}[figure.Kind]
		if got := byYear["101 2024"][figure.Name]; got != want {
			t.Errorf("%s is %q, want %q", figure.Name, got, want)
		}
	}
	if row := byYear["102 2024"]; row["Turnover"]+row["Cash"]+row["Employee-Numbers"] != "" || row["Goodwill"] != "12.5" || row["Brand-New"] != "7" || row["Mood"] != "good" {
		t.Errorf("figures %v", row)
	}
	if byYear["102 2020"]["Turnover"] != "3" || byYear["104 2024"]["Turnover"] != "5" || byYear["104 2024"]["Unknown-000023"] != "23" {
		t.Errorf("years %v, unknown figure %q", len(byYear), byYear["104 2024"]["Unknown-000023"])
	}
	holders, long := 0, 0
	for _, row := range csvRows(t, filepath.Join(dir, "shareholders.csv")) {
		if row["company_id"] == "106" {
			holders++
		}
	}
	for _, row := range csvRows(t, filepath.Join(dir, "insights.csv")) {
		long = max(long, len(row["raw"]))
	}
	if holders < 10_000 || long < 10<<20 {
		t.Errorf("%d shareholders of a record of 10 MB, and a text of %d bytes", holders, long)
	}
}

// checkFigureTypes checks that the table of financials has a column of the right type for each figure.
func checkFigureTypes(t *testing.T, dir string) {
	t.Helper()
	reader, err := file.OpenParquetFile(filepath.Join(dir, "financials.parquet"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	stored := reader.MetaData().Schema
	want := map[enrich.CellKind]string{
		enrich.TextCell: "BYTE_ARRAY String", enrich.DateCell: "INT32 Date", enrich.IntegerCell: "INT64 Int(bitWidth=64, isSigned=true)", enrich.NumberCell: "DOUBLE None",
	}
	for _, figure := range append(v2.Figures(), enrich.TableColumn{Name: "year", Kind: enrich.IntegerCell}, enrich.TableColumn{Name: "Brand-New", Kind: enrich.NumberCell}) {
		i := stored.ColumnIndexByName(figure.Name)
		if i < 0 {
			t.Errorf("%s has no column", figure.Name)
			continue
		}
		if got := fmt.Sprint(stored.Column(i).PhysicalType(), " ", stored.Column(i).LogicalType()); got != want[figure.Kind] {
			t.Errorf("%s is stored as %s, want %s", figure.Name, got, want[figure.Kind])
		}
	}
}
