package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"payonce/checkpoint/record"
)

// ErrConnection is wrapped by errors about a database that cannot be used as a journal.
var ErrConnection = errors.New("the journal's database cannot be used")

// link is the one connection of a process. It is made again when it breaks. Nothing in it belongs to a session, so a
// pooler may give every transaction another connection to the server.
type link struct {
	config *pgx.ConnConfig

	mu   sync.Mutex // held during a statement, or a batch of them
	conn *pgx.Conn  // nil while there is none
	once bool       // the connection is not made again, because it has a transaction
}

// configOf reads a URL. Its errors do not show it.
func configOf(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil || !strings.HasPrefix(url, "postgres://") && !strings.HasPrefix(url, "postgresql://") {
		return nil, fmt.Errorf("%w: its address cannot be read; write a URL such as postgres://user@host/database", ErrConnection)
	}
	// Statements are neither prepared by name nor described before: both would need a session.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 0
	config.ConnectTimeout = connectTime
	return config, nil
}

const (
	// connectTime limits the time to connect.
	connectTime = 15 * time.Second
	// replyTime limits the time of one round trip, besides the time that it may wait for a lock.
	replyTime = 30 * time.Second
)

// do calls use with the connection, which it makes when there is none. After an error that leaves the state of the
// connection unknown it closes the connection.
func (l *link) do(use func(ctx context.Context, conn *pgx.Conn) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.locked(use)
}

// locked is do for a caller that holds the lock.
func (l *link) locked(use func(ctx context.Context, conn *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), replyTime)
	defer cancel()
	if l.conn == nil && l.once {
		return fmt.Errorf("%w: its connection broke; run the same command again", ErrConnection)
	}
	if l.conn == nil {
		conn, err := pgx.ConnectConfig(ctx, l.config)
		if err != nil {
			return l.explain(err)
		}
		l.conn = conn
	}
	err := use(ctx, l.conn)
	if err != nil {
		l.drop()
	}
	return l.explain(err)
}

// drop closes the connection. The server then ends its transaction.
func (l *link) drop() {
	if l.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.conn.Close(ctx)
	l.conn = nil
}

// explain returns an error that does not show the password.
func (l *link) explain(err error) error {
	if err == nil || errors.Is(err, ErrConnection) || errors.Is(err, record.ErrFailed) {
		return err
	}
	if password := l.config.Password; password != "" && strings.Contains(err.Error(), password) {
		return &databaseError{text: "the server's answer is not shown, because it has the password", passing: isPassing(err)}
	}
	return &databaseError{text: err.Error(), passing: isPassing(err)}
}

// databaseError is an error of the connection or of the server.
type databaseError struct {
	text    string
	passing bool // it may be gone in a moment, as after a restart of the server
}

func (e *databaseError) Error() string { return "the journal's database: " + e.text }

func (e *databaseError) Unwrap() error { return ErrUnreachable }

// ErrUnreachable is wrapped by errors of the connection and of the server.
var ErrUnreachable = errors.New("the journal's database does not answer")

// isPassing reports whether an error may be gone in a moment. Errors without a code are those of the network.
func isPassing(err error) bool {
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return true
	}
	switch server.Code {
	case "55P03", "25P03", "57P01", "57P02", "57P03", "57P05", "53300", "53400", "40001", "40P01", "25006":
		// lock timeout, idle timeout, shutdown, crash, starting, too many connections, deadlock, a standby
		return true
	}
	return strings.HasPrefix(server.Code, "08")
}

// again calls try until it succeeds, its error does not pass, or patience has ended. Each pause is twice as long as the
// one before.
func again(patience, pause time.Duration, try func() error) error {
	began := uptime()
	for {
		err := try()
		var database *databaseError
		if err == nil || !errors.As(err, &database) || !database.passing || uptime()-began+pause > patience {
			return err
		}
		<-time.After(pause)
		pause = min(2*pause, time.Second)
	}
}
