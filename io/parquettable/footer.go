// This file reads the footers of Parquet files: the schema, the row groups and the places of
// the column chunks. It checks what a footer claims against the size of the file.

package parquettable

import (
	"encoding/binary"
	"io"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/parquet/metadata"

	"payonce/io/table"
)

const (
	magic          = "PAR1"
	encryptedMagic = "PARE"
	// tailSize is the length of the footer and the magic, in bytes.
	tailSize = 8
	// maxSize bounds the footer, in bytes: decoded it takes up to forty times as
	// much memory.
	maxSize = 16 << 20
	// MaxDepth is how deep columns may lie in each other.
	MaxDepth = 64
)

// Footer is a footer that was read.
type Footer struct {
	Meta     *metadata.FileMetaData
	Verbatim Verbatim
	Start    int64 // of the footer in the file, where the data ends
}

// readFooter reads the footer of a file of size bytes.
func readFooter(file io.ReaderAt, name string, size int64) (*Footer, error) {
	if size < int64(len(magic))+tailSize {
		return nil, notParquet(name)
	}
	var head [len(magic)]byte
	var tail [tailSize]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if _, err := file.ReadAt(tail[:], size-tailSize); err != nil {
		return nil, err
	}
	switch end := string(tail[4:]); {
	case string(head[:]) == encryptedMagic, end == encryptedMagic:
		return nil, encrypted(name)
	case string(head[:]) != magic:
		return nil, notParquet(name)
	case end != magic:
		return nil, damagef("its end is missing")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	start := size - tailSize - length
	if start < int64(len(magic)) {
		return nil, damagef("its footer claims %d bytes; the file has %d", length, size)
	}
	if length > maxSize {
		return nil, &table.Error{
			File: name, Reason: "the footer is larger than 16 MiB",
			Hint: "write the file with fewer columns or fewer row groups",
		}
	}
	data := make([]byte, length)
	if _, err := file.ReadAt(data, start); err != nil {
		return nil, err
	}
	f, err := parseFooter(data)
	if err != nil {
		return nil, err
	}
	f.Start = start
	return f, nil
}

func notParquet(name string) error {
	const hint = "check the name, or export the list again"
	return &table.Error{File: name, Reason: "this is not a Parquet file", Hint: hint}
}

func encrypted(name string) error {
	return &table.Error{File: name, Reason: "the file is encrypted", Hint: "save the list without encryption"}
}

// parseFooter decodes a footer.
func parseFooter(data []byte) (f *Footer, err error) {
	defer guard(&err)
	if err := checkShape(data); err != nil {
		return nil, damagef("its footer cannot be read: %v", err)
	}
	f = &Footer{}
	if f.Verbatim, data, err = takeVerbatim(data); err != nil {
		return nil, damagef("its footer cannot be read: %v", err)
	}
	if f.Meta, err = metadata.NewFileMetaData(data, nil); err != nil {
		return nil, damagef("its footer cannot be read: %v", err)
	}
	completeRows(f.Meta)
	return f, repairOrders(f.Meta)
}

// completeRows sets the number of rows of a file of parquet-rs 0.3 or older, which wrote 0.
func completeRows(meta *metadata.FileMetaData) {
	if meta.NumRows != 0 || !strings.HasPrefix(meta.GetCreatedBy(), "parquet-rs version 0.") {
		return
	}
	var rows int64
	for _, group := range meta.RowGroups {
		if group == nil || group.NumRows < 0 || group.NumRows > math.MaxInt64-rows {
			return // checkLayout reports it
		}
		rows += group.NumRows
	}
	meta.FileMetaData.NumRows = rows
}

// checkShape checks the lists and the schema of a footer before it is decoded. The decoder
// allocates what lists claim to hold, and follows the schema to any depth.
func checkShape(data []byte) error {
	var children []int64 // of every element of the schema
	r := newThriftReader(data)
	r.Struct(func(id int16, kind ThriftKind) bool {
		if id != schemaField || kind != thriftList {
			return false
		}
		element, length := r.List()
		for range length {
			if element != thriftStruct {
				r.Skip(element)
				continue
			}
			children = append(children, readChildren(r))
		}
		return true
	})
	if r.Err() != nil {
		return r.Err()
	}
	return checkTree(children)
}

// readChildren reads an element of the schema and returns the number of its children.
func readChildren(r *thriftReader) (children int64) {
	r.Struct(func(id int16, kind ThriftKind) bool {
		if id != childrenField || kind != thriftI32 {
			return false
		}
		children = r.Int()
		return true
	})
	return children
}

// checkTree checks that the numbers of children, in depth-first order, are those of one tree.
func checkTree(children []int64) error {
	if len(children) == 0 || children[0] == 0 {
		return damagef("it has no columns")
	}
	open := []int64{1} // by level: siblings that still follow
	for _, count := range children {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 || count < 0 || count > int64(len(children)) {
			return damagef("its columns are not a tree")
		}
		open[len(open)-1]--
		if count > 0 {
			open = append(open, count)
		}
		if len(open) > MaxDepth {
			return damagef("its columns are nested more than %d levels deep", MaxDepth)
		}
	}
	for _, missing := range open {
		if missing > 0 {
			return damagef("its columns are not a tree")
		}
	}
	return nil
}
