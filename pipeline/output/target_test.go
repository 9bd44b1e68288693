package output

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOutputNameStandsBesideTheList(t *testing.T) {
	for list, want := range map[string]string{
		"contacts.csv":       "contacts.enriched.csv",
		"contacts.csv.gz":    "contacts.enriched.csv.gz",
		"a.b/contacts":       "a.b/contacts.enriched",
		"contacts.v2.tsv":    "contacts.v2.enriched.tsv",
		"-":                  "-",
		"contacts.PARQUET":   "contacts.enriched.PARQUET",
		"dir.csv/list.jsonl": "dir.csv/list.enriched.jsonl",
	} {
		if got, err := OutputName([]string{list}); err != nil || got != want {
			t.Errorf("%s: %q, want %q, error %v", list, got, want, err)
		}
	}
	for _, lists := range [][]string{{"a.csv", "b.csv"}, {"part-*.csv"}} {
		if got, err := OutputName(lists); err == nil {
			t.Errorf("%q have the name %q", lists, got)
		}
	}
}

// TestCheckRefusesTheFilesOfTheList, under each of their names.
func TestCheckRefusesTheFilesOfTheList(t *testing.T) {
	dir := t.TempDir()
	list, link := filepath.Join(dir, "part-1.csv"), filepath.Join(dir, "link.csv")
	if err := os.WriteFile(list, []byte("id\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(list, link); err != nil {
		t.Fatal(err)
	}
	sources := SourcesOf([]string{filepath.Join(dir, "part-*.csv")})
	for path, refused := range map[string]bool{
		list:                                true,
		link:                                true,
		dir + "/./part-1.csv":               true,
		filepath.Join(dir, "part-2.csv"):    true, // the pattern would find it the next time
		filepath.Join(dir, "out.csv"):       false,
		filepath.Join(dir, "no", "out.csv"): true,
		"-":                                 false,
	} {
		if err := CheckTarget(path, sources); (err != nil) != refused {
			t.Errorf("%s: error %v, want one: %t", path, err, refused)
		}
	}
	out := filepath.Join(dir, "out.csv")
	for rejects, refused := range map[string]bool{"": false, out: true, list: true, filepath.Join(dir, "rejects.csv"): false} {
		if err := CheckTargets(out, rejects, "", sources); (err != nil) != refused {
			t.Errorf("rejects %q: error %v, want one: %t", rejects, err, refused)
		}
		if err := CheckTargets(out, filepath.Join(dir, "r.csv"), rejects, sources); (err != nil) != refused {
			t.Errorf("new values %q: error %v, want one: %t", rejects, err, refused)
		}
	}
}

func TestCheckUnusedRefusesOutputsOfTheOwner(t *testing.T) {
	dir := t.TempDir()
	owned := []Source{{"the output of the run", filepath.Join(dir, "out.csv")}}
	if err := os.Symlink(dir, filepath.Join(dir, "same")); err != nil {
		t.Fatal(err)
	}
	for path, refused := range map[string]bool{
		filepath.Join(dir, "out.csv"): true, filepath.Join(dir, "same", "out.csv"): true,
		filepath.Join(dir, "other.csv"): false, "": false, "-": false,
	} {
		if err := CheckUnused(owned, path); (err != nil) != refused {
			t.Errorf("%q: error %v, want one: %t", path, err, refused)
		}
	}
}

// TestTablesNeverOverwriteTheListOrTheOutput under each of their names.
func TestTablesNeverOverwriteTheListOrTheOutput(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("financials.csv"), []byte("id\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sources := SourcesOf([]string{in("financials.csv"), in("part-*.csv")})
	for name, refused := range map[string]bool{
		"financials.csv": true, "../" + filepath.Base(dir) + "/financials.csv": true, "out.csv": true, "rejects.csv": true, "new.csv": true, "part-7.csv": true, "visits.csv": false,
	} {
		err := CheckTables([]string{in("insights.csv"), in(name)}, filesOf(in("out.csv"), in("rejects.csv"), in("new.csv")), sources)
		if (err != nil) != refused {
			t.Errorf("a table %s: error %v, want one: %t", name, err, refused)
		}
	}
	if err := CheckTables([]string{in("-")}, filesOf("-", "", ""), nil); err != nil {
		t.Error(err)
	}
}
