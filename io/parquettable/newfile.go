package parquettable

import (
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// creator stands in the files that are made here from the first byte on.
const creator = "payonce"

// newFile returns the library's writer of a file with these columns.
func newFile(out io.Writer, fields schema.FieldList, options ...parquet.WriterProperty) (*file.Writer, error) {
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return nil, err
	}
	options = append(options, parquet.WithCreatedBy(creator))
	return file.NewParquetWriterWithError(out, root, file.WithWriterProps(parquet.NewWriterProperties(options...)))
}

// emptyFooter returns the footer of a file with these columns and without rows.
func emptyFooter(fields schema.FieldList) (*metadata.FileMetaData, error) {
	empty, err := newFile(io.Discard, fields)
	if err != nil {
		return nil, err
	}
	return empty.FileMetadata()
}

// chunk is an encoded column of a row group: the start of a file with nothing else in
// it. It is valid until its encoder begins again.
type chunk struct {
	data []byte
	meta *metadata.FileMetaData
}
