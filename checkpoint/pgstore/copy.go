package pgstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"payonce/checkpoint/record"
)

// ErrNotEmpty refuses to copy a journal to a workspace that has one.
var ErrNotEmpty = errors.New("the workspace has a journal in the database already")

// ErrUsed refuses to remove a copy that a process has opened to write.
var ErrUsed = errors.New("a command has used the copy in the database")

var errDiffers = errors.New("the copy differs from the journal")

// copyTime limits the time of a copy.
const copyTime = 24 * time.Hour

// copyVersion is the version of the records of a copy.
const copyVersion = 1

// CopyFrom copies all records of a store to a workspace that has none, in one transaction. It compares them byte by
// byte before the commit, and returns how many there are. Their values are encrypted with a key, or not when it is nil.
// When the reply to the commit is lost, Holds shows whether the transaction was committed.
func CopyFrom(address, workspace string, key []byte, from record.Store) (records int64, err error) {
	config, err := configOf(address)
	if err != nil {
		return 0, err
	}
	l := &link{config: config}
	defer l.close()
	if _, err := l.migrate(schemaVersion); err != nil {
		return 0, err
	}
	err = l.within(copyTime, func(ctx context.Context, conn *pgx.Conn) error {
		if err := mustBeSafe(ctx, conn); err != nil {
			return err
		}
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			values, err := beginCopy(ctx, tx, workspace, key)
			if err != nil {
				return err
			}
			if err := copyRecords(ctx, tx, workspace, values, from); err != nil {
				return err
			}
			if err := copyPaid(ctx, tx, workspace, from); err != nil {
				return err
			}
			records, err = compareRecords(from, &Snapshot{reader: reader{link: &link{config: config, conn: conn, once: true}, workspace: workspace, values: values}})
			return err
		})
	})
	return records, err
}

// beginCopy creates and locks a workspace, which must have no records. It returns the codec for the key of the copy.
func beginCopy(ctx context.Context, tx pgx.Tx, workspace string, key []byte) (codec, error) {
	encryption, err := newEncryption(key)
	if err != nil {
		return codec{}, err
	}
	if _, err := tx.Exec(ctx, "SELECT set_config('synchronous_commit', 'on', true)"); err != nil {
		return codec{}, err
	}
	_, err = tx.Exec(ctx, "INSERT INTO payonce_workspace (workspace, server) VALUES ($1, "+thisServer+") ON CONFLICT DO NOTHING", workspace)
	if err != nil {
		return codec{}, err
	}
	if _, err := tx.Exec(ctx, "SELECT FROM payonce_workspace WHERE workspace = $1 FOR UPDATE", workspace); err != nil {
		return codec{}, err
	}
	var used bool
	if err := tx.QueryRow(ctx, hasRecords, workspace).Scan(&used); err != nil {
		return codec{}, err
	}
	if used {
		return codec{}, fmt.Errorf("%w: %q", ErrNotEmpty, workspace)
	}
	_, err = tx.Exec(ctx, "UPDATE payonce_workspace SET version = $2, last_epoch = 0, encryption = $3 WHERE workspace = $1",
		workspace, copyVersion, encryption)
	if err != nil {
		return codec{}, err
	}
	return codecOf(key, encryption)
}

// copyRecords copies the records of a store in batches of about pageBytes.
func copyRecords(ctx context.Context, tx pgx.Tx, workspace string, values codec, from record.Store) error {
	var rows [][]any
	size := 0
	flush := func() error {
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"payonce_record"}, []string{"workspace", "key", "value", "version"}, pgx.CopyFromRows(rows))
		rows, size = nil, 0
		return err
	}
	err := from.Scan(nil, nil, func(key, value []byte) (bool, error) {
		rows = append(rows, []any{workspace, bytes.Clone(key), bytes.Clone(values.encode(key, value)), int64(copyVersion)})
		if size += len(key) + len(value); size < pageBytes {
			return true, nil
		}
		return true, flush()
	})
	if err == nil {
		err = flush()
	}
	return err
}

