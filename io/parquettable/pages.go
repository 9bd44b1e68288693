package parquettable

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// EncodeScratch is memory that a goroutine encodes with.
type EncodeScratch struct {
	present    []uint8  // of the cells: 1 for a value, 0 for a null
	repeats    []uint8  // of the cells of lists
	numbers    []uint32 // of the values of a part in the dictionary, plus one
	codes      []uint32 // of the cells that are not null in the dictionary
	values     []byte   // of a page
	page       []byte
	compressed []byte
	zstd       *zstd.Encoder // made when it is first needed
}

// encodeCodes makes a page of numbers that refer to the dictionary.
func (e *columnEncoder) encodeCodes(s *EncodeScratch) error {
	e.coded = e.texts.len()
	width := max(bits.Len(uint(e.coded-1)), 1)
	s.values = appendHybrid(append(s.values, byte(width)), s.codes, width)
	return e.addPage(s, 0, len(s.present), parquet.Encodings.RLEDict)
}

// encodeTexts makes pages of plain texts.
func (e *columnEncoder) encodeTexts(parts []*Cells, s *EncodeScratch) error {
	first, at := 0, 0
	for _, c := range parts {
		next := 0 // of the values
		for i, present := range c.present {
			startsRow := len(c.repeats) == 0 || c.repeats[i] == 0 // a page has whole rows
			if len(s.values) >= pageSize && startsRow {
				if err := e.addPage(s, first, at, parquet.Encodings.Plain); err != nil {
					return err
				}
				first, s.values = at, s.values[:0]
			}
			at++
			if present != 1 {
				continue
			}
			value := c.value(next)
			next++
			s.values = appendText(s.values, value)
			e.summary.text(value)
		}
	}
	return e.addPage(s, first, at, parquet.Encodings.Plain)
}

// encodeNumbers makes a page of numbers.
func (e *columnEncoder) encodeNumbers(parts []*Cells, s *EncodeScratch) error {
	stored := e.descriptor.PhysicalType()
	count := 0
	for _, c := range parts {
		for _, number := range c.numbers {
			e.summary.number(number)
		}
		for _, id := range c.ids {
			if stored == parquet.Types.Boolean { // eight of them take a byte
				if count%8 == 0 {
					s.values = append(s.values, 0)
				}
				s.values[len(s.values)-1] |= byte(c.numbers[id]) << (count % 8)
				count++
				continue
			}
			s.values = appendNumber(s.values, stored, c.numbers[id])
		}
	}
	return e.addPage(s, 0, len(s.present), parquet.Encodings.Plain)
}

// addPage adds a page of some cells, whose values are in s.values.
func (e *columnEncoder) addPage(s *EncodeScratch, from, to int, encoding parquet.Encoding) error {
	if from == to {
		return nil
	}
	s.page = s.page[:0]
	if len(s.repeats) > 0 {
		s.page = appendLevels(s.page, s.repeats[from:to], e.descriptor.MaxRepetitionLevel())
	}
	if !e.Required() {
		s.page = appendLevels(s.page, s.present[from:to], e.descriptor.MaxDefinitionLevel())
	}
	s.page = append(s.page, s.values...)
	compressed, err := e.compress(s, s.page)
	if err != nil {
		return err
	}
	e.data = append(e.data, compressed...)
	e.pages = append(e.pages, encodedPage{
		end: len(e.data), cells: to - from, uncompressed: len(s.page), encoding: encoding,
	})
	return nil
}

// appendLevels appends the length of the levels of a page, and the levels. A level of 1 stands for
// the highest one, and one of emptyList for the one below.
func appendLevels(page []byte, levels []uint8, highest int16) []byte {
	start := len(page)
	page = append(page, 0, 0, 0, 0)
	if highest == 1 {
		page = appendFlags(page, levels)
	} else {
		numbers := make([]uint32, len(levels))
		for i, level := range levels {
			if level == emptyList {
				numbers[i] = uint32(highest) - 1
			} else {
				numbers[i] = uint32(level) * uint32(highest)
			}
		}
		page = appendHybrid(page, numbers, bits.Len16(uint16(highest)))
	}
	binary.LittleEndian.PutUint32(page[start:], uint32(len(page)-start-4))
	return page
}

// compress compresses a page. It keeps the memory of the page for the next one.
func (e *columnEncoder) compress(s *EncodeScratch, page []byte) (compressed []byte, err error) {
	s.page = page
	switch e.Layout.Codec {
	case compress.Codecs.Uncompressed:
		return page, nil
	case compress.Codecs.Zstd:
		if s.zstd == nil {
			// With the default window an encoder holds 16 MiB.
			s.zstd, err = zstd.NewWriter(nil,
				zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(pageSize), zstd.WithZeroFrames(true))
			if err != nil {
				return nil, err
			}
		}
		s.compressed = s.zstd.EncodeAll(page, s.compressed[:0])
		return s.compressed, nil
	}
	codec, err := compress.GetCodec(e.Layout.Codec)
	if err != nil {
		return nil, err
	}
	s.compressed = slices.Grow(s.compressed[:0], int(codec.CompressBound(int64(len(page)))))
	return codec.EncodeLevel(s.compressed, page, compress.DefaultCompressionLevel), nil
}
