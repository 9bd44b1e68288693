package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"payonce/checkpoint"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// Erasing is asked before anything is erased.
type Erasing interface {
	// Choose returns which namesakes are the person as well, by their records.
	Choose(found *report.Erasure) (records []string, err error)
	// Confirm returns an error when nothing is to be erased.
	Confirm(found *report.Erasure) error
}

// Forget erases what the journal and the files beside it hold about a person. It shows what it found to somebody first,
// whose error ends it before anything is erased.
//
// The files beside the journal come first: what was found in the journal says what to look for in them, and a second
// start finds it again.
func Forget(
	ctx context.Context, w *pipeline.Work, person checkpoint.Person, asked Erasing,
) (*report.Erasure, error) {
	return closed(ctx, w, "forget", func(dir string, options workspace.Opening) (*report.Erasure, error) {
		journal, err := workspace.OpenJournal(ctx, dir, options)
		if err != nil {
			return nil, err
		}
		erased, err := forget(ctx, w, journal, dir, options, person, asked)
		return erased, errors.Join(err, journal.Close())
	})
}

func forget(
	ctx context.Context, w *pipeline.Work, journal *checkpoint.Journal, dir string, options workspace.Opening, person checkpoint.Person,
	asked Erasing,
) (*report.Erasure, error) {
	var readers answers = w.Workspace.AnswerReaders()
	version := journal.Version()
	found, view, err := find(journal, person, readers)
	if err != nil {
		return nil, err
	}
	if len(view.Namesakes) > 0 {
		also, err := asked.Choose(view)
		if err != nil {
			return nil, err
		}
		if len(also) > 0 {
			person.Chosen = append(slices.Clone(person.Chosen), also...)
			if found, view, err = find(journal, person, readers); err != nil {
				return nil, err
			}
		}
	}
	view.NotFound = recordsNotFound(person.Chosen, view)
	if found.IsEmpty() && person.Name != "" && !person.AllNamesakes {
		return view, nil // nobody was chosen
	}
	if err := recordedNames(journal, found, view); err != nil {
		return nil, err
	}
	if err := asked.Confirm(view); err != nil {
		return nil, err
	}
	if err := drainAll(ctx, w, journal); err != nil {
		return nil, err
	}
	if journal.Version() != version { // other processes have recorded answers since, which may be about the person
		if found, view, err = find(journal, person, readers); err != nil {
			return nil, err
		}
		if err := recordedNames(journal, found, view); err != nil {
			return nil, err
		}
	}
	view.NotReached = append(view.NotReached, options.Keeps()...)
	if view.Lists, err = removeLists(dir, found.Names); err != nil {
		return nil, err
	}
	if err := workspace.ConcealLedger(dir, options); err != nil {
		return nil, err
	}
	if view.Outputs, err = outputsOf(journal, found.Matches); err != nil {
		return nil, err
	}
	erased, err := journal.Forget(found)
	view.Count(erased)
	return view, err
}

// find returns what the journal holds about a person.
func find(journal *checkpoint.Journal, person checkpoint.Person, readers answers) (found checkpoint.Found, view *report.Erasure, err error) {
	if found, err = journal.Find(person, readers.facts); err != nil {
		return found, nil, err
	}
	view = report.ForgottenOf(found.Matches, found.Namesakes)
	return found, view, nameLists(journal, view)
}

// nameLists adds the lists of the runs that asked for namesakes.
func nameLists(journal *checkpoint.Journal, view *report.Erasure) error {
	for i := range view.Namesakes {
		run, found, err := journal.Run(view.Namesakes[i].Run)
		if err != nil {
			return err
		}
		if found {
			view.Namesakes[i].List = run.List
		}
	}
	return nil
}

// recordsNotFound returns the chosen records that are not there.
func recordsNotFound(chosen []string, view *report.Erasure) (missing []string) {
	for _, record := range chosen {
		isRecord := func(held report.HeldLookup) bool { return held.Record == record }
		if !slices.ContainsFunc(view.Lookups, isRecord) {
			missing = append(missing, record)
		}
	}
	return missing
}

// recordedNames adds the records of runs that may name the person to what is not reached.
func recordedNames(journal *checkpoint.Journal, found checkpoint.Found, view *report.Erasure) error {
	runs, err := journal.Runs()
	for _, run := range runs {
		if texts := append([]string{run.Name, run.List, run.Output, run.Job}, run.Files...); slices.ContainsFunc(texts, found.Names) {
			view.NotReached = append(view.NotReached, "the record of the run "+run.Name+", which has names of files, and its starts in STARTS")
		}
	}
	return err
}

// outputsOf returns the outputs of the runs that asked for what was found, as far as they are there.
func outputsOf(journal *checkpoint.Journal, matches []checkpoint.PersonMatch) (paths []string, err error) {
	asked := map[string]bool{}
	for _, m := range matches {
		if asked[m.Run] {
			continue
		}
		asked[m.Run] = true
		run, found, err := journal.Run(m.Run)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(run.Output); found && err == nil {
			paths = append(paths, run.Output)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// removeLists removes the lists beside the journal that commands and queries of jobs wrote, when they may name the
// person, and those that cannot be read. A job makes its list again.
func removeLists(dir string, names func(text string) bool) (removed []string, err error) {
	err = filepath.WalkDir(filepath.Join(dir, "lists"), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && entry.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		if named, readErr := anyRow(path, names); !named && readErr == nil {
			return nil
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("a list of a job may name the person: %w", err)
		}
		removed = append(removed, path)
		return nil
	})
	return removed, err
}

// anyRow reports whether a row of a list may name the person, or a line of a text.
func anyRow(path string, names func(text string) bool) (named bool, err error) {
	list, err := listfile.New(listfile.Options{}, path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	reader, err := list.Whole().Open(nil)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	columns := len(reader.Schema().Columns)
	visit := func(row table.Row) error {
		cells := make([]string, columns)
		for i := range cells {
			cells[i] = string(row.Cell(i))
		}
		named = named || names(strings.Join(cells, " "))
		return nil
	}
	for !named {
		block, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return anyLine(path, names) // notes above and below the rows
		}
		if err != nil {
			return false, err
		}
		err = block.Each(visit)
		block.Release()
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

func anyLine(path string, names func(text string) bool) (bool, error) {
	file, err := os.ReadFile(path)
	for line := range strings.Lines(string(file)) {
		if names(line) {
			return true, err
		}
	}
	return false, err
}
