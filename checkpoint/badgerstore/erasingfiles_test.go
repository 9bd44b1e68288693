package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/checkpoint"
	"payonce/checkpoint/verify"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// versionsIn returns every version of every value in the files of a closed journal.
func versionsIn(t *testing.T, dir string, key []byte) (values [][]byte) {
	t.Helper()
	err := EachVersion(dir, key, func(key, value []byte) {
		if isPart(key) {
			t.Errorf("a part of a value is left that no value names")
		}
		values = append(values, bytes.Clone(value))
	})
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// readable returns how many of the texts are in any file of a closed journal, as they are or in a
// value of a table.
func readable(t *testing.T, dir string, key []byte, texts ...string) (count int) {
	t.Helper()
	all := bytes.Join(versionsIn(t, dir, key), nil)
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(all, data...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if bytes.Contains(all, []byte(text)) {
			count++
		}
	}
	return count
}

func factsOf(_ string, answered enrich.Answered) (facts checkpoint.PersonFacts, err error) {
	facts.Name, facts.Email, facts.Phone, err = new(v1.AnswerDecoder).Person(answered)
	return facts, err
}

// forget erases a person, who is named by the email, and does not close the journal.
func forget(t *testing.T, j *checkpoint.Journal, email string) {
	t.Helper()
	found, err := j.Find(checkpoint.Person{Email: email}, factsOf)
	if err != nil {
		t.Fatal(err)
	}
	if erased, err := j.Forget(found); err != nil || erased.Answers != 1 {
		t.Fatalf("erased %+v, error %v", erased, err)
	}
}

// closeJournal closes a journal for a test.
func closeJournal(t *testing.T, j *checkpoint.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// wantErased fails unless nothing of person 7 is in the files, and everything else is.
func wantErased(t *testing.T, dir string, options Options) {
	t.Helper()
	if readable(t, dir, options.EncryptionKey, "p7@b.example") > 0 {
		t.Error("the answer is in the files")
	}
	for _, value := range versionsIn(t, dir, options.EncryptionKey) {
		if bytes.Contains(value, []byte("/in/7")) {
			t.Errorf("the identity is in the value %q", value)
		}
	}
	for n := range 12 {
		if email := fmt.Sprintf("p%d@b.example", n); n != 7 && readable(t, dir, options.EncryptionKey, email) == 0 {
			t.Errorf("the answer %s is gone", email)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, erasingName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the erasure is not finished: %v", err)
	}
	summary, err := checkJournal(dir, options, func(p verify.Problem) { t.Errorf("%s %s", p.Record, p.Text) })
	if err != nil || summary.Attempts["settled"] != 12 || summary.Erased != 1 {
		t.Errorf("the journal has %+v, error %v", summary, err)
	}
}

// inTables makes a closed journal with the answers of 12 persons in three tables.
func inTables(t *testing.T, dir string, options Options) {
	t.Helper()
	for part := range 3 {
		j, err := openJournal(dir, options)
		if err != nil {
			t.Fatal(err)
		}
		answer(t, j, 4*part, 4*part+4)
		closeJournal(t, j)
	}
}

// filesOf returns the tables of a closed journal by their names.
func filesOf(t *testing.T, dir string) map[string]os.FileInfo {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, engineName, "*"+tableEnding))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]os.FileInfo{}
	for _, path := range paths {
		if files[filepath.Base(path)], err = os.Stat(path); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	copyInto(t, dir, to)
	return to
}

// copyInto copies a directory.
func copyInto(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.Walk(from, func(path string, info os.FileInfo, err error) error {
		target := to + strings.TrimPrefix(path, from)
		switch {
		case err != nil:
			return err
		case info.IsDir():
			return os.MkdirAll(target, 0o700)
		}
		copyFile(t, path, target)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func randomText(length int) string {
	draw := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range length {
		text.WriteByte('a' + byte(draw.IntN(26)))
	}
	return text.String()
}
