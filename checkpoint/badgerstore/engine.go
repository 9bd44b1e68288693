package badgerstore

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"

	"payonce/checkpoint/record"
)

// engine is a database of Badger. Every commit is one transaction and ends with a sync.
//
// Commits are numbered: the number is the version of what they write. Nobody reads what
// is newer than the last durable version, although Badger knows it already.
//
// Badger forgives damage: it goes on without a table whose checksum is wrong, and
// without a block in one; it cuts its log off at the first record that it cannot
// read, and deletes the tables that a shortened manifest does not name. A journal
// must not: what is missing would be bought again. So the engine keeps a seal over the
// files and a head beside them, and does not open when they disagree with the files.
type engine struct {
	dir   string
	head  *head
	guard *guard
	db    *badger.DB
	sync  func() error // makes durable what db has written

	mu      sync.RWMutex  // held for reading by those who read
	given   uint64        // the last version that was given to a commit, whatever became of it
	durable atomic.Uint64 // the version of the last commit that is on the disk
	failed  error         // of the first commit that was not acknowledged
}

// openEngine opens the database in dir, or creates it. With a key it is encrypted.
func openEngine(dir string, key []byte) (*engine, error) {
	return openEngineFor(dir, Options{EncryptionKey: key})
}

// openEngineFor is openEngine with other options.
func openEngineFor(dir string, options Options) (*engine, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := needSpace(dir, leastSpace); err != nil {
		return nil, err
	}
	seal, err := unseal(dir)
	if err != nil {
		return nil, err
	}
	guard, err := newGuard(dir, seal)
	if err != nil {
		return nil, err
	}
	s := &engine{dir: dir, guard: guard}
	if s.head, err = openHead(dir); err != nil {
		return nil, err
	}
	if err := s.openDB(options); err != nil {
		return nil, errors.Join(err, s.head.close())
	}
	if err := s.guard.keep(s.db); err != nil {
		return nil, errors.Join(err, s.db.Close(), s.head.close())
	}
	go s.guard.keepOn(s.db)
	return s, nil
}

// openDB opens Badger, which must not have lost what was acknowledged.
func (s *engine) openDB(options Options) error {
	db, err := openDB(s.dir, options)
	if err != nil {
		return err
	}
	version := db.MaxVersion()
	if version < s.head.version {
		err := fmt.Errorf("%w: its last records are missing (the store ends at commit %d, and commit %d was acknowledged); %s",
			record.ErrCorrupt, version, s.head.version, record.Restore)
		return errors.Join(err, db.Close())
	}
	if err := syncLogs(s.dir); err != nil {
		return errors.Join(err, db.Close())
	}
	s.db, s.sync, s.given = db, db.Sync, version
	s.durable.Store(version)
	db.SetDiscardTs(version)
	return nil
}

func (s *engine) Version() uint64 { return s.durable.Load() }

// Get returns the durable value of key, or nil when there is none.
func (s *engine) Get(key []byte) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.getAt(s.durable.Load(), key)
}

// getAt returns the value that key had at a version. The caller holds the lock for reading.
func (s *engine) getAt(version uint64, key []byte) (value []byte, err error) {
	defer asCorrupt(&err)
	txn := s.db.NewTransactionAt(version, false)
	defer txn.Discard()
	item, err := txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, nil
	}
	if err == nil {
		value, err = item.ValueCopy(nil)
	}
	if err == nil {
		value, err = (&valueReader{txn: txn}).value(item, value)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	return value, nil
}

// Room says whether there is room for new attempts and all that follows from them.
func (s *engine) Room() error { return CheckSpace(s.dir) }

// Commit refuses everything once a commit has failed. The disk may have dropped what it
// could not write, and says so once: the next sync would succeed, and Badger reads its
// log no further than to the gap.
func (s *engine) Commit(writes []record.Write) error {
	if s.failed == nil {
		s.failed = s.tryCommit(writes)
	}
	return s.failed
}

