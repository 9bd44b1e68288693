package jobs

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"payonce/checkpoint/record"
	"payonce/io/notify"
	"payonce/pipeline/report"
)

// chosen returns the jobs of a file, or the one that is named.
func (env Environment) chosen(path string, names []string) ([]*Job, error) {
	if len(names) > 0 {
		job, err := env.job(path, names[0])
		return []*Job{job}, err
	}
	file, err := env.read(path)
	if err != nil {
		return nil, err
	}
	return file.Jobs, nil
}

// upcoming is when a job is due next.
type upcoming struct {
	Job        string    `json:"job"`
	Next       time.Time `json:"next,omitzero"` // left out without a schedule
	Occurrence string    `json:"occurrence,omitempty"`
	Paused     bool      `json:"paused"`
	Unfinished string    `json:"unfinished,omitempty"` // runs now, or goes on with the next start
	// Waits is when the unfinished occurrence goes on, and Reason why it waits. They are left out when none waits.
	Waits    time.Time `json:"waits_until,omitzero"`
	Reason   string    `json:"reason,omitempty"`
	Cause    string    `json:"cause,omitempty"` // Reason in words
	Note     string    `json:"note,omitempty"`
	Failures int64     `json:"failures"` // in a row
}

func newNextCommand(env Environment) *cobra.Command {
	var path string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "next [NAME]",
		Short: "Show when jobs are due next, and which are paused",
		Long:  "Show when each job is due next, which occurrence that is, and whether the job is paused." + env.Codes.Look,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := env.chosen(path, args)
			if err != nil {
				return err
			}
			rows, failures, err := env.upcoming(cmd.Context(), chosen)
			if err != nil {
				return err
			}
			if asJSON {
				return report.WriteJSON(env.Stdout, withFailures(failures, "jobs", rows))
			}
			if err := env.writeNext(rows); err != nil {
				return err
			}
			return env.writeFailures(failures)
		},
	}
	addFileFlag(cmd, &path)
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// upcoming returns when jobs are due next, and the channels that do not accept alerts.
func (env Environment) upcoming(ctx context.Context, of []*Job) (rows []upcoming, failures []notify.ChannelFailure, err error) {
	rows = []upcoming{}
	for _, job := range of {
		known, err := readKnown(ctx, job)
		if err != nil {
			return nil, nil, err
		}
		failures = append(failures, known.Failures...)
		k := known.Job
		row := upcoming{Job: job.Name, Paused: !k.PausedAt.IsZero(), Unfinished: k.Unfinished, Note: k.PauseNote, Failures: k.Failures}
		if one, waits := known.Waiting(); waits {
			row.Waits, row.Reason, row.Cause = one.Until.In(job.Plan.Zone), one.Reason, notify.CauseOf(one)
		}
		if next, due := job.Plan.NextAfter(env.Now()); !next.IsZero() {
			row.Next, row.Occurrence = due.In(job.Plan.Zone), next.String()
		}
		rows = append(rows, row)
	}
	return rows, failures, nil
}

// texts return when a job is due next and its state, for a person.
func (row upcoming) texts() (next, state string) {
	next, state = "-", "scheduled"
	if row.Occurrence == "" {
		state = "started by hand"
	} else {
		next = row.Next.Format("2006-01-02 15:04:05 MST")
	}
	switch {
	case row.Paused && !row.Waits.IsZero():
		state = fmt.Sprintf("paused; %s waits until %s, %s", row.Unfinished, row.Waits.Format("2006-01-02 15:04 MST"), row.Cause)
	case row.Paused:
		state = "paused"
	case !row.Waits.IsZero():
		state = fmt.Sprintf("%s waits until %s: %s", row.Unfinished, row.Waits.Format("2006-01-02 15:04 MST"), report.Printable(row.Cause))
	case row.Unfinished != "":
		state = row.Unfinished + " has not ended"
	case row.Failures > 0:
		state = failures(row.Failures)
	}
	if row.Note != "" {
		state += ": " + report.Printable(row.Note)
	}
	return next, state
}

func (env Environment) writeNext(rows []upcoming) error {
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "JOB\tNEXT\tOCCURRENCE\tSTATE")
	for _, row := range rows {
		next, state := row.texts()
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", row.Job, next, row.Occurrence, state)
	}
	return w.Flush()
}

// failures counts failures in a row.
func failures(n int64) string {
	if n == 1 {
		return "failed once"
	}
	return fmt.Sprintf("failed %d times in a row", n)
}

