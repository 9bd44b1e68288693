package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/io/csvtable"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/io/textfile"
)

// listFile is the user's list, with every error of reading it one of usage.
type listFile struct {
	*listfile.List
	names []string // as the user named it
	paths []string // absolute; none for standard input
}

// openList opens the list of an order. It is closed with the session.
func (s *session) openList(order List) (*listFile, error) {
	encoding := csvtable.Encoding("")
	if order.Encoding != "" {
		var err error
		if encoding, err = csvtable.ParseEncoding(order.Encoding); err != nil {
			return nil, problem.AsUsage(err)
		}
	}
	options := listfile.Options{Encoding: encoding, Sheet: order.Sheet, HeaderRow: order.HeaderRow, TempDir: order.TempDir}
	if slices.Contains(order.Names, listfile.Standard) {
		options.Stdin = order.Stdin()
	}
	list, err := listfile.New(options, order.Names...)
	if err != nil {
		return nil, asListError(err)
	}
	s.lists = append(s.lists, list)
	paths, err := list.Paths()
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	return &listFile{list, order.Names, paths}, nil
}

// Open opens the list for one pass.
func (l *listFile) Open(columns []int) (table.Reader, error) {
	reader, err := l.List.Open(columns)
	if err != nil {
		return nil, asListError(err)
	}
	return listReader{reader}, nil
}

// Schema reads the names of the columns.
func (l *listFile) Schema() (table.Schema, error) {
	schema, err := l.List.Schema()
	return schema, asListError(err)
}

// title names the list for a person and for the journal.
func (l *listFile) title() string {
	if len(l.paths) == 0 {
		return listfile.Standard
	}
	return strings.Join(l.paths, ", ")
}

// recordIn notes in the record of a run where its list is.
func (l *listFile) recordIn(run *checkpoint.Run) {
	run.List = l.title()
	if len(l.paths) > 1 {
		run.Files = l.paths
	}
}

// namesOf returns what openList takes for the list of a recorded run.
func namesOf(run checkpoint.Run) ([]string, error) {
	switch {
	case run.List == listfile.Standard:
		return nil, problem.Usagef("the list of run %s came from standard input, which is gone: run the same command again with it", run.Name)
	case len(run.Files) > 0:
		return run.Files, nil
	}
	return []string{run.List}, nil
}

// listReader makes every error of a pass one of usage.
type listReader struct{ table.Reader }

func (r listReader) Next() (table.Block, error) {
	block, err := r.Reader.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		err = asListError(err)
	}
	return block, err
}

func asListError(err error) error {
	var list *table.Error
	if err == nil || errors.As(err, &list) {
		return err
	}
	return problem.AsUsage(err)
}

// runName returns the name by which a run is known when the user gives none: from the
// list's place and the wanted fields, so that the same command resumes. What comes
// from standard input has no place, but its content.
func runName(list *listFile, fields enrich.Fields) (string, error) {
	base, mark := "stdin", ""
	if len(list.paths) > 0 {
		base = filepath.Base(textfile.TrimCompression(list.paths[0]))
		base = report.Printable(strings.TrimSuffix(base, filepath.Ext(base)))
		place := sha256.Sum256([]byte(strings.Join(list.paths, "\n")))
		mark = hex.EncodeToString(place[:3])
	} else {
		sum, err := list.Sum()
		if err != nil {
			return "", problem.AsUsage(err)
		}
		mark = sum[:12]
	}
	return fmt.Sprintf("%s-%s-%s", base, strings.ReplaceAll(report.FieldNames(fields), ",", "-"), mark), nil
}
