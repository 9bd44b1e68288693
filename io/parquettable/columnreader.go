package parquettable

import (
	"fmt"

	"payonce/io/parquettable/celltext"
	"payonce/io/parquettable/damage"
	"payonce/io/parquettable/footer"
	"payonce/io/parquettable/page"
	"payonce/io/parquettable/vector"
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

// columnReader decodes one column, block by block, ahead of who reads it.
type columnReader struct {
	reader *Reader
	column footer.Column
	pages  *page.Reader
	out    chan decoded
}

func newColumnReader(r *Reader, c footer.Column) *columnReader {
	return &columnReader{
		reader: r, column: c, out: make(chan decoded, blocksAhead),
		pages: page.NewReader(r.file, r.meta.Schema.Column(c.Leaf)),
	}
}

// run decodes to the end of the list, until something is wrong or the reader is closed.
func (l *columnReader) run() {
	defer close(l.out)
	defer l.pages.Close()
	var d *celltext.Decoder
	blocks := cursor{reader: l.reader, at: span{first: 1}}
	for {
		s, found := blocks.next()
		if !found {
			return
		}
		v := l.reader.vectors.Get().(*vector.Vector)
		v.Reset()
		var err error
		if s.start == 0 {
			d, err = celltext.NewDecoder(l.pages, l.reader.meta, s.group, l.column.Leaf)
		}
		if err == nil {
			err = d.Decode(v, s.rows)
		}
		if err != nil {
			err = damage.InFile(l.reader.name, fmt.Errorf("column %s, rows %d to %d: %w", l.column.Name, s.first, s.first+int64(s.rows)-1, err))
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
	cells *vector.Vector
	err   error
}
