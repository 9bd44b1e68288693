package parquettable

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/zstd"

	"payonce/io/parquettable/parquettest"
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
			p := &pageReader{file: bytes.NewReader(chunk), decompress: &decompressor{}}
			p.Descriptor = parquettest.Descriptor(t, parquettest.Text(t, "c"))
			if err := p.Open(0, int64(len(chunk)), 1, compress.Codecs.Uncompressed); err != nil {
				t.Fatal(err)
			}
			switch found := p.Next(); {
			case whole && (!found || !bytes.Equal(p.Page().Data(), data)):
				t.Errorf("%s: the page is refused: %v", value, p.Err())
			case !whole && (found || !errors.Is(p.Err(), ErrDamaged) || !strings.Contains(p.Err().Error(), "the checksum of a page is wrong")):
				t.Errorf("%s: %v with the checksum %x in place of %x", value, p.Err(), checksum, right)
			}
		}
	}
	if high == 0 || high == 6 {
		t.Errorf("%d of the checksums are negative, so this shows less than it should", high)
	}
}

func TestPagesLargerThanTheirHeaderSaysAreRefused(t *testing.T) {
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	honest := make([]byte, 100)
	bomb := encoder.EncodeAll(make([]byte, 512<<20), nil)
	for name, c := range map[string]struct {
		codec      compress.Compression
		sound, raw []byte
	}{
		"zstd":   {compress.Codecs.Zstd, encoder.EncodeAll(honest, nil), bomb},
		"snappy": {compress.Codecs.Snappy, s2.EncodeSnappy(nil, honest), []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0}},
	} {
		decode := func(raw []byte) (size uint64, err error) {
			return parquettest.LeastAllocated(func() {
				d := &decompressor{} // a new one each time: it may keep what it has taken
				if err := d.use(c.codec); err != nil {
					t.Fatal(err)
				}
				defer d.close()
				_, err = d.decode(nil, raw, int64(len(honest)))
			}), err
		}
		least, err := decode(c.sound)
		if err != nil {
			t.Fatal(err)
		}
		if size, err := decode(c.raw); !errors.Is(err, ErrDamaged) || size > least+(2<<10) { // the error takes some
			t.Errorf("%s: %v after %d bytes, a sound page takes %d", name, err, size, least)
		}
	}
}

func TestInvalidPageHeadersAreRefused(t *testing.T) {
	p := &pageReader{end: 1000, values: 100, decompress: &decompressor{kind: compress.Codecs.Snappy}}
	p.Descriptor = parquettest.Descriptor(t, parquettest.Text(t, "c"))
	valid := pageHeader{compressed: 1000, uncompressed: 2000, values: 100}
	if err := cmp.Or(p.check(valid), p.checkMemory(valid)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(h *pageHeader){
		"more than the chunk":    func(h *pageHeader) { h.compressed = 1001 },
		"less than nothing":      func(h *pageHeader) { h.compressed = -1 },
		"negative length":        func(h *pageHeader) { h.uncompressed = -1 },
		"larger than the limit":  func(h *pageHeader) { h.uncompressed = maxPage + 1 },
		"larger than can be":     func(h *pageHeader) { h.uncompressed = 1 << 20 },
		"more values":            func(h *pageHeader) { h.values = 101 },
		"negative values":        func(h *pageHeader) { h.values = -1 },
		"levels behind the page": func(h *pageHeader) { h.definitionLength = 1001 },
		"negative levels":        func(h *pageHeader) { h.repetitionLength = -1 },
		"a delta of too many": func(h *pageHeader) {
			h.encoding = parquet.Encodings.DeltaLengthByteArray
			h.values = maxDeltaValues + 1
			p.values = h.values
		},
		"dictionary of too many":  func(h *pageHeader) { h.kind = 2; h.values = 501 },
		"dictionary of less":      func(h *pageHeader) { h.kind = 2; h.values = -1 },
		"levels that leave less ": func(h *pageHeader) { h.definitionLength = 1000; h.repetitionLength = 1 },
	} {
		h := valid
		p.values = 100
		change(&h)
		if err := cmp.Or(p.check(h), p.checkMemory(h)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInvalidDeltaEncodingsAreRefused(t *testing.T) {
	stream := func(numbers ...uint64) (data []byte) {
		for _, number := range numbers {
			data = binary.AppendUvarint(data, number)
		}
		return data
	}
	for name, data := range map[string][]byte{
		"half a header":      stream(128, 4),
		"no values a block":  stream(0, 4, 1, 0),
		"huge blocks":        stream(1<<31, 1, 1, 0),
		"no parts":           stream(128, 0, 1, 0),
		"parts of no length": stream(128, 5, 1, 0),
	} {
		if _, err := checkDelta(pageHeader{encoding: parquet.Encodings.DeltaBinaryPacked}, data); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A prefix of 2 MiB before each of 1,000 values.
	prefixes := append(stream(128, 4, 1000, 4<<20), bytes.Repeat([]byte{0, 0, 0, 0, 0}, 8)...)
	_, err := checkDelta(pageHeader{encoding: parquet.Encodings.DeltaByteArray}, append(prefixes, stream(128, 4, 1, 0)...))
	if err == nil || !strings.Contains(err.Error(), "repeat more than") {
		t.Errorf("long prefixes: %v", err)
	}
}
