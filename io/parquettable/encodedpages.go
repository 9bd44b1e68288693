package parquettable

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// scratch is memory that a goroutine encodes with.
type scratch struct {
	levels     []uint8 // definition levels of the cells
	repeats    []bool
	repetition []uint8  // levels of a page
	numbers    []uint32 // in the dictionary, of the values of a part, plus one
	codes      []uint32 // numbers in the dictionary, of the cells that are not null
	values     []byte   // of a page
	page       []byte
	compressed []byte
}

// encodeCodes makes a page of numbers of the dictionary.
func (e *encoder) encodeCodes(s *scratch) error {
	width := max(bits.Len(uint(e.words.len()-1)), 1)
	s.values = appendHybrid(append(s.values[:0], byte(width)), s.codes, width)
	return e.addPage(s, 0, len(s.levels), parquet.Encodings.RLEDict)
}

// encodeTexts makes pages of texts as they are.
func (e *encoder) encodeTexts(parts []*cells, s *scratch) error {
	s.values = s.values[:0]
	first, at := 0, 0
	for _, c := range parts {
		for i, id := range c.ids {
			if len(s.values) >= pageSize && (len(c.repeats) == 0 || !c.repeats[i]) { // a row is not split
				if err := e.addPage(s, first, at, parquet.Encodings.Plain); err != nil {
					return err
				}
				first, s.values = at, s.values[:0]
			}
			at++
			if id != 0 {
				value := c.value(id)
				s.values = appendText(s.values, value)
				e.summary.text(value)
			}
		}
	}
	return e.addPage(s, first, at, parquet.Encodings.Plain)
}

// encodeNumbers makes a page of numbers.
func (e *encoder) encodeNumbers(parts []*cells, s *scratch) error {
	s.values = s.values[:0]
	for _, c := range parts {
		for _, number := range c.numbers {
			e.summary.number(number)
		}
		for _, id := range c.ids {
			if id != 0 {
				s.values = binary.LittleEndian.AppendUint64(s.values, uint64(c.numbers[id-1]))
			}
		}
	}
	return e.addPage(s, 0, len(s.levels), parquet.Encodings.Plain)
}

// addPage adds a page of some of the cells, whose values are gathered.
func (e *encoder) addPage(s *scratch, from, to int, encoding parquet.Encoding) error {
	if from == to {
		return nil
	}
	s.page = s.page[:0]
	if len(s.repeats) > 0 {
		s.repetition = s.repetition[:0]
		for _, repeats := range s.repeats[from:to] {
			level := uint8(0)
			if repeats {
				level = 1
			}
			s.repetition = append(s.repetition, level)
		}
		s.page = appendLevels(s.page, s.repetition, e.descriptor.MaxRepetitionLevel())
	}
	if !e.required() {
		s.page = appendLevels(s.page, s.levels[from:to], e.descriptor.MaxDefinitionLevel())
	}
	s.page = append(s.page, s.values...)
	if err := e.compress(s); err != nil {
		return err
	}
	e.pages = append(e.pages, page{end: len(e.data), cells: to - from, uncompressed: len(s.page), encoding: encoding})
	return nil
}

// appendLevels appends the levels of a page behind their length.
func appendLevels(page []byte, levels []uint8, highest int16) []byte {
	start := len(page)
	page = appendHybrid(append(page, 0, 0, 0, 0), levels, bits.Len16(uint16(highest)))
	binary.LittleEndian.PutUint32(page[start:], uint32(len(page)-start-4))
	return page
}

// compress adds the page to the encoder's data.
func (e *encoder) compress(s *scratch) error {
	if e.layout.codec == compress.Codecs.Uncompressed {
		e.data = append(e.data, s.page...)
		return nil
	}
	codec, err := compress.GetCodec(e.layout.codec)
	if err != nil {
		return err
	}
	s.compressed = slices.Grow(s.compressed[:0], int(codec.CompressBound(int64(len(s.page)))))
	e.data = append(e.data, codec.EncodeLevel(s.compressed, s.page, compress.DefaultCompressionLevel)...)
	return nil
}
