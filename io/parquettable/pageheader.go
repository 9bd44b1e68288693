package parquettable

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// pageHeader has the fields of a page header that are used.
type pageHeader struct {
	kind                     file.PageType
	uncompressed, compressed int64 // length of the page, in bytes
	checksum                 uint32
	hasChecksum              bool
	values                   int64
	encoding                 parquet.Encoding

	// Of a data page of version 1.
	definition, repetition parquet.Encoding

	// Of a data page of version 2. Its levels are not compressed.
	nulls, rows                        int64
	definitionLength, repetitionLength int64 // in bytes
	plain                              bool  // the values are not compressed either
}

// numbers has the integers and booleans of a struct by field.
type numbers struct {
	value [9]int64
	set   [9]bool
}

func readNumbers(r *thriftReader, nested func(id int16) bool) (n numbers) {
	r.Struct(func(id int16, kind ThriftKind) bool {
		if id < 1 || int(id) >= len(n.value) {
			return false
		}
		switch kind {
		case thriftI16, thriftI32, thriftI64:
			n.value[id] = r.Int()
		case thriftTrue:
			n.value[id] = 1
		case thriftFalse:
		case thriftStruct:
			return nested != nil && nested(id)
		default:
			return false
		}
		n.set[id] = true
		return true
	})
	return n
}

// parsePageHeader reads the header at the start of data and returns its length. The error is
// io.ErrUnexpectedEOF when data ends before the header.
func parsePageHeader(data []byte) (h pageHeader, length int, err error) {
	r := newThriftReader(data)
	page := readNumbers(r, func(id int16) bool {
		switch id {
		case 5: // data page
			n := readNumbers(r, nil)
			h.values, h.encoding = n.value[1], parquet.Encoding(n.value[2])
			h.definition, h.repetition = parquet.Encoding(n.value[3]), parquet.Encoding(n.value[4])
		case 7: // dictionary page
			n := readNumbers(r, nil)
			h.values, h.encoding = n.value[1], parquet.Encoding(n.value[2])
		case 8: // data page of version 2
			n := readNumbers(r, nil)
			h.values, h.nulls, h.rows, h.encoding = n.value[1], n.value[2], n.value[3], parquet.Encoding(n.value[4])
			h.definitionLength, h.repetitionLength = n.value[5], n.value[6]
			h.plain = n.set[7] && n.value[7] == 0
		default:
			return false
		}
		return true
	})
	h.kind, h.uncompressed, h.compressed = file.PageType(page.value[1]), page.value[2], page.value[3]
	h.checksum, h.hasChecksum = uint32(page.value[4]), page.set[4]
	return h, r.Offset(), r.Err()
}
