package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
)

// purge removes the values of an erasure from the files of a closed store. It
// writes the tables again that hold such a value, each with the same keys and versions. The others
// stay as they are. So its time depends on the size of the tables with erased values, not on the journal.
//
// Nobody reads a value that was replaced. So the key stays, which keeps the table's place among
// the others, and its value is empty.
func purge(engineDir string, key []byte, erased erasure) (err error) {
	defer asCorrupt(&err)
	beside, err := valuesBeside(engineDir)
	if err != nil {
		return err
	}
	if beside {
		return copyWithoutReplaced(engineDir, key)
	}
	sealed, found, err := readSeal(filepath.Join(engineDir, sealName))
	if err == nil && !found {
		err = fmt.Errorf("%s was not closed", engineDir)
	}
	if err != nil {
		return err
	}
	// The seal gets the sums of the rewritten tables. So what they are made of has to be what was sealed.
	if err := sealed.matchClosed(engineDir); err != nil {
		return err
	}
	tables, err := openTables(engineDir, key)
	if err != nil {
		return err
	}
	defer tables.close()
	p := purging{erasure: erased, tables: tables, fresh: engineDir + freshSuffix}
	if err := os.RemoveAll(p.fresh); err != nil {
		return err
	}
	rewritten, err := p.rewriteAll()
	if err != nil {
		return errors.Join(err, os.RemoveAll(p.fresh)) // it may fill the disk
	}
	if len(rewritten) == 0 {
		return nil
	}
	sealed.Files = maps.Clone(sealed.Files)
	maps.Copy(sealed.Files, rewritten)
	if err := linkOthers(engineDir, p.fresh, rewritten); err != nil {
		return errors.Join(err, os.RemoveAll(p.fresh))
	}
	if err := sealed.write(filepath.Join(p.fresh, sealName)); err != nil { // which syncs the directory
		return err
	}
	return swap(engineDir)
}

// purging is one run of purge.
type purging struct {
	erasure
	tables *tables
	fresh  string // the directory of the rewritten tables
}

// rewriteAll writes the tables again that hold a value which is removed. It returns their sums by name.
func (p *purging) rewriteAll() (rewritten map[string]fileSum, err error) {
	rewritten = map[string]fileSum{}
	newer := p.tables.newerThan(p.since)
	defer newer.Close()
	for _, t := range p.tables.all {
		if !p.holdsReplaced(t.Table, newer) {
			continue
		}
		if len(rewritten) == 0 {
			if err := os.Mkdir(p.fresh, 0o700); err != nil {
				return nil, err
			}
		}
		data, err := p.rewrite(t, newer)
		if err != nil {
			return nil, err
		}
		name := tableName(t.ID())
		if err := createSynced(filepath.Join(p.fresh, name), bytes.NewReader(data)); err != nil {
			return nil, err
		}
		rewritten[name] = fileSum{Size: int64(len(data)), CRC: checksum(data)}
	}
	return rewritten, nil
}

// holdsReplaced reports whether a table has a value that is removed.
func (p *purging) holdsReplaced(t *table.Table, newer y.Iterator) bool {
	old := t.NewIterator(table.NOCACHE)
	defer old.Close()
	last := y.ParseKey(t.Biggest())
	var before []byte // the key before, of which newer gave the newest version
	for newer.Seek(newest(t.Smallest())); newer.Valid(); newer.Next() {
		key := y.ParseKey(newer.Key())
		if bytes.Compare(key, last) > 0 {
			return false
		}
		if bytes.Equal(key, before) || !p.replaces(newer.Key()) {
			continue
		}
		before = append(before[:0], key...)
		old.Seek(y.KeyWithTs(key, y.ParseTs(newer.Key())-1))
		if old.Valid() && y.SameKey(old.Key(), newer.Key()) {
			return true
		}
	}
	return false
}

// replaces reports whether a key with its newest version replaces values that are removed.
func (p *purging) replaces(key []byte) bool {
	return y.ParseTs(key) > p.since && (len(p.kinds) == 0 || bytes.IndexByte(p.kinds, key[0]) >= 0)
}

// newest returns the key with the version that comes before all others.
func newest(key []byte) []byte { return y.KeyWithTs(y.ParseKey(key), math.MaxUint64) }

// rewrite returns the bytes of a table without the values that are removed.
func (p *purging) rewrite(t openTable, newer y.Iterator) ([]byte, error) {
	builder := table.NewTableBuilder(t.options)
	defer builder.Close()
	old := t.NewIterator(table.NOCACHE)
	defer old.Close()
	entries := uint32(0)
	newer.Seek(newest(t.Smallest()))
	for old.Rewind(); old.Valid(); old.Next() {
		for newer.Valid() && bytes.Compare(y.ParseKey(newer.Key()), y.ParseKey(old.Key())) < 0 {
			newer.Next()
		}
		value := old.Value()
		// Newer is at the newest version of the key.
		if newer.Valid() && y.SameKey(newer.Key(), old.Key()) && p.replaces(newer.Key()) &&
			y.ParseTs(old.Key()) < y.ParseTs(newer.Key()) {
			value = y.ValueStruct{}
		}
		builder.Add(old.Key(), value, 0)
		entries++
	}
	// Badger ends an iteration at a block that it cannot read.
	if entries != t.KeyCount() {
		return nil, fmt.Errorf("%s: %d of %d records can be read", t.Filename(), entries, t.KeyCount())
	}
	return builder.Finish(), nil
}

// linkOthers gives the files of a closed store that were not rewritten a second name in fresh.
// Badger writes again to the files that are not tables, so those are copied.
func linkOthers(engineDir, fresh string, rewritten map[string]fileSum) error {
	names, err := storeFiles(engineDir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, done := rewritten[name]; done {
			continue
		}
		from, to := filepath.Join(engineDir, name), filepath.Join(fresh, name)
		if isTable(name) && os.Link(from, to) == nil {
			continue // not every file system has second names
		}
		if err := copySynced(from, to); err != nil {
			return err
		}
	}
	return nil
}

func copySynced(from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	return errors.Join(createSynced(to, file), file.Close())
}

// createSynced writes a new file.
func createSynced(path string, content io.Reader) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Sync(), file.Close())
}
