// This file reads what the journal has recorded of runs: their lists, their outputs, their names.

package pipeline

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// RecordedLists returns the lists of the runs in the journal.
func RecordedLists(journal *checkpoint.Journal) ([]output.Source, error) {
	runs, err := journal.Runs()
	if err != nil {
		return nil, err
	}
	var files []output.Source
	for _, run := range runs {
		if run.List == listfile.Standard || run.List == "" {
			continue
		}
		names, err := listNamesOf(run)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			files = append(files, output.Source{What: fmt.Sprintf("the list of the run %s", run.Name), Path: name})
		}
	}
	return files, nil
}

// RecordedOutputs returns what the runs in the journal wrote last.
func RecordedOutputs(journal *checkpoint.Journal) ([]output.Source, error) {
	runs, err := journal.Runs()
	if err != nil {
		return nil, err
	}
	var files []output.Source
	for _, run := range runs {
		if run.Output == "" {
			continue
		}
		files = append(files, output.Source{What: fmt.Sprintf("the output of the run %s", run.Name), Path: run.Output})
	}
	return files, nil
}

// FindRun returns the run of that name.
func FindRun(journal *checkpoint.Journal, name string) (checkpoint.Run, error) {
	run, found, err := journal.Run(name)
	if err == nil && !found {
		err = problem.Coded("no_such_run", "there is no run %q in this journal", name)
	}
	return run, err
}

// note notes in the record of a run what is asked of the list, and how it is read. Without a list only the former.
func (l List) note(run *checkpoint.Run, list *columns.UserList, read RecordedColumns) (err error) {
	if list == nil {
		l.noteAsked(run)
		return nil
	}
	run.Map, run.Columns, run.Header = l.Mapping, read.Columns, read.Header
	return l.Note(run, list.Paths)
}

// noteAsked notes what is asked of the list.
func (l List) noteAsked(run *checkpoint.Run) {
	run.Fields, run.From, run.Prefer = strings.Join(l.Fields, ","), l.From, l.Prefer.String()
	run.Limit, run.Priority, run.CompleteFirst = l.Limit, l.Priority, l.CompleteFirst
}

// Note notes in the record of a run what is asked of the list, and how its files are read, without its columns. A list
// from standard input has no paths.
func (l List) Note(run *checkpoint.Run, paths []string) (err error) {
	l.noteAsked(run)
	if l.Found != nil {
		run.People, run.Search = l.Found.People, l.Found.Search
	}
	run.List, run.Files = cmp.Or(strings.Join(paths, ", "), listfile.Standard), nil
	if len(paths) > 1 {
		run.Files = paths
	}
	run.Encoding, run.Delimiter, run.Sheet, run.HeaderRow = l.Encoding, l.Delimiter, l.Sheet, l.HeaderRow
	run.Held, run.CopyHeld, run.Resolve = l.Held.String(), l.CopyHeld, l.Resolve
	run.AcceptMismatch = l.AcceptMismatch
	l.noteFallback(run)
	run.Figures, run.Years = strings.Join(l.Figures, ","), yearsText(l.Years)
	run.Selected, err = output.AbsolutePath(l.Selected)
	return err
}

// recall returns what a recorded run asked of its list, and how it read it. How the list is read and what is selected
// in it can be given in place of what the run says.
func (l List) recall(run checkpoint.Run) (_ List, err error) {
	if l.Names, err = listNamesOf(run); err != nil {
		return l, err
	}
	l.Run, l.Fields, l.From, l.Prefer = run.Name, strings.Split(run.Fields, ","), run.From, Preferred(run.Prefer)
	l.Limit, l.Priority, l.CompleteFirst = run.Limit, run.Priority, run.CompleteFirst
	l.Encoding, l.Delimiter = cmp.Or(l.Encoding, run.Encoding), cmp.Or(l.Delimiter, run.Delimiter)
	l.Sheet, l.HeaderRow = cmp.Or(l.Sheet, run.Sheet), cmp.Or(l.HeaderRow, run.HeaderRow)
	l.Mapping, l.Recorded = run.Map, RecordedColumns{Columns: run.Columns, Header: run.Header, Fixed: true}
	l.CopyHeld, l.Resolve, l.Selected = run.CopyHeld, run.Resolve, cmp.Or(l.Selected, run.Selected)
	l.AcceptMismatch = l.AcceptMismatch || run.AcceptMismatch
	l.recallFallback(run)
	if l.Figures = nil; run.Figures != "" {
		l.Figures = strings.Split(run.Figures, ",")
	}
	if l.Years, err = yearsOf(run.Years); err != nil {
		return l, problem.AsUsage(err)
	}
	if l.Held, err = columns.ParseHeld(cmp.Or(run.Held, columns.HeldNone.String())); err != nil {
		err = problem.AsUsage(err)
	}
	return l, err
}

