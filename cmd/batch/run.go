package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/pipeline"
	"payonce/service"
)

func newRunCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "run LIST [-o OUT]",
		Short: "Enrich the list, under --max-spend; run it again to resume",
		Long: "Show the plan, ask, look up what is missing and write the list back filled in. Running the\n" +
			"same command again resumes: what was answered is never paid again, and --max-spend counts\n" +
			"what the run has spent already." +
			exitCodes(exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitLocked),
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withSession(cmd, func(session *session) error { return runList(cmd.Context(), session, args[0]) })
		},
	}
	s.addJournalFlags(cmd.Flags())
	s.addServiceFlags(cmd.Flags())
	s.addListFlags(cmd.Flags())
	cmd.Flags().StringVarP(&s.output, "output", "o", "", "write the enriched list to this `FILE` (default LIST with .enriched before its ending)")
	cmd.Flags().BoolVar(&s.rebuy, "rebuy", false, "buy fields again that were charged and whose answers were lost")
	cmd.Flags().BoolVar(&s.yes, "yes", false, "do not ask before spending")
	return cmd
}

// runList carries a run from its checks to its summary.
func runList(ctx context.Context, s *session, path string) error {
	if err := s.checkRun(path); err != nil {
		return err
	}
	j, err := prepareJob(ctx, s, path)
	if err != nil {
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
	if err := j.take(); err != nil {
		return err
	}
	if err := j.openAccount(ctx, client); err != nil {
		return err
	}
	if err := j.showPlanAndAsk(ctx); err != nil {
		return err
	}
	return j.runToEnd(ctx, client)
}

// checkRun refuses what a run must not start with, before anything is read.
func (s *settings) checkRun(list string) error {
	if s.output == "" {
		s.output = outputName(list)
	}
	switch {
	case s.maxSpend.amount == nil:
		return usagef("a run needs --max-spend USD, the most that it may spend; nothing was sent")
	case !s.yes && !s.env.canAsk:
		return usagef("nobody can be asked before spending, because this is no terminal: look at %q first, then say --yes; nothing was sent",
			"batch plan "+list)
	}
	return s.checkTargets(list)
}

// checkTargets refuses an output or a file of rejects that cannot be written, or
// that is the list.
func (s *settings) checkTargets(list string) error {
	if err := checkTarget("-o", s.output, list); err != nil {
		return err
	}
	if s.rejects == "" {
		return nil
	}
	if sameFile(s.rejects, s.output) {
		return usagef("--rejects and -o name the same file; choose two")
	}
	return checkTarget("--rejects", s.rejects, list)
}

// openAccount reads the account before the run. Nothing is in flight, so the
// snapshot is the new base of what the journal knows of the account, after it has
// settled what an earlier start lost.
func (j *job) openAccount(ctx context.Context, client *service.Client) error {
	if err := j.settleLeftovers(ctx, client); err != nil {
		return err
	}
	if err := j.readAccount(ctx, client.StatusClient); err != nil || !j.asked {
		return err
	}
	if err := j.journal.RememberAPIKey(j.apiKey); err != nil {
		return err
	}
	if j.reconciler(client.StatusClient).Pending() > 0 {
		// The base that could decide them is still needed. Free units that have gone
		// since are not counted on.
		_, err := j.monitor(client.StatusClient).Read(ctx)
		return asServiceIfRefused(ctx, err)
	}
	return j.journal.Rebase(j.account)
}

// settleLeftovers settles the lookups that an earlier start left in doubt, before
// anything new is sent, and surveys the list again with what is known then.
func (j *job) settleLeftovers(ctx context.Context, client *service.Client) error {
	reconciler := j.reconciler(client.StatusClient)
	pending := reconciler.Pending()
	if pending == 0 {
		return nil
	}
	fmt.Fprintf(j.env.stderr, "batch: an earlier start left %d lookups in doubt: waiting for the account to settle, to see whether they were charged\n", pending)
	findings, err := reconciler.Reconcile(ctx)
	if err != nil {
		return asServiceIfRefused(ctx, err)
	}
	fmt.Fprintln(j.env.stderr, "batch: "+describeFindings(findings))
	return j.take()
}

// monitor compares the account with the journal.
func (j *job) monitor(status *service.StatusClient) *pipeline.Monitor {
	return &pipeline.Monitor{Status: status, Accountant: j.journal, Scope: checkpoint.ScopeAccount}
}

// reconciler settles lost lookups by what the account shows.
func (j *job) reconciler(status *service.StatusClient) *pipeline.Reconciler {
	return &pipeline.Reconciler{Arbiter: j.journal, Status: status, SettleDelay: j.settleDelay, Now: j.env.now}
}

// describeFindings sums up what became of lookups in doubt.
func describeFindings(findings attempt.Findings) string {
	counts := map[cost.Finding]int{}
	for _, c := range findings.Cases {
		counts[c.Finding]++
	}
	text := fmt.Sprintf("%d were not charged and may be asked again, %d were charged and their answers are lost, %d stay in doubt",
		counts[cost.NotCharged], counts[cost.Charged], counts[cost.Undecided])
	if findings.Why != "" {
		text += ": " + findings.Why
	}
	return text
}

// showPlanAndAsk prints the plan and asks before anything is spent.
func (j *job) showPlanAndAsk(ctx context.Context) error {
	plan, err := j.plan()
	if err != nil {
		return usageError{err}
	}
	out := j.env.stdout
	if j.json {
		out = j.env.stderr
	}
	if err := plan.print(out); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if j.yes || j.counts.Lookup == 0 {
		return nil
	}
	_, left, _ := cost.Tightest(j.ceilings(), j.planTotals)
	question := fmt.Sprintf("Send %d lookups and spend at most $%s? [y/N] ", j.counts.Lookup, min(plan.Maximum, max(left, 0)))
	confirmed := j.confirm(ctx, question)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !confirmed:
		return usagef("not confirmed; nothing was sent")
	}
	return nil
}

