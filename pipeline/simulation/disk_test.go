package simulation

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"payonce/checkpoint"
)

// errDead is what a dead process gets to hear from the world. Nobody is there to
// hear it; it ends the goroutines of the process.
var errDead = errors.New("the process is dead")

// errDisk is a commit that failed while the process lives on.
var errDisk = errors.New("the disk failed")

// disk is what outlives the process.
type disk struct {
	mu      sync.Mutex
	records map[string][]byte
	applied uint64 // commits
	// synced is what a crash leaves of the records on a disk that does not sync;
	// nil on one that does.
	synced map[string][]byte
}

func newDisk(syncs bool) *disk {
	d := &disk{records: map[string][]byte{}}
	if !syncs {
		d.synced = map[string][]byte{}
	}
	return d
}

func (d *disk) apply(writes []checkpoint.Write) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.applied++
	for _, write := range writes {
		if write.Value == nil {
			delete(d.records, string(write.Key))
		} else {
			d.records[string(write.Key)] = bytes.Clone(write.Value)
		}
	}
}

// flush is what the system does now and then by itself.
func (d *disk) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.synced != nil {
		d.synced = maps.Clone(d.records)
	}
}

// lose drops what a crash does not leave.
func (d *disk) lose() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.synced != nil {
		d.records = maps.Clone(d.synced)
	}
}

func (d *disk) get(key string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return bytes.Clone(d.records[key])
}

func (d *disk) has(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.records[key] != nil
}

// scan returns the records under a prefix in their order.
func (d *disk) scan(prefix, from string) []checkpoint.Write {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []checkpoint.Write
	for key, value := range d.records {
		if strings.HasPrefix(key, prefix) && key >= from {
			found = append(found, checkpoint.Write{Key: []byte(key), Value: value})
		}
	}
	slices.SortFunc(found, func(a, b checkpoint.Write) int { return bytes.Compare(a.Key, b.Key) })
	return found
}

// store is the disk as one process sees it.
type store struct {
	*process
	commits int
}

func (s *store) Get(key []byte) ([]byte, error) {
	if s.isDead() {
		return nil, errDead
	}
	return s.world.disk.get(string(key)), nil
}

func (s *store) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	if s.isDead() {
		return errDead
	}
	for _, record := range s.world.disk.scan(string(prefix), string(from)) {
		if more, err := visit(record.Key, record.Value); err != nil || !more {
			return err
		}
	}
	return nil
}

// Commit has two points at which the process can die: before anything is kept, and
// when all is kept but nobody was told. When it dies of something else while the
// disk works, it is open which of the two it was.
func (s *store) Commit(writes []checkpoint.Write) error {
	s.commits++
	w, drawn := s.world, s.world.draws.of("commit", s.number, s.commits)
	switch s.point("commit") {
	case pointFail:
		return errDisk
	case pointDie:
		return errDead
	}
	w.clock.pass(w.commitTime.draw(drawn))
	if s.isDead() {
		if w.disk.synced == nil && drawn.IntN(2) == 0 {
			w.disk.apply(writes)
		}
		return errDead
	}
	before := w.check.totalsOf(s.process, writes)
	w.disk.apply(writes)
	w.check.committed(s.process, before, writes)
	if drawn.IntN(12) == 0 {
		w.disk.flush()
	}
	w.trace("commit %d of start %d: %d writes", s.commits, s.number, len(writes))
	switch s.point("committed") {
	case pointFail:
		return errDisk
	case pointDie:
		return errDead
	}
	return nil
}

func (s *store) Version() uint64 {
	s.world.disk.mu.Lock()
	defer s.world.disk.mu.Unlock()
	return s.world.disk.applied
}

func (s *store) Close() error { return nil }
