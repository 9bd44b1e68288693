package table_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"payonce/io/table"
)

// TestRowsInMemoryComeInTheirOrder reads more rows than a block has.
func TestRowsInMemoryComeInTheirOrder(t *testing.T) {
	var texts [][]string
	for i := range 5000 {
		texts = append(texts, []string{string(rune('a' + i%26))})
	}
	rows, next := table.NewMemory([]string{"letter"}, texts), int64(1)
	for {
		block, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || block.First() != next {
			t.Fatalf("a block begins with row %d, want %d, error %v", block.First(), next, err)
		}
		err = block.Each(func(row table.Row) error {
			if row.Number() != next || row.Line() != next || string(row.Cell(0)) != texts[next-1][0] {
				t.Errorf("row %d is %d %q", next, row.Number(), row.Cell(0))
			}
			next++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		block.Release()
	}
	if next != 5001 || !slices.Equal(rows.Schema().Columns, []string{"letter"}) || rows.Close() != nil {
		t.Errorf("the rows end before %d", next)
	}
}
