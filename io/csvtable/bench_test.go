package csvtable_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/sandbox/world"
	"payonce/io/table"
)

const benchRows = 300_000

func benchList(b *testing.B) []byte {
	b.Helper()
	var list bytes.Buffer
	if err := world.WriteListCSV(&list, world.LargeList(1, benchRows)); err != nil {
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

// BenchmarkWrite writes every row with eight appended cells and a tenth of them with
// a filled one, which is what the output of a run is. The plain copy shows what is due to the
// reading; the checked ones are of a list that an earlier pass found sound.
func BenchmarkWrite(b *testing.B) {
	list := benchList(b)
	first, again := csvtable.Options{}, csvtable.Options{Checked: true}
	b.Run("csvtable", func(b *testing.B) { measure(b, list, writeTable(first)) })
	b.Run("csvtable-plain", func(b *testing.B) { measure(b, list, copyTable(first)) })
	b.Run("csvtable-checked", func(b *testing.B) { measure(b, list, writeTable(again)) })
	b.Run("csvtable-checked-plain", func(b *testing.B) { measure(b, list, copyTable(again)) })
	b.Run("encoding-csv", func(b *testing.B) { measure(b, list, writeStandard) })
}

const (
	emailColumn = 6
	benchEmail  = "ada.lovelace@harbor-foods-12.example"
	answeredOne = 10 // one row in this number is answered
)

func benchColumns() []table.Column {
	return columns("full_name", "phone_type", "enrich_status", "enrich_reason",
		"enrich_charge_usd", "enrich_request_id", "enrich_retrieved_at", "enrich_provenance")
}

// benchAnswer returns the appended cells of a row.
func benchAnswer(answered bool) []enrich.Cell {
	if answered {
		return texts("Ada Lovelace", "direct", "matched", "", "0.15", "req_0123456789abcdef", "2026-01-02T03:04:05Z", "service")
	}
	return texts("", "", "not_attempted", "not asked for yet", "", "", "", "")
}

func readTable(in io.Reader) (int, error) {
	r, err := csvtable.NewReader(in, "list.csv", csvtable.Options{})
	if err != nil {
		return 0, err
	}
	columns := len(r.Schema().Columns)
	var rows, size atomic.Int64
	err = sideBySide(r, nil, func(block table.Block, _ table.Part) error {
		sum := 0
		err := block.Each(func(row table.Row) error {
			for i := range columns {
				sum += len(row.Cell(i))
			}
			return nil
		})
		rows.Add(int64(block.Len()))
		size.Add(int64(sum))
		return err
	})
	return int(rows.Load()), errors.Join(err, r.Close())
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

func copyTable(options csvtable.Options) func(in io.Reader) (int, error) {
	return func(in io.Reader) (int, error) {
		return pipeTable(in, options, nil, func(part table.Part, row table.Row) error { return part.WriteRow(row, nil, nil) })
	}
}

func writeTable(options csvtable.Options) func(in io.Reader) (int, error) {
	fills := []table.Fill{{Column: emailColumn, Value: benchEmail}}
	answer, none := benchAnswer(true), benchAnswer(false)
	return func(in io.Reader) (int, error) {
		return pipeTable(in, options, benchColumns(), func(part table.Part, row table.Row) error {
			if row.Number()%answeredOne == 0 {
				return part.WriteRow(row, fills, answer)
			}
			return part.WriteRow(row, nil, none)
		})
	}
}

func pipeTable(in io.Reader, options csvtable.Options, appended []table.Column, write func(table.Part, table.Row) error) (int, error) {
	r, err := csvtable.NewReader(in, "list.csv", options)
	if err != nil {
		return 0, err
	}
	w := csvtable.NewWriter(io.Discard, r, appended)
	var rows atomic.Int64
	err = sideBySide(r, w, func(block table.Block, part table.Part) error {
		rows.Add(int64(block.Len()))
		return block.Each(func(row table.Row) error { return write(part, row) })
	})
	return int(rows.Load()), errors.Join(err, w.Close(), r.Close())
}

func writeStandard(in io.Reader) (rows int, err error) {
	r, w := csv.NewReader(in), csv.NewWriter(io.Discard)
	r.ReuseRecord = true
	var answer, none []string
	for i, cell := range benchAnswer(true) {
		answer, none = append(answer, cell.String()), append(none, benchAnswer(false)[i].String())
	}
	var out []string
	for rows = -1; ; rows++ { // the header is not a row
		row, err := r.Read()
		if err == io.EOF {
			w.Flush()
			return rows, w.Error()
		}
		if err != nil {
			return rows, err
		}
		if out = append(out[:0], row...); rows%answeredOne == 0 {
			out[emailColumn] = benchEmail
			out = append(out, answer...)
		} else {
			out = append(out, none...)
		}
		if err := w.Write(out); err != nil {
			return rows, err
		}
	}
}
