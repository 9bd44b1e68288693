package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"payonce/cmd/batch/jobs"
	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
)

// jobs is what the commands for jobs need.
func (env environment) jobs() jobs.Environment {
	reader := jobs.FileReader{
		NewRun: env.newJobRun,
		Target: commonTarget(env),
	}
	quiet, quietEnv := reader, env
	quietEnv.stdout, quietEnv.showsProgress = io.Discard, false
	quiet.NewRun = quietEnv.newJobRun
	return jobs.Environment{
		Stdout: env.stdout, Stderr: env.stderr, Now: env.now, EndWith: exitWith, After: env.after, Hangups: env.hangups,
		Reader: reader, Quiet: quiet, Version: version,
		Codes: jobs.Codes{
			File: exitHelp(exitDone, exitUsage), Alert: exitHelp(exitDone, exitUsage, exitRefused, exitInterrupted),
			Look: exitHelp(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked), Install: exitHelp(exitDone, exitInternal, exitUsage),
			Serve: exitHelp(exitDone, exitInternal, exitUsage), Run: exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked),
		},
	}
}

// newJobRun returns a run whose flags a job sets, and that asks nobody.
func (env environment) newJobRun() jobs.RunLine {
	env.start, env.canAsk, env.typed = &startingRecord{}, false, nil // a job has commands of its own
	o, cmd := newRun(env)
	(&cobra.Command{Use: "batch"}).AddCommand(cmd) // the start is recorded as that of batch run
	o.yes, o.service.LongestPause = true, jobs.LongestPause
	o.list.List.Fallback = false // a job keeps its maximum
	fail := func(err error) jobs.RunOutcome {
		outcome := jobs.RunOutcome{Exit: exitCode(err), Reason: exitWord(err)}
		if _, telling := failureOf(err, hintFlagsOf(cmd.Flags())); telling {
			outcome.Err = err
		}
		return outcome
	}
	return jobs.RunLine{
		Fail: func(err error) jobs.RunOutcome {
			env.start.Failed(o.work, env.now, cmd, exitCode(err), exitWord(err))
			return fail(err)
		},
		Flags: cmd.Flags(), Section: o.service.assumed.section(), Check: o.problems,
		Workspace: func() (workspace.Options, workspace.Environment, error) {
			err := o.check()
			if coded, is := errors.AsType[*problem.Error](err); is && strings.HasPrefix(coded.Code, "not_connected") {
				err = problem.Coded("job_"+coded.Code, "Not connected yet")
			}
			return o.workspace(), o.environment(), err
		},
		Plan: func(ctx context.Context, list string) error {
			cmd.SetContext(ctx)
			o.dryRun = true
			return runList(cmd, o, []string{list})
		},
		Start: func(ctx context.Context, list string, unapproved time.Time) jobs.RunOutcome {
			cmd.SetContext(ctx)
			o.unapproved = unapproved
			began := env.now()
			err := runList(cmd, o, []string{list})
			env.start.End(exitCode(err), exitWord(err))
			return jobs.Outcome(fail(err), env.start.Ended(), began, exitRefused)
		},
	}
}
