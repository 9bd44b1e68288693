package parquettable

import (
	"bytes"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// copied encodes a column of any type with arrow-go. It writes each row group to a small file in
// memory, whose column chunks then become those of the output.
type copied struct {
	node    schema.Node
	codec   compress.Compression
	buffer  bytes.Buffer
	file    *file.Writer // nil between row groups
	columns []file.ColumnChunkWriter
	group   file.BufferedRowGroupWriter
}

// begin starts a row group, unless one is started already.
func (c *copied) begin() error {
	if c.file != nil {
		return nil
	}
	c.buffer.Reset()
	writer, err := newArrowFile(&c.buffer, schema.FieldList{c.node},
		parquet.WithCompression(c.codec), parquet.WithDictionaryDefault(false))
	if err != nil {
		return err
	}
	if c.group, err = writer.AppendBufferedRowGroupChecked(); err != nil {
		return err
	}
	c.columns = c.columns[:0]
	for i := range c.group.NumColumns() {
		column, err := c.group.Column(i)
		if err != nil {
			return err
		}
		c.columns = append(c.columns, column)
	}
	c.file = writer
	return nil
}

// finish ends the row group.
func (c *copied) finish() (Chunk, error) {
	if err := c.begin(); err != nil { // without rows
		return Chunk{}, err
	}
	for _, column := range c.columns {
		if err := column.Close(); err != nil {
			return Chunk{}, err
		}
	}
	if err := c.group.Close(); err != nil {
		return Chunk{}, err
	}
	if err := c.file.Close(); err != nil {
		return Chunk{}, err
	}
	meta, err := c.file.FileMetadata()
	c.file = nil
	return Chunk{Data: c.buffer.Bytes(), Meta: meta}, err
}
