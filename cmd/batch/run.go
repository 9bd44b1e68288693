package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/report"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/row"
	"payonce/service/v1"
)

func newRunCommand(env environment) *cobra.Command {
	_, cmd := newRun(env)
	return cmd
}

// newRun returns the command and the settings that its flags set.
func newRun(env environment) (*settings, *cobra.Command) {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "run LIST... [-o OUT]",
		Short: "Enrich the list, under --max-spend; run it again to resume",
		Long: "Show the plan, ask, look up what is missing and write the list back filled in. Running the\n" +
			"same command again resumes: what was answered is never paid again, and --max-spend counts\n" +
			"what the run has spent already. --approval-threshold and --approve count from this start.\n\n" +
			"With --plan the list and the flags come from a plan that was kept with \"batch plan --out\". The run\n" +
			"refuses when the list, its columns, the prices or the ceilings are not as they were planned, or\n" +
			"when it could cost more; what was answered since makes no difference." +
			exitCodes(exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitLocked),
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withSession(cmd, func(session *session) error {
				list, err := session.listToRun(args)
				if err != nil {
					return err
				}
				return runList(cmd.Context(), session, list)
			})
		},
	}
	s.addJournalFlags(cmd.Flags())
	s.addServiceFlags(cmd.Flags())
	s.addListFlags(cmd.Flags())
	s.addPriceFlags(cmd.Flags())
	s.addCeilingFlags(cmd.Flags())
	cmd.Flags().StringVar(&s.planFile, "plan", "", "run the list and the flags of this plan `FILE`")
	cmd.Flags().Var(&s.approve, "approve", "agree to this start spending so much, above --approval-threshold; it spends no more")
	cmd.Flags().StringVarP(&s.output, "output", "o", "", "write the enriched list to this `FILE` (default LIST with .enriched before its ending)")
	cmd.Flags().BoolVar(&s.rebuy, "rebuy", false, "buy fields again that were charged and whose answers were lost")
	cmd.Flags().BoolVar(&s.yes, "yes", false, "do not ask before spending")
	return s, cmd
}

// listToRun returns the list that the command line names, or else the plan's.
func (s *settings) listToRun(args []string) ([]string, error) {
	switch {
	case len(args) > 0:
		return args, nil
	case s.kept != nil && len(s.kept.List.Paths) == 0:
		return nil, usagef("the list of this plan came from standard input: give it again, as %q", "batch run - --plan FILE")
	case s.kept != nil:
		return s.kept.List.Paths, nil
	}
	return nil, usagef("which list? give its file, or --plan FILE; see %q", "batch run --help")
}

// runList carries a run from its checks to its summary.
func runList(ctx context.Context, s *session, list []string) error {
	if err := s.checkRun(list); err != nil {
		return err
	}
	j, err := prepareJob(s, list)
	if err != nil {
		return err
	}
	if err := j.checkOutputs(); err != nil {
		return err
	}
	if err := s.openJournal("run " + j.name); err != nil {
		return err
	}
	client, err := s.openClient()
	if err != nil {
		return err
	}
	defer client.Close()
	if err := j.take(ctx); err != nil {
		return err
	}
	if err := j.checkRows(); err != nil {
		return err
	}
	if err := j.openAccount(ctx, client); err != nil {
		return err
	}
	if err := j.showPlanAndAsk(ctx, client.StatusClient); err != nil {
		return err
	}
	return j.runToEnd(ctx, client)
}

// checkRun refuses what a run must not start with, before anything is read.
func (s *session) checkRun(list []string) error {
	if s.output == "" {
		var err error
		if s.output, err = outputName(list); err != nil {
			return err
		}
	}
	if err := s.keepStandardOutput(); err != nil {
		return err
	}
	switch {
	case s.maxSpend.Amount == nil:
		return usagef("a run needs --max-spend USD, the most that it may spend; nothing was sent")
	case !s.yes && !s.env.canAsk:
		return usagef("nobody can be asked before spending, because this is no terminal: look at %q first, then say --yes; nothing was sent",
			"batch plan "+strings.Join(list, " "))
	}
	return s.checkTargets(s.sources(list))
}

// showPlanAndAsk prints the plan, compares it with the one that the run is to
// follow, and asks before anything is spent.
func (j *job) showPlanAndAsk(ctx context.Context, status *v1.StatusClient) error {
	j.keepToApprove()
	plan, err := j.plan()
	if err != nil {
		return usageError{err}
	}
	out := j.env.stdout
	if j.json {
		out = j.env.stderr
	}
	if err := report.Text(out, plan, hint); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if err := j.checkPlanned(plan); err != nil {
		return err
	}
	return j.ask(ctx, status, plan)
}

// runToEnd sends the lookups, writes the output and tells how it went. From here
// on the run is on record, and its output is written however it ends.
func (j *job) runToEnd(ctx context.Context, client *v1.Client) error {
	outliveReaders()
	record, err := j.record()
	if err != nil {
		return err
	}
	if err := j.journal.SaveRun(record); err != nil {
		return err
	}
	stop := dispatch.Stop(nil)
	if j.asked {
		stop = j.foreseen()
	}
	var tally dispatch.Tally
	var drift cost.Drift
	if stop == nil && j.counts.Lookup > 0 {
		if tally, stop, drift, err = j.lookUpWatched(ctx, client); err != nil {
			return err
		}
	}
	rows, err := j.writeWhole(ctx, j.outputOf(stop))
	if err != nil {
		return fmt.Errorf("every answer that came is recorded, but %s was not written: %w; the same command writes it, and asks for nothing again", placeOf(j.output), err)
	}
	record.Ended, record.Rows, record.Drift = j.env.now(), rowsByName(rows), drift
	if stop != nil {
		record.Stop = stop.Word()
	}
	if err := j.journal.SaveRun(record); err != nil {
		return err
	}
	return j.conclude(rows, tally, stop, drift)
}

// lookUpWatched sends the lookups while the account is watched, and compares the
// two a last time at the end.
func (j *job) lookUpWatched(ctx context.Context, client *v1.Client) (dispatch.Tally, dispatch.Stop, cost.Drift, error) {
	progress := newProgress(j)
	monitor := j.monitor(client.StatusClient)
	sending, halt := dispatch.WithHalt(ctx)
	defer halt(dispatch.Interrupted{})
	monitor.Halt = halt
	watching, endWatch := context.WithCancel(context.WithoutCancel(ctx))
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		monitor.Watch(watching, progress.drift)
	}()
	noteInterrupt := context.AfterFunc(ctx, progress.interrupted)
	tally, stop, err := j.lookUp(sending, client, progress)
	noteInterrupt()
	endWatch()
	<-watched
	progress.finish()
	if err != nil {
		return tally, stop, cost.Drift{}, err
	}
	drift, driftErr := monitor.Read(context.WithoutCancel(ctx))
	if driftErr != nil {
		drift = cost.Drift{} // nothing is known; the next run reads the account again
	}
	if higher := monitor.StopOf(drift); higher != nil && codeOfStop(stop) == exitCeiling {
		stop = higher // the ceiling is not safe, and to raise it would not help
	}
	return tally, stop, drift, nil
}

// rowsByName returns the rows by outcome under their names.
func rowsByName(rows map[row.Status]int64) map[string]int64 {
	named := map[string]int64{}
	for status, n := range rows {
		named[string(status)] = n
	}
	return named
}

// newPacer spreads lookups evenly over the window.
func newPacer(r checkpoint.Rate) *rate.Limiter {
	return rate.NewLimiter(rate.Every(r.Window/time.Duration(r.Slots)), 1)
}
