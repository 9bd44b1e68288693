package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"payonce/internal/choosing"
	"payonce/internal/interfaces"
	"payonce/internal/outputs"
	"payonce/internal/problem"
	"payonce/internal/target"
	"payonce/internal/userlist"
	"payonce/io/listfile"
	"payonce/pipeline/row"
	"payonce/pipeline/steps"
	"payonce/pipeline/tables"
)

// requestOf says how the output of a list is written.
func (s *session) requestOf(run steps.Steps, list *userlist.File, to Output) outputs.Request {
	return outputs.Request{
		Output: run.Outputs(), List: list.List, Path: to.Path, Rejects: to.Rejects, Stdout: to.Stdout,
		Mode: s.work.Env.FileMode, Raw: s.work.Env.Raw, Tables: tablesOf(run, to),
	}
}

// tablesOf says where the tables of a run are written.
func tablesOf(run steps.Steps, to Output) outputs.Tables {
	t := outputs.Tables{Dir: to.Tables, Format: to.TablesFormat}
	for _, step := range run {
		t.Steps = append(t.Steps, tables.Step{
			Interface: interfaces.TablesOf(step.Scope.Catalogue.Interface), Answers: step.Account,
			Wanted: step.Scope.Wanted,
		})
	}
	return t
}

// checkOutputs refuses outputs that cannot be created or whose formats cannot hold the columns, and tables that
// would overwrite something else.
func (j *job) checkOutputs() error {
	request := j.session.requestOf(j.run(), j.list, j.output)
	sources := append(target.SourcesOf(j.list.Paths), j.output.Sources...)
	if err := choosing.CheckWrite(j.candidatesRequest(), request, sources); err != nil {
		return err
	}
	if err := target.CheckTables(request.Tables.Paths(), j.output.Path, j.output.Rejects, append(sources, j.choosing.Source())); err != nil {
		return err
	}
	err := outputs.CheckCreate(request)
	if errors.Is(err, outputs.ErrNoTables) {
		var asked []string
		for _, s := range j.Steps {
			asked = append(asked, s.Scope.Catalogue.Words(s.Scope.Wanted))
		}
		return problem.Coded("no_tables", "%w: %s", err, strings.Join(asked, ","))
	}
	return userlist.AsUsage(err)
}

// checkRows refuses an output that cannot hold the rows of the list, before anything is spent.
func (j *job) checkRows(ctx context.Context) error {
	if err := listfile.CheckRows(j.output.Path, j.Steps[0].Survey.Rows); err != nil {
		return problem.AsUsage(err)
	}
	if j.Lookups() == 0 {
		return nil // nothing is spent, and writing reports the same faults
	}
	defer j.session.work.Observer.Surveying()()
	err := outputs.CheckCells(ctx, j.session.requestOf(j.run(), j.list, j.output))
	if err != nil && ctx.Err() == nil {
		err = problem.Usagef("%s cannot hold the list; nothing was sent: %w", target.PlaceOf(j.output.Path), err)
	}
	return err
}

// written says what was written.
type written struct {
	rows   map[row.Status]int64
	kept   []outputs.Kept // files that were replaced
	tables *outputs.TablesWritten
}

// write writes the output of a run, and its rejects when a path is given. It writes nothing when they are in their
// places already, as they would be written. When a format fails, it writes text beside the output instead and returns a *target.NotWrittenError.
func (j *job) write(ctx context.Context) (done written, err error) {
	run := j.run()
	request := j.session.requestOf(run, j.list, j.output)
	source := j.source(request)
	go source()    // reads the list while the files in place are read, or new ones are written
	defer source() // the list is read no longer when write returns
	rows, same, err := request.InPlace(j.session.journal(), source)
	if err == nil && same {
		done.rows = map[row.Status]int64{}
		for status, n := range rows {
			done.rows[row.Status(status)] = n
		}
		return done, nil
	}
	if err == nil {
		done, err = j.writeFiles(ctx, request, run, source)
	}
	if err == nil {
		return done, nil
	}
	if instead, other := request.AsText(err); other {
		if _, textErr := j.writeFiles(ctx, instead, run, unknownSource); textErr == nil {
			return done, &target.NotWrittenError{Path: j.output.Path, Err: err, Instead: instead.Path}
		}
	}
	return done, err
}

func (j *job) writeFiles(
	ctx context.Context, request outputs.Request, run steps.Steps, source func() (string, error),
) (done written, err error) {
	files, err := outputs.Create(request)
	if err != nil {
		return done, userlist.AsUsage(err)
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
	defer j.session.work.Observer.Writing()()
	pass := &userlist.File{List: files.Rows(), Names: j.list.Names, Paths: j.list.Paths}
	done.rows, err = rows.Write(ctx, pass, files.Out(), files.Rejects())
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
	done.kept, err = files.Commit(ctx, outputs.Protection{
		Journal: outputs.JournalOf(j.session.journal(), j.session.place.Snapshot()), Run: j.Name, Now: j.session.now(),
		Most: j.output.Keep, Rows: rows.Rows(), Source: madeFrom, Outcomes: rowsByName(done.rows),
	})
	return done, err
}

// answered returns the rows of the list with the answers of all steps.
func (j *job) answered(ctx context.Context, run steps.Steps) (*steps.Rows, error) {
	defer j.session.work.Observer.Surveying()()
	return run.After(ctx, j.list, len(run))
}

// writeWhole writes the output, after an interrupt too, which gets an answer.
func (j *job) writeWhole(ctx context.Context) (written, error) {
	if ctx.Err() == nil {
		defer context.AfterFunc(ctx, func() {
			j.session.note("interrupted: all answers are recorded, and the output is being written; interrupt again to stop at once")
		})()
	}
	return j.write(context.WithoutCancel(ctx))
}
