package app

import (
	"fmt"

	"payonce/io/listfile"
)

// recordedLists returns the lists of the runs in the journal.
func (s *session) recordedLists() ([]Source, error) {
	runs, err := s.journal().Runs()
	if err != nil {
		return nil, err
	}
	var files []Source
	for _, run := range runs {
		if run.List == listfile.Standard || run.List == "" {
			continue
		}
		names, err := namesOf(run)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			files = append(files, Source{fmt.Sprintf("the list of the run %s", run.Name), name})
		}
	}
	return files, nil
}

// recordedOutputs returns what the runs in the journal wrote last.
func (s *session) recordedOutputs() ([]Source, error) {
	runs, err := s.journal().Runs()
	if err != nil {
		return nil, err
	}
	var files []Source
	for _, run := range runs {
		if run.Output == "" {
			continue
		}
		files = append(files, Source{fmt.Sprintf("the output of the run %s", run.Name), run.Output})
	}
	return files, nil
}
