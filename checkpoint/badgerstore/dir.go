// Package badgerstore keeps a journal in a directory, in a Badger database. It alone uses Badger.
//
// A directory of a journal holds:
//
//	LOCK       locked by the process that has the journal open; its text names that process
//	JOURNAL    the ID of the journal
//	store      the database, with the files HEAD and SEAL of this package beside Badger's
//	ERASING    while an erasure is not finished
//	COPIED     when the journal was copied elsewhere, and is only read
//
// Badger forgives damage, and a journal must not: a record that is missing would be bought
// again. So the package verifies Badger's files by itself, and syncs what Badger writes.
package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"payonce/checkpoint/record"
)

// Options say how a store is opened.
type Options struct {
	Holder string // what is shown to a second process about who holds the journal
	// EncryptionKey encrypts the store on the disk: 32 bytes, or nil for a plain one.
	EncryptionKey []byte
	// InOrder says that the records are read in their order, about once each. Then the
	// store keeps no parts of the tables in memory, and does not compact them.
	InOrder bool
	// Copying is called while the store is copied to remove what was erased from its files: how much is done of all, in
	// units that mean nothing else. The last call has done as all. It may be nil.
	Copying func(done, all int64)
	// Copied opens the journal also when it was copied elsewhere. Nothing may be paid from it then.
	Copied bool
	// smallTables limits the memory that copyStore takes.
	smallTables bool
}

// Store is the store of the journal in a separate directory, which no other process has
// open. It knows which journal it has to hold, and whether records may be missing.
type Store struct {
	*engine
	dir     string
	options Options
	journal string // the ID of the journal that is in the marker; "" for a new one
	erasing bool   // Close removes what was replaced
	unlock  func() error
}

// markerName is a file beside the database with the journal's ID in it. A directory
// that has it and a database that does not know that ID is a damaged journal; it
// must never be mistaken for a new one.
const markerName = "JOURNAL"

// engineName is the directory of the database beside the marker.
const engineName = "store"

// Open opens the store of the journal in dir, or creates it. It locks the directory against
// other processes: a *LockedError names the holder.
//
// The error wraps record.ErrCorrupt when the store is damaged, record.ErrEncryptionKey when the
// key does not fit, and record.ErrNotWritable when dir cannot be written.
func Open(dir string, options Options) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", record.ErrNotWritable, err)
	}
	unlock, err := lockDir(dir, options.Holder)
	if err != nil {
		return nil, err
	}
	s, err := openLocked(dir, options)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	s.unlock = unlock
	return s, nil
}

// OpenExisting is Open for a directory that must hold a journal.
func OpenExisting(dir string, options Options) (*Store, error) {
	exists, err := Exists(dir)
	if err == nil && !exists {
		err = fmt.Errorf("there is no journal in %s", dir)
	}
	if err != nil {
		return nil, err
	}
	return Open(dir, options)
}

func openLocked(dir string, options Options) (*Store, error) {
	if err := mustNotBeCopied(dir, options); err != nil {
		return nil, err
	}
	engineDir := filepath.Join(dir, engineName)
	if err := mustBeFree(engineDir); err != nil {
		return nil, err
	}
	if err := finishSwap(engineDir); err != nil {
		return nil, err
	}
	journal, err := readMarker(filepath.Join(dir, markerName), engineDir)
	if err != nil {
		return nil, err
	}
	// Without room for a copy of its tables the journal is opened as it is: what was paid for must
	// stay in reach. Close tries again.
	unfinished := finishErasure(dir, options)
	if unfinished != nil && (!errors.Is(unfinished, syscall.ENOSPC) || errors.Is(unfinished, errLeftOpen)) {
		return nil, unfinished
	}
	e, err := openEngineFor(engineDir, options)
	if err != nil {
		return nil, fmt.Errorf("opening the journal in %s: %w", dir, err)
	}
	return &Store{engine: e, dir: dir, options: options, journal: journal, erasing: unfinished != nil}, nil
}

// readMarker returns the ID of the journal that the directory should hold, "" for
// a new one.
func readMarker(marker, engineDir string) (string, error) {
	id, err := os.ReadFile(marker)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if len(id) == 0 {
		return "", fmt.Errorf("%w: %s is empty; %s", record.ErrCorrupt, marker, record.Restore)
	}
	return string(id), mustHaveManifest(engineDir)
}

// JournalID returns the ID of the journal that the store must hold, "" for a new store.
func (s *Store) JournalID() string { return s.journal }

// Whole reports whether no record can have been lost since Opened was called last.
func (s *Store) Whole() bool { return s.guard.whole() }

// Opened records that the journal with this ID was opened, and that none of its records is
// missing.
func (s *Store) Opened(id string) error {
	if err := s.guard.counted(); err != nil || s.journal == id {
		return err
	}
	s.journal = id
	return errors.Join(writeSynced(filepath.Join(s.dir, markerName), id), syncNames(s.dir, syncDir))
}

// Close closes the store, removes from its files what was erased, and unlocks its directory. When the
// files cannot be sealed, the next opening removes it.
func (s *Store) Close() error {
	sealed, err := s.engine.close()
	if sealed && s.erasing {
		err = finishErasure(s.dir, s.options)
	}
	return errors.Join(err, s.unlock())
}

// syncNames syncs the directories above dir, of which Open may have made some: a loss of
// power must not take one away with all that was acknowledged in it. One that may not be
// read or cannot be synced, as on a network, was there before.
func syncNames(dir string, sync func(dir string) error) error {
	path, err := filepath.Abs(dir)
	for above := filepath.Dir(path); err == nil && above != path; path, above = above, filepath.Dir(above) {
		if err = sync(above); errors.Is(err, fs.ErrPermission) || cannotBeSynced(err) {
			err = nil
		}
	}
	return err
}

// cannotBeSynced reports whether an error says that nothing of the kind is ever synced.
func cannotBeSynced(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EROFS) || errors.Is(err, errors.ErrUnsupported)
}

// Exists reports whether dir holds a journal. The error says that it cannot be seen, which
// is not the same as none.
func Exists(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, markerName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
