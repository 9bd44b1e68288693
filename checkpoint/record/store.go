// This file declares what the journal needs of a store of records, and the errors that every store returns. The
// journal does not know which store it has.

package record

import "errors"

// Errors of a store and of the journal that is kept in it.
var (
	// ErrCorrupt is wrapped by errors about records that cannot be trusted.
	ErrCorrupt = errors.New("the journal is damaged")
	// ErrNewer is wrapped by errors about records that only a newer program can continue.
	ErrNewer = errors.New("the journal was written by a newer program")
	// ErrFailed is wrapped by every error after a commit failed.
	ErrFailed = errors.New("the journal stopped because it could not write; nothing more is sent")
	// ErrVersion is wrapped by errors about records that another version of the program wrote.
	ErrVersion = errors.New("the journal was written by another version of this program")
	// ErrEncryptionKey is wrapped by errors about a missing, unexpected or wrong encryption key.
	ErrEncryptionKey = errors.New("the journal's encryption key does not fit")
	// ErrNotWritable is wrapped by errors about a journal that cannot be written.
	ErrNotWritable = errors.New("the journal cannot be written")
)

// Restore is what an error about damage says to do next.
const Restore = "restore the directory from a backup"

// Store keeps the records of a journal. Its contract is the durability of the journal:
//
//   - Commit is atomic. After a crash at any moment all of its writes are there, or none.
//     Of two writes of a key the later one counts.
//   - When Commit returns nil, its writes are durable. When it returns an error, they may
//     or may not be there. The journal then stops, and opening it again decides.
//   - Get and Scan see every write whose Commit has returned nil.
//   - A store that lost a durable write returns an error that wraps ErrCorrupt, at the
//     latest when the record is read. It never reports the record as missing.
//
// Many goroutines may call Get and Scan at the same time. Only one at a time may call
// Commit. A visit of Scan may read, but must not wait for a commit.
type Store interface {
	// Get returns the value of key, or nil when there is none.
	Get(key []byte) ([]byte, error)
	Commit(writes []Write) error
	// Scan visits the records whose keys start with prefix and are not below from, in
	// ascending order, until visit returns false or an error. Key and value are valid only
	// during the visit.
	Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error
	// Version returns the number of the last durable commit. It grows with every commit,
	// and stays the same when the store is closed and opened again.
	Version() uint64
	Close() error
}

// Write sets a key, or deletes it when Value is nil.
type Write struct {
	Key, Value []byte
}

// writeRoom is what a write takes in a transaction besides its key and its value, in
// bytes: a transaction limits the number of its writes as well as their length.
const writeRoom = 96

// Size returns how much of a commit the write takes, in bytes.
func (w Write) Size() int { return len(w.Key) + len(w.Value) + writeRoom }

// CommitSize is how many bytes of writes a journal gathers for one commit. Every store takes a commit of twice this size,
// and long values besides.
const CommitSize = 216 << 10

// WithStop returns the store with scans that end when stop returns an error. Stop is called
// before every record, by any goroutine. A nil stop ends no scan.
func WithStop(s Store, stop func() error) Store {
	if stop == nil {
		return s
	}
	return stopping{s, stop}
}

// stopping is a Store whose scans can be ended.
type stopping struct {
	Store
	stop func() error
}

func (s stopping) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	return s.Store.Scan(prefix, from, func(key, value []byte) (bool, error) {
		if err := s.stop(); err != nil {
			return false, err
		}
		return visit(key, value)
	})
}

func (s stopping) Seek(prefix, from []byte, visit Visit) error {
	return Seek(s.Store, prefix, from, func(key, value []byte) (bool, []byte, error) {
		if err := s.stop(); err != nil {
			return false, nil, err
		}
		return visit(key, value)
	})
}
