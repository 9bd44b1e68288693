package badgerstore

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/enrich"

	"payonce/checkpoint/record"
	"payonce/io/iotest"
	"payonce/io/service/v1"
)

func withKey(key []byte) Options { return Options{EncryptionKey: key} }

// mustBeAnswered opens a journal with a key and looks for an answer in it.
func mustBeAnswered(t *testing.T, dir string, key []byte) {
	t.Helper()
	j, err := openJournal(dir, withKey(key))
	if err != nil {
		t.Fatal(err)
	}
	decision, _, err := begin(j, person(1))
	if known, ok := decision.(attempt.Known); !ok || err != nil || known.Fields != enrich.FieldsOf(v1.WorkEmail) {
		t.Errorf("the decision is %#v, %v; want that the email is known", decision, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// rareEmail has nothing that repeats: Badger compresses its tables, and only such a text
// stands in them as it is.
const rareEmail = "qzjxkvwpbf@uymhgtcd.nlj"

// isOnTheDisk reports whether a file under dir has a text.
func isOnTheDisk(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		found = found || bytes.Contains(data, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestEncryptionIsTurnedOnChangedAndOff(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	first, second := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	j := openDir(t, dir)
	settle(t, j, person(1), rareEmail)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	keys := [][]byte{nil, first, second, nil}
	for i, key := range keys {
		mustBeAnswered(t, dir, key)
		if plain := isOnTheDisk(t, dir, rareEmail); plain != (key == nil) {
			t.Errorf("key %d: the values are readable on the disk: %t", i, plain)
		}
		for _, other := range [][]byte{nil, first, second} {
			if bytes.Equal(other, key) {
				continue
			}
			if _, err := openJournal(dir, withKey(other)); !errors.Is(err, record.ErrEncryptionKey) || errors.Is(err, record.ErrCorrupt) {
				t.Errorf("key %d: another key is told as %v", i, err)
			}
		}
		if i+1 == len(keys) {
			break
		}
		if err := rewriteJournal(dir, withKey(key), keys[i+1]); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnInterruptedRewriteLeavesTheOldOrTheNewJournal(t *testing.T) {
	for name, breakOff := range map[string]func(dir string) error{
		"before the swap": func(dir string) error {
			return os.Mkdir(filepath.Join(dir, engineName+freshSuffix), 0o700)
		},
		"in the swap": func(dir string) error {
			return errors.Join(
				os.Mkdir(filepath.Join(dir, engineName+freshSuffix), 0o700),
				os.Rename(filepath.Join(dir, engineName), filepath.Join(dir, engineName+spentSuffix)))
		},
		"after the swap": func(dir string) error {
			return os.Mkdir(filepath.Join(dir, engineName+spentSuffix), 0o700)
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
			if left, _ := filepath.Glob(filepath.Join(dir, engineName+".*")); len(left) > 0 {
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
	if err := rewriteJournal(dir, Options{}, nil); err != nil {
		t.Fatal(err)
	}
	modes("rewritten")
}

func TestADirectoryThatCannotBeWrittenIsReportedAsSuch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "journal"), Options{}); !errors.Is(err, record.ErrNotWritable) {
		t.Errorf("the error is %v", err)
	}
}

func TestAJournalThatMayNotBeReadIsNotDamaged(t *testing.T) {
	dir := filepath.Join(iotest.UserDir(t), "journal")
	iotest.AsUser(t, func() { // so that its files belong to this user
		if err := openDir(t, dir).Close(); err != nil {
			t.Error(err)
		}
	})
	for _, closed := range []string{filepath.Join(dir, engineName), dir} {
		if err := os.Chmod(closed, 0); err != nil {
			t.Fatal(err)
		}
		iotest.AsUser(t, func() {
			if _, err := Open(dir, Options{}); !errors.Is(err, fs.ErrPermission) || errors.Is(err, record.ErrCorrupt) {
				t.Errorf("without rights to %s: %v", closed, err)
			}
			if exists, err := Exists(dir); !exists && !errors.Is(err, fs.ErrPermission) {
				t.Errorf("without rights to %s it does not exist: %v", closed, err)
			}
		})
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
	if err := errors.Join(os.RemoveAll(filepath.Join(one, engineName)), os.Rename(filepath.Join(two, engineName), filepath.Join(one, engineName))); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(one, Options{}); !errors.Is(err, record.ErrCorrupt) {
		t.Errorf("another journal's store is told as %v", err)
	}
	if _, err := openJournal(two, Options{}); !errors.Is(err, record.ErrCorrupt) {
		t.Errorf("a marker without its store is told as %v", err)
	}
}
