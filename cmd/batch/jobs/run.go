package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/io/notify"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

func newRunCommand(env Environment) *cobra.Command {
	var path, at, approve string
	var once, quiet, dryRun bool
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Run the occurrences of a job that are due, each once",
		Long: "Run every occurrence of a job that is due and did not run, the oldest first. This is what a timer\n" +
			"starts. When nothing is due, it ends at once. An occurrence that was interrupted goes on. One that\n" +
			"was missed starts within its catch-up window; after that, the history shows why it did not run.\n\n" +
			"Each occurrence is a run of batch run, named after the job and the occurrence. It never\n" +
			"asks for approval. When it reaches a limit that ends by itself, such as a daily ceiling, it waits until\n" +
			"then: the process ends, and the first start after that time goes on. When a limit does not end within\n" +
			"the catch-up window, the occurrence has ended. Neither is a failure.\n\n" +
			"With --occurrence only that one runs, also when it failed before. With --now the job runs once,\n" +
			"independently of its schedule, also when it is paused. An occurrence that waits goes on at once.\n\n" +
			"A run that can spend more than approval-threshold of the jobs file sends nothing and ends with 7. To\n" +
			"approve it, start its occurrence again with --approve.\n\n" +
			"With --dry-run it shows the plan of the occurrence that is due, or else of the next one.\n" +
			"It sends nothing and records nothing. It runs the command or the query of the list." + env.Codes.Run,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := RunRequest{Once: once}
			if at != "" {
				occurrence, err := parseLocalTime(at)
				if err != nil {
					return problem.Usagef("--occurrence %w", err)
				}
				request.At = occurrence
			}
			if _, err := daemon.SdNotify(false, daemon.SdNotifyReady); err != nil {
				env.note(fmt.Sprintf("the service manager did not get the message that the job started: %v", err))
			}
			if quiet {
				env.Reader = env.Quiet
			}
			if dryRun && approve != "" {
				return problem.Usagef("--dry-run spends nothing, so there is nothing to approve; leave one of --dry-run and --approve out")
			}
			if dryRun {
				job, err := env.job(path, args[0])
				if err != nil {
					return err
				}
				return env.dryRun(cmd.Context(), job, request)
			}
			if approve != "" && request == (RunRequest{}) {
				return problem.Usagef("--approve approves one run; name its occurrence with --occurrence, or give --now")
			}
			runner := Runner{
				Load: func() (*Job, error) { return env.approved(path, args[0], approve) },
				Now:  env.Now, Sleep: sleep, Stderr: env.Stderr,
				Note:     func(text string) { fmt.Fprintln(env.Stderr, "batch: "+text) },
				Occurred: func(e Event) { fmt.Fprintf(env.Stdout, "%s %s\n", e.Job.Name, described(e.Occurrence)) },
			}
			result, err := runner.Run(cmd.Context(), request)
			env.measure(cmd.Context(), runner.Load, nil)
			env.writePages(cmd.Context(), runner.Load, result)
			if err != nil {
				return err
			}
			return env.ended(args[0], result, quiet)
		},
	}
	addFileFlag(cmd, &path)
	cmd.Flags().StringVar(&at, "occurrence", "", "run only this occurrence, by its local date and `TIME`, such as 2026-11-22T02:30")
	cmd.Flags().BoolVar(&once, "now", false, "run the job now, independently of its schedule")
	cmd.Flags().StringVar(&approve, "approve", "", "approve that the run spends up to this amount in `USD`, above the job's approval-threshold")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print only what happened to occurrences, without plans and summaries")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the plan of the occurrence that is due, or else of the next one, and end; it spends nothing")
	cmd.MarkFlagsMutuallyExclusive("occurrence", "now")
	return cmd
}

