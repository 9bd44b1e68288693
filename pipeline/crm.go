// This file reviews the values that a run found for the records of a CRM, and writes approved values to an import file.
// crmpush.go writes them to the CRM itself. The list of the run has the present values of the CRM: it was pulled from
// the CRM, or exported with the ids of its records.

package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/crm"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/scan"
)

// CRMOptions say which values are reviewed.
type CRMOptions struct {
	Run     string
	Reading List     // how the list is read, for options that the run does not record
	Rules   []string // that approve values
	// EventColumn is the column with the ids of events; "" when the program makes them.
	EventColumn string
}

// CRMExportOptions say which values are written, and how.
type CRMExportOptions struct {
	CRMOptions
	Review string // the file with the decisions; "" for those that are saved
	// EmptyCells says that all records are in one file, in which cells without an approved value are empty.
	EmptyCells bool
	OnlyNew    bool // leave out values that were exported before
}

// crmReview is a review under way.
type crmReview struct {
	*job
	*crm.Review
	options CRMOptions
	list    string // as events name it
	fields  string // that the run was asked for
	at      crm.Columns
	saved   map[int]bool // the lines with a saved state
}

// ReviewCRM writes the review of a run to a file.
func (w *Work) ReviewCRM(ctx context.Context, o CRMOptions, to Output) (*report.CRMReview, error) {
	return withReading(ctx, w, "crm review", func(s *session) (*report.CRMReview, error) {
		if err := s.checkCRMFile(to); err != nil {
			return nil, err
		}
		r, err := s.reviewCRM(ctx, o)
		if err != nil {
			return nil, err
		}
		if _, err := r.apply(); err != nil {
			return nil, err
		}
		if err := r.checkTarget(to, ""); err != nil {
			return nil, err
		}
		rows := table.NewMemory(crm.Header(), r.Cells())
		kept, err := output.WriteNew(ctx, r.request(to.Path, to, false), rows, r.protection(to, len(r.Lines)))
		if err != nil {
			return nil, output.AsNotWritten(to.Path, err)
		}
		view := r.view()
		view.Review, view.KeptFiles = to.Path, kept
		return view, nil
	})
}

// DecideCRM lets a person decide about the values of a run. Save returns after the decisions about the lines are
// durable.
func (w *Work) DecideCRM(
	ctx context.Context, o CRMOptions, decide func(review *crm.Review, save func(lines ...int) error) error,
) (*report.CRMReview, error) {
	return with(w, func(s *session) (*report.CRMReview, error) {
		if err := s.place.Require(ctx, "crm review"); err != nil {
			return nil, err
		}
		r, err := s.reviewCRM(ctx, o)
		if err != nil {
			return nil, err
		}
		decided, err := r.apply()
		if err == nil {
			err = r.save(decided...)
		}
		if err == nil {
			err = decide(r.Review, r.save)
		}
		if err != nil {
			return nil, err
		}
		return r.view(), nil
	})
}

// ExportCRM writes the approved values to import files, and then records that they were exported. The same export again
// writes the same files, because the program cannot know whether the first ones reached the CRM.
func (w *Work) ExportCRM(ctx context.Context, o CRMExportOptions, to Output) (*report.CRMExport, error) {
	return with(w, func(s *session) (*report.CRMExport, error) {
		if err := s.place.Require(ctx, "crm export"); err != nil {
			return nil, err
		}
		if err := s.checkCRMFile(to); err != nil {
			return nil, err
		}
		r, err := s.reviewCRM(ctx, o.CRMOptions)
		if err != nil {
			return nil, err
		}
		if o.Review != "" {
			if err := r.readDecisions(ctx, o.Review); err != nil {
				return nil, err
			}
		}
		return r.export(ctx, o, to)
	})
}

// checkCRMFile returns an error for a file that cannot be written, such as one of an unknown format.
func (s *session) checkCRMFile(to Output) error {
	request := output.Request{Path: to.Path, Stdout: to.Stdout, Mode: s.work.Env.FileMode}
	return problem.AsUsage(output.CheckNew(request, table.Schema{Columns: crm.Header()}))
}

