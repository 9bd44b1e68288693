package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"payonce/checkpoint"
	"payonce/pipeline/problem"
)

func newServeCommand(env Environment) *cobra.Command {
	var path, listen string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run jobs when they are due, until the process is stopped",
		Long: "Run the jobs of a jobs file when they are due, in one process, as in a container. Jobs of one account\n" +
			"or one journal run one after the other, others at the same time. A job without a schedule only goes\n" +
			"on when it waits. Several schedulers may use one journal: each occurrence starts once. The journal is\n" +
			"free for other commands while no job runs.\n\n" +
			"After SIGTERM nothing else is sent. What is in flight ends, outputs are written, and what did not end\n" +
			"goes on with the next start. SIGHUP reads the jobs file again. When it is broken, the earlier jobs stay.\n\n" +
			"With --listen it serves Prometheus metrics at /metrics, and its health at /healthz." +
			env.Codes.Serve,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var measured *collector
			if listen != "" {
				measured = newCollector()
			}
			server := env.server(path, measured)
			if measured == nil {
				return server.Run(cmd.Context())
			}
			return env.serveMeasured(cmd.Context(), server, listen, measured)
		},
	}
	addFileFlag(cmd, &path)
	cmd.Flags().StringVar(&listen, "listen", "", "serve metrics at this `ADDRESS`, such as :9464; without a host only for this machine")
	return cmd
}

// server returns the server of the jobs of a file, which measures them for a collector that may be nil.
func (env Environment) server(path string, measured *collector) *Server {
	server := &Server{
		Load: func() ([]ServedJob, error) { return env.served(path, measured) },
		Now:  env.Now, After: env.After, Note: env.note, State: env.tellManager,
	}
	if env.Hangups != nil {
		server.Reload = env.Hangups()
	}
	return server
}

// note prints a line with the time.
func (env Environment) note(text string) { env.noteAt(env.Now(), text) }

// noteAt prints a line about something that happened at a time.
func (env Environment) noteAt(at time.Time, text string) {
	fmt.Fprintln(env.Stderr, at.UTC().Format(time.RFC3339)+" batch: "+text)
}

// tellManager reports to the service manager what a server does, if there is one that asked for it.
func (env Environment) tellManager(state ServerState) {
	text := map[ServerState]string{
		ready: daemon.SdNotifyReady, reloading: daemon.SdNotifyReloading, stopping: daemon.SdNotifyStopping,
	}[state]
	if _, err := daemon.SdNotify(false, text); err != nil {
		env.note(fmt.Sprintf("the service manager did not get the message %q: %v", text, err))
	}
	switch state {
	case ready:
		env.note("the jobs are served")
	case stopping:
		env.note("stopping: waiting for the lookups in flight, then writing what is known")
	}
}

// served reads the jobs of a file. They stay as they are when the file changes.
func (env Environment) served(path string, measured *collector) (served []ServedJob, err error) {
	text, err := ReadText(path)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	file, err := env.Quiet.Parse(path, text)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	if measured != nil {
		measured.Keep(namesOf(file))
	}
	for i, job := range file.Jobs {
		uses, err := usedBy(job)
		if err != nil {
			return nil, err
		}
		runner := Runner{
			Now: env.Now, Note: env.note, Stderr: env.Stderr,
			Load: func() (*Job, error) {
				file, err := env.Quiet.Parse(path, text)
				if err != nil {
					return nil, err
				}
				return file.Jobs[i], nil
			},
			Occurred: func(e Event) { env.noteAt(e.At, e.Job.Name+" "+described(e.Occurrence)) },
		}
		stamp := func() int64 { return 0 }
		if j, err := findJournal(job); err == nil {
			stamp = func() int64 { return stampOf(j.dir, job.Name) }
		}
		served = append(served, ServedJob{Name: job.Name, Uses: uses, Stamp: stamp, Run: func(ctx context.Context) (time.Time, error) {
			result, err := runner.Due(ctx)
			env.measure(ctx, runner.Load, measured)
			env.writePages(ctx, runner.Load, result)
			if err != nil {
				return time.Time{}, err
			}
			if result.Err != nil {
				env.note(job.Name + ": " + result.Err.Error())
			}
			env.notePause(result)
			return result.Wake, nil
		}})
	}
	return served, nil
}

// notePause logs that a job paused itself.
func (env Environment) notePause(result *StartResult) {
	if job := result.Job; len(result.Ran) > 0 && !job.PausedAt.IsZero() {
		env.note(job.Name + " is paused" + noteOf(job) + "; to let it start again, run: " + result.commands.Resume(job.Name))
	}
}

// usedBy names the journal and the accounts that a job uses. The keys of accounts are those of the process, so an
// account is the address of its service.
func usedBy(job *Job) ([]string, error) {
	options, _, err := job.Run.Workspace()
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	dir, err := options.Dir()
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	uses := []string{"journal " + dir}
	for _, of := range options.Services {
		if !options.Sandbox && of.BaseURL != "" {
			uses = append(uses, accountAt(of.BaseURL))
		}
	}
	return uses, nil
}

// accountAt names the account at an address, in whichever way it is written.
func accountAt(address string) string {
	if name, ok := checkpoint.CanonicalBaseURL(address); ok {
		address = name
	}
	return "account " + address
}
