package jsonlist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"payonce/io/table"
)

// Input is a file of a list. It can be opened any number of times.
type Input interface {
	// Name returns the name of the file for errors.
	Name() string
	Open() (io.ReadCloser, error)
}

// Layout is what a pass over a whole list found: its columns, and the text around the objects.
type Layout struct {
	array      bool // not lines
	lead, tail []byte
	root       *node
	columns    []column
}

// Reader reads the rows of a list.
type Reader struct {
	layout  *Layout
	wanted  *want
	source  *source
	further []Input // not opened yet
	number  int64   // of the last row
	free    sync.Pool
	err     error // sticky, also io.EOF
}

var _ table.Reader = (*Reader)(nil)

// Scan reads a list of one or more files, and finds every fault of it. Several files need one object on
// each line. A fault is a *table.Error. A list without objects has no columns.
func Scan(inputs ...Input) (*Layout, error) {
	r, err := open(inputs)
	if err != nil {
		return nil, err
	}
	l := &Layout{array: r.source.decoder != nil, lead: r.source.lead, root: &node{}}
	r.layout = l
	err = table.Ordered(context.Background(), r, func(b table.Block) (*node, error) {
		return b.(*block).scan()
	}, func(_ table.Block, found *node) error {
		l.root.merge(found)
		if nodes := l.root.count(); nodes > maxNodes {
			return &table.Error{File: r.source.at.file, Reason: tooMany(nodes), Hint: "leave out what is not needed"}
		}
		return nil
	})
	l.tail = r.source.tail
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if r.number == 0 {
		return l, nil
	}
	l.columns = l.root.columns(nil, "")
	return l, l.check(r.source.at.file)
}

// check refuses a list whose objects have no usable members.
func (l *Layout) check(name string) error {
	if l.root.wide {
		reason := fmt.Sprintf("the objects have more than %d different members", maxMembers)
		return &table.Error{File: name, Reason: reason, Hint: "give the members of all objects the same names"}
	}
	if len(l.columns) == 0 {
		return &table.Error{File: name, Reason: "the objects have no members", Hint: noRows}
	}
	return nil
}

// Open opens a list that was scanned for one pass over the cells of some columns. nil means all
// columns. The files must not have changed since.
func Open(l *Layout, columns []int, inputs ...Input) (*Reader, error) {
	r, err := open(inputs)
	if err != nil {
		return nil, err
	}
	if r.layout = l; columns == nil {
		for i := range l.columns {
			columns = append(columns, i)
		}
	}
	r.wanted = wantOf(l.columns, columns)
	return r, nil
}

func open(inputs []Input) (*Reader, error) {
	if len(inputs) == 0 {
		return nil, errors.New("jsonlist: a list without files")
	}
	s, err := openSource(inputs[0])
	if err != nil {
		return nil, err
	}
	r := &Reader{source: s, further: inputs[1:]}
	r.free.New = func() any { return &block{reader: r} }
	if len(r.further) > 0 && s.decoder != nil {
		return nil, errors.Join(severalArrays(s.at.file), r.Close())
	}
	return r, nil
}

func severalArrays(name string) error {
	return &table.Error{
		File: name, Reason: "the file holds an array, and the list has several files",
		Hint: "name one file, or files with one object on each line",
	}
}

// Schema returns the paths of the columns.
func (r *Reader) Schema() table.Schema {
	var schema table.Schema
	for _, c := range r.layout.columns {
		schema.Columns = append(schema.Columns, c.path)
	}
	return schema
}

// IsArray reports whether the list is an array. Otherwise it has one object on each line.
func (r *Reader) IsArray() bool { return r.layout.array }

// Name returns the name of the file that is being read.
func (r *Reader) Name() string { return r.source.at.file }

// Next returns the next block. It returns io.EOF after the last one. After an error it returns the same
// error again.
func (r *Reader) Next() (table.Block, error) {
	for r.err == nil {
		b := r.free.Get().(*block)
		err := r.source.fill(b)
		if len(b.rows) > 0 {
			b.first = r.number + 1
			r.number += int64(len(b.rows))
			return b, nil
		}
		r.free.Put(b)
		if r.err = err; err == io.EOF && len(r.further) > 0 {
			r.err = r.advance()
		}
	}
	return nil, r.err
}

// advance opens the next file.
func (r *Reader) advance() error {
	if err := r.source.close(); err != nil {
		return r.source.readError(err)
	}
	next, err := openSource(r.further[0])
	if err != nil {
		return err
	}
	r.source, r.further = next, r.further[1:]
	if next.decoder != nil {
		return severalArrays(next.at.file)
	}
	return nil
}

// Close closes the files. Blocks that Next returned stay valid.
func (r *Reader) Close() error {
	if r.err == nil {
		r.err = os.ErrClosed
	}
	return r.source.close()
}

// scan reads every object of a block and returns what they hold.
func (b *block) scan() (*node, error) {
	found := &node{}
	p, lines := &b.row.parser, !b.reader.layout.array
	counted, here := 0, b.from
	for i, s := range b.rows {
		here, counted = here.after(b.data[counted:s.object]), s.object
		object := b.object(i)
		if object[0] != '{' {
			return nil, here.fault("the line is not an object", noRows)
		}
		p.reset(object)
		if err := p.note(found, 0, here.line); err != nil {
			return nil, here.syntax(object, err, lines)
		}
		if end := int(p.decoder.InputOffset()); end < len(object) {
			behind := len(object) - len(bytes.TrimLeft(object[end:], whiteSpace))
			return nil, here.after(object[:behind]).fault("something follows the object on its line", "put it on a line of its own")
		}
	}
	return found, nil
}
