package app

import (
	"slices"
	"strings"

	"payonce/internal/problem"
	"payonce/io/table"
	"payonce/pipeline/columns"
)

// readColumns finds the columns of the list.
func (j *job) readColumns(order List) error {
	schema, sample, err := j.list.Look()
	if err != nil {
		return err
	}
	j.schema = schema
	names := strings.Join(order.Names, " ")
	j.reading, err = columns.Recognise(schema, sample, columns.Options{Overrides: order.overrides(schema), Held: order.Held})
	if err == nil {
		err = j.reading.Mapping.CheckFilled(schema, order.Fields)
	}
	if err != nil {
		return problem.Usagef("%s: %w", names, err)
	}
	if !j.reading.Mapping.CanIdentify() {
		return problem.Coded("no_identity", "%s: no columns that identify a person: a profile URL, or first name, last name and company domain or name; "+
			"its columns are %s%s", names, columns.List(schema), j.reading.UnusedText(schema))
	}
	return nil
}

// overrides returns what decides before headers and cells: how the list was read before, else the user.
func (l List) overrides(schema table.Schema) []string {
	if len(l.Recorded.Columns) > 0 && l.Recorded.Header == columns.Fingerprint(schema) {
		return l.Recorded.Columns
	}
	return l.Mapping
}

// keepColumns reads the columns as an earlier start of the run recorded them, when the list has the same
// columns still and the flags are the same: what a run began with decides, not what this program would choose
// today.
func (j *job) keepColumns() error {
	run, found, err := j.session.journal().Run(j.name)
	if err != nil || !found || len(j.order.Recorded.Columns) > 0 || len(run.Columns) == 0 || run.Header != columns.Fingerprint(j.schema) ||
		!slices.Equal(run.Map, j.order.Mapping) || run.Held != j.order.Held.String() {
		return err
	}
	reading, err := columns.Recognise(j.schema, nil, columns.Options{Overrides: run.Columns, Held: j.order.Held})
	if err != nil {
		return problem.AsUsage(err)
	}
	j.reading, j.scope.Mapping = reading, reading.Mapping
	return j.reading.Mapping.CheckFilled(j.schema, j.order.Fields)
}

// recorded returns how the columns are read.
func (j *job) recorded() Recorded {
	return Recorded{Columns: j.scope.Mapping.Overrides(j.schema), Header: columns.Fingerprint(j.schema)}
}
