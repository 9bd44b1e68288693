package parquettable

import (
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// creator is the writer that new files name.
const creator = "payonce"

// newArrowFile returns arrow-go's writer of a file with these columns.
func newArrowFile(
	out io.Writer, fields schema.FieldList, options ...parquet.WriterProperty,
) (*file.Writer, error) {
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return nil, err
	}
	options = append(options, parquet.WithCreatedBy(creator))
	properties := parquet.NewWriterProperties(options...)
	return file.NewParquetWriterWithError(out, root, file.WithWriterProps(properties))
}

// emptyFooter returns the footer of a file with these columns and no rows.
func emptyFooter(fields schema.FieldList) (*metadata.FileMetaData, error) {
	empty, err := newArrowFile(io.Discard, fields)
	if err != nil {
		return nil, err
	}
	return empty.FileMetadata()
}

// knownOrder returns the footer of a file with one column, which has the usual order.
func knownOrder() (*metadata.FileMetaData, error) {
	return emptyFooter(schema.FieldList{schema.NewInt32Node("order", parquet.Repetitions.Required, -1)})
}

// Chunk is an encoded column of a row group. Data is the start of a file with only this column, and
// Meta the footer of that file. A Chunk is valid until its encoder starts the next row group.
type Chunk struct {
	Data []byte
	Meta *metadata.FileMetaData
}
