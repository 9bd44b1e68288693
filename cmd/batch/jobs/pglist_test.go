package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/io/iotest"
	"payonce/io/parquettable"
	"payonce/io/table"
)

// rowsOf returns the header and the rows of a file.
func rowsOf(t *testing.T, path string) (rows [][]string) {
	t.Helper()
	reader, err := parquettable.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	columns := reader.Schema().Columns
	rows = append(rows, columns)
	for {
		block, err := reader.Next()
		if err != nil {
			break
		}
		err = block.Each(func(row table.Row) error {
			var cells []string
			for i := range columns {
				cells = append(cells, string(row.Cell(i)))
			}
			rows = append(rows, cells)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		block.Release()
	}
	return rows
}

// TestQueriesBecomeSpooledListsInBoundedMemory is not parallel, because it measures the memory of the process.
func TestQueriesBecomeSpooledListsInBoundedMemory(t *testing.T) {
	server := iotest.StartPostgres(t)
	server.Exec(`CREATE TABLE people (id int, name text, active boolean, born date, seen timestamptz, worth numeric, tags text[], n bigint, small smallint);
		INSERT INTO people VALUES
			(1, 'Ada Lovelace', true, '1815-12-10', '2026-11-22 02:30:00+01', 12.500, '{a,b}', 9223372036854775807, -3),
			(2, E'Zoë\n"quoted", 李', false, 'infinity', NULL, 'NaN', '{}', NULL, NULL), (3, '', NULL, NULL, NULL, NULL, NULL, 0, 0)`)
	query := func(sql string) ListQuery { return ListQuery{Connection: server.URL(), SQL: sql, Timeout: time.Minute} }
	prefix := func(t *testing.T) string { return filepath.Join(t.TempDir(), "2026-11-22-0230") }

	t.Run("values have the text of the list", func(t *testing.T) {
		spooled, err := query(`SELECT * FROM people ORDER BY id`).Spool(t.Context(), prefix(t))
		if err != nil {
			t.Fatal(err)
		}
		want := [][]string{
			{"id", "name", "active", "born", "seen", "worth", "tags", "n", "small"},
			{"1", "Ada Lovelace", "true", "1815-12-10", "2026-11-22 01:30:00+00", "12.500", "{a,b}", "9223372036854775807", "-3"},
			{"2", "Zoë\n\"quoted\", 李", "false", "infinity", "", "NaN", "{}", "", ""},
			{"3", "", "", "", "", "", "", "0", "0"},
		}
		if diff := cmp.Diff(want, rowsOf(t, spooled.Path)); diff != "" || spooled.Rows != 3 {
			t.Errorf("%d rows: %s", spooled.Rows, diff)
		}
		if info, err := os.Stat(spooled.Path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	})

	t.Run("the same rows have the same hash", func(t *testing.T) {
		hashes := map[string]bool{}
		for _, sql := range []string{
			`SELECT id, name FROM people ORDER BY id`, `SELECT id, name FROM people ORDER BY 1`, `SELECT id, name FROM people ORDER BY id DESC`,
		} {
			spooled, err := query(sql).Spool(t.Context(), prefix(t))
			if err != nil || !strings.HasSuffix(spooled.Path, "-"+spooled.Hash+".parquet") {
				t.Fatal(spooled, err)
			}
			hashes[spooled.Hash] = true
		}
		if len(hashes) != 2 {
			t.Errorf("two orders of rows have the hashes %v", hashes)
		}
	})

	t.Run("a file is kept until it is damaged", func(t *testing.T) {
		prefix := prefix(t)
		if path, found, err := keptSpool(prefix); found || err != nil {
			t.Errorf("%s, %v", path, err)
		}
		spooled, err := query(`SELECT 1 AS id`).Spool(t.Context(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		if path, found, err := keptSpool(prefix); !found || err != nil || path != spooled.Path {
			t.Errorf("%s, %t, %v", path, found, err)
		}
		if err := os.Truncate(spooled.Path, 20); err != nil {
			t.Fatal(err)
		}
		if path, found, err := keptSpool(prefix); found || err != nil {
			t.Errorf("a damaged file is used: %s, %v", path, err)
		}
		if _, err := os.Stat(spooled.Path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it is not removed: %v", err)
		}
	})

	t.Run("errors", func(t *testing.T) {
		for name, test := range map[string]struct{ sql, want string }{
			"a wrong name":     {"SELECT id,\n  emial FROM people", `line 2, column 3: column "emial" does not exist (42703)`},
			"letters":          {"SELECT 'é李',\n 'é', emial FROM people", `line 2, column 7: column "emial" does not exist (42703)`},
			"syntax":           {"SELEC 1", `line 1, column 1: syntax error at or near "SELEC" (42601)`},
			"a hint":           {"SELECT nam FROM people", `line 1, column 8: column "nam" does not exist (42703); Perhaps you meant to reference the column "people.name".`},
			"a value of a row": {"SELECT name::int FROM people ORDER BY id", `invalid input syntax for type integer: "…" (22P02)`},
			"a write":          {"DELETE FROM people RETURNING id", `the query may only read: cannot execute DELETE in a read-only transaction`},
			"two statements":   {"SELECT 1; DROP TABLE people", `cannot insert multiple commands into a prepared statement (42601)`},
			"no query":         {"SET TRANSACTION READ WRITE", `the statement returns no columns: write a query`},
			"nothing":          {"", `the statement returns no columns: write a query`},
			"a name twice":     {"SELECT 1 AS a, 2 AS a", `the query returns two columns called "a": give one another name with AS`},
			"a late error":     {"SELECT 1 / (5000 - n) FROM generate_series(1, 10000) n", "division by zero (22012)"},
		} {
			prefix := prefix(t)
			_, err := query(test.sql).Spool(t.Context(), prefix)
			if err == nil || err.Error() != test.want {
				t.Errorf("%s: %v", name, err)
			}
			if left, _ := os.ReadDir(filepath.Dir(prefix)); len(left) > 0 {
				t.Errorf("%s: it left %s", name, left[0].Name())
			}
		}
	})

	t.Run("a long query ends", func(t *testing.T) {
		slow := query(`SELECT pg_sleep(600)`)
		slow.Timeout = 50 * time.Millisecond
		if _, err := slow.Spool(t.Context(), prefix(t)); err == nil || err.Error() != "the query took longer than 50ms" {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := query(`SELECT pg_sleep(600)`).Spool(ctx, prefix(t)); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})

	t.Run("no error shows the password", func(t *testing.T) {
		for _, connection := range []string{
			strings.Replace(server.URL(), iotest.PostgresPassword, "wrong-password", 1),
			strings.Replace(server.URL(), "/postgres", "/missing", 1),
			strings.Replace(server.URL(), "tester", "nobody", 1),
			"postgres://tester:" + iotest.PostgresPassword + "@127.0.0.1:1/db",
			"postgres://tester:" + iotest.PostgresPassword + "@host:port/db",
			"host=" + iotest.PostgresPassword + " password=" + iotest.PostgresPassword + " port=x",
		} {
			q := query("SELECT 1")
			q.Connection = connection
			_, err := q.Spool(t.Context(), prefix(t))
			if err == nil || strings.Contains(err.Error(), iotest.PostgresPassword) || strings.Contains(err.Error(), "wrong-password") {
				t.Errorf("%v", err)
			}
		}
		q := query(fmt.Sprintf("SELECT '%s'::int", iotest.PostgresPassword))
		if _, err := q.Spool(t.Context(), prefix(t)); err == nil || strings.Contains(err.Error(), iotest.PostgresPassword) {
			t.Errorf("%v", err)
		}
	})

	t.Run("memory does not grow with the rows", func(t *testing.T) {
		if testing.Short() {
			t.Skip("it takes some seconds")
		}
		const rows, each = 60_000, 8_000 // 480 MB
		big := query(fmt.Sprintf(`SELECT n, repeat(md5(n::text), %d) AS filler FROM generate_series(1, %d) n`, each/32, rows))
		var most uint64
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			ticks := time.NewTicker(2 * time.Millisecond)
			defer ticks.Stop()
			for {
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapInuse)
				select {
				case <-stop:
					return
				case <-ticks.C:
				}
			}
		}()
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		spooled, err := big.Spool(t.Context(), prefix(t))
		close(stop)
		<-done
		if err != nil || spooled.Rows != rows {
			t.Fatal(spooled, err)
		}
		if used := int64(most) - int64(before.HeapInuse); used > rows*each/2 {
			t.Errorf("%d MB of rows took %d MB of memory", rows*each>>20, used>>20)
		}
		t.Logf("%d MB of rows took %d MB of memory", rows*each>>20, (most-before.HeapInuse)>>20)
	})
}

func TestSQLErrorsArePlacedByLineAndColumn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ character, line, column int }{{1, 1, 1}, {2, 1, 2}, {3, 1, 3}, {4, 2, 1}, {5, 2, 2}, {99, 2, 3}} {
		if line, column := place("é李\nab", test.character); line != test.line || column != test.column {
			t.Errorf("character %d is at %d:%d, want %d:%d", test.character, line, column, test.line, test.column)
		}
	}
}
