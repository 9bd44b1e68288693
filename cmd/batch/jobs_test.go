package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"payonce/io/service/v2"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
)

// jobsSchemaFile is the JSON Schema of jobs files in the repository. Refresh it with -update.
const jobsSchemaFile = "../../configs/jobs.schema.json"

// withoutDescriptions returns a schema without what only people read.
func withoutDescriptions(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, member := range value {
			if _, isText := member.(string); !isText || name != "description" {
				kept[name] = withoutDescriptions(member)
			}
		}
		return kept
	case []any:
		for i, item := range value {
			value[i] = withoutDescriptions(item)
		}
	}
	return value
}

// The schema in the repository has the keys of the parser, and what their values look like.
func TestJobsSchemaInTheRepositoryIsThatOfTheParser(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	if err := report.WriteJSON(&text, quietEnvironment(nil).jobs().Reader.Schema()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(jobsSchemaFile, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(jobsSchemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(withoutDescriptions(decodeJSON(t, kept)), withoutDescriptions(decodeJSON(t, text.Bytes()))); diff != "" {
		t.Errorf("refresh the schema with go test ./cmd/batch -run TestJobsSchema -update: %s", diff)
	}
}

// A job has the assumptions of its own section, and for other keys those of the section in the defaults.
func TestAJobTakesAssumptionsFromTheDefaults(t *testing.T) {
	t.Parallel()
	const text = `defaults:
  max-spend: 1
  output: o.csv
  service-assumptions:
    modules: {overview: none}
    module-codenames: {companies: firms}
jobs:
  a: {list: a.csv, service-assumptions: {modules: {autocomplete: contacts}}}
  b: {list: b.csv}
`
	file, err := quietEnvironment(map[string]string{"SERVICE_V2_BASE_URL": "https://a.example/v2"}).jobs().Reader.Parse("jobs.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ operations, codenames map[string]string }{
		{map[string]string{"autocomplete": "contacts"}, map[string]string{"companies": "firms"}},
		{map[string]string{"overview": "none"}, map[string]string{"companies": "firms"}},
	} {
		modules, err := v2.ParseModules(want.operations, want.codenames)
		if err != nil {
			t.Fatal(err)
		}
		options, _, err := file.Jobs[i].Run.Workspace()
		_, second, _ := provider.Of[providerv2.Provider](options.Services)
		if err != nil || !reflect.DeepEqual(second.Modules, modules) {
			t.Errorf("the job %s: %+v, %v, want %+v", file.Jobs[i].Name, second.Modules, err, modules)
		}
	}
}

// What the parser and the schema say of jobs files is the same, but for what no schema can say.
func TestJobsParserAndSchemaAgree(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	if err := report.WriteJSON(&text, quietEnvironment(nil).jobs().Reader.Schema()); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("jobs", decodeJSON(t, text.Bytes())); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("jobs")
	if err != nil {
		t.Fatal(err)
	}
	job := func(keys string) string {
		return "jobs:\n  a: {list: a.csv, output: o.csv, max-spend: 1" + keys + "}\n"
	}
	for text, fine := range map[string]bool{
		job(""): true,
		job(", schedule: daily at 02:30, time-zone: UTC, jitter: 5m, overlap: wait, catch-up: 2d"): true,
		job(", schedule: '*/15 8-18 * * 1-5', fields: [email, phone], keep-outputs: 3"):            true,
		job(", monthly: 300, daily: $20.00, approval-threshold: '25', map: [email=A]"):             true,
		"defaults: {strict: true}\n" + job(""):                                                     true,
		"defaults:\n" + job(""):                                                                    true,
		job(", service-assumptions: {modules: {overview: none}, mcp-events: true}"):                true,
		"defaults: {service-assumptions: {clock-skew: 2h}}\n" + job(""):                            true,
		job(", modules: {overview: none}"):                                                         false,
		job(", service-assumptions: {max-spend: 2}"):                                               false,
		job(", service-assumptions: 5"):                                                            false,
		job(", schedule: daily at 24:30"):                                                          false,
		job(", schedule: daily"):                                                                   false,
		job(", schedule: 1 2 3"):                                                                   false,
		job(", schedule: CRON_TZ=UTC 1 2 3 * *"):                                                   false,
		job(", overlap: both"):                                                                     false,
		job(", jitter: 5"):                                                                         false,
		job(", pause-after: 0"):                                                                    false,
		job(", keep: 1.5"):                                                                         false,
		job(", catch-up: soon"):                                                                    false,
		job(", colour: red"):                                                                       false,
		job(", yes: true"):                                                                         false,
		job(", plan: plan.json"):                                                                   false,
		job(", fields: address"):                                                                   false,
		"defaults: {colour: red}\n" + job(""):                                                      false,
		"jobs: {}\n":                                                                               false,
		"jobs: []\n":                                                                               false,
		"other: 1\n" + job(""):                                                                     false,
		"jobs: {'a/b': {list: a.csv, output: o.csv, max-spend: 1}}\n":                              false,
	} {
		path := filepath.Join(t.TempDir(), "jobs.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := quietEnvironment(nil).jobs().Reader.Read(path); (err == nil) != fine {
			t.Errorf("the parser on\n%s%v", text, err)
		}
		var document any
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(decodeJSON(t, data)); (err == nil) != fine {
			t.Errorf("the schema on\n%s%v", text, err)
		}
	}
}
