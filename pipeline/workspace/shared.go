// This file opens journals that several machines share.

package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/pgstore"
	"payonce/pipeline/problem"
)

// errNotShared is the error of operations that need a journal in a directory.
var errNotShared = problem.Coded("not_shared", "the command does not work with a shared journal yet; nothing was changed")

// callMargin is the time that a call may take besides its time-out: to connect before it, and to record the answer after
// it.
const callMargin = time.Minute

// commitName is the name of the file with the last commit that this machine knows of a shared journal.
const commitName = "COMMIT"

// sharing returns the options to open the shared journal; nil when the journal is in a directory.
func (o Options) sharing(env Environment, doing string) (*pgstore.Options, error) {
	if o.Journal.Shared == "" {
		return nil, nil
	}
	dir, err := o.Dir()
	if err != nil {
		return nil, err
	}
	// The database may have had another address.
	others, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(dir)), "*", filepath.Base(dir), commitName))
	if err != nil {
		return nil, err
	}
	longest := time.Duration(0)
	for _, of := range o.Services {
		longest = max(longest, of.Timeout)
	}
	host, _ := os.Hostname() // only shown to people
	return &pgstore.Options{
		URL: o.Journal.Shared, Workspace: o.Journal.Name, Lease: cmp.Or(env.Lease, pgstore.DefaultLease), CallTime: longest + callMargin,
		CommitFiles: append([]string{filepath.Join(dir, commitName)}, others...), AfterFailover: o.Journal.AfterFailover,
		Holder: fmt.Sprintf("%q (process %d on %s)", env.Program+" "+doing, os.Getpid(), host),
	}, nil
}

// Migrate creates the tables of the shared journal, or brings them up to date. It returns their version before and after.
func (o Options) Migrate() (before, after int, err error) {
	before, after, err = pgstore.Migrate(o.Journal.Shared)
	return before, after, OpenError(err)
}

// openShared opens a shared journal for a process that may write. Its clock is that of the database.
func openShared(o Opening) (*checkpoint.Journal, error) {
	store, err := pgstore.Open(*o.Shared)
	if err != nil {
		return nil, err
	}
	options := o.Journal
	options.Now = nil
	return checkpoint.New(store, options)
}

// readShared opens a snapshot of a shared journal.
func readShared(o Opening) (*checkpoint.Journal, error) {
	snapshot, err := pgstore.Read(o.Shared.URL, o.Shared.Workspace)
	if err != nil {
		return nil, err
	}
	return checkpoint.Read(snapshot, o.Journal)
}

// existsShared reports whether a database has the journal of a workspace.
func existsShared(of Journal) (bool, error) {
	snapshot, err := pgstore.Read(of.Shared, of.Name)
	if errors.Is(err, pgstore.ErrNone) {
		return false, nil
	}
	if err != nil {
		return false, OpenError(err)
	}
	return true, snapshot.Close()
}
