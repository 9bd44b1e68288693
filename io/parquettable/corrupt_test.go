package parquettable

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/parquettable/parquettest"
	"payonce/io/table"
)

// seeds returns small files of all kinds, to be damaged.
func seeds(t testing.TB) [][]byte {
	list := drawn{names: []string{"a", "b"}, groups: [][][]string{
		{{"one", "∅"}, {"", "Zoë"}, {"one", "three"}, {"one", "three"}}, {{"x", "y"}},
	}}
	numbers := sample{
		fields: schema.FieldList{
			logical(t, "i", schema.NoLogicalType{}, parquet.Types.Int32, -1), logical(t, "l", schema.NoLogicalType{}, parquet.Types.Int64, -1),
			logical(t, "d", schema.NewDecimalLogicalType(4, 2), parquet.Types.FixedLenByteArray, 2), logical(t, "f", schema.NoLogicalType{}, parquet.Types.Double, -1),
			logical(t, "o", schema.NoLogicalType{}, parquet.Types.Boolean, -1),
		},
		groups: [][]leaf{{
			{values: []int32{1, 2, 300}, definition: []int16{1, 0, 1, 1}},
			{values: []int64{1, -2, 300}, definition: []int16{1, 0, 1, 1}},
			{values: fixed("ab", "cd", "ab"), definition: []int16{1, 0, 1, 1}},
			{values: []float64{1, 2.5, 3}, definition: []int16{1, 0, 1, 1}},
			{values: []bool{true, false, true}, definition: []int16{1, 0, 1, 1}},
		}},
	}
	files := [][]byte{nested(t).write(t), numbers.write(t)}
	for _, codec := range parquettest.Codecs() {
		files = append(files, list.sample(t, []parquet.WriterProperty{parquet.WithCompression(codec)}).write(t))
	}
	for _, encoding := range []parquet.Encoding{parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaLengthByteArray} {
		options := []parquet.WriterProperty{parquet.WithDictionaryDefault(false), parquet.WithEncoding(encoding), parquet.WithDataPageVersion(parquet.DataPageV2)}
		files = append(files, list.sample(t, options).write(t))
	}
	numbers.options = []parquet.WriterProperty{parquet.WithDictionaryDefault(false)}
	files = append(files, numbers.write(t))
	numbers.fields, numbers.groups = numbers.fields[:2], [][]leaf{numbers.groups[0][:2]}
	numbers.options = append(numbers.options, parquet.WithEncoding(parquet.Encodings.DeltaBinaryPacked))
	differences, _ := deltaFixed(t, parquet.DataPageV2, 10)
	return append(files, numbers.write(t), described(t), differences)
}

// described is a small file with what others keep beside the data: indexes of the pages
// and a schema of Arrow.
func described(t testing.TB) []byte {
	t.Helper()
	list := drawn{names: []string{"a"}, groups: [][][]string{{{"one"}, {"∅"}, {"three"}}}}
	s := list.sample(t, []parquet.WriterProperty{parquet.WithPageIndexEnabled(true), parquet.WithDictionaryDefault(false)})
	s.metadata = metadata.NewKeyValueMetadata()
	message := parquettest.ArrowSchema(t, arrow.Field{Name: "a", Type: arrow.BinaryTypes.LargeString, Nullable: true})
	if err := s.metadata.Append("ARROW:schema", base64.StdEncoding.EncodeToString(message)); err != nil {
		t.Fatal(err)
	}
	return s.write(t)
}

