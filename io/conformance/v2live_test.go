package conformance

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v2"
)

// direct sends calls without a journal, as only a test may.
type direct struct{ client *v2.Client }

func (d direct) Send(ctx context.Context, lookup enrich.Lookup) (SentV2, error) {
	before, err := d.client.Usage(ctx)
	if err != nil {
		return SentV2{}, err
	}
	sent := SentV2{Verdict: d.client.Send(ctx, v2.CallOf(lookup)), Used: map[string]int64{}, Read: true}
	if answered, is := sent.Verdict.(enrich.Answered); is {
		copy(sent.Booked[:], answered.Consumed)
	}
	after, err := d.client.Usage(ctx)
	for i, module := range after.Modules {
		if used := module.Used.Value - before.Modules[i].Used.Value; used != 0 {
			sent.Used[module.Codename] = used
		}
	}
	return sent, err
}

// wholeSeed returns a seed with which everything is known of the first company that is listed.
func wholeSeed(t *testing.T) uint64 {
	t.Helper()
	for seed := range uint64(1000) {
		w := account().World
		w.People.Seed = seed
		for c := range w.Listed() {
			if c.HasFinancials() && c.HasInsights() && c.HasOwnership() {
				return seed
			}
			break
		}
	}
	t.Fatal("no seed has such a company")
	return 0
}

// compare compares a sandbox as a service that cannot be set up.
func compare(t *testing.T, m mutant, paid bool) (map[string]RuleResult, *sandboxv2.Server) {
	t.Helper()
	config := account()
	config.World.People.Seed = wholeSeed(t)
	server, err := sandboxv2.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	handler := server.Handler()
	if m.breaks != nil {
		handler = m.breaks(server, handler)
	}
	network := httptest.NewServer(handler)
	t.Cleanup(network.Close)
	connect := func(key string) *v2.Client {
		client, err := v2.NewClient(v2.Config{BaseURL: network.URL + sandboxv2.Path, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		return client
	}
	client := connect(sandboxv2.DefaultKey)
	live := &LiveV2{Client: client.StatusClient, UnknownKey: connect("nobody").StatusClient, Now: time.Now, Why: "not allowed"}
	if paid {
		live.Sender = direct{client}
	}
	report, err := live.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]RuleResult{}
	for _, f := range report {
		if found[f.Rule] = f; (f.Result == NotTested) != (f.Why != "") {
			t.Errorf("%s is %s because %q", f.Rule, f.Result, f.Why)
		}
	}
	return found, server
}

// TestADifferenceOfASharedAccountMayBeOfOthers: the verdict says so, unless nobody else uses the account.
func TestADifferenceOfASharedAccountMayBeOfOthers(t *testing.T) {
	sent := SentV2{Operation: v2.OpGetCompany, Used: map[string]int64{"companies": 2}}
	for shared, want := range map[bool]string{
		false: "company: the counters show 2 of companies, the journal booked no units",
		true:  "company: the counters show 2 of companies, the journal booked no units; others may have used the account meanwhile",
	} {
		e := evidenceV2{LiveV2: &LiveV2{Shared: shared}}
		if got := e.booked(sent); got != want {
			t.Errorf("shared %t: %q, want %q", shared, got, want)
		}
	}
}

// TestV2LiveChecksWithoutASenderUseNoUnits: only free calls arrive.
func TestV2LiveChecksWithoutASenderUseNoUnits(t *testing.T) {
	found, server := compare(t, mutant{}, false)
	if records := server.Units().Records(); len(records) != 0 {
		t.Errorf("%d calls use units", len(records))
	}
	for rule, f := range found {
		if f.Result == Differs {
			t.Errorf("%s: %s", rule, f.Observed)
		}
	}
	if found["v2-live/metrics"].Result != Agrees || found["v2-live/booked"].Why != "not allowed" {
		t.Errorf("%+v, %+v", found["v2-live/metrics"], found["v2-live/booked"])
	}
}

// TestTheSandboxKeepsEveryV2RuleTriedFromOutside: with calls that use units, every rule that can be tried from outside
// is kept.
func TestTheSandboxKeepsEveryV2RuleTriedFromOutside(t *testing.T) {
	found, server := compare(t, mutant{}, true)
	for _, rule := range RulesV2() {
		f := found[rule.Name]
		if fromOutside(rule.Name) && f.Result != Agrees {
			t.Errorf("%s: %+v", rule.Name, f)
		}
	}
	if records := server.Units().Records(); len(records) != 7 {
		t.Errorf("%d calls arrived, want 7", len(records))
	}
}

// TestAServiceThatBreaksARuleDiffers: every rule that can be tried from outside has a service that breaks it.
func TestAServiceThatBreaksARuleDiffers(t *testing.T) {
	if testing.Short() {
		t.Skip("compares many services; not run with -short")
	}
	held := map[string]bool{}
	for _, m := range []mutant{
		{does: "refuses the key", caught: "v2-live/metrics", breaks: status(200, 401)},
		{does: "has used as a text", caught: "v2-live/metrics-members", breaks: says(`"used":(\d+)`, `"used":"$1"`)},
		{does: "calls a module otherwise", caught: "v2-live/modules", breaks: says(`"contacts"`, `"people"`)},
		{does: "counts free calls", caught: "v2-live/free", breaks: counts("/metrics", kit.UnitCharge{Module: kit.Companies, Units: 1})},
		{does: "has texts for counts", caught: "v2-live/contacts", breaks: says(`"email_count":0`, `"email_count":"0"`)},
		{does: "needs no time span", caught: "v2-live/invalid-request", breaks: status(400, 200)},
		{does: "finds nothing anywhere", caught: "v2-live/unknown-route", breaks: says(`"Not Found"`, `"Not found."`)},
		{does: "has no pages of watched companies", caught: "v2-live/watched", breaks: says(`,"pages":\d+`, ``)},
		{does: "answers the callback with a text", caught: "v2-live/callback", breaks: says(`\{"callback":("[^"]*")\}`, `$1`)},
		{does: "takes any key", caught: "v2-live/invalid-key", breaks: header("Authorization", "Token "+sandboxv2.DefaultKey)},
		{does: "gives the detail another name", caught: "v2-live/invalid-key-detail", breaks: says(`"detail"`, `"message"`)},
		{does: "answers in another shape", caught: "v2-live/answered", breaks: says(`"data":\[`, `"data":[7,`)},
		{does: "fails", caught: "v2-live/answered", breaks: func(_ *sandboxv2.Server, next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/v2/companies/") && !strings.Contains(r.URL.Path, "watch") {
					w.WriteHeader(http.StatusBadGateway)
					return
				}
				next.ServeHTTP(w, r)
			})
		}},
		{does: "counts twice", caught: "v2-live/booked", breaks: counts("POST /v2/prospecting", kit.UnitCharge{Module: kit.Companies, Units: 1})},
		{does: "has ids that are texts", caught: "v2-result/prospects", breaks: says(`"data":\[\{"id":(\d+)`, `"data":[{"id":"$1"`)},
		{does: "has one email", caught: "v2-result/company", breaks: says(`"company_email":\[[^\]]*\]`, `"company_email":"x"`)},
		{does: "has years that are none", caught: "v2-result/financials", breaks: says(`"(20\d\d)":`, `"FY$1":`)},
		{does: "has dates with a zone", caught: "v2-result/insights", breaks: says(`("created_at":"[^"]*)"`, `${1}Z"`)},
		{does: "has no shareholders", caught: "v2-result/ownership", breaks: says(`"shareholders"`, `"owners"`)},
		{does: "leaves the job out", caught: "v2-result/people", breaks: says(`"job_title":"[^"]*",`, ``)},
		{does: "leaves the name out", caught: "v2-result/employee", breaks: says(`"full_name":"[^"]*",`, ``)},
	} {
		held[m.caught] = true
		t.Run(m.caught+"/"+m.does, func(t *testing.T) {
			t.Parallel()
			found, _ := compare(t, m, true)
			if f := found[m.caught]; f.Result != Differs {
				t.Errorf("a service that %s: %+v", m.does, f)
			} else {
				t.Log(f.Observed)
			}
		})
	}
	for _, rule := range RulesV2() {
		if fromOutside(rule.Name) && !held[rule.Name] {
			t.Errorf("nothing breaks %s", rule.Name)
		}
	}
}

