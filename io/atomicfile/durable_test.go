package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommitSyncsTheDirectory: the directory is synced once, when the new file is in its place,
// and what that says is told. The directory of a link's target is meant, not that of the link.
func TestCommitSyncsTheDirectory(t *testing.T) {
	gone := errors.New("the disk is gone")
	for name, want := range map[string]error{"synced": nil, "not synced": gone} {
		t.Run(name, func(t *testing.T) {
			elsewhere := t.TempDir()
			directory, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			path, link := filepath.Join(directory, "out.csv"), filepath.Join(elsewhere, "link.csv")
			if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Symlink(path, link)); err != nil {
				t.Fatal(err)
			}
			f, err := Create(link, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Discard()
			var synced []string
			f.syncDirectory = func(directory string) error {
				synced = append(synced, directory)
				if text, err := os.ReadFile(path); string(text) != "new" || err != nil {
					t.Errorf("the directory is synced while the file holds %q (%v)", text, err)
				}
				return want
			}
			if _, err := f.Write([]byte("new")); err != nil {
				t.Fatal(err)
			}
			if len(synced) != 0 {
				t.Error("the directory is synced before Commit")
			}
			err = f.Commit()
			if !errors.Is(err, want) || (err == nil) != (want == nil) || err != nil && !strings.Contains(err.Error(), "a crash may undo it") {
				t.Errorf("Commit = %v, want %v", err, want)
			}
			if len(synced) != 1 || synced[0] != directory {
				t.Errorf("synced %q, want %q once", synced, directory)
			}
		})
	}
}

// TestSyncDirectoryFailsOnlyForAMissingDirectory: a directory that is not there is an error, and one of a file system
// that syncs none is not.
func TestSyncDirectoryFailsOnlyForAMissingDirectory(t *testing.T) {
	directory := t.TempDir()
	if err := SyncDirectory(directory); err != nil {
		t.Error(err)
	}
	if err := SyncDirectory(filepath.Join(directory, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is missing: %v", err)
	}
	if _, err := os.Stat("/proc/self"); err == nil {
		if err := SyncDirectory("/proc"); err != nil {
			t.Errorf("a directory that cannot be synced: %v", err)
		}
	}
}
