package pgstore

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/checkpoint/record"
	"payonce/io/iotest"
)

// filesWith returns how many files of the tables of a server have a text. The server first writes everything to them.
func filesWith(t *testing.T, server *iotest.PostgresServer, text string) (count int) {
	t.Helper()
	server.Exec("CHECKPOINT")
	at, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(at.Query().Get("host"), "data", "base")
	err = filepath.WalkDir(base, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			count++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// TestAnErasureRemovesValuesFromTheFilesOfTheTable replaces a value, with and without an erasure.
func TestAnErasureRemovesValuesFromTheFilesOfTheTable(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on", "autovacuum=off")
	const person = "ada.lovelace@analytical.example"
	s := open(t, options(server.URL()))
	for _, value := range []string{strings.Repeat("x", 40) + person, "erased"} {
		if err := s.Commit([]record.Write{set("key", value)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if filesWith(t, server, person) == 0 {
		t.Fatal("the server keeps no replaced value, so this test shows nothing")
	}
	s = open(t, options(server.URL()))
	if err := errors.Join(s.Erase(), s.Commit([]record.Write{set("other", "value")}), s.Close()); err != nil {
		t.Fatal(err)
	}
	if n := filesWith(t, server, person); n > 0 {
		t.Errorf("%d files have the value that was erased", n)
	}
	s = open(t, options(server.URL()))
	if value, err := s.Get([]byte("key")); string(value) != "erased" || err != nil {
		t.Errorf("%q, %v", value, err)
	}
}

// TestAnErasureSaysWhenTheFilesKeepValues erases as a user who does not own the table.
func TestAnErasureSaysWhenTheFilesKeepValues(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	open(t, options(server.URL()))
	server.Exec("CREATE USER another PASSWORD '" + iotest.PostgresPassword + "'; GRANT ALL ON ALL TABLES IN SCHEMA public TO another")
	s := open(t, options(strings.Replace(server.URL(), "//tester:", "//another:", 1)))
	err := errors.Join(s.Erase(), s.Close())
	if !errors.Is(err, ErrKeptInFiles) {
		t.Errorf("%v, want that the files keep values", err)
	}
}

// TestAScanWithoutAPrefixVisitsAllRecords as a dump does.
func TestAScanWithoutAPrefixVisitsAllRecords(t *testing.T) {
	s := open(t, options(iotest.StartPostgres(t, "fsync=on").URL()))
	if err := s.Commit([]record.Write{set("\x00", "1"), set("b", "2"), set("\xff\xff", "3")}); err != nil {
		t.Fatal(err)
	}
	var found string
	err := s.Scan(nil, nil, func(_, value []byte) (bool, error) {
		found += string(value)
		return true, nil
	})
	if found != "123" || err != nil {
		t.Errorf("found %q, %v", found, err)
	}
}
