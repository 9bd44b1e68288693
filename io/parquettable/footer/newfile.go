package footer

import (
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// Creator stands in the files that are made here from the first byte on.
const Creator = "payonce"

// NewFile returns the library's writer of a file with these columns.
func NewFile(out io.Writer, fields schema.FieldList, options ...parquet.WriterProperty) (*file.Writer, error) {
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return nil, err
	}
	options = append(options, parquet.WithCreatedBy(Creator))
	return file.NewParquetWriterWithError(out, root, file.WithWriterProps(parquet.NewWriterProperties(options...)))
}

// Empty returns the footer of a file with these columns and without rows.
func Empty(fields schema.FieldList) (*metadata.FileMetaData, error) {
	empty, err := NewFile(io.Discard, fields)
	if err != nil {
		return nil, err
	}
	return empty.FileMetadata()
}

// Chunk is an encoded column of a row group: the start of a file with nothing else in
// it. It is valid until its encoder begins again.
type Chunk struct {
	Data []byte
	Meta *metadata.FileMetaData
}
