package simulation_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"payonce/checkpoint"
)

// disk is what outlives a process.
type disk struct {
	mu      sync.Mutex
	records map[string][]byte
	version uint64 // of the last commit
}

// mount is one process's hold on a disk; it is the journal's store.
type mount struct {
	disk    *disk
	latency time.Duration // of a commit

	mu      sync.Mutex
	refusal error // every commit fails, and nothing reaches the disk
}

func newDisk() *disk { return &disk{records: map[string][]byte{}} }

func (d *disk) mount() *mount { return &mount{disk: d} }

var errPulled = errors.New("the disk was pulled out")

// pull takes the disk away from its process, as the death of that process does.
func (m *mount) pull() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusal = errPulled
}

func (m *mount) refuses() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refusal
}

func (m *mount) Commit(writes []checkpoint.Write) error {
	if m.latency > 0 {
		<-time.After(m.latency)
	}
	if err := m.refuses(); err != nil {
		return err
	}
	m.disk.mu.Lock()
	defer m.disk.mu.Unlock()
	m.disk.version++
	for _, w := range writes {
		if w.Value == nil {
			delete(m.disk.records, string(w.Key))
			continue
		}
		m.disk.records[string(w.Key)] = bytes.Clone(w.Value)
	}
	return nil
}

func (m *mount) Version() uint64 {
	m.disk.mu.Lock()
	defer m.disk.mu.Unlock()
	return m.disk.version
}

func (m *mount) Get(key []byte) ([]byte, error) {
	m.disk.mu.Lock()
	defer m.disk.mu.Unlock()
	return bytes.Clone(m.disk.records[string(key)]), nil
}

func (m *mount) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	m.disk.mu.Lock()
	records := maps.Clone(m.disk.records)
	m.disk.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(records)) {
		if !bytes.HasPrefix([]byte(key), prefix) || key < string(from) {
			continue
		}
		if more, err := visit([]byte(key), records[key]); err != nil || !more {
			return err
		}
	}
	return nil
}

func (m *mount) Close() error { return nil }
