package badgerstore

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dgraph-io/badger/v4/table"
)

// EachVersion visits every version of every value in the files of a closed store, decrypted and decompressed, also of
// those that were replaced. It fails for a store that has values anywhere but in its tables. It says what an erasure
// has left.
func EachVersion(dir string, key []byte, visit func(key, value []byte)) (err error) {
	defer asCorrupt(&err)
	engineDir := filepath.Join(dir, engineName)
	if _, sealed, err := readSeal(filepath.Join(engineDir, sealName)); err != nil || !sealed {
		return errors.Join(err, fmt.Errorf("%s was not closed", engineDir))
	}
	if beside, err := valuesBeside(engineDir); err != nil || beside {
		return errors.Join(err, fmt.Errorf("%s has values beside its tables", engineDir))
	}
	return eachInTables(engineDir, key, visit)
}

// eachInTables visits every version of every value in the tables of a closed store.
func eachInTables(engineDir string, key []byte, visit func(key, value []byte)) error {
	tables, err := openTables(engineDir, key)
	if err != nil {
		return err
	}
	defer tables.close()
	for _, opened := range tables.all {
		entries := opened.NewIterator(table.NOCACHE)
		count := uint32(0)
		for entries.Rewind(); entries.Valid(); entries.Next() {
			visit(entries.Key(), entries.Value().Value)
			count++
		}
		if err := entries.Close(); err != nil || count != opened.KeyCount() {
			return errors.Join(err, fmt.Errorf("%s: %d of %d records can be read", opened.Filename(), count, opened.KeyCount()))
		}
	}
	return nil
}
