package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"payonce/io/atomicfile"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/io/textfile"
	"payonce/pipeline/output"
	"payonce/pipeline/row"
	"payonce/pipeline/survey"
)

// outputName puts .enriched before the ending of the list's name. A list of several
// files has no name of its own; one from standard input goes to standard output.
func outputName(names []string) (string, error) {
	switch {
	case len(names) > 1:
		return "", usagef("where to? a list of several files needs -o FILE")
	case isPattern(names[0]):
		return "", usagef("where to? a pattern of files needs -o FILE")
	case names[0] == listfile.Standard:
		return listfile.Standard, nil
	}
	plain := textfile.TrimCompression(names[0])
	ending := filepath.Ext(plain) + names[0][len(plain):]
	return strings.TrimSuffix(names[0], ending) + ".enriched" + ending, nil
}

// isPattern reports whether a name stands for the files that fit it, and not for the one
// that has it.
func isPattern(name string) bool {
	_, err := os.Lstat(name)
	return strings.ContainsAny(name, `*?[`) && errors.Is(err, fs.ErrNotExist)
}

// sourceFile is a file that a command must not overwrite, or a pattern of such files.
type sourceFile struct{ what, path string }

// sources returns what the command reads: the files of the list and those that its
// flags name.
func (s *settings) sources(list []string) []sourceFile {
	var sources []sourceFile
	for _, name := range list {
		files, _ := textfile.Expand(name) // opening the list tells what is wrong
		for _, file := range files {
			sources = append(sources, sourceFile{"the list itself", file.Path()})
		}
		if isPattern(name) {
			sources = append(sources, sourceFile{path: name})
		}
	}
	return append(sources, sourceFile{"the plan of --plan", s.planFile},
		sourceFile{"the configuration", s.config}, sourceFile{"the rate card", s.rateCard})
}

// checkTargets refuses an output or a file of rejects that cannot be written, or
// that is one of the sources.
func (s *settings) checkTargets(sources []sourceFile) error {
	if err := checkTarget("-o", s.output, sources); err != nil || s.rejects == "" {
		return err
	}
	if sameFile(s.rejects, s.output) {
		return usagef("--rejects and -o name the same file; choose two")
	}
	return checkTarget("--rejects", s.rejects, sources)
}

// checkTarget refuses a file that cannot be written, or that is one of the sources.
func checkTarget(flag, path string, sources []sourceFile) error {
	if path == listfile.Standard {
		return nil
	}
	if target, err := os.Stat(path); err == nil {
		for _, s := range sources {
			if source, err := os.Stat(s.path); err == nil && os.SameFile(source, target) {
				return usagef("%s %s is %s, which is never overwritten; choose another file", flag, path, s.what)
			}
		}
	}
	for _, s := range sources {
		if isPattern(s.path) && fits(s.path, path) {
			return usagef("%s %s fits %s and would be in the list next time; choose another name", flag, path, s.path)
		}
	}
	if err := atomicfile.CheckWritable(path); err != nil {
		return usagef("%s %s cannot be written: %w", flag, path, err)
	}
	return nil
}

