// This file writes the files of a run: the list with its answers, and the rows that could not be looked up. It
// checks before the first paid call that the formats can hold the list, and whether the files are in their places
// as they would be written.

package output

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline/scan"
)

// Request says what is written and where.
type Request struct {
	Output  Sequence
	List    *listfile.List
	Path    string // listfile.Standard for Stdout
	Rejects string // "" for nowhere
	// NewValues is the file of rows with new values; "" for nowhere.
	NewValues string
	Stdout    io.Writer
	Mode      fs.FileMode // of a new file; zero for 0600
	Tables    Tables
	// Raw writes values to delimited text as they are, also those that a spreadsheet takes for formulas.
	Raw bool
	// Remade says that the values of an earlier file can be written again: it is kept only where somebody edited
	// it. WriteNew alone looks at it.
	Remade bool
	// Kinds are those of the values of a new list, in the order of its columns; nil for texts. WriteNew alone looks at
	// it.
	Kinds []enrich.CellKind
}

// Files names the files of the request without its tables.
func (r Request) Files() []Source { return filesOf(r.Path, r.Rejects, r.NewValues) }

// Files are the lists that a run writes.
type Files struct {
	out, rejects *listfile.Output // rejects is nil when it is not wanted
	added        *listfile.Output // the rows with new values; nil when they are not wanted
	addedRows    *NewWriter       // of added
	tables       *tableFiles      // nil when they are not wanted
	list         *listfile.List
	columns      []string // of out that hold wanted values
}

// rejectColumn is the column that a file of rejects gets.
func rejectColumn() table.Column { return table.Column{Name: "reject_reason"} }

// requests returns how the files are written. The second one is nil without rejects.
func (r Request) requests(schema table.Schema) (out listfile.Request, rejects *listfile.Request) {
	out = listfile.Request{
		Path: r.Path, Stdout: r.Stdout, Mode: r.Mode, Raw: r.Raw, Filled: r.Output.Filled(), Appended: r.Output.Columns(schema),
	}
	if r.Rejects != "" {
		rejects = &listfile.Request{
			Path: r.Rejects, Stdout: r.Stdout, Mode: r.Mode, Raw: r.Raw, Appended: []table.Column{rejectColumn()}, Some: true,
		}
	}
	return out, rejects
}

// Create starts the files, without those of tables. Every Files needs a Commit or a Discard.
func Create(r Request) (*Files, error) {
	schema, err := r.List.Schema()
	if err != nil {
		return nil, err
	}
	out, rejects := r.requests(schema)
	files := &Files{list: r.List, columns: r.Output.ValueColumns(schema)}
	if r.Tables.Dir != "" {
		files.tables = &tableFiles{Tables: r.Tables, mode: r.Mode, raw: r.Raw, decided: NewDecidedAnswers(r.Tables.Steps)}
	}
	if files.out, err = listfile.Create(r.List, out); err != nil {
		return nil, err
	}
	if rejects != nil {
		files.rejects, err = listfile.Create(r.List, *rejects)
	}
	if err == nil && r.NewValues != "" {
		err = files.createNewValues(r, schema)
	}
	if err != nil {
		files.Discard()
		return nil, err
	}
	return files, nil
}

// createNewValues starts the file of rows with new values.
func (f *Files) createNewValues(r Request, schema table.Schema) (err error) {
	layout := r.Output.newColumns(schema)
	f.added, err = listfile.CreateColumns(r.List, layout.schema, listfile.Request{
		Path: r.NewValues, Stdout: r.Stdout, Mode: r.Mode, Raw: r.Raw, Filled: layout.filled, Appended: layout.appended, Some: true,
	})
	if err == nil {
		f.addedRows = &NewWriter{Writer: f.added.Writer, newColumns: layout}
	}
	return err
}

// CheckCreate returns the error that Create or WriteTables would return. It leaves no file. ErrNoTables says that
// there are no tables to write.
func CheckCreate(r Request) error {
	if err := r.Tables.check(); err != nil {
		return err
	}
	r.Stdout = io.Discard
	files, err := Create(r)
	if err != nil {
		return err
	}
	files.Discard()
	return nil
}

// CheckCells reads the list as the writers of the files do. It returns the first cell that a format
// cannot hold, and the first damage.
func CheckCells(ctx context.Context, r Request) error {
	schema, err := r.List.Schema()
	if err != nil {
		return err
	}
	out, rejects := r.requests(schema)
	if err := listfile.CheckCells(ctx, r.List, out); err != nil || rejects == nil {
		return err
	}
	return listfile.CheckCells(ctx, r.List, *rejects)
}

