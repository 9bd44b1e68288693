package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"payonce/io/iotest"
)

// A job enriches the rows of a query. When it is interrupted, its next start reads the same rows, whatever the table has
// meanwhile. No file and no line has the password of the database.
func TestAJobEnrichesTheRowsOfAQuery(t *testing.T) {
	t.Parallel()
	server := iotest.StartPostgres(t)
	n := newNight(t, 1, 1)
	server.Exec(`CREATE TABLE people (id int, first_name text, last_name text, company text, email text, added date);
		INSERT INTO people SELECT n, 'Given' || n, 'Family' || n, 'Company ' || n, '', '2026-01-01' FROM generate_series(1, 6) n;
		INSERT INTO people VALUES (7, 'Later', 'Later', 'Later', '', '2999-01-01')`)
	n.write("jobs.yaml", `
defaults: {time-zone: UTC, max-spend: 60, rate: 100000/1s, settle-delay: 100ms, list-connection: '${PGURL}', fields: email}
jobs:
  people:
    list-query: SELECT id, first_name, last_name, company, email FROM people WHERE added <= '{date}' ORDER BY id
    output: people.csv
  wrong: {list-query: "SELECT id,\n  emial FROM people", output: wrong.csv}
`)
	start := func(args ...string) *process {
		command := exec.Command("batch-night", args...)
		command.Dir = n.dir
		command.Env = []string{nightClock + "=" + n.clock, "BATCH_STATE=" + n.state(), "PGURL=" + server.URL()}
		return n.startAs(command)
	}
	var told strings.Builder
	end := func(run *process, want int) {
		t.Helper()
		if code := run.end(); code != want {
			t.Errorf("exit code %d, want %d\n%s%s", code, want, &run.stdout, run.stderr)
		}
		told.WriteString(run.stdout.String() + run.stderr.String())
	}
	end(start("jobs", "check"), exitDone)

	reached, release := n.service.hold(t, 2)
	run := start("jobs", "run", "people", "--now")
	receive(t, reached, "no lookup was sent")
	if err := run.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	run.stderr.await(t, "waiting for the lookups in flight")
	close(release)
	end(run, exitInterrupted)
	n.service.watch.Store(nil)
	if kept := n.spooled(); len(kept) != 1 || !strings.HasSuffix(kept[0], ".parquet") {
		t.Errorf("the rows of an occurrence that goes on are in %q", kept)
	}

	server.Exec("DELETE FROM people")
	end(start("jobs", "run", "people"), exitDone)
	rows := readRows(t, filepath.Join(n.dir, "people.csv"))
	if len(rows) != 6 || rows[5]["first_name"] != "Given6" {
		t.Errorf("the output has the rows %q", rows)
	}
	if kept := n.spooled(); len(kept) > 0 {
		t.Errorf("when the occurrence has ended, its rows are in %q", kept)
	}

	end(start("jobs", "run", "wrong"), exitUsage)
	for _, want := range []string{
		"people: the query has 6 rows, with the hash ", `list-query failed: line 2, column 3: column "emial" does not exist (42703)`,
	} {
		if strings.Count(told.String(), want) != 1 {
			t.Errorf("%q is not told once in\n%s", want, &told)
		}
	}
	if strings.Contains(told.String(), iotest.PostgresPassword) {
		t.Errorf("the password is told:\n%s", &told)
	}
	n.find(iotest.PostgresPassword)
}

// spooled returns the lists that are kept for occurrences.
func (n *night) spooled() (names []string) {
	n.t.Helper()
	n.walk(func(path string) {
		if filepath.Base(filepath.Dir(filepath.Dir(path))) == "lists" {
			names = append(names, filepath.Base(path))
		}
	})
	return names
}

// find fails for files that have a text.
func (n *night) find(text string) {
	n.t.Helper()
	n.walk(func(path string) {
		if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), text) {
			n.t.Errorf("%s has it, or cannot be read: %v", path, err)
		}
	})
}

func (n *night) walk(visit func(path string)) {
	n.t.Helper()
	err := filepath.WalkDir(n.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			visit(path)
		}
		return err
	})
	if err != nil {
		n.t.Fatal(err)
	}
}
