package record

import (
	"encoding/binary"

	"github.com/dchest/siphash"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
)

func HashKey(secret []byte, id enrich.Identity) enrich.Key {
	return KeyOf(secret, id.AppendCanonical(make([]byte, 0, 256)))
}

// KeyIn returns the key that an identity has in an account. Key is that in the account 0. It is not
// made of the identity, so that an identity that was forgotten, of which only the key is left, is
// found in an account that the journal gets later.
func KeyIn(account attempt.Account, secret []byte, key enrich.Key) enrich.Key {
	if account == 0 {
		return key
	}
	form := make([]byte, 0, 32)
	form = binary.BigEndian.AppendUint32(append(form, "account\x1f"...), uint32(account))
	return KeyOf(secret, append(form, key[:]...))
}

// KeyOf hashes a canonical form. The two halves stand in little-endian order, as the
// hash's authors write them.
func KeyOf(secret, canonical []byte) (key enrich.Key) {
	low, high := siphash.Hash128(binary.LittleEndian.Uint64(secret), binary.LittleEndian.Uint64(secret[8:]), canonical)
	binary.LittleEndian.PutUint64(key[:], low)
	binary.LittleEndian.PutUint64(key[8:], high)
	return key
}
