package badgerstore

import (
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"payonce/checkpoint/record"
)

// keyError says what is wrong with a key that does not open the store in dir.
func keyError(dir string, key []byte) error {
	encrypted, err := isEncrypted(dir)
	switch {
	case err != nil:
		return err
	case len(key) == 0:
		return fmt.Errorf("%w: the journal is encrypted and no key was given (or its KEYREGISTRY is damaged)", record.ErrEncryptionKey)
	case !encrypted:
		return fmt.Errorf("%w: a key was given and the journal is not encrypted", record.ErrEncryptionKey)
	}
	return fmt.Errorf("%w: it is not the key that the journal was encrypted with (or its KEYREGISTRY is damaged)", record.ErrEncryptionKey)
}

// isEncrypted reports whether the store in dir does not open without a key.
func isEncrypted(dir string) (bool, error) {
	_, err := badger.OpenKeyRegistry(badger.KeyRegistryOptions{Dir: dir, ReadOnly: true})
	if errors.Is(err, badger.ErrEncryptionKeyMismatch) {
		return true, nil
	}
	return false, err
}
