package parquettable

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"

	"payonce/io/parquettable/parquettest"
)

// brokenDecoder is a decoder that panics, as the library's do on some damage.
type brokenDecoder struct{}

func (brokenDecoder) decode(*Vector, int) error { panic("index out of range") }

func TestAPanicOfADecoderIsDamage(t *testing.T) {
	if err := (&cellDecoder{brokenDecoder{}}).Decode(&Vector{}, 1); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "index out of range") {
		t.Error(err)
	}
}

// A value of a dictionary may stand in every row: what a block takes has its limit.
func TestABlockOfTooMuchTextIsRefused(t *testing.T) {
	d := newValues(parquettest.Descriptor(t, parquettest.Text(t, "c")), nil, nil, func(to []byte, _ parquet.ByteArray) []byte {
		return make([]byte, len(to)+maxVector/2+1) // never touched, so it takes no memory
	})
	d.values, d.definition = make([]parquet.ByteArray, 3), []int16{1, 1, 1}
	v := &Vector{}
	if err := d.append(v, 3, 3); err == nil || !strings.Contains(err.Error(), "its cells are too long: 2 rows have more than 256 MiB") {
		t.Error(err)
	}
}
