package conformance_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/conformance"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// direct sends lookups without a journal, as only a test may.
type direct struct {
	client *v1.Client
	ledger func() sandbox.Snapshot
	left   int // lookups that may be sent
}

func (d *direct) Send(ctx context.Context, lookup enrich.Lookup) (conformance.SentV1, error) {
	if d.left == 0 {
		return conformance.SentV1{Why: "the ceiling is reached", Last: true}, nil
	}
	d.left--
	earlier := len(d.ledger().Charges)
	sent := conformance.SentV1{Lookup: lookup, Verdict: d.client.Find(ctx, lookup)}
	for _, charge := range d.ledger().Charges[earlier:] {
		if sent.Booked.Money += charge.Amount; charge.Free {
			sent.Booked.Free[charge.Field]++
		}
	}
	return sent, nil
}

func people(n int) []enrich.Lookup {
	var lookups []enrich.Lookup
	for i := range n {
		who := enrich.Identity{FirstName: "Ada", LastName: strings.Repeat("A", i+1), CompanyName: "Acme"}
		fields := []enrich.Fields{v1.AllFields, enrich.FieldsOf(v1.WorkEmail), enrich.FieldsOf(v1.BusinessPhone)}[i%3]
		lookups = append(lookups, enrich.Lookup{Identity: who, Fields: fields})
	}
	return lookups
}

