package pgstore

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"payonce/checkpoint/record"
	"payonce/io/iotest"
)

// TestTablesOfEachVersionAreMigrated begins with the tables of each version, with a journal in them, and with none.
func TestTablesOfEachVersionAreMigrated(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(files) != schemaVersion {
		t.Fatalf("%d files of migrations for version %d, %v", len(files), schemaVersion, err)
	}
	for version := range schemaVersion + 1 {
		t.Run(fmt.Sprint("from ", version), func(t *testing.T) {
			database := server.NewDatabase(fmt.Sprint("from", version))
			o := options(database.URL())
			migrateTo(t, o.URL, version)
			if version > 0 {
				database.Exec(`
					INSERT INTO payonce_workspace (workspace, version, epochs) VALUES ('main', 5, 3);
					INSERT INTO payonce_record VALUES ('main', 'a', 'kept', 5);
					INSERT INTO payonce_process (workspace, epoch, holder, lease, call_time, started, seen)
						VALUES ('main', 3, 'an older program', '1 s', '1 s', '2020-01-01', '2020-01-01')`)
			}
			if version >= 3 {
				database.Exec("UPDATE payonce_workspace SET server = " + thisServer)
			}
			s := open(t, o)
			if version > 0 {
				if value, err := s.Get([]byte("a")); string(value) != "kept" || err != nil {
					t.Errorf("the record is %q, %v", value, err)
				}
				if s.epoch != 4 || s.Version() != 5 {
					t.Errorf("epoch %d after 3, version %d after 5", s.epoch, s.Version())
				}
			}
			if err := s.Commit([]record.Write{set("b", "new")}); err != nil {
				t.Error(err)
			}
			if before, after, err := Migrate(o.URL); before != schemaVersion || after != schemaVersion || err != nil {
				t.Errorf("then the version is %d and becomes %d, %v", before, after, err)
			}
		})
	}
}

// migrateTo makes the tables of a version in an empty database.
func migrateTo(t *testing.T, address string, version int) {
	t.Helper()
	config, err := configOf(address)
	if err != nil {
		t.Fatal(err)
	}
	l := &link{config: config}
	defer l.close()
	if before, err := l.migrate(version); before != 0 || err != nil {
		t.Fatalf("the version was %d, %v", before, err)
	}
}

// TestProcessesMayMigrateAtTheSameTime opens a new database by several processes.
func TestProcessesMayMigrateAtTheSameTime(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if _, _, err := Migrate(server.URL()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestTablesOfANewerProgramAreRefused sets a version that this program does not know, before and while it runs.
func TestTablesOfANewerProgramAreRefused(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	running := open(t, options(server.URL()))
	server.Exec(fmt.Sprintf("UPDATE payonce_schema SET version = %d", schemaVersion+1))
	_, openErr := Open(options(server.URL()))
	_, readErr := Read(server.URL(), "main", nil)
	_, _, migrateErr := Migrate(server.URL())
	for _, err := range []error{openErr, readErr, migrateErr} {
		if !errors.Is(err, record.ErrNewer) || !strings.Contains(err.Error(), fmt.Sprint("version ", schemaVersion+1)) {
			t.Errorf("error %v", err)
		}
	}
	if _, err := running.Begin(); !errors.Is(err, record.ErrNewer) {
		t.Errorf("a process that ran before decides: %v", err)
	}
}

// TestARoleThatMayNotMigrateSaysSo has a role without rights on the schema.
func TestARoleThatMayNotMigrateSaysSo(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	server.Exec("CREATE ROLE limited LOGIN PASSWORD '" + iotest.PostgresPassword + "'")
	_, err := Open(options(server.As("limited").URL()))
	if !errors.Is(err, ErrOlder) {
		t.Errorf("error %v", err)
	}
}

// TestTablesAreNotMigratedUnderAProcess has a process of an older program that may have calls in flight.
func TestTablesAreNotMigratedUnderAProcess(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	o := options(server.URL())
	const older = schemaVersion - 1
	migrateTo(t, o.URL, older)
	server.Exec(`INSERT INTO payonce_workspace (workspace, version, epochs) VALUES ('other', 0, 1);
		INSERT INTO payonce_process (workspace, epoch, holder, lease, call_time, started, seen)
			SELECT 'other', 1, 'a run', '1 hour', '1 s', now, now FROM clock_timestamp() AS now`)
	if _, err := Open(o); !errors.Is(err, ErrShared) || !strings.Contains(err.Error(), "a run") {
		t.Errorf("a process opens the journal meanwhile: %v", err)
	}
	server.Exec("UPDATE payonce_process SET ended = clock_timestamp()")
	if before, _, err := Migrate(o.URL); before != older || err != nil {
		t.Errorf("after its end the version is %d, %v", before, err)
	}
}
