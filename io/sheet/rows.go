package sheet

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// rows reads the rows of a sheet.
type rows struct {
	cursor
	book  *book
	part  io.Closer
	dates *dateFormats // of cells that are read as dates; nil for none
	cells values       // of the row
}

// values are the cells of a row. The text of all is in text, one after the other.
type values struct {
	text []byte
	ends []int // of every cell in text, up to the last one that is not empty
}

// openRows returns the rows of a sheet. They need a Close.
func (b *book) openRows(sheet string) (*rows, error) {
	entry, err := b.part(sheet)
	if err != nil {
		return nil, err
	}
	part, err := entry.Open()
	if err != nil {
		return nil, err
	}
	return &rows{cursor: cursor{in: newXMLReader(part)}, book: b, part: part}, nil
}

// next reads the next row that has a value. It returns io.EOF after the last one.
func (r *rows) next() error {
	for {
		found, err := r.row()
		if err != nil {
			return err
		}
		if !found {
			return io.EOF
		}
		r.cells.text, r.cells.ends = r.cells.text[:0], r.cells.ends[:0]
		for found {
			if found, err = r.cell(); err == nil && found {
				err = r.value()
			}
			if err != nil {
				return err
			}
		}
		if len(r.cells.ends) > 0 {
			return nil
		}
	}
}

// kind says how a cell has its value.
type kind uint8

const (
	number kind = iota
	sharedText
	inlineText
	asIs // a truth value, an error, the text of a formula
)

func kindOf(name string) kind {
	switch name {
	case "", "n":
		return number
	case "s":
		return sharedText
	case "inlineStr":
		return inlineText
	}
	return asIs
}

// value reads a cell and adds its value to the row.
func (r *rows) value() error {
	kind := kindOf(r.in.Attribute("t"))
	isDate := kind == number && r.dates.has(r.in.Attribute("s"))
	begin := len(r.cells.text)
	text, err := r.cells.text, error(nil)
	if value, found := restOf(r.in, kind); !found {
		text, err = appendValue(text, r.in, kind)
	} else if text = append(text, value...); kind == inlineText {
		text = unmark(text, begin)
	}
	if err != nil {
		return err
	}
	switch value := text[begin:]; {
	case len(value) == 0:
		return nil
	case kind == sharedText:
		if text, err = r.appendShared(text[:begin], string(bytes.TrimSpace(value))); err != nil {
			return fmt.Errorf("row %d: %w", r.line, err)
		}
	case isDate:
		if date, ok := dateText(string(value), r.book.from1904); ok {
			text = append(text[:begin], date...)
		}
	}
	if len(text) == begin {
		return nil
	}
	for len(r.cells.ends) < r.column-1 {
		r.cells.ends = append(r.cells.ends, begin)
	}
	r.cells.text, r.cells.ends = text, append(r.cells.ends, len(text))
	return nil
}

// appendValue reads up to the end of the cell that in has started and appends its value as it is stored.
func appendValue(to []byte, in *xmlReader, kind kind) ([]byte, error) {
	begin, isItem, taking := len(to), false, false
	for {
		token, err := in.Next()
		if err != nil {
			return to, err
		}
		switch depth := in.Depth(); token {
		case xmlStart:
			switch {
			case depth == valueDepth && in.Is("v") && !isItem:
				to, taking = to[:begin], true
			case depth == valueDepth && in.Is("is") && kind == inlineText:
				isItem = true
				if to, _, err = appendTextItem(to[:begin], in); err != nil {
					return to, err
				}
			default:
				if err := in.Skip(); err != nil {
					return to, err
				}
			}
		case xmlText:
			if taking {
				to = in.AppendText(to)
			}
		case xmlEnd:
			taking = false
			if depth == cellDepth {
				return to, nil
			}
		}
	}
}

// appendShared appends the shared text with a number.
func (r *rows) appendShared(to []byte, number string) ([]byte, error) {
	shared, err := r.book.shared()
	if err != nil {
		return to, err
	}
	at, err := strconv.Atoi(number)
	if err != nil {
		return to, fmt.Errorf("a cell has the shared text %.20q, which is not a number", number)
	}
	return shared.Append(to, at)
}

// Close closes the part.
func (r *rows) Close() error { return r.part.Close() }

// strings returns the cells.
func (v *values) strings() []string {
	cells := make([]string, len(v.ends))
	start := 0
	for i, end := range v.ends {
		cells[i] = string(v.text[start:end])
		start = end
	}
	return cells
}
