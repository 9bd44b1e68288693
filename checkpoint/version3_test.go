package checkpoint

import (
	"testing"
)

// version3 reads a journal of the version whose records were all in JSON. Attempt 1 was
// forfeited and 4 bought its phone again; 2 has an answer with everything that an answer
// can have, by name, for the job "crm"; 3 was rejected; 5 found nobody; 6 is forgotten; 7
// has an email; 8 was refused with a pause; 9 is in doubt; 10 was in flight when the
// process ended. The account's base came after attempt 1.
func version3(t *testing.T) *memStore { return recordsIn(t, "testdata/journal-v3.tsv", 3) }

// repacked reads every record of a store and writes it again, as this version does.
func repacked(t *testing.T, store *memStore) *memStore {
	t.Helper()
	fresh := newMemStore()
	kinds := packedKinds()
	for key, value := range store.records {
		name := kindOf(key[0])
		switch {
		case key == string(booksKey):
			name = "books"
		case key[0] == openPrefix:
			name = "open mark"
		case key[0] == dayPrefix:
			name = "span"
		}
		fresh.records[key] = append([]byte{recordVersion}, value[1:]...) // in JSON as well
		if kind, packed := kinds[name]; packed {
			var err error
			if fresh.records[key], err = kind.again(value); err != nil {
				t.Fatal(err)
			}
		}
	}
	return fresh
}
