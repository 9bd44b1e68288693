package parquettable

import (
	flatbuffers "github.com/google/flatbuffers/go"
)

// Fields of the tables of an Arrow schema, by their offsets in the vtable.
// https://github.com/apache/arrow/tree/main/format has the tables.
const (
	messageHeader, messageBody = 8, 10
	schemaFields               = 6  // metadata is the next field
	fieldChildren              = 14 // metadata is the next field
	fieldName                  = 4
	metadataKey, metadataValue = 4, 6
)

// soundSchema reports whether arrow-go can decode the schema message in data with memory of about its size.
// arrow-go allocates what vectors claim to hold, and follows references as often and as deep as they go.
// Writers may share a text or two, so twice the bytes of data are allowed.
func soundSchema(data []byte) (sound bool) {
	defer func() {
		if recover() != nil { // a reference outside data
			sound = false
		}
	}()
	message := flatbuffers.Table{Bytes: data, Pos: flatbuffers.GetUOffsetT(data)}
	body := flatbuffers.UOffsetT(message.Offset(messageBody))
	if body != 0 && message.GetUint64(message.Pos+body) != 0 {
		return false // a schema has no body
	}
	var schema flatbuffers.Table
	message.Union(&schema, flatbuffers.UOffsetT(message.Offset(messageHeader)))
	w := schemaWalk{left: 2 * int64(len(data))}
	w.walk(schema, schemaFields, 0)
	return w.left >= 0
}

// schemaWalk counts what the vectors and texts of a schema claim to hold.
type schemaWalk struct {
	left int64 // bytes that they may still have; negative when they have too many
}

// walk counts the columns below a table and its metadata.
func (w *schemaWalk) walk(table flatbuffers.Table, columns flatbuffers.VOffsetT, depth int) {
	if depth > MaxDepth {
		w.left = -1
	}
	for _, entry := range w.tables(table, columns+2) {
		w.vector(entry, metadataKey, 1)
		w.vector(entry, metadataValue, 1)
	}
	for _, column := range w.tables(table, columns) {
		w.vector(column, fieldName, 1)
		w.walk(column, fieldChildren, depth+1)
	}
}

// tables returns the tables of a vector of a table.
func (w *schemaWalk) tables(table flatbuffers.Table, field flatbuffers.VOffsetT) []flatbuffers.Table {
	at, length := w.vector(table, field, flatbuffers.SizeUOffsetT)
	tables := make([]flatbuffers.Table, length)
	for i := range tables {
		tables[i] = flatbuffers.Table{Bytes: table.Bytes, Pos: table.Indirect(at)}
		at += flatbuffers.SizeUOffsetT
	}
	return tables
}

// vector returns the start and the length of a vector whose elements have size bytes. The length is 0 when
// the table lacks the vector, or when the vectors hold too much.
func (w *schemaWalk) vector(
	table flatbuffers.Table, field flatbuffers.VOffsetT, size int64,
) (at flatbuffers.UOffsetT, length int) {
	offset := flatbuffers.UOffsetT(table.Offset(field))
	if offset == 0 || w.left < 0 {
		return 0, 0
	}
	length = table.VectorLen(offset)
	if w.left -= (int64(length) + 1) * size; w.left < 0 {
		return 0, 0
	}
	return table.Vector(offset), length
}
