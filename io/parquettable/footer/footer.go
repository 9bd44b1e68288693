// Package footer reads the footers of Parquet files: the schema, the row groups and the places of
// the column chunks. It checks what a footer claims against the size of the file.
package footer

import (
	"encoding/binary"
	"io"

	"github.com/apache/arrow-go/v18/parquet/metadata"

	"payonce/io/parquettable/compact"
	"payonce/io/parquettable/damage"
	"payonce/io/table"
)

const (
	Magic          = "PAR1"
	encryptedMagic = "PARE"
	// TailSize is the length of the footer and the magic, in bytes.
	TailSize = 8
	// MaxSize bounds the footer, in bytes: decoded it takes up to forty times as
	// much memory.
	MaxSize = 16 << 20
	// MaxDepth is how deep columns may lie in each other.
	MaxDepth = 64
)

// Read reads the footer of a file of size bytes. It returns the footer and the place where it starts.
func Read(file io.ReaderAt, name string, size int64) (meta *metadata.FileMetaData, start int64, err error) {
	if size < int64(len(Magic))+TailSize {
		return nil, 0, notParquet(name)
	}
	var head [len(Magic)]byte
	var tail [TailSize]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return nil, 0, err
	}
	if _, err := file.ReadAt(tail[:], size-TailSize); err != nil {
		return nil, 0, err
	}
	switch end := string(tail[4:]); {
	case string(head[:]) == encryptedMagic, end == encryptedMagic:
		return nil, 0, encrypted(name)
	case string(head[:]) != Magic:
		return nil, 0, notParquet(name)
	case end != Magic:
		return nil, 0, damage.Errorf("its end is missing")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	start = size - TailSize - length
	if start < int64(len(Magic)) {
		return nil, 0, damage.Errorf("its footer claims %d bytes; the file has %d", length, size)
	}
	if length > MaxSize {
		return nil, 0, &table.Error{
			File: name, Reason: "the footer is larger than 16 MiB",
			Hint: "write the file with fewer columns or fewer row groups",
		}
	}
	data := make([]byte, length)
	if _, err := file.ReadAt(data, start); err != nil {
		return nil, 0, err
	}
	meta, err = parseFooter(data)
	return meta, start, err
}

func notParquet(name string) error {
	const hint = "check the name, or export the list again"
	return &table.Error{File: name, Reason: "this is not a Parquet file", Hint: hint}
}

func encrypted(name string) error {
	return &table.Error{File: name, Reason: "the file is encrypted", Hint: "save the list without encryption"}
}

// parseFooter decodes a footer.
func parseFooter(data []byte) (meta *metadata.FileMetaData, err error) {
	defer damage.Guard(&err)
	if err := checkShape(data); err != nil {
		return nil, damage.Errorf("its footer cannot be read: %v", err)
	}
	meta, err = metadata.NewFileMetaData(data, nil)
	if err != nil {
		return nil, damage.Errorf("its footer cannot be read: %v", err)
	}
	return meta, nil
}

// checkShape checks the lists and the schema of a footer before it is decoded. The decoder
// allocates what lists claim to hold, and follows the schema to any depth.
func checkShape(data []byte) error {
	var children []int64 // of every element of the schema
	r := compact.NewReader(data)
	r.Struct(func(id int16, kind compact.Kind) bool {
		const schemaField = 2
		if id != schemaField || kind != compact.List {
			return false
		}
		element, length := r.List()
		for range length {
			if element != compact.Struct {
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
func readChildren(r *compact.Reader) (children int64) {
	r.Struct(func(id int16, kind compact.Kind) bool {
		const childrenField = 5
		if id != childrenField || kind != compact.I32 {
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
		return damage.Errorf("it has no columns")
	}
	open := []int64{1} // by level: siblings that still follow
	for _, count := range children {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 || count < 0 || count > int64(len(children)) {
			return damage.Errorf("its columns are not a tree")
		}
		open[len(open)-1]--
		if count > 0 {
			open = append(open, count)
		}
		if len(open) > MaxDepth {
			return damage.Errorf("its columns are nested more than %d levels deep", MaxDepth)
		}
	}
	for _, missing := range open {
		if missing > 0 {
			return damage.Errorf("its columns are not a tree")
		}
	}
	return nil
}