// Rows returns the list for the pass that writes it: with every column where a writer needs them
// all. It does not look for faults, because an earlier pass found none.
func (f *Files) Rows() *listfile.List {
	rows := f.out.Rows
	if f.rejects != nil && f.rejects.Rows != f.list {
		rows = f.rejects.Rows
	}
	return rows.Checked()
}

// Out returns the writer of all rows.
func (f *Files) Out() table.Writer { return f.out.Writer }

// Rejects returns the writer of the rows that could not be looked up, and nil without them.
func (f *Files) Rejects() table.Writer {
	if f.rejects == nil {
		return nil
	}
	return f.rejects.Writer
}

// Writers returns the writers of all lists.
func (f *Files) Writers() Writers {
	return Writers{Out: f.Out(), Rejects: f.Rejects(), New: f.addedRows}
}

// NewValues returns what was written to the file of rows with new values, nil without one.
func (f *Files) NewValues() *WrittenNew {
	if f.added == nil {
		return nil
	}
	path := listfile.Standard
	if file := f.added.File(); file != nil {
		path = file.Target()
	}
	return &WrittenNew{path, f.addedRows.Count}
}

// Decided returns what gets the attempts that decided fields in a step, for the tables: Output.Decided of
// the step. It is nil without tables.
func (f *Files) Decided(step int) func(of enrich.Field, id attempt.ID) {
	if f.tables == nil {
		return nil
	}
	return func(of enrich.Field, id attempt.ID) { f.tables.decided.Add(step, of, id) }
}

// WriteTables writes the tables, after the output got all rows. Without tables it returns nil.
func (f *Files) WriteTables(ctx context.Context) (*TablesWritten, error) {
	if f.tables == nil {
		return nil, nil
	}
	return f.tables.write(ctx)
}

// Commit puts the files in their places, the output last: when it is there, all are. It keeps files
// that would be lost, and returns them.
func (f *Files) Commit(ctx context.Context, p Protection) (kept []KeptVersion, err error) {
	for _, file := range f.all() {
		if err := file.Finish(); err != nil {
			return nil, err
		}
	}
	for _, file := range f.all() {
		if file.File() == nil { // standard output
			if err := file.Commit(); err != nil {
				return kept, err
			}
			continue
		}
		r, err := f.replacement(file, p)
		if err != nil {
			return kept, err
		}
		one, err := r.keep(ctx)
		if err != nil {
			return kept, err
		}
		if one != nil {
			kept = append(kept, *one)
		}
		if err := file.Commit(); err != nil {
			return kept, err
		}
		if err := r.record(); err != nil {
			return kept, err
		}
	}
	return kept, nil
}

// replacement returns how a finished file replaces another one.
func (f *Files) replacement(file *listfile.Output, p Protection) (r *replacement, err error) {
	r = &replacement{Protection: p, file: file.File(), list: f.list}
	switch file {
	case f.out:
		r.columns = f.columns
	case f.added:
		r.columns, r.Outcomes = f.addedRows.valueColumns(), f.addedRows.Count.recorded()
	}
	if f.tables == nil {
		return r, nil
	}
	r.unread, r.firstUnread = f.tables.written.Unread, f.tables.written.First
	for _, t := range f.tables.files {
		if file == t.Output {
			r.columns, r.Rows, r.Outcomes = []string{t.key}, t.rows, map[string]int64{record.TableRows: t.rows}
			r.list, err = t.list()
		}
	}
	return r, err
}

// all returns the files in the order in which they are put in place.
func (f *Files) all() (files []*listfile.Output) {
	if f.tables != nil {
		for _, t := range f.tables.files {
			files = append(files, t.Output)
		}
	}
	if f.rejects != nil {
		files = append(files, f.rejects)
	}
	if f.added != nil {
		files = append(files, f.added)
	}
	return append(files, f.out)
}

// Discard ends the files without putting them in their places. After Commit it only closes the list.
func (f *Files) Discard() {
	for _, file := range f.all() {
		file.Discard()
	}
}

// AsText returns the request with text in place of formats that cannot hold every value, after
// writing failed. It returns false when there is no such format, or when another list would be written.
func (r Request) AsText(failed error) (Request, bool) {
	if errors.Is(failed, listfile.ErrChanged) || errors.Is(failed, scan.ErrListChanged) || errors.Is(failed, context.Canceled) {
		return r, false
	}
	changed := false
	for _, path := range []*string{&r.Path, &r.Rejects, &r.NewValues} {
		if *path != "" && *path != listfile.Standard && !listfile.IsText(*path) {
			*path += ".csv"
			changed = true
		}
	}
	return r, changed
}
