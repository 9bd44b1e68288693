package sheet

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

// cells copies the cells of one row.
type cells struct {
	*patch
	prefix  string // of the names of elements
	edits   []edit // that are not written yet
	closing []byte // the end of the row, when the sheet has none
	column  int    // of the last cell
}

func (c *cells) copy() error {
	for {
		token, raw, err := c.in.next()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Local == "c" {
				err = c.cell(t, raw)
			} else {
				err = c.element(raw)
			}
		case xml.EndElement: // of the row
			if len(raw) == 0 {
				raw = c.closing
			}
			if err := c.insert(excelize.MaxColumns + 1); err != nil {
				return err
			}
			_, err := c.out.Write(raw)
			return err
		default:
			_, err = c.out.Write(raw)
		}
		if err != nil {
			return err
		}
	}
}

// cell copies a cell, or puts an edit in its place.
func (c *cells) cell(start xml.StartElement, raw []byte) error {
	c.column++
	if name := attribute(start, "r"); name != "" {
		column, _, err := excelize.CellNameToCoordinates(name)
		if err != nil {
			return err
		}
		c.column = column
	}
	if err := c.insert(c.column); err != nil {
		return err
	}
	if len(c.edits) == 0 || c.edits[0].column != c.column {
		return c.element(raw)
	}
	e := c.edits[0]
	c.edits = c.edits[1:]
	if err := c.drop(); err != nil {
		return err
	}
	return c.put(e, attribute(start, "s"))
}

// insert writes the edits before a column.
func (c *cells) insert(before int) error {
	for len(c.edits) > 0 && c.edits[0].column < before {
		if err := c.put(c.edits[0], ""); err != nil {
			return err
		}
		c.edits = c.edits[1:]
	}
	return nil
}

// put writes a cell.
func (c *cells) put(e edit, style string) error {
	if e.value == "" && style == "" {
		return nil
	}
	name, err := excelize.CoordinatesToCellName(e.column, c.line)
	if err != nil {
		return err
	}
	p := c.prefix
	fmt.Fprintf(c.out, `<%sc r="%s"`, p, name) // out keeps its first error
	if style != "" {
		fmt.Fprintf(c.out, ` s="%s"`, style)
	}
	switch {
	case e.value == "":
		_, err = c.out.WriteString("/>")
	case e.number:
		_, err = fmt.Fprintf(c.out, "><%sv>%s</%sv></%sc>", p, e.value, p, p)
	default:
		var text strings.Builder
		if err := xml.EscapeText(&text, []byte(marked(e.value))); err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, ` t="inlineStr"><%sis><%st xml:space="preserve">%s</%st></%sis></%sc>`,
			p, p, text.String(), p, p, p)
	}
	return err
}

// element copies the rest of an element whose start is raw.
func (c *cells) element(raw []byte) error {
	if _, err := c.out.Write(raw); err != nil {
		return err
	}
	return c.content(func(_ xml.Token, raw []byte) error {
		_, err := c.out.Write(raw)
		return err
	})
}

// drop skips the rest of a cell.
func (c *cells) drop() error {
	return c.content(func(token xml.Token, _ []byte) error {
		start, ok := token.(xml.StartElement)
		if ok && servesOthers(start) {
			return &table.Error{
				Line: int64(c.line), Reason: "the formula of a cell to fill is shared with other cells",
				Hint: "replace the formulas of the column by their values",
			}
		}
		return nil
	})
}
