package csvtable

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payonce/io/table"
)

// header is the first record of a list.
type header struct {
	lead    []byte // byte order mark, blank lines, titles and notes before it
	raw     []byte // with its line ending and the blank lines after it
	text    int    // end of its text in raw
	line    int64  // on which it starts
	columns []string
	starts  []int // of the columns in raw
}

// lineEnding returns the line ending of the header. It returns "" when there is none.
func (h *header) lineEnding() string {
	switch ending := h.raw[h.text:]; {
	case bytes.HasPrefix(ending, []byte("\r\n")):
		return "\r\n"
	case bytes.HasPrefix(ending, []byte("\n")):
		return "\n"
	}
	return ""
}

// readHeader reads everything before the first row. declared is the encoding, or "" to detect it.
func (s *scanner) readHeader(options Options) error {
	s.delimiter = options.Delimiter
	s.decode(options.Encoding)
	if err := s.readLead(); err != nil {
		return err
	}
	if err := s.readTitles(options.HeaderRow); err != nil {
		return err
	}
	s.dialect.Delimiter = s.delimiterOf(s.source.unread(), s.source.ended())
	var rec record
	raw, err := s.readRecord(&rec)
	if err != nil {
		return err
	}
	h := &s.header
	h.raw, h.text, h.line = bytes.Clone(raw), rec.text, s.line
	for i := range rec.cells() {
		start, end := rec.cell(i)
		name := h.raw[start:end]
		if len(name) > 0 && name[0] == '"' {
			var scratch []byte
			name = cellValue(name, &scratch)
		}
		h.columns = append(h.columns, string(name))
		h.starts = append(h.starts, start)
	}
	s.skip(len(raw))
	s.dialect.LineEnding = h.lineEnding()
	s.dialect = s.dialect.withDefaults()
	f := h.check()
	if f == nil {
		f = s.domainsFromFirst()
	}
	if f != nil {
		wrong := s.errorAt(h.line, h.raw, f)
		if wrong.Err = s.headerless(); s.isHeaderNext() {
			wrong.Err = &table.HeaderRowError{Row: s.headerRow + int64(bytes.Count(h.raw[h.text:], []byte{'\n'}))}
		}
		return wrong
	}
	return nil
}

// decode makes the source return UTF-8 text, and reads the start of the text.
func (s *scanner) decode(declared Encoding) {
	s.source.fill()
	s.dialect.Encoding, s.guessed = detectEncoding(s.source.unread(), s.source.ended(), declared)
	if s.dialect.Encoding != UTF8 {
		raw := s.source
		s.source = source{in: s.dialect.Encoding.decode(&raw, s.name)}
		s.source.fill()
	}
	text := s.source
	if in, changed := s.fitting(&text); changed {
		s.source = source{in: in}
		s.source.fill()
	}
}

// readRecord reads the next record from the source.
func (s *scanner) readRecord(rec *record) ([]byte, error) {
	for {
		data := s.source.unread()
		err := rec.split(data, s.dialect.Delimiter, s.source.ended())
		if err == nil {
			return data[:rec.size], nil
		}
		var wrong *fault
		switch {
		case errors.As(err, &wrong):
			return nil, s.errorAt(s.line, data, wrong)
		case s.source.fill():
		case s.source.err != nil:
			return nil, s.readError(s.source.err)
		default:
			return nil, s.errorAt(s.line, data, overlong(data, s.dialect.Delimiter))
		}
	}
}

// readLead reads the byte order mark and the blank lines before the header.
func (s *scanner) readLead() error {
	if bytes.HasPrefix(s.source.unread(), []byte(utf8Mark)) {
		s.takeLead(len(utf8Mark))
	}
	for {
		length, whole := lineEndings(s.source.unread(), s.source.ended())
		s.takeLead(length)
		switch {
		case len(s.header.lead) > maxRecord:
			return s.errorAt(s.line, nil, overlongRecord())
		case s.source.ended() && len(s.source.unread()) == 0:
			return s.nothing()
		case whole:
			return nil
		}
		if !s.source.fill() {
			return s.readError(s.source.err)
		}
	}
}

func (s *scanner) takeLead(length int) {
	s.header.lead = append(s.header.lead, s.source.unread()[:length]...)
	s.skip(length)
}

// skip skips bytes of the source.
func (s *scanner) skip(length int) {
	s.line += int64(bytes.Count(s.source.unread()[:length], []byte{'\n'}))
	s.source.skip(length)
}

// nothing returns the error of a list without text.
func (s *scanner) nothing() error {
	reason := "the file is empty"
	if s.line > 1 {
		reason = "the file holds only blank lines"
	}
	return &table.Error{File: s.name, Reason: reason, Hint: "a list begins with a line of column names"}
}

// differs returns how the header of a further file differs from that of the first file. It returns
// nil when they are the same. name is the name of the first file.
func (h *header) differs(first *header, name string) *fault {
	const hint = "give all files of a list the same header"
	for i, column := range h.columns {
		if i < len(first.columns) && column != first.columns[i] {
			reason := fmt.Sprintf("column %d of the header is not %q as in %s", i+1, first.columns[i], name)
			return &fault{h.starts[i], reason, hint}
		}
	}
	reason := fmt.Sprintf("the header has %s, that of %s has %d",
		count(len(h.columns), "column"), name, len(first.columns))
	switch extra := len(h.columns) - len(first.columns); {
	case extra > 0:
		return &fault{h.starts[len(first.columns)], reason, hint}
	case extra < 0:
		return &fault{h.text, reason, hint}
	}
	return nil
}

// check returns why the first record cannot be a header, and nil when it can. The reasons quote no
// cell, because it may be the data of a person.
func (h *header) check() *fault {
	empty := true
	for i, name := range h.columns {
		start := h.starts[i]
		if at := strings.Index(name, "\r"); at >= 0 && h.raw[start] != '"' {
			const hint = "save the list with LF or CRLF at the line ends"
			return &fault{start + at, "a line of the header ends in CR without LF", hint}
		}
		if kind := table.KindOfData(name); kind != "" {
			return noHeader(start, "the first line holds "+kind)
		}
		empty = empty && strings.TrimSpace(name) == ""
	}
	if empty {
		return noHeader(0, "every cell of the first line is empty")
	}
	return nil
}

// domainsFromFirst returns why the first record is not a header: one of its cells is a domain, and so is the cell below.
func (s *scanner) domainsFromFirst() *fault {
	var next record
	data := s.source.unread()
	if !slices.ContainsFunc(s.header.columns, table.IsDomain) || len(data) == 0 || next.split(data, s.dialect.Delimiter, s.source.ended()) != nil {
		return nil
	}
	below := next.values(data)
	for i, name := range s.header.columns[:min(len(below), len(s.header.columns))] {
		if table.IsDomain(name) && table.IsDomain(below[i]) {
			return noHeader(s.header.starts[i], "the first line holds a domain")
		}
	}
	return nil
}

// isHeaderNext reports whether the next record looks like a header, and has another number of cells than the first
// one. Such a first line describes the file.
func (s *scanner) isHeaderNext() bool {
	var next record
	data, last := s.source.unread(), s.source.ended()
	if len(data) == 0 || next.split(data, s.dialect.Delimiter, last) != nil || next.cells() == len(s.header.columns) {
		return false
	}
	return table.FilledCells(next.values(data)) >= 3 && next.isHeader(data, next.cells(), s.dialect.Delimiter, last)
}

func noHeader(at int, why string) *fault {
	return &fault{at, "no header: " + why, "put a line with the names of the columns first"}
}
