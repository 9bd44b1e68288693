package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// The names beside the store while it is rewritten.
const (
	freshSuffix = ".new"
	spentSuffix = ".old"
)

// Rewrite copies the live records of the journal in dir into a fresh store, which
// takes the old one's place. Badger keeps replaced values in its files for an
// indefinite time: only after Rewrite are they gone from the directory. The fresh
// store is encrypted with key, whatever the old one was; nil makes a plain one.
// The journal must be closed. After a crash the journal is either the old or the
// fresh one.
func Rewrite(dir string, options Options, key []byte) error {
	return withStore(dir, options, func(store Store) error {
		return copyStore(store, filepath.Join(dir, storeName)+freshSuffix, key)
	}, func() error {
		return swap(filepath.Join(dir, storeName))
	})
}

// withStore locks the journal in dir and calls do with its store, then after
// with the store closed.
func withStore(dir string, options Options, do func(Store) error, after func() error) (err error) {
	exists, err := Exists(dir)
	if err == nil && !exists {
		err = fmt.Errorf("there is no journal in %s", dir)
	}
	if err != nil {
		return err
	}
	unlock, err := lockDir(dir, options.Holder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	store, known, err := openStoreIn(dir, options)
	if err != nil {
		return err
	}
	err = holdsJournal(store, known)
	store.stop = options.Stop
	if err == nil {
		err = do(store)
	}
	if err = errors.Join(err, store.Close()); err != nil || after == nil {
		return err
	}
	return after()
}

// holdsJournal verifies that the store is the journal's that the marker names.
func holdsJournal(store Store, known string) error {
	identity, _, err := load[identityRecord](store, identityKey)
	if err == nil && identity.ID != known {
		err = otherStore(known)
	}
	return err
}

// copyStore copies every record into a fresh store in dir. Its versions go on from those
// of the old one, so that none comes again for other records.
func copyStore(from Store, dir string, key []byte) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	to, err := openBadger(dir, key, verifyAtOpen)
	if err != nil {
		return fmt.Errorf("rewriting the journal: %w", err)
	}
	to.goOnFrom(from.Version())
	var writes []Write
	size := 0
	flush := func() error {
		batch := writes
		writes, size = nil, 0
		return to.Commit(batch)
	}
	err = from.Scan(nil, nil, func(key, value []byte) (bool, error) {
		writes = append(writes, Write{bytes.Clone(key), bytes.Clone(value)})
		if size += writes[len(writes)-1].size(); size < maxQueue {
			return true, nil
		}
		return true, flush()
	})
	if err == nil {
		err = flush()
	}
	if err == nil {
		err = samePresence(to)
	}
	return errors.Join(err, to.Close())
}

// samePresence verifies that the copy holds every attempt.
func samePresence(store Store) error {
	books, found, err := load[persistedBooks](store, booksKey)
	if err != nil || !found {
		return err
	}
	return verifyPresence(store, books)
}

// swap puts the fresh store in the place of the old one. The second rename is the
// commit point: before it finishSwap goes back to the old store.
func swap(storeDir string) error {
	err := os.Rename(storeDir, storeDir+spentSuffix)
	if err == nil {
		err = errors.Join(os.Rename(storeDir+freshSuffix, storeDir), syncDir(filepath.Dir(storeDir)))
	}
	if err != nil {
		return fmt.Errorf("rewriting the journal: %w", err)
	}
	return finishSwap(storeDir)
}

// finishSwap clears up after a rewrite, finished or broken off.
func finishSwap(storeDir string) error {
	if _, err := os.Stat(storeDir); errors.Is(err, os.ErrNotExist) {
		if err := os.Rename(storeDir+spentSuffix, storeDir); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return errors.Join(os.RemoveAll(storeDir+freshSuffix), os.RemoveAll(storeDir+spentSuffix))
}
