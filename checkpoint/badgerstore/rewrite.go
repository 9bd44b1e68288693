package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/ristretto/v2/z"

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
	// uncounted says that records may be missing in the store, because nobody has counted them since a crash.
	uncounted bool
	// copying is called for each record that is copied or counted, and with -1 at the end. It may be nil.
	copying func(records int)
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
		err = copyStore(record.WithStop(from, as.Stop), engineDir+freshSuffix, as)
	}
	if err = errors.Join(err, from.engine.Close()); err == nil {
		err = swap(engineDir)
	}
	return errors.Join(err, from.unlock())
}

// copyStore copies every record into a fresh store in dir, as it is in the last durable commit. Nothing that was
// replaced or deleted is copied. All records get the version after that commit, so that no version comes again for
// other records. The fresh store is sealed.
func copyStore(from record.Store, dir string, as Copy) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	to, err := openEngineFor(dir, Options{EncryptionKey: as.EncryptionKey, smallTables: true})
	if err != nil {
		return fmt.Errorf("rewriting the journal: %w", err)
	}
	to.guard.uncounted(as.uncounted)
	if as.copying == nil {
		as.copying = func(int) {}
	}
	defer as.copying(-1)
	if err := to.copyFrom(from, as.copying); err != nil {
		return errors.Join(err, to.discard())
	}
	return to.mustClose()
}

// copyFrom fills an empty store with the records of another one. Badger writes them into tables at once, without
// a log.
func (s *engine) copyFrom(from record.Store, copying func(records int)) (err error) {
	defer asCorrupt(&err)
	version := from.Version() + 1
	buffer := z.NewBuffer(2*record.CommitSize, "copy of the journal")
	defer func() { err = errors.Join(err, buffer.Release()) }()
	writer := s.db.NewStreamWriter()
	defer writer.Cancel()
	if err := writer.Prepare(); err != nil {
		return err
	}
	flush := func() error {
		if err := needSpace(s.dir, leastSpace); err != nil {
			return err
		}
		err := writer.Write(buffer)
		buffer.Reset()
		return err
	}
	// Badger accepts several streams of entries, each in the order of the keys.
	const recordStream, partStream = 1, 2
	parts := firstPart(version)
	put := func(stream uint32, key, value []byte, meta byte) {
		badger.KVToBuffer(&pb.KV{StreamId: stream, Key: key, Value: value, UserMeta: []byte{meta}, Version: version}, buffer)
	}
	copied := 0
	err = from.Scan(nil, nil, func(key, value []byte) (bool, error) {
		copied++
		copying(1)
		stored, meta := compress(value)
		stored, meta = split(stored, meta, longestPart, parts, func(key, part []byte) {
			parts++
			put(partStream, key, part, 0)
		})
		put(recordStream, key, stored, meta)
		if buffer.LenNoPadding() < record.CommitSize {
			return true, nil
		}
		return true, flush()
	})
	if err == nil {
		err = flush()
	}
	if err == nil {
		err = writer.Flush()
	}
	if err != nil {
		return err
	}
	s.given = version
	s.durable.Store(version)
	return errors.Join(s.sync(), s.head.move(version), s.mustHave(copied, copying), needSpace(s.dir, leastSpace))
}

// mustHave verifies how many records a store has.
func (s *engine) mustHave(records int, counted func(records int)) error {
	found := 0
	err := s.Scan(nil, nil, func(_, _ []byte) (bool, error) {
		found++
		counted(1)
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
