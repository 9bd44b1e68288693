package listfile

import (
	"context"
	"errors"
	"io"

	"payonce/enrich"
	"payonce/io/table"
)

// CheckCells reads a list as the writer of an output does and writes nothing. It returns the error
// of the first row that the format cannot hold or that is damaged. The list was read before, for
// the columns that are filled; where the writer copies the cells of all rows, nothing is read again.
func CheckCells(ctx context.Context, list *List, request Request) (err error) {
	format, name := list.format, list.inputs[0].Name()
	if request.Path != Standard {
		name = request.Path
		if format, err = formatOf(name); err != nil {
			return err
		}
	}
	if format == list.format && (format == (text{}) || format == (objects{}) || !request.Some) {
		return nil
	}
	packed, err := NewTextWriter(io.Discard, "")
	if err != nil {
		return err
	}
	o := &Output{Rows: list, packed: packed}
	defer o.Discard()
	if err := o.open(list, format, name, request); err != nil {
		return err
	}
	reader, err := o.Rows.Open(nil)
	if err != nil {
		return err
	}
	err = table.Ordered(ctx, reader, o.checkPart(len(request.Appended)), func(_ table.Block, p table.Part) error {
		if !request.Some {
			return nil // WriteRow checked the cells, and encoding them takes longer
		}
		return o.Writer.Write(p)
	})
	return errors.Join(err, reader.Close())
}

// checkPart returns a function that adds the rows of a block to a part, without any answers.
func (o *Output) checkPart(appended int) func(table.Block) (table.Part, error) {
	none := make([]enrich.Cell, appended)
	return func(b table.Block) (table.Part, error) {
		p := o.Writer.Part(b)
		return p, b.Each(func(row table.Row) error { return p.WriteRow(row, nil, none) })
	}
}

// IsText reports whether the name of a file stands for delimited text, which holds every list.
func IsText(path string) bool {
	format, err := formatOf(path)
	return err == nil && format == (text{})
}
