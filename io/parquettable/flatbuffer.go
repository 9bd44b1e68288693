package parquettable

import "encoding/binary"

// flatbuffer walks over a schema of Arrow in the FlatBuffers format before the library
// decodes it: that takes memory for whatever vectors claim to hold, and follows tables as
// often and as deep as they are referred to.
type flatbuffer struct {
	data  []byte
	left  int64 // bytes that vectors and texts may still have
	wrong bool
}

// Places of fields in the tables' lists of fields, in bytes.
const (
	messageHeader, messageBody = 8, 10
	schemaFields               = 6  // and the metadata behind them
	fieldChildren              = 14 // and the metadata behind them
	fieldName                  = 4
	metadataKey, metadataValue = 4, 6
)

// soundSchema reports whether the message in data is one that the library can decode in
// memory of about its size. Writers may share a text or two, so twice the bytes are
// allowed for.
func soundSchema(data []byte) bool {
	f := flatbuffer{data: data, left: 2 * int64(len(data))}
	message := f.number(0)
	if body := f.field(message, messageBody); body != 0 && binary.LittleEndian.Uint64(f.bytes(body, 8)) != 0 {
		return false // a schema has none
	}
	header := f.field(message, messageHeader)
	f.walk(header+f.number(header), schemaFields, 0)
	return !f.wrong
}

// walk goes through the columns below a table and the metadata, which stand in the place
// behind theirs.
func (f *flatbuffer) walk(table, columns int64, depth int) {
	if depth > maxDepth {
		f.wrong = true
	}
	for _, entry := range f.tables(table, columns+2) {
		f.vector(entry, metadataKey, 1)
		f.vector(entry, metadataValue, 1)
	}
	for _, column := range f.tables(table, columns) {
		f.vector(column, fieldName, 1)
		f.walk(column, fieldChildren, depth+1)
	}
}

// tables returns where the tables of a vector of a table begin.
func (f *flatbuffer) tables(table, place int64) []int64 {
	at, length := f.vector(table, place, 4)
	if length == 0 {
		return nil
	}
	tables := make([]int64, length)
	for i := range tables {
		tables[i] = at + f.number(at)
		at += 4
	}
	return tables
}

// vector returns where a vector of a table begins and how many elements of so many bytes
// it has; none where the table lacks it or something is wrong.
func (f *flatbuffer) vector(table, place, size int64) (at, length int64) {
	if at = f.field(table, place); at == 0 {
		return 0, 0
	}
	at += f.number(at)
	length = f.number(at)
	if f.left -= (length + 1) * size; f.left < 0 {
		f.wrong = true
	}
	if f.wrong {
		return 0, 0
	}
	return at + 4, length
}

// field returns where a field of a table stands, 0 when the table lacks it.
func (f *flatbuffer) field(table, place int64) int64 {
	fields := table - int64(int32(f.number(table)))
	if place >= f.short(fields) {
		return 0
	}
	if offset := f.short(fields + place); offset != 0 {
		return table + offset
	}
	return 0
}

func (f *flatbuffer) short(at int64) int64 {
	return int64(binary.LittleEndian.Uint16(f.bytes(at, 2)))
}

func (f *flatbuffer) number(at int64) int64 {
	return int64(binary.LittleEndian.Uint32(f.bytes(at, 4)))
}

// bytes returns up to eight bytes, zeros where there are none.
func (f *flatbuffer) bytes(at, length int64) []byte {
	if at < 0 || at > int64(len(f.data))-length {
		f.wrong = true
	}
	if f.wrong {
		return make([]byte, length)
	}
	return f.data[at : at+length]
}
