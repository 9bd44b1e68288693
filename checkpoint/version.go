package checkpoint

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/dchest/siphash"

	"payonce/checkpoint/record"
)

// Version identifies everything that the journal durably knows of subjects and of calls about them. While the
// version is the same, Record, Records, Recall and Forgotten return the same, also after the journal was closed and
// opened again. Records of runs, files and accounts do not change it. Ask for the version before you read, because a
// commit may come in between. Never decide to spend because a version is unchanged.
//
// Versions can only be compared for equality. Every commit that changes the version writes a new random number. So a
// journal that was restored from a backup and continued does not reach an earlier version again.
func (j *Journal) Version() uint64 {
	j.look()
	defer j.mu.Unlock()
	state := slices.Clone(j.change)
	// A new base of an account ends provisional charges, but writes no record of a call.
	provisional := j.state.provisional()
	for _, id := range slices.SortedFunc(maps.Keys(provisional), cmp.Compare) {
		state = binary.LittleEndian.AppendUint64(state, uint64(id))
		state = binary.LittleEndian.AppendUint64(state, uint64(provisional[id]))
	}
	return siphash.Hash(binary.LittleEndian.Uint64(j.secret), binary.LittleEndian.Uint64(j.secret[8:]), state)
}

// recoverVersion finds the version again that the journal had when it was closed.
func (j *Journal) recoverVersion() (err error) {
	j.change, _, err = record.Load[[]byte](j.store, record.ChangeKey)
	return err
}

// changeLength is the length of the random number of a change, in bytes.
const changeLength = 16

// newChange returns the random number of a change and the write of it.
func newChange() (change []byte, write Write) {
	change = make([]byte, changeLength)
	rand.Read(change) // never fails
	return change, Write{Key: record.ChangeKey, Value: record.Encode(&change)}
}
