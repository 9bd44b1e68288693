package badgerstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
)

// EachVersion visits every version of every value in the files of a closed store, decrypted and decompressed, also of
// those that were replaced. It says what an erasure has left. It also visits parts of long values that no value names.
func EachVersion(dir string, key []byte, visit func(key, value []byte)) (err error) {
	defer asCorrupt(&err)
	engineDir := filepath.Join(dir, engineName)
	if sealed, err := isThere(filepath.Join(engineDir, sealName)); err != nil || !sealed {
		return errors.Join(err, fmt.Errorf("%s was not closed", engineDir))
	}
	db, err := badger.OpenManaged(settingsFor(engineDir, Options{EncryptionKey: key}).WithReadOnly(true))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	options := badger.DefaultIteratorOptions
	options.AllVersions = true
	options.InternalAccess = true // keys of Badger's own, too
	txn := db.NewTransactionAt(math.MaxUint64, false)
	defer txn.Discard()
	entries := txn.NewIterator(options)
	defer entries.Close()
	named := map[uint64]bool{}
	values := valueReader{txn: txn, named: func(part uint64) { named[part] = true }}
	count := uint32(0)
	for entries.Rewind(); entries.Valid(); entries.Next() {
		item := entries.Item()
		count++
		if key := item.Key(); isPart(key) && named[binary.BigEndian.Uint64(key[1:])] {
			continue // it was visited with its value
		}
		err := values.read(item, func(value []byte) error {
			visit(item.Key(), value)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, table := range db.Tables() {
		count -= table.KeyCount
	}
	if count != 0 { // Badger leaves out what it cannot read
		return fmt.Errorf("%s has records that cannot be read", engineDir)
	}
	return nil
}