// sleep waits for a time, or until the context ends.
func sleep(ctx context.Context, span time.Duration) error {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// approved reads one job of a jobs file, and approves that its run spends an amount; "" approves nothing.
func (env Environment) approved(path, name, amount string) (*Job, error) {
	job, err := env.job(path, name)
	if err != nil || amount == "" {
		return job, err
	}
	if err := job.Run.Flags.Lookup("approve").Value.Set(amount); err != nil {
		return nil, problem.Usagef("--approve %w", err)
	}
	return job, nil
}

// job reads one job of a jobs file.
func (env Environment) job(path, name string) (*Job, error) {
	file, err := env.read(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, job := range file.Jobs {
		if job.Name == name {
			return job, nil
		}
		names = append(names, job.Name)
	}
	return nil, problem.Usagef("there is no job %q in %s%s", name, path, env.Reader.Target.Suggest(name, names))
}

// ended prints why a start did nothing, and returns the error that ends the command.
func (env Environment) ended(name string, result *StartResult, quiet bool) error {
	tell := func(format string, args ...any) { fmt.Fprintf(env.Stdout, format+"\n", args...) }
	switch {
	case quiet:
	case result.Busy:
		tell("%s runs already: nothing was started", name)
	case result.Done:
		tell("%s: this occurrence has run", name)
	case !result.Job.PausedAt.IsZero() && len(result.Ran) == 0:
		tell("%s is paused since %s%s", name, result.Job.PausedAt.Format("2006-01-02 15:04 MST"), noteOf(result.Job))
		if !result.Waits.IsZero() {
			tell("%s waits until %s", result.Job.Unfinished, result.Waits.Format("2006-01-02 15:04 MST"))
		}
	case !result.Waits.IsZero() && len(result.Ran) == 0:
		tell("%s waits until %s; --now goes on at once", name, result.Waits.Format("2006-01-02 15:04 MST"))
	case len(result.Ran) == 0 && !result.Next.IsZero():
		tell("%s: nothing is due before %s", name, result.Next.Format("2006-01-02 15:04 MST"))
	}
	if len(result.Ran) > 0 && !result.Job.PausedAt.IsZero() {
		fmt.Fprintf(env.Stderr, "batch: %s is paused%s; to let it start again, run: %s\n", name, noteOf(result.Job), result.commands.Resume(name))
	}
	if result.Err != nil {
		return withOccurrence(result)
	}
	return env.EndWith(result.Exit)
}

// withOccurrence returns the error of a start. When the run needs an approval, the error says how to give it.
func withOccurrence(result *StartResult) error {
	missing, is := errors.AsType[*problem.Error](result.Err)
	if !is || missing.Code != codeUnapproved || len(missing.Values) == 0 || len(result.Ran) == 0 {
		return result.Err
	}
	last := result.Ran[len(result.Ran)-1]
	amount, _ := missing.Values[0].(cost.Money)
	return problem.Unapproved("job_approval_missing", "%w", missing.Err).With(quotedLine(result.commands.Approve(last.Job, last.At, amount)))
}

// quotedLine is a command line as a value of an error. Its words are quoted already.
type quotedLine string

func noteOf(job record.Job) string {
	if job.PauseNote == "" {
		return ""
	}
	return ": " + report.Printable(job.PauseNote)
}

// zoneOf returns the time zone of an occurrence.
func zoneOf(one record.Occurrence) *time.Location {
	if zone, err := time.LoadLocation(one.Zone); err == nil {
		return zone
	}
	return time.UTC
}

// described says what happened to an occurrence.
func described(one record.Occurrence) string {
	text := one.At
	if one.Count > 1 {
		text = fmt.Sprintf("%s to %s (%d)", one.First, one.At, one.Count)
	}
	switch {
	case one.Starts == 0:
		return text + ": did not run: " + reasonOf(one)
	case one.Ended.IsZero():
		return text + ": did not end"
	}
	text += fmt.Sprintf(": exit %d, %d found, $%s", one.Exit, one.Found, one.Spent)
	if one.Reason != "" {
		text += ", " + reasonOf(one)
	}
	return text
}

// reasonOf words the reason of an occurrence.
func reasonOf(one record.Occurrence) string {
	switch one.Reason {
	case string(Missed):
		return "missed: its catch-up window had passed"
	case string(overlap):
		return "skipped: " + notify.CauseOf(one)
	case record.NotFinished:
		return "not finished, and not started again: its catch-up window has passed"
	}
	cause := report.Printable(notify.CauseOf(one))
	switch {
	case one.Starts == 0 && strings.HasPrefix(one.Reason, string(Paused)):
		return report.Printable(one.Reason) // with the note
	case !one.Until.IsZero():
		return cause + ", waits until " + one.Until.In(zoneOf(one)).Format("2006-01-02 15:04 MST")
	}
	return cause
}
