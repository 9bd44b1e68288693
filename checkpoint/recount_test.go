package checkpoint

import (
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"payonce/attempt"
)

// recordsIn reads records of a version that are in JSON: each line of the file has the
// kind of a record, its ID, name or key, and the record.
func recordsIn(t *testing.T, file string, version byte) *memStore {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	store := newMemStore()
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		key := nameKey(parts[0][0], parts[1])
		switch key[0] {
		case intentPrefix, resolutionPrefix, doubtPrefix, openPrefix:
			id, err := strconv.ParseUint(parts[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			key = idKey(key[0], attempt.ID(id))
		case fieldPrefix:
			name, err := hex.DecodeString(parts[1])
			if err != nil {
				t.Fatal(err)
			}
			key = nameKey(fieldPrefix, string(name))
		}
		store.records[string(key)] = append([]byte{version}, parts[2]...)
	}
	return store
}

// openOld opens the journal that is in the store.
func openOld(t *testing.T, store *memStore) *rig {
	r := &rig{t: t, store: store, clock: &clock{start.AddDate(0, 0, 2)}, rate: Rate{Slots: 1000, Window: time.Minute}}
	r.reopen()
	t.Cleanup(func() { r.Close() })
	return r
}

func wantSound(t *testing.T, store Store) {
	t.Helper()
	if problems := problemsOf(t, store); len(problems) > 0 {
		t.Errorf("problems:\n%s", strings.Join(problems, "\n"))
	}
}
