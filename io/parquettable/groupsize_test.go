package parquettable

import (
	"bytes"
	"testing"

	"payonce/enrich"
	"payonce/io/table"
)

// TestARowGroupOfManyColumnsEndsBySize writes rows of numbers whose values take more memory than a row group may.
func TestARowGroupOfManyColumnsEndsBySize(t *testing.T) {
	const columns, rows = 400, groupSize/400/(numberSize+levelSize)*2 + 1000
	appended := make([]table.Column, columns)
	for i := range appended {
		appended[i] = table.Column{Name: "n" + string(rune('0'+i/100)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10)), Kind: enrich.NumberCell}
	}
	var out bytes.Buffer
	w, err := NewEncoder(&out, table.Schema{}, appended)
	if err != nil {
		t.Fatal(err)
	}
	cells := make([]enrich.Cell, columns)
	for row := 0; row < rows; {
		part := w.Part(nil)
		for range min(1000, rows-row) {
			for i := range cells {
				cells[i] = enrich.Cell{Kind: enrich.NumberCell, Known: true, Number: float64(row)}
			}
			if err := part.WriteRow(nil, nil, cells); err != nil {
				t.Fatal(err)
			}
			row++
		}
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	meta, total := footerOf(t, save(t, out.Bytes())), int64(0)
	for _, group := range meta.RowGroups {
		total += group.NumRows
		if size := group.NumRows * columns * (numberSize + levelSize); size > groupSize+1000*columns*(numberSize+levelSize) {
			t.Errorf("a row group of %d rows has values of %d bytes", group.NumRows, size)
		}
	}
	if total != rows || len(meta.RowGroups) < 2 {
		t.Errorf("%d row groups have %d rows, want %d", len(meta.RowGroups), total, rows)
	}
}
