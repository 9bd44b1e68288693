package sheet

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"

	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

// edit is a value for a cell of a row.
type edit struct {
	column int // from 1
	written
}

// patch copies a sheet and changes cells of some rows.
type patch struct {
	cursor
	out    *bufio.Writer
	edits  []edit // of the row that are not written yet
	prefix string // of the names of elements
	buffer []byte // for one cell
}

func newPatch(in io.Reader, out io.Writer) *patch {
	p := &patch{cursor: cursor{in: newXMLReader(in)}, out: bufio.NewWriterSize(out, 64<<10)}
	p.pass = p.copy
	return p
}

// copy copies a token.
func (p *patch) copy() error {
	if !p.within && p.in.Depth() == dataDepth && p.in.Is("dimension") {
		return p.in.Skip() // the area would be wrong, and some programs read only the area
	}
	_, err := p.out.Write(p.in.Raw())
	return err
}

// toRow copies the sheet up to a row.
func (p *patch) toRow(line int) error {
	for {
		found, err := p.cursor.row()
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("row %d is missing", line)
		}
		if p.line == line {
			return nil
		}
		if err := p.copy(); err != nil {
			return err
		}
	}
}

// row copies a row and makes the edits, which ascend.
func (p *patch) row(line int, edits []edit) error {
	if err := p.toRow(line); err != nil {
		return err
	}
	p.edits, p.prefix = edits, p.in.Prefix()
	start, closing := p.in.Raw(), []byte(nil)
	if p.in.Attribute("spans") != "" {
		start = withoutSpans(start)
	}
	if p.in.Empty() {
		start = append(bytes.TrimSuffix(bytes.Clone(start), []byte("/>")), '>')
		closing = []byte("</" + p.prefix + "row>")
	}
	if _, err := p.out.Write(start); err != nil {
		return err
	}
	for {
		found, err := p.cell()
		if err == nil && found {
			err = p.change()
		}
		if err != nil {
			return err
		}
		if !found {
			break
		}
	}
	if err := p.insert(excelize.MaxColumns + 1); err != nil {
		return err
	}
	if closing == nil {
		closing = p.in.Raw()
	}
	_, err := p.out.Write(closing)
	return err
}

// change copies a cell or its start, or puts an edit in the place of the cell.
func (p *patch) change() error {
	if err := p.insert(p.column); err != nil {
		return err
	}
	if len(p.edits) == 0 || p.edits[0].column != p.column {
		kind := kindOf(p.in.Attribute("t"))
		if err := p.copy(); err != nil {
			return err
		}
		if _, found := restOf(p.in, kind); found {
			return p.copy()
		}
		return nil // cell copies the rest
	}
	e := p.edits[0]
	p.edits = p.edits[1:]
	style := cmp.Or(e.style, p.in.Attribute("s"))
	if err := p.drop(); err != nil {
		return err
	}
	return p.put(e, style)
}

// insert writes the edits before a column.
func (p *patch) insert(before int) error {
	for len(p.edits) > 0 && p.edits[0].column < before {
		if err := p.put(p.edits[0], p.edits[0].style); err != nil {
			return err
		}
		p.edits = p.edits[1:]
	}
	return nil
}

// put writes a cell.
func (p *patch) put(e edit, style string) error {
	if e.value == "" && style == "" {
		return nil
	}
	name, err := columnName(e.column)
	if err != nil {
		return err
	}
	e.style = style
	p.buffer = appendCell(p.buffer[:0], cell{p.prefix, name, p.line, e.written})
	_, err = p.out.Write(p.buffer)
	return err
}

// drop skips the rest of a cell.
func (p *patch) drop() error {
	for {
		kind, err := p.in.Next()
		if err != nil {
			return err
		}
		switch {
		case kind == xmlStart && servesOthers(p.in):
			return &table.Error{
				Line: int64(p.line), Reason: "the formula of a cell to fill is shared with other cells",
				Hint: "replace the formulas of the column by their values",
			}
		case kind == xmlEnd && p.in.Depth() == cellDepth:
			return nil
		}
	}
}

// withoutSpans returns the start of a row without the attribute spans. The attribute is optional.
func withoutSpans(raw []byte) []byte {
	for _, quote := range []string{`"`, `'`} {
		before, after, found := bytes.Cut(raw, []byte(" spans="+quote))
		if _, rest, closed := bytes.Cut(after, []byte(quote)); found && closed {
			return append(bytes.Clone(before), rest...)
		}
	}
	return raw
}

// rest copies the rest of the sheet. A filter is extended.
func (p *patch) rest(extend *extension) error {
	err := copyChanged(p.out, p.in, func(kind XMLKind) ([]byte, error) {
		if kind == xmlStart {
			return extend.filter(p.in), nil
		}
		return p.in.Raw(), nil
	})
	if err != nil {
		return err
	}
	return p.out.Flush()
}
