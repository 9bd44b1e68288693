package parquettable

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// footer returns the footer of a small file, a struct with all that Parquet uses.
func footer(t testing.TB) []byte {
	t.Helper()
	column := schema.NewByteArrayNode("name", parquet.Repetitions.Optional, -1)
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{column}, -1)
	if err != nil {
		t.Fatal(err)
	}
	w := file.NewParquetWriter(&bytes.Buffer{}, root)
	if err := w.AppendKeyValueMetadata("key", "value"); err != nil {
		t.Fatal(err)
	}
	group, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	writer, err := group.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	values := []parquet.ByteArray{[]byte("a"), []byte("b")}
	if _, err := writer.(*file.ByteArrayColumnChunkWriter).WriteBatch(values, []int16{1, 0, 1}, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writer.Close(), group.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	meta, err := w.FileMetadata()
	if err != nil {
		t.Fatal(err)
	}
	data, err := meta.Serialize(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSkipReadsAStructWhole(t *testing.T) {
	data := footer(t)
	r := newThriftReader(append(bytes.Clone(data), "rest"...))
	r.Skip(thriftStruct)
	if r.Err() != nil || r.Offset() != len(data) {
		t.Fatalf("read %d of %d bytes: %v", r.Offset(), len(data), r.Err())
	}
}

func TestThriftStructVisitsEveryField(t *testing.T) {
	var rows int64
	var names []string
	r := newThriftReader(footer(t))
	r.Struct(func(id int16, kind ThriftKind) bool {
		switch {
		case id == 3 && kind == thriftI64:
			rows = r.Int()
		case id == 2 && kind == thriftList:
			element, length := r.List()
			if element != thriftStruct {
				t.Fatalf("the schema's elements are of kind %d", element)
			}
			for range length {
				r.Struct(func(id int16, kind ThriftKind) bool {
					if id == 4 {
						names = append(names, string(r.Bytes()))
					}
					return id == 4
				})
			}
		default:
			return false
		}
		return true
	})
	if r.Err() != nil || rows != 3 || len(names) != 2 || names[1] != "name" {
		t.Fatalf("%d rows, names %q, %v", rows, names, r.Err())
	}
}

func TestShortDataIsAnError(t *testing.T) {
	data := footer(t)
	for length := range data {
		r := newThriftReader(data[:length])
		if r.Skip(thriftStruct); !errors.Is(r.Err(), io.ErrUnexpectedEOF) {
			t.Fatalf("%d of %d bytes: %v", length, len(data), r.Err())
		}
	}
}

func TestMalformedDataIsAnError(t *testing.T) {
	for name, data := range map[string][]byte{
		"an unknown kind":            {0x1e, 0},
		"a varint of eleven bytes":   {0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		"structs without end":        bytes.Repeat([]byte{0x1c}, 1000),
		"lists without end":          append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1000)...),
		"a list longer than data":    {0x19, 0xf3, 0xff, 0xff, 0xff, 0xff, 0x07},
		"a string longer than data":  {0x18, 0xff, 0xff, 0xff, 0xff, 0x07},
		"a map longer than the data": {0x1b, 0xff, 0xff, 0x03, 0x33},
	} {
		r := newThriftReader(data)
		if r.Skip(thriftStruct); r.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzSkip(f *testing.F) {
	f.Add(footer(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := newThriftReader(data)
		r.Skip(thriftStruct)
		if r.Err() == nil && (r.Offset() == 0 || r.Offset() > len(data)) {
			t.Fatalf("read %d of %d bytes without an error", r.Offset(), len(data))
		}
	})
}