func newHistoryCommand(env Environment) *cobra.Command {
	var path string
	var asJSON bool
	most := 30
	cmd := &cobra.Command{
		Use:   "history [NAME]",
		Short: "Show the past occurrences of jobs and their results",
		Long: "Show the occurrences of jobs, the newest last: when each was due, when it began and ended, its exit\n" +
			"code, what was found and spent, and why one did not run." + env.Codes.Look,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := env.chosen(path, args)
			if err != nil {
				return err
			}
			all, failures, err := past(cmd.Context(), chosen)
			if err != nil {
				return err
			}
			all = all[max(0, len(all)-max(most, 0)):]
			if asJSON {
				return report.WriteJSON(env.Stdout, withFailures(failures, "occurrences", advised(all, chosen)))
			}
			if err := env.writeHistory(all); err != nil {
				return err
			}
			if err := env.writeAdvice(advised(all, chosen)); err != nil {
				return err
			}
			return env.writeFailures(failures)
		},
	}
	addFileFlag(cmd, &path)
	addJSONFlag(cmd, &asJSON)
	cmd.Flags().IntVarP(&most, "limit", "n", most, "show the last `N` occurrences")
	return cmd
}

// past returns the occurrences of jobs, the newest last, and the channels that do not accept alerts.
func past(ctx context.Context, of []*Job) (all []record.Occurrence, failures []notify.ChannelFailure, err error) {
	all = []record.Occurrence{}
	for _, job := range of {
		known, err := readKnown(ctx, job)
		if err != nil {
			return nil, nil, err
		}
		all, failures = append(all, known.History...), append(failures, known.Failures...)
	}
	slices.SortStableFunc(all, func(a, b record.Occurrence) int { return a.Due.Compare(b.Due) })
	return all, failures, nil
}

// cells returns the cells of an occurrence in a history.
func cells(one record.Occurrence) []string {
	at := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.In(zoneOf(one)).Format("2006-01-02 15:04:05")
	}
	name, exit, found, spent := one.At, "-", "-", "-"
	if one.Count > 1 {
		name = fmt.Sprintf("%s to %s (%d)", one.First, one.At, one.Count)
	}
	if one.Starts > 0 {
		found, spent = strconv.FormatInt(one.Found, 10), "$"+one.Spent.String()
	}
	if !one.Ended.IsZero() {
		exit = strconv.FormatInt(one.Exit, 10)
	}
	return []string{one.Job, name, at(one.Due), at(one.Began), at(one.Ended), exit, found, spent, stateOf(one)}
}

// historyHeader has the names of these cells.
var historyHeader = []string{"job", "occurrence", "due", "began", "ended", "exit", "found", "spent", "reason"}

func (env Environment) writeHistory(all []record.Occurrence) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(env.Stdout, "No occurrence has run yet. \"batch jobs next\" shows when jobs are due.")
		return err
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.ToUpper(strings.Join(historyHeader, "\t")))
	for _, one := range all {
		fmt.Fprintln(w, strings.Join(cells(one), "\t"))
	}
	return w.Flush()
}

// advisedOccurrence is an occurrence with what a person can do about it.
type advisedOccurrence struct {
	record.Occurrence
	Cause   string `json:"cause,omitempty"`   // why it did not run, or ended early, in one sentence
	Command string `json:"command,omitempty"` // runs it, or goes on with it; left out where nobody has to act
	doing   string // what the command does
}

// advised returns occurrences of jobs with what a person can do about them.
func advised(all []record.Occurrence, chosen []*Job) []advisedOccurrence {
	list := []advisedOccurrence{}
	for _, one := range all {
		a := advisedOccurrence{Occurrence: one, Cause: notify.CauseOf(one)}
		if i := slices.IndexFunc(chosen, func(job *Job) bool { return job.Name == one.Job }); i >= 0 {
			a.doing, a.Command = notify.Advice(one, chosen[i].Commands().About(one))
		}
		list = append(list, a)
	}
	return list
}

// mostAdvised is how many commands stand below a history. The newest are shown.
const mostAdvised = 5

// writeAdvice prints the commands for the newest occurrences that need somebody to act.
func (env Environment) writeAdvice(all []advisedOccurrence) error {
	all = slices.DeleteFunc(all, func(one advisedOccurrence) bool { return one.Command == "" })
	for _, one := range all[max(0, len(all)-mostAdvised):] {
		if _, err := fmt.Fprintf(env.Stdout, "\n%s %s: %s. %s, run:\n%s\n", one.Job, one.At, report.Printable(one.Cause), one.doing, one.Command); err != nil {
			return err
		}
	}
	return nil
}

