package sandbox_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"payonce/enrich"
	"payonce/io/sandbox"
)

// contract is the sandbox's own OpenAPI document.
type contract struct {
	t        *testing.T
	compiler *jsonschema.Compiler
}

func (w *workspace) contract() contract {
	w.t.Helper()
	r, err := w.send(http.MethodGet, "/api/v1/openapi.json", "")
	if err != nil || r.code != http.StatusOK {
		w.t.Fatalf("%d %v", r.code, err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(r.text))
	if err != nil {
		w.t.Fatal(err)
	}
	c := contract{w.t, jsonschema.NewCompiler()}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource("openapi.json", document); err != nil {
		w.t.Fatal(err)
	}
	return c
}

// check returns why a body does not fit the schema at a JSON pointer.
func (c contract) check(pointer string, body []byte) error {
	c.t.Helper()
	schema, err := c.compiler.Compile("openapi.json#" + pointer)
	if err != nil {
		c.t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func requestPointer(operation string) string {
	return "/paths/~1contacts~1" + operation + "/post/requestBody/content/application~1json/schema"
}

// TestResponsesAgreeWithTheOpenAPIDocument: what the document calls a valid request is answered,
// what it calls an invalid one is refused, and every response fits its schema.
func TestResponsesAgreeWithTheOpenAPIDocument(t *testing.T) {
	config := everybody()
	config.MatchRates = enrich.ByField[float64]{0.5, 0.5}
	config.UnknownRate = 0.2
	w := open(t, config)
	c := w.contract()
	names := []string{"Ada", "Grace", "Zoë", "Max", "Eve", "Bob"}
	flags := []string{"", `,"include_email":true,"include_phone":true`, `,"include_email":false,"include_phone":true,"include_profile":true`, `,"include_email":false,"include_phone":false`}
	for _, operation := range []string{"find-work-email", "find-phone", "enrich"} {
		for _, name := range names {
			for _, flag := range flags {
				for _, company := range []string{`"company_name":"C"`, `"company_domain":"c.example"`, `"company_name":"C","company_domain":"c.example"`, `"last_name":"L"`} {
					body := `{"first_name":"` + name + `","last_name":"L",` + company + flag + `}`
					r := w.post("/api/v1/contacts/"+operation, body)
					if invalid := c.check(requestPointer(operation), []byte(body)); (invalid == nil) != (r.code == http.StatusOK) {
						t.Errorf("%s %s: %d, but the schema says %v", operation, body, r.code, invalid)
					}
					checkBody(t, c, r)
				}
			}
		}
	}
	status, err := w.send(http.MethodGet, statusPath, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.check("/components/schemas/AccountStatus", []byte(status.text)); err != nil {
		t.Error(err)
	}
}

func checkBody(t *testing.T, c contract, r response) {
	t.Helper()
	schema := "/components/schemas/EnrichmentResult"
	if r.code != http.StatusOK {
		schema = "/components/schemas/Error"
	}
	if err := c.check(schema, []byte(r.text)); err != nil {
		t.Errorf("%d %s: %v", r.code, r.text, err)
	}
}

// TestTheOpenAPIDocumentIsReadWithoutAKey reads the document without one, and can do nothing else
// with it.
func TestTheOpenAPIDocumentIsReadWithoutAKey(t *testing.T) {
	w := open(t, everybody())
	noKey := func(r *http.Request) { r.Header.Del("Authorization") }
	for method, want := range map[string]int{http.MethodGet: 200, http.MethodHead: 200, http.MethodPost: 405, http.MethodDelete: 405} {
		r, err := w.send(method, "/api/v1/openapi.json", "", noKey)
		if err != nil || r.code != want {
			t.Errorf("%s: %d, want %d (%v)", method, r.code, want, err)
		}
	}
	if got := w.Ledger().Refused[sandbox.InvalidAPIKey]; got != 0 {
		t.Errorf("%d arrivals", got)
	}
}
