package badgerstore

import (
	"encoding/binary"
	"io"

	"github.com/dgraph-io/badger/v4/fb"
)

// maxBlock is more than a block of a table can have: it holds at least one record,
// and Badger keeps none above a megabyte in its tables.
const maxBlock = 1<<20 + 64<<10

// tableTail returns how many bytes at the end of a table Badger reads when it opens
// it, in goroutines of its own where it panics on damaged ones: the last block, the
// index and the footer (its length, its checksum and the checksum's length). Of what
// is not laid out as a table it returns a tail that is long enough.
func tableTail(table io.ReaderAt, size int64) int64 {
	number := func(at int64) int64 {
		var bytes [4]byte
		_, _ = table.ReadAt(bytes[:], at) // a zero is out of bounds as well
		return int64(binary.BigEndian.Uint32(bytes[:]))
	}
	lengthAt := size - 4 - number(size-4) - 4
	indexAt := lengthAt - number(lengthAt)
	if lengthAt < 0 || indexAt < 0 {
		return min(size, maxBlock)
	}
	index := make([]byte, lengthAt-indexAt)
	if _, err := table.ReadAt(index, indexAt); err != nil {
		return size
	}
	return size - lastBlock(index, indexAt)
}

// lastBlock returns where the last block of a table begins. The index of an
// encrypted table does not tell.
func lastBlock(index []byte, indexAt int64) (at int64) {
	at = max(0, indexAt-maxBlock)
	defer func() { _ = recover() }() // what is no index is read out of bounds
	table := fb.GetRootAsTableIndex(index, 0)
	var block fb.BlockOffset
	if n := table.OffsetsLength(); n > 0 && table.Offsets(&block, n-1) && int64(block.Offset()) < indexAt {
		return max(at, int64(block.Offset()))
	}
	return at
}
