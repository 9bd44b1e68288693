package badgerstore

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2"
	"github.com/dgraph-io/ristretto/v2/z"
)

// tables are the tables of a closed store, as Badger's manifest names them.
type tables struct {
	all   []openTable
	cache *ristretto.Cache[uint64, *fb.TableIndex] // of an encrypted store; nil for a plain one
}

// openTable is a table that is open for reading, with what it was written with.
type openTable struct {
	*table.Table
	options table.Options
}

// openTables opens the tables of a closed store.
func openTables(engineDir string, key []byte) (*tables, error) {
	t := &tables{}
	if err := t.open(engineDir, key); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *tables) open(engineDir string, key []byte) (err error) {
	defer asCorrupt(&err)
	settings := settingsFor(engineDir, Options{EncryptionKey: key})
	manifest, err := readManifest(engineDir)
	if err != nil {
		return err
	}
	keys, err := badger.OpenKeyRegistry(badger.KeyRegistryOptions{Dir: engineDir, ReadOnly: true, EncryptionKey: key})
	if errors.Is(err, badger.ErrEncryptionKeyMismatch) {
		return keyError(engineDir, key)
	}
	if err != nil {
		return err
	}
	if len(key) > 0 {
		t.cache, err = ristretto.NewCache(&ristretto.Config[uint64, *fb.TableIndex]{
			NumCounters: 1000, MaxCost: settings.IndexCacheSize, BufferItems: 64,
		})
		if err != nil {
			return err
		}
	}
	for id, described := range manifest.Tables {
		dataKey, err := keys.DataKey(described.KeyID)
		if err != nil {
			return err
		}
		as := table.Options{
			ReadOnly: true, BlockSize: settings.BlockSize, BloomFalsePositive: settings.BloomFalsePositive,
			ChkMode: options.OnBlockRead, Compression: described.Compression,
			ZSTDCompressionLevel: settings.ZSTDCompressionLevel, DataKey: dataKey, IndexCache: t.cache,
		}
		file, err := z.OpenMmapFile(filepath.Join(engineDir, tableName(id)), os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		opened, err := table.OpenTable(file, as)
		if err != nil {
			return errors.Join(err, file.Close(-1))
		}
		as.TableSize = uint64(opened.Size())
		t.all = append(t.all, openTable{opened, as})
	}
	return nil
}

// readManifest returns what Badger's manifest says of its tables.
func readManifest(engineDir string) (badger.Manifest, error) {
	file, err := os.Open(filepath.Join(engineDir, manifestName))
	if err != nil {
		return badger.Manifest{}, err
	}
	manifest, _, err := badger.ReplayManifestFile(file, 0, badger.DefaultOptions("").WithLogger(nil))
	return manifest, errors.Join(err, file.Close())
}

// newerThan iterates over the entries of the tables that have some of later commits: each key with
// its versions, the latest first. Entries of earlier commits may be among them.
func (t *tables) newerThan(version uint64) y.Iterator {
	var newer []y.Iterator
	for _, t := range t.all {
		if t.MaxVersion() > version {
			newer = append(newer, t.NewIterator(table.NOCACHE))
		}
	}
	if len(newer) == 0 {
		return none{}
	}
	return table.NewMergeIterator(newer, false)
}

// close closes the tables. It does not remove them, as their own method would.
func (t *tables) close() {
	for _, opened := range t.all {
		_ = opened.Close(-1) // nothing was written
	}
	if t.cache != nil {
		t.cache.Close()
	}
}

// none is an iterator without entries.
type none struct{}

func (none) Next()                {}
func (none) Rewind()              {}
func (none) Seek([]byte)          {}
func (none) Key() []byte          { return nil }
func (none) Value() y.ValueStruct { return y.ValueStruct{} }
func (none) Valid() bool          { return false }
func (none) Close() error         { return nil }
