package badgerstore

import (
	"encoding/binary"
	"testing"

	"payonce/checkpoint/record"
)

// manySmall is a store with that number of records of one byte.
type manySmall int

func (manySmall) Get([]byte) ([]byte, error) { return nil, nil }

func (manySmall) Commit([]record.Write) error { return nil }

func (m manySmall) Scan(_, _ []byte, visit func(key, value []byte) (bool, error)) error {
	for n := range m {
		key := binary.BigEndian.AppendUint64(make([]byte, 18-8), uint64(n))
		if more, err := visit(key, []byte{1}); err != nil || !more {
			return err
		}
	}
	return nil
}

func (manySmall) Version() uint64 { return 1000 }

func (manySmall) Close() error { return nil }

// TestACopyOfManySmallRecordsFitsIntoItsCommits has more of them than a transaction takes
// in the bytes that they have.
func TestACopyOfManySmallRecordsFitsIntoItsCommits(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const records = 60_000
	from := manySmall(records)
	dir := t.TempDir()
	if err := copyStore(from, dir, Copy{}); err != nil {
		t.Fatal(err)
	}
	to, err := openEngine(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if to.Version() <= from.Version() {
		t.Errorf("the copy's version is %d, and that of the other one %d", to.Version(), from.Version())
	}
	copied := 0
	err = to.Scan(nil, nil, func(_, _ []byte) (bool, error) {
		copied++
		return true, nil
	})
	if err != nil || copied != records {
		t.Errorf("%d records of %d, error %v", copied, records, err)
	}
}
