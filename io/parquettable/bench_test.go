package parquettable

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"payonce/enrich"
	"payonce/io/parquettable/parquettest"
	"payonce/io/table"
)

// benchRows is the length of the list of the benchmarks.
const benchRows = 2 * groupRows

// write writes all rows of a list on all cores.
func write(b testing.TB, list table.Reader, w table.Writer, change func(row table.Row, appended []enrich.Cell) []table.Fill, columns int) {
	b.Helper()
	err := table.Ordered(context.Background(), list, func(block table.Block) (table.Part, error) {
		p := w.Part(block)
		appended := make([]enrich.Cell, columns)
		return p, block.Each(func(row table.Row) error {
			clear(appended)
			return p.WriteRow(row, change(row, appended), appended)
		})
	}, func(_ table.Block, p table.Part) error { return w.Write(p) })
	if err := errors.Join(err, w.Close()); err != nil {
		b.Fatal(err)
	}
}

func unchanged(table.Row, []enrich.Cell) []table.Fill { return nil }

func benchFile(b *testing.B) string {
	b.Helper()
	var out bytes.Buffer
	list := parquettest.People(benchRows)
	w, err := NewEncoder(&out, list.Schema(), nil)
	if err != nil {
		b.Fatal(err)
	}
	write(b, list, w, unchanged, 0)
	return save(b, out.Bytes())
}

func perRow(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

func BenchmarkRead3Of9(b *testing.B) {
	path := benchFile(b)
	for b.Loop() {
		r, err := Open(path, []int{3, 6, 7})
		if err != nil {
			b.Fatal(err)
		}
		length := 0
		err = table.Ordered(context.Background(), r, func(block table.Block) (n int, err error) {
			err = block.Each(func(row table.Row) error {
				n += len(row.Cell(3)) + len(row.Cell(6)) + len(row.Cell(7))
				return nil
			})
			return n, err
		}, func(_ table.Block, n int) error { length += n; return nil })
		if err := errors.Join(err, r.Close()); err != nil || length == 0 {
			b.Fatal(length, err)
		}
	}
	perRow(b)
}

// BenchmarkRead3Of9Records is what the library's reader of records takes.
func BenchmarkRead3Of9Records(b *testing.B) {
	path := benchFile(b)
	for b.Loop() {
		in, err := file.OpenParquetFile(path, false)
		if err != nil {
			b.Fatal(err)
		}
		r, err := pqarrow.NewFileReader(in, pqarrow.ArrowReadProperties{BatchSize: maxBlockRows, Parallel: true}, memory.DefaultAllocator)
		if err != nil {
			b.Fatal(err)
		}
		records, err := r.GetRecordReader(context.Background(), []int{3, 6, 7}, nil)
		if err != nil {
			b.Fatal(err)
		}
		rows := int64(0)
		for records.Next() {
			rows += records.RecordBatch().NumRows()
		}
		records.Release()
		if err := in.Close(); err != nil || rows != benchRows {
			b.Fatal(rows, err)
		}
	}
	perRow(b)
}

// BenchmarkWrite fills two of nine columns for a tenth of the rows and appends five.
func BenchmarkWrite(b *testing.B) {
	path := benchFile(b)
	columns := []table.Column{{Name: "full_name"}, {Name: "status"}, {Name: "charge", Kind: enrich.MoneyCell}, {Name: "at", Kind: enrich.TimestampCell}, {Name: "missing", Kind: enrich.TextsCell}}
	var answer []enrich.Cell
	for i, text := range []string{"", "matched", "0.15", "2026-02-03T04:05:06Z", "business_phone"} {
		answer = append(answer, cellOf(columns[i].Kind, text))
	}
	for b.Loop() {
		r, err := Open(path, []int{3, 6, 7})
		if err != nil {
			b.Fatal(err)
		}
		w, err := NewWriter(io.Discard, r, []int{6, 7}, columns)
		if err != nil {
			b.Fatal(err)
		}
		write(b, r, w, func(row table.Row, appended []enrich.Cell) (fills []table.Fill) {
			if row.Number()%10 != 0 {
				appended[1] = enrich.TextOf("not_attempted")
				return nil
			}
			copy(appended, answer)
			appended[0] = enrich.TextOf(string(row.Cell(3)))
			if len(row.Cell(6)) == 0 {
				fills = append(fills, table.Fill{Column: 6, Value: string(row.Cell(3))})
			}
			return fills
		}, len(columns))
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b)
}

// BenchmarkEncode writes nine columns of another format.
func BenchmarkEncode(b *testing.B) {
	for b.Loop() {
		list := parquettest.People(benchRows)
		w, err := NewEncoder(io.Discard, list.Schema(), nil)
		if err != nil {
			b.Fatal(err)
		}
		write(b, list, w, unchanged, 0)
	}
	perRow(b)
}

// BenchmarkWriteOutput writes the output of a run, for which no column is read but those
// that are filled.
func BenchmarkWriteOutput(b *testing.B) {
	path := benchFile(b)
	for b.Loop() {
		r, err := Open(path, []int{})
		if err != nil {
			b.Fatal(err)
		}
		w, err := NewWriter(io.Discard, r, []int{6, 7}, parquettest.OutputColumns())
		if err != nil {
			b.Fatal(err)
		}
		write(b, r, w, parquettest.OutputRow, len(parquettest.OutputColumns()))
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b)
}

// BenchmarkEncodeOutput writes the output of a run for a list of another format.
func BenchmarkEncodeOutput(b *testing.B) {
	for b.Loop() {
		list := parquettest.People(benchRows)
		w, err := NewEncoder(io.Discard, list.Schema(), parquettest.OutputColumns())
		if err != nil {
			b.Fatal(err)
		}
		write(b, list, w, parquettest.OutputRow, len(parquettest.OutputColumns()))
	}
	perRow(b)
}
