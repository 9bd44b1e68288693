// This file opens journals that several machines share.

package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/checkpoint/pgstore"
	"payonce/checkpoint/record"
)

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
	// The database may have had another address, and then has another directory with a COMMIT file.
	others, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(dir)), "*", filepath.Base(dir), commitName))
	if err != nil {
		return nil, err
	}
	longest := time.Duration(0)
	for _, of := range o.Services {
		longest = max(longest, of.Timeout)
	}
	key, err := o.Journal.Key.Parse()
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname() // only shown to people
	return &pgstore.Options{
		URL: o.Journal.Shared, Workspace: o.Journal.Name, EncryptionKey: key, Lease: cmp.Or(env.Lease, pgstore.DefaultLease), CallTime: longest + callMargin,
		CommitFiles: append([]string{filepath.Join(dir, commitName)}, others...), AfterFailover: o.Journal.AfterFailover,
		LockDir: dir,
		Holder:  fmt.Sprintf("%q (process %d on %s)", env.Program+" "+doing, os.Getpid(), host),
	}, nil
}

// CommandOf returns the command of a process on a shared journal from its holder, such as "run leads"; "" when it is
// not known.
func CommandOf(holder string) string {
	quoted, err := strconv.QuotedPrefix(holder)
	if err != nil {
		return ""
	}
	text, _ := strconv.Unquote(quoted) // it is a quoted text
	_, command, _ := strings.Cut(text, " ")
	return command
}

// Migrate creates the tables of the shared journal, or brings them up to date. It returns their version before and after.
func (o Options) Migrate() (before, after int, err error) {
	before, after, err = pgstore.Migrate(o.Journal.Shared)
	return before, after, OpenError(err)
}

// database is a place in which many processes work on the journal at the same time.
type database struct {
	Opening
	dir string // of the local files
}

// own implements place. Other processes of this machine can ask what the process does.
func (d database) own(context.Context, doing) (record.Store, error) {
	s, err := d.participate()
	if err != nil {
		return nil, err
	}
	return &participant{s, announce(filepath.Join(d.dir, processesName), d.Owner)}, nil
}

// participate opens the store as one of the processes that may write.
func (d database) participate() (record.Shared, error) {
	s, err := pgstore.Open(*d.Shared)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// read implements place.
func (d database) read(_ context.Context, does doing) (record.Store, bool, error) {
	if does.recording {
		s, err := d.participate()
		return s, false, err
	}
	s, err := pgstore.Read(d.Shared.URL, d.Shared.Workspace, d.Shared.EncryptionKey)
	if err != nil {
		return nil, false, err
	}
	return s, true, nil
}

// change implements place. What do reads and writes is one turn.
func (d database) change(_ context.Context, do func(record.Store) error) error {
	s, err := d.participate()
	if err != nil {
		return err
	}
	return errors.Join(s.Alone(func(record.Turn) error { return do(s) }), s.Close())
}

// keeps implements place.
func (d database) keeps() []string {
	return []string{
		"the write-ahead log and the standbys of the database", "lists of jobs and starts of runs in the state directories of other machines",
	}
}

// owners implements place.
func (d database) owners() ([]Owner, error) { return announced(filepath.Join(d.dir, processesName)) }

// processes implements place.
func (d database) processes() ([]pgstore.Process, error) {
	s, err := pgstore.Read(d.Shared.URL, d.Shared.Workspace, d.Shared.EncryptionKey)
	if err != nil {
		return nil, err
	}
	all, err := s.Processes()
	return all, errors.Join(err, s.Close())
}

// rewrite implements place. It waits for other processes as a command waits for the owner of a directory. It has the
// journal not open meanwhile: two commands that change the key would wait for each other.
func (d database) rewrite(ctx context.Context, key []byte) error {
	waiting := begin()
	err := d.rekey(key)
	for errors.Is(err, pgstore.ErrShared) {
		more, ctxErr := waiting.more(ctx, d.Wait)
		if !more {
			return cmp.Or(ctxErr, err)
		}
		switch works, worksErr := d.othersWork(); {
		case worksErr != nil:
			return worksErr
		case !works:
			err = d.rekey(key)
		}
	}
	return err
}

// rekey changes the key. The error wraps pgstore.ErrShared while other processes work on the journal.
func (d database) rekey(key []byte) error {
	s, err := pgstore.Open(*d.Shared)
	if err != nil {
		return err
	}
	return errors.Join(s.Rekey(key, d.Journal.Stop), s.Close())
}

// othersWork reports whether processes work on the journal, without opening it to write.
func (d database) othersWork() (bool, error) {
	all, err := d.processes()
	return slices.ContainsFunc(all, func(p pgstore.Process) bool {
		return p.LeaseUntil.Add(d.Shared.CallTime).After(p.Now) // else it was killed, and opening the journal ends it
	}), err
}

// existsShared reports whether a database has the journal of a workspace.
func existsShared(of Journal) (bool, error) {
	exists, err := pgstore.Exists(of.Shared, of.Name)
	return exists, OpenError(err)
}
