package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"payonce/configs"
	"payonce/pipeline/report"
)

// TestShippedConfigurationsAreValidForProgramAndSchema checks every configuration that ships with the program,
// as the program does and by the schema that editors get.
func TestShippedConfigurationsAreValidForProgramAndSchema(t *testing.T) {
	env := quietEnvironment(nil)
	env.getenv = func(string) string { return "value" }
	_, plan := newPlan(env)
	_, run := newRun(env)
	var text bytes.Buffer
	if err := report.WriteJSON(&text, configs.FlagSchema(newAssumptions().section(), plan.Flags(), run.Flags())); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("config", decodeJSON(t, text.Bytes())); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("config")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := configs.Examples()
	if err != nil || len(examples) != 3 {
		t.Errorf("%d configurations ship with the program (%v), want 3", len(examples), err)
	}
	for _, example := range examples {
		path := filepath.Join(t.TempDir(), example.Name+".yaml")
		if err := os.WriteFile(path, example.Text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := checkConfig(env, path); err != nil {
			t.Error(err)
		}
		var document any
		if err := yaml.Unmarshal(example.Text, &document); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(decodeJSON(t, data)); err != nil {
			t.Errorf("%s: %v", example.Name, err)
		}
	}
	if err := schema.Validate(decodeJSON(t, []byte(`{"service-assumptions": {"modules": {"overview": "none"}, "clock-skew": "2h", "mcp-events": true}}`))); err != nil {
		t.Errorf("the section of assumptions: %v", err)
	}
	for _, wrong := range []string{
		`{"modules": {"overview": "none"}}`, `{"service-assumptions": {"max-spend": 5}}`, `{"service-assumptions": {"clock-skew": 5}}`, `{"service-assumptions": 5}`,
		`{"colour": "red"}`, `{"strict": "perhaps"}`, `{"limit": 1.5}`, `{"max-spend": -1}`, `{"pace": "fast"}`,
		`{"timeout": 45}`, `{"rate": 30}`, `{"rate": "30"}`, `{"sample": 1.5}`, `{"max-lookups": 1.5}`, `{"reask-missing": 90}`, `{"memory": 512}`,
	} {
		if schema.Validate(decodeJSON(t, []byte(wrong))) == nil {
			t.Errorf("the schema accepts %s", wrong)
		}
	}
}

func decodeJSON(t *testing.T, data []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
