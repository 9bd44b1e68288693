package output

import (
	"context"
	"errors"

	"payonce/io/listfile"
	"payonce/io/table"
)

// WriteNew writes a list whose rows do not come from another one, and puts it in its place. The values of all
// columns are wanted, unless they can be made again. It keeps a file that would be lost, and returns it. The
// request needs no Output and no List.
func WriteNew(ctx context.Context, r Request, rows table.Reader, p Protection) ([]KeptVersion, error) {
	files, err := createNew(r, rows.Schema())
	if err != nil {
		return nil, err
	}
	defer files.Discard()
	writer := files.Out()
	err = table.Ordered(ctx, rows, func(block table.Block) (table.Part, error) {
		part := writer.Part(block)
		return part, block.Each(func(row table.Row) error { return part.WriteRow(row, nil, nil) })
	}, func(_ table.Block, part table.Part) error { return writer.Write(part) })
	if err = errors.Join(err, rows.Close()); err != nil {
		return nil, err
	}
	return files.Commit(ctx, p)
}

// CheckNew returns the error that WriteNew would return before it writes a row. It leaves no file.
func CheckNew(r Request, schema table.Schema) error {
	files, err := createNew(r, schema)
	if err == nil {
		files.Discard()
	}
	return err
}

func createNew(r Request, schema table.Schema) (*Files, error) {
	out, err := listfile.CreateNew(schema, listfile.Request{Path: r.Path, Stdout: r.Stdout, Mode: r.Mode, Raw: r.Raw})
	if err != nil {
		return nil, err
	}
	files := &Files{out: out, list: &listfile.List{}}
	if !r.Remade {
		files.columns = schema.Columns
	}
	return files, nil
}
