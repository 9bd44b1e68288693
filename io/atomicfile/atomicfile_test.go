package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/atomicfile"
	"payonce/io/iotest"
)

func create(t *testing.T, path, text string) *atomicfile.File {
	t.Helper()
	f, err := atomicfile.Create(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Discard)
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask
		t.Fatal(err)
	}
}

// wantFiles checks the whole content of a directory, so that nothing is left over.
func wantFiles(t *testing.T, directory string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(directory, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[entry.Name()] = string(text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func wantMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("mode of %s = %o, want %o", path, got, want)
	}
}

func TestCommitNew(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "out.csv")
	f := create(t, path, "whole")
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("before Commit: err = %v, want that the path does not exist", err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Discard() // as a deferred call would
	wantFiles(t, directory, map[string]string{"out.csv": "whole"})
	wantMode(t, path, 0o600)
}

func TestCommitReplaces(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o644, 0o640, 0o400} {
		directory := t.TempDir()
		path := filepath.Join(directory, "out.csv")
		writeFile(t, path, "old", mode)
		f := create(t, path, "new")
		if old, err := os.ReadFile(path); err != nil || string(old) != "old" {
			t.Errorf("before Commit: %q, %v, want the old file", old, err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		wantFiles(t, directory, map[string]string{"out.csv": "new"})
		wantMode(t, path, mode)
	}
}

func TestDiscardLeavesTheOldFile(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "out.csv")
	writeFile(t, path, "old", 0o600)
	f := create(t, path, "half of the ne")
	f.Discard()
	f.Discard()
	wantFiles(t, directory, map[string]string{"out.csv": "old"})
	if err := f.Commit(); err == nil {
		t.Error("Commit after Discard succeeded")
	}
	wantFiles(t, directory, map[string]string{"out.csv": "old"})
}

// A process that dies between Create and Commit leaves its temporary file; the path
// must be the old one all the same, and the next attempt must succeed.
func TestInterruptedWriteLeavesTheOldFile(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "out.csv")
	writeFile(t, path, "old", 0o600)
	create(t, path, "half of the ne")
	if old, err := os.ReadFile(path); err != nil || string(old) != "old" {
		t.Errorf("interrupted: %q, %v, want the old file", old, err)
	}
	if err := create(t, path, "new").Commit(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "new" {
		t.Errorf("after the next attempt: %q, %v, want the new file", text, err)
	}
}

func TestCommitFails(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "out.csv")
	f := create(t, path, "new")
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil {
		t.Error("Commit over a directory succeeded")
	}
	entries, err := os.ReadDir(directory)
	if err != nil || len(entries) != 1 {
		t.Errorf("after a failed Commit: %v, %v, want nothing but the directory in the way", entries, err)
	}
}

func TestCommitRefusesAfterFailedWrite(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "out.csv")
	f := create(t, path, "new")
	f.Discard() // closes the file below, so that the next write fails
	if _, err := f.Write([]byte("more")); err == nil {
		t.Fatal("Write after Discard succeeded")
	}
	if err := f.Commit(); err == nil || !strings.Contains(err.Error(), "could not be written completely") {
		t.Errorf("Commit = %v, want a refusal", err)
	}
	wantFiles(t, directory, map[string]string{})
}

func TestCommitKeepsASymbolicLink(t *testing.T) {
	directory, elsewhere := t.TempDir(), t.TempDir()
	target, link := filepath.Join(elsewhere, "target.csv"), filepath.Join(directory, "link.csv")
	writeFile(t, target, "old", 0o640)
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := create(t, link, "new").Commit(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, elsewhere, map[string]string{"target.csv": "new"})
	wantMode(t, target, 0o640)
	if got, err := os.Readlink(link); err != nil || got != target {
		t.Errorf("Readlink = %q, %v, want %q", got, err, target)
	}
}

// A link may stand there before its target does.
func TestSymbolicLinkToAFileThatIsNotThereYet(t *testing.T) {
	directory, elsewhere := t.TempDir(), t.TempDir()
	link, second := filepath.Join(directory, "link.csv"), filepath.Join(elsewhere, "second.csv")
	if err := errors.Join(os.Symlink(second, link), os.Symlink("target.csv", second)); err != nil {
		t.Fatal(err)
	}
	if err := create(t, link, "new").Commit(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(elsewhere, "target.csv")); string(got) != "new" || err != nil {
		t.Errorf("the target holds %q, %v", got, err)
	}
	if got, err := os.Readlink(link); err != nil || got != second {
		t.Errorf("Readlink = %q, %v, want %q", got, err, second)
	}
	nowhere := filepath.Join(directory, "nowhere.csv")
	if err := os.Symlink(filepath.Join(elsewhere, "none", "target.csv"), nowhere); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.CheckWritable(nowhere); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "create it first") {
		t.Errorf("a link into no directory: %v", err)
	}
	loop := filepath.Join(directory, "loop.csv")
	if err := os.Symlink("loop.csv", loop); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.CheckWritable(loop); err == nil {
		t.Error("a link to itself was taken")
	}
}

func TestCheckWritable(t *testing.T) {
	directory := t.TempDir()
	file := filepath.Join(directory, "file.csv")
	writeFile(t, file, "old", 0o600)
	for _, test := range []struct {
		name, path, want string // part of the error; "" for none
	}{
		{"new file", filepath.Join(directory, "new.csv"), ""},
		{"existing file", file, ""},
		{"directory", directory, "is a directory; name a file in it"},
		{"missing directory", filepath.Join(directory, "missing", "new.csv"), "does not exist; create it first"},
		{"file for a directory", filepath.Join(file, "new.csv"), "not a directory"},
		{"device", os.DevNull, "device or a pipe"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := atomicfile.CheckWritable(test.path)
			_, createErr := os.Lstat(test.path)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("CheckWritable = %v, want nil", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("CheckWritable = %v, want %q in it", err, test.want)
			case test.name == "new file" && !errors.Is(createErr, os.ErrNotExist):
				t.Errorf("the path exists after CheckWritable")
			}
			f, err := atomicfile.Create(test.path, 0)
			if (err == nil) != (test.want == "") {
				t.Errorf("Create = %v, unlike CheckWritable", err)
			}
			if err == nil {
				f.Discard()
			}
		})
	}
	wantFiles(t, directory, map[string]string{"file.csv": "old"})
}

func TestReadOnlyDirectory(t *testing.T) {
	directory := iotest.UserDir(t)
	for mode, want := range map[os.FileMode]error{0o700: nil, 0o500: os.ErrPermission} {
		if err := os.Chmod(directory, mode); err != nil {
			t.Fatal(err)
		}
		var err error
		iotest.AsUser(t, func() { err = atomicfile.CheckWritable(filepath.Join(directory, "new.csv")) })
		if !errors.Is(err, want) {
			t.Errorf("mode %s: CheckWritable = %v, want %v", mode, err, want)
		}
	}
}
