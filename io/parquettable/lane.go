package parquettable

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
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
	pages  pages
	out    chan *vector
}

func newLane(r *Reader, c column) *lane {
	return &lane{
		reader: r, column: c, out: make(chan *vector, blocksAhead),
		pages: pages{file: r.file, descriptor: r.meta.Schema.Column(c.leaf), decompress: &decompressor{}},
	}
}

// run decodes to the end of the list, until something is wrong or the reader is closed.
func (l *lane) run() {
	defer close(l.out)
	defer l.pages.decompress.close()
	var d decoder
	blocks := cursor{reader: l.reader, at: span{first: 1}}
	for {
		s, found := blocks.next()
		if !found {
			return
		}
		v := l.reader.vectors.Get().(*vector)
		v.reset()
		if s.start == 0 {
			d, v.err = l.open(s.group)
		}
		if v.err == nil {
			v.err = l.decode(d, v, s.rows)
		}
		last := v.err != nil
		if last {
			v.err = inFile(l.reader.name, fmt.Errorf("column %s, rows %d to %d: %w", l.column.name, s.first, s.first+int64(s.rows)-1, v.err))
		}
		select {
		case l.out <- v:
		case <-l.reader.done:
			return
		}
		if last {
			return
		}
	}
}

// open returns a decoder of the column in a row group.
func (l *lane) open(group int) (d decoder, err error) {
	defer guard(&err)
	if err := l.pages.openChunk(l.reader.meta, group, l.column.leaf); err != nil {
		return nil, err
	}
	return newDecoder(&l.pages)
}

func (l *lane) decode(d decoder, v *vector, rows int) (err error) {
	defer guard(&err)
	return d.decode(v, rows)
}

// openChunk makes p read the chunk of a leaf in a row group.
func (p *pages) openChunk(meta *metadata.FileMetaData, group, leaf int) error {
	chunk := meta.RowGroups[group].Columns[leaf].MetaData
	return p.open(chunkStart(chunk.DictionaryPageOffset, chunk.DataPageOffset), chunk.TotalCompressedSize, chunk.NumValues, compress.Compression(chunk.Codec))
}
