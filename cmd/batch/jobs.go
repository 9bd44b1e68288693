package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"payonce/cmd/batch/hints"
	"payonce/cmd/batch/jobs"
	"payonce/cmd/batch/nearest"
	"payonce/cmd/batch/serviceflags"
	"payonce/cmd/batch/starting"
	"payonce/internal/config"
	jobfile "payonce/internal/jobs"
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
		Stdout: env.stdout, Stderr: env.stderr, Now: env.now, EndWith: endedWith, After: env.after, Hangups: env.hangups,
		Reader: reader, Quiet: quiet, Getenv: env.getenv, Version: version,
		Codes: jobs.Codes{
			File: exitCodes(exitDone, exitUsage), Alert: exitCodes(exitDone, exitUsage, exitRefused, exitInterrupted),
			Look: exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked), Install: exitCodes(exitDone, exitInternal, exitUsage),
			Serve: exitCodes(exitDone, exitInternal, exitUsage), Run: exitCodes(exitDone, exitInternal, exitUsage, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked),
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
		outcome := jobfile.Outcome{Exit: exitCode(err), Reason: codeOf(err)}
		if _, telling := failureOf(err, hints.PlaceOf(cmd.Flags())); telling {
			outcome.Err = err
		}
		return outcome
	}
	return jobfile.Run{
		Fail: func(err error) jobfile.Outcome {
			env.start.Failed(o.work, env.now, cmd, exitCode(err), codeOf(err))
			return fail(err)
		},
		Flags: cmd.Flags(), Check: o.problems,
		Workspace: func() (workspace.Options, workspace.Environment, error) {
			err := o.check()
			return o.workspace(), o.environment(), err
		},
		Start: func(ctx context.Context, list string) jobfile.Outcome {
			cmd.SetContext(ctx)
			began := env.now()
			err := runList(cmd, o, []string{list})
			env.start.End(exitCode(err), codeOf(err))
			return jobs.Outcome(fail(err), env.start.Ended(), began, exitRefused)
		},
	}
}
