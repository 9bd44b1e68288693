package pipeline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
)

// TestOnlyTheSameBuildLeavesAnOutputInPlace runs the same command with several programs. A program that is not known
// ("") always writes.
func TestOnlyTheSameBuildLeavesAnOutputInPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list, out := filepath.Join(dir, "list.csv"), filepath.Join(dir, "out.csv")
	if err := os.WriteFile(list, []byte("first_name,last_name,company\nAnn,Lee,Acme\nBob,Ray,Acme\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(build string) (os.FileInfo, map[string]int64) {
		work := workIn(dir)
		work.Env.Build = func() string { return build }
		ended, err := work.Run(t.Context(), RunOptions{
			List:   List{Names: []string{list}, Fields: []string{"email"}, Prefer: enrich.ByProfile, Memory: 1 << 20},
			Budget: Budget{MaxSpend: new(3 * cost.Dollar)}, Pace: Pace{Concurrency: 4}, Output: Output{Path: out}, Yes: true,
		}, silent{})
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(out)
		if err != nil {
			t.Fatal(err)
		}
		return info, ended.Summary.Rows
	}
	last, rows := run("first")
	for i, start := range []struct {
		build string
		left  bool
	}{
		{"first", true},
		{"first", true},
		{"second", false},
		{"second", true},
		{"first", false},
		{"", false},
		{"", false},
		{"first", false},
		{"first", true},
	} {
		info, again := run(start.build)
		if left := os.SameFile(last, info); left != start.left {
			t.Errorf("start %d, of the program %q: the output was left: %t, want %t", i, start.build, left, start.left)
		}
		if diff := cmp.Diff(rows, again); diff != "" {
			t.Errorf("start %d: rows (-want +got):\n%s", i, diff)
		}
		last = info
	}
}