// paidAtOnce is how many attempts of a copy are inserted with one batch.
const paidAtOnce = 500

// copyPaid inserts the rows of payonce_paid for the attempts of a store, in the order in which the attempts began.
func copyPaid(ctx context.Context, tx pgx.Tx, workspace string, from record.Store) error {
	batch := &pgx.Batch{}
	attempts := 0
	flush := func() error {
		err := tx.SendBatch(ctx, batch).Close()
		batch, attempts = &pgx.Batch{}, 0
		return err
	}
	err := from.Scan([]byte{record.IntentPrefix}, nil, func(key, value []byte) (bool, error) {
		writes := []record.Write{{Key: bytes.Clone(key), Value: bytes.Clone(value)}}
		ended := record.IDKey(record.ResolutionPrefix, record.IDOf(key))
		resolution, err := from.Get(ended)
		if err != nil {
			return false, err
		}
		if resolution != nil {
			writes = append(writes, record.Write{Key: ended, Value: resolution})
		}
		if err := queuePaid(batch, workspace, writes, true); err != nil {
			return false, err
		}
		if attempts++; attempts < paidAtOnce {
			return true, nil
		}
		return true, flush()
	})
	if err == nil {
		err = flush()
	}
	return err
}

// compareRecords compares the records of two stores byte by byte. It returns how many there are.
func compareRecords(from, to record.Store) (records int64, err error) {
	differ := func(key []byte) error {
		return fmt.Errorf("%w in the record %q; nothing was copied", errDiffers, key)
	}
	next, stop := iter.Pull2(each(from))
	defer stop()
	err = to.Scan(nil, nil, func(key, value []byte) (bool, error) {
		want, err, more := next()
		if err == nil && (!more || !bytes.Equal(want.Key, key) || !bytes.Equal(want.Value, value)) {
			err = differ(key)
		}
		records++
		return true, err
	})
	if err != nil {
		return 0, err
	}
	if want, err, more := next(); more {
		return 0, cmp.Or(err, differ(want.Key))
	}
	return records, nil
}

// each returns the records of a store in the order of their keys. A record is valid until the next one is read. An
// error ends the sequence.
func each(s record.Store) iter.Seq2[record.Write, error] {
	return func(yield func(record.Write, error) bool) {
		err := s.Scan(nil, nil, func(key, value []byte) (bool, error) {
			return yield(record.Write{Key: key, Value: value}, nil), nil
		})
		if err != nil {
			yield(record.Write{}, err)
		}
	}
}

// Holds returns the ID of the journal that a workspace has in a database; "" when it has none. Key is as in Read.
func Holds(address, workspace string, key []byte) (id string, err error) {
	s, err := Read(address, workspace, key)
	if errors.Is(err, ErrNone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	identity, err := record.Identify(s)
	return identity.ID, errors.Join(err, s.Close())
}

// RemoveCopy removes a copy that no process has opened to write. Without a copy it does nothing.
func RemoveCopy(address, workspace string) error {
	config, err := configOf(address)
	if err != nil {
		return err
	}
	l := &link{config: config}
	defer l.close()
	return l.within(copyTime, func(ctx context.Context, conn *pgx.Conn) error {
		if tables, err := versionOf(ctx, conn); err != nil || tables == 0 {
			return err
		}
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			// The directory is paid from afterwards, so the copy must not come back.
			if _, err := tx.Exec(ctx, "SELECT set_config('synchronous_commit', 'on', true)"); err != nil {
				return err
			}
			var epochs int64
			err := tx.QueryRow(ctx, "SELECT epochs FROM payonce_workspace WHERE workspace = $1 FOR UPDATE", workspace).Scan(&epochs)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			if err == nil && epochs > 0 {
				err = ErrUsed
			}
			for _, table := range []string{"payonce_record", "payonce_paid", "payonce_workspace"} {
				if err == nil {
					_, err = tx.Exec(ctx, "DELETE FROM "+table+" WHERE workspace = $1", workspace)
				}
			}
			return err
		})
	})
}
