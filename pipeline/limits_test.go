package pipeline

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v2"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// standingService is a sandbox of its own process, as it were: it outlives the starts of the program. Its clock
// is that of the program.
type standingService struct {
	*sandbox.Server
	url string

	mu     sync.Mutex
	asked  map[string]int // requests by the first part of their path below /v2
	denied string         // the part of the path whose requests are told that the key is invalid
	offset time.Duration  // of the clock
	lost   func(path string, handle func()) (isLost bool)
}

func (s *standingService) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.offset)
}

func (s *standingService) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += d
}

// calls returns how many requests have asked for something.
func (s *standingService) calls(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[what]
}

// stand starts a service whose clock shows noon.
func stand(t *testing.T, change func(*sandbox.Config)) *standingService {
	t.Helper()
	s := &standingService{asked: map[string]int{}}
	now := time.Now().UTC()
	s.offset = now.Truncate(24 * time.Hour).Add(12 * time.Hour).Sub(now)
	config := sandbox.DefaultConfig()
	config.Now = s.now
	config.Window = sandbox.Window{Limit: 10_000, Per: time.Second}
	config.V2.Window = config.Window
	change(&config)
	var err error
	if s.Server, err = sandbox.New(config); err != nil {
		t.Fatal(err)
	}
	handler := s.Handler()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path, is := strings.CutPrefix(r.URL.Path, "/v2/"); is {
			first, _, _ := strings.Cut(path, "/")
			s.mu.Lock()
			s.asked[first]++
			denied, lost := first == s.denied, s.lost
			s.mu.Unlock()
			if lost != nil && lost(first, func() { handler.ServeHTTP(httptest.NewRecorder(), r) }) {
				panic(http.ErrAbortHandler)
			}
			if denied {
				w.WriteHeader(http.StatusUnauthorized)
				w.Write([]byte(`{"detail": "Invalid token."}`))
				return
			}
		}
		handler.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(func() {
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.url = server.URL
	return s
}

// work returns work with both interfaces of the service.
func (s *standingService) work(dir string) *Work {
	w := workIn(dir)
	w.Env.Now = s.now
	rate := checkpoint.Rate{Slots: 10_000, Window: time.Second}
	w.Workspace.Sandbox = false
	first, second := &w.Workspace.Services[0], &w.Workspace.Services[1]
	first.BaseURL, first.Key, first.Kept = s.url+"/api/v1", sandbox.DefaultKey, rate
	second.BaseURL, second.Key, second.Kept = s.url+"/v2", sandboxv2.DefaultKey, rate
	second.Timeout, second.Connections = time.Minute, 4
	return w
}

// companyIDs writes a list of companies by their ids.
func companyIDs(t *testing.T, dir, name string, first, last int) string {
	t.Helper()
	text := "company_id\n"
	for id := first; id <= last; id++ {
		text += fmt.Sprintln(id)
	}
	list := filepath.Join(dir, name)
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestADailyLimitStopsItsModuleUntilTheNextDay reaches the limit of one module in the middle of a run of two steps.
// The other module goes on, and so do later lists that need it. No start of that day sends a call to the
// limited module. That of the next day finishes.
func TestADailyLimitStopsItsModuleUntilTheNextDay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := stand(t, func(c *sandbox.Config) { c.V2.Daily = map[kit.Module]int64{kit.Companies: 3} })
	midnight := s.now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	run := func(list string, fields ...string) *RunEnded {
		t.Helper()
		o := runOf(list, fields...)
		o.Pace.Concurrency = 1
		ended, err := s.work(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		return ended
	}
	check := func(when string, ended *RunEnded, companies, financials int) {
		t.Helper()
		stop, is := ended.Stop.(dispatch.ServiceRefused)
		if !is || stop.Code != "limits.daily" || stop.Module != "companies" || !stop.Until.Equal(midnight) {
			t.Errorf("%s: stopped by %+v, want the daily limit of companies until %s", when, ended.Stop, midnight)
		}
		if c, f := s.calls("companies"), s.calls("financial"); c != companies || f != financials {
			t.Errorf("%s: %d calls for companies and %d for figures, want %d and %d", when, c, f, companies, financials)
		}
	}
	list := companyIDs(t, dir, "list.csv", 101, 106)
	check("first start", run(list, "company", "financials"), 4, 6)
	check("second start", run(list, "company", "financials"), 4, 6)
	check("another list", run(companyIDs(t, dir, "other.csv", 107, 108), "company", "financials"), 4, 8)
	planned, err := s.work(dir).Plan(t.Context(), PlanOptions{List: runOf(list, "company", "financials").List})
	if err != nil || len(planned.Plan.Limits) != 1 || planned.Plan.Limits[0].String() !=
		"companies is limited (limits.daily) until "+midnight.Format("2006-01-02 15:04 UTC") {
		t.Errorf("%v, the plan shows the limits %v", err, planned.Plan.Limits)
	}
	s.pass(midnight.Sub(s.now()) - time.Minute)
	check("before midnight", run(list, "company", "financials"), 4, 8)
	s.pass(time.Minute)
	if ended := run(list, "company", "financials"); ended.Stop != nil || s.calls("companies") != 7 || s.calls("financial") != 8 {
		t.Errorf("the next day: stopped by %+v, %d calls for companies and %d for figures", ended.Stop, s.calls("companies"), s.calls("financial"))
	}
	for _, row := range cells(t, filepath.Join(dir, "out.csv")) {
		if row["company_name"] == "" {
			t.Errorf("a company has no name: %v", row)
		}
	}
}

// TestALimitOfAModuleBindsLaterSteps has figures counted on the module of companies.
func TestALimitOfAModuleBindsLaterSteps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := stand(t, func(c *sandbox.Config) { c.V2.Daily = map[kit.Module]int64{kit.Companies: 1} })
	work := s.work(dir)
	provider.Change(work.Workspace.Services, func(p *providerv2.Provider) {
		p.Modules.Operations = map[v2.Operation]cost.Meter{v2.OpGetFinancials: meterNamed(t, "companies")}
	})
	o := runOf(companyIDs(t, dir, "list.csv", 101, 103), "company", "financials", "ownership")
	o.Pace.Concurrency = 1
	ended, err := work.Run(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	stop, is := ended.Stop.(dispatch.ServiceRefused)
	if !is || stop.Module != "companies" || s.calls("companies") != 2 || s.calls("financial") != 0 || s.calls("ownership") != 3 {
		t.Errorf("stopped by %+v, %d, %d and %d calls", ended.Stop, s.calls("companies"), s.calls("financial"), s.calls("ownership"))
	}
}

// TestAnInvalidKeyBindsLaterStepsOfTheAccount: the first call of the first step is told.
func TestAnInvalidKeyBindsLaterStepsOfTheAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := stand(t, func(*sandbox.Config) {})
	s.denied = "companies"
	o := runOf(companyIDs(t, dir, "list.csv", 101, 106), "company", "financials", "ownership")
	o.Pace.Concurrency = 1
	ended, err := s.work(dir).Run(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	stop, is := ended.Stop.(dispatch.ServiceRefused)
	if !is || stop.Code != "invalid_api_key" || ended.Summary.Posts != 1 || s.calls("financial")+s.calls("ownership") > 0 {
		t.Errorf("stopped by %+v, %d calls, %d of them for figures", ended.Stop, ended.Summary.Posts, s.calls("financial"))
	}
}

// TestReconcileLooksAtTheAccountOfV2: a run that ended before it could look at the account left a call in doubt.
// Counters that may have begun again since prove nothing.
func TestReconcileLooksAtTheAccountOfV2(t *testing.T) {
	t.Parallel()
	for title, c := range map[string]struct {
		used        int64 // before
		counted     bool
		result      string
		held, shown map[string]int64
		why         string
	}{
		"counted":                {5000, true, undecidedText, map[string]int64{"companies": 1}, map[string]int64{"companies": 1}, "somebody else may have used it"},
		"not counted":            {5000, false, "not charged: may be asked again", nil, nil, ""},
		"counted, near zero":     {0, true, undecidedText, map[string]int64{"companies": 1}, nil, "may have begun again"},
		"not counted, near zero": {0, false, undecidedText, map[string]int64{"companies": 1}, nil, "may have begun again"},
	} {
		dir := t.TempDir()
		s := stand(t, func(c *sandbox.Config) { c.V2.Totals[kit.Companies] = 10_000 })
		if err := s.Second().Units().UseElsewhere(kit.UnitCharge{Module: kit.Companies, Units: c.used}); err != nil {
			t.Fatal(err)
		}
		work := s.work(dir)
		work.Workspace.Services[1].Kept = checkpoint.Rate{}
		ctx, cancel := context.WithCancel(t.Context())
		s.lost = func(path string, handle func()) bool {
			if path != "companies" || ctx.Err() != nil {
				return false
			}
			cancel()
			if c.counted {
				handle()
			}
			return true
		}
		ended, err := work.Run(ctx, runOf(companyIDs(t, dir, "list.csv", 101, 101), "company"), silent{})
		if err != nil || ended.Summary.InDoubt != 1 {
			t.Fatalf("%s: %+v, %v", title, ended, err)
		}
		found, err := work.Reconcile(t.Context(), ReconcileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Cases) != 1 || found.Cases[0].Result != c.result || found.InDoubt != len(c.held) {
			t.Errorf("%s: %+v", title, found)
		}
		if !strings.Contains(found.Why, c.why) || c.why != "" && !strings.Contains(found.Cases[0].Cause, c.why) {
			t.Errorf("%s: because %q, the call because %q", title, found.Why, found.Cases[0].Cause)
		}
		if diff := cmp.Diff(map[string]int64{"companies": 1}, found.Cases[0].Units); diff != "" {
			t.Errorf("%s: the call holds\n%s", title, diff)
		}
		if diff := cmp.Diff(c.held, found.HeldUnits); diff != "" || !maps.Equal(c.shown, found.Units) {
			t.Errorf("%s: in doubt %v, unexplained %v", title, found.HeldUnits, found.Units)
		}
		if len(c.held) == 0 {
			continue
		}
		found, err = work.Reconcile(t.Context(), ReconcileOptions{Assume: "charged"})
		if err != nil || found.InDoubt != 0 || found.Cases[0].Result != "assumed charged" {
			t.Errorf("%s: %+v, %v", title, found, err)
		}
	}
}

// TestTheDriftOfEachModuleIsRecorded has somebody else use up units of two modules during a run.
func TestTheDriftOfEachModuleIsRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := stand(t, func(*sandbox.Config) {})
	var once sync.Once
	s.lost = func(path string, _ func()) bool {
		if path == "companies" {
			once.Do(func() {
				for _, elsewhere := range []kit.UnitCharge{{Module: kit.Companies, Units: 3}, {Module: kit.Ownership, Units: 1}} {
					if err := s.Second().Units().UseElsewhere(elsewhere); err != nil {
						t.Error(err)
					}
				}
			})
		}
		return false
	}
	work := s.work(dir)
	ended, err := work.Run(t.Context(), runOf(companyIDs(t, dir, "list.csv", 101, 103), "company"), silent{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"companies": 3, "ownership": 1}
	if ended.Summary.Drift == nil || !maps.Equal(ended.Summary.Drift.Units, want) {
		t.Fatalf("the summary has the drift %+v, want %v", ended.Summary.Drift, want)
	}
	text := "the account lost 3 units of companies and 1 unit of ownership that this journal did not use; others use it"
	if got := ended.Summary.Drift.String(); got != text {
		t.Errorf("%q, want %q", got, text)
	}
	place := &workspace.Session{Options: work.Workspace, Env: work.Env}
	if err := place.Read(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	run, found, err := place.Journal.Run(ended.Summary.Run)
	recorded := []checkpoint.ModuleDrift{{Account: 1, Module: "companies", Units: 3}, {Account: 1, Module: "ownership", Units: 1}}
	if diff := cmp.Diff(recorded, run.ModuleDrifts); err != nil || !found || diff != "" || !run.Drift.Zero() {
		t.Errorf("%v, the record of the run has the drift %+v and\n%s", err, run.Drift, diff)
	}
}

// TestACeilingOnPhonesLeavesOnlyTheRowsThatLackThem runs a list under a ceiling of the day. Rows that have a phone
// and lack only an email are still looked up. No other start of the day asks for a phone. Starts on the next days
// do the rest.
func TestACeilingOnPhonesLeavesOnlyTheRowsThatLackThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := stand(t, func(*sandbox.Config) {})
	text := "First Name,Last Name,Company,Phone\n"
	for i, e := range staff(12, 3) {
		text += fmt.Sprintf("%s,%s,%s,%s\n", e.First, e.Last, e.Company.Name(), []string{"", "+1 555 0100"}[i%2])
	}
	list := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func() *RunEnded {
		t.Helper()
		o := runOf(list, "contact")
		o.List.From, o.Budget.Job, o.Pace.Concurrency = []string{"v2"}, "nightly", 1
		o.Budget.DailyUnits = map[string]int64{"phone_count": 2}
		ended, err := s.work(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		return ended
	}
	first := run()
	ceiling, is := first.Stop.(dispatch.CeilingReached)
	if !is || ceiling.Ceiling.Name != "daily-units phone_count" {
		t.Errorf("stopped by %+v, want the ceiling on phones", first.Stop)
	}
	left := int64(12) - first.Summary.Posts
	want := []report.NotSent{{Step: "v2", Reason: "ceiling:daily-units phone_count", Module: "phone_count", Lookups: left}}
	if diff := cmp.Diff(want, first.Summary.NotSent); diff != "" || left < 1 || left > 4 {
		t.Errorf("%d of 12 lookups were not sent (-want +got):\n%s", left, diff)
	}
	for i, row := range cells(t, filepath.Join(dir, "out.csv")) {
		if attempted := row["enrich_status"] != "not_attempted"; i%2 == 1 && !attempted {
			t.Errorf("a row that has a phone was not attempted: %v", row)
		}
	}
	if again := run(); again.Stop == nil || again.Summary.Posts != 0 {
		t.Errorf("a second start of the day stopped by %v, %d posts", again.Stop, again.Summary.Posts)
	}
	for days := 1; ; days++ {
		s.pass(24 * time.Hour)
		if last := run(); last.Stop == nil {
			break
		}
		if days > 3 {
			t.Fatal("the run does not come to its end")
		}
	}
	for _, row := range cells(t, filepath.Join(dir, "out.csv")) {
		if row["enrich_status"] == "not_attempted" {
			t.Errorf("left at the end: %v", row)
		}
	}
}

// TestReconcileNamesTheRowOfASelectedCompany loses the answer about a company that somebody selected. Its row is known
// by the selection that the journal recorded. Without the file the other rows are still known.
func TestReconcileNamesTheRowOfASelectedCompany(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s := stand(t, func(*sandbox.Config) {})
	list := write("list.csv", "Company,Country,Website\nVertex Software 1,GB,\n,,https://acme.example\nWillow Software 1,GB,\n")
	run := func(ctx context.Context, selected string) *RunEnded {
		t.Helper()
		o := runOf(list, "company")
		o.List.Run, o.List.Selected = "companies", selected
		ended, err := s.work(dir).Run(ctx, o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		return ended
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.lost = func(path string, handle func()) bool {
		lost := path == "enrichment"
		if lost {
			handle()
			cancel()
		}
		return lost
	}
	if ended := run(ctx, ""); ended.Summary.InDoubt != 1 {
		t.Fatalf("%d lookups in doubt", ended.Summary.InDoubt)
	}
	s.lost = nil
	if ended := run(t.Context(), ""); ended.Summary.Ambiguous == nil {
		t.Fatal("no company is ambiguous")
	}
	ctx, cancel = context.WithCancel(t.Context())
	s.lost = func(path string, handle func()) bool {
		lost := path == "companies"
		if lost {
			handle()
			cancel()
		}
		return lost
	}
	selected := write("choose.csv", "name,country,candidate_id,selected\nVertex Software 1,GB,1000046,x\n")
	if ended := run(ctx, selected); ended.Summary.InDoubt != 2 {
		t.Fatalf("%d lookups in doubt", ended.Summary.InDoubt)
	}
	s.lost = nil
	check := func(want map[string]int64) {
		t.Helper()
		found, err := s.work(dir).Reconcile(t.Context(), ReconcileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		rows := map[string]int64{}
		for _, c := range found.Cases {
			rows[c.Person] = c.Row
		}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	}
	check(map[string]int64{"acme.example": 2, "company 1000046": 1})
	if err := os.Remove(selected); err != nil {
		t.Fatal(err)
	}
	check(map[string]int64{"acme.example": 2, "company 1000046": 0})
}

// TestACeilingOfNoneLeavesTheValueOutOfTheCalls allows no emails and no phones: contacts are asked for without them,
// with the operation that takes everything that names a person. The run is whole, and is written again as it was.
func TestACeilingOfNoneLeavesTheValueOutOfTheCalls(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := stand(t, func(*sandbox.Config) {})
	list := filepath.Join(dir, "list.csv")
	text := "Profile URL,First Name,Last Name,Company\n"
	for i, e := range staff(4, 4) {
		text += fmt.Sprintf("%s,%s,%s,%s\n", []string{"", e.Profile()}[i%2], e.First, e.Last, e.Company.Name())
	}
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runOf(list, "contact")
	o.List.From = []string{"v2"}
	o.Budget.Units = map[string]int64{"contacts": 10, "email_count": 0, "phone_count": 0}
	ended, err := s.work(dir).Run(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	if ended.Stop != nil || ended.Summary.Posts != 4 {
		t.Errorf("%d posts, stopped by %v", ended.Summary.Posts, ended.Stop)
	}
	matched := 0
	for _, row := range cells(t, filepath.Join(dir, "out.csv")) {
		if row["enrich_status"] == "matched" {
			matched++
		}
		if row["contact_email"]+row["contact_phone"] != "" {
			t.Errorf("a value was returned: %v", row)
		}
	}
	for _, record := range s.Second().Units().Records() {
		if !strings.HasSuffix(record.Path, "/enrichment/employee/contacts") {
			t.Errorf("it called %s", record.Path)
		}
	}
	if matched == 0 {
		t.Error("nobody was found")
	}
	first, err := os.ReadFile(filepath.Join(dir, "out.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.work(dir).Write(t.Context(), ended.Summary.Run, List{Memory: 1 << 20}, Output{Path: filepath.Join(dir, "again.csv")}); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(filepath.Join(dir, "again.csv")); err != nil || string(again) != string(first) {
		t.Errorf("written again it differs, error %v:\n%s\n%s", err, first, again)
	}
}
