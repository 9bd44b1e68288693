// This file copies a journal from a directory to a database, so that several machines can share it.

package workspace

import (
	"context"
	"errors"
	"fmt"

	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/pgstore"
	"payonce/checkpoint/record"
	"payonce/pipeline/problem"
)

// Copied says which journal was copied.
type Copied struct {
	Directory, Database string
	Journal             string // its ID
	Encrypted           bool   // whether the copy is
	Records             int64  // 0 when an earlier copy was committed
}

// copyKey returns the key of a copy: a new one, or that of the journal that is copied; nil for none.
func (o Options) copyKey() ([]byte, error) {
	switch {
	case o.Journal.PlainCopy:
		return nil, nil
	case o.Journal.NewKey.Text != "":
		return o.Journal.NewKey.Parse()
	}
	return o.Journal.Key.Parse()
}

// inDirectory returns the options for the journal that is in a directory of this machine.
func (o Options) inDirectory() Options {
	o.Journal.Shared = ""
	return o
}

// CopyToShared copies the journal of a directory, which no other process may own, to the database of the shared journal.
// Check returns an error when the journal is damaged.
//
// Nothing is paid from the directory once the copy begins. The copy is complete, or there is none. An interrupted copy
// can be repeated, or cancelled by RemoveShared.
func (o Options) CopyToShared(ctx context.Context, env Environment, check func(record.Store) error) (*Copied, error) {
	result := &Copied{Database: pgstore.AddressOf(o.Journal.Shared)}
	key, err := o.copyKey()
	if err != nil {
		return nil, err
	}
	result.Encrypted = key != nil
	err = o.withSource(ctx, env, func(dir string, from *badgerstore.Store, stop func() error) error {
		identity, err := record.Identify(from)
		if err != nil {
			return err
		}
		result.Directory, result.Journal = dir, identity.ID
		copied, began, err := badgerstore.CopiedTo(dir)
		if err != nil {
			return err
		}
		if began && (copied.Done || copied.To != result.Database) {
			return &badgerstore.CopiedError{Dir: dir, Copied: copied}
		}
		held := ""
		if began {
			if held, err = pgstore.Holds(o.Journal.Shared, o.Journal.Name, key); err != nil {
				return err
			}
		} else {
			exists, err := pgstore.Exists(o.Journal.Shared, o.Journal.Name)
			if err == nil && exists {
				err = pgstore.ErrNotEmpty
			}
			if err != nil {
				return err
			}
			if err := check(from); err != nil {
				return err
			}
			copied = badgerstore.Copied{To: result.Database, At: env.Now()}
			if err := from.SetCopied(copied); err != nil {
				return err
			}
		}
		// From here on nothing is paid from the directory, even if the copy fails.
		if held != identity.ID { // else an earlier copy was committed
			if result.Records, err = pgstore.CopyFrom(o.Journal.Shared, o.Journal.Name, key, record.WithStop(from, stop)); err != nil {
				return err
			}
		}
		copied.Done = true
		return from.SetCopied(copied)
	})
	return result, err
}

// RemoveShared removes a copy that CopyToShared made and that no process has opened to write. Then the journal in the
// directory can be used again.
func (o Options) RemoveShared(ctx context.Context, env Environment) (*Copied, error) {
	result := &Copied{Database: pgstore.AddressOf(o.Journal.Shared)}
	key, err := o.copyKey()
	if err != nil {
		return nil, err
	}
	result.Encrypted = key != nil
	err = o.withSource(ctx, env, func(dir string, from *badgerstore.Store, _ func() error) error {
		identity, err := record.Identify(from)
		if err != nil {
			return err
		}
		result.Directory, result.Journal = dir, identity.ID
		copied, began, err := badgerstore.CopiedTo(dir)
		switch {
		case err != nil:
			return err
		case !began:
			return problem.Usagef("the journal in %s was not copied", dir)
		case copied.To != result.Database:
			return &badgerstore.CopiedError{Dir: dir, Copied: copied}
		}
		held, err := pgstore.Holds(o.Journal.Shared, o.Journal.Name, key)
		switch {
		case err != nil:
			return err
		case held == identity.ID:
			err = removeCopy(o.Journal, from, copied)
		case copied.Done: // nobody can know what it had by then
			err = fmt.Errorf("%w, so it is not known whether a command has written to it", errCopyGone)
		}
		if err != nil {
			return err
		}
		return from.UnsetCopied()
	})
	return result, err
}

// errCopyGone refuses to pay from a directory again, because its copy may have been used.
var errCopyGone = errors.New("the database no longer has the copy of the journal")

// removeCopy removes a copy. Until it is removed, the file in the directory says that the copy did not end: when this
// process ends before it has removed the file, too, the removal can be repeated.
func removeCopy(of Journal, from *badgerstore.Store, copied badgerstore.Copied) error {
	unfinished := copied
	unfinished.Done = false
	if err := from.SetCopied(unfinished); err != nil {
		return err
	}
	err := pgstore.RemoveCopy(of.Shared, of.Name)
	if errors.Is(err, pgstore.ErrUsed) {
		copied.Done = true
		err = errors.Join(err, from.SetCopied(copied))
	}
	return err
}

// withSource calls do with the journal of the directory, which has to exist and which no other process may own.
func (o Options) withSource(ctx context.Context, env Environment, do func(dir string, from *badgerstore.Store, stop func() error) error) error {
	source := o.inDirectory()
	dir, err := source.Existing()
	if err != nil {
		return err
	}
	options, err := source.Opening(env, "journal copy", ctx.Err)
	if err != nil {
		return err
	}
	options.Store.Copied, options.Store.InOrder = true, true
	s, err := own(ctx, dir, options, doing{})
	if err == nil {
		err = errors.Join(do(dir, s.Store, options.Journal.Stop), s.Close())
	}
	return OpenError(err)
}
