package search_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/search"
	"payonce/pipeline/workspace"
)

// company is a company of the service.
type company struct{ id, employees int64 }

// service is a v2 interface on loopback that counts every call that it answers, and how often it answered each.
type service struct {
	*httptest.Server
	mu        sync.Mutex
	companies []company
	used      map[string]int64 // units by module
	counted   map[string]int   // answered pages by their bodies
	calls     int              // that arrived
	// spoil may take the place of a response: it returns true when it has answered. It is told the number of
	// the call, from 1, and counts the call if the service does.
	spoil func(number int, w http.ResponseWriter, count func()) bool
	// change may change an answer.
	change func(number int, answer map[string]any)
}

func newService(t *testing.T, companies int64) *service {
	t.Helper()
	s := &service{used: map[string]int64{}, counted: map[string]int{}}
	for i := range companies {
		s.companies = append(s.companies, company{1000 + i, i * i % 3000})
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Authorization") != "Token key" {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"detail": "Invalid token."}`)
		return
	}
	if r.URL.Path == "/v2/metrics" {
		var metrics []map[string]any
		for _, meter := range v2.Meters() {
			metrics = append(metrics, map[string]any{"codename": v2.MeterName(meter), "used": s.used[v2.MeterName(meter)], "total": 100_000})
		}
		json.NewEncoder(w).Encode([]map[string]any{{"codename": "data", "metrics": metrics}})
		return
	}
	if id, isFigures := strings.CutPrefix(r.URL.Path, "/v2/financial/"); isFigures {
		s.figures(w, id, r.URL.Query().Get("year"))
		return
	}
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.calls++
	if r.URL.Path == "/v2/autocomplete" {
		s.autocomplete(w, body)
		return
	}
	module, answer := s.answer(r.URL.Path, body)
	if answer == nil {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"filters": ["nace: there is no such code."]}`)
		return
	}
	count := func() {
		s.used[module]++
		text, _ := json.Marshal(body)
		s.counted[r.URL.Path+" "+string(text)]++
	}
	if s.spoil != nil && s.spoil(s.calls, w, count) {
		return
	}
	if s.change != nil {
		s.change(s.calls, answer)
	}
	count()
	json.NewEncoder(w).Encode(answer)
}

// isSpoilt counts a call, and reports whether something else took the place of its response.
func (s *service) isSpoilt(w http.ResponseWriter, module, call string) bool {
	count := func() {
		s.used[module]++
		s.counted[call]++
	}
	if s.spoil != nil && s.spoil(s.calls, w, count) {
		return true
	}
	count()
	return false
}

// figures answers with the figures of a company in 2023 and 2024, or in one of them. Company 404 has none.
func (s *service) figures(w http.ResponseWriter, id, year string) {
	s.calls++
	if id == "404" {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"detail": "Not found."}`)
		return
	}
	if s.isSpoilt(w, "financials", "figures "+id+" "+year) {
		return
	}
	answer := map[string]any{}
	for _, one := range []string{"2023", "2024"} {
		if year == "" || year == one {
			answer[one] = map[string]any{"Turnover": 1.5, "Currency": "EUR", "Mood": "good"}
		}
	}
	json.NewEncoder(w).Encode(answer)
}

