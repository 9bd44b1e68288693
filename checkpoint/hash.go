package checkpoint

import (
	"encoding/binary"

	"github.com/dchest/siphash"

	"payonce/enrich"
)

func hashKey(secret []byte, id enrich.Identity) enrich.Key {
	return keyOf(secret, []byte(id.Canonical()))
}

// keyOf hashes a canonical form. The two halves stand in little-endian order, as the
// hash's authors write them.
func keyOf(secret, canonical []byte) (key enrich.Key) {
	low, high := siphash.Hash128(binary.LittleEndian.Uint64(secret), binary.LittleEndian.Uint64(secret[8:]), canonical)
	binary.LittleEndian.PutUint64(key[:], low)
	binary.LittleEndian.PutUint64(key[8:], high)
	return key
}
