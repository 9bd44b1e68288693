package parquettable

import (
	"fmt"
)

// span is the run of rows that makes a block. It lies in one row group.
type span struct {
	group int
	first int64 // of the list's rows, from 1
	start int64 // in the row group, from 0
	rows  int
}

// cursor walks over the blocks of a list.
type cursor struct {
	reader *Reader
	at     span // the next one, but for its rows
}

// next returns the next block, false after the last one.
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

// lane decodes one column, block by block, ahead of who reads it.
type lane struct {
	reader *Reader
	column column
	pages  *pages
	out    chan decoded
}

func newLane(r *Reader, c column) *lane {
	return &lane{
		reader: r, column: c, out: make(chan decoded, blocksAhead),
		pages: newPages(r.file, r.meta.Schema.Column(c.leaf)),
	}
}

// run decodes to the end of the list, until something is wrong or the reader is closed.
func (l *lane) run() {
	defer close(l.out)
	defer l.pages.Close()
	var d *decoder
	blocks := cursor{reader: l.reader, at: span{first: 1}}
	for {
		s, found := blocks.next()
		if !found {
			return
		}
		v := l.reader.vectors.Get().(*vector)
		v.reset()
		var err error
		if s.start == 0 {
			d, err = newDecoder(l.pages, l.reader.meta, s.group, l.column.leaf)
		}
		if err == nil {
			err = d.decode(v, s.rows)
		}
		if err != nil {
			err = inFile(l.reader.name, fmt.Errorf("column %s, rows %d to %d: %w", l.column.name, s.first, s.first+int64(s.rows)-1, err))
		}
		select {
		case l.out <- decoded{v, err}:
		case <-l.reader.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// decoded holds the cells of a block, or the error that ends the column.
type decoded struct {
	cells *vector
	err   error
}
