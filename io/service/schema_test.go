package service

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompileRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{"type":"object"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	remote := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a schema was fetched") }))
	t.Cleanup(remote.Close)
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
			s, err := CompileSchema(json.RawMessage(text), nil)
			if err == nil {
				t.Fatal("no error")
			}
			if s != nil || strings.Contains(err.Error(), remote.URL) || strings.Contains(err.Error(), file) {
				t.Errorf("error %q quotes the schema", err)
			}
		})
	}
}

func TestCheckNamesTheFirstFailureWithoutAnyValue(t *testing.T) {
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
			s, err := CompileSchema(json.RawMessage(test.text), json.RawMessage(test.components))
			if err == nil {
				err = s.Check(body)
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

func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"required":["first_name"],"properties":{"first_name":{"pattern":"^A"}}}`), []byte(nil))
	f.Add([]byte(`{"$ref":"#/components/a","unevaluatedProperties":false}`), []byte(`{"a":{"anyOf":[{"$ref":"#/components/b"},true]},"b":{"not":{}}}`))
	f.Add([]byte(`{"type":"object","additionalProperties":false,"properties":{"first_name":{}}}`), []byte(`{}`))
	body := map[string]any{"first_name": "secret-Ada", "include_email": true}
	f.Fuzz(func(t *testing.T, text, components []byte) {
		s, err := CompileSchema(text, components)
		if err != nil {
			if s != nil {
				t.Error("a schema with an error")
			}
			return
		}
		if err := s.Check(body); err != nil && strings.Contains(err.Error(), "secret-Ada") && !bytes.Contains(text, []byte("secret-Ada")) && !bytes.Contains(components, []byte("secret-Ada")) {
			t.Errorf("error %q holds a value", err)
		}
		s.Members()
		s.Misfits([]string{"first_name"})
	})
}