// noteFallback notes in the record of a run whether subjects are asked for by further identities.
func (l List) noteFallback(run *checkpoint.Run) {
	run.Fallback = l.Fallback
	run.FallbackOfPersons, run.FallbackChosen = l.Fallback && !l.OnlyCompaniesFallBack, l.Fallback && !l.FallbackByDefault
}

// recallFallback takes over what noteFallback noted.
func (l *List) recallFallback(run checkpoint.Run) {
	l.Fallback = run.Fallback
	l.OnlyCompaniesFallBack, l.FallbackByDefault = l.Fallback && !run.FallbackOfPersons, l.Fallback && !run.FallbackChosen
}

// yearsText returns years as the record of a run has them.
func yearsText(years []int) string {
	var texts []string
	for _, year := range years {
		texts = append(texts, strconv.Itoa(year))
	}
	return strings.Join(texts, ",")
}

// yearsOf returns the years that yearsText wrote.
func yearsOf(text string) (years []int, err error) {
	if text == "" {
		return nil, nil
	}
	for one := range strings.SplitSeq(text, ",") {
		year, err := strconv.Atoi(one)
		if err != nil {
			return nil, fmt.Errorf("the record of the run has the year %q", one)
		}
		years = append(years, year)
	}
	return years, nil
}

// Preferred returns the pattern that a word stands for where a row has both: by name, or else by profile.
func Preferred(word string) enrich.Pattern {
	if word == enrich.ByName.String() {
		return enrich.ByName
	}
	return enrich.ByProfile
}

// listNamesOf returns the names of the files of the list of a recorded run.
func listNamesOf(run checkpoint.Run) ([]string, error) {
	switch {
	case run.List == listfile.Standard:
		return nil, problem.Usagef("the list of run %s came from standard input, which is gone: run the same command again with it", run.Name)
	case len(run.Files) > 0:
		return run.Files, nil
	}
	return []string{run.List}, nil
}

// fieldsOf returns the names of the fields that a run asks for.
func (w *Work) fieldsOf(o RunOptions) []string {
	fields := w.Workspace.Interfaces().WithFigures(o.List.Fields, o.List.Figures)
	return w.Workspace.Interfaces().LeaveOut(fields, o.Budget)
}

// RunName returns the name of a run, also when the user gives none. It reads a list that comes from standard input.
func (w *Work) RunName(o RunOptions) (name string, err error) {
	if o.List.Run != "" {
		return o.List.Run, nil
	}
	list, err := o.List.open()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	return runNameOf(list, slices.Concat(w.fieldsOf(o), o.List.From))
}

// runNameOf returns the name by which a run is known when the user gives none: from the
// list's place and the wanted fields, so that the same command resumes. What comes
// from standard input has no place, but its content.
func runNameOf(list *columns.UserList, fields []string) (string, error) {
	base, mark := "stdin", ""
	if len(list.Paths) > 0 {
		base = filepath.Base(listfile.TrimCompression(list.Paths[0]))
		base = report.Printable(strings.TrimSuffix(base, filepath.Ext(base)))
		place := sha256.Sum256([]byte(strings.Join(list.Paths, "\n")))
		mark = hex.EncodeToString(place[:3])
	} else {
		sum, err := list.Sum()
		if err != nil {
			return "", problem.AsUsage(err)
		}
		mark = sum[:12]
	}
	return fmt.Sprintf("%s-%s-%s", base, strings.Join(fields, "-"), mark), nil
}
