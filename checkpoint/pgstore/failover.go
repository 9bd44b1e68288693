// This file detects a server that may lack commits which it, or another server before it, has confirmed: a promoted
// standby, a restored backup, a restored snapshot.
//
// The row of the workspace has the system identifier and the timeline of the server on which calls may be made. A
// promoted standby and a recovered backup have another timeline, and a new server has another identifier. A restored
// snapshot of the server's files has the same ones. So every process also remembers the last commit that it knows, and
// writes it to a file of the machine, which is durable before a request is sent. A commit is identified by its version
// and by the process that made it.

package pgstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"payonce/checkpoint/record"
)

// ErrFailedOver is wrapped by errors about a server that may lack commits.
var ErrFailedOver = errors.New("the journal's database may lack what was recorded in it")

// ErrReplaced is wrapped by errors about a database without the journal that this machine knows.
var ErrReplaced = errors.New("the database no longer has the journal of this workspace")

// known identifies a confirmed commit. A server that lacks no commits has it.
type known struct {
	journal   string
	failovers int64 // that were accepted before it
	version   int64
	epoch     int64 // of the process that made it; 0 when it is not known
	nonce     []byte
}

// isAfter reports whether a commit of the same journal is later than another one.
func (k known) isAfter(other known) bool {
	return k.failovers > other.failovers || k.failovers == other.failovers && k.version > other.version
}

// head is what a server says about a workspace.
type head struct {
	tables  int    // their version
	last    known  // its last commit
	allowed string // the server on which calls may be made
	server  string // the server that it is
	// encryption is the salt and the check value of the key of the values; empty for none.
	encryption []byte
	has        bool // whether it has the commit that was asked for
}

// thisServer is an expression for the system identifier and the timeline of a server. It fails on a standby.
const thisServer = `(SELECT system_identifier FROM pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`

// headQuery returns what a server says about the workspace $1, and whether it has the commit $2 of the process $3 with
// the nonce $4.
const headQuery = `SELECT (SELECT version FROM payonce_schema) AS tables, w.journal::text, w.failovers, w.version, w.last_epoch, w.last_nonce, w.server, w.encryption,
	` + thisServer + ` AS current, w.version >= $2 AND ($3 = 0 OR EXISTS (SELECT FROM payonce_process AS p
		WHERE p.workspace = w.workspace AND p.epoch = $3 AND p.nonce = $4 AND p.committed >= $2)) AS has
	FROM payonce_workspace AS w WHERE w.workspace = $1`

// arguments returns the arguments of headQuery.
func (k known) arguments(workspace string) []any {
	return []any{workspace, k.version, k.epoch, k.nonce}
}

// targets returns where the columns of headQuery go.
func (h *head) targets() []any {
	return []any{&h.tables, &h.last.journal, &h.last.failovers, &h.last.version, &h.last.epoch, &h.last.nonce, &h.allowed, &h.encryption, &h.server, &h.has}
}

// lacks returns why the server lacks a commit; "" when it has it.
func (h head) lacks(k known) string {
	switch {
	case h.last.failovers < k.failovers:
		return "it is older than a failover that a user has accepted"
	case !h.has:
		return fmt.Sprintf("it lacks commit %d, which it had confirmed", k.version)
	}
	return ""
}

// moved returns why calls may not be made on the server; "" when they may.
func (h head) moved() string {
	if h.server == h.allowed {
		return ""
	}
	return fmt.Sprintf("it is %s, and was %s", serverText(h.server), serverText(h.allowed))
}

// serverText returns a system identifier and a timeline as people read them.
func serverText(server string) string {
	system, timeline, _ := strings.Cut(server, " ")
	number, err := strconv.ParseUint(timeline, 16, 32)
	if err != nil {
		return "an unknown server"
	}
	return fmt.Sprintf("system %s on timeline %d", system, number)
}

func failedOver(why string) error { return fmt.Errorf("%w: %s", ErrFailedOver, why) }

