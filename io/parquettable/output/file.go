// Package output puts column chunks together to a Parquet file.
package output

import (
	"encoding/binary"
	"fmt"
	"io"

	"payonce/io/parquettable/encode"
	"payonce/io/parquettable/footer"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// File is a file being written: column chunks one behind the other, and the footer
// that gathers what is known of them.
type File struct {
	out  io.Writer
	at   int64 // bytes written
	meta *metadata.FileMetaData
}

// New begins a file with a footer that may hold row groups already, whose
// chunks are then to be written in order.
func New(out io.Writer, meta *metadata.FileMetaData) (*File, error) {
	o := &File{out: out, meta: meta}
	_, err := io.WriteString(o, footer.Magic)
	return o, err
}

// Offset returns how many bytes are written.
func (o *File) Offset() int64 { return o.at }

func (o *File) Write(data []byte) (int, error) {
	length, err := o.out.Write(data)
	o.at += int64(length)
	return length, err
}

// AddColumns adds appended columns to the schema.
func (o *File) AddColumns(columns []table.Column) error {
	if len(columns) == 0 {
		return nil
	}
	var fields schema.FieldList
	for _, c := range columns {
		node, err := encode.NodeOf(c)
		if err != nil {
			return err
		}
		fields = append(fields, node)
	}
	added, err := footer.Empty(fields)
	if err != nil {
		return err
	}
	footer := o.meta.FileMetaData
	children := footer.Schema[0].GetNumChildren() + int32(len(fields))
	footer.Schema[0].NumChildren = &children
	footer.Schema = append(footer.Schema, added.FileMetaData.Schema[1:]...)
	if footer.IsSetColumnOrders() {
		footer.ColumnOrders = append(footer.ColumnOrders, added.ColumnOrders...)
	}
	for _, entry := range footer.KeyValueMetadata {
		if entry != nil && entry.Value != nil {
			value := withColumns(entry.Key, *entry.Value, columns)
			entry.Value = &value
		}
	}
	return nil
}

// Carry copies column chunks of row group g from the file that its footer came from.
func (o *File) Carry(from io.ReaderAt, g, leaf, leaves int) error {
	for i := leaf; i < leaf+leaves; i++ {
		data := o.meta.RowGroups[g].Columns[i].MetaData
		start, length := footer.ChunkStart(data.DictionaryPageOffset, data.DataPageOffset), data.TotalCompressedSize
		o.place(g, i, o.at-start)
		copied, err := io.Copy(o, io.NewSectionReader(from, start, length))
		if err == nil && copied < length {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("copying a column chunk: %w", err)
		}
	}
	return nil
}

// Put writes the column chunks of an encoded column as those of row group g from leaf
// on.
func (o *File) Put(c footer.Chunk, g, leaf int) error {
	encoded := c.Meta.RowGroups[0].Columns
	start := int64(len(footer.Magic))
	length := int64(0)
	for i, column := range encoded {
		if leaf+i < len(o.meta.RowGroups[g].Columns) {
			o.meta.RowGroups[g].Columns[leaf+i] = column
		} else {
			o.meta.RowGroups[g].Columns = append(o.meta.RowGroups[g].Columns, column)
		}
		o.place(g, leaf+i, o.at-start)
		length += column.MetaData.TotalCompressedSize
	}
	_, err := o.Write(c.Data[start : start+length])
	return err
}

// place moves the offsets of a chunk in the footer.
func (o *File) place(g, leaf int, by int64) {
	chunk := o.meta.RowGroups[g].Columns[leaf]
	data := chunk.MetaData
	chunk.FileOffset = 0 // the format asks for 0 now; writers disagreed on its meaning
	data.IndexPageOffset = nil
	if data.DictionaryPageOffset != nil && *data.DictionaryPageOffset > 0 {
		moved := *data.DictionaryPageOffset + by
		data.DictionaryPageOffset = &moved
	}
	if data.DataPageOffset > 0 {
		data.DataPageOffset += by
	}
}

// Unsort takes a column whose values change out of the order that row group g is
// sorted by, with those that it is sorted by only after it.
func (o *File) Unsort(g, leaf int) {
	group := o.meta.RowGroups[g]
	for i, column := range group.SortingColumns {
		if int(column.ColumnIdx) == leaf {
			group.SortingColumns = group.SortingColumns[:i]
			return
		}
	}
}

// AddGroup writes a row group whose columns are all encoded.
func (o *File) AddGroup(chunks []footer.Chunk) error {
	start := o.at
	g := len(o.meta.RowGroups)
	o.meta.RowGroups = append(o.meta.RowGroups, chunks[0].Meta.RowGroups[0])
	leaf := 0
	for _, c := range chunks {
		leaves := len(c.Meta.RowGroups[0].Columns) // before put adds to those of the first
		if err := o.Put(c, g, leaf); err != nil {
			return err
		}
		leaf += leaves
	}
	o.meta.RowGroups[g].Ordinal = nil // has 16 bits, which may be too few
	o.meta.FileMetaData.NumRows += o.meta.RowGroups[g].NumRows
	o.EndGroup(g, start)
	return nil
}

// EndGroup sums up row group g, which starts at start.
func (o *File) EndGroup(g int, start int64) {
	group := o.meta.RowGroups[g]
	var compressed, uncompressed int64
	for _, column := range group.Columns {
		compressed += column.MetaData.TotalCompressedSize
		uncompressed += column.MetaData.TotalUncompressedSize
	}
	group.FileOffset, group.TotalCompressedSize, group.TotalByteSize = &start, &compressed, uncompressed
}

// Close writes the footer.
func (o *File) Close() error {
	length, err := o.meta.WriteTo(o, nil)
	if err != nil {
		return err
	}
	_, err = o.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(length)), footer.Magic...))
	return err
}
