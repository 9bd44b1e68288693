package app

import (
	"context"
	"errors"
	"io"

	"payonce/internal/problem"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline/output"
	"payonce/pipeline/row"
	"payonce/pipeline/survey"
)

// rejectColumn is the column that a file of rejects gets.
var rejectColumn = table.Column{Name: "reject_reason"}

// outputFiles are the lists that a run writes.
type outputFiles struct {
	out, rejects *listfile.Output // rejects is nil when nobody wants it
}

// createOutputs begins the output of a run, and its rejects when there is a path.
func createOutputs(output output.Output, list *listFile, to Output) (*outputFiles, error) {
	schema, err := list.Schema()
	if err != nil {
		return nil, err
	}
	files := &outputFiles{}
	files.out, err = listfile.Create(list.List, listfile.Request{
		Path: to.Path, Stdout: to.Stdout, Filled: output.Filled(), Appended: output.Columns(schema),
	})
	if err != nil {
		return nil, asListError(err)
	}
	if to.Rejects == "" {
		return files, nil
	}
	files.rejects, err = listfile.Create(list.List, listfile.Request{
		Path: to.Rejects, Stdout: to.Stdout, Appended: []table.Column{rejectColumn}, Some: true,
	})
	if err != nil {
		files.discard()
		return nil, asListError(err)
	}
	return files, nil
}

// rows returns the list for the pass that writes it: with every column where a writer needs
// them all, and without looking for faults, of which the pass that found out about the rows
// has seen that there are none.
func (f *outputFiles) rows(list *listFile) *listFile {
	rows := f.out.Rows
	if f.rejects != nil && f.rejects.Rows != list.List {
		rows = f.rejects.Rows
	}
	return &listFile{rows.Checked(), list.names, list.paths}
}

// checkOutputs refuses outputs that their formats cannot hold, before anything is
// spent: it begins them and discards them.
func (j *job) checkOutputs() error {
	files, err := createOutputs(j.outputOf(nil), j.list, Output{Path: j.output.Path, Rejects: j.output.Rejects, Stdout: io.Discard})
	if err != nil {
		return err
	}
	files.discard()
	return nil
}

// checkRows refuses an output that cannot have as many rows as the list.
func (j *job) checkRows() error {
	return problem.AsUsage(listfile.CheckRows(j.output.Path, j.survey.Rows))
}

// commit puts the files in their places, the output last: where that is, all is.
func (f *outputFiles) commit() error {
	if f.rejects != nil {
		if err := f.rejects.Commit(); err != nil {
			return err
		}
	}
	return f.out.Commit()
}

func (f *outputFiles) discard() {
	f.out.Discard()
	if f.rejects != nil {
		f.rejects.Discard()
	}
}

// write writes the output of a run, and its rejects when a path is given.
func (s *session) write(ctx context.Context, output output.Output, list *listFile, to Output) (map[row.Status]int64, error) {
	files, err := createOutputs(output, list, to)
	if err != nil {
		return nil, err
	}
	defer files.discard()
	var rejects table.Writer
	if files.rejects != nil {
		rejects = files.rejects.Writer
	}
	index, err := s.newIndex(ctx, output.Scope, list)
	if err != nil {
		return nil, err
	}
	rows, err := output.Write(ctx, files.rows(list), index, s.journal(), files.out.Writer, rejects)
	if err = errors.Join(err, index.Close()); err == nil {
		err = files.commit()
	}
	return rows, err
}

// newIndex finds out who the rows of a list are about.
func (s *session) newIndex(ctx context.Context, scope row.Scope, list *listFile) (*survey.Index, error) {
	defer s.work.Observer.Surveying()()
	return survey.NewIndex(ctx, scope, list, s.journal())
}

// writeWhole writes the output, after an interrupt too, which gets an answer.
func (j *job) writeWhole(ctx context.Context, output output.Output) (map[row.Status]int64, error) {
	if ctx.Err() == nil {
		defer context.AfterFunc(ctx, func() {
			j.session.note("interrupted: all answers are recorded, and the output is being written; interrupt again to stop at once")
		})()
	}
	return j.session.write(context.WithoutCancel(ctx), output, j.list, j.output)
}
