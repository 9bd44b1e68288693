package configs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"payonce/configs"
)

// TestExampleConfigurationsAreFlatAndHoldNoKey shows that the examples are there, are flat names and values, and hold
// no key. That the names are flags is tested where the flags are.
func TestExampleConfigurationsAreFlatAndHoldNoKey(t *testing.T) {
	examples, err := configs.Examples()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, example := range examples {
		names = append(names, example.Name)
		var values map[string]any
		if err := yaml.Load(example.Text, &values); err != nil {
			t.Errorf("%s: %v", example.Name, err)
		}
		if values["fields"] == nil || values["max-spend"] == nil {
			t.Errorf("%s says neither what to find nor what it may cost: %v", example.Name, values)
		}
		for name := range values {
			if strings.Contains(name, "key") {
				t.Errorf("%s has a key in it: %s", example.Name, name)
			}
		}
		for i, line := range strings.Split(string(example.Text), "\n") {
			if len(line) > 90 {
				t.Errorf("%s:%d is %d characters long", example.Name, i+1, len(line))
			}
		}
	}
	if diff := cmp.Diff([]string{"dry-run", "nightly", "one-off"}, names); diff != "" {
		t.Error(diff)
	}
}
