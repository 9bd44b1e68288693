package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

func terms() sandbox.Terms {
	rates := func(email, phone cost.Money) cost.Prices {
		return cost.Prices{v1.WorkEmail: email * cost.Cent, v1.BusinessPhone: phone * cost.Cent}
	}
	return sandbox.Terms{
		Prices: rates(12, 20),
		Card: cost.RateCard{Options: []cost.Option{
			{Name: "payg", Title: "Pay as you go", Prices: rates(15, 25)},
			{Name: "emails", Title: "Emails only", MonthlyIncluded: 49 * cost.Dollar, Prices: cost.Prices{v1.WorkEmail: 9 * cost.Cent}},
		}},
	}
}

func parse(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// at returns the value under a path of keys.
func at(t *testing.T, value any, keys ...string) any {
	t.Helper()
	for _, key := range keys {
		object, ok := value.(map[string]any)
		if !ok || object[key] == nil {
			t.Fatalf("there is no %q of %v", key, keys)
		}
		value = object[key]
	}
	return value
}

func TestTheOpenAPIDocumentHasThePricesOfThePlans(t *testing.T) {
	document := parse(t, sandbox.OpenAPI(terms()))
	both := map[string]any{"work_email_usd": "0.12", "business_phone_usd": "0.20"}
	billing := map[string]any{"currency": "USD", "options": []any{
		map[string]any{"name": "payg", "title": "Pay as you go", "monthly_included_usd": "0.00", "work_email_usd": "0.15", "business_phone_usd": "0.25"},
		map[string]any{"name": "emails", "title": "Emails only", "monthly_included_usd": "49.00", "work_email_usd": "0.09"},
	}}
	for path, plans := range map[string][]any{
		"/contacts/find-work-email": {"payg", "emails"},
		"/contacts/find-phone":      {"payg"},
		"/contacts/enrich":          {"payg"},
	} {
		operation := at(t, document, "paths", path, "post").(map[string]any)
		want := []any{billing, map[string]any{"plans": plans, "available": true}, both}
		got := []any{operation["x-service-billing"], operation["x-service-access"], operation["x-service-pricing"]}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		for _, status := range []string{"200", "400", "401", "402", "403", "409", "429", "500", "503"} {
			at(t, operation, "responses", status)
		}
	}
	if title := at(t, document, "info", "title").(string); !strings.Contains(title, "SANDBOX") {
		t.Errorf("the title does not say that it is a sandbox: %s", title)
	}
	at(t, document, "paths", "/account/status", "get", "x-service-access")
}

// TestEveryReferenceInTheOpenAPIDocumentResolves: every reference in the document leads somewhere.
func TestEveryReferenceInTheOpenAPIDocumentResolves(t *testing.T) {
	document := parse(t, sandbox.OpenAPI(terms()))
	found := 0
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, element := range v {
				walk(element)
			}
		case map[string]any:
			if target, ok := v["$ref"].(string); ok {
				found++
				at(t, document, strings.Split(strings.TrimPrefix(target, "#/"), "/")...)
			}
			for _, member := range v {
				walk(member)
			}
		}
	}
	walk(document)
	if found < 20 {
		t.Errorf("only %d references", found)
	}
}

// TestOperationsAreComplete: OpenAPI 3.1 asks for what stands here.
func TestOperationsAreComplete(t *testing.T) {
	document := parse(t, sandbox.OpenAPI(terms()))
	at(t, document, "openapi")
	at(t, document, "info", "version")
	seen := map[string]bool{}
	for path, item := range at(t, document, "paths").(map[string]any) {
		if !strings.HasPrefix(path, "/") {
			t.Errorf("the path %q has no slash", path)
		}
		for method, operation := range item.(map[string]any) {
			id := at(t, operation, "operationId").(string)
			if seen[id] {
				t.Errorf("two operations are named %s", id)
			}
			seen[id] = true
			for status, response := range at(t, operation, "responses").(map[string]any) {
				object := response.(map[string]any)
				if object["$ref"] == nil && object["description"] == nil {
					t.Errorf("%s %s: the response %s has no description", method, path, status)
				}
			}
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d operations", len(seen))
	}
}

// compile compiles a schema where it stands in the document, as a client would.
func compile(t *testing.T, pointer string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", parse(t, sandbox.OpenAPI(terms()))); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("openapi.json#" + pointer)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestRequests(t *testing.T) {
	const person = `"first_name":"Ada","last_name":"L"`
	for _, test := range []struct {
		operation v1.Operation
		body      string
		valid     bool
	}{
		{v1.FindWorkEmail, `{"pro_network_url":"https://network.example/in/ada"}`, true},
		{v1.FindPhone, `{` + person + `,"company_domain":"c.example"}`, true},
		{v1.FindPhone, `{` + person + `,"company_name":"C"}`, true},
		{v1.FindPhone, `{` + person + `,"company_name":"C","company_domain":"c.example"}`, false},
		{v1.FindPhone, `{` + person + `}`, false},
		{v1.FindPhone, `{"first_name":"Ada","company_name":"C"}`, false},
		{v1.FindWorkEmail, `{"pro_network_url":"https://network.example/in/ada","company_name":"C"}`, false},
		{v1.FindWorkEmail, `{"pro_network_url":""}`, false},
		{v1.FindWorkEmail, `{"pro_network_url":1}`, false},
		{v1.FindWorkEmail, `{}`, false},
		{v1.FindWorkEmail, `[]`, false},
		{v1.FindWorkEmail, `{"pro_network_url":"https://network.example/in/ada","include_email":true}`, false},
		{v1.EnrichContact, `{"pro_network_url":"https://network.example/in/ada","include_email":true,"include_phone":true}`, true},
		{v1.EnrichContact, `{"pro_network_url":"https://network.example/in/ada","include_email":true,"include_phone":false,"include_profile":true}`, true},
		{v1.EnrichContact, `{"pro_network_url":"https://network.example/in/ada","include_email":false,"include_phone":false}`, false},
		{v1.EnrichContact, `{"pro_network_url":"https://network.example/in/ada","include_email":true}`, false},
		{v1.EnrichContact, `{"pro_network_url":"https://network.example/in/ada","include_email":"true","include_phone":true}`, false},
		{v1.EnrichContact, `{"include_email":true,"include_phone":true}`, false},
	} {
		pointer := fmt.Sprintf("/paths/%s/post/requestBody/content/application~1json/schema", strings.ReplaceAll(sandbox.OperationPath(test.operation), "/", "~1"))
		err := compile(t, pointer).Validate(parse(t, []byte(test.body)))
		if (err == nil) != test.valid {
			t.Errorf("%s %s: valid is %t, want %t: %v", test.operation, test.body, err == nil, test.valid, err)
		}
	}
}

// TestComponentsStandAlone: the tools publish a component without the document.
func TestComponentsStandAlone(t *testing.T) {
	for _, name := range []string{
		sandbox.RequestSchema(v1.FindWorkEmail), sandbox.RequestSchema(v1.EnrichContact),
		sandbox.SchemaEnrichmentResult, sandbox.SchemaAccountStatus, sandbox.SchemaError,
	} {
		component := sandbox.SchemaComponent(name)
		if strings.Contains(string(component), "$ref") || !json.Valid(component) {
			t.Errorf("%s refers to something: %s", name, component)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a schema that is not there was returned")
		}
	}()
	sandbox.SchemaComponent("Fax")
}
