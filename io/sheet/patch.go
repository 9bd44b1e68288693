package sheet

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// edit is a value for a cell of a row.
type edit struct {
	column int // from 1
	value  string
	number bool
}

// patch copies a sheet with cells put into some of its rows.
type patch struct {
	in   *markup
	out  *bufio.Writer
	line int // of the row that was read last
}

// toRow copies up to a row and returns its start with its bytes.
func (p *patch) toRow(line int) (xml.StartElement, []byte, error) {
	for {
		token, raw, err := p.in.next()
		if errors.Is(err, io.EOF) {
			return xml.StartElement{}, nil, fmt.Errorf("row %d is missing", line)
		}
		if err != nil {
			return xml.StartElement{}, nil, err
		}
		start, isStart := token.(xml.StartElement)
		if isStart && start.Name.Local == "row" {
			if err := p.number(start); err != nil {
				return xml.StartElement{}, nil, err
			}
			if p.line == line {
				return start, raw, nil
			}
		}
		if isStart && start.Name.Local == "dimension" {
			// The area of the sheet would be wrong, and some programs read no further.
			if err := p.content(func(xml.Token, []byte) error { return nil }); err != nil {
				return xml.StartElement{}, nil, err
			}
			continue
		}
		if _, err := p.out.Write(raw); err != nil {
			return xml.StartElement{}, nil, err
		}
	}
}

// number takes the number of a row. A row without one follows the row before.
func (p *patch) number(row xml.StartElement) error {
	line := p.line + 1
	if text := attribute(row, "r"); text != "" {
		var err error
		if line, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("a row has the number %q", text)
		}
	}
	if line > MaxRows {
		return fmt.Errorf("row %d is more than the %d rows that a sheet can have", line, MaxRows)
	}
	if line <= p.line {
		return fmt.Errorf("row %d stands behind row %d", line, p.line)
	}
	p.line = line
	return nil
}

// content hands all tokens up to the end of an element that has started to visit.
func (p *patch) content(visit func(token xml.Token, raw []byte) error) error {
	for open := 1; open > 0; {
		token, raw, err := p.in.next()
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			open++
		case xml.EndElement:
			open--
		}
		if err := visit(token, raw); err != nil {
			return err
		}
	}
	return nil
}

// row copies a row with the edits, which ascend, put in.
func (p *patch) row(line int, edits []edit) error {
	start, raw, err := p.toRow(line)
	if err != nil {
		return err
	}
	c := cells{patch: p, prefix: prefix(start), edits: edits}
	raw = withoutSpans(raw)
	if empty(raw) {
		raw = append(bytes.TrimSuffix(raw, []byte("/>")), '>')
		c.closing = []byte("</" + c.prefix + "row>")
	}
	if _, err := p.out.Write(raw); err != nil {
		return err
	}
	if err := c.copy(); !errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("row %d does not end", line)
}

// prefix returns the prefix of an element's name with its colon.
func prefix(start xml.StartElement) string {
	if start.Name.Space == "" {
		return ""
	}
	return start.Name.Space + ":"
}

// withoutSpans returns the start of a row without the attribute that says which
// columns it has. It is only a hint.
func withoutSpans(raw []byte) []byte {
	raw = bytes.Clone(raw)
	for _, quote := range []string{`"`, `'`} {
		before, after, found := bytes.Cut(raw, []byte(" spans="+quote))
		if _, rest, closed := bytes.Cut(after, []byte(quote)); found && closed {
			return append(before, rest...)
		}
	}
	return raw
}

// rest copies what is left.
func (p *patch) rest() error {
	for {
		_, raw, err := p.in.next()
		if errors.Is(err, io.EOF) {
			return p.out.Flush()
		}
		if err != nil {
			return err
		}
		if _, err := p.out.Write(raw); err != nil {
			return err
		}
	}
}
