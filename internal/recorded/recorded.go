// Package recorded reads what the journal has recorded of runs: their lists, their outputs, their names.
package recorded

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"payonce/checkpoint"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/internal/target"
	"payonce/internal/userlist"
	"payonce/io/listfile"
	"payonce/io/textfile"
)

// Lists returns the lists of the runs in the journal.
func Lists(journal *checkpoint.Journal) ([]target.Source, error) {
	runs, err := journal.Runs()
	if err != nil {
		return nil, err
	}
	var files []target.Source
	for _, run := range runs {
		if run.List == listfile.Standard || run.List == "" {
			continue
		}
		names, err := Names(run)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			files = append(files, target.Source{What: fmt.Sprintf("the list of the run %s", run.Name), Path: name})
		}
	}
	return files, nil
}

// Outputs returns what the runs in the journal wrote last.
func Outputs(journal *checkpoint.Journal) ([]target.Source, error) {
	runs, err := journal.Runs()
	if err != nil {
		return nil, err
	}
	var files []target.Source
	for _, run := range runs {
		if run.Output == "" {
			continue
		}
		files = append(files, target.Source{What: fmt.Sprintf("the output of the run %s", run.Name), Path: run.Output})
	}
	return files, nil
}

// Find returns the run of that name.
func Find(journal *checkpoint.Journal, name string) (checkpoint.Run, error) {
	run, found, err := journal.Run(name)
	if err == nil && !found {
		err = problem.Coded("no_such_run", "there is no run %q in this journal", name)
	}
	return run, err
}

// Note notes in the record of a run where its list is.
func Note(run *checkpoint.Run, list *userlist.File) {
	run.List = list.Title()
	if len(list.Paths) > 1 {
		run.Files = list.Paths
	}
}

// Names returns the names of the files of the list of a recorded run.
func Names(run checkpoint.Run) ([]string, error) {
	switch {
	case run.List == listfile.Standard:
		return nil, problem.Usagef("the list of run %s came from standard input, which is gone: run the same command again with it", run.Name)
	case len(run.Files) > 0:
		return run.Files, nil
	}
	return []string{run.List}, nil
}

// NameOf returns the name by which a run is known when the user gives none: from the
// list's place and the wanted fields, so that the same command resumes. What comes
// from standard input has no place, but its content.
func NameOf(list *userlist.File, fields []string) (string, error) {
	base, mark := "stdin", ""
	if len(list.Paths) > 0 {
		base = filepath.Base(textfile.TrimCompression(list.Paths[0]))
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
