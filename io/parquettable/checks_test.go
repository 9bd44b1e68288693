package parquettable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// dictionaryChunk returns a column chunk of one page, a dictionary with one text, as
// writers that add checksums make it.
func dictionaryChunk(text string, checksum uint32) []byte {
	data := append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
	chunk := []byte{}
	for _, number := range []int32{2, int32(len(data)), int32(len(data)), int32(checksum)} { // kind, lengths, checksum
		chunk = binary.AppendVarint(append(chunk, 0x15), int64(number))
	}
	chunk = append(chunk, 0x3c, 0x15, 2, 0x15, 0, 0, 0) // one value, plain
	return append(chunk, data...)
}

// Other writers add checksums, so both are to be told apart: those that fit and those
// that do not.
func TestChecksumsOfPagesAreChecked(t *testing.T) {
	high := 0
	for _, value := range []string{"Zoë", "a", "b", "c", "d", "e"} {
		data := append(binary.LittleEndian.AppendUint32(nil, uint32(len(value))), value...)
		right := crc32.ChecksumIEEE(data)
		if right>>31 == 1 { // is negative in the header
			high++
		}
		for checksum, whole := range map[uint32]bool{right: true, right ^ 1: false, right ^ 1<<31: false} {
			chunk := dictionaryChunk(value, checksum)
			p := &pages{file: bytes.NewReader(chunk), decompress: &decompressor{}}
			p.descriptor = sampleColumn(t, sample{fields: schema.FieldList{text(t, "c")}})
			if err := p.open(0, int64(len(chunk)), 1, compress.Codecs.Uncompressed); err != nil {
				t.Fatal(err)
			}
			switch found := p.Next(); {
			case whole && (!found || !bytes.Equal(p.Page().Data(), data)):
				t.Errorf("%s: the page is refused: %v", value, p.Err())
			case !whole && (found || !errors.Is(p.Err(), errDamaged) || !strings.Contains(p.Err().Error(), "the checksum of a page is wrong")):
				t.Errorf("%s: %v with the checksum %x in place of %x", value, p.Err(), checksum, right)
			}
		}
	}
	if high == 0 || high == 6 {
		t.Errorf("%d of the checksums are negative, so this shows less than it should", high)
	}
}

// footers of two columns and two row groups that contradict themselves.
func TestFootersThatContradictThemselvesAreRefused(t *testing.T) {
	list := drawn{names: []string{"a", "b"}, groups: [][][]string{{{"1", "2"}, {"3", "4"}}, {{"5", "6"}}}}
	data := list.sample(t, nil).write(t)
	for want, change := range map[string]func(meta *metadata.FileMetaData){
		"its row groups have 3 rows, the footer says 4": func(meta *metadata.FileMetaData) { meta.FileMetaData.NumRows++ },
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
		"is of another type":                func(meta *metadata.FileMetaData) { meta.RowGroups[0].Columns[0].MetaData.Type = 1 },
		"says nothing of column a":          func(meta *metadata.FileMetaData) { meta.RowGroups[0].Columns[0].MetaData = nil },
	} {
		meta, end, err := readFooter(bytes.NewReader(data), "list.parquet", int64(len(data)))
		if err == nil {
			err = checkLayout(meta, "list.parquet", end)
		}
		if err != nil {
			t.Fatal(err)
		}
		change(meta)
		if err := checkLayout(meta, "list.parquet", end); !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), want) {
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
	tail := append(binary.LittleEndian.AppendUint32(nil, maxFooter+1), magic...)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteAt(tail, 2*maxFooter) // the rest takes no room on the disk
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	var got error
	if size := allocated(func() { _, got = Open(path, nil) }); !isListError(got, "the footer is larger than 16 MiB") || size > 1<<20 {
		t.Errorf("%v after %d bytes", got, size)
	}
}

// brokenDecoder is a decoder that panics, as the library's do on some damage.
type brokenDecoder struct{}

func (brokenDecoder) decode(*vector, int) error { panic("index out of range") }

func TestAPanicOfADecoderIsDamage(t *testing.T) {
	if err := (&lane{}).decode(brokenDecoder{}, &vector{}, 1); !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), "index out of range") {
		t.Error(err)
	}
}

// A value of a dictionary may stand in every row: what a block takes has its limit.
func TestABlockOfTooMuchTextIsRefused(t *testing.T) {
	d := newValues(sampleColumn(t, sample{fields: schema.FieldList{text(t, "c")}}), nil, nil, func(to []byte, _ parquet.ByteArray) []byte {
		return make([]byte, len(to)+maxVector/2+1) // never touched, so it takes no memory
	})
	d.values, d.definition = texts("a", "a", "a"), []int16{1, 1, 1}
	v := &vector{}
	if err := d.append(v, 3, 3); err == nil || !strings.Contains(err.Error(), "its cells are too long: 2 rows have more than 256 MiB") {
		t.Error(err)
	}
}
