package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"payonce/checkpoint/record"
)

// reader reads the records of a workspace.
type reader struct {
	*link
	workspace string
	patience  time.Duration // with a broken connection; zero when a read cannot go on over another one
	values    codec
}

// read calls use with the connection, and again with another one when it breaks.
func (r *reader) read(use func(ctx context.Context, conn *pgx.Conn) error) error {
	return again(r.patience, firstPause, func() error { return r.do(use) })
}

const firstPause = 50 * time.Millisecond

// Get implements record.Store.
func (r *reader) Get(key []byte) (value []byte, err error) {
	err = r.read(func(ctx context.Context, conn *pgx.Conn) error {
		err := conn.QueryRow(ctx, "SELECT value FROM payonce_record WHERE workspace = $1 AND key = $2", r.workspace, key).Scan(&value)
		if errors.Is(err, pgx.ErrNoRows) {
			err = nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.values.decode(key, value)
}

// GetAll returns the values of keys, in their order; nil for a key that is not there. It takes one round trip.
func (r *reader) GetAll(keys [][]byte) (values [][]byte, err error) {
	at := make(map[string]int, len(keys))
	for i, key := range keys {
		at[string(key)] = i
	}
	values = make([][]byte, len(keys))
	err = r.read(func(ctx context.Context, conn *pgx.Conn) error {
		clear(values)
		rows, err := conn.Query(ctx, "SELECT key, value FROM payonce_record WHERE workspace = $1 AND key = ANY($2::bytea[])", r.workspace, keys)
		if err != nil {
			return err
		}
		return r.eachRow(rows, func(key, value []byte) { values[at[string(key)]] = value })
	})
	return values, err
}

// eachRow visits the rows of a result with keys and values.
func (r *reader) eachRow(rows pgx.Rows, visit func(key, value []byte)) error {
	defer rows.Close()
	for rows.Next() {
		var key, value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return err
		}
		value, err := r.values.decode(key, value)
		if err != nil {
			return err
		}
		visit(key, value)
	}
	return rows.Err()
}

// The sizes of pages, in records. A page is about pageBytes long.
const (
	firstPage = 64
	maxPage   = 2048
	pageBytes = 1 << 20
)

// Scan implements record.Store.
func (r *reader) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	return r.Seek(prefix, from, func(key, value []byte) (bool, []byte, error) {
		more, err := visit(key, value)
		return more, nil, err
	})
}

// Seek implements the method that record.Seek looks for. It reads a page at a time, and no statement runs during a
// visit.
func (r *reader) Seek(prefix, from []byte, visit record.Visit) error {
	from = []byte(max(string(from), string(prefix)))
	size := firstPage
	for from != nil {
		page, err := r.page(prefix, from, size)
		if err != nil {
			return err
		}
		next, bytes, err := page.visit(from, visit)
		if err != nil || next == nil {
			return err
		}
		if len(page) < size {
			return nil // there was no more
		}
		if string(next) == string(page.last())+"\x00" {
			size = min(max(firstPage, pageBytes/(bytes/len(page)+1)), maxPage, 4*size)
		} else {
			size = firstPage // it skips records
		}
		from = next
	}
	return nil
}

// page is a part of the records, in the order of their keys.
type page []record.Write

func (p page) last() []byte {
	if len(p) == 0 {
		return nil
	}
	return p[len(p)-1].Key
}

// visit visits the records from a key on. It returns the key to go on from, nil for none, and the length of the page.
func (p page) visit(from []byte, visit record.Visit) (next []byte, bytes int, err error) {
	for _, r := range p {
		bytes += len(r.Key) + len(r.Value)
		if string(r.Key) < string(from) {
			continue
		}
		more, to, err := visit(r.Key, r.Value)
		if err != nil || !more {
			return nil, bytes, err
		}
		if from = to; to == nil {
			from = append([]byte(string(r.Key)), 0)
		} else {
			from = []byte(string(to)) // visit may use its memory again
		}
	}
	if len(p) == 0 {
		return nil, 0, nil
	}
	return from, bytes, nil
}

// page reads records from a key on.
func (r *reader) page(prefix, from []byte, size int) (found page, err error) {
	statement := "SELECT key, value FROM payonce_record WHERE workspace = $1 AND key >= $2 AND key < $3 ORDER BY key LIMIT $4"
	arguments := []any{r.workspace, from, above(prefix), size}
	if above(prefix) == nil {
		statement = "SELECT key, value FROM payonce_record WHERE workspace = $1 AND key >= $2 ORDER BY key LIMIT $3"
		arguments = []any{r.workspace, from, size}
	}
	err = r.read(func(ctx context.Context, conn *pgx.Conn) error {
		found = found[:0]
		rows, err := conn.Query(ctx, statement, arguments...)
		if err != nil {
			return err
		}
		return r.eachRow(rows, func(key, value []byte) { found = append(found, record.Write{Key: key, Value: value}) })
	})
	return found, err
}

// above returns the least key that is above all with a prefix; nil when there is none.
func above(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return append([]byte(string(prefix[:i])), prefix[i]+1)
		}
	}
	return nil
}
