package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
)

// pagesService is a v2 interface that counts how often it was asked for each page of companies.
type pagesService struct {
	mu      sync.Mutex
	used    int
	counted map[string]int // by page
	// killAt is the call in which the client dies, from 1, before or after it is counted.
	killAt  int
	counts  bool
	arrived int
	died    chan struct{}
}

// ServeHTTP implements http.Handler.
func (s *pagesService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/metrics") {
		s.mu.Lock()
		defer s.mu.Unlock()
		var metrics []string
		for _, module := range []string{"contacts", "financials", "digital_insights", "ownership", "watch"} {
			metrics = append(metrics, fmt.Sprintf(`{"codename": %q, "used": 0, "total": 100}`, module))
		}
		fmt.Fprintf(w, `[{"metrics": [{"codename": "companies", "used": %d, "total": 1000}, %s]}]`, s.used, strings.Join(metrics, ","))
		return
	}
	var body struct{ Page int }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.arrived++
	dies := s.arrived == s.killAt
	if !dies || s.counts {
		s.used++
		s.counted[fmt.Sprint(body.Page)]++
	}
	s.mu.Unlock()
	if dies {
		close(s.died)
		<-r.Context().Done()
		return
	}
	var data []string
	for i := range 25 {
		data = append(data, fmt.Sprintf(`{"id": %d, "name": "Company %d"}`, 100*body.Page+i, i))
	}
	fmt.Fprintf(w, `{"total_companies": 200, "total_pages": 8, "data": [%s]}`, strings.Join(data, ","))
}

// TestASearchThatIsKilledBuysNoPageTwice kills a search in one of its calls, which the service counts or not,
// and starts it again until it ends.
func TestASearchThatIsKilledBuysNoPageTwice(t *testing.T) {
	skipIfShort(t)
	t.Setenv("SERVICE_V2_API_KEY", "key")
	for call := 1; call <= 8; call += 3 {
		for _, counts := range []bool{false, true} {
			t.Run(fmt.Sprintf("call %d, counted %t", call, counts), func(t *testing.T) {
				service := &pagesService{counted: map[string]int{}, killAt: call, counts: counts, died: make(chan struct{})}
				server := httptest.NewServer(service)
				defer server.Close()
				p := &program{t: t, dir: t.TempDir()}
				p.args = []string{
					"search", "companies", "-o", p.output(), "--max-units", "companies=20", "--yes", "--json", "--state", p.state(),
					"--base-url-v2", server.URL + "/v2", "--rate-v2", "100000/1s", "--settle-delay", "0s", "--exclusive", "--concurrency", "3",
				}
				if code := p.killOn(service.died); code != -1 {
					t.Fatalf("it ended with %d and was not killed", code)
				}
				server.CloseClientConnections() // nothing that the client sent is counted from here on
				run := p.runToEnd(exitDone, exitDoubt)
				var summary struct {
					Run     string
					Results int
					Units   []struct{ Used, Held int }
				}
				if err := json.Unmarshal(run.stdout.Bytes(), &summary); err != nil {
					t.Fatal(err)
				}
				for page, n := range service.counted {
					if n > 1 {
						t.Errorf("page %s was counted %d times", page, n)
					}
				}
				// Of the three calls in flight some may be counted and others not. The account does not tell which, so
				// all of them stay in doubt, and up to two pages are never counted.
				u := summary.Units[0]
				if u.Used+u.Held < service.used || summary.Results%25 != 0 || len(service.counted) < 6 && call > 1 {
					t.Errorf("%d results, %+v, the service counted %d", summary.Results, summary.Units, service.used)
				}
				text, err := os.ReadFile(p.output())
				if lines := strings.Count(string(text), "\n"); err != nil || lines != summary.Results+1 {
					t.Errorf("the list has %d lines, error %v", lines, err)
				}
				p.args = []string{"journal", "check", "--state", p.state(), "--base-url-v2", server.URL + "/v2"}
				p.runToEnd(exitDone)
				p.args = []string{"write", summary.Run, "-o", p.output(), "--state", p.state(), "--base-url-v2", server.URL + "/v2"}
				if run := p.runToEnd(exitUsage); !strings.Contains(run.stderr.String(), "is a search and has no list") {
					t.Errorf("writing it again: %s", run.stderr)
				}
			})
		}
	}
}

