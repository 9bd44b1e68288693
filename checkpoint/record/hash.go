package record

import (
	"encoding/binary"

	"github.com/dchest/siphash"

	"payonce/enrich"
)

func HashKey(secret []byte, id enrich.Identity) enrich.Key {
	return KeyOf(secret, []byte(id.Canonical()))
}

// KeyOf hashes a canonical form. The two halves stand in little-endian order, as the
// hash's authors write them.
func KeyOf(secret, canonical []byte) (key enrich.Key) {
	low, high := siphash.Hash128(binary.LittleEndian.Uint64(secret), binary.LittleEndian.Uint64(secret[8:]), canonical)
	binary.LittleEndian.PutUint64(key[:], low)
	binary.LittleEndian.PutUint64(key[8:], high)
	return key
}
