// Package pgstore keeps the records of journals in PostgreSQL, so that several machines work on one workspace.
//
// A decision is one transaction with the isolation READ COMMITTED. It first locks the row of the workspace. So its
// later statements see everything that was committed before, and no other process commits until it ends. The only clock
// is that of the database, read after the lock. No statement needs a session, so a pooler may be in between.
//
//   - Commit point: the COMMIT of the transaction, with synchronous_commit and fsync.
//   - When the reply to COMMIT is lost, the next transaction locks the same row. By then the earlier transaction has ended
//     on the server, and the token in the row of the process shows whether it was committed. If it was not, and no other
//     process has committed since, the writes are committed again. Otherwise the commit has failed.
//   - A server that may lack commits, such as a promoted standby, is detected. Then no calls can be made until a user
//     accepts the failover.
//   - A transaction that makes no progress ends: the server limits how long it may be idle. So a process that is stopped
//     in its turn does not stop the others.
package pgstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"payonce/checkpoint/record"
)

// Options say how a store is opened.
type Options struct {
	URL       string // such as postgres://user:password@host/database
	Workspace string // whose journal it is; one database may have several
	// EncryptionKey encrypts the values: 32 bytes, or nil for a journal that is not encrypted.
	EncryptionKey []byte
	// Holder describes this process to others.
	Holder string
	// Lease is the time for which the process may send calls without renewing the lease in the database.
	Lease time.Duration
	// CallTime is the longest time from sending a request to recording how its call ended.
	CallTime time.Duration
	// CommitFiles are files of this machine with the last commits that it knows. The first one is the file of this
	// journal. Others may be about the same journal at another address. There may be none.
	CommitFiles []string
	// LockDir is a directory of this machine in which the process locks a file as long as it lives. Without one, nobody can
	// know that the process is dead.
	LockDir string
	// AfterFailover opens the journal also on a server that may lack commits. No calls can be made until AcceptFailover.
	AfterFailover bool
}

// DefaultLease is a lease that outlasts a restart of the database.
const DefaultLease = 30 * time.Second

// Store is the store of a workspace for one process that writes. It implements record.Shared.
type Store struct {
	reader
	options Options
	epoch   int64
	nonce   []byte // distinguishes this process from a lost one with the same epoch
	life    life
	// encryption is the column of the workspace when the journal was opened.
	encryption []byte
	version    atomic.Uint64 // the last commit that this process has seen

	// deadline is the uptime until which requests may be sent.
	deadline atomic.Int64

	turns    sync.Mutex // guards what follows
	open     bool       // whether a turn is open
	turn     *pgx.Conn  // the connection of its transaction
	base     int64      // the version at the beginning of the turn
	seen     known      // the last commit that this process has seen
	alone    bool       // the turn is that of Alone
	gathered []record.Write
	erasing  bool        // Close rewrites the table
	commits  *commitFile // nil for none

	openedOn   string                // the server at the opening
	accepted   int64                 // how many accepted failovers the machine and the server knew then
	openedWith int64                 // how many accepted failovers the server knew then, or after AcceptFailover
	atOpening  error                 // why calls could not be made then; nil when they could, or since AcceptFailover
	refused    atomic.Pointer[error] // why no calls may be made now

	stop    context.CancelFunc // ends the renewals of the lease
	stopped chan struct{}
}

// Open opens the journal of a workspace for a process that writes, and creates the tables that are missing.
func Open(o Options) (*Store, error) {
	config, err := configOf(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Workspace == "" || o.Lease <= 0 || o.CallTime < 0 {
		return nil, errors.New("a shared journal needs a workspace, a lease and the longest time of a call")
	}
	s := &Store{reader: reader{link: &link{config: config}, workspace: o.Workspace, patience: o.Lease}, options: o, nonce: newToken(), stopped: make(chan struct{})}
	var began time.Duration
	_, err = s.migrate(schemaVersion)
	if err == nil {
		s.life, err = live(o.LockDir, s.nonce)
	}
	if err == nil {
		began = uptime()
		err = s.do(s.enter)
	}
	if err == nil {
		err = s.noteDead()
	}
	if err == nil && s.atOpening == nil {
		err = s.keepFirst()
	}
	if err != nil {
		s.close()
		return nil, errors.Join(err, s.life.end(s.epoch == 0))
	}
	s.refuse(s.atOpening)
	s.deadline.Store(int64(began + o.Lease))
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go s.renew(ctx)
	return s, nil
}

// enter registers the process under a new epoch.
func (s *Store) enter(ctx context.Context, conn *pgx.Conn) error {
	if err := mustBeSafe(ctx, conn); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO payonce_workspace (workspace, server) VALUES ($1, "+thisServer+") ON CONFLICT DO NOTHING", s.workspace)
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, "UPDATE payonce_workspace SET epochs = epochs + 1 WHERE workspace = $1 RETURNING epochs, encryption", s.workspace).
			Scan(&s.epoch, &s.encryption)
		if err == nil {
			err = s.unlockValues(ctx, tx)
		}
		if err != nil {
			return err
		}
		s.atOpening, err = s.examine(ctx, tx)
		if err != nil {
			return err
		}
		if s.atOpening != nil && !s.options.AfterFailover {
			return s.atOpening
		}
		s.version.Store(uint64(s.seen.version))
		_, err = tx.Exec(ctx, `INSERT INTO payonce_process (workspace, epoch, nonce, holder, lease, call_time, started, seen, machine, boot, lock_file)
			SELECT $1, $2, $3, $4, make_interval(secs => $5), make_interval(secs => $6), now, now, $7, $8, $9 FROM clock_timestamp() AS now`,
			s.workspace, s.epoch, s.nonce, s.options.Holder, s.options.Lease.Seconds(), s.options.CallTime.Seconds(),
			s.life.machine, s.life.boot, s.life.path)
		return err
	})
}

