// This file encrypts the values of a journal. Keys and the columns that SQL needs are not encrypted.
//
// A value is encrypted with AES-256-GCM under a key that is derived from the user's key and from a random salt in the
// row of the workspace. So no two workspaces have the same derived key. The key of the record is the associated data: a
// value that was moved to another row, or to another workspace, cannot be read.
//
// The nonce is a keyed hash of the record's key and of the value. So different values have different nonces, and a
// record that is written again with the same value stays the same. The triggers that keep roles from changing records
// need that. For the same reason a resolution is encrypted in two parts: one without its charge, which never changes,
// and the charge, which a correction changes.

package pgstore

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"payonce/checkpoint/record"
)

const (
	// sealed is the first byte of an encrypted value. No version of a record has this value.
	sealed = 0xe1
	// saltLength and checkLength are the lengths of the two parts of the column encryption, in bytes.
	saltLength  = 16
	checkLength = 16
	// lengthOfFirst is the size of the number that gives the length of the first part, in bytes.
	lengthOfFirst = 4
)

// codec encodes and decodes the values of one workspace. The zero codec stores them as they are.
type codec struct {
	gcm      cipher.AEAD // nil for no encryption
	nonceKey []byte
}

// newEncryption returns the salt and the check value of a key, for the row of a workspace. The check value shows
// whether another key is the same. The result is empty for no key.
func newEncryption(key []byte) ([]byte, error) {
	if len(key) == 0 {
		return []byte{}, nil
	}
	salt := make([]byte, saltLength)
	rand.Read(salt) // never fails
	check, err := derive(key, salt, "check", checkLength)
	return append(salt, check...), err
}

// derive returns a key for one purpose.
func derive(key, salt []byte, purpose string, length int) ([]byte, error) {
	return hkdf.Key(sha256.New, key, salt, "payonce "+purpose, length)
}

// codecOf returns the codec of a workspace. Encryption is the salt and the check value in its row. The error wraps
// record.ErrEncryptionKey when the key does not fit.
func codecOf(key, encryption []byte) (codec, error) {
	switch {
	case len(key) == 0 && len(encryption) == 0:
		return codec{}, nil
	case len(key) == 0:
		return codec{}, fmt.Errorf("%w: the journal is encrypted and no key was given", record.ErrEncryptionKey)
	case len(encryption) == 0:
		return codec{}, fmt.Errorf("%w: a key was given and the journal is not encrypted", record.ErrEncryptionKey)
	case len(encryption) != saltLength+checkLength:
		return codec{}, fmt.Errorf("%w: the salt and check value of its encryption key have %d bytes", record.ErrCorrupt, len(encryption))
	}
	salt := encryption[:saltLength]
	check, err := derive(key, salt, "check", checkLength)
	if err != nil {
		return codec{}, err
	}
	if !hmac.Equal(check, encryption[saltLength:]) {
		return codec{}, fmt.Errorf("%w: it is not the key that the journal was encrypted with", record.ErrEncryptionKey)
	}
	valueKey, err := derive(key, salt, "values", 32)
	if err != nil {
		return codec{}, err
	}
	nonceKey, err := derive(key, salt, "nonces", 32)
	if err != nil {
		return codec{}, err
	}
	block, err := aes.NewCipher(valueKey)
	if err != nil {
		return codec{}, err
	}
	gcm, err := cipher.NewGCM(block)
	return codec{gcm, nonceKey}, err
}

// encode returns how the value of a record is stored.
func (c codec) encode(key, value []byte) []byte {
	if c.gcm == nil || value == nil {
		return value
	}
	first, charge := value, []byte(nil)
	if hasCharge(key) {
		first, charge = splitCharge(value)
	}
	stored := binary.BigEndian.AppendUint32([]byte{sealed}, uint32(c.gcm.NonceSize()+len(first)+c.gcm.Overhead()))
	stored = c.seal(stored, firstPart, key, first)
	if hasCharge(key) {
		stored = c.seal(stored, chargePart, key, charge)
	}
	return stored
}

