package configs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxProblems is the most problems of a configuration that are reported.
const maxProblems = 50

// position is a place in a file. A column of 0 is not shown.
type position struct{ line, column int }

// placedProblem is what is wrong at one place of a configuration.
type placedProblem struct {
	position
	err error
}

// Problems are all that is wrong in a configuration, as one error.
type Problems struct {
	file    string
	columns bool // report columns too
	found   []placedProblem
}

// MergeProblems returns the problems of several readings of one file, each once.
func MergeProblems(errs ...error) error {
	all := &Problems{}
	for _, err := range errs {
		problems, ok := errors.AsType[*Problems](err)
		if err != nil && !ok {
			return err
		}
		if ok {
			all.file = problems.file
			for _, problem := range problems.found {
				all.add(problem.position, problem.err)
			}
		}
	}
	return all.err()
}

// add adds a problem, once.
func (p *Problems) add(at position, err error) {
	same := func(other placedProblem) bool { return other.position == at && other.err.Error() == err.Error() }
	if len(p.found) < maxProblems && !slices.ContainsFunc(p.found, same) {
		p.found = append(p.found, placedProblem{at, err})
	}
}

// err returns the problems in the order of their places, nil when there are none.
func (p *Problems) err() error {
	if len(p.found) == 0 {
		return nil
	}
	slices.SortStableFunc(p.found, func(a, b placedProblem) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	return p
}

func (p *Problems) Error() string {
	var lines []string
	for _, problem := range p.found {
		at := fmt.Sprintf("%s:%d", p.file, problem.line)
		if problem.column > 0 {
			at += fmt.Sprintf(":%d", problem.column)
		}
		lines = append(lines, fmt.Sprintf("%s: %v", at, problem.err))
	}
	return strings.Join(lines, "\n")
}
