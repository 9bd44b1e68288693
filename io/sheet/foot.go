package sheet

import (
	"slices"

	"payonce/io/table"
)

// WhenFoot has found called with what is below the rows of the sheet, before Next returns the last rows. What is
// below an Excel table is not looked at.
func (r *Reader) WhenFoot(found func(table.Foot)) { r.found = found }

// mayReturn reports whether the first held block has no row below the list.
func (r *Reader) mayReturn() bool {
	rows := 0
	for i := len(r.held) - 1; i > 0; i-- {
		b := r.held[i]
		if rows += b.Len(); rows > table.MaxFoot || len(b.text) > table.MaxFoot*table.MaxFootRow {
			return true
		}
	}
	return false
}

// cutFoot takes the rows below the list from the held blocks.
func (r *Reader) cutFoot() {
	below := table.FootOf(r.columns, r.lastRows())
	if below == 0 {
		return
	}
	foot := table.Foot{File: r.name, Rows: below}
	r.number -= int64(below)
	for below > 0 {
		last := r.held[len(r.held)-1]
		kept := max(last.Len()-below, 0)
		foot.Line = last.lines[kept]
		below -= last.Len() - kept
		if last.truncate(kept); kept == 0 {
			r.held = r.held[:len(r.held)-1]
		}
	}
	if r.found != nil {
		r.found(foot)
	}
}

// lastRows returns the last rows, from the first that may be above the rows below the list.
func (r *Reader) lastRows() (rows []table.FootRow) {
	lineBelow := int64(0)
	for i := len(r.held) - 1; i >= 0; i-- {
		b := r.held[i]
		for at := b.Len() - 1; at >= 0 && len(rows) <= table.MaxFoot; at-- {
			if n := len(rows); n > 0 {
				rows[n-1].AfterBlank = lineBelow > b.lines[at]+1
			}
			rows, lineBelow = append(rows, r.footRow(b, at)), b.lines[at]
		}
	}
	slices.Reverse(rows)
	return rows
}

// footRow returns a row as headrow looks at it. A formula that was never calculated counts as a number: only the
// sum below a column is likely to be the first such formula of it.
func (r *Reader) footRow(b *block, at int) table.FootRow {
	visited := row{block: b, index: at}
	found := table.FootRow{Cells: make([]string, b.width)}
	size := 0
	for i := range found.Cells {
		found.Cells[i] = string(visited.Cell(i))
		size += len(found.Cells[i])
		if found.Cells[i] == "" && r.checked.unvalued[i] == b.lines[at] {
			found.Cells[i] = "0"
		}
	}
	if size > table.MaxFootRow {
		found.Cells = []string{"long", "long"}
	}
	return found
}

// truncate leaves the first rows in the block.
func (b *block) truncate(rows int) {
	b.lines, b.ends = b.lines[:rows], b.ends[:rows*b.width]
	if rows == 0 {
		b.text = nil
	}
}
