package jobs

import (
	"context"
	"errors"
	"fmt"

	"payonce/pipeline/problem"
)

// measure reads the metrics of a job after a start of it, for the collector, which may be nil, and for the file of
// the job. What fails here does not undo the start.
func (env Environment) measure(ctx context.Context, load func() (*Job, error), to *collector) {
	ctx = context.WithoutCancel(ctx) // also after an interrupt, which is when a run ended early
	job, err := load()
	if err != nil || to == nil && job.Metrics == "" {
		return // the start has failed for the same reason
	}
	var measured JobMetrics
	err = whileOwnersEnd(func() (err error) {
		measured, err = readMetrics(ctx, job)
		return err
	})
	if err != nil {
		env.note(fmt.Sprintf("%s: the metrics could not be read: %v", job.Name, err))
		return
	}
	if to != nil {
		to.Set(measured)
	}
	if job.Metrics == "" {
		return
	}
	if err := writeMetricsFile(job.Metrics, measured); err != nil {
		env.note(fmt.Sprintf("%s: the metrics could not be written: %v", job.Name, err))
	}
}

// writePages writes the pages about occurrences that a start ran. What fails here does not undo the start.
func (env Environment) writePages(ctx context.Context, load func() (*Job, error), result *StartResult) {
	job, err := load()
	if err != nil || result == nil || job.Report == "" || len(result.Ran) == 0 {
		return
	}
	err = whileOwnersEnd(func() error { return writePages(context.WithoutCancel(ctx), job, result.Ran, env.note) })
	if err != nil {
		env.note(fmt.Sprintf("%s: the pages could not be written: %v", job.Name, err))
	}
}

// serveMeasured serves jobs, and their metrics at an address.
func (env Environment) serveMeasured(ctx context.Context, server *Server, address string, measured *collector) (err error) {
	listener, err := ListenMetrics(address, env.Version, measured)
	if err != nil {
		return problem.Usagef("--listen %s: %w", address, err)
	}
	defer func() { err = errors.Join(err, listener.Close()) }()
	tell := server.State
	server.State = func(state ServerState) {
		if state == stopping {
			listener.Stopping()
		}
		tell(state)
	}
	env.note("metrics are served at http://" + listener.Address() + "/metrics")
	return server.Run(ctx)
}

func namesOf(file *File) (names []string) {
	for _, job := range file.Jobs {
		names = append(names, job.Name)
	}
	return names
}
