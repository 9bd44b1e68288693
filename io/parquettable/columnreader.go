package parquettable

import (
	"fmt"
)

// span is the range of rows of a block. It lies in one row group.
type span struct {
	group int
	first int64 // row of the list, from 1
	start int64 // row of the row group, from 0
	rows  int
}

// cursor iterates over the blocks of a list.
type cursor struct {
	reader *Reader
	at     span // of the next block; its rows are not set
}

// next returns the next block. It returns false after the last one.
func (c *cursor) next() (span, bool) {
	for groups := c.reader.meta.RowGroups; c.at.group < len(groups); {
		s := c.at
		left := groups[s.group].NumRows - s.start
		if left == 0 {
			c.at = span{group: s.group + 1, first: s.first}
			continue
		}
		s.rows = int(min(left, c.reader.blockRows(s.group)))
		c.at.first += int64(s.rows)
		c.at.start += int64(s.rows)
		return s, true
	}
	return span{}, false
}

// columnReader decodes one column, block by block, before the blocks are asked for.
type columnReader struct {
	reader *Reader
	column FileColumn
	pages  *pageReader
	out    chan decoded
}

func newColumnReader(r *Reader, c FileColumn) *columnReader {
	return &columnReader{
		reader: r, column: c, out: make(chan decoded, blocksAhead),
		pages: newPageReader(r.file, r.meta.Schema.Column(c.Leaf)),
	}
}

// run decodes until the list ends, decoding fails, or the reader is closed.
func (c *columnReader) run() {
	defer close(c.out)
	defer c.pages.Close()
	var d *cellDecoder
	blocks := cursor{reader: c.reader, at: span{first: 1}}
	for {
		s, found := blocks.next()
		if !found {
			return
		}
		v := c.reader.vectors.Get().(*Vector)
		v.Reset()
		var err error
		if s.start == 0 {
			d, err = newCellDecoder(c.pages, c.reader.meta, s.group, c.column.Leaf)
		}
		if err == nil {
			err = d.Decode(v, s.rows)
		}
		if err != nil {
			err = c.place(s, err)
		}
		select {
		case c.out <- decoded{v, err}:
		case <-c.reader.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// place adds the file, the column and the rows to an error.
func (c *columnReader) place(s span, err error) error {
	last := s.first + int64(s.rows) - 1
	err = fmt.Errorf("column %s, rows %d to %d: %w", c.column.Name, s.first, last, err)
	return InFile(c.reader.name, err)
}

// decoded has the cells of a block, or the error that ends the column.
type decoded struct {
	cells *Vector
	err   error
}