// reviewCRM makes the review of a run: the values for its output beside those of the list.
func (s *session) reviewCRM(ctx context.Context, o CRMOptions) (*crmReview, error) {
	run, err := FindRun(s.journal(), o.Run)
	if err != nil {
		return nil, err
	}
	if run.Output == "" || run.List == "" {
		return nil, problem.Usagef("%s has no list of records; choose a run of a list from a CRM", run.Name)
	}
	if run.People != "" {
		return nil, problem.Usagef("the rows of %s are people that a search found, not records; choose a run of a list from a CRM", run.Name)
	}
	j, err := s.recall(ctx, run, o.Reading, Output{})
	if err != nil {
		return nil, err
	}
	if err := j.choose(ctx); err != nil {
		return nil, err
	}
	j.order.CopyHeld = false      // only values of the service, not of other columns
	j.order.AcceptMismatch = true // the review shows the differences
	j.setStopped(run)
	r := &crmReview{job: j, options: o, list: run.List, fields: run.Fields, saved: map[int]bool{}}
	if err := r.findColumns(); err != nil {
		return nil, err
	}
	r.Review.Run = run.Name
	if err := r.build(ctx); err != nil {
		return nil, err
	}
	return r, r.loadDecisions()
}

// findColumns finds the columns of the records, and those that values are written to.
func (r *crmReview) findColumns() (err error) {
	names := strings.Join(r.order.Names, " ")
	r.at = crm.Columns{
		Record: r.Reading.Mapping.Column(columns.RecordID), Modified: r.Reading.Mapping.Column(columns.RecordModified), Event: columns.None,
		Pulled: crm.FindPulled(r.Schema.Columns),
	}
	if r.at.Record == columns.None {
		return problem.Coded("no_record_id", "%s: no column with the ids of records; its columns are %s", names, columns.List(r.Schema))
	}
	r.Review = &crm.Review{RecordID: r.Schema.Columns[r.at.Record]}
	if r.options.EventColumn != "" {
		if r.at.Event, err = columns.Find(r.Schema, r.options.EventColumn); err != nil {
			return problem.Usagef("%s: the column of events: %w", names, err)
		}
	}
	for _, step := range r.Steps {
		for _, f := range step.Scope.FieldColumns() {
			isTarget := func(t crm.Target) bool { return t.Column == f.Column }
			if f.Column != columns.None && f.Column < len(r.Schema.Columns) && !slices.ContainsFunc(r.Targets, isTarget) {
				r.Targets = append(r.Targets, crm.TargetOf(f.Role, f.Column, r.Schema.Columns[f.Column]))
			}
		}
	}
	if len(r.Targets) == 0 {
		return problem.Usagef("%s: the list lacks a column for the values that the run asked for, so nothing can be written to the CRM", names)
	}
	slices.SortFunc(r.Targets, func(a, b crm.Target) int { return a.Column - b.Column })
	return nil
}

// build reads the list and the answers. The rows are read as if the cells that values are written to were empty, so that
// the review also has values beside which the CRM has another one.
func (r *crmReview) build(ctx context.Context) (err error) {
	var hidden, further []int
	for _, target := range r.Targets {
		further = append(further, target.Column)
		if target.Role != columns.Email || !r.asksByEmail() {
			hidden = append(hidden, target.Column)
		}
	}
	if pulled := r.at.Pulled; pulled != nil {
		further = append(further, append(pulled.Tracked, pulled.CRM)...)
	}
	for _, column := range []int{r.at.Record, r.at.Modified, r.at.Event} {
		if column != columns.None {
			further = append(further, column)
		}
	}
	defer r.work.Observer.Scanning()()
	run := r.run()
	rows, err := run.After(scan.Hiding(r.job.list, hidden), len(run))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	builder := r.Build(r.at.Event != columns.None)
	err = output.EachFound(ctx, rows, further, func(row *output.FoundRow) crm.Row {
		return r.ReadRow(row, r.at, func(column int) []byte { return scan.Cell(row.Row, column) })
	}, func(row crm.Row) error {
		builder.Add(row)
		return nil
	})
	if err == nil {
		builder.End()
	}
	return columns.AsListUsage(err)
}

// asksByEmail reports whether a step asks about persons by their emails, which then have to be read.
func (r *crmReview) asksByEmail() bool {
	return slices.ContainsFunc(r.Steps, func(s *RunStep) bool { return s.Scope.Patterns.Has(enrich.ByEmail) })
}

// apply approves what the rules approve. It returns the lines.
func (r *crmReview) apply() (decided []int, err error) {
	for _, name := range r.options.Rules {
		rule, err := crm.RuleOf(name)
		if err != nil {
			return nil, err
		}
		decided = append(decided, r.Apply(rule)...)
	}
	return decided, nil
}

