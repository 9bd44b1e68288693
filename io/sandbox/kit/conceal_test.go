package kit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConcealingHidesTextsAndKeepsThemApart, with each key in another way.
func TestConcealingHidesTextsAndKeepsThemApart(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range []string{"", "one", "two"} {
		conceal := Concealing([]byte(key))
		for _, text := range []string{"profile\x1fp.example/in/ann", "name\x1fann\x1flee\x1fcompany\x1facme", "name\x1fann\x1flee\x1fcompany\x1fbeta", `{"name":"ann lee"}`} {
			hidden := conceal(text)
			kind, _, _ := strings.Cut(text, "\x1f")
			if strings.Contains(hidden, "ann") || strings.Contains(text, "\x1f") && !strings.HasPrefix(hidden, kind+"\x1f") {
				t.Errorf("%q is hidden as %q", text, hidden)
			}
			if seen[hidden] || hidden != conceal(text) || conceal(hidden) != hidden {
				t.Errorf("%q is hidden as %q, as another text is, or in several ways", text, hidden)
			}
			seen[hidden] = true
		}
		if conceal("") != "" {
			t.Error("nothing is hidden")
		}
	}
}

// TestConcealChangesTheLedgerOfAnEarlierVersion checks that other entries stay, and that doing it again changes nothing.
func TestConcealChangesTheLedgerOfAnEarlierVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "books")
	conceal := Concealing(nil)
	if err := Conceal(path, "identity", conceal); err != nil {
		t.Fatalf("a ledger that is not there: %v", err)
	}
	const header = `{"kind":"books","version":1}` + "\n"
	const other = `{"kind":"settled","amount":15,"at":"2026-11-20T10:00:00Z"}` + "\n"
	text := header + `{"kind":"arrived","number":1,"identity":"name\u001fann\u001flee\u001fcompany\u001facme"}` + "\n" + other + `{"kind":"arrived","iden`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte("left by a crash"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Conceal(path, "identity", conceal); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		want := header + `{"identity":"name\u001f` + strings.TrimPrefix(conceal("name\x1fann\x1flee\x1fcompany\x1facme"), "name\x1f") + `","kind":"arrived","number":1}` + "\n" + other
		if err != nil || string(got) != want {
			t.Errorf("the ledger is\n%s\nwant\n%s\nerror %v", got, want, err)
		}
		if _, err := os.Stat(path + ".new"); !os.IsNotExist(err) {
			t.Errorf("a copy is left: %v", err)
		}
	}
	if err := os.WriteFile(path, []byte("{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Conceal(path, "identity", conceal); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged ledger: error %v", err)
	}
	if left, _ := os.ReadFile(path); string(left) != "{\n" {
		t.Errorf("they became %q", left)
	}
}