// stateOf returns the reason of an occurrence, or that it has not ended.
func stateOf(one record.Occurrence) string {
	if one.Starts > 0 && one.Ended.IsZero() && one.Reason == "" {
		if one.Machine != "" {
			return "runs on " + report.Printable(one.Machine) + ", or was killed and goes on with the next start"
		}
		return "runs, or was killed and goes on with the next start"
	}
	return reasonOf(one)
}

// withFailures returns an object with a list, and with the channels that do not accept alerts if there are any.
func withFailures(failures []notify.ChannelFailure, name string, list any) map[string]any {
	object := map[string]any{name: list}
	if len(failures) > 0 {
		object["alerts_not_accepted"] = failures
	}
	return object
}

// writeFailures prints which channels do not accept alerts.
func (env Environment) writeFailures(failures []notify.ChannelFailure) error {
	for _, f := range failures {
		_, err := fmt.Fprintf(env.Stdout, "alerts of %s that the channel %s has not accepted: %d since %s; last error: %s\n", f.Job, f.Channel,
			f.Alerts, f.Since.UTC().Format("2006-01-02 15:04 MST"), report.Printable(f.Error))
		if err != nil {
			return err
		}
	}
	return nil
}

func newPauseCommand(env Environment) *cobra.Command {
	return newChangeCommand(env, "pause NAME", "Keep a job from starting",
		"Keep a job from starting. Its occurrences that become due meanwhile do not run, and the history says so.",
		func(cmd *cobra.Command, job *Job, note string, wait time.Duration) error {
			if err := pauseJob(cmd.Context(), job, note, env.Now(), wait); err != nil {
				return err
			}
			_, err := fmt.Fprintf(env.Stdout, "%s is paused\n", job.Name)
			return err
		})
}

func newResumeCommand(env Environment) *cobra.Command {
	return newChangeCommand(env, "resume NAME", "Let a paused job start again",
		"Let a job start again after a pause, by hand or after failures. Occurrences that were due meanwhile do\n"+
			"not run. One that was due before the pause starts within its catch-up window. One that waits for the end\n"+
			"of a limit goes on at its time. \"batch jobs serve\" notices it within seconds, others with the next start.",
		func(cmd *cobra.Command, job *Job, note string, wait time.Duration) error {
			resumed, err := resumeJob(cmd.Context(), job, note, env.Now(), wait)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(env.Stdout, resumed.text(job, env.Now()))
			return err
		})
}

// text says what became of the occurrences, with a command for each that does not go on by itself.
func (r resumed) text(job *Job, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s starts again\n", job.Name)
	switch one := r.goesOn; {
	case one.At == "":
	case one.Until.After(now):
		fmt.Fprintf(&b, "%s goes on at %s, as it would have without the pause\n", one.At, one.Until.In(job.Plan.Zone).Format("2006-01-02 15:04 MST"))
	default:
		fmt.Fprintf(&b, "%s goes on with the next start\n", one.At)
	}
	for _, one := range r.ended {
		fmt.Fprintf(&b, "%s is given up: %s. To go on with it, run:\n%s\n", one.At, notify.CauseOf(one), job.Commands().Run(job.Name, one.At))
	}
	switch {
	case r.passed == 1:
		fmt.Fprintf(&b, "%s was due while the job was paused, and does not run. To run it, run:\n", r.last)
	case r.passed > 1:
		fmt.Fprintf(&b, "%d occurrences were due while the job was paused, and do not run. To run the last of them, run:\n", r.passed)
	}
	if r.passed > 0 {
		fmt.Fprintln(&b, job.Commands().Run(job.Name, r.last.String()))
	}
	return b.String()
}

// newChangeCommand returns a command that changes the state of a job.
func newChangeCommand(env Environment, use, short, long string, do func(*cobra.Command, *Job, string, time.Duration) error) *cobra.Command {
	var path, note string
	wait := 10 * time.Second
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long + env.Codes.Look, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			job, err := env.job(path, args[0])
			if err != nil {
				return err
			}
			return do(cmd, job, note, wait)
		},
	}
	addFileFlag(cmd, &path)
	cmd.Flags().StringVar(&note, "note", "", "why, as a `TEXT` that next and history show")
	cmd.Flags().DurationVar(&wait, "wait", wait, "wait up to this time for another process that owns the journal")
	return cmd
}
