package parquettable

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"go.uber.org/goleak"

	"payonce/io/table"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// leaf is what a column chunk holds: values of the column's Go type, and the levels
// that place them.
type leaf struct {
	values                 any
	definition, repetition []int16
}

// sample describes a file to be made.
type sample struct {
	fields   schema.FieldList
	groups   [][]leaf // of every row group, the leaves in order
	options  []parquet.WriterProperty
	metadata metadata.KeyValueMetadata
}

// write writes the file with the library and returns its bytes.
func (s sample) write(t testing.TB) []byte {
	t.Helper()
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, s.fields, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(s.options...)), file.WithWriteMetadata(s.metadata))
	for _, group := range s.groups {
		g, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range group {
			column, err := g.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			writeLeaf(t, column, l)
			if err := column.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func writeLeaf(t testing.TB, column file.ColumnChunkWriter, l leaf) {
	t.Helper()
	var err error
	switch w := column.(type) {
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]parquet.ByteArray), l.definition, l.repetition)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]parquet.FixedLenByteArray), l.definition, l.repetition)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]int32), l.definition, l.repetition)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]int64), l.definition, l.repetition)
	case *file.Int96ColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]parquet.Int96), l.definition, l.repetition)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]float32), l.definition, l.repetition)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]float64), l.definition, l.repetition)
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]bool), l.definition, l.repetition)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// save writes data to a file of the test and returns its path.
func save(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list.parquet")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func texts(values ...string) []parquet.ByteArray {
	list := make([]parquet.ByteArray, len(values))
	for i, value := range values {
		list[i] = parquet.ByteArray(value)
	}
	return list
}

// text is a column of optional strings.
func text(t testing.TB, name string) schema.Node {
	return logical(t, name, schema.StringLogicalType{}, parquet.Types.ByteArray, -1)
}

// logical is an optional column.
func logical(t testing.TB, name string, kind schema.LogicalType, physical parquet.Type, length int) schema.Node {
	t.Helper()
	node, err := schema.NewPrimitiveNodeLogical(name, parquet.Repetitions.Optional, kind, physical, length, -1)
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// cellsOf reads the columns of a list row by row. A null is "∅".
func cellsOf(path string, columns []int) (rows [][]string, err error) {
	r, err := Open(path, columns)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if columns == nil {
		for i := range r.columns {
			columns = append(columns, i)
		}
	}
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		err = b.Each(func(visited table.Row) error {
			own := visited.(*row)
			cells := make([]string, len(columns))
			for i, column := range columns {
				cells[i] = string(own.Cell(column))
				if own.vector(column).Nulls[own.index] {
					cells[i] = "∅"
				}
			}
			rows = append(rows, cells)
			return nil
		})
		if err != nil {
			return rows, err
		}
		b.Release()
	}
}
