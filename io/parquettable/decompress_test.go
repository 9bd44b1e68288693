package parquettable

import (
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/parquettable/parquettest"
)

// TestPagesOfOneValueAreRead has pages that compress as well as can be: what a page may
// claim to hold must not be less than that.
func TestPagesOfOneValueAreRead(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const rows = 2 << 20
	for _, codec := range parquettest.Codecs() {
		list := sample{
			fields: schema.FieldList{schema.NewInt64Node("a", parquet.Repetitions.Required, -1)},
			groups: [][]leaf{{{values: make([]int64, rows)}}},
			options: []parquet.WriterProperty{
				parquet.WithCompression(codec), parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(8 * rows), parquet.WithBatchSize(rows),
			},
		}
		r, err := Open(save(t, list.write(t)), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if b, err := r.Next(); err != nil || b.Len() != maxBlockRows {
			t.Errorf("%s: %v", codec, err)
		}
	}
}
