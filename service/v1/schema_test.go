package v1

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/enrich"
)

func TestCompileSchemaRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{"type":"object"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	remote := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a schema was fetched") })
	var doubling []string // every definition refers twice to the next
	for i := range 40 {
		doubling = append(doubling, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	nested := strings.Repeat(`{"properties":{"a":`, 40) + "{}" + strings.Repeat("}}", 40)
	for name, text := range map[string]string{
		"nothing":                   "",
		"no JSON":                   "{",
		"two values":                "{} {}",
		"number":                    "7",
		"text":                      `"object"`,
		"list":                      "[]",
		"unknown type":              `{"type":"person"}`,
		"keyword of another type":   `{"required":"first_name"}`,
		"pattern that is none":      `{"properties":{"a":{"pattern":"("}}}`,
		"remote reference":          `{"$ref":"` + remote.URL + `/schema"}`,
		"remote reference, inside":  `{"properties":{"a":{"items":{"$ref":"` + remote.URL + `/schema#/x"}}}}`,
		"file reference":            `{"$ref":"file://` + file + `"}`,
		"path":                      `{"$ref":"` + file + `"}`,
		"relative reference":        `{"$ref":"schema.json"}`,
		"reference to the schema":   `{"$ref":"` + schemaAddress + `"}`,
		"encoded reference":         `{"$ref":"#/%24defs/a","$defs":{"a":{}}}`,
		"reference to an anchor":    `{"$ref":"#a","$defs":{"x":{"$anchor":"a"}}}`,
		"reference to nothing":      `{"$ref":"#/$defs/a/b"}`,
		"reference into a list":     `{"$ref":"#/allOf/9","allOf":[{}]}`,
		"reference to itself":       `{"allOf":[{"$ref":"#"}]}`,
		"recursion":                 `{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}`,
		"dynamic reference":         `{"$dynamicRef":"#a","$defs":{"x":{"$dynamicAnchor":"a"}}}`,
		"another base inside":       `{"$defs":{"a":{"$id":"` + remote.URL + `","$ref":"b"}}}`,
		"remote draft":              `{"$schema":"` + remote.URL + `/draft"}`,
		"old draft":                 `{"$schema":"http://json-schema.org/draft-04/schema#"}`,
		"deep":                      nested,
		"a number without measure":  `{"properties":{"first_name":{"minimum":1e999999}}}`,
		"a number of no measure":    `{"properties":{"first_name":{"multipleOf":1E-999999}}}`,
		"a number of many digits":   `{"minLength":1e99999999999999999999}`,
		"long":                      `{"description":"` + strings.Repeat("x", maxSchema) + `"}`,
		"references that multiply":  `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(doubling, ",") + `,"d40":{}}}`,
		"more parts than one check": `{"enum":[` + strings.Repeat("1,", maxSchemaSteps) + `1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := compileSchema(json.RawMessage(text), nil)
			if err == nil {
				t.Fatal("no error")
			}
			if s != nil || strings.Contains(err.Error(), remote.URL) || strings.Contains(err.Error(), file) {
				t.Errorf("error %q quotes the schema", err)
			}
		})
	}
}

func TestSchemaCheck(t *testing.T) {
	body := map[string]any{"first_name": "Ada", "last_name": "Lovelace", "company_domain": "example.com"}
	const person = `{"person":{"required":["first_name"]},"strict":{"required":["purpose"]}}`
	tests := []struct{ name, text, components, want string }{
		{"true", "true", "", ""},
		{"empty", "{}", "", ""},
		{"fulfilled", `{"required":["first_name"],"properties":{"first_name":{"type":"string","pattern":"^A"}}}`, "", ""},
		{"unknown keyword", `{"x-service":"y","format":"person"}`, "", ""},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","required":["purpose"]}`, "", `it does not fulfil required`},
		{"false", "false", "", `it is not allowed`},
		{"not allowed here", `{"not":{"required":["company_domain"]}}`, "", `it is not allowed`},
		{"a value", `{"properties":{"company_domain":{"pattern":"\\.test$"}}}`, "", `company_domain does not fulfil properties/company_domain/pattern`},
		{"a value by reference", `{"properties":{"first_name":{"$ref":"#/$defs/n"}},"$defs":{"n":{"maxLength":2}}}`, "", `first_name does not fulfil $defs/n/maxLength`},
		{"one of", `{"oneOf":[{"required":["pro_network_url"]},{"required":["company_name"]}]}`, "", `does not fulfil`},
		{"definitions around it", `{"$ref":"#/components/schemas/person"}`, `{"schemas":` + person + `}`, ""},
		{"definitions around it refuse", `{"$ref":"#/components/schemas/strict"}`, `{"schemas":` + person + `}`, `components/schemas/strict/required`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := compileSchema(json.RawMessage(test.text), json.RawMessage(test.components))
			if err == nil {
				err = s.check(body)
			}
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if err != nil && (strings.Contains(err.Error(), "Ada") || strings.Contains(err.Error(), "example.com")) {
				t.Errorf("error %q holds a value", err)
			}
		})
	}
}

// condition returns a status with an input condition on enrich.
func condition(schema string) string {
	return `{"key_valid":true,"operations":{"contact_enrichment":{"available_on_plan":true,"input_condition":` + schema + `}}}`
}

// What the account does not allow is not sent, over either transport, and what it
// allows again is.
func TestInputCondition(t *testing.T) {
	const byProfile = `{"required":["pro_network_url"]}`
	var status string
	posts := 0
	rest := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(status))
			return
		}
		posts++
		_, _ = w.Write([]byte(foundBoth))
	})
	f := newFakeMCP(t)
	f.onCall(func(w http.ResponseWriter, r *http.Request, m message) {
		if m.tool == statusTool {
			respondRPC(w, m.ID, toolResult(status))
			return
		}
		posts++
		found(w, r, m)
	})
	for name, client := range map[string]*Client{"REST": clientOf(t, rest), "MCP": mcpClient(t, f)} {
		for _, step := range []struct {
			status  string
			refuses bool
		}{
			{condition(byProfile), true},
			{condition("null"), false},
			{condition("false"), true},
			{condition(`{"$ref":"https://example.com/schema"}`), false}, // cannot be applied: the service decides
			{condition(byProfile), true},
			{`{}`, false},
		} {
			status = step.status
			if _, err := client.Status(t.Context()); err != nil {
				t.Fatal(err)
			}
			posts = 0
			verdict, accepted := find(client), client.Accepts(ada())
			if !step.refuses {
				wantAnswered(t, verdict)
				if posts != 1 || accepted != nil {
					t.Errorf("%s: %d lookups were sent, accepted %v; want 1", name, posts, accepted)
				}
				continue
			}
			refused, ok := verdict.(enrich.Refused)
			if !ok || refused.Class != enrich.InvalidInput || refused.Code != "input_condition" || !refused.Unsent || posts != 0 {
				t.Errorf("%s: verdict %+v after %d lookups, want it refused", name, verdict, posts)
			}
			if accepted == nil || accepted.Error() != refused.Message {
				t.Errorf("%s: accepted %v, want %q", name, accepted, refused.Message)
			}
			email := ada()
			email.Fields = enrich.FieldsOf(enrich.WorkEmail)
			wantAnswered(t, client.Find(t.Context(), email)) // the condition is on enrich alone
		}
	}
}
