package badgerstore

import (
	"sync"

	"payonce/checkpoint/record"
)

// Snapshot is the store as one commit left it. Later commits do not change it. Its methods may be
// called from many goroutines.
type Snapshot struct {
	engine  *engine
	version uint64
	release func()
}

// Snapshot returns the store as the last durable commit left it. It delays no commit. The caller must
// close it before the store: until then the store keeps the versions that later commits replace.
func (s *engine) Snapshot() *Snapshot {
	s.mu.RLock()
	return &Snapshot{s, s.durable.Load(), sync.OnceFunc(s.mu.RUnlock)}
}

// Get returns the value of key, or nil when there is none.
func (s *Snapshot) Get(key []byte) ([]byte, error) { return s.engine.getAt(s.version, key) }

// Seek is the Seek of the store, on the records of the snapshot.
func (s *Snapshot) Seek(prefix, from []byte, visit record.Visit) error {
	return s.engine.seekAt(s.version, prefix, from, visit)
}

// Version returns the number of the last commit that the snapshot has.
func (s *Snapshot) Version() uint64 { return s.version }

// Close lets the store drop what later commits replaced. A second Close does nothing.
func (s *Snapshot) Close() { s.release() }
