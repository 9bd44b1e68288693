package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"payonce/checkpoint/record"
)

// The names beside the store while it is rewritten.
const (
	freshSuffix = ".new"
	spentSuffix = ".old"
)

// Copy says how Rewrite copies a store.
type Copy struct {
	EncryptionKey []byte // of the fresh store, whatever the old one has; nil makes a plain one
	// Verify returns an error when the store does not hold all of its journal.
	Verify func(record.Store) error
	// Stop is called before every record; its error ends the rewriting. It may be nil.
	Stop func() error
}

// Rewrite copies the live records of the journal in dir into a fresh store, which
// takes the old one's place. The journal must be closed. After a crash the journal is either the
// old or the fresh one.
func Rewrite(dir string, options Options, as Copy) error {
	from, err := OpenExisting(dir, options)
	if err != nil {
		return err
	}
	engineDir := filepath.Join(dir, engineName)
	if err = as.Verify(from); err == nil {
		err = copyStore(record.WithStop(from, as.Stop), engineDir+freshSuffix, as.EncryptionKey)
	}
	if err = errors.Join(err, from.engine.Close()); err == nil {
		err = swap(engineDir)
	}
	return errors.Join(err, from.unlock())
}

// copyStore copies every record into a fresh store in dir. Its versions go on from those
// of the old one, so that none comes again for other records. The fresh store is sealed.
func copyStore(from record.Store, dir string, key []byte) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	to, err := openEngine(dir, key)
	if err != nil {
		return fmt.Errorf("rewriting the journal: %w", err)
	}
	to.goOnFrom(from.Version())
	var writes []record.Write
	size, copied := 0, 0
	flush := func() error {
		batch := writes
		writes, size = nil, 0
		return to.Commit(batch)
	}
	err = from.Scan(nil, nil, func(key, value []byte) (bool, error) {
		copied++
		writes = append(writes, record.Write{Key: bytes.Clone(key), Value: bytes.Clone(value)})
		if size += writes[len(writes)-1].Size(); size < record.CommitSize {
			return true, nil
		}
		return true, flush()
	})
	if err == nil {
		err = flush()
	}
	if err == nil {
		err = to.mustHave(copied)
	}
	if err == nil {
		err = needSpace(dir, leastSpace)
	}
	if err != nil {
		return errors.Join(err, to.discard())
	}
	return to.mustClose()
}

// mustHave verifies how many records a store has.
func (s *engine) mustHave(records int) error {
	found := 0
	err := s.Scan(nil, nil, func(_, _ []byte) (bool, error) {
		found++
		return true, nil
	})
	if err == nil && found != records {
		err = fmt.Errorf("rewriting the journal: %d of %d records were copied", found, records)
	}
	return err
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
