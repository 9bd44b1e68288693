package jobs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"payonce/pipeline/report"
)

// Board serves the jobs of a jobs file to the page of "batch serve": it runs them when they are due, shows them, and
// pauses and resumes them.
type Board struct {
	env      Environment
	path     string
	measured *collector
}

// NewBoard returns the board of a jobs file. It does not read the file.
func NewBoard(env Environment, path string) *Board { return &Board{env, path, newCollector()} }

// Run runs jobs when they are due, until ctx is cancelled and every running job has ended.
func (b *Board) Run(ctx context.Context) error { return b.env.server(b.path, b.measured).Run(ctx) }

// Metrics returns the metrics of the jobs.
func (b *Board) Metrics() prometheus.Collector { return b.measured }

// BoardJob is one job as a page shows it.
type BoardJob struct {
	Name, Next, State string
	Paused            bool
}

// BoardView has the jobs and their latest occurrences, as rows of a table, the newest first.
type BoardView struct {
	Jobs    []BoardJob
	Header  []string
	History [][]string
	// Failures names the channels that do not accept alerts, with the errors.
	Failures []string
}

// shownOccurrences is how many occurrences a page shows.
const shownOccurrences = 50

// View returns the jobs and their history, also while another process owns the journal.
func (b *Board) View(ctx context.Context) (*BoardView, error) {
	file, err := b.env.read(b.path)
	if err != nil {
		return nil, err
	}
	rows, failures, err := b.env.upcoming(ctx, file.Jobs)
	if err != nil {
		return nil, err
	}
	view := &BoardView{Header: historyHeader}
	for _, row := range rows {
		next, state := row.texts()
		view.Jobs = append(view.Jobs, BoardJob{row.Job, next, state, row.Paused})
	}
	for _, failure := range failures {
		view.Failures = append(view.Failures, failure.Job+", "+failure.Channel+": "+report.Printable(failure.Error))
	}
	all, _, err := past(ctx, file.Jobs)
	for i := len(all) - 1; i >= 0 && len(view.History) < shownOccurrences; i-- {
		view.History = append(view.History, cells(all[i]))
	}
	return view, err
}

// changePatience is how long a change of a job waits for another process that owns the journal.
const changePatience = 10 * time.Second

// Pause keeps a job from starting.
func (b *Board) Pause(ctx context.Context, name, note string) error {
	job, err := b.env.job(b.path, name)
	if err != nil {
		return err
	}
	return pauseJob(ctx, job, note, b.env.Now(), changePatience)
}

// Resume lets a paused job start again. The text says what happens to its occurrences.
func (b *Board) Resume(ctx context.Context, name, note string) (text string, err error) {
	job, err := b.env.job(b.path, name)
	if err != nil {
		return "", err
	}
	resumed, err := resumeJob(ctx, job, note, b.env.Now(), changePatience)
	if err != nil {
		return "", err
	}
	return resumed.text(job, b.env.Now()), nil
}