// unlockValues makes the codec of the journal's values. A workspace without records takes the key of this process.
func (s *Store) unlockValues(ctx context.Context, tx pgx.Tx) (err error) {
	s.values, err = codecOf(s.options.EncryptionKey, s.encryption)
	if !errors.Is(err, record.ErrEncryptionKey) {
		return err
	}
	var used bool
	if usedErr := tx.QueryRow(ctx, hasRecords, s.workspace).Scan(&used); usedErr != nil || used {
		return cmp.Or(usedErr, err)
	}
	if s.encryption, err = newEncryption(s.options.EncryptionKey); err != nil {
		return err
	}
	if _, err = tx.Exec(ctx, "UPDATE payonce_workspace SET encryption = $2 WHERE workspace = $1", s.workspace, s.encryption); err != nil {
		return err
	}
	s.values, err = codecOf(s.options.EncryptionKey, s.encryption)
	return err
}

// hasRecords asks whether the workspace $1 has records.
const hasRecords = "SELECT EXISTS (SELECT FROM payonce_record WHERE workspace = $1)"

// mustBeSafe refuses a server whose settings allow it to lose confirmed commits.
func mustBeSafe(ctx context.Context, conn *pgx.Conn) error {
	for _, setting := range []string{"fsync", "full_page_writes"} {
		var value string
		if err := conn.QueryRow(ctx, "SELECT current_setting($1::text)", setting).Scan(&value); err != nil {
			return err
		}
		if value != "on" {
			return fmt.Errorf("%w: its setting %s is %s, so a power failure could lose paid answers; set it to on", ErrConnection, setting, value)
		}
	}
	return nil
}

// Version implements record.Store.
func (s *Store) Version() uint64 { return s.version.Load() }

// MaySend implements record.Shared.
func (s *Store) MaySend() error {
	if refused := s.refusal(); refused != nil {
		return fmt.Errorf("%w; nothing is sent", refused)
	}
	if uptime() >= time.Duration(s.deadline.Load()) {
		return fmt.Errorf("%w; nothing is sent", record.ErrFenced)
	}
	return nil
}

// renewals is how often the lease is checked for renewal during its time.
const renewals = 4

// renew renews the lease when no turn has done so.
func (s *Store) renew(ctx context.Context) {
	defer close(s.stopped)
	ticker := time.NewTicker(s.options.Lease / renewals)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if left := time.Duration(s.deadline.Load()) - uptime(); left < s.options.Lease*(renewals-1)/renewals {
			s.sign() // when it fails, the lease ends
		}
		_ = s.noteDead() // when it fails, it is tried again
	}
}

// sign renews the lease outside of a turn, unless it has ended. In a turn it does nothing, so the server can end a turn
// that makes no progress.
func (s *Store) sign() {
	s.turns.Lock()
	defer s.turns.Unlock()
	if s.open {
		return
	}
	_ = s.do(func(ctx context.Context, conn *pgx.Conn) error {
		began := uptime()
		var renewed bool
		var now head
		if err := conn.QueryRow(ctx, headQuery, s.seen.arguments(s.workspace)...).Scan(now.targets()...); err != nil {
			return err
		}
		if err := s.compare(now); err != nil {
			return err
		}
		err := conn.QueryRow(ctx, renewal, s.workspace, s.epoch, s.nonce).Scan(&renewed, new(time.Time))
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if renewed {
			s.deadline.Store(int64(began + s.options.Lease))
			return nil
		}
		// What it has still to send was checked before, and leaves now.
		_, err = conn.Exec(ctx, "UPDATE payonce_process SET arrived = clock_timestamp() + call_time WHERE workspace = $1 AND epoch = $2 AND nonce = $3 AND arrived IS NULL",
			s.workspace, s.epoch, s.nonce)
		return err
	})
}

// renewal renews a lease that has not ended. It returns whether it did, and the time.
const renewal = `UPDATE payonce_process AS p
	SET seen = CASE WHEN seen + lease > now THEN now ELSE seen END
	FROM clock_timestamp() AS now
	WHERE workspace = $1 AND epoch = $2 AND nonce = $3 AND ended IS NULL
	RETURNING p.seen = now, now`

// Close ends the epoch. Calls that are still in flight are in doubt from then on, and none may be sent any more.
func (s *Store) Close() error {
	erased := s.finishErasure()
	s.stop()
	<-s.stopped
	s.turns.Lock()
	defer s.turns.Unlock()
	s.deadline.Store(0)
	var err error
	recorded := false
	if !s.open {
		err = s.read(func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, `UPDATE payonce_process SET ended = coalesce(ended, now), arrived = least(arrived, now)
				FROM clock_timestamp() AS now WHERE workspace = $1 AND epoch = $2 AND nonce = $3`, s.workspace, s.epoch, s.nonce)
			return err
		})
		recorded = err == nil
	}
	s.close()
	err = errors.Join(err, s.life.end(recorded))
	if s.commits != nil {
		err = errors.Join(err, s.commits.close())
	}
	return errors.Join(err, erased)
}

// newToken returns a name for a commit.
func newToken() []byte {
	token := make([]byte, 16)
	rand.Read(token) // never fails
	return token
}
