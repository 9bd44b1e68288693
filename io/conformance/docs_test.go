package conformance_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"payonce/io/conformance"
)

// heldBy returns the cell of a row of a table that names rules and tests; "" for another line.
func heldBy(line string) string {
	switch cells := strings.Split(line, "|"); len(cells) {
	case 4, 5: // the second or third of two or three columns
		return cells[len(cells)-2]
	}
	return ""
}

// TestTable: docs/conformance.md names rules and tests that there are, and every rule.
func TestTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	rules, named := map[string]bool{}, map[string]bool{}
	for _, rule := range append(conformance.RulesV1(), conformance.RulesV2()...) {
		if rules[rule.Name] {
			t.Errorf("two rules are named %s", rule.Name)
		}
		if rules[rule.Name] = true; rule.Section == "" || rule.Text == "" {
			t.Errorf("%s says nothing", rule.Name)
		}
	}
	for line := range strings.Lines(string(text)) {
		for _, name := range regexp.MustCompile("`([^` ]+)`").FindAllStringSubmatch(heldBy(line), -1) {
			named[name[1]] = true
		}
	}
	for name := range named {
		folder, test, isTest := strings.Cut(name, ".")
		switch {
		case isTest && !hasTest(t, folder, test):
			t.Errorf("the table names the test %s, which there is not", name)
		case !isTest && !rules[name] && name != "result/":
			t.Errorf("the table names the rule %s, which there is not", name)
		}
	}
	for name := range rules {
		if !named[name] {
			t.Errorf("the table does not name %s", name)
		}
	}
}

// hasTest reports whether a folder has a test.
func hasTest(t *testing.T, folder, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+test+"(t *testing.T)") {
			return true
		}
	}
	return false
}
