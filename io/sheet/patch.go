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

// patch copies a sheet and changes cells of some rows.
type patch struct {
	in   *markup
	out  *bufio.Writer
	line int // of the last row
}

// toRow copies the sheet up to a row. It returns the start of the row and its bytes.
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
			// The area would be wrong, and some programs read only the area.
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

// number reads the number of a row. A row without a number follows the previous row.
func (p *patch) number(row xml.StartElement) error {
	line := p.line + 1
	if text := attribute(row, "r"); text != "" {
		var err error
		if line, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("a row has the number %q", text)
		}
	}
	if line > MaxRows {
		return fmt.Errorf("row %d is more than the %d rows of a sheet", line, MaxRows)
	}
	if line <= p.line {
		return fmt.Errorf("row %d is out of order: it follows row %d", line, p.line)
	}
	p.line = line
	return nil
}

// content calls visit with all tokens up to the end of the element that has started.
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

// row copies a row and makes the edits, which ascend.
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

// withoutSpans returns the start of a row without the attribute spans. The attribute is optional.
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

// rest copies the rest of the sheet. change may change the starts of elements.
func (p *patch) rest(change func(start xml.StartElement, raw []byte) []byte) error {
	for {
		token, raw, err := p.in.next()
		if errors.Is(err, io.EOF) {
			return p.out.Flush()
		}
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok {
			raw = change(start, raw)
		}
		if _, err := p.out.Write(raw); err != nil {
			return err
		}
	}
}
