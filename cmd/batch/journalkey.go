package main

import (
	"encoding/base64"
	"encoding/hex"
)

// The environment variables with the keys that encrypt the journal at rest.
const (
	journalKeyName    = "BATCH_JOURNAL_KEY"
	newJournalKeyName = "BATCH_JOURNAL_NEW_KEY"
)

// journalKeyLength is the length of such a key, in bytes.
const journalKeyLength = 32

// journalKey reads a key from the environment; nil when the variable is not set.
func (s *settings) journalKey(name string) ([]byte, error) {
	text := s.env.getenv(name)
	if text == "" {
		return nil, nil
	}
	key, err := hex.DecodeString(text)
	if err != nil {
		key, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil || len(key) != journalKeyLength {
		return nil, usagef("%s is no key: it needs %d bytes as %d hexadecimal digits or in base64, such as %q makes",
			name, journalKeyLength, 2*journalKeyLength, "openssl rand -hex 32")
	}
	return key, nil
}