// autocomplete answers with company 7 for whatever has a name, and with nothing for the rest.
func (s *service) autocomplete(w http.ResponseWriter, body map[string]any) {
	if body["name"] == nil {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"detail": "Not found."}`)
		return
	}
	if text, _ := json.Marshal(body); s.isSpoilt(w, "companies", "autocomplete "+string(text)) {
		return
	}
	fmt.Fprint(w, `{"id": "7", "name": "Acme", "company_email": ["a@acme.example"], "founding_date": "1999-01-02"}`)
}

// answer returns the answer to a search, nil for filters that the service refuses.
func (s *service) answer(path string, body map[string]any) (module string, answer map[string]any) {
	var filters struct {
		Employees v2.Range `json:"number_of_employees"`
		NACE      []string `json:"nace"`
		CompanyID int64    `json:"company_id"`
	}
	if text, given := body["filters"].(string); given && json.Unmarshal([]byte(text), &filters) != nil || slices.Contains(filters.NACE, "wrong") {
		return "", nil
	}
	var found []any
	module, total := "contacts", "total_employees"
	switch path {
	case "/v2/prospecting":
		module, total = "companies", "total_companies"
		for _, c := range s.companies {
			least, most := int64(0), int64(1<<40)
			fmt.Sscan(string(filters.Employees.GTE), &least)
			fmt.Sscan(string(filters.Employees.LTE), &most)
			if c.employees >= least && c.employees <= most {
				found = append(found, map[string]any{"id": c.id, "name": fmt.Sprintf("Company %d", c.id)})
			}
		}
	case "/v2/overview":
		module, total = "companies", "total_results"
		for _, c := range s.companies {
			found = append(found, map[string]any{
				"id": fmt.Sprint(c.id), "name": fmt.Sprintf("Company %d", c.id), "status": "active", "country_code": "DE", "registration_number": fmt.Sprint("HRB ", c.id),
			})
		}
	case "/v2/employees":
		for i := range filters.CompanyID % 60 {
			found = append(found, map[string]any{
				"id": fmt.Sprintf("%d-%d", filters.CompanyID, i), "name": fmt.Sprintf("Ada Number%d", i),
				"company_id": fmt.Sprint(filters.CompanyID), "company_name": fmt.Sprintf("Company %d", filters.CompanyID),
			})
		}
	default:
		for i := range 60 {
			found = append(found, map[string]any{
				"id": fmt.Sprint(i), "first_name": "Ada", "last_name": fmt.Sprintf("Number%d", i), "name": fmt.Sprintf("Ada Number%d", i),
				"seniority_level": "vp", "job_title": "VP, Sales", "pro_network": fmt.Sprintf("https://pro.example/in/ada-%d", i), "country": "GB",
				"company": map[string]any{"name": "Acme", "website": "acme.example", "incorporation_date": 1999, "country": "DE"},
			})
		}
	}
	number, perPage := int(body["page"].(float64)), int(body["per_page"].(float64))
	from, to := min((number-1)*perPage, len(found)), min(number*perPage, len(found))
	return module, map[string]any{total: len(found), "total_pages": (len(found) + perPage - 1) / perPage, "data": found[from:to]}
}

// checkOnce fails when the service counted a page twice.
func (s *service) checkOnce(t *testing.T) {
	t.Helper()
	for page, n := range s.counted {
		if n > 1 {
			t.Errorf("%s was counted %d times", page, n)
		}
	}
}

// person approves everything and keeps the plan.
type person struct {
	asks  bool
	says  bool
	plan  *search.Plan
	asked int
}

func (p *person) Show(plan *search.Plan) error { p.plan = plan; return nil }
func (p *person) CanAsk() bool                 { return p.asks }
func (p *person) Confirm(context.Context, *search.Plan) bool {
	p.asked++
	return p.says
}

// observer hears nothing.
type observer struct{ t *testing.T }

func (o observer) Note(text string)     { o.t.Log(text) }
func (observer) Scanning() func()       { return func() {} }
func (observer) Copying(_, _ int64)     {}
func (observer) ReadingJournal() func() { return func() {} }
func (observer) Writing() func()        { return func() {} }
func (observer) Sending(pipeline.Sending) (func(pipeline.SentSoFar), func()) {
	return func(pipeline.SentSoFar) {}, func() {}
}

// bench is a workspace with a service, and a place for lists.
type bench struct {
	*service
	dir  string
	now  func() time.Time
	opts workspace.Options
}

func newBench(t *testing.T, companies int64) *bench {
	t.Helper()
	b := &bench{service: newService(t, companies), dir: t.TempDir(), now: time.Now}
	fast := checkpoint.Rate{Slots: 5000, Window: time.Minute}
	b.opts = workspace.Options{
		Journal: workspace.Journal{State: filepath.Join(b.dir, "state"), Name: "default"},
		Services: []provider.Service{
			{Provider: providerv1.Provider{}, Kept: fast},
			{Provider: providerv2.Provider{}, BaseURL: b.URL + "/v2", Key: "key", Kept: fast, Timeout: 20 * time.Second},
		},
	}
	return b
}

// second returns the service of v2.
func (b *bench) second() *provider.Service { return &b.opts.Services[1] }

// setPrices sets what units cost the user.
func (b *bench) setPrices(prices v2.Prices) {
	provider.Change(b.opts.Services, func(p *providerv2.Provider) { p.Prices = prices })
}

func (b *bench) work(t *testing.T) *pipeline.Work {
	return &pipeline.Work{
		Env: workspace.Environment{Now: b.now, Program: "batch", Version: "test"}, Workspace: b.opts, Observer: observer{t},
		Explain: func(err error) string { return err.Error() },
	}
}

func kind(name string) search.Kind {
	return search.Kinds()[slices.IndexFunc(search.Kinds(), func(k search.Kind) bool { return k.Name == name })]
}

// order returns an order with filters.
func order(t *testing.T, name string, filters ...string) search.Order {
	t.Helper()
	o := search.Order{Kind: kind(name)}
	perPage := 25
	if most := v2.MostPerPage(o.Kind.Operation); most > 0 {
		perPage = most
	}
	o.Query = search.NewQuery(o.Kind.Operation, perPage)
	for _, text := range filters {
		var err error
		if o.Query, err = o.Query.Where(text); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// options returns options with room for everything.
func (b *bench) options(o search.Order) search.Options {
	return search.Options{
		Order: o, Budget: pipeline.Budget{Units: map[string]int64{"companies": 10_000, "contacts": 10_000, "financials": 10_000}}, FreshFor: 7 * 24 * time.Hour,
		Pace: pipeline.Pace{Concurrency: 4}, Yes: true, Output: search.Output{Path: filepath.Join(b.dir, "out.csv"), Keep: 3},
	}
}

// run runs a search that must not fail.
func (b *bench) run(t *testing.T, o search.Options) *search.Ended {
	t.Helper()
	ended, err := search.Run(t.Context(), b.work(t), o, &person{})
	if err != nil {
		t.Fatal(err)
	}
	return ended
}

// lines returns the lines of the list.
func (b *bench) lines(t *testing.T, o search.Options) []string {
	t.Helper()
	text, err := os.ReadFile(o.Output.Path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")), "\n")
}

// stopWord returns why a search stopped, "" when it did not.
func stopWord(ended *search.Ended) string { return *cmp.Or(ended.Summary.Stop, new(string)) }
