package csvtable

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"payonce/io/table"
)

// readTitles moves titles, notes and blank lines above the header into the lead. row is the row of the
// header as a spreadsheet program counts them, or 0 to find it.
func (s *scanner) readTitles(row int64) error {
	s.headerRow = s.line // each blank line is a row
	if length := s.separatorLine(); length > 0 {
		s.takeLead(length)
		s.headerRow = s.line - 1 // a spreadsheet program does not show it
	}
	if row > 0 {
		return s.skipTo(row)
	}
	if skip, rows := s.findHeader(s.source.unread(), s.source.ended()); skip > 0 {
		s.takeLead(skip)
		s.headerRow += rows
	}
	return nil
}

// separatorLine returns the length of a first line such as "sep=;", which names the delimiter for Excel, with the
// blank lines after it; 0 for another line. A delimiter that was given counts.
func (s *scanner) separatorLine() int {
	data, last := s.source.unread(), s.source.ended()
	end, err := lineText(data, 0, last)
	if err != nil {
		return 0
	}
	named, found := strings.CutPrefix(strings.ToLower(strings.Trim(string(data[:end]), `"`)), "sep=")
	if named == `\t` {
		named = "\t"
	}
	if !found || len(named) != 1 || !strings.Contains(delimiters, named) {
		return 0
	}
	if s.delimiter == 0 {
		s.delimiter = named[0]
	}
	blank, _ := lineEndings(data[end:], last)
	return end + blank
}

// skipTo takes the rows before the given one.
func (s *scanner) skipTo(row int64) error {
	for s.headerRow < row {
		data, last := s.source.unread(), s.source.ended()
		var rec record
		err := rec.split(data, s.delimiterOf(data, last), last)
		if err != nil || rec.size == len(data) {
			return s.notHeader(data, fmt.Sprintf("there is no row %d for the header", row), "name a row of the list")
		}
		blanks := int64(bytes.Count(data[rec.text:rec.size], []byte{'\n'})) - 1
		s.takeLead(rec.size)
		s.headerRow += 1 + blanks
	}
	if s.headerRow > row {
		return s.notHeader(nil, fmt.Sprintf("row %d is blank", row), "name the row with the names of the columns")
	}
	return nil
}

// notHeader returns the error of a row that cannot be the header.
func (s *scanner) notHeader(data []byte, reason, hint string) error {
	wrong := s.errorAt(s.line, data, &fault{0, reason, hint})
	wrong.Err = &table.HeaderRowError{}
	return wrong
}

// findHeader returns the offset of the header below titles and notes, and how many rows are above it. It
// returns 0 when the first record is the header. It is, unless exactly one of its cells has text.
func (s *scanner) findHeader(data []byte, last bool) (offset int, rows int64) {
	title := 0 // cells of the first record
	for n := range table.MaxTitles {
		rest := data[offset:]
		delimiter := s.delimiterOf(rest, last)
		var rec record
		if len(rest) == 0 || rec.split(rest, delimiter, last) != nil {
			return 0, 0
		}
		if n == 0 {
			if table.FilledCells(rec.values(rest)) != 1 {
				return 0, 0
			}
			title = rec.cells()
		} else if rec.isHeader(rest, title, delimiter, last) {
			return offset, rows
		}
		rows += int64(bytes.Count(rest[rec.text:rec.size], []byte{'\n'}))
		offset += rec.size
	}
	return 0, 0
}

// headerRowAt returns the row of a faulty row as a spreadsheet program counts it, when it looks like the header of the
// rows below it; 0 for another row. It is among the first rows, and above it are titles of several cells.
func (b *block) headerRowAt(r *row) int64 {
	s := b.scanner
	index := int(r.number - b.first)
	isTitle := table.FilledCells(s.header.columns) < 3 || !table.HasColumnNames(s.header.columns)
	if !isTitle || b.first != 1 || s.leader != nil || index >= table.MaxTitles {
		return 0
	}
	var rec record
	if data := b.data[r.start:]; rec.split(data, s.dialect.Delimiter, true) != nil || table.FilledCells(rec.values(data)) < 3 ||
		rec.size == len(data) || !rec.isHeader(data, rec.cells(), s.dialect.Delimiter, true) ||
		slices.ContainsFunc(rec.values(data), func(name string) bool { return !strings.ContainsFunc(name, unicode.IsLetter) }) {
		return 0
	}
	above := s.headerRow + int64(bytes.Count(s.header.raw[s.header.text:], []byte{'\n'}))
	for _, start := range b.bounds[:index] {
		if rec.split(b.data[start:], s.dialect.Delimiter, true) != nil {
			return 0
		}
		above += int64(bytes.Count(b.data[int(start)+rec.text:int(start)+rec.size], []byte{'\n'}))
	}
	return above
}

// values returns the cells of the record without quotes.
func (r *record) values(data []byte) []string {
	values := make([]string, r.cells())
	for i := range values {
		start, end := r.cell(i)
		values[i] = strings.Trim(string(data[start:end]), `"`)
	}
	return values
}

// isHeader reports whether the record looks like a header below a title: most of its cells have names, all
// different, and the record on the next line has as many cells. A title of several cells has as many, too. Below
// a title of one cell three names are needed: the list may have one column whose values have commas.
func (r *record) isHeader(data []byte, title int, delimiter byte, last bool) bool {
	cells := r.values(data)
	if title > 1 && len(cells) != title || title == 1 && table.FilledCells(cells) < 3 || !table.HasColumnNames(cells) {
		return false
	}
	if bytes.Count(data[r.text:r.size], []byte{'\n'}) > 1 {
		return false // a blank line follows
	}
	if r.size == len(data) {
		return last
	}
	var next record
	return next.split(data[r.size:], delimiter, last) == nil && next.cells() == r.cells()
}
