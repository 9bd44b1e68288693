package parquettest

import (
	"io"
	"strconv"
	"time"

	"payonce/enrich"
	"payonce/io/table"
)

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

// blockRows is how many rows a block has.
const blockRows = 8192

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

// People returns a list of that many rows that are made up as they are read.
func People(rows int64) table.Reader { return &peopleList{rows: rows} }

func (l *peopleList) Schema() table.Schema {
	return table.Schema{Columns: []string{
		"id", "first_name", "last_name", "profile", "company", "website", "email", "phone", "notes",
	}}
}

func (l *peopleList) Next() (table.Block, error) {
	if l.next >= l.rows {
		return nil, io.EOF
	}
	b := people{first: l.next + 1, rows: int(min(blockRows, l.rows-l.next))}
	l.next += int64(b.rows)
	return b, nil
}

func (l *peopleList) Close() error { return nil }

// OutputColumns are what the output of a run appends.
func OutputColumns() []table.Column {
	return []table.Column{
		{Name: "full_name"},
		{Name: "phone_type"},
		{Name: "enrich_status"},
		{Name: "enrich_reason"},
		{Name: "enrich_charge_usd", Kind: enrich.MoneyCell},
		{Name: "enrich_request_id"},
		{Name: "enrich_retrieved_at", Kind: enrich.TimestampCell},
		{Name: "enrich_provenance"},
	}
}

// OutputRow makes a row of the output of a run: one in ten is answered, one in seven a
// duplicate, and all others have the same cells.
func OutputRow(row table.Row, appended []enrich.Cell) []table.Fill {
	n := row.Number()
	switch {
	case n%10 == 0:
		copy(appended, []enrich.Cell{
			enrich.TextOf("Ada Lovelace"), enrich.TextOf("direct"), enrich.TextOf("matched"), enrich.TextOf(""),
			{Kind: enrich.MoneyCell, Known: true, Text: "0.40", Integer: 400_000},
			enrich.TextOf("req_" + strconv.FormatInt(1e12+n, 16)),
			{Kind: enrich.TimestampCell, Known: true, Time: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)},
			enrich.TextOf("service"),
		})
		email := "ada.lovelace." + strconv.FormatInt(n, 10) + "@company.example"
		return []table.Fill{{Column: 6, Value: email}, {Column: 7, Value: "+1 212 555 0149"}}
	case n%7 == 0:
		appended[2], appended[3] = enrich.TextOf("duplicate"), enrich.TextOf("same person as row "+strconv.FormatInt(n/2, 10))
	default:
		appended[2], appended[3] = enrich.TextOf("not_attempted"), enrich.TextOf("ceiling:max-spend")
	}
	return nil
}