// checkDamaged reads a file with damage. It may be read, or be refused with a
// *table.Error.
func checkDamaged(t *testing.T, path string) {
	t.Helper()
	for _, columns := range [][]int{nil, {0}} {
		_, err := cellsOf(path, columns)
		if wrong := (*table.Error)(nil); err != nil && (!errors.As(err, &wrong) || wrong.File != path || wrong.Reason == "") {
			t.Fatalf("not a *table.Error: %v", err)
		}
	}
	list, err := Open(path, []int{})
	if err != nil {
		return
	}
	if err := list.Close(); err != nil {
		t.Fatal(err)
	}
	// Writing it again may fail too, but not worse.
	for _, filled := range [][]int{nil, {0}} {
		rewriteDamaged(t, path, filled)
	}
	again, err := Open(path, []int{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if w, err := NewSubset(io.Discard, again, nil); err == nil {
		_ = writeRows(again, w, func(row table.Row) ([]table.Fill, []string) { return nil, []string{} })
		w.Discard()
	}
}

// rewriteDamaged writes a file with damage again, and fills a cell of each column.
func rewriteDamaged(t *testing.T, path string, filled []int) {
	t.Helper()
	list, err := Open(path, []int{})
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	w, err := NewWriter(io.Discard, list, filled, result())
	if err != nil {
		return
	}
	defer w.Discard()
	_ = writeRows(list, w, func(row table.Row) (fills []table.Fill, appended []string) {
		for _, column := range filled {
			if row.Number() == 2 {
				fills = append(fills, table.Fill{Column: column, Value: "filled"})
			}
		}
		return fills, []string{"", "", "", ""}
	})
}

// moreForDamaged is how much more memory a damaged file may take than the same file without
// damage, whatever it claims, in bytes.
const moreForDamaged = 16 << 20

func TestDamagedFilesAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.parquet")
	step := 7 // FuzzDamage finds the others
	if testing.Short() {
		step *= 31 // damage changes little about which goroutines work together
	}
	for _, data := range seeds(t) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		whole := parquettest.Allocated(func() { checkDamaged(t, path) })
		for at := 0; at < len(data); at += step {
			wrong := bytes.Clone(data)
			wrong[at] ^= []byte{0xff, 0x80, 0x01}[at/7%3]
			if err := os.WriteFile(path, wrong, 0o600); err != nil {
				t.Fatal(err)
			}
			if size := parquettest.Allocated(func() { checkDamaged(t, path) }); size > whole+moreForDamaged {
				t.Fatalf("byte %d of %d changed: %d MiB are taken, %d MiB without damage", at, len(data), size>>20, whole>>20)
			}
		}
	}
}

func TestTruncatedFilesAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.parquet")
	data := nested(t).write(t)
	for length := range data {
		if err := os.WriteFile(path, data[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path, nil)
		if wrong := (*table.Error)(nil); !errors.As(err, &wrong) {
			t.Fatalf("%d of %d bytes: %v", length, len(data), err)
		}
	}
}

func TestParquetFilesThatCannotBeListsAreRefused(t *testing.T) {
	key := bytes.Repeat([]byte("k"), 16)
	encryption := parquet.NewFileEncryptionProperties(string(key))
	plainFooter := parquet.NewFileEncryptionProperties(string(key), parquet.WithPlaintextFooter())
	list := drawn{names: []string{"a"}, groups: [][][]string{{{"one"}}}}
	valid := list.sample(t, nil).write(t)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":           {nil, "not a Parquet file"},
		"text":            {[]byte("first_name,last_name\nZoë,Müller\n"), "not a Parquet file"},
		"encrypted":       {list.sample(t, []parquet.WriterProperty{parquet.WithEncryptionProperties(encryption)}).write(t), "encrypted"},
		"plain footer":    {list.sample(t, []parquet.WriterProperty{parquet.WithEncryptionProperties(plainFooter)}).write(t), "encrypted"},
		"without footer":  {valid[:len(valid)-1], "its end is missing"},
		"long footer":     {withFooterLength(valid, 1<<31), "its footer claims 2147483648 bytes"},
		"deep schema":     {footerFile(deepSchema(100_000)), "nested more than 64 levels deep"},
		"many row groups": {footerFile([]byte{0x49, 0xfc, 0xff, 0xff, 0xff, 0x07}), "its footer cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Open(save(t, c.data), nil); !isListError(err, c.want) {
				t.Error(err)
			}
		})
	}
}

func withFooterLength(data []byte, length uint32) []byte {
	data = bytes.Clone(data)
	binary.LittleEndian.PutUint32(data[len(data)-tailSize:], length)
	return data
}

// footerFile returns a file that has nothing but a footer.
func footerFile(content []byte) []byte {
	data := append([]byte(magic), content...)
	return append(binary.LittleEndian.AppendUint32(data, uint32(len(content))), magic...)
}

// deepSchema returns a footer whose columns lie in each other.
func deepSchema(depth int) []byte {
	footer := append([]byte{0x29, 0xfc}, binary.AppendUvarint(nil, uint64(depth))...)
	for range depth {
		footer = append(footer, 0x48, 1, 'a', 0x15, 2, 0) // a name and one child
	}
	return append(footer, 0)
}

// FuzzDamage changes bytes of files that are whole otherwise.
func FuzzDamage(f *testing.F) {
	files := seeds(f)
	for i, data := range files {
		f.Add(uint8(i), uint16(len(data)/2), uint8(1), uint16(len(data)-100), uint8(0xff))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, seed uint8, at uint16, change uint8, at2 uint16, change2 uint8) {
		data := bytes.Clone(files[int(seed)%len(files)])
		data[int(at)%len(data)] ^= change
		data[int(at2)%len(data)] ^= change2
		path := filepath.Join(dir, fmt.Sprintf("%d.parquet", os.Getpid()))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		checkDamaged(t, path)
	})
}
