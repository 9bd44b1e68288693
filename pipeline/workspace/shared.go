// This file opens journals that several machines share.

package workspace

import (
	"errors"
	"fmt"
	"os"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/pgstore"
	"payonce/pipeline/problem"
)

// errNotShared refuses what works only with a journal in a directory.
var errNotShared = problem.Coded("not_shared", "this does not work with a shared journal yet; nothing was changed")

// callMargin is how much longer than its time-out a call may take: the connection is made before, and the answer is
// recorded after.
const callMargin = time.Minute

// sharing returns how this process opens the shared journal; nil when the journal is in a directory.
func (o Options) sharing(env Environment, doing string) *pgstore.Options {
	if o.Journal.Shared == "" {
		return nil
	}
	longest := time.Duration(0)
	for _, of := range o.Services {
		longest = max(longest, of.Timeout)
	}
	host, _ := os.Hostname() // for people alone
	return &pgstore.Options{
		URL: o.Journal.Shared, Workspace: o.Journal.Name, Lease: pgstore.DefaultLease, CallTime: longest + callMargin,
		Holder: fmt.Sprintf("%q (process %d on %s)", env.Program+" "+doing, os.Getpid(), host),
	}
}

// openShared opens a shared journal for a process that may write. The database has its clock.
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
