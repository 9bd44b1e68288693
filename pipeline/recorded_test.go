package pipeline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/pipeline/columns"
)

// TestTheRecordOfARunHasAllThatItsOutputFollowsFrom notes what is asked of a list, and recalls it.
func TestTheRecordOfARunHasAllThatItsOutputFollowsFrom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.csv"), filepath.Join(dir, "second.csv")
	for _, path := range []string{first, second} {
		if err := os.WriteFile(path, []byte("name;company\nAnn Lee;Acme\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := RecordedColumns{Columns: []string{"full_name=#1"}, Header: "0a", Fixed: true}
	for what, asked := range map[string]List{
		"nothing but fields": {Names: []string{first}, Fields: []string{"email"}, Prefer: enrich.ByProfile, Recorded: read},
		"everything": {
			Names: []string{first, second}, Options: listfile.Options{Encoding: "cp1252", Delimiter: "semicolon", Sheet: "people", HeaderRow: 2},
			Run: "spring", Fields: []string{"contact", "email"}, From: []string{"v2", "v1"}, Mapping: []string{"full_name=name"},
			Recorded: read, Held: columns.HeldAll, CopyHeld: true, Prefer: enrich.ByName, Limit: 7, Priority: "company:asc",
			Selected: filepath.Join(dir, "chosen.csv"), Resolve: true, Fallback: true, AcceptMismatch: true,
			Figures: []string{"Turnover", "EBITDA"}, Years: []int{2022, 2024},
		},
	} {
		list, err := columns.OpenList(listfile.Options{}, asked.Names...)
		if err != nil {
			t.Fatal(err)
		}
		run := checkpoint.Run{Name: asked.Run}
		if err := asked.note(&run, list, read); err != nil {
			t.Fatal(err)
		}
		again, err := List{}.recall(run)
		if diff := cmp.Diff(asked, again); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s error %v", what, diff, err)
		}
		given := List{Options: listfile.Options{Encoding: "UTF-8", Delimiter: "comma", HeaderRow: 1}, Selected: "other.csv"}
		if again, err := given.recall(run); err != nil || again.Options.Encoding != "UTF-8" || again.Delimiter != "comma" ||
			again.HeaderRow != 1 || again.Selected != "other.csv" {
			t.Errorf("%s: what is given does not win: %+v, error %v", what, again, err)
		}
		if err := list.Close(); err != nil {
			t.Error(err)
		}
	}
}
