package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// PostgreSQL keeps a value that was replaced in the file of the table, at first as an old version of the row, and then in
// free space of a page. Only VACUUM FULL writes a new file without them. While it runs, nobody reads or writes records.
// So it comes at the end of an erasure, when no calls are in flight, and its time is limited.

// erasureTime limits its time, with the wait for transactions that read records. Other processes wait for as long.
const erasureTime = 25 * time.Second

// ErrKeptInFiles says that the file of the table still has values that were erased.
var ErrKeptInFiles = errors.New("it is erased, but the files of the database may still have it in their free space; " +
	"let the owner of the tables run VACUUM FULL payonce_record when no run is active")

// Erase implements the method of stores whose files keep values that were replaced.
func (s *Store) Erase() error {
	s.turns.Lock()
	defer s.turns.Unlock()
	s.erasing = true
	return nil
}

// finishErasure removes values that were replaced from the file of the table.
func (s *Store) finishErasure() error {
	s.turns.Lock()
	erasing := s.erasing
	s.turns.Unlock()
	if !erasing {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), erasureTime)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, s.config.Copy()) // that of the store renews the lease meanwhile
	if err == nil {
		err = errors.Join(rewriteTable(ctx, conn), conn.Close(ctx))
	}
	if err != nil {
		return fmt.Errorf("%w (%w)", ErrKeptInFiles, s.explain(err))
	}
	return nil
}

// rewriteTable lets the server write a new file of the table. A user who may not do that gets a warning of the server and
// no error, so it compares the files.
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
