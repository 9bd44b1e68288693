package csvtable

import (
	"errors"
	"fmt"

	"payonce/enrich"
	"payonce/io/table"
)

// errReleased says that a block was released before its part was written.
var errReleased = errors.New("csvtable: a block was released before its part was written")

// part gathers rows. It copies unchanged bytes of its own block only when other bytes follow, so
// that consecutive rows are copied at once.
type part struct {
	writer   *Writer
	block    *block // nil for rows of another format
	released uint64 // block.released when the part was started
	buffer   []byte

	data     []byte // of a block
	from, to int    // the bytes of data that follow those in the buffer

	tails [2]tail // the last two, the latest one first: most rows get one of them
}

// tail has the values and the text of appended cells.
type tail struct {
	appended []string
	text     []byte
}

var _ table.Part = (*part)(nil)

// begin makes the part an empty part of a block.
func (p *part) begin(b table.Block) {
	p.block, _ = b.(*block)
	if p.block != nil {
		p.released = p.block.released
	}
	p.buffer = p.buffer[:0]
	p.from, p.to = nowhere, nowhere
}

// nowhere is an offset at which no row starts.
const nowhere = -1

// WriteRow adds the row with the fills in place of its cells, and the appended cells. A cell is
// quoted when its text needs quotes. A fill is also quoted when the cell was. A row with another
// delimiter or format is encoded.
func (p *part) WriteRow(r table.Row, fills []table.Fill, appended []enrich.Cell) error {
	if err := table.CheckRow(r, fills, appended, p.writer.columns, p.writer.appended); err != nil {
		return err
	}
	own, ok := r.(*row)
	if ok && own.columns() != p.writer.columns {
		return fmt.Errorf("csvtable: row %d has %s, the list has %s; write it to its own list",
			own.number, count(own.columns(), "cell"), count(p.writer.columns, "column"))
	}
	copied := ok && own.block.scanner.dialect.Delimiter == p.writer.dialect.Delimiter
	if ok && (len(fills) > 0 || !copied) {
		if err := own.cut(); err != nil {
			return err
		}
	}
	if p.writer.encoder != nil {
		if err := p.writer.checkText(r, fills, appended); err != nil {
			return err
		}
	}
	switch {
	case !copied:
		p.endLine()
		p.encode(r, fills, appended)
	case own.block != p.block:
		p.endLine()
		p.copyRow(own, fills, appended)
		p.flush()
	default:
		p.copyRow(own, fills, appended)
	}
	return nil
}

// copyRow adds a row of a list of the same dialect. It copies the bytes of all cells that are not filled.
func (p *part) copyRow(r *row, fills []table.Fill, appended []enrich.Cell) {
	if r.start != p.to {
		p.endLine()
		p.data, p.from = r.block.data, r.start
	}
	for _, fill := range fills {
		start, end := r.record.cell(fill.Column)
		p.buffer = append(p.buffer, p.data[p.from:r.start+start]...)
		p.writeCell(p.writer.escape(fill.Value), start < end && r.raw[start] == '"')
		p.from = r.start + end
	}
	if len(appended) > 0 {
		text := r.start + r.text()
		p.buffer = append(p.buffer, p.data[p.from:text]...)
		p.writeAppended(appended)
		p.from = text
	}
	p.to = r.start + len(r.raw)
}

// encode adds a row of another list by its values.
func (p *part) encode(r table.Row, fills []table.Fill, appended []enrich.Cell) {
	for i := range p.writer.columns {
		p.separate(i)
		if len(fills) > 0 && fills[0].Column == i {
			p.writeCell(p.writer.escape(fills[0].Value), false)
			fills = fills[1:]
			continue
		}
		value := r.Cell(i)
		if p.writer.escapesAll {
			value = []byte(table.EscapeFormula(string(value)))
		}
		p.buffer = appendCell(p.buffer, value, p.writer.alone && len(value) == 0, p.writer.dialect.Delimiter)
	}
	p.writeAppended(appended)
	p.buffer = append(p.buffer, p.writer.dialect.LineEnding...)
}

// writeAppended adds the appended cells.
func (p *part) writeAppended(appended []enrich.Cell) {
	latest := &p.tails[0]
	if !latest.has(appended) {
		p.tails[0], p.tails[1] = p.tails[1], p.tails[0]
		if !latest.has(appended) {
			latest.appended = latest.appended[:0]
			for i := range appended {
				latest.appended = append(latest.appended, textOf(&appended[i]))
			}
			latest.text = p.writer.appendTail(latest.text[:0], latest.appended)
		}
	}
	p.buffer = append(p.buffer, latest.text...)
}

// has reports whether the tail has the texts of these values.
func (t *tail) has(values []enrich.Cell) bool {
	if len(values) != len(t.appended) {
		return false
	}
	for i, text := range t.appended {
		if textOf(&values[i]) != text {
			return false
		}
	}
	return true
}

// textOf returns the text of a value. Most values have it already, and then nothing is copied.
func textOf(value *enrich.Cell) string {
	if !value.Known || value.Text != "" {
		return value.Text
	}
	return value.String()
}

// appendTail appends the text of the appended cells. Most of them are empty in most rows.
func (w *Writer) appendTail(buffer []byte, appended []string) []byte {
	for i, value := range appended {
		if w.columns+i > 0 {
			buffer = append(buffer, w.dialect.Delimiter)
		}
		if value != "" || w.alone {
			buffer = appendCell(buffer, w.escape(value), value == "", w.dialect.Delimiter)
		}
	}
	return buffer
}

func (p *part) writeCell(value string, quote bool) {
	w := p.writer
	p.buffer = appendCell(p.buffer, value, quote || w.alone && value == "", w.dialect.Delimiter)
}

// separate writes the delimiter before every cell but the first.
func (p *part) separate(i int) {
	if i > 0 {
		p.buffer = append(p.buffer, p.writer.dialect.Delimiter)
	}
}

// flush copies the rows that are not copied yet.
func (p *part) flush() {
	if p.from < p.to {
		p.buffer = append(p.buffer, p.data[p.from:p.to]...)
	}
	p.data, p.from, p.to = nil, nowhere, nowhere
}

// endLine adds the missing line ending of the last line of a list, because a row follows.
func (p *part) endLine() {
	p.flush()
	if last := len(p.buffer) - 1; last >= 0 && p.buffer[last] != '\n' {
		p.buffer = append(p.buffer, p.writer.dialect.LineEnding...)
	}
}