// confirm asks a question and waits for a line, or for an interrupt.
func (s *settings) confirm(ctx context.Context, question string) bool {
	fmt.Fprint(s.env.stderr, question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(s.env.stdin).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(s.env.stderr)
		return false
	case text := <-answer:
		return text == "y" || text == "yes"
	}
}

// runToEnd sends the lookups, writes the output and tells how it went. From here
// on the run is on record, and its output is written however it ends.
func (j *job) runToEnd(ctx context.Context, client *service.Client) error {
	record, err := j.record()
	if err != nil {
		return err
	}
	if err := j.journal.SaveRun(record); err != nil {
		return err
	}
	stop := pipeline.Stop(nil)
	if j.asked {
		stop = pipeline.Precheck(j.account, j.counts)
	}
	var tally pipeline.Tally
	var drift cost.Drift
	if stop == nil && j.counts.Lookup > 0 {
		if tally, stop, drift, err = j.lookUpWatched(ctx, client); err != nil {
			return err
		}
	}
	rows, err := writeOutput(j.outputOf(stop), j.list, j.survey, j.journal, j.output, j.rejects)
	if err != nil {
		return err
	}
	record.Ended, record.Rows = j.env.now(), rowsByName(rows)
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
func (j *job) lookUpWatched(ctx context.Context, client *service.Client) (pipeline.Tally, pipeline.Stop, cost.Drift, error) {
	progress := newProgress(j)
	monitor := j.monitor(client.StatusClient)
	watching, endWatch := context.WithCancel(context.WithoutCancel(ctx))
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		monitor.Watch(watching, progress.drift)
	}()
	noteInterrupt := context.AfterFunc(ctx, progress.interrupted)
	tally, stop, err := j.lookUp(ctx, client, progress)
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
	return tally, stop, drift, nil
}

// rowsByName returns the rows by outcome under their names.
func rowsByName(rows map[pipeline.Status]int64) map[string]int64 {
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
