package pipeline

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"payonce/io/atomicfile"
	"payonce/io/listfile"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
)

// requestOf says how the output of a list is written.
func (s *session) requestOf(run output.Steps, list *columns.UserList, to Output) output.Request {
	tables := output.Tables{Dir: to.Tables, Format: to.TablesFormat}
	interfaces := s.work.Workspace.Interfaces()
	for _, step := range run {
		tables.Steps = append(tables.Steps, output.TableStep{
			Interface: interfaces.Named(step.Scope.Catalogue.Interface).Tables, Answers: step.Account, Wanted: step.Scope.Wanted,
		})
	}
	return output.Request{
		Output: run.Outputs(), List: list.List, Path: to.Path, Rejects: to.Rejects, NewValues: to.NewValues, Stdout: to.Stdout,
		Mode: s.work.Env.FileMode, Raw: s.work.Env.Raw, Tables: tables,
	}
}

// checkOutputs refuses outputs that cannot be created or whose formats cannot hold the columns, and tables that
// would overwrite something else.
func (j *job) checkOutputs() error {
	request := j.requestOf(j.run(), j.list, j.output)
	sources := append(output.SourcesOf(j.list.Paths), j.output.Sources...)
	if err := checkChoosing(j.candidatesRequest(), request, sources); err != nil {
		return err
	}
	if err := output.CheckTables(request.Tables.Paths(), request.Files(), append(sources, j.choosing.Source())); err != nil {
		return err
	}
	err := output.CheckCreate(request)
	if errors.Is(err, output.ErrNoTables) {
		var asked []string
		for _, s := range j.Steps {
			asked = append(asked, s.Scope.Catalogue.Words(s.Scope.Wanted))
		}
		return problem.Coded("no_tables", "%w: %s", err, strings.Join(asked, ","))
	}
	return columns.AsListUsage(err)
}

// checkRows refuses an output that cannot hold the rows of the list, before anything is spent.
func (j *job) checkRows(ctx context.Context) error {
	for _, path := range []string{j.output.Path, j.output.NewValues} {
		if err := listfile.CheckRows(path, j.Steps[0].Scan.Rows); path != "" && err != nil {
			return problem.AsUsage(err)
		}
	}
	if j.Lookups() == 0 {
		return nil // nothing is spent, and writing reports the same faults
	}
	if err := j.checkRoom(); err != nil {
		return err
	}
	defer j.work.Observer.Scanning()()
	err := output.CheckCells(ctx, j.requestOf(j.run(), j.list, j.output))
	if err != nil && ctx.Err() == nil {
		err = problem.Usagef("%s cannot hold the list; nothing was sent: %w", output.TargetName(j.output.Path), err)
	}
	return err
}

// checkRoom refuses outputs for which their disk has not enough room, before anything is spent. Where the journal is on the
// same disk, what it needs counts as well.
func (j *job) checkRoom() error {
	needs, err := j.requestOf(j.run(), j.list, j.output).Needs(j.expected())
	if err != nil {
		return err
	}
	if err := atomicfile.CheckRoom(needs, j.place.RoomNeeded(j.Lookups())...); err != nil {
		return &problem.Error{Code: "disk_full", Err: err}
	}
	return nil
}

// expected returns how many rows the files of the run will have at most.
func (j *job) expected() (expected output.Expected) {
	for _, s := range j.Steps {
		counts := s.Scan.Count()
		unidentified := int64(0)
		for _, n := range counts.Unidentifiable {
			unidentified += n
		}
		expected.Rows, expected.Rejected = counts.Rows, max(expected.Rejected, unidentified)
		expected.Answered = max(expected.Answered, counts.Rows-unidentified-counts.Filled-counts.Skipped-counts.Forgotten)
	}
	return expected
}

// written says what was written.
type written struct {
	rows   map[string]int64     // by outcome
	kept   []output.KeptVersion // files that were replaced
	tables *output.TablesWritten
	added  *output.WrittenNew // nil without a file of new values
}

// write writes the output of a run, and its rejects when a path is given. It writes nothing when they are in their
// places already, as they would be written. When a format fails, it writes text beside the output instead and returns
// a *output.NotWrittenError.
func (j *job) write(ctx context.Context) (done written, err error) {
	run := j.run()
	request := j.requestOf(run, j.list, j.output)
	source := j.source(request)
	go source()    // reads the list while the files in place are read, or new ones are written
	defer source() // the list is read no longer when write returns
	found, same, err := request.InPlace(j.journal(), source)
	if err == nil && same {
		done.rows, done.tables = map[string]int64{}, found.Tables
		maps.Copy(done.rows, found.Rows)
		done.added, err = request.NewValuesInPlace(j.journal())
		return done, err
	}
	if err == nil {
		done, err = j.writeFiles(ctx, request, run, source)
	}
	if err == nil {
		return done, nil
	}
	if instead, other := request.AsText(err); other {
		if _, textErr := j.writeFiles(ctx, instead, run, unknownSource); textErr == nil {
			return done, &output.NotWrittenError{Path: j.output.Path, Err: err, Instead: instead.Path}
		}
	}
	return done, err
}

func (j *job) writeFiles(
	ctx context.Context, request output.Request, run output.Steps, source func() (string, error),
) (done written, err error) {
	files, err := output.Create(request)
	if err != nil {
		return done, columns.AsListUsage(err)
	}
	defer files.Discard()
	run = slices.Clone(run)
	for i := range run {
		run[i].Decided = files.Decided(i)
	}
	rows, err := j.answered(ctx, run)
	if err != nil {
		return done, err
	}
	defer j.work.Observer.Writing()()
	pass := &columns.UserList{List: files.Rows(), Names: j.list.Names, Paths: j.list.Paths}
	outcomes, err := rows.WriteAll(ctx, pass, files.Writers())
	done.rows, done.added = rowsByName(outcomes), files.NewValues()
	if err = errors.Join(err, rows.Close()); err != nil {
		return done, err
	}
	if done.tables, err = files.WriteTables(ctx); err != nil {
		return done, err
	}
	madeFrom, err := source()
	if err != nil {
		madeFrom = "" // the list changed after it was read
	}
	done.kept, err = files.Commit(ctx, output.Protection{
		Journal: output.JournalOf(j.journal(), j.place.Snapshot()), Run: j.Name, Now: j.now(),
		Most: j.output.Keep, Rows: rows.Rows(), Source: madeFrom, Outcomes: done.rows,
	})
	return done, err
}

// answered returns the rows of the list with the answers of all steps.
func (j *job) answered(ctx context.Context, run output.Steps) (*output.AnsweredRows, error) {
	defer j.work.Observer.Scanning()()
	rows, err := run.After(j.list, len(run))
	if err != nil {
		return nil, err
	}
	if err := rows.Index(ctx); err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return rows, nil
}

// writeWhole writes the output, after an interrupt too, which gets an answer.
func (j *job) writeWhole(ctx context.Context) (written, error) {
	if ctx.Err() == nil {
		defer context.AfterFunc(ctx, func() {
			j.note("interrupted: all answers are recorded, and the output is being written; interrupt again to stop at once")
		})()
	}
	return j.write(context.WithoutCancel(ctx))
}
