package csvtable

import (
	"bytes"
	"strings"

	"payonce/io/table"
)

// header is the first record of a list.
type header struct {
	lead    []byte // byte order mark and blank lines before it
	raw     []byte // with its line ending and the blank lines after it
	text    int    // where its text ends in raw
	columns []string
}

// lineEnding returns the line ending of the header, "" when it has none.
func (h *header) lineEnding() string {
	switch ending := h.raw[h.text:]; {
	case bytes.HasPrefix(ending, []byte("\r\n")):
		return "\r\n"
	case bytes.HasPrefix(ending, []byte("\n")):
		return "\n"
	}
	return ""
}

const (
	utf8Mark    = "\xef\xbb\xbf"
	utf16Little = "\xff\xfe"
	utf16Big    = "\xfe\xff"
)

// readHeader reads everything up to the first row.
func (r *Reader) readHeader() error {
	if err := r.readLead(); err != nil {
		return err
	}
	r.dialect.Delimiter = detectDelimiter(r.source.unread(), r.source.ended())
	r.row.delimiter = r.dialect.Delimiter
	if err := r.nextRecord(); err != nil {
		return err
	}
	r.header.raw = bytes.Clone(r.row.raw)
	r.header.text = r.row.record.text
	for i := range r.row.record.cells {
		r.header.columns = append(r.header.columns, string(r.row.Cell(i)))
	}
	r.dialect.LineEnding = r.header.lineEnding()
	r.dialect = r.dialect.withDefaults()
	if f := r.header.check(r.row.record.cells); f != nil {
		return r.errorAt(r.row.line, r.header.raw, f)
	}
	return nil
}

// readLead reads the byte order mark and the blank lines before the header.
func (r *Reader) readLead() error {
	r.source.fill()
	switch start := r.source.unread(); {
	case bytes.HasPrefix(start, []byte(utf16Little)), bytes.HasPrefix(start, []byte(utf16Big)):
		return &table.Error{File: r.name, Reason: "UTF-16 is not supported", Hint: "save as UTF-8"}
	case bytes.HasPrefix(start, []byte(utf8Mark)):
		r.takeLead(len(utf8Mark))
	}
	for {
		length, whole := lineEndings(r.source.unread(), r.source.ended())
		r.takeLead(length)
		switch {
		case len(r.header.lead) > maxRecord:
			return r.errorAt(r.line, nil, overlongRecord())
		case r.source.ended() && len(r.source.unread()) == 0:
			return r.nothing()
		case whole:
			return nil
		}
		if !r.source.fill() {
			return r.readError()
		}
	}
}

func (r *Reader) takeLead(length int) {
	taken := r.source.unread()[:length]
	r.header.lead = append(r.header.lead, taken...)
	r.line += int64(bytes.Count(taken, []byte{'\n'}))
	r.source.skip(length)
}

// nothing says that the list has no header, because it has no text at all.
func (r *Reader) nothing() error {
	reason := "the file is empty"
	if r.line > 1 {
		reason = "the file holds only blank lines"
	}
	return &table.Error{File: r.name, Reason: reason, Hint: "a list begins with a line of column names"}
}

// check returns what shows that the first record is no header; nil when nothing
// does. The reasons quote no cell: it may be a person's data.
func (h *header) check(cells []cell) *fault {
	empty := true
	for i, name := range h.columns {
		if cells[i].quoting == plain && strings.Contains(name, "\r") {
			at := int(cells[i].start) + strings.Index(name, "\r")
			return &fault{at, "a line of the header ends in CR without LF", "save the list with LF or CRLF at the line ends"}
		}
		if kind := kindOfData(name); kind != "" {
			return noHeader(int(cells[i].start), "the first line holds "+kind)
		}
		empty = empty && strings.TrimSpace(name) == ""
	}
	if empty {
		return noHeader(0, "every cell of the first line is empty")
	}
	return nil
}

func noHeader(at int, why string) *fault {
	return &fault{at, "no header: " + why, "put a line with the names of the columns first"}
}

// kindOfData names what a cell of a first line holds that no column name would.
func kindOfData(cell string) string {
	cell = strings.ToLower(strings.TrimSpace(cell))
	switch {
	case strings.HasPrefix(cell, "http://"), strings.HasPrefix(cell, "https://"):
		return "a URL"
	case isEmailAddress(cell):
		return "an email address"
	case isPhoneNumber(cell):
		return "a phone number"
	}
	return ""
}

func isEmailAddress(cell string) bool {
	local, domain, found := strings.Cut(cell, "@")
	return found && local != "" && strings.Contains(strings.Trim(domain, "."), ".") &&
		!strings.ContainsAny(cell, " \t\r\n")
}

// isPhoneNumber reports whether cell holds at least seven digits and nothing else
// than what stands between the digits of a phone number.
func isPhoneNumber(cell string) bool {
	digits := 0
	for _, char := range cell {
		switch {
		case '0' <= char && char <= '9':
			digits++
		case !strings.ContainsRune("+-()./ \u00a0", char):
			return false
		}
	}
	return digits >= 7
}
