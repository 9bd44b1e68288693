// This file opens the list that a user names. Every error of reading it is one of usage.

package columns

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline/problem"
)

// UserList is the user's list.
type UserList struct {
	*listfile.List
	Names []string // as the user named it
	Paths []string // absolute; none for standard input
}

// OpenList opens the list of some names: files, patterns, or listfile.Standard. The caller must close it.
func OpenList(options listfile.Options, names ...string) (*UserList, error) {
	if err := options.Check(); err != nil {
		return nil, problem.AsUsage(err)
	}
	list, err := listfile.New(options, names...)
	if err != nil {
		return nil, AsListUsage(err)
	}
	paths, err := list.Paths()
	if err != nil {
		return nil, problem.AsUsage(errors.Join(err, list.Close()))
	}
	return &UserList{list, names, paths}, nil
}

// Open opens the list for one pass.
func (l *UserList) Open(columns []int) (table.Reader, error) {
	reader, err := l.List.Open(columns)
	if err != nil {
		return nil, AsListUsage(err)
	}
	return passReader{reader}, nil
}

// Schema reads the names of the columns.
func (l *UserList) Schema() (table.Schema, error) {
	schema, err := l.List.Schema()
	if err == nil {
		err = checkColumns(l.Title(), schema)
	}
	return schema, AsListUsage(err)
}

// checkColumns refuses a list without columns: only the objects of JSON tell them.
func checkColumns(title string, schema table.Schema) error {
	if len(schema.Columns) > 0 {
		return nil
	}
	return fmt.Errorf("%s: the list has no objects; a list is an array of objects, or has one object on each line", title)
}

// Title names the list for a person and for the journal.
func (l *UserList) Title() string {
	if len(l.Paths) == 0 {
		return listfile.Standard
	}
	return strings.Join(l.Paths, ", ")
}

// passReader makes every error of a pass one of usage.
type passReader struct{ table.Reader }

func (r passReader) Next() (table.Block, error) {
	block, err := r.Reader.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		err = AsListUsage(err)
	}
	return block, err
}

// Error is an error of a list that does not say where in the list it is.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *Error) Unwrap() error { return e.Err }

// AsListUsage makes an error of a list one of usage, unless it says where in the list it is.
func AsListUsage(err error) error {
	var list *table.Error
	if err == nil || errors.As(err, &list) {
		return err
	}
	return problem.AsUsage(&Error{err})
}

// Look reads the names of the columns, and what the first rows hold.
func (l *UserList) Look() (table.Schema, Sample, error) {
	reader, err := l.Whole().Open(nil)
	if err != nil {
		return table.Schema{}, nil, AsListUsage(err)
	}
	schema := reader.Schema()
	sample := Take(reader, nil)
	return schema, sample, AsListUsage(errors.Join(checkColumns(l.Title(), schema), reader.Close()))
}
