package workspace

import (
	"encoding/base64"
	"encoding/hex"

	"payonce/internal/problem"
)

// The environment variables with the keys that encrypt the journal at rest.
const (
	KeyVariable    = "BATCH_JOURNAL_KEY"
	NewKeyVariable = "BATCH_JOURNAL_NEW_KEY"
)

// keyLength is the length of such a key, in bytes.
const keyLength = 32

// ParseKey reads a key that comes from a variable; nil when the text is empty.
func ParseKey(variable, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	key, err := hex.DecodeString(text)
	if err != nil {
		key, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil || len(key) != keyLength {
		return nil, problem.Usagef("%s is not a key: it needs %d bytes as %d hexadecimal digits or in base64, such as %q makes",
			variable, keyLength, 2*keyLength, "openssl rand -hex 32")
	}
	return key, nil
}
