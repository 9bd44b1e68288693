package jobs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
)

// jobJournal is the journal of a job.
type jobJournal struct {
	dir     string
	options workspace.Options
	env     workspace.Environment
	wait    time.Duration
}

// findJournal finds the journal of a job.
func findJournal(job *Job) (*jobJournal, error) {
	options, env, err := job.Run.Workspace()
	if err != nil {
		return nil, err
	}
	options.Journal.Wait = readingPatience
	dir, err := options.Dir()
	return &jobJournal{dir: dir, options: options, env: env, wait: patience(job)}, err
}

// readingPatience is how long a reader waits for another process that owns the journal and does not serve readers. That
// one reads for a moment itself, opens the journal or closes it: several schedulers do so all the time.
const readingPatience = time.Minute

// isShared reports whether several machines work on the journal.
func (j *jobJournal) isShared() bool { return j.options.Journal.Shared != "" }

// spool returns the file for the output of the command of a list.
func (j *jobJournal) spool(job string, at LocalTime) string {
	return filepath.Join(j.dir, "lists", job, at.Date()+"-"+at.Clock()+commandEnding)
}

// own calls do with the store of the journal, which it creates when there is none. No other process changes it
// meanwhile.
func (j *jobJournal) own(ctx context.Context, doing string, do func(record.Store, workspace.Peers) error) error {
	m := &member{journal: j, doing: doing}
	defer m.close()
	return m.change(ctx, do)
}

// member is a process that changes the journal of a job several times.
type member struct {
	journal *jobJournal
	doing   string
	member  *workspace.Member // nil until the first change
}

// change calls do as jobJournal.own does.
func (m *member) change(ctx context.Context, do func(record.Store, workspace.Peers) error) error {
	if m.member == nil {
		opening, err := m.journal.create(ctx, m.doing)
		if err != nil {
			return err
		}
		m.member = workspace.Join(m.journal.dir, opening)
	}
	return workspace.OpenError(m.member.Change(ctx, do))
}

// close ends the process's membership in a shared journal.
func (m *member) close() {
	if m.member != nil {
		_ = m.member.Close() // the changes are durable, and if the database cannot be reached the lease ends by itself
	}
}

// create returns how the journal is opened, and creates it when there is none.
func (j *jobJournal) create(ctx context.Context, doing string) (opening workspace.Opening, err error) {
	if opening, err = j.options.Opening(j.env, doing, nil); err != nil {
		return opening, err
	}
	opening.Wait = j.wait
	if _, exists, err := j.options.Find(); err != nil || exists {
		return opening, err
	}
	journal, err := workspace.OpenJournal(ctx, j.dir, opening)
	if err != nil {
		return opening, workspace.OpenError(err)
	}
	return opening, journal.Close()
}

// read calls do with the store of the journal, or a snapshot of it. Without a journal it does nothing. It calls do again
// when the owner of the journal ends meanwhile.
func (j *jobJournal) read(ctx context.Context, doing string, do func(record.Store) error) error {
	_, exists, err := j.options.Find()
	if err != nil || !exists {
		return err
	}
	opening, err := j.options.Opening(j.env, doing, ctx.Err)
	if err != nil {
		return err
	}
	return whileOwnersEnd(func() error { return workspace.OpenError(workspace.ReadStore(ctx, j.dir, opening, do)) })
}

// ownerTries is how often a reader begins again when the owner of the journal ends meanwhile.
const ownerTries = 5

// whileOwnersEnd calls read again while another process that owns the journal ends before the reader has read it.
func whileOwnersEnd(read func() error) (err error) {
	for range ownerTries {
		err = read()
		if ended, is := errors.AsType[*problem.Error](err); !is || ended.Code != "journal_owner_ended" {
			break
		}
	}
	return err
}

// reading is a state that is read from a store while a decision is made.
type reading struct {
	ScheduleState
	err error
}

// recordedState returns what the journal knows of a job. An error of a later read is in the reading.
func recordedState(s record.Store, job record.Job) (*reading, error) {
	r := &reading{}
	r.Began, r.Ended = job.Began, job.Ended
	r.PausedAt, r.Pauses = job.PausedAt, job.Pauses
	var err error
	if r.Decided, err = localOf(job, job.Decided); err != nil {
		return nil, err
	}
	if r.Unfinished, r.Until, err = unfinishedOf(s, job); err != nil {
		return nil, err
	}
	r.Ran = func(at LocalTime) bool {
		one, found, err := checkpoint.OccurrenceRecord(s, job.Name, at.String())
		if err != nil && r.err == nil {
			r.err = err
		}
		return found && one.Starts > 0
	}
	return r, nil
}

// unfinishedOf returns the unfinished occurrence of a job, and until when it waits. Both are zero for none.
func unfinishedOf(s record.Store, job record.Job) (at LocalTime, until time.Time, err error) {
	if at, err = localOf(job, job.Unfinished); err != nil || at.IsZero() {
		return at, until, err
	}
	one, _, err := checkpoint.OccurrenceRecord(s, job.Name, job.Unfinished)
	return at, one.Until, err
}

// localOf reads the date and time of an occurrence of a job, which may be missing.
func localOf(job record.Job, text string) (LocalTime, error) {
	if text == "" {
		return LocalTime{}, nil
	}
	at, err := parseLocalTime(text)
	if err != nil {
		err = fmt.Errorf("%w: job %s: %w", record.ErrCorrupt, job.Name, err)
	}
	return at, err
}
