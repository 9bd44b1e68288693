package listfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"payonce/io/atomicfile"
	"payonce/io/csvtable"
	"payonce/io/table"
)

// Output is a list that is being written. Its file appears whole or not at all. Standard output has
// no such guarantee.
type Output struct {
	Writer table.Writer
	// Rows is the list as the writer needs it to be read.
	Rows *List

	file   *atomicfile.File // nil for standard output
	format format           // of the file
	packed TextWriter       // below the writer; nil after its end
	list   io.Closer        // the list that the writer reads; nil for none
	closed bool             // the writer is closed
	fault  error            // that Finish found
}

// Request says what to write.
type Request struct {
	Path     string // "-" for Stdout
	Stdout   io.Writer
	Filled   []int          // columns of the list with filled cells
	Appended []table.Column // behind those of the list
	Some     bool           // not all rows of the list are written
	Mode     fs.FileMode    // of a new file; zero for 0600
	// Raw writes values to delimited text as they are, also those that a spreadsheet takes for formulas. Without it
	// they are escaped, as table.EscapeFormula does. The cells of a List are never escaped.
	Raw bool

	delimiter byte // of new text; 0 for a comma
}

// Create starts the output of a list. The name gives its format; standard output has the format of
// the list. Every Output needs a Commit or a Discard.
func Create(list *List, request Request) (*Output, error) {
	name := list.inputs[0].Name()
	return create(request, name, list.format, func(o *Output, format format, name string) error {
		o.Rows = list
		return o.open(list, format, name, request)
	})
}

// CreateNew starts an output of rows that do not come from a List. They have this schema, none of
// their cells are filled, and Rows is nil. The name gives the format; standard output gets text.
// Every Output needs a Commit or a Discard.
func CreateNew(schema table.Schema, request Request) (*Output, error) {
	return create(request, Standard, text{}, func(o *Output, format format, name string) error {
		return o.take(format.encode(o.packed, name, schema, request, true))
	})
}

// CreateColumns starts an output of some columns of a list, of which the rows are encoded. They have this schema. Text
// has the delimiter of the list. Rows is nil. Every Output needs a Commit or a Discard.
func CreateColumns(list *List, schema table.Schema, request Request) (*Output, error) {
	reader, err := list.Open([]int{})
	if err != nil {
		return nil, err
	}
	if lines, ok := reader.(*csvtable.Reader); ok {
		request.delimiter = lines.Dialect().Delimiter
	}
	if err := reader.Close(); err != nil {
		return nil, err
	}
	return create(request, list.inputs[0].Name(), text{}, func(o *Output, format format, name string) error {
		return o.take(format.encode(o.packed, name, schema, request, false))
	})
}

// create starts the file of an output and calls open to make its writer. For standard output it
// uses the given name and format, otherwise those of the path.
func create(
	request Request, name string, format format, open func(o *Output, format format, name string) error,
) (*Output, error) {
	o := &Output{}
	out := request.Stdout
	if request.Path != Standard {
		ofList := endingOf(name)
		name = request.Path
		var err error
		if format, err = formatOf(name); err == nil {
			err = checkEnding(name, ofList)
		}
		if err != nil {
			return nil, err
		}
		o.format = format
		if o.file, err = atomicfile.Create(name, request.Mode); err != nil {
			return nil, err
		}
		out = o.file
	}
	var err error
	if o.packed, err = NewTextWriter(out, name); err == nil { // only names of text ask for compression
		err = open(o, format, name)
	}
	if err != nil {
		o.Discard()
		return nil, err
	}
	return o, nil
}

// open makes the writer. If the formats are the same, it copies the cells that are not filled.
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
	return o.take(format.encode(o.packed, name, reader.Schema(), request, false))
}

// take keeps the writer, unless there is an error.
func (o *Output) take(writer table.Writer, err error) error {
	if err == nil {
		o.Writer = writer
	}
	return err
}

// Finish writes the rest of the list and checks what was written, and does not put the file at its
// path yet. It returns ErrChanged when the list changed after it was opened, because the rows may
// then be of two lists.
func (o *Output) Finish() error {
	if !o.closed {
		o.closed = true
		o.fault = o.finish()
	}
	return o.fault
}

func (o *Output) finish() error {
	err := errors.Join(o.Writer.Close(), o.packed.Close())
	o.packed = nil
	if o.Rows != nil { // nil after CreateNew
		err = errors.Join(err, o.Rows.unchanged())
	}
	if err != nil || o.file == nil {
		return err
	}
	if err := o.format.verify(o.file, o.file.Size()); err != nil {
		return fmt.Errorf("the new file was read back and is wrong, so it was not put in place: %w", err)
	}
	return nil
}

// Commit finishes the output and puts the file at its path.
func (o *Output) Commit() error {
	if err := o.Finish(); err != nil || o.file == nil {
		return err
	}
	return o.file.Commit()
}

// File returns the file that is being written, and nil for standard output.
func (o *Output) File() *atomicfile.File { return o.file }

// Discard ends the output without a file. After Commit it only closes the list that was read.
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
