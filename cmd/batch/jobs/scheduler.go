// This file starts jobs when they are due, in one process.

package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ServedJob is a job that is served.
type ServedJob struct {
	Name string
	// Uses names what no two jobs use at the same time, such as a journal or an account.
	Uses []string
	// Run runs what is due. It returns when there may be something to run again; zero when nothing is known.
	Run func(context.Context) (wake time.Time, err error)
	// Stamp returns another number after somebody changed the state of the job, such as to resume it. It may be nil.
	Stamp func() int64
}

// Server starts jobs when they are due. Jobs that use the same run one after the other, the others in parallel.
type Server struct {
	// Load reads the jobs.
	Load func() ([]ServedJob, error)
	// Reload tells when to read them again. It may be nil.
	Reload <-chan struct{}
	Now    func() time.Time
	// After returns a channel that tells when a time has passed.
	After func(time.Duration) <-chan time.Time
	// Note is called with what somebody should know.
	Note func(text string)
	// State is called with what the server does, for the service manager.
	State func(ServerState)
}

// ServerState is what a server does.
type ServerState string

// The states.
const (
	ready     ServerState = "ready"
	reloading ServerState = "reloading"
	stopping  ServerState = "stopping"
)

const (
	// lookTime is the longest time between two looks at the clock, which may be set, and which a timer of a
	// machine that sleeps does not follow, and at the stamps of the jobs.
	lookTime = 2 * time.Second
	// knowTime is the longest time after which a job is asked again whether something is due: somebody else may
	// have changed its state in the journal.
	knowTime = 10 * time.Minute
	// retryTime is the time after which a job is asked again that could not be asked.
	retryTime = time.Minute
)

// serving is the state of a server. One goroutine owns it.
type serving struct {
	*Server
	jobs    []ServedJob
	wakes   map[string]time.Time // by name; the zero time for at once
	stamps  map[string]int64     // by name, as they were when the job was asked
	running map[string]ServedJob // by name
	done    chan ended
}

// ended says how a run of a job ended.
type ended struct {
	name string
	wake time.Time
	err  error
}

// Run serves until ctx is cancelled and every job that runs has come to an end. Its error is that of the first
// reading of the jobs.
func (s *Server) Run(ctx context.Context) error {
	jobs, err := s.Load()
	if err != nil {
		return err
	}
	v := &serving{Server: s, jobs: jobs, wakes: map[string]time.Time{}, stamps: map[string]int64{}, running: map[string]ServedJob{}, done: make(chan ended)}
	s.State(ready)
	for ctx.Err() == nil {
		next := v.start(ctx)
		select {
		case <-ctx.Done():
		case e := <-v.done:
			v.end(e)
		case <-s.Reload:
			v.reload()
		case <-s.After(max(min(next.Sub(s.Now()), lookTime), 0)):
		}
	}
	s.State(stopping)
	for len(v.running) > 0 { // what is in flight ends, and outputs are written
		v.end(<-v.done)
	}
	return nil
}

// start starts the jobs that are due, the one that has been due for longest first. It returns when the next one
// that is free to start is due.
func (v *serving) start(ctx context.Context) (next time.Time) {
	now := v.Now()
	next = now.Add(knowTime)
	waiting := slices.Clone(v.jobs)
	slices.SortStableFunc(waiting, func(a, b ServedJob) int { return v.wakes[a.Name].Compare(v.wakes[b.Name]) })
	for _, job := range waiting {
		wake, stamp := v.wakes[job.Name], int64(0)
		if job.Stamp != nil {
			stamp = job.Stamp()
		}
		switch {
		case !v.free(job): // it starts when the other one has ended
		case wake.After(now) && stamp == v.stamps[job.Name]:
			if wake.After(now.Add(knowTime)) { // the clock was set back
				v.wakes[job.Name] = now.Add(knowTime)
			}
			next = earlier(next, wake)
		default:
			v.running[job.Name], v.stamps[job.Name] = job, stamp
			go func() {
				wake, err := job.Run(ctx)
				v.done <- ended{job.Name, wake, err}
			}()
		}
	}
	return next
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// free reports whether no job runs that uses the same as another one.
func (v *serving) free(job ServedJob) bool {
	for _, running := range v.running {
		if running.Name == job.Name {
			return false
		}
		for _, name := range running.Uses {
			if slices.Contains(job.Uses, name) {
				return false
			}
		}
	}
	return true
}

// end notes when a job that ran is asked again.
func (v *serving) end(e ended) {
	delete(v.running, e.name)
	now := v.Now()
	wake := now.Add(knowTime)
	switch {
	case e.err != nil && !errors.Is(e.err, context.Canceled):
		v.Note(fmt.Sprintf("%s could not start; the next attempt is in %s: %v", e.name, retryTime, e.err))
		wake = now.Add(retryTime)
	case !e.wake.IsZero():
		wake = earlier(wake, e.wake)
	}
	if soonest := now.Add(time.Second); wake.Before(soonest) {
		wake = soonest // whatever the job says, it is not asked all the time
	}
	v.wakes[e.name] = wake
}

// reload reads the jobs again. When that fails, the earlier ones stay.
func (v *serving) reload() {
	v.State(reloading)
	defer v.State(ready)
	jobs, err := v.Load()
	if err != nil {
		v.Note(fmt.Sprintf("the jobs stay as they were, because the jobs file cannot be used: %v", err))
		return
	}
	v.jobs = jobs
	clear(v.wakes) // each job is asked at once
	v.Note(fmt.Sprintf("the jobs file was read again; jobs: %d", len(jobs)))
}
