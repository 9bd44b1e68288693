package csvtable_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"testing"

	"payonce/internal/lists"
	"payonce/io/csvtable"
)

const benchRows = 100_000

func benchList(b *testing.B) []byte {
	b.Helper()
	var list bytes.Buffer
	if err := lists.WriteCSV(&list, lists.Default(1, benchRows)); err != nil {
		b.Fatal(err)
	}
	return list.Bytes()
}

// measure runs one pass over the list again and again; pass returns its rows.
func measure(b *testing.B, list []byte, pass func(in io.Reader) (int, error)) {
	b.Helper()
	b.SetBytes(int64(len(list)))
	b.ReportAllocs()
	for b.Loop() {
		if rows, err := pass(bytes.NewReader(list)); err != nil || rows != benchRows {
			b.Fatalf("%d rows, %v", rows, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

// BenchmarkRead reads every row and looks at every cell.
func BenchmarkRead(b *testing.B) {
	list := benchList(b)
	b.Run("csvtable", func(b *testing.B) { measure(b, list, readTable) })
	b.Run("encoding-csv", func(b *testing.B) { measure(b, list, readStandard) })
}

// BenchmarkCopy writes every row with two appended cells.
func BenchmarkCopy(b *testing.B) {
	list := benchList(b)
	b.Run("csvtable", func(b *testing.B) { measure(b, list, copyTable) })
	b.Run("encoding-csv", func(b *testing.B) { measure(b, list, copyStandard) })
}

func readTable(in io.Reader) (rows int, err error) {
	r, err := csvtable.NewReader(in, "list.csv")
	if err != nil {
		return 0, err
	}
	columns, size := len(r.Schema().Columns), 0
	for {
		row, err := r.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		for i := range columns {
			size += len(row.Cell(i))
		}
		rows++
	}
}

func readStandard(in io.Reader) (rows int, err error) {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil {
		return 0, err
	}
	size := 0
	for {
		row, err := r.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		for _, cell := range row {
			size += len(cell)
		}
		rows++
	}
}

func copyTable(in io.Reader) (rows int, err error) {
	r, err := csvtable.NewReader(in, "list.csv")
	if err != nil {
		return 0, err
	}
	w := csvtable.NewWriter(io.Discard, r, []string{"enrich_status", "enrich_reason"})
	appended := []string{"matched", ""}
	for {
		row, err := r.Next()
		if err == io.EOF {
			return rows, w.Close()
		}
		if err != nil {
			return rows, err
		}
		if err := w.WriteRow(row, nil, appended); err != nil {
			return rows, err
		}
		rows++
	}
}

func copyStandard(in io.Reader) (rows int, err error) {
	r, w := csv.NewReader(in), csv.NewWriter(io.Discard)
	r.ReuseRecord = true
	var out []string
	for rows = -1; ; rows++ { // the header is no row
		row, err := r.Read()
		if err == io.EOF {
			w.Flush()
			return rows, w.Error()
		}
		if err != nil {
			return rows, err
		}
		out = append(append(out[:0], row...), "matched", "")
		if err := w.Write(out); err != nil {
			return rows, err
		}
	}
}
