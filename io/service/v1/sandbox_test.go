package v1_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// way is a transport, with the choices that MCP leaves to a server.
type way struct {
	transport v1.Transport
	mcp       sandbox.MCP
}

func ways() []way {
	return []way{
		{v1.REST, sandbox.MCP{}},
		{v1.MCP, sandbox.MCP{}},
		{v1.MCP, sandbox.MCP{EventStream: true}},
		{v1.MCP, sandbox.MCP{Sessions: true}},
		{v1.MCP, sandbox.MCP{Sessions: true, EventStream: true}},
	}
}

func (w way) String() string {
	return fmt.Sprintf("%s sessions=%t stream=%t", w.transport, w.mcp.Sessions, w.mcp.EventStream)
}

// open starts the sandbox and returns it with a client.
func (w way) open(t *testing.T, faults ...string) (*sandbox.Server, *v1.Client) {
	t.Helper()
	config := sandbox.DefaultConfig()
	config.MCP = w.mcp
	config.Window.Limit = 1000
	for _, text := range faults {
		fault, err := sandbox.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		config.Faults = append(config.Faults, fault)
	}
	box, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(box.Handler())
	client, err := v1.NewClient(v1.Config{BaseURL: server.URL + "/api/v1", Transport: w.transport, Key: sandbox.DefaultKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		if err := box.Audit(); err != nil {
			t.Errorf("the ledger of the sandbox: %v", err)
		}
		_ = box.Close()
		server.Close()
	})
	return box, client
}

// person returns one of the sandbox's people, and what is asked about them.
func person(n int) enrich.Lookup {
	fields := []enrich.Fields{v1.AllFields, enrich.FieldsOf(v1.WorkEmail), enrich.FieldsOf(v1.BusinessPhone)}
	id := enrich.Identity{FirstName: fmt.Sprint("Given", n), LastName: "Family", CompanyDomain: "example.com"}
	if n%4 == 3 {
		id = enrich.Identity{ProfileURL: fmt.Sprint("https://network.example/in/person-", n)}
	}
	return enrich.Lookup{Identity: id, Fields: fields[n%len(fields)]}
}

// The verdicts on the same lookups, and what the service charges for them, do not
// depend on the transport.
func TestRESTAndMCPGiveTheSameVerdictsAndCharges(t *testing.T) {
	faults := []string{
		"slow:delay=1ms", "lost-before:at=3+7", "lost-after:at=3+7", "truncated:at=3+7", "garbage:at=3+7", "proxy-page:at=3+7", "no-body:at=3+7",
		"invalid_identifiers:at=3", "operation_pricing_unavailable:at=3", "free_allowance_exhausted:at=3", "credits_exhausted:at=3",
		"usage_budget_reached:at=3", "workspace_inactive:at=3", "access_restricted:at=3", "reservation_conflict:at=3",
		"rate_limited:at=3,retry-after=17s", "attempt_limit_reached:at=3", "temporarily_unavailable:at=3", "service_misconfigured:at=3",
	}
	if testing.Short() {
		faults = faults[:3] // the others differ in what is said, not in which goroutines work together
	}
	for _, fault := range faults {
		t.Run(fault, func(t *testing.T) {
			var wantVerdicts []enrich.Verdict
			var want cost.Account
			for _, w := range ways() {
				_, client := w.open(t, fault)
				var verdicts []enrich.Verdict
				for n := range 12 {
					verdicts = append(verdicts, client.Find(t.Context(), person(n)))
				}
				account, err := client.Status(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				account.ReadAt = time.Time{}
				if w.transport == v1.REST {
					wantVerdicts, want = verdicts, account
					continue
				}
				alike := cmp.Options{
					cmp.Comparer(func(a, b enrich.Lost) bool { return true }), // the words differ
					cmp.Transformer("decode", func(answered enrich.Answered) v1.Answer {
						answer, err := v1.DecodeAnswer(answered)
						if err != nil {
							t.Error(err)
						}
						return answer
					}),
					cmpopts.IgnoreFields(v1.Answer{}, "RetrievedAt"),
				}
				if diff := cmp.Diff(wantVerdicts, verdicts, alike); diff != "" {
					t.Errorf("%s: verdicts (-REST +MCP):\n%s", w, diff)
				}
				if diff := cmp.Diff(want, account); diff != "" {
					t.Errorf("%s: account (-REST +MCP):\n%s", w, diff)
				}
			}
		})
	}
}

// What the sandbox publishes is what is assumed, over both transports.
func TestTheSandboxPublishesWhatTheClientAssumes(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.String(), func(t *testing.T) {
			_, client := w.open(t)
			inspection, err := client.Inspect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			document, err := client.OpenAPI(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tools, err := client.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, assumed := range slices.Concat(inspection.Members, document.Check(v1.Names{}), tools.Check(v1.Names{})) {
				if !assumed.Found {
					t.Errorf("%s is not in %s", assumed.Name, assumed.Where)
				}
			}
			if len(document.Card.Options) != 4 || len(document.Operations) != 3 || len(tools.Operations) != 3 {
				t.Errorf("%d options, %d operations, %d tools", len(document.Card.Options), len(document.Operations), len(tools.Operations))
			}
			for operation, offer := range tools.Operations {
				if diff := cmp.Diff(document.Operations[operation].Prices, offer.Prices); diff != "" || len(offer.Prices) != 2 {
					t.Errorf("prices of %s (-OpenAPI +tools):\n%s", operation, diff)
				}
			}
			if skew, known := inspection.Skew(); !known || skew != 0 {
				t.Errorf("skew %s (known %t) of the same clock", skew, known)
			}
			if _, ok := client.Find(t.Context(), person(0)).(enrich.Answered); !ok {
				t.Error("a lookup that the document's schemas allow was not answered")
			}
		})
	}
}

// A revoked key ends a run over both transports alike, in a session and without.
func TestRevokedKey(t *testing.T) {
	for _, w := range ways() {
		box, client := w.open(t)
		if verdict, ok := client.Find(t.Context(), person(0)).(enrich.Answered); !ok {
			t.Fatalf("%s: verdict %+v", w, verdict)
		}
		if err := box.Workspace().RevokeKey(box.Workspace().Keys()[0].ID); err != nil {
			t.Fatal(err)
		}
		refused, ok := client.Find(t.Context(), person(1)).(enrich.Refused)
		if !ok || refused.Class != enrich.StopRun || refused.Code != "invalid_api_key" || refused.HTTPStatus != 401 {
			t.Errorf("%s: verdict %+v, want a stop", w, refused)
		}
		_, err := client.Status(t.Context())
		if refusal, ok := err.(interface{ Refused() bool }); !ok || !refusal.Refused() {
			t.Errorf("%s: status %v, want a refusal", w, err)
		}
	}
}

// Sessions that the server ends are begun again, and the lookup that met the end is
// not charged twice.
func TestSandboxEndsSessions(t *testing.T) {
	for _, stream := range []bool{false, true} {
		box, client := way{v1.MCP, sandbox.MCP{Sessions: true, EventStream: stream}}.open(t)
		for n := range 3 {
			box.EndSessions()
			verdict := client.Find(t.Context(), person(n))
			if refused, ok := verdict.(enrich.Refused); ok && refused.Class == enrich.TryAgain {
				verdict = client.Find(t.Context(), person(n))
			}
			if _, ok := verdict.(enrich.Answered); !ok {
				t.Errorf("lookup %d: %+v", n, verdict)
			}
		}
	}
}
