package pipeline

import (
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/scan"
)

// readList is a list whose columns are found.
type readList struct {
	Schema  table.Schema
	Reading *columns.Reading
	Notes   []string // on mapping files
	order   List
	asked   []provider.Asked // of each interface, one at least
	list    *columns.UserList
	sample  columns.Sample // of the first rows
	mapFile string         // that says how the columns are read; "" for none
	// mapping is what the user says of the columns: that of the order, and beneath it what the mapping file says. It is
	// recorded, so that a change of the file counts as a change of the flags does.
	mapping []string
}

// look reads the names of the columns, and what the first rows hold.
func (l *readList) look() (err error) {
	l.Schema, l.sample, err = l.list.Look()
	return err
}

// options say how the columns are found, without a mapping file.
func (l *readList) options() columns.Options {
	options := columns.Options{
		Overrides: l.order.Mapping, Held: l.order.Held, Preset: l.order.Preset, Asked: provider.Subjects(l.asked),
	}
	options.Catalogue, options.Others = provider.Catalogues(l.asked)
	return options
}

// recognise finds the columns by what the user says, a mapping file, the headers and the cells, or as they are
// recorded. It returns how it found them.
func (l *readList) recognise() (options columns.Options, err error) {
	options, l.mapping = l.options(), l.order.Mapping
	options.Lenient = true
	if recorded := l.order.Recorded; len(recorded.Columns) > 0 && recorded.Header == columns.Fingerprint(l.Schema) {
		options.Overrides, options.Preset = recorded.Columns, columns.NoPreset
	} else if options.Saved, err = l.readMapFile(); err != nil {
		return options, err
	}
	if l.Reading, err = columns.Recognise(l.Schema, l.sample, options); err != nil {
		err = problem.Usagef("%s: %w", strings.Join(l.order.Names, " "), err)
	}
	return options, err
}

// readMapFile returns what the mapping file of the list says.
func (l *readList) readMapFile() (saved []string, err error) {
	if l.order.Recorded.Fixed {
		return nil, nil
	}
	file, notes, err := columns.MappingFileFor(l.order.MapFile, l.list.Paths, l.Schema)
	l.Notes = notes
	if err != nil || file == nil {
		return nil, err
	}
	if saved, err = file.Overrides(l.Schema); err != nil {
		return nil, err
	}
	l.mapFile, l.mapping = file.Path, slices.Concat(l.order.Mapping, columns.Beneath(l.order.Mapping, saved))
	return saved, nil
}

// checkFilled refuses one column for two fields that are wanted.
func (l *readList) checkFilled() error {
	for _, asked := range l.asked {
		if err := l.Reading.Mapping.CheckFilled(l.Schema, asked.Interface.Catalogue, asked.Fields); err != nil {
			return err
		}
	}
	return nil
}

// scope returns which rows a step asks for what.
func (l *readList) scope(step provider.Step) scan.Scope {
	scope := step.Scope(l.Reading.Mapping)
	scope.Header, scope.Held, scope.Prefer, scope.Reask = l.Schema.Columns, l.order.Held, l.order.Prefer, l.order.Reask
	scope.Memory, scope.TempDir = l.order.Memory, l.order.TempDir
	return scope
}

// readColumns finds the columns of the list. It refuses a list whose columns are doubtful.
func (j *job) readColumns() error {
	if err := j.look(); err != nil {
		return err
	}
	found, err := j.recognise()
	for _, note := range j.Notes {
		j.note(note)
	}
	if err != nil {
		return err
	}
	names, schema := strings.Join(j.order.Names, " "), j.Schema
	if subject := j.Reading.Lists; !j.Reading.Mapping.Identifies(j.patternsOf(subject)) {
		refused := problem.Coded("no_identity", "%s: no columns that identify a %s: %s; its columns are %s%s",
			names, subject, columns.Needed(subject), columns.List(schema), j.Reading.UnusedText(schema))
		if row := j.otherHeader(found); row > 0 {
			refused.Err = &otherHeaderError{refused.Err, &table.HeaderRowError{Row: row}}
		}
		return refused
	}
	if len(j.Reading.Doubts) > 0 {
		return problem.Usagef("%s: %w", names, columns.DoubtsError(j.Reading.Doubts))
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
			patterns |= asked.Interface.Patterns(asked.Interface.Catalogue.About(subject, asked.Fields)) & enrich.PatternsOf(enrich.ByEmail, enrich.ByContactID)
		}
	}
	return patterns
}

// keepColumns reads the columns as an earlier start of the run recorded them, when the list has the same
// columns still and the flags are the same: what a run began with decides, not what this program would choose
// today.
func (j *job) keepColumns() error {
	run, found, err := j.journal().Run(j.Name)
	if err != nil || !found || len(j.order.Recorded.Columns) > 0 || len(run.Columns) == 0 || run.Header != columns.Fingerprint(j.Schema) ||
		!slices.Equal(run.Map, j.mapping) || run.Held != j.order.Held.String() ||
		j.order.Preset != "" && j.order.Preset != columns.AutoPreset {
		return err
	}
	readAs := j.options()
	readAs.Overrides, readAs.Preset = run.Columns, columns.NoPreset
	reading, err := columns.Recognise(j.Schema, nil, readAs)
	if err != nil {
		return problem.AsUsage(err)
	}
	j.Reading = reading
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
	return RecordedColumns{Columns: j.Reading.Mapping.Overrides(j.Schema), Header: columns.Fingerprint(j.Schema)}
}
