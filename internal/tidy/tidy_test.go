package tidy_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"payonce/internal/tidy"
)

// TestArchitecture holds the module itself to the rules.
func TestArchitecture(t *testing.T) {
	violations, err := tidy.Check(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Error(v)
	}
}

// trees returns the small trees of testdata by their names, each with the lines of
// its file "want": a rule and the place where the tree breaks it.
func trees(t *testing.T) (map[string]fs.FS, map[string][]string) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no trees, error %v", err)
	}
	tree, want := map[string]fs.FS{}, map[string][]string{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if tree[name], err = txtar.FS(archive); err != nil {
			t.Fatal(err)
		}
		lines, err := fs.ReadFile(tree[name], "want")
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		want[name] = strings.Split(strings.TrimSpace(string(lines)), "\n")
		want[name] = slices.DeleteFunc(want[name], func(line string) bool { return line == "" })
	}
	return tree, want
}

func TestCheck(t *testing.T) {
	tree, want := trees(t)
	for name := range tree {
		t.Run(name, func(t *testing.T) {
			violations, err := tidy.Check(tree[name])
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, v := range violations {
				got = append(got, fmt.Sprintf("%s %s:%d", v.Rule, v.File, v.Line))
				if v.Reason == "" {
					t.Errorf("%s has no reason", v)
				}
			}
			if diff := cmp.Diff(want[name], got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEveryRuleCanFail guards against a rule that no tree breaks.
func TestEveryRuleCanFail(t *testing.T) {
	_, want := trees(t)
	broken := map[string]bool{}
	for _, lines := range want {
		for _, line := range lines {
			rule, _, _ := strings.Cut(line, " ")
			broken[rule] = true
		}
	}
	for _, rule := range tidy.Rules {
		if !broken[rule] {
			t.Errorf("no tree in testdata breaks the rule %q", rule)
		}
	}
}

func TestCheckErrors(t *testing.T) {
	mod := &fstest.MapFile{Data: []byte("module house\n")}
	tests := []struct {
		name string
		tree fstest.MapFS
	}{
		{"no go.mod", fstest.MapFS{"enrich/a.go": {Data: []byte("package enrich\n")}}},
		{"no module", fstest.MapFS{"go.mod": {Data: []byte("go 1.26\n")}}},
		{"no Go", fstest.MapFS{"go.mod": mod, "enrich/a.go": {Data: []byte("package\n")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if violations, err := tidy.Check(tt.tree); err == nil {
				t.Errorf("no error, violations %v", violations)
			}
		})
	}
}