// TestADifferenceOfCountersNamesTheLineThatCorrectsIt: an operation that is counted on another module.
func TestADifferenceOfCountersNamesTheLineThatCorrectsIt(t *testing.T) {
	e := &evidenceV2{LiveV2: &LiveV2{}}
	var booked cost.Amounts
	booked[1] = 1
	s := SentV2{Operation: FirstPage().Operation, Verdict: enrich.Answered{}, Booked: booked, Used: map[string]int64{"contacts": 1}, Read: true}
	if got := e.booked(s); !strings.HasSuffix(got, "; this line of the configuration makes them equal: service-assumptions: {modules: {prospecting: contacts}}") {
		t.Error(got)
	}
	if s.Used = map[string]int64{"companies": 1}; e.booked(s) != "" {
		t.Error(e.booked(s))
	}
}

// TestALostCallSaysNothingAboutTheCounters: the journal holds its unit, and books it once it is decided.
func TestALostCallSaysNothingAboutTheCounters(t *testing.T) {
	lost := SentV2{Verdict: enrich.Lost{}, Used: map[string]int64{"companies": 1}, Read: true}
	e := &evidenceV2{LiveV2: &LiveV2{}, sent: []SentV2{lost}}
	if got := bookedViewV2(e); got != untested("%s", e.reason()) {
		t.Errorf("%+v", got)
	}
}
