// This file writes column chunks and the footer of a Parquet file.

package parquettable

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// outputFile is a file that is being written: column chunks, and a footer that describes them.
type outputFile struct {
	out      io.Writer
	at       int64 // bytes written
	meta     *metadata.FileMetaData
	verbatim Verbatim
}

// newOutput starts a file. The footer may have row groups, whose chunks must then be written in order.
func newOutput(out io.Writer, f *Footer) (*outputFile, error) {
	o := &outputFile{out: out, meta: f.Meta, verbatim: f.Verbatim}
	_, err := io.WriteString(o, magic)
	return o, err
}

// Offset returns the number of bytes written.
func (o *outputFile) Offset() int64 { return o.at }

func (o *outputFile) Write(data []byte) (int, error) {
	length, err := o.out.Write(data)
	o.at += int64(length)
	return length, err
}

// AddColumns adds appended columns to the schema.
func (o *outputFile) AddColumns(columns []table.Column) error {
	if len(columns) == 0 {
		return nil
	}
	var fields schema.FieldList
	for _, c := range columns {
		node, err := schemaNode(c)
		if err != nil {
			return err
		}
		fields = append(fields, node)
	}
	added, err := emptyFooter(fields)
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

// CopyChunks copies column chunks of row group g from the file that the footer came from.
func (o *outputFile) CopyChunks(from io.ReaderAt, g, leaf, leaves int) error {
	for i := leaf; i < leaf+leaves; i++ {
		data := o.meta.RowGroups[g].Columns[i].MetaData
		start, length := chunkStart(data.DictionaryPageOffset, data.DataPageOffset), data.TotalCompressedSize
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

// Put writes the column chunks of an encoded column. They become those of row group g from leaf on.
func (o *outputFile) Put(c Chunk, g, leaf int) error {
	encoded := c.Meta.RowGroups[0].Columns
	start := int64(len(magic))
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

// place changes the offsets of a chunk in the footer.
func (o *outputFile) place(g, leaf int, by int64) {
	chunk := o.meta.RowGroups[g].Columns[leaf]
	data := chunk.MetaData
	chunk.FileOffset = 0 // the format deprecates it and asks for 0
	data.IndexPageOffset = nil
	if data.DictionaryPageOffset != nil && *data.DictionaryPageOffset > 0 {
		moved := *data.DictionaryPageOffset + by
		data.DictionaryPageOffset = &moved
	}
	if data.DataPageOffset > 0 {
		data.DataPageOffset += by
	}
}

// Unsort says that row group g is not sorted by a column any more, nor by the sorting columns after it.
func (o *outputFile) Unsort(g, leaf int) {
	group := o.meta.RowGroups[g]
	for i, column := range group.SortingColumns {
		if int(column.ColumnIdx) == leaf {
			group.SortingColumns = group.SortingColumns[:i]
			return
		}
	}
}

// AddGroup writes a row group of encoded columns.
func (o *outputFile) AddGroup(chunks []Chunk) error {
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

// EndGroup sets the size of row group g, which starts at start.
func (o *outputFile) EndGroup(g int, start int64) {
	group := o.meta.RowGroups[g]
	var compressed, uncompressed int64
	for _, column := range group.Columns {
		compressed += column.MetaData.TotalCompressedSize
		uncompressed += column.MetaData.TotalUncompressedSize
	}
	group.FileOffset, group.TotalCompressedSize, group.TotalByteSize = &start, &compressed, uncompressed
}

// Close writes the footer.
func (o *outputFile) Close() error {
	data, err := o.verbatim.Encode(o.meta)
	if err != nil {
		return err
	}
	_, err = o.Write(append(binary.LittleEndian.AppendUint32(data, uint32(len(data))), magic...))
	return err
}
