package jobrun

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"payonce/checkpoint/claims"
	"payonce/checkpoint/record"
	"payonce/checkpoint/store"
	"payonce/internal/jobs"
	"payonce/internal/workspace"
	"payonce/schedule"
)

// book is the journal of a job.
type book struct {
	dir     string
	options workspace.Options
	env     workspace.Environment
	wait    time.Duration
}

// openBook finds the journal of a job.
func openBook(job *jobs.Job) (*book, error) {
	options, env, err := job.Run.Workspace()
	if err != nil {
		return nil, err
	}
	dir, err := options.Dir()
	return &book{dir: dir, options: options, env: env, wait: patience(job)}, err
}

// spool returns the file for the output of the command of a list.
func (b *book) spool(job string, at schedule.Local) string {
	return filepath.Join(b.dir, "lists", job, at.Date()+"-"+at.Clock()+commandEnding)
}

// own calls do with the store of the journal, which it creates when there is none. No other process owns it
// meanwhile.
func (b *book) own(ctx context.Context, doing string, do func(store.Store) error) error {
	opening, err := b.options.Opening(b.env, doing, nil)
	if err != nil {
		return err
	}
	opening.Wait = b.wait
	if _, exists, err := b.options.Find(); err != nil {
		return err
	} else if !exists {
		journal, err := workspace.OpenJournal(ctx, b.dir, opening)
		if err != nil {
			return workspace.OpenError(err)
		}
		if err := journal.Close(); err != nil {
			return err
		}
	}
	return workspace.OpenError(workspace.WithStore(ctx, b.dir, opening, do))
}

// read calls do with the store of the journal, or a snapshot of it. Without a journal it does nothing.
func (b *book) read(ctx context.Context, doing string, do func(store.Store) error) error {
	_, exists, err := b.options.Find()
	if err != nil || !exists {
		return err
	}
	opening, err := b.options.Opening(b.env, doing, ctx.Err)
	if err != nil {
		return err
	}
	return workspace.OpenError(workspace.ReadStore(ctx, b.dir, opening, do))
}

// reading is a state that is read from a store while a decision is made.
type reading struct {
	schedule.State
	err error
}

// stateOf returns what the journal knows of a job. An error of a later read is in the reading.
func stateOf(s store.Store, job record.Job) (*reading, error) {
	r := &reading{}
	r.Paused, r.Began, r.Ended = !job.PausedAt.IsZero(), job.Began, job.Ended
	var err error
	if r.Decided, err = localOf(job, job.Decided); err != nil {
		return nil, err
	}
	if r.Unfinished, r.Until, err = unfinishedOf(s, job); err != nil {
		return nil, err
	}
	r.Ran = func(at schedule.Local) bool {
		one, found, err := claims.Occurrence(s, job.Name, at.String())
		if err != nil && r.err == nil {
			r.err = err
		}
		return found && one.Starts > 0
	}
	return r, nil
}

// unfinishedOf returns the unfinished occurrence of a job, and until when it waits. Both are zero for none.
func unfinishedOf(s store.Store, job record.Job) (at schedule.Local, until time.Time, err error) {
	if at, err = localOf(job, job.Unfinished); err != nil || at.IsZero() {
		return at, until, err
	}
	one, _, err := claims.Occurrence(s, job.Name, job.Unfinished)
	return at, one.Until, err
}

// localOf reads the date and time of an occurrence of a job, which may be missing.
func localOf(job record.Job, text string) (schedule.Local, error) {
	if text == "" {
		return schedule.Local{}, nil
	}
	at, err := schedule.ParseLocal(text)
	if err != nil {
		err = fmt.Errorf("%w: job %s: %w", store.ErrCorrupt, job.Name, err)
	}
	return at, err
}
