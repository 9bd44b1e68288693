package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// PostgreSQL keeps a replaced value in the file of the table: first in a dead row version, and after a VACUUM in the
// free space of a page. Only VACUUM FULL writes a new file without them. It locks the table exclusively, so nobody can
// read or write records. So it runs at the end of an erasure, when no calls are in flight, and its time is limited.

// erasureTime limits VACUUM FULL, including its wait for transactions that read records. Other processes wait as long.
const erasureTime = 25 * time.Second

// ErrKeptInFiles says that the file of the table still has values that were erased.
var ErrKeptInFiles = errors.New("the records were changed, but the free space in the files of the database may still have the earlier values; " +
	"let the owner of the tables run VACUUM FULL payonce_record when no run is active")

// Erase implements the method of stores whose files keep values that were replaced.
func (s *Store) Erase() error {
	s.turns.Lock()
	defer s.turns.Unlock()
	s.erasing = true
	return nil
}

// finishErasure removes replaced values from the file of the table after Erase was called.
func (s *Store) finishErasure() error {
	s.turns.Lock()
	erasing := s.erasing
	s.turns.Unlock()
	if !erasing {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), erasureTime)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, s.config.Copy()) // the store's connection renews the lease meanwhile
	if err == nil {
		err = errors.Join(rewriteTable(ctx, conn), conn.Close(ctx))
	}
	if err != nil {
		return fmt.Errorf("%w (%w)", ErrKeptInFiles, s.explain(err))
	}
	return nil
}

// rewriteTable runs VACUUM FULL. For a user without the right to do that, the server only sends a warning and skips the
// table. So rewriteTable checks that the table has another file.
func rewriteTable(ctx context.Context, conn *pgx.Conn) error {
	before, err := fileOf(ctx, conn)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "VACUUM (FULL) payonce_record"); err != nil {
		return err
	}
	after, err := fileOf(ctx, conn)
	if err == nil && after == before {
		err = errors.New("its user does not own the table")
	}
	return err
}

// fileOf returns the number of the file of the table.
func fileOf(ctx context.Context, conn *pgx.Conn) (number uint32, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_relation_filenode('payonce_record')").Scan(&number)
	return number, err
}
