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
	packed textfile.Writer  // what the writer writes to
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
	return create(request, list.inputs[0].Name(), list.format, func(o *Output, format format, name string) error {
		o.Rows = list
		return o.open(list, format, name, request)
	})
}

// CreateNew begins an output whose rows do not come from a List, but from a reader of
// their own with this schema. Its format is what its name tells, text for standard
// output; nothing is filled, and Rows stays nil. Every Output needs a Commit or a
// Discard.
func CreateNew(schema table.Schema, request Request) (*Output, error) {
	return create(request, Standard, text{}, func(o *Output, format format, name string) error {
		return o.take(format.encode(o.packed, name, schema, request.Appended))
	})
}

// create begins the file of an output, and has open make its writer, by its format and the
// name that tells it. For standard output these are given.
func create(request Request, name string, format format, open func(o *Output, format format, name string) error) (*Output, error) {
	o := &Output{}
	out := request.Stdout
	if request.Path != Standard {
		name = request.Path
		var err error
		if format, err = formatOf(name); err != nil {
			return nil, err
		}
		if o.file, err = atomicfile.Create(name); err != nil {
			return nil, err
		}
		out = o.file
	}
	var err error
	if o.packed, err = textfile.NewWriter(out, name); err == nil { // the names of other formats say nothing of compression
		err = open(o, format, name)
	}
	if err != nil {
		o.Discard()
		return nil, err
	}
	return o, nil
}

// open makes the writer: one that carries over what nobody fills where the formats are
// the same.
func (o *Output) open(list *List, format format, name string, request Request) error {
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

// Commit writes what is left over and puts the file at its path, unless the list is not
// the one any more that was opened: then the rows may be of several lists.
func (o *Output) Commit() error {
	o.closed = true
	err := errors.Join(o.Writer.Close(), o.packed.Close())
	o.packed = nil
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
	if writer, ok := o.Writer.(table.Discarder); ok && !o.closed {
		o.closed = true
		writer.Discard()
	}
	if o.packed != nil {
		o.packed.Discard()
		o.packed = nil
	}
	if o.list != nil {
		_ = o.list.Close() // nothing was written to it
		o.list = nil
	}
	if o.file != nil {
		o.file.Discard()
	}
}
