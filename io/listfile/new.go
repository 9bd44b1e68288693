package listfile

import (
	"io"

	"payonce/io/atomicfile"
	"payonce/io/table"
	"payonce/io/textfile"
)

// CreateNew begins an output whose rows do not come from a List, but from a reader of
// their own with this schema. Its format is what its name tells, text for standard
// output; nothing is filled, and Rows stays nil. Every Output needs a Commit or a
// Discard.
func CreateNew(schema table.Schema, request Request) (*Output, error) {
	o := &Output{}
	format := format(text{})
	var out io.Writer = request.Stdout
	if request.Path != Standard {
		var err error
		if format, err = formatOf(request.Path); err != nil {
			return nil, err
		}
		if o.file, err = atomicfile.Create(request.Path); err != nil {
			return nil, err
		}
		out = o.file
	}
	if err := o.encode(format, out, schema, request); err != nil {
		o.Discard()
		return nil, err
	}
	return o, nil
}

// encode makes the writer of rows of any reader.
func (o *Output) encode(format format, out io.Writer, schema table.Schema, request Request) (err error) {
	o.packed = nopCloser{out}
	if format == (text{}) {
		if o.packed, err = textfile.NewWriter(out, request.Path); err != nil {
			return err
		}
	}
	return o.take(format.encode(o.packed, request.Path, schema, request.Appended))
}
