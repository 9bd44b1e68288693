package jobs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// atNoon is the occurrence of 4 March 2026, 12:00.
var atNoon = localTimeOf(noon)

// writeAt writes a file that was changed some minutes after noon.
func writeAt(t *testing.T, path, text string, minutes int) {
	t.Helper()
	changed := noon.Add(time.Duration(minutes) * time.Minute)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, changed, changed))
	if err != nil {
		t.Fatal(err)
	}
}

// resolve returns the file that the occurrence of noon enriches.
func resolve(t *testing.T, list List, spool string, stderr io.Writer) (string, error) {
	t.Helper()
	return Runner{Stderr: stderr}.listOf(t.Context(), &Job{List: list}, atNoon, spool)
}

func TestTheNewestFileOfAPatternIsTheList(t *testing.T) {
	dir := t.TempDir()
	for name, minutes := range map[string]int{
		"2026-03-04-a.csv": 1, "2026-03-04-b.csv": 3, "2026-03-04-c.csv": 3, "2026-03-04-d.csv": 2, "2026-03-05.csv": 9, "2026-03-04.txt": 9,
	} {
		writeAt(t, filepath.Join(dir, name), "x", minutes)
	}
	if err := os.Mkdir(filepath.Join(dir, "2026-03-04-folder.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	pattern := filepath.Join(dir, "{date}*.csv")
	// Of two that were changed at the same time, the last one by name counts.
	got, err := resolve(t, List{Newest: pattern}, "", nil)
	if want := filepath.Join(dir, "2026-03-04-c.csv"); err != nil || got != want {
		t.Errorf("%s, want %s; %v", got, want, err)
	}
	for pattern, want := range map[string]string{"none-*.csv": "there is no list ", "[": "cannot be read"} {
		if _, err := resolve(t, List{Newest: filepath.Join(dir, pattern)}, "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}

func TestASecondStartReadsTheOutputOfTheCommandAgain(t *testing.T) {
	dir := t.TempDir()
	spool, count := filepath.Join(dir, "lists", "2026-03-04.csv"), filepath.Join(dir, "count")
	if err := os.Mkdir(filepath.Dir(spool), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("COUNT", count)
	list := List{Command: `echo once >>"$COUNT"; echo told >&2; echo "name,{date}-{time}"`}
	var stderr bytes.Buffer
	for range 2 {
		path, err := resolve(t, list, spool, &stderr)
		if err != nil || path != spool {
			t.Fatalf("%q, %v", path, err)
		}
	}
	info, err := os.Stat(spool)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the list: %v, %v", info.Mode(), err)
	}
	for path, want := range map[string]string{spool: "name,2026-03-04-1200\n", count: "once\n"} {
		if text, err := os.ReadFile(path); string(text) != want || err != nil {
			t.Errorf("%s holds %q, want %q; %v", path, text, want, err)
		}
	}
	if stderr.String() != "told\n" {
		t.Errorf("the command printed %q on standard error", &stderr)
	}
}

func TestACommandThatFailsOrWritesNothingLeavesNoList(t *testing.T) {
	for command, want := range map[string]string{
		"echo a; exit 3": "list-command failed: exit status 3", "true": "list-command wrote nothing",
	} {
		spool := filepath.Join(t.TempDir(), "list.csv")
		if _, err := resolve(t, List{Command: command}, spool, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", command, err, want)
		}
		if _, err := os.Stat(spool); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s left a list: %v", command, err)
		}
	}
}

func TestTheLinkToTheNewestOutputIsRelativeAndReplacesOnlyALink(t *testing.T) {
	dir := t.TempDir()
	latest := filepath.Join(dir, "latest.csv")
	for _, day := range []string{"a", "b"} {
		output := filepath.Join(dir, "out", day+".csv")
		writeAt(t, output, day, 0)
		if err := link(output, latest); err != nil {
			t.Fatal(err)
		}
		to, err := os.Readlink(latest)
		if err != nil || to != filepath.Join("out", day+".csv") {
			t.Errorf("the link is to %q, %v", to, err)
		}
		if text, err := os.ReadFile(latest); string(text) != day || err != nil {
			t.Errorf("the link leads to %q, %v", text, err)
		}
	}
	own := filepath.Join(dir, "own.csv")
	writeAt(t, own, "by hand", 0)
	if err := link(filepath.Join(dir, "out", "a.csv"), own); err == nil || !strings.Contains(err.Error(), "is not a symbolic link") {
		t.Errorf("a file that is not a link: %v", err)
	}
	if text, err := os.ReadFile(own); string(text) != "by hand" || err != nil {
		t.Errorf("it holds %q, %v", text, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 || err != nil {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
