package pgstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"payonce/checkpoint/record"
)

// ErrConnection is wrapped by errors about a database that cannot be used as a journal.
var ErrConnection = errors.New("the journal's database cannot be used")

// ErrRights is wrapped by errors about a role that may not do what a command does.
var ErrRights = errors.New("the journal's database cannot be used for this: its role has too few rights")

// link is the single connection of a process. It reconnects after a break. No statement depends on a session, so a
// pooler may give every transaction another connection to the server.
type link struct {
	config *pgx.ConnConfig

	mu   sync.Mutex // held during a statement, or a batch of them
	conn *pgx.Conn  // nil while there is none
	once bool       // it does not reconnect, because its transaction would be lost
}

// configOf parses a URL. Its errors do not show the URL.
func configOf(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil || !strings.HasPrefix(url, "postgres://") && !strings.HasPrefix(url, "postgresql://") {
		return nil, fmt.Errorf("%w: its address is not a URL such as postgres://user@host/database", ErrConnection)
	}
	// Statements are neither prepared by name nor described first: both need a session.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 0
	config.ConnectTimeout = connectTime
	return config, nil
}

const (
	// connectTime limits the time to connect.
	connectTime = 15 * time.Second
	// replyTime limits the time of one use of the connection.
	replyTime = 30 * time.Second
)

// do calls use with the connection. It connects when there is no connection, and closes the connection after an error.
func (l *link) do(use func(ctx context.Context, conn *pgx.Conn) error) error {
	return l.within(replyTime, use)
}

// within is do with a different time limit.
func (l *link) within(limit time.Duration, use func(ctx context.Context, conn *pgx.Conn) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.locked(limit, use)
}

// locked is within for a caller that holds the lock.
func (l *link) locked(limit time.Duration, use func(ctx context.Context, conn *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
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

// close closes the connection.
func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop()
}

// explain returns an error that does not show the password.
func (l *link) explain(err error) error {
	if err == nil {
		return nil
	}
	for _, own := range []error{ErrConnection, ErrRights, ErrOlder, ErrFailedOver, ErrReplaced, ErrNotEmpty, ErrShared, ErrUsed, errDiffers, context.Canceled, record.ErrFailed, record.ErrNewer, record.ErrCorrupt, record.ErrEncryptionKey} {
		if errors.Is(err, own) {
			return err
		}
	}
	var server *pgconn.PgError
	if errors.As(err, &server) && server.Code == "42501" {
		return fmt.Errorf("%w: %s", ErrRights, server.Message)
	}
	if password := l.config.Password; password != "" && strings.Contains(err.Error(), password) {
		return &databaseError{text: "the server's error is not shown, because it contains the password", passing: isPassing(err)}
	}
	if server != nil && server.Code == "25006" {
		return &databaseError{text: "its server is a standby or read-only: " + textOf(err), passing: true}
	}
	return &databaseError{text: textOf(err), passing: isPassing(err)}
}

// textOf returns the text of an error in one line. A connection error has a line for each address and for each attempt
// with and without encryption, and most of these lines are the same.
func textOf(err error) string {
	prefix, cause := "", err
	if connecting, is := errors.AsType[*pgconn.ConnectError](err); is {
		prefix = fmt.Sprintf("cannot connect to the database %q as the user %q: %s", connecting.Config.Database, connecting.Config.User, reasonOf(err))
		cause = connecting.Unwrap()
	}
	var lines []string
	for line := range strings.Lines(cause.Error()) {
		if line = strings.TrimSpace(line); !slices.ContainsFunc(lines, func(said string) bool { return strings.Contains(said, line) }) {
			lines = append(lines, line)
		}
	}
	return prefix + strings.Join(lines, "; ")
}

// reasonOf returns why a connection failed, in plain words and followed by ": "; "" when that is not known.
func reasonOf(err error) string {
	if server, is := errors.AsType[*pgconn.PgError](err); is {
		switch server.Code {
		case "28P01", "28000":
			return "the server refuses the user or the password: "
		case "3D000":
			return "the server has no such database: "
		}
		return ""
	}
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		return "its host is not known: "
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
		return "no server listens there: "
	case pgconn.Timeout(err):
		return "no server answers there: "
	}
	return ""
}

// databaseError is an error of the connection or of the server.
type databaseError struct {
	text    string
	passing bool // temporary, as during a restart of the server
}

func (e *databaseError) Error() string { return "the journal's database: " + e.text }

func (e *databaseError) Unwrap() error { return ErrUnreachable }

// ErrUnreachable is wrapped by errors of the connection and of the server.
var ErrUnreachable = errors.New("the journal's database does not answer")

// isPassing reports whether an error may be temporary. Errors without a code come from the network.
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

// again calls try until it succeeds, its error is not temporary, or patience has ended. Each pause is twice as long as
// the previous one, up to a second.
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
