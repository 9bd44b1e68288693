package listfile

import (
	"errors"
	"io"

	"payonce/io/atomicfile"
	"payonce/io/table"
	"payonce/io/textfile"
)

// Output is a list in the making: it appears whole or not at all, unless it goes to
// standard output.
type Output struct {
	Writer table.Writer
	// Rows is the list as it has to be read for the writer.
	Rows *List

	file   *atomicfile.File // nil for standard output
	packed io.WriteCloser   // what the writer writes to
	list   io.Closer        // that the writer reads; nil for none
	closed bool             // the writer
}

// Request says what is written.
type Request struct {
	Path     string // "-" for Stdout
	Stdout   io.Writer
	Filled   []int          // columns of the list that cells are filled in
	Appended []table.Column // behind those of the list
	Some     bool           // not all rows of the list are written
}

// Create begins the output of a list, in the format that its name tells: that of the
// list for standard output. Every Output needs a Commit or a Discard.
func Create(list *List, request Request) (*Output, error) {
	o := &Output{Rows: list}
	format := list.format
	var out io.Writer = request.Stdout
	name := request.Path
	if name == Standard {
		name = list.inputs[0].Name()
	} else {
		var err error
		if format, err = formatOf(name); err != nil {
			return nil, err
		}
		if o.file, err = atomicfile.Create(name); err != nil {
			return nil, err
		}
		out = o.file
	}
	if err := o.open(list, format, out, name, request); err != nil {
		o.Discard()
		return nil, err
	}
	return o, nil
}

// open makes the writer: one that carries over what nobody fills where the formats are
// the same.
func (o *Output) open(list *List, format format, out io.Writer, name string, request Request) (err error) {
	o.packed = nopCloser{out}
	if format == (text{}) {
		if o.packed, err = textfile.NewWriter(out, name); err != nil {
			return err
		}
	}
	reader, err := list.Open(nil)
	if err != nil {
		return err
	}
	o.list = reader
	if format == list.format {
		writer, err := format.rewrite(o.packed, reader, request)
		if err != nil || writer != nil {
			return o.take(writer, err)
		}
	}
	if legible, ok := reader.(interface{ Legible() error }); ok {
		if err := legible.Legible(); err != nil {
			return err
		}
	}
	o.Rows = list.Whole()
	return o.take(format.encode(o.packed, name, reader.Schema(), request.Appended))
}

// take takes a writer over. One that came with an error is none, also where the interface
// is not nil.
func (o *Output) take(writer table.Writer, err error) error {
	if err == nil {
		o.Writer = writer
	}
	return err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Commit writes what is left over and puts the file at its path, unless the list is not
// the one any more that was opened: then the rows may be of several lists.
func (o *Output) Commit() error {
	o.closed = true
	err := errors.Join(o.Writer.Close(), o.packed.Close())
	if o.Rows != nil { // there is none that a new list is made from
		err = errors.Join(err, o.Rows.unchanged())
	}
	if err != nil {
		return err
	}
	if o.file == nil {
		return nil
	}
	return o.file.Commit()
}

// Discard ends the output. After Commit it only closes what was read.
func (o *Output) Discard() {
	if given, ok := o.Writer.(interface{ Discard() }); ok && !o.closed {
		o.closed = true
		given.Discard()
	}
	if o.list != nil {
		_ = o.list.Close() // nothing was written to it
		o.list = nil
	}
	if o.file != nil {
		o.file.Discard()
	}
}