// compare puts a sandbox to the checks as if it could not be set up.
func compare(t *testing.T, stage mutated, config sandbox.Config, over v1.Transport, change func(*conformance.LiveV1)) (map[string]conformance.RuleResult, sandbox.Snapshot) {
	t.Helper()
	server, handler, err := stage.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	address, stop := stage.Listen(handler)
	t.Cleanup(stop)
	t.Cleanup(func() { server.Close() })
	connect := func(over v1.Transport, key string) *v1.Client {
		client, err := v1.NewClient(v1.Config{BaseURL: address + "/api/v1", Transport: over, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		return client
	}
	other := map[v1.Transport]v1.Transport{v1.REST: v1.MCP, v1.MCP: v1.REST}[over]
	client := connect(over, sandbox.DefaultKey)
	card := sandbox.RateCard()
	live := &conformance.LiveV1{
		Client: client.StatusClient, Other: connect(other, sandbox.DefaultKey).StatusClient, UnknownKey: connect(over, "nobody").StatusClient,
		Now: time.Now, Card: card, Prices: card.Options[0].Prices, Tools: 4,
		Sender: &direct{client, server.Ledger, -1}, Lookups: people(9),
	}
	if change != nil {
		change(live)
	}
	report, err := live.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]conformance.RuleResult{}
	for _, f := range report {
		if found[f.Rule] = f; (f.Result == conformance.NotTested) != (f.Why != "") {
			t.Errorf("%s is %s because %q", f.Rule, f.Result, f.Why)
		}
	}
	if err := server.Audit(); err != nil {
		t.Error(err)
	}
	return found, server.Ledger()
}

// TestLiveAgrees: the sandbox agrees with everything that can be tried from outside, in
// each state of its account.
func TestLiveAgrees(t *testing.T) {
	half := conformance.Workspace()
	half.MatchRates, half.UnknownRate = enrich.ByField[float64]{0.5, 0.5}, 0.2
	scarce := conformance.Workspace()
	scarce.Free = enrich.ByField[int64]{2, 0}
	uncapped := conformance.Workspace()
	uncapped.BudgetCapCents, uncapped.Free = nil, enrich.ByField[int64]{}
	states := map[string]sandbox.Config{"everybody": conformance.Workspace(), "half": half, "scarce": scarce, "uncapped": uncapped}
	if testing.Short() {
		states = map[string]sandbox.Config{"half": half}
	}
	for name, config := range states {
		for _, over := range []v1.Transport{v1.REST, v1.MCP} {
			t.Run(name+"/"+string(over), func(t *testing.T) {
				t.Parallel()
				found, counted := compare(t, mutated{}, config, over, nil)
				for rule, f := range found {
					if f.Result == conformance.Differs {
						t.Errorf("%s: %s", rule, f.Observed)
					}
				}
				for _, rule := range []string{"live/status", "live/status-names", "live/invalid-key", "live/document-names", "live/tools", "live/invalid-identifiers", "live/sum", "live/booked", "result/charge", "result/partial"} {
					if found[rule].Result != conformance.Agrees {
						t.Errorf("%s: %+v", rule, found[rule])
					}
				}
				if len(counted.Arrivals) != 10 {
					t.Errorf("%d lookups arrived, want 10", len(counted.Arrivals))
				}
			})
		}
	}
}

// TestLiveChecksWithoutASenderSendNoLookup: without a Sender nothing arrives.
func TestLiveChecksWithoutASenderSendNoLookup(t *testing.T) {
	found, counted := compare(t, mutated{}, conformance.Workspace(), v1.REST, func(l *conformance.LiveV1) { l.Sender, l.Why = nil, "not allowed" })
	if len(counted.Arrivals) != 0 || found["live/status"].Result != conformance.Agrees || found["result/charge"].Result != conformance.NotTested {
		t.Errorf("%d lookups arrived; %+v", len(counted.Arrivals), found["result/charge"])
	}
}

// TestLiveChecksCountWhatWasSentBeforeTheSenderStops: when the Sender sends no more, what was sent still counts.
func TestLiveChecksCountWhatWasSentBeforeTheSenderStops(t *testing.T) {
	found, counted := compare(t, mutated{}, conformance.Workspace(), v1.REST, func(l *conformance.LiveV1) { l.Sender.(*direct).left = 2 })
	if len(counted.Arrivals) != 2 || found["live/answered"].Observed != "1 of 1" {
		t.Errorf("%d lookups arrived; %+v", len(counted.Arrivals), found["live/answered"])
	}
	found, counted = compare(t, mutated{}, conformance.Workspace(), v1.REST, func(l *conformance.LiveV1) { l.Sender.(*direct).left = 0 })
	if f := found["live/answered"]; len(counted.Arrivals) != 0 || f.Result != conformance.NotTested || f.Why != "the ceiling is reached" {
		t.Errorf("%d lookups arrived; %+v", len(counted.Arrivals), f)
	}
}

// failing is a Sender whose journal cannot write.
type failing struct{}

func (failing) Send(context.Context, enrich.Lookup) (conformance.SentV1, error) {
	return conformance.SentV1{}, errors.New("disk full")
}

func TestLiveSenderFails(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	client, err := v1.NewStatusClient(v1.Config{BaseURL: server.URL + "/api/v1", Key: "key"})
	if err != nil {
		t.Fatal(err)
	}
	live := &conformance.LiveV1{Client: client, Other: client, UnknownKey: client, Now: time.Now, Sender: failing{}, Lookups: people(1)}
	report, err := live.Compare(t.Context())
	if err != nil || report.Count(conformance.Differs) == 0 || report[0].Result != conformance.Differs {
		t.Errorf("%v; %+v: without a status nothing is sent", err, report[0])
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := live.Compare(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
}

// TestLiveDiffers: a service that is not as it is specified or assumed is reported under
// the rule that it breaks.
func TestLiveDiffers(t *testing.T) {
	if testing.Short() {
		t.Skip("compares many services one by one; not run with -short")
	}
	held := map[string]bool{"live/one-workspace": true} // by TestAccountsThatDifferBetweenTransportsAreReported
	for _, m := range []mutant{
		{does: "calls a member otherwise", caught: "live/status-names", breaks: says(`"prepaid_cents"`, `"credit_cents"`)},
		{does: "does not call the key valid", caught: "live/status", breaks: says(`"key_valid":true`, `"key_valid":false`)},
		{does: "charges for the status", caught: "live/status-free", breaks: does(aStatus, spendACent)},
		{does: "lets any key in", caught: "live/invalid-key", breaks: before(func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+sandbox.DefaultKey) })},
		{does: "calls an invalid key otherwise", caught: "live/invalid-key-code", breaks: says(`"invalid_api_key"`, `"unauthorized"`)},
		{does: "has a condition in no JSON Schema", caught: "live/input-conditions", breaks: says(`"contact_enrichment":\{"available_on_plan":true`, `"contact_enrichment":{"input_condition":{"type":7},"available_on_plan":true`)},
		{does: "shows too much of the allowance", caught: "live/allowance", breaks: says(`"work_emails_remaining":20`, `"work_emails_remaining":21`)},
		{does: "shows a balance that is not its parts", caught: "live/balance-sum", breaks: says(`"available_cents":100000`, `"available_cents":100001`)},
		{does: "shows a budget that does not add up", caught: "live/budget-sum", breaks: says(`"cap_cents":100000`, `"cap_cents":100001`)},
		{does: "resets the budget at noon", caught: "live/budget-reset", breaks: says(`("resets_at":"[0-9-]+)T00:`, `${1}T12:`)},
		{does: "gives an unknown reason", caught: "live/readiness", breaks: says(`"can_call":true,"reason":null`, `"can_call":false,"reason":"no_idea"`)},
		{does: "shows a charge for what is free", caught: "live/maximum-free", breaks: says(`"maximum_paid_charge_cents":0`, `"maximum_paid_charge_cents":15`)},
		{does: "shows another charge than the rate", caught: "live/maximum-paid", config: noFree, breaks: says(`"maximum_paid_charge_cents":15`, `"maximum_paid_charge_cents":12`)},
		{does: "has no document", caught: "live/document", breaks: says(`"paths"`, `"routes"`)},
		{does: "calls a parameter otherwise", caught: "live/document-names", breaks: says(`"company_domain"`, `"domain"`)},
		{does: "calls a parameter of its tools otherwise", caught: "live/tools-names", breaks: says(`"company_domain"`, `"domain"`)},
		{does: "publishes another rate card", caught: "live/document-card", breaks: says(`("monthly_included_usd":\s*)"149.00"`, `$1"139.00"`)},
		{does: "publishes other prices", caught: "live/document-prices", config: func(c *sandbox.Config) { c.Plan = "growth" }},
		{does: "publishes other prices of its tools", caught: "live/tools-prices", config: func(c *sandbox.Config) { c.Plan = "growth" }},
		{does: "has no tools", caught: "live/tools", breaks: says(`"tools":\[`, `"instruments":[`)},
		{does: "answers nobody with 422", caught: "live/invalid-identifiers", breaks: status(400, 422)},
		{does: "calls invalid identifiers otherwise", caught: "live/invalid-identifiers-code", breaks: says(`"invalid_identifiers"`, `"bad_request"`)},
		{does: "charges for a refusal", caught: "live/refusal-free", breaks: does(`"code":"invalid_identifiers"`, spendACent)},
		{does: "answers in another shape", caught: "live/answered", breaks: says(`"object":"enrichment_result"`, `"object":"result"`)},
		{does: "charges more than it returns", caught: "live/booked", breaks: does(`"status":"matched"`, spendACent)},
		{does: "charges more than it returns", caught: "live/sum", breaks: does(`"status":"matched"`, spendACent)},
		{does: "charges more than it returns", caught: "result/charge", breaks: does(`"status":"matched"`, spendACent)},
		{does: "charges other rates", caught: "result/charge", config: func(c *sandbox.Config) {
			noFree(c)
			c.Prices = cost.Prices{v1.WorkEmail: 16 * cost.Cent, v1.BusinessPhone: 25 * cost.Cent}
		}},
		{does: "calls a matched result partial", caught: "result/matched", breaks: says(`"status":"matched"`, `"status":"partial"`)},
		{does: "leaves out what is unresolved", caught: "result/partial", config: noPhones, breaks: says(`"unresolved_fields":\["business_phone"\]`, `"unresolved_fields":[]`)},
		{does: "has a name for nobody", caught: "result/not-found", config: nobodyKnown, breaks: says(`"data":null`, `"data":{"full_name":"Somebody"}`)},
		{does: "leaves the full name out", caught: "result/full-name", breaks: says(`"full_name":"[^"]*"`, `"name":"Ada"`)},
		{does: "returns what was not asked for", caught: "result/only-asked", config: noPhones, breaks: says(`"work_email":"`, `"business_phone":"+1-555-0100","work_email":"`)},
		{does: "leaves the phone's type out", caught: "result/phone-type", breaks: says(`,"phone_type":"[^"]*"`, ``)},
		{does: "has no request ID", caught: "result/request-id", breaks: says(`"request_id":"[^"]*"`, `"request_id":""`)},
		{does: "calls an operation otherwise", caught: "result/operation", breaks: says(`"operation":"contact_enrichment"`, `"operation":"enrichment"`)},
		{does: "has no grounding", caught: "result/grounding", breaks: says(`"retrieved_at":"[^"]*"`, `"retrieved_at":""`)},
	} {
		held[m.caught] = true
		t.Run(m.caught+"/"+m.does, func(t *testing.T) {
			t.Parallel()
			found, _ := compare(t, mutated{loopback{m.breaks}, m.config}, conformance.Workspace(), v1.REST, nil)
			if f := found[m.caught]; f.Result != conformance.Differs {
				t.Errorf("a service that %s: %+v", m.does, f)
			} else {
				t.Log(f.Observed)
			}
		})
	}
	for _, rule := range conformance.RulesV1() {
		live := strings.HasPrefix(rule.Name, "live/") || strings.HasPrefix(rule.Name, "result/")
		if live && !held[rule.Name] {
			t.Errorf("nothing breaks %s", rule.Name)
		}
	}
}

func noFree(c *sandbox.Config)      { c.Free = enrich.ByField[int64]{} }
func noPhones(c *sandbox.Config)    { c.MatchRates[v1.BusinessPhone] = 0 }
func nobodyKnown(c *sandbox.Config) { c.UnknownRate = 1 }

// status replaces one HTTP status by another.
func status(from, to int) func(*sandbox.Server, http.Handler) http.Handler {
	return edit(func(_ *http.Request, body string, answer *httptest.ResponseRecorder) string {
		if answer.Code == from {
			answer.Code = to
		}
		return body
	})
}

// TestAccountsThatDifferBetweenTransportsAreReported: accounts that differ between the transports are reported.
func TestAccountsThatDifferBetweenTransportsAreReported(t *testing.T) {
	onlyMCP := func(_ *sandbox.Server, next http.Handler) http.Handler {
		said := says(`"available_cents":\d+`, `"available_cents":7`)(nil, next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/mcp" {
				said.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	found, _ := compare(t, mutated{loopback{onlyMCP}, nil}, conformance.Workspace(), v1.REST, nil)
	if f := found["live/one-workspace"]; f.Result != conformance.Differs {
		t.Errorf("%+v", f)
	}
}
