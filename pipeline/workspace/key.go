package workspace

import (
	"encoding/base64"
	"encoding/hex"

	"payonce/pipeline/problem"
)

// Key is a key that encrypts a journal at rest, as the user gave it.
type Key struct {
	From string // what the user set, for messages
	Text string // "" for none
}

// keyLength is the length of such a key, in bytes.
const keyLength = 32

// Parse returns the bytes of the key; nil when there is none.
func (k Key) Parse() ([]byte, error) {
	if k.Text == "" {
		return nil, nil
	}
	key, err := hex.DecodeString(k.Text)
	if err != nil {
		key, err = base64.StdEncoding.DecodeString(k.Text)
	}
	if err != nil || len(key) != keyLength {
		return nil, problem.Usagef("%s is not a key: it needs %d bytes as %d hexadecimal digits or in base64, such as %q makes",
			k.From, keyLength, 2*keyLength, "openssl rand -hex 32")
	}
	return key, nil
}
