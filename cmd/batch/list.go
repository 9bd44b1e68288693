package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"payonce/enrich"
	"payonce/io/atomicfile"
	"payonce/io/csvtable"
	"payonce/io/table"
	"payonce/pipeline"
)

// listFile is the user's list. It is read several times, and must be the same
// file each time.
type listFile struct {
	path    string // absolute
	ctx     context.Context
	size    int64
	changed time.Time
}

// openList checks that there is a list at path. Reading it ends when ctx does.
func openList(ctx context.Context, path string) (*listFile, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, usageError{err}
	}
	info, err := os.Stat(absolute)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, usagef("there is no list %s", path)
	case err != nil:
		return nil, usageError{err}
	case info.IsDir():
		return nil, usagef("%s is a directory; give the file of the list", path)
	}
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".parquet", ".xlsx", ".xls", ".gz", ".zst", ".json":
		return nil, usagef("%s: lists of the kind %s are not supported; export the list as CSV", path, ending)
	}
	return &listFile{path: absolute, ctx: ctx, size: info.Size(), changed: info.ModTime()}, nil
}

// Open opens the list for one pass.
func (l *listFile) Open() (table.Reader, error) {
	info, err := os.Stat(l.path)
	if err != nil {
		return nil, usageError{err}
	}
	if info.Size() != l.size || !info.ModTime().Equal(l.changed) {
		return nil, pipeline.ErrListChanged
	}
	reader, err := csvtable.Open(l.path)
	if err != nil {
		return nil, asListError(err)
	}
	return &listReader{Reader: reader, ctx: l.ctx}, nil
}

// withoutCancel returns the list for a pass that an interrupt does not end.
func (l *listFile) withoutCancel() *listFile {
	other := *l
	other.ctx = context.WithoutCancel(l.ctx)
	return &other
}

// schema reads the header.
func (l *listFile) schema() (table.Schema, error) {
	reader, err := l.Open()
	if err != nil {
		return table.Schema{}, err
	}
	return reader.Schema(), reader.Close()
}

// listReader ends a pass when its context ends.
type listReader struct {
	*csvtable.Reader
	ctx context.Context
}

func (r *listReader) Next() (table.Row, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	row, err := r.Reader.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		err = asListError(err)
	}
	return row, err
}

// asListError makes every error of reading the list one of usage.
func asListError(err error) error {
	var list *table.Error
	if errors.As(err, &list) {
		return err
	}
	return usageError{err}
}

// runName returns the name by which a run is known when the user gives none: from
// the list's place and the wanted fields, so that the same command resumes.
func runName(path string, fields enrich.Fields) string {
	place := sha256.Sum256([]byte(path))
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	wanted := fieldsValue(fields)
	return fmt.Sprintf("%s-%s-%s", base, strings.ReplaceAll(wanted.String(), ",", "-"), hex.EncodeToString(place[:3]))
}

// outputName puts .enriched before the ending of the list's name.
func outputName(list string) string {
	ending := filepath.Ext(list)
	return strings.TrimSuffix(list, ending) + ".enriched" + ending
}

// checkTarget refuses a file that cannot be written, or that is the list itself.
func checkTarget(flag, path, list string) error {
	target, err := os.Stat(path)
	if err == nil {
		if source, err := os.Stat(list); err == nil && os.SameFile(source, target) {
			return usagef("%s %s is the list itself, which is never overwritten; choose another file", flag, path)
		}
	}
	if err := atomicfile.CheckWritable(path); err != nil {
		return usagef("%s %s cannot be written: %w", flag, path, err)
	}
	return nil
}

// sameFile reports whether two paths name one file, there already or not.
func sameFile(a, b string) bool {
	return realPath(a) == realPath(b)
}

// realPath returns the absolute path without links, as far as it is there.
func realPath(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// outputFile is a list being written: it appears whole or not at all.
type outputFile struct {
	file   *atomicfile.File
	writer table.Writer
}

func createOutput(path string, list *listFile, appended []string) (*outputFile, error) {
	reader, err := csvtable.Open(list.path)
	if err != nil {
		return nil, asListError(err)
	}
	defer reader.Close()
	file, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	return &outputFile{file: file, writer: csvtable.NewWriter(file, reader, appended)}, nil
}

func (o *outputFile) commit() error {
	if err := o.writer.Close(); err != nil {
		return err
	}
	return o.file.Commit()
}

// writeOutput writes the output of a run, and its rejects when a path is given.
func writeOutput(output pipeline.Output, list *listFile, survey *pipeline.Survey, answers pipeline.Answers, path, rejectsPath string) (rows map[pipeline.Status]int64, err error) {
	list = list.withoutCancel()
	schema, err := list.schema()
	if err != nil {
		return nil, err
	}
	out, err := createOutput(path, list, output.Columns(schema))
	if err != nil {
		return nil, err
	}
	defer out.file.Discard()
	if rejectsPath == "" {
		rows, err = output.Write(list, survey, answers, out.writer, nil)
		return rows, errors.Join(err, commitIf(err, out))
	}
	rejects, err := createOutput(rejectsPath, list, []string{"reject_reason"})
	if err != nil {
		return nil, err
	}
	defer rejects.file.Discard()
	rows, err = output.Write(list, survey, answers, out.writer, rejects.writer)
	return rows, errors.Join(err, commitIf(err, out, rejects))
}

func commitIf(err error, files ...*outputFile) error {
	for _, file := range files {
		if err == nil {
			err = file.commit()
		}
	}
	return err
}