// TestSearchRefusalsSayWhatIsMissing shows what each refusal says to do.
func TestSearchRefusalsSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	for _, test := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"companies", "--sandbox", "-o", "x.csv"}, "give --max-units companies=N", exitUsage},
		{[]string{"people", "--sandbox", "-o", "x.csv", "--max-units", "companies=1"}, "give --max-units contacts=N", exitUsage},
		{[]string{"companies", "--sandbox", "--max-units", "companies=1", "--dry-run"}, "", exitDone},
		{[]string{"companies", "--sandbox", "--max-units", "companies=1"}, "give -o FILE, such as companies.csv", exitUsage},
		{[]string{"companies", "--sandbox", "-o", "x.csv", "--max-units", "company=1"}, "the modules are companies, contacts,", exitUsage},
		{[]string{"companies", "--sandbox", "-o", "x.csv", "--max-units", "companies=1", "--where", "naze=1"}, `there is no filter "naze"; the filters are activity_type,`, exitUsage},
		{[]string{"companies", "--base-url", "https://a.example/api/v1", "-o", "x.csv", "--max-units", "companies=1", "-y"}, "give --base-url-v2 URL", exitUsage},
		{[]string{"companies", "--sandbox", "-o", "x.csv", "--max-units", "companies=1"}, "then give --yes", exitApproval},
		{[]string{"companies", "--sandbox", "-o", "-", "--json", "--max-units", "companies=1", "-y"}, "both write to standard output", exitUsage},
		{[]string{"employees", "--sandbox", "-o", "x.csv"}, "a search for employees needs a filter, such as company_id", exitUsage},
		{[]string{"employees", "--sandbox", "-o", "x.csv", "--where", "company_id=3", "--per-company", "2", "--max-units", "contacts=1"}, "needs a list of companies", exitUsage},
		{[]string{"figures", "--sandbox", "-o", "x.csv", "--where", "company_id=3", "--max-units", "financials=1"}, "a search for figures needs a year", exitUsage},
		{[]string{"overview", "--sandbox", "-o", "x.csv", "--per-page", "6", "--max-units", "companies=1"}, "a page of this search has at most 5", exitUsage},
		{[]string{"autocomplete", "--sandbox", "-o", "x.csv", "--where", "country_code=DE", "--max-units", "companies=1"}, "it needs more than a country", exitUsage},
		{[]string{"companies", "--sandbox", "-o", "x.csv", "--codes", "nowhere.yaml", "--max-units", "companies=1"}, "nowhere.yaml", exitUsage},
		{[]string{"people", "--sandbox", "-o", "x.csv", "--max-units", "contacts=1", "--seniority", "boss", "-y"}, `"boss" is not a seniority`, exitUsage},
	} {
		_, stderr, code := executeIn(t.Context(), quietEnvironment(nil), append([]string{"search"}, append(test.args, "--state", state)...)...)
		if code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%q ends with %d:\n%s", test.args, code, stderr)
		}
	}
}

// TestSearchesWriteLists completes companies, and reads what was written in each format. Lists of values are lists in
// JSON and Parquet, as they are in the output of a run.
func TestSearchesWriteLists(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	b := newWorkbench(t, sandbox.DefaultConfig(), world.DefaultList(1, 1))
	writeFile(t, b.path("ids.csv"), "company_id\n102\n")
	writeFile(t, b.path("sites.csv"), "Website\nfalcon-logistics-2.example\n")
	for _, format := range []string{"jsonl", "parquet", "csv"} {
		found, ran := b.path("found."+format), b.path("ran."+format)
		b.try("search", "autocomplete", b.path("sites.csv"), "--sandbox", "--max-units", "companies=5", "--yes", "-o", found)
		b.try("run", b.path("ids.csv"), "--sandbox", "--fields", "company", "--max-units", "companies=5", "--yes", "-o", ran)
		rows, same := readTyped(t, found), readTyped(t, ran)
		if len(rows) != 1 || len(same) != 1 {
			t.Fatalf("%s: %d and %d rows", format, len(rows), len(same))
		}
		for _, column := range []string{"company_phone", "company_email", "company_industry", "company_size", "company_founding_date"} {
			if diff := cmp.Diff(same[0][column], rows[0][column]); diff != "" || rows[0][column] == nil {
				t.Errorf("%s, %s (-run +search):\n%s", format, column, diff)
			}
		}
	}
}

// TestKeysOfFiltersAreCompleted asks for the keys that begin with some letters.
func TestKeysOfFiltersAreCompleted(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"companies": "financial_currency=\nfinancial_directors=\nfinancial_employee_profit=\nfinancial_exports=\nfinancial_liabilities=\nfinancial_profit=\nfinancial_turnover=\n",
		"employees": "full_name=\n", "people": "", "overview": "person=\nphone_number=\npro_network=\n", "figures": "year=\n",
		"autocomplete": "pro_network=\n",
	} {
		stdout, _, _ := executeIn(t.Context(), quietEnvironment(nil), "__complete", "search", command, "--where", map[string]string{
			"companies": "fin", "employees": "f", "overview": "p", "figures": "y", "autocomplete": "p",
		}[command])
		if got, _, _ := strings.Cut(stdout, ":"); command != "people" && got != want || command == "people" && !strings.HasPrefix(stdout, "company_locations=\ndomain_list=\n") {
			t.Errorf("%s: %q", command, stdout)
		}
	}
}