// examine compares a server with what this machine knows, when the journal is opened. It returns why calls may not be
// made; nil when they may.
func (s *Store) examine(ctx context.Context, tx pgx.Tx) (refused error, err error) {
	var now head
	if err := tx.QueryRow(ctx, headQuery, s.seen.arguments(s.workspace)...).Scan(now.targets()...); err != nil {
		return nil, err
	}
	s.seen, s.openedOn, s.accepted, s.openedWith = now.last, now.server, now.last.failovers, now.last.failovers
	if why := now.moved(); why != "" {
		refused = failedOver(why)
	}
	for i, path := range s.options.CommitFiles {
		k, found, err := readCommitFile(path)
		switch {
		case err != nil:
			return nil, err
		case !found:
		case k.journal != now.last.journal && i == 0:
			refused = fmt.Errorf("%w, but another one; this machine keeps its last commit in %s", ErrReplaced, path)
		case k.journal != now.last.journal || k.failovers < now.last.failovers: // a user has accepted that it is lost
		default:
			if err := tx.QueryRow(ctx, headQuery, k.arguments(s.workspace)...).Scan(now.targets()...); err != nil {
				return nil, err
			}
			s.accepted = max(s.accepted, k.failovers)
			if why := now.lacks(k); why != "" && refused == nil {
				refused = failedOver(why)
			}
		}
	}
	return refused, nil
}

// compare compares a server with what this process has seen, in a turn or between turns. An error says that the server
// lacks commits. Then the process cannot decide and has to end. When only calls may not be made, MaySend refuses them.
func (s *Store) compare(now head) error {
	if err := refuseNewer(now.tables); err != nil {
		return err
	}
	if !bytes.Equal(now.encryption, s.encryption) {
		return fmt.Errorf("%w: %w: the key of the journal was changed while this process had it open", record.ErrFailed, record.ErrEncryptionKey)
	}
	why := now.lacks(s.seen)
	if now.last.journal != s.seen.journal {
		why = "it has another journal"
	}
	if why != "" {
		s.refuse(failedOver(why))
		return fmt.Errorf("%w: %w", record.ErrFailed, s.refusal())
	}
	refused := s.atOpening
	if why := now.moved(); why != "" && refused == nil {
		refused = failedOver(why)
	}
	s.refuse(refused)
	return nil
}

// refuse sets why no calls may be made; nil allows them.
func (s *Store) refuse(why error) { s.refused.Store(&why) }

// refusal returns why calls may not be made on the server; nil when they may.
func (s *Store) refusal() error {
	if refused := s.refused.Load(); refused != nil {
		return *refused
	}
	return nil
}

// FailedOver returns why no calls may be made until AcceptFailover, or that somebody has accepted a failover since the
// journal was opened; nil otherwise.
func (s *Store) FailedOver() error {
	s.turns.Lock()
	defer s.turns.Unlock()
	if refused := s.refusal(); refused != nil || s.seen.failovers == s.openedWith {
		return refused
	}
	return failedOver("a failover was accepted while the journal was open")
}

// AcceptFailover allows calls on the server as it was when the journal was opened. It serves a user who has compared
// the accounts with the journal.
func (s *Store) AcceptFailover() error {
	s.turns.Lock()
	defer s.turns.Unlock()
	if s.open {
		return errors.New("a failover cannot be accepted in a turn")
	}
	err := s.do(func(ctx context.Context, conn *pgx.Conn) error {
		var now head
		batch := &pgx.Batch{}
		lock(batch, s, &now)
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if now.server != s.openedOn || now.last.failovers != s.seen.failovers {
			return failedOver("it has changed since it was compared")
		}
		end := &pgx.Batch{}
		end.Queue("UPDATE payonce_workspace SET failovers = $3, server = $2 WHERE workspace = $1", s.workspace, now.server, s.accepted+1)
		end.Queue("COMMIT")
		return conn.SendBatch(ctx, end).Close()
	})
	if err != nil {
		return err
	}
	s.seen.failovers, s.openedWith = s.accepted+1, s.accepted+1
	s.atOpening = nil
	s.refuse(nil)
	return s.keepFirst()
}

// keepFirst opens the machine's file for this journal, and writes the last commit to it.
func (s *Store) keepFirst() (err error) {
	if len(s.options.CommitFiles) == 0 {
		return nil
	}
	if s.commits, err = openCommitFile(s.options.CommitFiles[0]); err != nil {
		return err
	}
	return s.keepCommit(true)
}

// keepCommit writes the last commit that this process has seen to the machine's file.
func (s *Store) keepCommit(durable bool) error {
	if s.commits == nil {
		return nil
	}
	if err := s.commits.keep(s.seen, durable); err != nil {
		return fmt.Errorf("%w: keeping the last commit in %s: %w", record.ErrFailed, s.options.CommitFiles[0], err)
	}
	return nil
}