func (s *engine) tryCommit(writes []record.Write) (err error) {
	defer asCorrupt(&err)
	if err := cmp.Or(s.guard.err(), s.guard.inPlace()); err != nil {
		return err
	}
	if err := needSpace(s.dir, leastAnswersSpace); err != nil {
		return cmp.Or(s.Room(), err) // it names what the next attempt needs
	}
	if len(writes) == 0 {
		return nil
	}
	if err := s.commit(writes); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	s.discardOld()
	return nil
}

// discardOld lets Badger drop what was replaced, when nobody is reading: no reader needs
// what is older than the last durable version then.
func (s *engine) discardOld() {
	if s.mu.TryLock() {
		s.db.SetDiscardTs(s.durable.Load())
		s.mu.Unlock()
	}
}

// commit writes a transaction and makes it durable. The parts of its long values are durable before. The last sync is
// the commit point: after a crash before it has returned, Badger finds all of the transaction in its log or drops it.
func (s *engine) commit(writes []record.Write) error {
	entries := make([]*badger.Entry, len(writes))
	for i, write := range writes {
		stored, meta := compress(write.Value)
		entries[i] = badger.NewEntry(write.Key, stored).WithMeta(meta)
	}
	var parts []*badger.Entry
	most := int(s.db.MaxBatchSize() / 2)
	limit, first := limitFor(entries, most), firstPart(s.given+1)
	for _, entry := range entries {
		entry.Value, entry.UserMeta = split(entry.Value, entry.UserMeta, limit, first+uint64(len(parts)), func(key, part []byte) {
			parts = append(parts, badger.NewEntry(key, part))
		})
	}
	for some := range chunks(parts, most) {
		err := s.write(func(txn *badger.Txn) error { return setAll(txn, some) })
		if err != nil {
			return err
		}
	}
	err := s.write(func(txn *badger.Txn) error {
		for i, write := range writes {
			var err error
			if write.Value == nil {
				err = txn.Delete(write.Key)
			} else {
				err = txn.SetEntry(entries[i])
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.durable.Store(s.given)
	return s.head.move(s.given)
}

func setAll(txn *badger.Txn, entries []*badger.Entry) error {
	for _, entry := range entries {
		if err := txn.SetEntry(entry); err != nil {
			return err
		}
	}
	return nil
}

// write writes a transaction with the next version and syncs it.
func (s *engine) write(fill func(txn *badger.Txn) error) error {
	txn := s.db.NewTransactionAt(s.given, true)
	defer txn.Discard()
	if err := fill(txn); err != nil {
		return err
	}
	s.given++
	if err := txn.CommitAt(s.given, nil); err != nil {
		return err
	}
	return s.sync()
}

// Close closes the store and seals its files.
func (s *engine) Close() error {
	_, err := s.close()
	return err
}

// close closes the store and seals its files, and reports whether it did. On a full disk, and when the
// directory is another one by now, it leaves them as a crash would, because Badger writes its memory
// table out when it closes; all that was acknowledged is in the log already, and the next
// Open says what is missing.
func (s *engine) close() (sealed bool, err error) {
	s.guard.stop()
	if s.guard.inPlace() != nil || needSpace(s.dir, leastSpace) != nil {
		return false, s.head.close()
	}
	if err := errors.Join(s.db.Close(), s.head.close()); err != nil {
		return false, err
	}
	closed, err := closedSeal(s.dir, s.guard.seal)
	if err == nil {
		err = closed.write(filepath.Join(s.dir, sealName))
	}
	return err == nil, err
}

// errLeftOpen says that a store could not be closed, so that this process cannot open it again.
var errLeftOpen = errors.New("the store could not be closed")

// mustClose is Close with an error when the files could not be sealed.
func (s *engine) mustClose() error {
	sealed, err := s.close()
	if err != nil || sealed {
		return err
	}
	return errors.Join(errLeftOpen, cmp.Or(s.guard.inPlace(), needSpace(s.dir, leastSpace)))
}

// discard closes a store that nobody needs any more. It writes nothing out, so it also works on a full disk.
func (s *engine) discard() error {
	s.guard.stop()
	return errors.Join(s.db.DropAll(), s.db.Close(), s.head.close())
}
