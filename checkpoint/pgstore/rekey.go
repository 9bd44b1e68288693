package pgstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"payonce/checkpoint/record"
)

// ErrShared refuses a change of the key or of the tables while other processes work on the journal.
var ErrShared = errors.New("other processes work on the journal")

// Rekey encrypts all values with another key, in one transaction. Stop is called before every record; its error ends
// the transaction without a change. Close then removes the earlier values from the files of the database. No other
// process may work on the journal; otherwise the error wraps ErrShared. Afterwards the store can only be closed.
func (s *Store) Rekey(key []byte, stop func() error) error {
	encryption, err := newEncryption(key)
	if err != nil {
		return err
	}
	values, err := codecOf(key, encryption)
	if err != nil {
		return err
	}
	turn, err := s.Begin()
	if err != nil {
		return err
	}
	s.turns.Lock()
	defer s.turns.Unlock()
	if others := len(turn.Live) - 1; others > 0 {
		s.abandon()
		return fmt.Errorf("%w: %d. \"batch status\" lists them", ErrShared, others)
	}
	err = s.within(copyTime, func(ctx context.Context, conn *pgx.Conn) error {
		if conn != s.turn {
			return fmt.Errorf("%w: the connection broke; nothing was changed", ErrConnection)
		}
		if err := s.rewriteValues(ctx, conn, values, stop); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		batch.Queue("UPDATE payonce_workspace SET encryption = $2 WHERE workspace = $1", s.workspace, encryption)
		batch.Queue("COMMIT").Exec(func(done pgconn.CommandTag) error {
			if done.String() != "COMMIT" {
				return fmt.Errorf("%w: the transaction was rolled back", record.ErrFailed)
			}
			return nil
		})
		return conn.SendBatch(ctx, batch).Close()
	})
	s.abandon()
	if err != nil && !s.hasEncryption(encryption) {
		return err
	}
	s.encryption, s.values, s.erasing = encryption, values, true
	return nil
}

// rewriteValues encodes all values with another codec. The connection is in the turn.
func (s *Store) rewriteValues(ctx context.Context, conn *pgx.Conn, values codec, stop func() error) error {
	var keys, encoded [][]byte
	size := 0
	flush := func() error {
		_, err := conn.Exec(ctx, `UPDATE payonce_record AS r SET value = w.value FROM unnest($2::bytea[], $3::bytea[]) AS w (key, value)
			WHERE r.workspace = $1 AND r.key = w.key`, s.workspace, keys, encoded)
		keys, encoded, size = nil, nil, 0
		return err
	}
	from := reader{link: &link{config: s.config, conn: conn, once: true}, workspace: s.workspace, values: s.values}
	err := record.WithStop(&Snapshot{reader: from}, stop).Scan(nil, nil, func(key, value []byte) (bool, error) {
		keys, encoded = append(keys, bytes.Clone(key)), append(encoded, bytes.Clone(values.encode(key, value)))
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

// hasEncryption reports whether the row of the workspace says this about the key. It waits until an earlier transaction
// on the row has ended. So it shows whether a commit whose reply was lost succeeded.
func (s *Store) hasEncryption(encryption []byte) bool {
	var found []byte
	err := s.read(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT encryption FROM payonce_workspace WHERE workspace = $1 FOR UPDATE", s.workspace).Scan(&found)
	})
	return err == nil && bytes.Equal(found, encryption)
}
