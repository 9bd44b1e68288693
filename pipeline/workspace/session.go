// Package workspace opens what belongs to one workspace: its journal, and its service or the
// embedded one.
package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/pgstore"
	"payonce/checkpoint/remote"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// Journal says where the journals are, which of them is meant and how it is kept.
type Journal struct {
	State  string        // the directory of all journals
	Name   string        // of the workspace
	Key    Key           // that encrypts it at rest
	NewKey Key           // that it, or its copy, is to be encrypted with
	Wait   time.Duration // how long a command waits for another process that owns it
	// Shared is the URL of the database that has the journal in place of a directory; "" for a directory. It may hold a
	// password.
	Shared string
	// PlainCopy says that a copy of an encrypted journal is not encrypted.
	PlainCopy bool
	// AfterFailover opens a shared journal even when its database may lack commits. No calls can be made then.
	AfterFailover bool
}

// Progress says how far a command has come.
type Progress struct {
	Summary string          `json:"summary,omitempty"` // in a few words, such as "40 % done"
	Detail  json.RawMessage `json:"detail,omitempty"`
}

// Options say which workspace is opened. They do not change.
type Options struct {
	Journal Journal
	// Services has one for each provider, in their order, also where an interface is not configured. The account 0 of
	// the journal is that of the first.
	Services      []provider.Service
	Sandbox       bool          // the embedded service replaces them
	Exclusive     bool          // nobody else spends from the accounts
	SameWorkspace bool          // a new key belongs to the journal's workspace
	Profile       bool          // lookups ask for what an interface returns on request, such as the person's profile
	SettleDelay   time.Duration // what an account gets to settle after a lost response
	Prices        provider.PriceOptions
}

// Environment is what a workspace needs of the world around it.
type Environment struct {
	Now     func() time.Time
	Program string // its name, for whoever finds the journal held
	Version string
	// User is the name of the account of the system that the command runs as; "" when it is not known.
	User string
	// Build identifies the program's code: no two programs have the same. It returns "" when that is not known, and may
	// be nil. Then every output is written, also one that is in its place already.
	Build func() string
	// Progress returns how far the command has come, for other processes. It may be nil. It may be called
	// from any goroutine.
	Progress func() Progress
	// FileMode is the mode of new files outside the journal; zero for 0600.
	FileMode fs.FileMode
	// Lease is how long a process may send calls without reaching the database of a shared journal; zero for the usual time.
	Lease time.Duration
	// Raw writes values of the service to delimited text as they are, also those that a spreadsheet takes for formulas.
	Raw bool
}

// Find returns the directory of the journal, and whether there is one.
func (o Options) Find() (string, bool, error) {
	if !o.Known() {
		return "", false, nil
	}
	dir, err := o.Dir()
	if err != nil {
		return "", false, err
	}
	if o.Journal.Shared != "" {
		exists, err := existsShared(o.Journal)
		return dir, exists, err
	}
	exists, err := badgerstore.Exists(dir)
	if err != nil {
		err = problem.Coded("state_unreadable", "whether there is a journal cannot be seen: %w", err)
	}
	return dir, exists, err
}

// Existing returns the directory of the journal, which has to exist.
func (o Options) Existing() (string, error) {
	dir, exists, err := o.Find()
	if err == nil && !exists {
		err = o.none()
	}
	return dir, err
}

// none says that the workspace has no journal.
func (o Options) none() error {
	return problem.Usagef("there is no journal yet for this service and workspace %q; it begins with the first run", o.Journal.Name)
}

// Opening says how the journal and its store are opened, and what ends a walk over it.
func (o Options) Opening(env Environment, doing string, stop func() error) (Opening, error) {
	key, err := o.Journal.Key.Parse()
	shared, sharedErr := o.sharing(env, doing)
	first := o.Services[0]
	return Opening{
		Store: badgerstore.Options{
			EncryptionKey: key,
			Holder:        fmt.Sprintf("%q (process %d, since %s)", env.Program+" "+doing, os.Getpid(), env.Now().Format("2006-01-02 15:04:05")),
		},
		Journal: checkpoint.Options{
			Rate: first.KeptRate(), Catalogue: first.Interface().Catalogue, Now: env.Now, Stop: stop, Service: o.nameInJournal(first),
		},
		Wait:   o.Journal.Wait,
		Owner:  env.owner(doing),
		Shared: shared,
	}, cmp.Or(err, sharedErr)
}

