package checkpoint

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// memory is a store of records in the order of their keys.
type memory []record.Write

func (m memory) Get(key []byte) ([]byte, error) {
	at, found := slices.BinarySearchFunc(m, key, func(w record.Write, key []byte) int { return bytes.Compare(w.Key, key) })
	if !found {
		return nil, nil
	}
	return m[at].Value, nil
}

func (memory) Commit([]record.Write) error { return nil }

func (m memory) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	for _, w := range m {
		if !bytes.HasPrefix(w.Key, prefix) || bytes.Compare(w.Key, from) < 0 {
			continue
		}
		if more, err := visit(w.Key, w.Value); err != nil || !more {
			return err
		}
	}
	return nil
}

func (memory) Version() uint64 { return 1 }

func (memory) Close() error { return nil }

// answeredValues returns a store with answered attempts from 1 on, and their numbers.
func answeredValues(attempts int) (m memory, all []attempt.ID) {
	start := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	var ends []record.Write
	for n := range attempts {
		id := attempt.ID(n + 1)
		all = append(all, id)
		in := record.Intent{At: start, Identity: enrich.Identity{ProfileURL: fmt.Sprintf("https://pro.example/in/p%d", n)}, Run: "run"}
		end := attempt.Resolution{
			State: attempt.Settled, At: start, Run: "run", Status: enrich.Matched, Data: fmt.Sprintf("p%d@b.example", n), Sent: true,
		}
		m = append(m, record.Write{Key: record.IDKey(record.IntentPrefix, id), Value: record.Encode(&in)})
		ends = append(ends, record.Write{Key: record.IDKey(record.ResolutionPrefix, id), Value: record.Encode(&end)})
	}
	return append(m, ends...), all
}

// readOutcome reads attempts, and fails the test unless each was about the right person.
func readOutcome(t *testing.T, r *outcomeReader, ids []attempt.ID) {
	t.Helper()
	known, err := r.Read(ids, nil)
	if err != nil || len(known) != len(ids) {
		t.Fatalf("%d outcomes of %d, error %v", len(known), len(ids), err)
	}
	for i, outcome := range known {
		if want := fmt.Sprintf("p%d@b.example", ids[i]-1); outcome.Ended.Data != want {
			t.Fatalf("attempt %d: %+v, want %s", ids[i], outcome, want)
		}
	}
}

func TestOutcomesAreCachedOnlyWhenAttemptsLieApart(t *testing.T) {
	for name, c := range map[string]struct {
		memory int64
		apart  bool
		kept   bool
	}{
		"apart":                   {apart: true, kept: true},
		"together":                {},
		"apart, with room":        {memory: 1 << 20, apart: true, kept: true},
		"apart, without room":     {memory: 1000, apart: true},
		"apart, room for a chunk": {memory: 2 * chunkOverhead, apart: true},
	} {
		t.Run(name, func(t *testing.T) {
			m, all := answeredValues(300)
			reader := newOutcomeReader(m, OutcomeOptions{Last: 300, Memory: c.memory, Who: true})
			for n := range 100 {
				ids := all[:100]
				if c.apart {
					ids = []attempt.ID{all[n], all[n+100], all[n+200]}
				} else if n > 15 {
					break // many calls of however many lie apart too
				}
				readOutcome(t, reader, ids)
			}
			for kind, cache := range map[string]*cache{"intents": reader.intents, "resolutions": reader.resolutions} {
				if kept := cache.kept() > 0; kept != c.kept {
					t.Errorf("%s kept %t, want %t", kind, kept, c.kept)
				}
			}
		})
	}
}

// TestTheOutcomeCacheStaysWithinItsMemoryLimit reads everything again and again, with room for a part.
func TestTheOutcomeCacheStaysWithinItsMemoryLimit(t *testing.T) {
	m, all := answeredValues(1000)
	full := newOutcomeReader(m, OutcomeOptions{Last: 1000})
	part := newOutcomeReader(m, OutcomeOptions{Last: 1000, Memory: 40_000})
	for n := range 200 {
		ids := []attempt.ID{all[n], all[n+200], all[n+400], all[n+600], all[n+800]}
		readOutcome(t, full, ids)
		readOutcome(t, part, ids)
	}
	chunks := (len(all) + chunkSize - 1) / chunkSize
	if kept := full.resolutions.kept(); kept != chunks {
		t.Errorf("%d chunks of %d are kept without a ceiling", kept, chunks)
	}
	if kept := part.resolutions.kept(); kept == 0 || kept == chunks {
		t.Errorf("%d chunks of %d are kept in a part of the room", kept, chunks)
	}
	size := int64(0)
	for i := range part.resolutions.chunks {
		if records := part.resolutions.chunks[i].Load(); records != nil {
			size += int64(len(records.values) + chunkOverhead)
		}
	}
	if size > 40_000/garbageShare {
		t.Errorf("%d bytes are kept, more than there is room for", size)
	}
	if roomIn(0) != math.MaxInt64 {
		t.Error("0 is a ceiling")
	}
}

// kept returns how many chunks are in memory.
func (c *cache) kept() (chunks int) {
	for i := range c.chunks {
		if c.chunks[i].Load() != nil {
			chunks++
		}
	}
	return chunks
}
