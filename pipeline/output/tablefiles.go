package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"payonce/checkpoint/record"
	"payonce/io/atomicfile"
	"payonce/io/listfile"
	"payonce/io/table"
)

// Tables says where the tables of a run are written: each in a file of its name.
type Tables struct {
	Dir    string // "" for nowhere; its parent has to exist
	Format string // one of tableFormats
	Steps  TableSteps
}

// tableFormats returns the formats of tables, which are the endings of their files. The first one is the default.
func tableFormats() []string { return []string{"parquet", "csv"} }

// ErrNoTables says that no wanted field has tables.
var ErrNoTables = errors.New("no wanted field has tables")

// Paths returns the files of the tables, none without a directory.
func (t Tables) Paths() (paths []string) {
	if t.Dir == "" {
		return nil
	}
	for _, one := range t.Steps.Tables() {
		paths = append(paths, t.path(one.Name))
	}
	return paths
}

func (t Tables) path(name string) string { return filepath.Join(t.Dir, name+"."+t.Format) }

// check returns an error when the tables cannot be written. It leaves no file.
func (t Tables) check() error {
	if t.Dir == "" {
		return nil
	}
	paths := t.Paths()
	if len(paths) == 0 {
		return ErrNoTables
	}
	if !slices.Contains(tableFormats(), t.Format) {
		return fmt.Errorf("%q is not a format of tables; choose %s", t.Format, strings.Join(tableFormats(), " or "))
	}
	info, err := os.Stat(t.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// A file in its place could be created, so the directory can be, too.
		return atomicfile.CheckWritable(filepath.Clean(t.Dir))
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory, and the tables are files in one", t.Dir)
	}
	for _, path := range paths {
		if err := atomicfile.CheckWritable(path); err != nil {
			return err
		}
	}
	return nil
}

// tableFiles are the tables that are being written.
type tableFiles struct {
	Tables
	mode    fs.FileMode
	raw     bool
	decided *DecidedAnswers
	files   []*tableFile
	written TablesWritten // nothing before write
}

// tableFile is the file of a table.
type tableFile struct {
	*listfile.Output
	key  string // the column that names the subjects
	rows int64
}

// Create starts the file of a table.
func (t *tableFiles) Create(name string, columns []table.Column) (table.Writer, error) {
	file, err := listfile.CreateNew(table.Schema{}, listfile.Request{Path: t.path(name), Mode: t.mode, Raw: t.raw, Appended: columns})
	if err != nil {
		return nil, err
	}
	t.files = append(t.files, &tableFile{Output: file, key: columns[0].Name})
	return file.Writer, nil
}

// write writes the tables, and creates their directory.
func (t *tableFiles) write(ctx context.Context) (*TablesWritten, error) {
	if err := makeDirectory(t.Dir, t.mode); err != nil {
		return nil, err
	}
	written, err := t.decided.Write(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("writing the tables to %s: %w", t.Dir, err)
	}
	t.written = t.view(written)
	return &t.written, nil
}

// makeDirectory creates a directory for files with a mode, unless it is there.
func makeDirectory(path string, ofFiles fs.FileMode) error {
	mode := cmp.Or(ofFiles, 0o600)
	mode |= mode & 0o444 >> 2 // who may read the files may look for them
	switch err := os.Mkdir(path, mode); {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return os.Chmod(path, mode) // the process may have another umask than its user
}

// TablesWritten are the tables that were written with an output.
type TablesWritten struct {
	Dir    string         `json:"directory"`
	Tables []TableWritten `json:"written"`
	// Unread counts values that could not be read. Their cells are empty.
	Unread int64        `json:"cells_not_read"`
	First  []UnreadCell `json:"first_cells_not_read,omitempty"`
}

// TableWritten is a table that was written.
type TableWritten struct {
	Name string `json:"name"`
	File string `json:"file"`
	Rows int64  `json:"rows"`
}

// UnreadCell is a value that could not be read.
type UnreadCell = record.UnreadCell

// view returns what was written.
func (t *tableFiles) view(written TablesSummary) TablesWritten {
	view := TablesWritten{Dir: t.Dir, Unread: written.Count}
	for i, file := range t.files {
		file.rows = written.Tables[i].Rows
		view.Tables = append(view.Tables, TableWritten{written.Tables[i].Name, file.File().Target(), file.rows})
	}
	for _, p := range written.Problems {
		view.First = append(view.First, UnreadCell{Company: p.Subject, Column: p.Path, Problem: "is not " + p.Want})
	}
	return view
}

// list returns the finished table as a list.
func (t *tableFile) list() (*listfile.List, error) {
	return listfile.New(listfile.Options{}, t.File().Pending())
}