// OpenError adds to an error of opening the journal who has to act.
func OpenError(err error) error {
	var held *badgerstore.LockedError
	var copied *badgerstore.CopiedError
	switch {
	case errors.Is(err, pgstore.ErrConnection), errors.Is(err, pgstore.ErrUnreachable):
		return problem.Coded("journal_unreachable", "%w", err)
	case errors.Is(err, pgstore.ErrRights):
		return problem.Coded("journal_rights", "%w", err)
	case errors.Is(err, pgstore.ErrFailedOver):
		return problem.Coded("journal_failed_over", "%w", err)
	case errors.Is(err, pgstore.ErrReplaced):
		return problem.Coded("journal_replaced", "%w", err)
	case errors.Is(err, pgstore.ErrNotEmpty):
		return problem.Coded("copy_not_empty", "%w", err)
	case errors.Is(err, pgstore.ErrShared):
		return &problem.Error{Code: "journal_shared", Err: err}
	case errors.Is(err, pgstore.ErrUsed):
		return problem.Coded("copy_used", "%w", err)
	case errors.Is(err, errCopyGone):
		return problem.Coded("copy_gone", "%w", err)
	case errors.As(err, &copied) && !copied.Done:
		return problem.Coded("copy_unfinished", "%w", err)
	case errors.As(err, &copied):
		return problem.Coded("journal_copied", "%w", err)
	case errors.Is(err, pgstore.ErrOlder):
		return problem.Coded("journal_older", "%w", err)
	case errors.As(err, &held):
		return &problem.Error{Code: "journal_held", Err: err}
	case errors.Is(err, checkpoint.ErrVersion):
		return &problem.Error{Code: "journal_version", Err: err}
	case errors.Is(err, checkpoint.ErrCorrupt):
		return &problem.Error{Code: "journal_damaged", Err: err}
	case errors.Is(err, checkpoint.ErrNewer):
		return &problem.Error{Code: "journal_newer", Err: err}
	case errors.Is(err, remote.ErrLost):
		return ReadError(err)
	case errors.Is(err, syscall.ENOSPC):
		return &problem.Error{Code: "disk_full", Err: err}
	case errors.Is(err, checkpoint.ErrEncryptionKey):
		return problem.Coded("encryption_key", "%w", err)
	case errors.Is(err, checkpoint.ErrNotWritable):
		return problem.Coded("state_not_writable", "%w", err)
	case errors.Is(err, fs.ErrPermission):
		return problem.Coded("journal_of_another_user", "%w", err)
	}
	return err
}

// ReadError adds to an error of reading a journal that another process owns who has to act. It returns
// other errors as they are.
func ReadError(err error) error {
	if !errors.Is(err, remote.ErrLost) {
		return err
	}
	return &problem.Error{Code: "journal_owner_ended", Err: err}
}

// Now returns the time by the clock that decides: that of the open journal when it is shared, else that of this machine.
func (s *Session) Now() time.Time {
	if s.Journal != nil && s.Options.Journal.Shared != "" && !s.snapshot {
		return s.Journal.Now()
	}
	return s.Env.Now()
}

// Session is an open workspace. Its parts are opened when a use case needs them.
type Session struct {
	Options  Options
	Env      Environment
	Journal  *checkpoint.Journal // nil before it is opened
	snapshot bool                // another process owns the journal
	embedded *Embedded
	served   atomic.Pointer[string] // the address of embedded
}

