package sandbox

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"payonce/enrich"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
)

// FuzzParseQuestion: what is taken names somebody and asks for something, and the
// OpenAPI document calls it valid.
func FuzzParseQuestion(f *testing.F) {
	for _, seed := range []string{
		`{"pro_network_url":"https://network.example/in/ada"}`,
		`{"first_name":"Ada","last_name":"L","company_domain":"c.example","include_email":true,"include_phone":false}`,
		`{"first_name":"Ada","last_name":"L","company_name":"C","include_profile":true}`,
		`{"first_name":null}`, `[]`, `{"a":1,"a":2}`,
	} {
		for operation := range 3 {
			f.Add(operation, seed)
		}
	}
	compiled := map[v1.Operation]*jsonschema.Schema{}
	for _, o := range v1.Operations() {
		var err error
		if compiled[o], err = compileCondition(SchemaComponent(RequestSchema(o))); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, operation int, body string) {
		o := v1.Operations()[uint(operation)%3]
		q, err := parseQuestion(o, []byte(body))
		if err != nil {
			if q.identity != (enrich.Identity{}) || q.operation != o {
				t.Errorf("%s: a refused question is %+v", body, q)
			}
			return
		}
		if q.canonical() == "" || q.fields == 0 || q.fields.Without(o.Fields()) != 0 {
			t.Errorf("%s: the question is %+v", body, q)
		}
		world.People{Seed: 1}.Find(q.identity)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled[o].Validate(value); err != nil {
			t.Errorf("%s is answered, but the document calls it invalid: %v", body, err)
		}
	})
}

// serving returns a sandbox and a function that lets it answer a request.
func serving(f *testing.F, handler func(*Server) http.Handler) (*Server, func(*http.Request) *httptest.ResponseRecorder) {
	config := DefaultConfig()
	config.Window.Limit = 1 << 30
	s, err := New(config)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	serve := handler(s)
	return s, func(r *http.Request) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		serve.ServeHTTP(w, r)
		return w
	}
}

// FuzzMCP: no message breaks the endpoint, and none is charged that does not arrive.
func FuzzMCP(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"service_find_work_email","arguments":{"pro_network_url":"https://n.example/in/ada"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"service_account_status"}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{`, `null`,
	} {
		f.Add(seed)
	}
	s, serve := serving(f, (*Server).Handler)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest(http.MethodPost, mcpPath, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+DefaultKey)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("MCP-Protocol-Version", protocolVersion)
		before := s.Ledger()
		w := serve(r)
		after := s.Ledger()
		if w.Header().Get("X-Sandbox") != "true" || w.Code < 200 || w.Code > 499 {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		if len(after.Charges) > len(before.Charges) && len(after.Arrivals) != len(before.Arrivals)+1 {
			t.Errorf("charged for nothing: %s", body)
		}
		if err := s.Audit(); err != nil || after.Reserved != 0 {
			t.Errorf("%v, %s reserved", err, after.Reserved)
		}
	})
}

// FuzzAdmin: no call breaks the admin interface, and whatever it does the ledger
// balances.
func FuzzAdmin(f *testing.F) {
	s, serve := serving(f, func(s *Server) http.Handler { return s.AdminHandler("token") })
	calls := append(s.adminCalls(), s.second.AdminCalls()...)
	for i, call := range calls {
		f.Add(i, string(call.Body))
		f.Add(i, `{"usd":"-1","work_emails":-1,"plan":"x"}`)
	}
	f.Fuzz(func(t *testing.T, number int, body string) {
		method, path, _ := strings.Cut(calls[uint(number)%uint(len(calls))].Call, " ")
		path = strings.NewReplacer("/keys/{id}", "/keys/key_2", "/companies/{id}", "/companies/1", "{module}", "companies",
			"{id}", "pay_1", "{operation}", "enrich").Replace(path)
		r := httptest.NewRequest(method, path, bytes.NewReader([]byte(body)))
		r.Header.Set("Authorization", "Bearer token")
		w := serve(r)
		if w.Header().Get("X-Sandbox") != "true" || w.Code != 200 && w.Code != 400 && w.Code != 404 {
			t.Errorf("%s %s %s: %d %s", method, path, body, w.Code, w.Body)
		}
		if err := s.Audit(); err != nil {
			t.Errorf("%s %s %s: %v", method, path, body, err)
		}
		if err := s.second.Units().Audit(); err != nil {
			t.Errorf("%s %s %s: %v", method, path, body, err)
		}
		if _, code := s.ledger.Status(ConfiguredKey); code == InvalidAPIKey {
			t.Error("the configured key is gone")
		}
	})
}
