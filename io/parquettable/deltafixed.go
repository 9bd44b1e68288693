package parquettable

import (
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
)

// readable returns the page in an encoding that arrow-go knows, and sets the encoding in the
// header. levels is the length of the levels in bytes. arrow-go does not know DELTA_BYTE_ARRAY for
// values of fixed length; Java and Rust write decimals and UUIDs with it.
func (p *pageReader) readable(h *pageHeader, levels int64) (data []byte, err error) {
	h.encoding, err = checkDelta(*h, p.data[levels:])
	if err != nil || h.encoding != parquet.Encodings.DeltaByteArray ||
		p.Descriptor.PhysicalType() != parquet.Types.FixedLenByteArray {
		return p.data, err
	}
	h.encoding = parquet.Encodings.Plain
	p.plain = append(p.plain[:0], p.data[:levels]...)
	p.plain, err = appendFixed(p.plain, p.data[levels:], h.values, int64(p.Descriptor.TypeLength()))
	return p.plain, err
}

// appendFixed decodes DELTA_BYTE_ARRAY data: it appends at most values values of width bytes each.
func appendFixed(plain, data []byte, values, width int64) ([]byte, error) {
	if width <= 0 || values > maxPage/width {
		return nil, damagef("a page claims %d values of %d bytes", values, width)
	}
	d := deltas{data: data}
	prefixes, suffixes := d.lengths(values, width), d.lengths(values, width)
	if d.wrong || len(prefixes) != len(suffixes) {
		return nil, damagef("the differences in a page cannot be read")
	}
	plain = slices.Grow(plain, len(prefixes)*int(width))
	var before []byte
	for i, prefix := range prefixes {
		suffix := d.take(uint64(suffixes[i]))
		if d.wrong || int64(prefix+suffixes[i]) != width || int(prefix) > len(before) {
			return nil, damagef("a page has a value that is not of %d bytes", width)
		}
		plain = append(append(plain, before[:prefix]...), suffix...)
		before = plain[int64(len(plain))-width:]
	}
	return plain, nil
}

// lengths reads one sequence of at most values lengths, each of at most most bytes. It allocates
// memory once, because a few bytes can stand for many lengths.
func (d *deltas) lengths(values, most int64) []int32 {
	start := *d
	lengths := make([]int32, 0, min(start.header().total, uint64(values)))
	total := d.each(func(length int64) bool {
		d.wrong = d.wrong || length < 0 || length > most || int64(len(lengths)) >= values
		lengths = append(lengths, int32(length))
		return !d.wrong
	})
	d.wrong = d.wrong || total != uint64(len(lengths))
	return lengths
}