// readDecisions takes the decisions from a file.
func (r *crmReview) readDecisions(ctx context.Context, path string) error {
	list, err := listfile.New(listfile.Options{}, path)
	if err != nil {
		return problem.AsUsage(err)
	}
	reader, err := list.Whole().Open(nil)
	if err == nil {
		err = errors.Join(r.ReadDecisions(ctx, reader), reader.Close())
	}
	if err = errors.Join(err, list.Close()); err != nil && ctx.Err() == nil {
		err = problem.Usagef("%s: %w", path, err)
	}
	return err
}

// eventOf returns the hash of the event that a line is about: the record in its CRM, what was asked for, and what
// identified the person; or what the caller calls it. A list that was not pulled stands for the CRM.
func (r *crmReview) eventOf(l *crm.Line) enrich.Key {
	of := cmp.Or(l.CRM, r.list)
	if l.Event != "" {
		return r.journal().EventKey("given", of, l.Event)
	}
	return r.journal().EventKey("record", of, l.Record, r.fields, l.Who.Canonical())
}

// seen returns a hash of the state of the record that a decision is about.
func (r *crmReview) seen(l *crm.Line) enrich.Key { return r.journal().EventKey("modified", l.Modified) }

// loadDecisions loads the saved decisions. It ignores one about another value than the found one, and one about a record
// that has changed since.
func (r *crmReview) loadDecisions() error {
	for i := range r.Lines {
		line := &r.Lines[i]
		if line.State == crm.NoRecord {
			continue
		}
		event, found, err := r.journal().Event(r.eventOf(line))
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		for _, saved := range event.Fields {
			if saved.Field != line.Field {
				continue
			}
			line.Restore(saved.Write, saved.Seen == r.seen(line))
			if saved.Attempt != line.Attempt {
				continue
			}
			if line.State == crm.Open && saved.Seen == r.seen(line) {
				line.Decision, line.DecidedBy, line.DecidedAt = crm.Decision(saved.Decision), saved.DecidedBy, saved.At
			}
			line.Exported, line.Exports = saved.Exported, saved.Exports
			r.saved[i] = true
		}
	}
	return nil
}

// save records the decisions about some lines. It returns when they are durable.
func (r *crmReview) save(lines ...int) error {
	events, places := []checkpoint.Event{}, map[enrich.Key]int{}
	for _, i := range lines {
		line := &r.Lines[i]
		if line.State == crm.NoRecord {
			continue
		}
		key := r.eventOf(line)
		at, found := places[key]
		if !found {
			known, _, err := r.journal().Event(key)
			if err != nil {
				return err
			}
			at, places[key] = len(events), len(events)
			events = append(events, checkpoint.Event{Key: key, Event: known})
		}
		event := &events[at].Event
		event.Run, event.Person, event.Changed = r.Review.Run, r.journal().PersonKey(line.Who), r.now()
		if line.DecidedAt.IsZero() && line.Decision != crm.Undecided {
			line.DecidedAt = r.now()
		}
		outcome := record.EventOutcome{
			Field: line.Field, Attempt: line.Attempt, RequestID: line.RequestID, Decision: string(line.Decision), DecidedBy: line.DecidedBy,
			At: line.DecidedAt, Exported: line.Exported, Exports: line.Exports,
			Seen: r.seen(line), Write: line.Write,
		}
		if line.Write.Target != "" {
			event.CRM, event.Record = line.CRM, line.Record
		}
		isField := func(o record.EventOutcome) bool { return o.Field == line.Field }
		if at := slices.IndexFunc(event.Fields, isField); at >= 0 {
			event.Fields[at] = outcome
		} else {
			event.Fields = append(event.Fields, outcome)
		}
	}
	return r.journal().SaveEvents(events)
}

