package csvtable

import (
	"bytes"
	"slices"

	"payonce/io/table"
)

// Totals and notes below the list are found at the end of a file: blocks whose rows may be among the last ones are
// held until the rows behind them are known. Their bytes stay with the last block of the list, and a Writer of all
// rows writes them behind the rows.

// WhenFoot has found called with what is below the rows of each file, before Next returns the last rows.
func (r *Reader) WhenFoot(found func(table.Foot)) { r.first.found = found }

// leading returns the scanner of the first file.
func (s *scanner) leading() *scanner {
	if s.leader != nil {
		return s.leader
	}
	return s
}

// mayReturn reports whether the first held block has no row below the list.
func (s *scanner) mayReturn() bool {
	rows := 0
	for i := len(s.held) - 1; i > 0; i-- {
		b := s.held[i]
		if rows += b.Len(); rows > table.MaxFoot || len(b.data) > table.MaxFoot*table.MaxFootRow {
			return true
		}
	}
	return false
}

// long replaces the cells of a row that is longer than those below a list.
var long = []string{"long", "long"}

// footRow is one of the last rows.
type footRow struct {
	block *block
	index int
	raw   []byte
}

// cutFoot takes the rows below the list from the held blocks.
func (s *scanner) cutFoot() {
	rows, texts := s.lastRows()
	below := table.FootOf(s.header.columns, texts)
	if below == 0 {
		return
	}
	first := rows[len(rows)-below]
	foot := table.Foot{File: s.name, Line: first.block.lineOf(first.index), Rows: below}
	var raw []byte
	for _, row := range rows[len(rows)-below:] {
		raw = append(raw, row.raw...)
	}
	s.number -= int64(below)
	if found := s.leading().found; found != nil {
		found(foot)
	}
	kept := slices.Index(s.held, first.block)
	if first.index == 0 {
		kept--
	} else {
		first.block.truncate(first.index)
	}
	for _, b := range s.held[kept+1:] {
		b.Release()
	}
	s.held = s.held[:kept+1]
	s.held[kept].foot = raw
}

// lastRows returns the last rows, from the first that may be above the rows below the list.
func (s *scanner) lastRows() (rows []footRow, texts []table.FootRow) {
	var rec record
	for i := len(s.held) - 1; i >= 0; i-- {
		b := s.held[i]
		for at := b.Len() - 1; at >= 0 && len(rows) <= table.MaxFoot; at-- {
			raw := b.data[b.bounds[at]:b.bounds[at+1]]
			if rec.split(raw, s.dialect.Delimiter, true) != nil || rec.size != len(raw) {
				return reversed(rows, texts)
			}
			cells := long
			if len(raw) <= table.MaxFootRow {
				cells = rec.values(raw)
			}
			if n := len(texts); n > 0 {
				texts[n-1].AfterBlank = bytes.Count(raw[rec.text:], []byte{'\n'}) > 1
			}
			rows = append(rows, footRow{b, at, raw})
			texts = append(texts, table.FootRow{
				Cells: cells, Short: len(cells) < len(s.header.columns), Open: raw[len(raw)-1] != '\n',
			})
		}
	}
	return reversed(rows, texts)
}

func reversed(rows []footRow, texts []table.FootRow) ([]footRow, []table.FootRow) {
	slices.Reverse(rows)
	slices.Reverse(texts)
	return rows, texts
}

// lineOf returns the line of a row of the block.
func (b *block) lineOf(index int) int64 {
	return b.startLine + int64(bytes.Count(b.data[:b.bounds[index]], []byte{'\n'}))
}

// truncate leaves the first rows in the block.
func (b *block) truncate(rows int) {
	b.data, b.bounds = b.data[:b.bounds[rows]], b.bounds[:rows+1]
}
