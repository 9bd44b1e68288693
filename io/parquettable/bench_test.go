package parquettable

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"payonce/io/table"
)

// benchRows is the length of the list of the benchmarks.
const benchRows = 2 * groupRows

// person is a row of a list that is made up as it is read.
type person struct{ number int64 }

func (p person) Number() int64 { return p.number }
func (p person) Line() int64   { return p.number }

// Cell repeats values as lists of people do, but for the keys and the addresses.
func (p person) Cell(i int) []byte {
	n := p.number
	switch i {
	case 0:
		return strconv.AppendInt(nil, n, 10)
	case 1:
		return appendInt("First", n*7919%500)
	case 2:
		return appendInt("Last", n*104729%3000)
	case 3:
		return appendInt("https://profiles.example/in/first-last-", n*31)
	case 4:
		return append(appendInt("Company ", n*15485863%20000), ", Inc."...)
	case 5:
		return append(appendInt("https://www.company-", n*15485863%20000), ".example"...)
	case 6:
		if n%3 == 0 {
			return append(appendInt("person", n), "@company.example"...)
		}
	case 7:
		if n%5 == 0 {
			return appendInt("+1555", 1000000+n*7%9000000)
		}
	case 8:
		if n%10 == 0 {
			return []byte("met at the spring fair; wants a call")
		}
	}
	return nil
}

// appendInt returns a text with a number behind it. It leaves room for more text.
func appendInt(text string, n int64) []byte {
	return strconv.AppendInt(append(make([]byte, 0, 64), text...), n, 10)
}

// people is a block of persons.
type people struct {
	first int64
	rows  int
}

func (b people) First() int64 { return b.first }
func (b people) Len() int     { return b.rows }
func (b people) Release()     {}

func (b people) Each(visit func(table.Row) error) error {
	for i := range b.rows {
		if err := visit(person{b.first + int64(i)}); err != nil {
			return err
		}
	}
	return nil
}

// peopleList hands out blocks of persons.
type peopleList struct{ next, rows int64 }

func (l *peopleList) Schema() table.Schema {
	return table.Schema{Columns: []string{"id", "first_name", "last_name", "profile", "company", "website", "email", "phone", "notes"}}
}

func (l *peopleList) Next() (table.Block, error) {
	if l.next >= l.rows {
		return nil, io.EOF
	}
	b := people{first: l.next + 1, rows: int(min(maxBlockRows, l.rows-l.next))}
	l.next += int64(b.rows)
	return b, nil
}

func (l *peopleList) Close() error { return nil }

// write writes all rows of a list on all cores.
func write(b testing.TB, list table.Reader, w table.Writer, change func(row table.Row, appended []string) []table.Fill, columns int) {
	b.Helper()
	err := table.Ordered(context.Background(), list, func(block table.Block) (table.Part, error) {
		p := w.Part(block)
		appended := make([]string, columns)
		return p, block.Each(func(row table.Row) error {
			clear(appended)
			return p.WriteRow(row, change(row, appended), appended)
		})
	}, func(_ table.Block, p table.Part) error { return w.Write(p) })
	if err := errors.Join(err, w.Close()); err != nil {
		b.Fatal(err)
	}
}

func unchanged(table.Row, []string) []table.Fill { return nil }

func benchFile(b *testing.B) string {
	b.Helper()
	var out bytes.Buffer
	list := &peopleList{rows: benchRows}
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
	columns := []table.Column{{Name: "full_name"}, {Name: "status"}, {Name: "charge", Kind: table.Money}, {Name: "at", Kind: table.Time}, {Name: "missing", Kind: table.Texts}}
	for b.Loop() {
		r, err := Open(path, []int{3, 6, 7})
		if err != nil {
			b.Fatal(err)
		}
		w, err := NewWriter(io.Discard, r, []int{6, 7}, columns)
		if err != nil {
			b.Fatal(err)
		}
		write(b, r, w, func(row table.Row, appended []string) (fills []table.Fill) {
			if row.Number()%10 != 0 {
				appended[1] = "not_attempted"
				return nil
			}
			copy(appended, []string{string(row.Cell(3)), "matched", "0.15", "2026-02-03T04:05:06Z", "business_phone"})
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
		list := &peopleList{rows: benchRows}
		w, err := NewEncoder(io.Discard, list.Schema(), nil)
		if err != nil {
			b.Fatal(err)
		}
		write(b, list, w, unchanged, 0)
	}
	perRow(b)
}

// outputColumns are what the output of a run appends.
func outputColumns() []table.Column {
	return []table.Column{
		{Name: "full_name"},
		{Name: "phone_type"},
		{Name: "enrich_status"},
		{Name: "enrich_reason"},
		{Name: "enrich_charge_usd", Kind: table.Money},
		{Name: "enrich_request_id"},
		{Name: "enrich_retrieved_at", Kind: table.Time},
		{Name: "enrich_provenance"},
	}
}

// outputRow makes a row of the output of a run: one in ten is answered, one in seven a
// duplicate, and all others have the same cells.
func outputRow(row table.Row, appended []string) []table.Fill {
	n := row.Number()
	switch {
	case n%10 == 0:
		copy(appended, []string{
			"Ada Lovelace", "direct", "matched", "", "0.4", "req_" + strconv.FormatInt(1e12+n, 16), "2026-02-03T04:05:06Z", "service",
		})
		return []table.Fill{{Column: 6, Value: "ada.lovelace." + strconv.FormatInt(n, 10) + "@company.example"}, {Column: 7, Value: "+1 212 555 0149"}}
	case n%7 == 0:
		appended[2], appended[3] = "duplicate", "same person as row "+strconv.FormatInt(n/2, 10)
	default:
		appended[2], appended[3] = "not_attempted", "ceiling:max-spend"
	}
	return nil
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
		w, err := NewWriter(io.Discard, r, []int{6, 7}, outputColumns())
		if err != nil {
			b.Fatal(err)
		}
		write(b, r, w, outputRow, len(outputColumns()))
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b)
}

// BenchmarkEncodeOutput writes the output of a run for a list of another format.
func BenchmarkEncodeOutput(b *testing.B) {
	for b.Loop() {
		list := &peopleList{rows: benchRows}
		w, err := NewEncoder(io.Discard, list.Schema(), outputColumns())
		if err != nil {
			b.Fatal(err)
		}
		write(b, list, w, outputRow, len(outputColumns()))
	}
	perRow(b)
}
