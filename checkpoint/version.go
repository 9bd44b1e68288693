package checkpoint

import (
	"crypto/rand"
	"encoding/binary"

	"payonce/checkpoint/record"

	"github.com/dchest/siphash"
)

// Version identifies everything that the journal durably knows. While the version is the same,
// reading the journal gives the same results, even after it was closed and opened again. Every
// commit changes the version. Ask for the version before you read, because a commit may come in
// between. Never decide to spend because a version is unchanged.
//
// Versions can only be compared for equality. A version depends on the number of the last
// commit, on the ledger state, and on a random number that the first commit after each opening
// writes. So a journal that was restored from a backup and continued does not reach an earlier
// version again.
func (j *Journal) Version() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.version
}

// versionOf returns the version of a journal whose last commit in the store left these
// books; nil for none yet.
func (j *Journal) versionOf(books []byte) uint64 {
	state := append(binary.LittleEndian.AppendUint64(nil, j.store.Version()), j.opening...)
	state = append(state, books...)
	return siphash.Hash(binary.LittleEndian.Uint64(j.secret), binary.LittleEndian.Uint64(j.secret[8:]), state)
}

// recoverVersion finds the version again that the journal had when it was closed.
func (j *Journal) recoverVersion() error {
	opening, _, err := record.Load[[]byte](j.store, record.OpeningKey)
	if err != nil {
		return err
	}
	j.opening = opening
	books, err := j.store.Get(record.StateKey)
	j.version = j.versionOf(books)
	return err
}

// openingLength is the length of the random number of an opening, in bytes.
const openingLength = 16

// markOpening returns what the first commit of an opening writes besides. The caller holds
// the lock.
func (j *Journal) markOpening() []Write {
	if j.marked {
		return nil
	}
	j.opening, j.marked = make([]byte, openingLength), true
	rand.Read(j.opening) // never fails
	return []Write{{Key: record.OpeningKey, Value: record.Encode(&j.opening)}}
}
