package checkpoint

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"payonce/attempt"
	"payonce/enrich"
)

func withKey(key []byte) Options {
	options := dirOptions
	options.EncryptionKey = key
	return options
}

// mustBeAnswered opens a journal with a key and looks for an answer in it.
func mustBeAnswered(t *testing.T, dir string, key []byte) {
	t.Helper()
	j, err := Open(dir, withKey(key))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Journal: j, t: t}
	r.want(r.begin(request(person(1), email)), attempt.Known{Fields: email})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestEncryptionIsTurnedOnChangedAndOff(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	first, second := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	j := openDir(t, dir)
	r := &rig{Journal: j, t: t}
	r.settle(r.grant(request(person(1), email)), enrich.Answer{Status: enrich.Matched, WorkEmail: rareEmail})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	keys := [][]byte{nil, first, second, nil}
	for i, key := range keys {
		mustBeAnswered(t, dir, key)
		if plain := len(holds(t, dir, rareEmail)) > 0; plain != (key == nil) {
			t.Errorf("key %d: the values are readable on the disk: %t", i, plain)
		}
		for _, other := range [][]byte{nil, first, second} {
			if bytes.Equal(other, key) {
				continue
			}
			if _, err := Open(dir, withKey(other)); !errors.Is(err, ErrEncryptionKey) || errors.Is(err, ErrCorrupt) {
				t.Errorf("key %d: another key is told as %v", i, err)
			}
		}
		if i+1 == len(keys) {
			break
		}
		if err := Rewrite(dir, withKey(key), keys[i+1]); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARewriteThatBrokeOffIsTheOldOrTheFreshJournal(t *testing.T) {
	for name, breakOff := range map[string]func(dir string) error{
		"before the swap": func(dir string) error {
			return os.Mkdir(filepath.Join(dir, storeName+freshSuffix), 0o700)
		},
		"in the swap": func(dir string) error {
			return errors.Join(
				os.Mkdir(filepath.Join(dir, storeName+freshSuffix), 0o700),
				os.Rename(filepath.Join(dir, storeName), filepath.Join(dir, storeName+spentSuffix)))
		},
		"after the swap": func(dir string) error {
			return os.Mkdir(filepath.Join(dir, storeName+spentSuffix), 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "journal")
			j := openDir(t, dir)
			answer(t, j, 0, 3)
			if err := errors.Join(j.Close(), breakOff(dir)); err != nil {
				t.Fatal(err)
			}
			mustBeAnswered(t, dir, nil)
			if left, _ := filepath.Glob(filepath.Join(dir, storeName+".*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestTheJournalIsForItsOwnerAlone(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077)) // as the program sets it: Badger leaves the modes to it
	dir := filepath.Join(t.TempDir(), "journal")
	j := openDir(t, dir)
	answer(t, j, 0, 3)
	modes := func(when string) {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s, %s has mode %s", when, path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	modes("while open")
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	modes("closed")
	if err := Rewrite(dir, dirOptions, nil); err != nil {
		t.Fatal(err)
	}
	modes("rewritten")
}

func TestADirectoryThatCannotBeWrittenIsToldAsSuch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "journal"), dirOptions); !errors.Is(err, ErrNotWritable) {
		t.Errorf("the error is %v", err)
	}
}

func TestAJournalThatMayNotBeReadIsNotDamaged(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read every directory")
	}
	dir := filepath.Join(t.TempDir(), "journal")
	if err := openDir(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	for _, closed := range []string{filepath.Join(dir, storeName), dir} {
		if err := os.Chmod(closed, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, dirOptions); !errors.Is(err, fs.ErrPermission) || errors.Is(err, ErrCorrupt) {
			t.Errorf("without rights to %s: %v", closed, err)
		}
		if exists, err := Exists(dir); !exists && !errors.Is(err, fs.ErrPermission) {
			t.Errorf("without rights to %s it does not exist: %v", closed, err)
		}
		if err := os.Chmod(closed, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAStoreOfAnotherJournalIsRefused(t *testing.T) {
	base := t.TempDir()
	for _, name := range []string{"one", "two"} {
		if err := openDir(t, filepath.Join(base, name)).Close(); err != nil {
			t.Fatal(err)
		}
	}
	one, two := filepath.Join(base, "one"), filepath.Join(base, "two")
	if err := errors.Join(os.RemoveAll(filepath.Join(one, storeName)), os.Rename(filepath.Join(two, storeName), filepath.Join(one, storeName))); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(one, dirOptions); !errors.Is(err, ErrCorrupt) {
		t.Errorf("another journal's store is told as %v", err)
	}
	if _, err := Open(two, dirOptions); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a marker without its store is told as %v", err)
	}
}
