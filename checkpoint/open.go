package checkpoint

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"payonce/enrich"
)

// Options say how a journal is opened.
type Options struct {
	Rate   Rate
	Now    func() time.Time
	Holder string // what a second process is told about who holds the journal
	// EncryptionKey encrypts the journal on the disk: 32 bytes, or nil for a plain one.
	EncryptionKey []byte
	// Stop is asked before every record of a walk over an open journal; its error ends
	// the walk. nil lets all walks end by themselves. It is called by several goroutines.
	Stop func() error

	verifyAtOpen int64 // bytes of tables; zero is verifyAtOpen
}

// identityRecord is the journal's own identity, made when it is created.
type identityRecord struct {
	ID     string `json:"id"`
	Secret []byte `json:"secret"` // 16 bytes
}

// markerName is a file beside the store with the journal's ID in it. A directory
// that has it and a store that does not know that ID is a damaged journal; it
// must never be mistaken for a new one.
const markerName = "JOURNAL"

// storeName is the directory of the store beside the marker.
const storeName = "store"

// Open opens the journal in dir, or creates it. The directory is locked against
// other processes: a *LockedError names the holder. Attempts that were in flight
// when the last process ended are in doubt afterwards.
//
// An error wraps ErrCorrupt when the journal is damaged, ErrEncryptionKey when the
// key does not fit, and ErrNotWritable when dir cannot be written. Nothing can be
// sent then: there is no journal to get leave from.
func Open(dir string, options Options) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotWritable, err)
	}
	unlock, err := lockDir(dir, options.Holder)
	if err != nil {
		return nil, err
	}
	j, err := openLocked(dir, options)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	j.unlock = unlock
	return j, nil
}

func openLocked(dir string, options Options) (*Journal, error) {
	store, known, err := openStoreIn(dir, options)
	if err != nil {
		return nil, err
	}
	j, err := openStore(store, known, store.guard.whole(), options)
	if err == nil {
		err = store.guard.counted()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the journal in %s: %w", dir, err), store.Close())
	}
	store.stop = options.Stop // not before: what opening has to find out it finds out
	if known == "" {
		err := errors.Join(writeSynced(filepath.Join(dir, markerName), j.id), syncNames(dir, syncDir))
		if err != nil {
			return nil, errors.Join(err, j.Close())
		}
	}
	return j, nil
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

// openStoreIn opens the store in the locked directory, and returns the ID of the
// journal that it must hold, "" for a new one.
func openStoreIn(dir string, options Options) (*badgerStore, string, error) {
	storeDir := filepath.Join(dir, storeName)
	if err := mustBeFree(storeDir); err != nil {
		return nil, "", err
	}
	if err := finishSwap(storeDir); err != nil {
		return nil, "", err
	}
	known, err := readMarker(filepath.Join(dir, markerName), storeDir)
	if err != nil {
		return nil, "", err
	}
	store, err := openBadger(storeDir, options.EncryptionKey, cmp.Or(options.verifyAtOpen, verifyAtOpen))
	if err != nil {
		return nil, "", fmt.Errorf("opening the journal in %s: %w", dir, err)
	}
	return store, known, nil
}

// readMarker returns the ID of the journal that the directory should hold, "" for
// a new one.
func readMarker(marker, storeDir string) (string, error) {
	id, err := os.ReadFile(marker)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if len(id) == 0 {
		return "", fmt.Errorf("%w: %s is empty; %s", ErrCorrupt, marker, restore)
	}
	return string(id), mustHaveManifest(storeDir)
}

// openStore opens the journal in a store that must hold the one with the known ID.
// The records of a store that is not known to be whole are counted.
func openStore(store Store, known string, whole bool, options Options) (*Journal, error) {
	identity, found, err := load[identityRecord](store, identityKey)
	if err != nil {
		return nil, err
	}
	if known != "" && identity.ID != known {
		return nil, otherStore(known)
	}
	if !found {
		if identity, err = newIdentity(store); err != nil {
			return nil, err
		}
	}
	return newJournal(store, identity, whole, options)
}

func otherStore(known string) error {
	return fmt.Errorf("%w: its store does not hold journal %.40q; %s", ErrCorrupt, known, restore)
}

// New opens the journal in a store of the caller's, which Close closes.
func New(store Store, options Options) (*Journal, error) { return openStore(store, "", false, options) }

func newIdentity(store Store) (identityRecord, error) {
	random := make([]byte, 32)
	rand.Read(random) // never fails
	identity := identityRecord{ID: hex.EncodeToString(random[:16]), Secret: random[16:]}
	return identity, store.Commit([]Write{{identityKey, encode(&identity)}})
}

func newJournal(store Store, identity identityRecord, whole bool, options Options) (*Journal, error) {
	if len(identity.Secret) != secretLength {
		return nil, fmt.Errorf("%w: its secret has %d bytes", ErrCorrupt, len(identity.Secret))
	}
	j := &Journal{
		store: store, now: options.Now, id: identity.ID, secret: identity.Secret,
		books: newBooks(options.Rate),
		wake:  make(chan struct{}, 1), stopping: make(chan struct{}), stopped: make(chan struct{}),
	}
	j.drained = sync.NewCond(&j.mu)
	if err := errors.Join(j.recover(whole), j.recoverVersion()); err != nil {
		return nil, err
	}
	go j.commitLoop()
	return j, nil
}

// Close waits for what is being written and closes the journal.
func (j *Journal) Close() error {
	close(j.stopping)
	<-j.stopped
	err := j.store.Close()
	if j.failure != nil {
		err = nil // whoever wrote was told, and reopening decides
	}
	if j.unlock != nil {
		err = errors.Join(err, j.unlock())
	}
	return err
}

// AnonymousKey returns a function that hashes canonical forms with a secret of its
// own, for planning where no journal exists yet.
func AnonymousKey() func(canonical []byte) enrich.Key {
	secret := make([]byte, secretLength)
	rand.Read(secret) // never fails
	return func(canonical []byte) enrich.Key { return keyOf(secret, canonical) }
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
