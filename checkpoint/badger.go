package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// badgerStore is the Store on Badger. Every commit is one transaction and ends
// with a sync.
//
// Badger forgives damage: it goes on without a table whose checksum is wrong, cuts
// its log off at the first record that it cannot read, and deletes the tables that
// a shortened manifest does not name. A journal must not: what is missing would be
// bought again. So the store keeps a seal over its files and a head beside them,
// and does not open when Badger complains or when they disagree with it.
type badgerStore struct {
	db     *badger.DB
	dir    string
	head   *head
	tables *tableSeal
	// sealed says that every file was as the last process left it when it closed.
	sealed bool
}

// openBadger opens the store in dir, or creates it. With a key it is encrypted.
func openBadger(dir string, key []byte) (*badgerStore, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := needSpace(dir, leastSpace); err != nil {
		return nil, err
	}
	sums, sealed, err := breakSeal(dir)
	if err != nil {
		return nil, err
	}
	head, err := openHead(dir)
	if err != nil {
		return nil, err
	}
	db, err := openDB(dir, key)
	if err != nil {
		return nil, errors.Join(err, head.close())
	}
	s := &badgerStore{db: db, dir: dir, head: head, tables: newTableSeal(dir, sums), sealed: sealed}
	if version := s.version(); version < head.version {
		err := fmt.Errorf("%w: its last records are missing (the store ends at commit %d, and commit %d was acknowledged); %s",
			ErrCorrupt, version, head.version, restore)
		return nil, errors.Join(err, db.Close(), head.close())
	}
	return s, nil
}

// openDB opens Badger and takes everything that it complains of for damage.
func openDB(dir string, key []byte) (db *badger.DB, err error) {
	defer asCorrupt(&err)
	var complaints complaints
	settings := badger.DefaultOptions(dir).
		WithSyncWrites(true).
		WithDetectConflicts(false). // there is one writer
		WithMetricsEnabled(false).
		WithLogger(&complaints).
		WithNumCompactors(2).
		WithMemTableSize(memTableSize).
		WithValueLogFileSize(128 << 20).
		WithBlockCacheSize(32 << 20).
		WithIndexCacheSize(64 << 20).
		WithChecksumVerificationMode(options.OnBlockRead). // the seal holds whole tables
		WithEncryptionKey(key)
	db, err = badger.Open(settings)
	switch {
	case errors.Is(err, badger.ErrEncryptionKeyMismatch):
		return nil, keyError(dir, key)
	case err != nil && isSystemError(err):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w; %s", ErrCorrupt, err, restore)
	}
	if complaint := complaints.end(); complaint != "" {
		return nil, errors.Join(fmt.Errorf("%w: %s; %s", ErrCorrupt, complaint, restore), db.Close())
	}
	return db, nil
}

// restore is what to do about damage.
const restore = "restore the directory from a backup"

// isSystemError reports whether the operating system refused something that says
// nothing about the records.
func isSystemError(err error) bool {
	for _, system := range []error{fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, system) {
			return true
		}
	}
	return false
}

// asCorrupt turns a panic, which Badger raises on damaged bytes, into an error.
func asCorrupt(err *error) {
	if failure := recover(); failure != nil {
		*err = fmt.Errorf("%w: its files cannot be read; %s", ErrCorrupt, restore)
	}
}

// version returns the version of the last commit.
func (s *badgerStore) version() uint64 {
	txn := s.db.NewTransaction(false)
	defer txn.Discard()
	return txn.ReadTs()
}

func (s *badgerStore) Get(key []byte) (value []byte, err error) {
	defer asCorrupt(&err)
	err = s.db.View(func(txn *badger.Txn) error {
		item, err := txn.Get(key)
		if errors.Is(err, badger.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		value, err = item.ValueCopy(nil)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	return value, nil
}

// Room says whether there is room for new attempts and all that follows from them.
func (s *badgerStore) Room() error { return needSpace(s.dir, leastSpace) }

func (s *badgerStore) Commit(writes []Write) (err error) {
	defer asCorrupt(&err)
	if err := needSpace(s.dir, leastAnswersSpace); err != nil {
		return err
	}
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	for _, write := range writes {
		var err error
		if write.Value == nil {
			err = txn.Delete(write.Key)
		} else {
			err = txn.Set(write.Key, write.Value)
		}
		if err != nil {
			return fmt.Errorf("writing the journal: %w", err)
		}
	}
	if err := txn.Commit(); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	if err := s.head.move(s.version()); err != nil {
		return err
	}
	return s.tables.update(s.db)
}

func (s *badgerStore) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) (err error) {
	defer asCorrupt(&err)
	return s.db.View(func(txn *badger.Txn) error {
		options := badger.DefaultIteratorOptions
		options.Prefix = prefix
		options.PrefetchValues = false // they stand beside their keys
		options.PrefetchValues = false // they lie beside their keys
		records := txn.NewIterator(options)
		defer records.Close()
		if bytes.Compare(from, prefix) < 0 {
			from = prefix
		}
		for records.Seek(from); records.Valid(); records.Next() {
			more := false
			err := records.Item().Value(func(value []byte) (err error) {
				more, err = visit(records.Item().Key(), value)
				return err
			})
			if err != nil || !more {
				return err
			}
		}
		return nil
	})
}

// Close closes the store and seals its files. On a full disk it leaves them as a
// crash would, because Badger writes its memory table out when it closes; all that
// was acknowledged is in the log already, and the next Open says what is missing.
func (s *badgerStore) Close() error {
	if s.Room() != nil {
		return s.head.close()
	}
	if err := errors.Join(s.db.Close(), s.head.close()); err != nil {
		return err
	}
	return writeSeal(s.dir)
}
