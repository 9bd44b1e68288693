// This file runs a query of PostgreSQL and keeps its rows in a Parquet file, as a list.

package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"payonce/enrich"
	"payonce/io/atomicfile"
	"payonce/io/listfile"
	"payonce/io/table"
)

// ListQuery is a query whose rows are a list.
type ListQuery struct {
	// Connection is a URL or a text of keywords and values. What it leaves out comes from variables such as PGHOST and
	// PGPASSWORD. It may hold a password, which no error shows.
	Connection string
	SQL        string        // one statement, which may only read
	Timeout    time.Duration // of the statement
}

// Spooled is a file with the rows of a query. Files of the same rows in the same order have the same hash.
type Spooled struct {
	Path string // ends in the hash
	Hash string
	Rows int64
}

const spoolEnding = ".parquet"

// checkConnection returns an error for a connection that cannot be read. The error does not show it.
func checkConnection(connection string) error {
	_, err := configOf(connection)
	return err
}

func configOf(connection string) (*pgconn.Config, error) {
	config, err := pgconn.ParseConfig(connection)
	if err != nil { // its text may have parts of the connection
		return nil, errors.New("the connection cannot be read: write a URL such as postgres://user@host/database")
	}
	return config, nil
}

// keptSpool returns the file that Spool wrote with a prefix. It removes one whose bytes do not have the hash of its
// name.
func keptSpool(prefix string) (path string, found bool, err error) {
	entries, err := os.ReadDir(filepath.Dir(prefix))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), filepath.Base(prefix)+"-")
		hash, isList := strings.CutSuffix(rest, spoolEnding)
		if !ours || !isList {
			continue
		}
		path := filepath.Join(filepath.Dir(prefix), entry.Name())
		sum, err := atomicfile.SumOf(path)
		if err != nil {
			return "", false, err
		}
		if sum == hash {
			return path, true, nil
		}
		if err := os.Remove(path); err != nil {
			return "", false, err
		}
	}
	return "", false, nil
}

// connectTime limits the time to connect. The program also waits that much longer than the server, which ends the
// statement itself.
const connectTime = 30 * time.Second

// Spool runs the query in a transaction that may only read. It writes the rows to a file whose name is the prefix and
// the hash, while it reads them. Only the owner can read the file.
func (q ListQuery) Spool(ctx context.Context, prefix string) (Spooled, error) {
	config, err := configOf(q.Connection)
	if err != nil {
		return Spooled{}, err
	}
	config.ConnectTimeout = connectTime
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: connectTime}
	}
	limited, cancel := context.WithTimeout(ctx, q.Timeout+2*connectTime) // the server ends the statement before
	defer cancel()
	spooled, err := q.spool(limited, config, prefix)
	if err != nil && ctx.Err() != nil {
		return Spooled{}, ctx.Err()
	}
	return spooled, q.explain(err, config.Password)
}

func (q ListQuery) spool(ctx context.Context, config *pgconn.Config, prefix string) (spooled Spooled, err error) {
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return spooled, err
	}
	defer func() { // the transaction ends with the connection, and it changed nothing
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTime)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, q.beginning()).ReadAll(); err != nil {
		return spooled, &beginError{err}
	}
	rows := conn.ExecParams(ctx, q.SQL, nil, nil, nil, nil)
	spooled, err = writeSpool(rows, prefix)
	_, closeErr := rows.Close()
	if closeErr != nil { // it is the reason of the other one
		err = closeErr
	}
	if err != nil && spooled.Path != "" {
		err = errors.Join(err, os.Remove(spooled.Path))
	}
	return spooled, err
}

// beginning returns statements that begin the transaction. Values have the same text on every server.
func (q ListQuery) beginning() string {
	return fmt.Sprintf("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = %d; "+
		"SET LOCAL client_encoding = 'UTF8'; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; "+
		"SET LOCAL IntervalStyle = 'iso_8601'; SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1",
		max(q.Timeout.Milliseconds(), 1))
}

