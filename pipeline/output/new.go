package output

import (
	"context"
	"errors"

	"payonce/enrich"
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
	width := len(rows.Schema().Columns)
	defer files.Discard()
	writer := files.Out()
	err = table.Ordered(ctx, rows, func(block table.Block) (table.Part, error) {
		part := writer.Part(block)
		return part, block.Each(func(row table.Row) error {
			if r.Kinds == nil {
				return part.WriteRow(row, nil, nil)
			}
			values := make([]enrich.Cell, width)
			for i := range values {
				if text := string(row.Cell(i)); r.Kinds[i] == enrich.TextCell {
					values[i] = enrich.Cell{Known: true, Text: text}
				} else {
					values[i] = enrich.CellFrom(r.Kinds[i], text)
				}
			}
			return part.WriteRow(row, nil, values)
		})
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
	request := listfile.Request{Path: r.Path, Stdout: r.Stdout, Mode: r.Mode, Raw: r.Raw}
	written := schema
	if r.Kinds != nil {
		written = table.Schema{}
		for i, name := range schema.Columns {
			request.Appended = append(request.Appended, table.Column{Name: name, Kind: r.Kinds[i]})
		}
	}
	out, err := listfile.CreateNew(written, request)
	if err != nil {
		return nil, err
	}
	files := &Files{out: out, list: &listfile.List{}}
	if !r.Remade {
		files.columns = schema.Columns
	}
	return files, nil
}