// hasCharge reports whether the value of a record is encrypted in two parts.
func hasCharge(key []byte) bool { return key[0] == record.ResolutionPrefix }

// The parts of a value.
const (
	firstPart  = 1
	chargePart = 2
)

// seal appends the nonce and the ciphertext of a part.
func (c codec) seal(to []byte, part byte, key, text []byte) []byte {
	bound := boundTo(part, key)
	hash := hmac.New(sha256.New, c.nonceKey)
	hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(bound))))
	hash.Write(bound)
	hash.Write(text)
	nonce := hash.Sum(nil)[:c.gcm.NonceSize()]
	return c.gcm.Seal(append(to, nonce...), nonce, text, bound)
}

// boundTo returns the associated data of a part of a record.
func boundTo(part byte, key []byte) []byte { return append([]byte{part}, key...) }

// decode returns the value of a record from how it is stored. It does not change stored.
func (c codec) decode(key, stored []byte) (value []byte, err error) {
	isSealed := len(stored) > 0 && stored[0] == sealed
	switch {
	case c.gcm == nil && !isSealed || stored == nil:
		return stored, nil
	case c.gcm == nil:
		return nil, fmt.Errorf("%w: its record %q is encrypted, and the journal is not", record.ErrCorrupt, key)
	case !isSealed:
		return nil, fmt.Errorf("%w: its record %q is not encrypted, and the journal is", record.ErrCorrupt, key)
	}
	first, charge, err := parts(stored)
	if err == nil {
		value, err = c.open(firstPart, key, first)
	}
	switch {
	case err == nil && hasCharge(key):
		if charge, err = c.open(chargePart, key, charge); err == nil {
			value, err = joinCharge(value, charge)
		}
	case len(charge) > 0:
		err = errParts
	}
	if err != nil {
		return nil, fmt.Errorf("%w: its record %q cannot be decrypted: it was changed, or moved from another record", record.ErrCorrupt, key)
	}
	return value, nil
}

var errParts = fmt.Errorf("%w: an encrypted record is cut short", record.ErrCorrupt)

// parts returns the parts of a stored value; charge is empty when there is none.
func parts(stored []byte) (first, charge []byte, err error) {
	if len(stored) < 1+lengthOfFirst {
		return nil, nil, errParts
	}
	length, rest := int(binary.BigEndian.Uint32(stored[1:])), stored[1+lengthOfFirst:]
	if length > len(rest) {
		return nil, nil, errParts
	}
	return rest[:length], rest[length:], nil
}

// open decrypts a part.
func (c codec) open(part byte, key, text []byte) ([]byte, error) {
	if len(text) < c.gcm.NonceSize() {
		return nil, errParts
	}
	nonce, text := text[:c.gcm.NonceSize()], text[c.gcm.NonceSize():]
	return c.gcm.Open([]byte{}, nonce, text, boundTo(part, key))
}

// splitCharge takes the charge out of a resolution. Charge is its position and its bytes. There are no bytes when the
// resolution has no charge, or more than one. The trigger payonce_keep compares what is left, as payonce_without_charge
// does for plain values.
func splitCharge(value []byte) (rest, charge []byte) {
	const version = 1 // the length of the version
	start, end, none := 0, 0, []byte{0}
	for at := min(version, len(value)); at < len(value); {
		number, _, length := protowire.ConsumeField(value[at:])
		switch {
		case length < 0, number == record.ChargeMember && end > 0:
			return value, none
		case number == record.ChargeMember:
			start, end = at, at+length
		}
		at += length
	}
	if end == 0 {
		return value, none
	}
	charge = append(binary.AppendUvarint(nil, uint64(start)), value[start:end]...)
	return slices.Concat(value[:start], value[end:]), charge
}

// joinCharge reverses splitCharge.
func joinCharge(rest, charge []byte) ([]byte, error) {
	start, length := binary.Uvarint(charge)
	if length <= 0 || start > uint64(len(rest)) {
		return nil, errParts
	}
	return bytes.Join([][]byte{rest[:start], charge[length:], rest[start:]}, nil), nil
}