// The numbers of the types that have a type of Parquet. All others become text, as PostgreSQL writes it.
const (
	boolType = 16
	int8Type = 20
	int2Type = 21
	int4Type = 23
)

// columnsOf returns the columns of a result.
func columnsOf(fields []pgconn.FieldDescription) ([]table.Column, error) {
	if len(fields) == 0 {
		return nil, errors.New("the statement returns no columns: write a query")
	}
	var columns []table.Column
	seen := map[string]bool{}
	for _, field := range fields {
		if seen[field.Name] {
			return nil, fmt.Errorf("the query returns two columns called %q: give one another name with AS", field.Name)
		}
		seen[field.Name] = true
		kind := enrich.TextCell
		switch field.DataTypeOID {
		case boolType:
			kind = enrich.FlagCell
		case int2Type, int4Type, int8Type:
			kind = enrich.IntegerCell
		}
		columns = append(columns, table.Column{Name: field.Name, Kind: kind})
	}
	return columns, nil
}

// A part of the file is written when it has partRows rows or partBytes bytes.
const (
	partRows  = 4096
	partBytes = 4 << 20
)

// writeSpool writes the rows of a result to a file.
func writeSpool(rows *pgconn.ResultReader, prefix string) (spooled Spooled, err error) {
	more := rows.NextRow() // which the columns come before
	columns, err := columnsOf(rows.FieldDescriptions())
	if err != nil {
		return spooled, err
	}
	out, err := listfile.CreateNew(table.Schema{}, listfile.Request{Path: prefix + spoolEnding, Appended: columns})
	if err != nil {
		return spooled, err
	}
	defer out.Discard()
	p := pending{out: out.Writer, columns: columns}
	for ; more; more = rows.NextRow() {
		if err := p.add(rows.Values()); err != nil {
			return spooled, err
		}
	}
	if err := errors.Join(p.flush(), out.Finish()); err != nil {
		return spooled, err
	}
	hash := out.File().Sum()
	if err := out.Commit(); err != nil {
		return spooled, err
	}
	spooled = Spooled{Path: prefix + "-" + hash + spoolEnding, Hash: hash, Rows: p.rows}
	return spooled, os.Rename(prefix+spoolEnding, spooled.Path)
}

// pending are rows of which the last ones are not written yet.
type pending struct {
	out     table.Writer
	columns []table.Column
	rows    int64
	part    table.Part // nil for none
	length  int        // rows of the part
	bytes   int        // of the part
}

func (p *pending) add(values [][]byte) error {
	if p.part == nil {
		p.part = p.out.Part(nil)
	}
	cells := make([]enrich.Cell, len(values))
	for i, value := range values {
		var err error
		if cells[i], err = cellOf(p.columns[i].Kind, value); err != nil {
			return fmt.Errorf("row %d of the query: column %s: %w", p.rows+1, p.columns[i].Name, err)
		}
		p.bytes += len(value)
	}
	p.rows++
	p.length++
	if err := p.part.WriteRow(line(p.rows), nil, cells); err != nil {
		return err
	}
	if p.length == partRows || p.bytes >= partBytes {
		return p.flush()
	}
	return nil
}

// cellOf returns a value as PostgreSQL writes it, which is nil for a null.
func cellOf(kind enrich.CellKind, value []byte) (cell enrich.Cell, err error) {
	cell = enrich.Cell{Kind: kind, Known: value != nil}
	switch {
	case !cell.Known:
	case kind == enrich.FlagCell:
		cell.Flag = string(value) == "t"
	case kind == enrich.IntegerCell:
		cell.Integer, err = strconv.ParseInt(string(value), 10, 64)
	default:
		cell.Text = string(value)
	}
	return cell, err
}

func (p *pending) flush() error {
	if p.part == nil {
		return nil
	}
	part := p.part
	p.part, p.length, p.bytes = nil, 0, 0
	return p.out.Write(part)
}

// line is a row by its number.
type line int64

func (l line) Number() int64 { return int64(l) }
func (l line) Line() int64   { return int64(l) }
func (line) Cell(int) []byte { return nil }