// export writes the files, and then records what they hold.
func (r *crmReview) export(ctx context.Context, o CRMExportOptions, to Output) (*report.CRMExport, error) {
	leave := func(l *crm.Line) bool { return o.OnlyNew && l.Exports > 0 }
	batches := r.Batches(o.EmptyCells, leave)
	if len(batches) > 1 && to.Path == listfile.Standard {
		return nil, problem.Coded("crm_several_files", "the approved values need %d files, because no cell of them may be empty", len(batches))
	}
	view := &report.CRMExport{Run: r.Review.Run, List: strings.Join(r.order.Names, " "), Count: r.Count(), Unclear: r.Unclear, Files: []report.CRMFile{}}
	paths := make([]string, len(batches))
	for i, batch := range batches {
		if paths[i] = to.Path; i > 0 {
			paths[i] = besideName(to.Path, r.Name(batch))
		}
		if err := r.checkTarget(Output{Path: paths[i], Sources: to.Sources}, o.Review); err != nil {
			return nil, err
		}
	}
	var exported []int
	for i, batch := range slices.Backward(batches) { // that of the given name comes last: when it is there, all are
		header, rows := r.Table(batch)
		kept, err := output.WriteNew(ctx, r.request(paths[i], to, len(rows) == 0), table.NewMemory(header, rows), r.protection(to, len(rows)))
		if err != nil {
			return nil, output.AsNotWritten(paths[i], err)
		}
		view.KeptFiles = append(view.KeptFiles, kept...)
		view.EmptyCells += batch.Empty()
		view.Files = slices.Insert(view.Files, 0, report.CRMFile{
			File: paths[i], Columns: header, Records: int64(len(rows)), Values: batch.Cells(),
		})
		for _, lines := range batch.Lines {
			exported = append(exported, lines...)
		}
	}
	view.ExportedBefore(r.Review, exported)
	var err error
	if view.Earlier, err = r.earlierFiles(to.Path, paths); err != nil {
		return nil, err
	}
	return view, r.noteExported(exported)
}

// earlierFiles returns files of earlier exports that are beside those of this one. A user could mistake them for parts
// of this export.
func (r *crmReview) earlierFiles(path string, written []string) (earlier []string, err error) {
	for set := 1; path != listfile.Standard && set < 1<<len(r.Targets); set++ {
		var batch crm.Batch
		for target := range r.Targets {
			if set&(1<<target) != 0 {
				batch.Targets = append(batch.Targets, target)
			}
		}
		name := besideName(path, r.Name(batch))
		if slices.Contains(written, name) {
			continue
		}
		is, err := output.IsRecorded(r.journal(), name, r.Review.Run)
		if err != nil {
			return nil, err
		}
		if is {
			earlier = append(earlier, name)
		}
	}
	return earlier, nil
}

// noteExported records the decisions of all lines, also those that a review took back, and which were exported now; -1
// is no line.
func (r *crmReview) noteExported(exported []int) error {
	now := r.now().UTC().Truncate(time.Second)
	for _, i := range exported {
		if i >= 0 {
			r.Lines[i].Exported, r.Lines[i].Exports = now, r.Lines[i].Exports+1
		}
	}
	var decided []int
	for i := range r.Lines {
		if r.Lines[i].Decision != crm.Undecided || r.saved[i] {
			decided = append(decided, i)
		}
	}
	return r.save(decided...)
}

// besideName puts a word before the ending of a file's name.
func besideName(path, word string) string {
	plain := listfile.TrimCompression(path)
	at := strings.LastIndexByte(plain, '.')
	if at <= strings.LastIndexByte(plain, '/')+1 {
		at = len(plain)
	}
	return plain[:at] + "." + word + path[at:]
}

// request says how one of the files is written.
func (r *crmReview) request(path string, to Output, remade bool) output.Request {
	return output.Request{Path: path, Stdout: to.Stdout, Mode: r.work.Env.FileMode, Raw: r.work.Env.Raw, Remade: remade}
}

// protection says how earlier files are protected.
func (r *crmReview) protection(to Output, rows int) output.Protection {
	return output.Protection{
		Journal: output.JournalOf(r.journal(), r.place.Snapshot()), Run: r.Review.Run, Now: r.now(), Most: to.Keep, Rows: int64(rows), OfRun: true,
	}
}

// checkTarget refuses a file that is a list or an output of a run, or the review itself.
func (r *crmReview) checkTarget(to Output, review string) error {
	lists, err := RecordedLists(r.journal())
	if err != nil {
		return err
	}
	outputs, err := RecordedOutputs(r.journal())
	if err != nil {
		return err
	}
	sources := slices.Concat(output.SourcesOf(r.job.list.Paths), lists, outputs, to.Sources)
	if review != "" {
		sources = append(sources, output.Source{What: "the review", Path: review})
	}
	return output.CheckTarget(to.Path, sources)
}

// view returns the review for a report.
func (r *crmReview) view() *report.CRMReview {
	view := &report.CRMReview{
		Run: r.Review.Run, List: strings.Join(r.order.Names, " "), RecordID: cmp.Or(r.RecordID, "#"), Count: r.Count(), Unclear: r.Unclear,
		Values: int64(len(r.Lines)), Columns: []report.CRMColumn{},
	}
	for _, target := range r.Targets {
		view.Columns = append(view.Columns, report.CRMColumn{Column: target.Header, ReadAs: string(target.Role), NotWritten: target.Closed})
	}
	return view
}
