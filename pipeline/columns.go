package pipeline

import (
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// readColumns finds the columns of the list.
func (j *job) readColumns() error {
	order := j.order
	schema, sample, err := j.list.Look()
	if err != nil {
		return err
	}
	j.schema, j.mapping = schema, order.Mapping
	names := strings.Join(order.Names, " ")
	found := columns.Options{
		Overrides: order.Mapping, Held: order.Held, Preset: order.Preset, Asked: provider.Subjects(j.asked),
	}
	found.Catalogue, found.Others = provider.Catalogues(j.asked)
	if order.isRecordedFor(schema) {
		found.Overrides, found.Preset = order.Recorded.Columns, columns.NoPreset
	} else if found.Saved, err = j.readMapFile(); err != nil {
		return err
	}
	found.Lenient = true
	if j.reading, err = columns.Recognise(schema, sample, found); err != nil {
		return problem.Usagef("%s: %w", names, err)
	}
	if subject := j.reading.Lists; !j.reading.Mapping.Identifies(j.patternsOf(subject)) {
		refused := problem.Coded("no_identity", "%s: no columns that identify a %s: %s; its columns are %s%s",
			names, subject, columns.Needed(subject), columns.List(schema), j.reading.UnusedText(schema))
		if row := j.otherHeader(found); row > 0 {
			refused.Err = &otherHeaderError{refused.Err, &table.HeaderRowError{Row: row}}
		}
		return refused
	}
	if len(j.reading.Doubts) > 0 {
		return problem.Usagef("%s: %w", names, columns.DoubtsError(j.reading.Doubts))
	}
	if err := j.checkFilled(); err != nil {
		return problem.Usagef("%s: %w", names, err)
	}
	return nil
}

// otherHeaderError is the error of a list of which another row has the names of the columns.
type otherHeaderError struct {
	error
	header *table.HeaderRowError
}

func (e *otherHeaderError) Unwrap() []error { return []error{e.error, e.header} }

// otherHeader returns the row whose cells are names of columns that identify the subjects of the list, 0 for none.
func (j *job) otherHeader(options columns.Options) (found int64) {
	options.Overrides, options.Saved, options.Preset = nil, nil, columns.NoPreset
	for row, schema := range j.list.OtherHeaders {
		reading, err := columns.Recognise(schema, nil, options)
		if err == nil && reading.Mapping.Identifies(j.patternsOf(reading.Lists)) {
			return row
		}
	}
	return 0
}

// patternsOf returns the patterns by which an interface can be asked about the subjects of a list.
func (j *job) patternsOf(subject enrich.Subject) enrich.Patterns {
	patterns := provider.PatternsOf(subject)
	for _, asked := range j.asked {
		switch {
		case asked.Interface.Patterns == nil:
		case subject == enrich.Companies && asked.Interface.Matching != 0:
			patterns |= enrich.PatternsOf(enrich.ByCompanyName)
		case subject == enrich.Persons:
			patterns |= asked.Interface.Patterns(asked.Interface.Catalogue.About(subject, asked.Fields)) & enrich.PatternsOf(enrich.ByEmail)
		}
	}
	return patterns
}

// checkFilled refuses one column for two fields that are wanted.
func (j *job) checkFilled() error {
	for _, asked := range j.asked {
		if err := j.reading.Mapping.CheckFilled(j.schema, asked.Interface.Catalogue, asked.Fields); err != nil {
			return err
		}
	}
	return nil
}

// isRecordedFor reports whether a list with these columns was read before, so that the record decides.
func (l List) isRecordedFor(schema table.Schema) bool {
	return len(l.Recorded.Columns) > 0 && l.Recorded.Header == columns.Fingerprint(schema)
}

// readMapFile returns what the mapping file of the list says. What it adds to the order's mapping is recorded
// with it, so that a change of the file counts as a change of the flags does.
func (j *job) readMapFile() (saved []string, err error) {
	if j.order.Recorded.Fixed {
		return nil, nil
	}
	file, notes, err := columns.MappingFileFor(j.order.MapFile, j.list.Paths, j.schema)
	for _, note := range notes {
		j.note(note)
	}
	if err != nil || file == nil {
		return nil, err
	}
	if saved, err = file.Overrides(j.schema); err != nil {
		return nil, err
	}
	j.mapFile = file.Path
	j.mapping = slices.Concat(j.order.Mapping, columns.Beneath(j.order.Mapping, saved))
	return saved, nil
}

// keepColumns reads the columns as an earlier start of the run recorded them, when the list has the same
// columns still and the flags are the same: what a run began with decides, not what this program would choose
// today.
func (j *job) keepColumns() error {
	run, found, err := j.journal().Run(j.Name)
	if err != nil || !found || len(j.order.Recorded.Columns) > 0 || len(run.Columns) == 0 || run.Header != columns.Fingerprint(j.schema) ||
		!slices.Equal(run.Map, j.mapping) || run.Held != j.order.Held.String() ||
		j.order.Preset != "" && j.order.Preset != columns.AutoPreset {
		return err
	}
	readAs := columns.Options{
		Overrides: run.Columns, Preset: columns.NoPreset, Held: j.order.Held, Asked: provider.Subjects(j.asked),
	}
	readAs.Catalogue, readAs.Others = provider.Catalogues(j.asked)
	reading, err := columns.Recognise(j.schema, nil, readAs)
	if err != nil {
		return problem.AsUsage(err)
	}
	j.reading = reading
	for _, s := range j.Steps {
		s.Scope.Mapping = reading.Mapping
	}
	return j.checkFilled()
}

// recorded returns how the columns are read; nothing without a list.
func (j *job) recorded() RecordedColumns {
	if j.list == nil {
		return RecordedColumns{}
	}
	return RecordedColumns{Columns: j.reading.Mapping.Overrides(j.schema), Header: columns.Fingerprint(j.schema)}
}
