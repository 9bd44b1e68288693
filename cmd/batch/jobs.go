package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"payonce/cmd/batch/exit"
	"payonce/cmd/batch/hints"
	"payonce/cmd/batch/jobs"
	"payonce/cmd/batch/nearest"
	"payonce/cmd/batch/serviceflags"
	"payonce/cmd/batch/starting"
	"payonce/internal/config"
	jobfile "payonce/internal/jobs"
	"payonce/internal/problem"
	"payonce/internal/workspace"
)

// jobs is what the commands for jobs need.
func (env environment) jobs() jobs.Environment {
	reader := jobfile.Reader{
		NewRun: env.newJobRun,
		Target: config.Target{
			Variables: serviceflags.Variables(), Getenv: env.getenv, SecretHint: hints.Of("secret"),
			Suggest: func(name string, names []string) string { return nearest.Question(name, "", names) },
		},
	}
	quiet, quietEnv := reader, env
	quietEnv.stdout, quietEnv.showsProgress = io.Discard, false
	quiet.NewRun = quietEnv.newJobRun
	return jobs.Environment{
		Stdout: env.stdout, Stderr: env.stderr, Now: env.now, EndWith: exit.With, After: env.after, Hangups: env.hangups,
		Reader: reader, Quiet: quiet, Getenv: env.getenv, Version: version,
		Codes: jobs.Codes{
			File: exit.Help(exit.Done, exit.Usage), Alert: exit.Help(exit.Done, exit.Usage, exit.Refused, exit.Interrupted),
			Look: exit.Help(exit.Done, exit.Internal, exit.Usage, exit.Interrupted, exit.Locked), Install: exit.Help(exit.Done, exit.Internal, exit.Usage),
			Serve: exit.Help(exit.Done, exit.Internal, exit.Usage), Run: exit.Help(exit.Done, exit.Internal, exit.Usage, exit.Refused, exit.Doubt, exit.Interrupted, exit.Approval, exit.Locked),
		},
	}
}

// newJobRun returns a run whose flags a job sets, and that asks nobody.
func (env environment) newJobRun() jobfile.Run {
	env.start, env.canAsk = &starting.Record{}, false
	o, cmd := newRun(env)
	(&cobra.Command{Use: "batch"}).AddCommand(cmd) // the start is recorded as that of batch run
	o.yes, o.service.LongestPause = true, jobs.LongestPause
	fail := func(err error) jobfile.Outcome {
		outcome := jobfile.Outcome{Exit: exit.Code(err), Reason: exit.Word(err)}
		if _, telling := exit.FailureOf(err, hints.PlaceOf(cmd.Flags())); telling {
			outcome.Err = err
		}
		return outcome
	}
	return jobfile.Run{
		Fail: func(err error) jobfile.Outcome {
			env.start.Failed(o.work, env.now, cmd, exit.Code(err), exit.Word(err))
			return fail(err)
		},
		Flags: cmd.Flags(), Check: o.problems,
		Workspace: func() (workspace.Options, workspace.Environment, error) {
			err := o.check()
			if coded, is := errors.AsType[*problem.Error](err); is && coded.Code == "not_connected" {
				err = problem.Coded("job_not_connected", "Not connected yet")
			}
			return o.workspace(), o.environment(), err
		},
		Start: func(ctx context.Context, list string, unapproved time.Time) jobfile.Outcome {
			cmd.SetContext(ctx)
			o.unapproved = unapproved
			began := env.now()
			err := runList(cmd, o, []string{list})
			env.start.End(exit.Code(err), exit.Word(err))
			return jobs.Outcome(fail(err), env.start.Ended(), began, exit.Refused)
		},
	}
}
