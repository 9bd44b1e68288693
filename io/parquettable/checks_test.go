package parquettable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/metadata"

	"payonce/io/parquettable/parquettest"
)

// footers of two columns and two row groups that contradict themselves.
func TestFootersThatContradictThemselvesAreRefused(t *testing.T) {
	list := drawn{names: []string{"a", "b"}, groups: [][][]string{{{"1", "2"}, {"3", "4"}}, {{"5", "6"}}}}
	data := list.sample(t, nil).write(t)
	for want, change := range map[string]func(meta *metadata.FileMetaData){
		"its row groups have 3 rows; the footer says 4": func(meta *metadata.FileMetaData) { meta.FileMetaData.NumRows++ },
		"has an impossible number of rows":              func(meta *metadata.FileMetaData) { meta.RowGroups[1].NumRows = -1 },
		"column b has 2 values for 1 rows":              func(meta *metadata.FileMetaData) { meta.RowGroups[1].Columns[1].MetaData.NumValues = 2 },
		"claim more bytes than the file has": func(meta *metadata.FileMetaData) {
			for _, group := range meta.RowGroups {
				for _, column := range group.Columns { // each of them half of the file
					column.MetaData.DataPageOffset, column.MetaData.DictionaryPageOffset = 4, nil
					column.MetaData.TotalCompressedSize = int64(len(data)-meta.Size()) / 2
				}
			}
		},
		"has 1 column chunks for 2 columns": func(meta *metadata.FileMetaData) { meta.RowGroups[0].Columns = meta.RowGroups[0].Columns[:1] },
		"claims to lie outside the file":    func(meta *metadata.FileMetaData) { meta.RowGroups[0].Columns[0].MetaData.DataPageOffset = 1 << 40 },
		"has another type":                  func(meta *metadata.FileMetaData) { meta.RowGroups[0].Columns[0].MetaData.Type = 1 },
		"does not describe column a":        func(meta *metadata.FileMetaData) { meta.RowGroups[0].Columns[0].MetaData = nil },
	} {
		f, err := readFooter(bytes.NewReader(data), "list.parquet", int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		meta, end := f.Meta, f.Start
		if err := checkLayout(meta, "list.parquet", end); err != nil {
			t.Fatal(err)
		}
		change(meta)
		if err := checkLayout(meta, "list.parquet", end); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A footer is not read into memory that is larger than any writer's.
func TestAFooterThatIsTooLargeIsNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.parquet")
	if err := os.WriteFile(path, []byte(magic), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(claimed uint32) (size uint64, err error) {
		tail := append(binary.LittleEndian.AppendUint32(nil, claimed), magic...)
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, err = file.WriteAt(tail, 2*maxSize) // the rest takes no room on the disk
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		return parquettest.LeastAllocated(func() { _, err = Open(path, nil) }), err
	}
	least, err := read(1)
	if err == nil {
		t.Fatal("a footer of one byte is read")
	}
	if size, err := read(maxSize + 1); !isListError(err, "the footer is larger than 16 MiB") || size > 2*least {
		t.Errorf("%v after %d bytes, %d for a footer of one byte", err, size, least)
	}
}
