package parquettable

import (
	"bytes"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// summary gathers the statistics of a column chunk.
type summary struct {
	nulls       int64
	some        bool // there is a value
	first, last []byte
	least, most int64 // of numbers
}

func (s *summary) reset() {
	s.nulls, s.some = 0, false
}

// text adds a text.
func (s *summary) text(value []byte) {
	if !s.some {
		s.first, s.last = append(s.first[:0], value...), append(s.last[:0], value...)
		s.some = true
		return
	}
	if bytes.Compare(value, s.first) < 0 {
		s.first = append(s.first[:0], value...)
	}
	if bytes.Compare(value, s.last) > 0 {
		s.last = append(s.last[:0], value...)
	}
}

// number adds a number.
func (s *summary) number(value int64) {
	if !s.some {
		s.least, s.most, s.some = value, value, true
	}
	s.least, s.most = min(s.least, value), max(s.most, value)
}

// statistics returns the statistics for the file, in which values are stored like this. They share no memory
// with s.
func (s *summary) statistics(stored parquet.Type) metadata.EncodedStatistics {
	numbers := stored != parquet.Types.ByteArray
	stats := metadata.EncodedStatistics{
		HasNullCount: true, NullCount: s.nulls, HasMin: s.some, HasMax: s.some, Signed: numbers,
	}
	if !s.some {
		return stats
	}
	if numbers {
		stats.Min = appendNumber(nil, stored, s.least)
		stats.Max = appendNumber(nil, stored, s.most)
		return stats
	}
	const longest = 4096 // bytes; longer values are left out, as other writers do
	if stats.HasMin = len(s.first) <= longest; stats.HasMin {
		stats.Min = bytes.Clone(s.first)
	}
	if stats.HasMax = len(s.last) <= longest; stats.HasMax {
		stats.Max = bytes.Clone(s.last)
	}
	return stats
}
