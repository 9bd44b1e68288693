// This file opens journals that several machines share.

package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"os"
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

// sharing returns the options to open the shared journal; nil when the journal is in a directory.
func (o Options) sharing(env Environment, doing string) *pgstore.Options {
	if o.Journal.Shared == "" {
		return nil
	}
	longest := time.Duration(0)
	for _, of := range o.Services {
		longest = max(longest, of.Timeout)
	}
	host, _ := os.Hostname() // only shown to people
	return &pgstore.Options{
		URL: o.Journal.Shared, Workspace: o.Journal.Name, Lease: cmp.Or(env.Lease, pgstore.DefaultLease), CallTime: longest + callMargin,
		Holder: fmt.Sprintf("%q (process %d on %s)", env.Program+" "+doing, os.Getpid(), host),
	}
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
