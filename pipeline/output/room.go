// This file estimates how much room the files of a run need, so that a run for which there is not enough is refused before
// it spends anything.

package output

import (
	"path/filepath"

	"payonce/io/atomicfile"
	"payonce/io/listfile"
)

// Expected says how many rows the files of a run will have.
type Expected struct {
	Rows     int64
	Answered int64 // may get values
	Rejected int64 // are known to be in the file of rejects
}

// tableBytes is about how many bytes a company has at most in a table, by the format.
func tableBytes(format string) int64 {
	if format == "csv" {
		return 4 << 10
	}
	return 2 << 10
}

// Needs returns about how much room the files of the request need, each in its directory. A file is written beside the one
// that it replaces. An earlier version that is kept is a link to what is there, so it needs no more.
func (r Request) Needs(expected Expected) ([]atomicfile.Needed, error) {
	schema, err := r.List.Schema()
	if err != nil {
		return nil, err
	}
	out, rejects := r.requests(schema)
	all := listfile.Part{Rows: expected.Rows, Of: expected.Rows, Answered: expected.Answered, Columns: len(schema.Columns)}
	var needs []atomicfile.Needed
	add := func(request listfile.Request, part listfile.Part) {
		if request.Path == listfile.Standard || err != nil {
			return
		}
		size, sizeErr := r.List.SizeOf(request.Path, part, request.Appended)
		needs, err = append(needs, atomicfile.Needed{Dir: filepath.Dir(realPath(request.Path)), Bytes: size}), sizeErr
	}
	add(out, all)
	if rejects != nil {
		rejected := all
		rejected.Rows, rejected.Answered = expected.Rejected, expected.Rejected
		add(*rejects, rejected)
	}
	if r.NewValues != "" {
		columns := r.Output.newColumns(schema)
		add(listfile.Request{Path: r.NewValues, Appended: columns.appended}, listfile.Part{
			Rows: expected.Answered, Of: expected.Rows, Answered: expected.Answered, Columns: len(columns.own),
		})
	}
	for range r.Tables.Paths() {
		needs = append(needs, atomicfile.Needed{Dir: realPath(r.Tables.Dir), Bytes: expected.Answered * tableBytes(r.Tables.Format)})
	}
	return needs, err
}
