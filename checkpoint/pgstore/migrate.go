package pgstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"payonce/checkpoint/record"
)

// Each file of migrations is named after the version that the tables have after it. The files of a released program
// must not change.
//
//go:embed migrations/*.sql
var migrations embed.FS

// schemaVersion is the version of the tables for this program: the number of the last file.
const schemaVersion = 6

// encryptionVersion is the first version with encrypted values.
const encryptionVersion = 6

// migrationLock is the advisory lock of migrations. It ends with its transaction, so it works behind a pooler.
const migrationLock = 7305806211

// migrationTime limits the time of a migration.
const migrationTime = 10 * time.Minute

// ErrOlder says that there are no tables, or only those of an older program, and that this role may not change them.
var ErrOlder = errors.New("the tables of the journal's database are missing or of an older program, and this role may not change them")

// Migrate creates the tables of shared journals in a database, or brings those of an older program up to date. It
// returns the version that they had, which is 0 when there were none, and the version that they have.
func Migrate(address string) (before, after int, err error) {
	config, err := configOf(address)
	if err != nil {
		return 0, 0, err
	}
	l := &link{config: config}
	defer l.close()
	before, err = l.migrate(schemaVersion)
	return before, schemaVersion, err
}

// migrate brings older tables to a version, in one transaction. It returns the version that they had. Every turn locks
// the tables, so a migration runs between two turns. The error wraps ErrShared while processes work on the journal.
func (l *link) migrate(to int) (before int, err error) {
	err = l.within(migrationTime, func(ctx context.Context, conn *pgx.Conn) error {
		if before, err = versionOf(ctx, conn); err != nil || before == to {
			return err
		}
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			// Two processes may migrate at the same time. The second one finds nothing more to do.
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
				return err
			}
			if before, err = versionOf(ctx, tx); err != nil {
				return err
			}
			for version := before + 1; version <= to; version++ {
				if err := runMigration(ctx, tx, version); err != nil {
					return err
				}
			}
			if before == 0 || before == to {
				return nil
			}
			return mustBeIdle(ctx, tx)
		})
	})
	return before, err
}

// mustBeIdle refuses to migrate while a process may have calls in flight: an older program refuses the new tables, so
// it could not record their answers. The migration has locked the tables, so no process begins meanwhile. The error
// wraps ErrShared.
func mustBeIdle(ctx context.Context, tx pgx.Tx) error {
	var processes int
	var first *string
	err := tx.QueryRow(ctx, `SELECT count(*), min(holder) FROM payonce_process
		WHERE ended IS NULL AND seen + lease > clock_timestamp()`).Scan(&processes, &first)
	if err == nil && processes > 0 {
		err = fmt.Errorf("%w: %d, such as %s; its tables are of an older program and change when none works on them", ErrShared, processes, *first)
	}
	return err
}

// runMigration brings tables from the version before to a version.
func runMigration(ctx context.Context, tx pgx.Tx, version int) error {
	statements, err := migrations.ReadFile(fmt.Sprintf("migrations/%03d.sql", version))
	if err != nil {
		return err
	}
	if _, err = tx.Exec(ctx, string(statements), pgx.QueryExecModeSimpleProtocol); err == nil && version > 1 {
		_, err = tx.Exec(ctx, "UPDATE payonce_schema SET version = $1", version)
	}
	var server *pgconn.PgError
	if errors.As(err, &server) && server.Code == "42501" {
		err = fmt.Errorf("%w: version %d is needed: %s", ErrOlder, schemaVersion, server.Message)
	}
	return err
}

// querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, statement string, arguments ...any) pgx.Row
}

// versionOf returns the version of the tables, 0 when there are none. It refuses those of a newer program.
func versionOf(ctx context.Context, from querier) (version int, err error) {
	var versioned, found bool
	// Unlike to_regclass, a query sees tables that were created while this transaction waited for its lock.
	err = from.QueryRow(ctx, `SELECT coalesce(bool_or(relname = 'payonce_schema'), false), coalesce(bool_or(relname = 'payonce_paid'), false)
		FROM pg_class WHERE relname IN ('payonce_schema', 'payonce_paid') AND pg_table_is_visible(oid)`).Scan(&versioned, &found)
	if err != nil || !found {
		return 0, err
	}
	if !versioned {
		return 1, nil
	}
	if err := from.QueryRow(ctx, "SELECT version FROM payonce_schema").Scan(&version); err != nil {
		return 0, err
	}
	return version, refuseNewer(version)
}

// refuseNewer refuses tables of a newer program.
func refuseNewer(version int) error {
	if version > schemaVersion {
		return fmt.Errorf("%w: its tables have the version %d, and this program knows versions up to %d", record.ErrNewer, version, schemaVersion)
	}
	return nil
}
