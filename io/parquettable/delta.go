package parquettable

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

const (
	// maxDeltaBlock is the most values of a block in a delta encoding. Writers use 128 or 2048.
	maxDeltaBlock = 64 << 10
	// maxDeltaValues is the most values of a page in a delta encoding. Memory for their lengths is
	// allocated before the first one is read.
	maxDeltaValues = 16 << 20
)

// isDelta reports whether values are encoded as differences. arrow-go allocates what such data
// claims to hold, so the claims are checked before.
func isDelta(encoding parquet.Encoding) bool {
	switch encoding {
	case parquet.Encodings.DeltaBinaryPacked, parquet.Encodings.DeltaLengthByteArray,
		parquet.Encodings.DeltaByteArray:
		return true
	}
	return false
}

// skipLevels returns the data after the levels of a page of version 1.
func skipLevels(h pageHeader, descriptor *schema.Column, data []byte) ([]byte, error) {
	for _, levels := range []struct {
		highest  int16
		encoding parquet.Encoding
	}{
		{descriptor.MaxRepetitionLevel(), h.repetition},
		{descriptor.MaxDefinitionLevel(), h.definition},
	} {
		if levels.highest == 0 {
			continue
		}
		length := (h.values*int64(bits.Len16(uint16(levels.highest))) + 7) / 8
		if levels.encoding == parquet.Encodings.RLE && len(data) >= 4 {
			length = 4 + int64(binary.LittleEndian.Uint32(data))
		}
		if length > int64(len(data)) {
			return nil, damagef("the levels of a page are longer than the page")
		}
		data = data[length:]
	}
	return data, nil
}

// checkDelta checks the values of a page and returns the encoding to decode them with. For a page
// of nulls only that is the plain encoding, because some writers leave bytes of the page before in
// it.
func checkDelta(h pageHeader, data []byte) (parquet.Encoding, error) {
	if !isDelta(h.encoding) {
		return h.encoding, nil
	}
	if len(data) == 0 { // some writers leave out the header of a page of nulls
		return parquet.Encodings.Plain, nil
	}
	d := deltas{data: data}
	if h.encoding == parquet.Encodings.DeltaByteArray {
		// A value repeats the start of the value before, so a few bytes can stand for many.
		prefixes, values := d.sum()
		if d.wrong || prefixes < 0 || prefixes > maxPage {
			return 0, damagef("the values of a page repeat more than %d MiB", maxPage>>20)
		}
		if values == 0 {
			return parquet.Encodings.Plain, nil
		}
	}
	if d.header(); d.wrong {
		return 0, damagef("the differences in a page cannot be read")
	}
	return h.encoding, nil
}

// deltas reads integers that are encoded as differences in blocks of packed bits.
type deltas struct {
	data  []byte
	wrong bool
}

// deltaHeader describes the blocks that follow it.
type deltaHeader struct {
	values, parts uint64 // of a block
	total         uint64
	first         int64
}

func (d *deltas) header() deltaHeader {
	h := deltaHeader{values: d.uvarint(), parts: d.uvarint(), total: d.uvarint(), first: d.varint()}
	if h.values == 0 || h.values > maxDeltaBlock ||
		h.parts == 0 || h.values%h.parts != 0 || h.values/h.parts%32 != 0 {
		d.wrong = true
	}
	return h
}

// each reads one sequence of integers until visit returns false. It returns the number of integers
// in the header.
func (d *deltas) each(visit func(value int64) (more bool)) (total uint64) {
	h := d.header()
	value, left := h.first, h.total
	if d.wrong || left == 0 || !visit(value) {
		return h.total
	}
	for !d.wrong && left > 1 {
		least := d.varint()
		widths := d.take(h.parts)
		for _, width := range widths {
			if left <= 1 {
				break
			}
			part := h.values / h.parts
			packed := d.take(part / 8 * uint64(width))
			if d.wrong = d.wrong || width > 64; d.wrong {
				return h.total
			}
			for i := range min(part, left-1) {
				value += least + int64(unpack(packed, i, uint64(width)))
				if !visit(value) {
					return h.total
				}
			}
			left -= min(part, left-1)
		}
	}
	return h.total
}

// sum reads one sequence of integers and returns their sum and their number. It stops when the sum
// is out of bounds.
func (d *deltas) sum() (sum int64, total uint64) {
	total = d.each(func(value int64) bool {
		sum += value
		return sum >= 0 && sum <= maxPage
	})
	return sum, total
}

// unpack returns the number at index i of packed numbers of width bits each.
func unpack(packed []byte, i, width uint64) (number uint64) {
	for bit := range width {
		at := i*width + bit
		number |= uint64(packed[at/8]>>(at%8)&1) << bit
	}
	return number
}

func (d *deltas) uvarint() uint64 {
	value, length := binary.Uvarint(d.data)
	d.take(uint64(max(length, 0)))
	d.wrong = d.wrong || length <= 0
	return value
}

func (d *deltas) varint() int64 {
	value := d.uvarint()
	return int64(value>>1) ^ -int64(value&1)
}

func (d *deltas) take(length uint64) []byte {
	if d.wrong = d.wrong || length > uint64(len(d.data)); d.wrong {
		return nil
	}
	taken := d.data[:length]
	d.data = d.data[length:]
	return taken
}
