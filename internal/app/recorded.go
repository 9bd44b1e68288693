package app

import (
	"fmt"

	"payonce/checkpoint"
	"payonce/internal/problem"
	"payonce/internal/target"
	"payonce/io/listfile"
)

// RecordedLists returns the lists of the runs in the journal.
func RecordedLists(journal *checkpoint.Journal) ([]target.Source, error) {
	runs, err := journal.Runs()
	if err != nil {
		return nil, err
	}
	var files []target.Source
	for _, run := range runs {
		if run.List == listfile.Standard || run.List == "" {
			continue
		}
		names, err := namesOf(run)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			files = append(files, target.Source{What: fmt.Sprintf("the list of the run %s", run.Name), Path: name})
		}
	}
	return files, nil
}

// RecordedOutputs returns what the runs in the journal wrote last.
func RecordedOutputs(journal *checkpoint.Journal) ([]target.Source, error) {
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

// FindRun returns the run of that name.
func FindRun(journal *checkpoint.Journal, name string) (checkpoint.Run, error) {
	run, found, err := journal.Run(name)
	if err == nil && !found {
		err = problem.Coded("no_such_run", "there is no run %q in this journal", name)
	}
	return run, err
}