// fits reports whether a pattern stands for a path, also where it is not there yet.
func fits(pattern, path string) bool {
	pattern, patternErr := filepath.Abs(pattern)
	path, pathErr := filepath.Abs(path)
	found, err := filepath.Match(pattern, path)
	return found && errors.Join(patternErr, pathErr, err) == nil
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

// placeOf names the file of an output for a person.
func placeOf(path string) string {
	if path == listfile.Standard {
		return "the list on standard output"
	}
	return path
}

// rejectColumn is the column that a file of rejects gets.
var rejectColumn = table.Column{Name: "reject_reason"}

// outputFiles are the lists that a run writes.
type outputFiles struct {
	out, rejects *listfile.Output // rejects is nil when nobody wants it
}

// createOutputs begins the output of a run, and its rejects when there is a path.
func createOutputs(output output.Output, list *listFile, stdout io.Writer, path, rejectsPath string) (*outputFiles, error) {
	schema, err := list.Schema()
	if err != nil {
		return nil, err
	}
	files := &outputFiles{}
	files.out, err = listfile.Create(list.List, listfile.Request{
		Path: path, Stdout: stdout, Filled: output.Filled(), Appended: output.Columns(schema),
	})
	if err != nil {
		return nil, asListError(err)
	}
	if rejectsPath == "" {
		return files, nil
	}
	files.rejects, err = listfile.Create(list.List, listfile.Request{
		Path: rejectsPath, Stdout: stdout, Appended: []table.Column{rejectColumn}, Some: true,
	})
	if err != nil {
		files.discard()
		return nil, asListError(err)
	}
	return files, nil
}

// rows returns the list for the pass that writes it: with every column where a writer needs
// them all, and without looking for faults, of which the pass that found out about the rows
// has seen that there are none.
func (f *outputFiles) rows(list *listFile) *listFile {
	rows := f.out.Rows
	if f.rejects != nil && f.rejects.Rows != list.List {
		rows = f.rejects.Rows
	}
	return &listFile{rows.Checked(), list.names, list.paths}
}

// checkOutputs refuses outputs that their formats cannot hold, before anything is
// spent: it begins them and discards them.
func (j *job) checkOutputs() error {
	files, err := createOutputs(j.outputOf(nil), j.list, io.Discard, j.output, j.rejects)
	if err != nil {
		return err
	}
	files.discard()
	return nil
}

// checkRows refuses an output that cannot have as many rows as the list.
func (j *job) checkRows() error {
	return asUsage(listfile.CheckRows(j.output, j.survey.Rows))
}

// keepStandardOutput leaves standard output to the list or the rejects that are written
// to it: what is told goes to standard error.
func (s *session) keepStandardOutput() error {
	flag := "-o"
	switch listfile.Standard {
	case s.output:
	case s.rejects:
		flag = "--rejects"
	default:
		return nil
	}
	if s.json {
		return usagef("--json and %s - both write to standard output; choose a file for one of them", flag)
	}
	s.env.stdout = s.env.stderr
	return nil
}

// commit puts the files in their places, the output last: where that is, all is.
func (f *outputFiles) commit() error {
	if f.rejects != nil {
		if err := f.rejects.Commit(); err != nil {
			return err
		}
	}
	return f.out.Commit()
}

func (f *outputFiles) discard() {
	f.out.Discard()
	if f.rejects != nil {
		f.rejects.Discard()
	}
}

// writeOutput writes the output of a run, and its rejects when a path is given.
func (s *session) writeOutput(ctx context.Context, output output.Output, list *listFile) (map[row.Status]int64, error) {
	files, err := createOutputs(output, list, s.listOut, s.output, s.rejects)
	if err != nil {
		return nil, err
	}
	defer files.discard()
	var rejects table.Writer
	if files.rejects != nil {
		rejects = files.rejects.Writer
	}
	roster, err := s.callRoll(ctx, output.Scope, list)
	if err != nil {
		return nil, err
	}
	rows, err := output.Write(ctx, files.rows(list), roster, s.journal, files.out.Writer, rejects)
	if err = errors.Join(err, roster.Close()); err == nil {
		err = files.commit()
	}
	return rows, err
}

// callRoll finds out who the rows of a list are about.
func (s *session) callRoll(ctx context.Context, scope row.Scope, list *listFile) (*survey.Index, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(surveyGCPercent))
	return survey.NewIndex(ctx, scope, list, s.journal)
}

// writeWhole writes the output, after an interrupt too, which gets an answer.
func (j *job) writeWhole(ctx context.Context, output output.Output) (map[row.Status]int64, error) {
	if ctx.Err() == nil {
		defer context.AfterFunc(ctx, func() {
			fmt.Fprintln(j.env.stderr, "batch: interrupted: all answers are recorded, and the output is being written; interrupt again to stop at once")
		})()
	}
	return j.writeOutput(context.WithoutCancel(ctx), output, j.list)
}
