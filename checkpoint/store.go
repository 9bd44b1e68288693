package checkpoint

// Store keeps the journal's records. Its contract is the journal's durability:
//
//   - Commit is atomic: after a crash at any moment all of its writes are there or
//     none is; of two writes of a key the later one counts. When it returns nil they
//     are durable. When it returns an error they may or may not be there; the journal
//     then stops and reopening decides.
//   - Get and Scan see every write whose Commit has returned nil.
//   - Get and Scan may be called from many goroutines, Commit from one at a time. A
//     visit of Scan may read, but must not wait for a commit.
type Store interface {
	// Get returns the value of key, nil when there is none.
	Get(key []byte) ([]byte, error)
	Commit(writes []Write) error
	// Scan visits the records whose keys start with prefix and are not below
	// from, in ascending order, until visit returns false or an error. Key and
	// value are valid only during the visit.
	Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error
	// Version returns the number of the last durable commit. It grows with every commit,
	// and is the same when the store is closed and opened again.
	Version() uint64
	Close() error
}

// roomy is a Store that knows when it becomes too full for new attempts, while it
// still has room for the resolutions of those in flight.
type roomy interface{ Room() error }

// Write sets a key, or deletes it when Value is nil.
type Write struct {
	Key, Value []byte
}

// writeRoom is what a write takes in a transaction besides its key and its value, in
// bytes: a transaction is bounded in its writes as well as in their length.
const writeRoom = 64

// size returns how much of a commit the write takes, in bytes.
func (w Write) size() int { return len(w.Key) + len(w.Value) + writeRoom }