// OpenJournal opens the workspace's journal, which no other process may own. What is
// begun on it ends by itself, also after an interrupt, which ends only the wait for another process.
func (s *Session) OpenJournal(ctx context.Context, doing string) error {
	if err := s.Options.linkNames(); err != nil {
		return err
	}
	dir, options, err := s.opening(doing, nil)
	if err != nil {
		return err
	}
	s.Journal, err = OpenJournal(ctx, dir, options)
	return OpenError(err)
}

// opening returns the directory of the journal and how it is opened.
func (s *Session) opening(doing string, stop func() error) (string, Opening, error) {
	dir, err := s.Options.Dir()
	if err != nil {
		return "", Opening{}, err
	}
	options, err := s.Options.Opening(s.Env, doing, stop)
	about := options.Owner
	options.Owner = func() Owner {
		owner := about()
		if served := s.served.Load(); served != nil {
			owner.Embedded = *served
		}
		return owner
	}
	return dir, options, err
}

// Owners asks the processes of this machine that have opened the journal to write about themselves. For a journal in a
// directory it is its owner, or an error. Several processes can work on a shared journal, or none.
func (s *Session) Owners() ([]Owner, error) {
	dir, options, err := s.opening("status", nil)
	if err != nil {
		return nil, err
	}
	all, err := options.at(dir).owners()
	return all, OpenError(err)
}

// Processes returns the processes that work together on a shared journal, which has to exist; none for one in a directory.
func (s *Session) Processes() ([]pgstore.Process, error) {
	dir, options, err := s.opening("status", nil)
	if err != nil {
		return nil, err
	}
	all, err := options.at(dir).processes()
	return all, OpenError(err)
}

// Snapshot reports whether another process owns the journal. Then it is a snapshot, to which nothing can
// be written.
func (s *Session) Snapshot() bool { return s.snapshot }

// OpenExisting opens the workspace's journal for a command that spends nothing, so that
// an interrupt may end its walks; false when there is none. No other process may own it.
func (s *Session) OpenExisting(ctx context.Context, doing string) (bool, error) {
	return s.ifExisting(func() error {
		dir, options, err := s.opening(doing, ctx.Err)
		if err == nil {
			s.Journal, err = OpenJournal(ctx, dir, options)
		}
		return err
	})
}

// ReadExisting is OpenExisting for a command that only reads. When another process owns the journal, it
// opens a snapshot.
func (s *Session) ReadExisting(ctx context.Context, command string) (bool, error) {
	return s.readExisting(ctx, command, doing{})
}

func (s *Session) readExisting(ctx context.Context, command string, does doing) (bool, error) {
	return s.ifExisting(func() error {
		dir, options, err := s.opening(command, ctx.Err)
		if err == nil {
			s.Journal, s.snapshot, err = readJournal(ctx, dir, options, does)
		}
		return err
	})
}

// ifExisting calls open when there is a journal.
func (s *Session) ifExisting(open func() error) (bool, error) {
	_, exists, err := s.Options.Find()
	if err != nil || !exists {
		return false, err
	}
	return true, OpenError(open())
}

// Require opens the workspace's journal, which has to exist.
func (s *Session) Require(ctx context.Context, doing string) error {
	return s.mustExist(s.OpenExisting(ctx, doing))
}

// Read opens the workspace's journal to read it. The journal has to exist.
func (s *Session) Read(ctx context.Context, doing string) error {
	return s.mustExist(s.ReadExisting(ctx, doing))
}

// ReadToRecord is Read for a command that writes files, which it records in the journal. It records none while another
// process owns the journal.
func (s *Session) ReadToRecord(ctx context.Context, command string) error {
	return s.mustExist(s.readExisting(ctx, command, doing{recording: true}))
}

// mustExist returns an error when there is no journal.
func (s *Session) mustExist(found bool, err error) error {
	if err == nil && !found {
		err = s.Options.none()
	}
	return err
}

// Close closes what was opened. A second Close does nothing.
func (s *Session) Close() error {
	var err error
	if s.Journal != nil {
		err = s.Journal.Close()
	}
	if s.embedded != nil {
		err = errors.Join(err, s.embedded.Close())
	}
	s.Journal, s.embedded = nil, nil
	return err
}
