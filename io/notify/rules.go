// This file says which alerts follow from what happened to a job. Its functions are pure. Texts have words of this
// package, commands, numbers, names of jobs and workspaces, times, codes and names of files that stand in the jobs file.
// They have nothing that comes from a list.

package notify

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"payonce/checkpoint/record"
	"payonce/cost"
)

// RunEnd says how a start of an occurrence ended.
type RunEnd string

// The ends.
const (
	RunDone   RunEnd = "done"    // everything that could be written is written
	RunFailed RunEnd = "failed"  // a person has to act
	RunWaits  RunEnd = "waits"   // for the end of a limit
	RunGoesOn RunEnd = "goes on" // with the next start: it was interrupted, or had no journal
)

// RunFacts are what a run reported, except how it ended.
type RunFacts struct {
	InDoubt int64               // lookups of the run
	Fields  []record.FieldCount // that this start asked for
	// Lost is what the account lost that the journal did not use.
	Lost      cost.Money
	LostUnits int64 // of free allowances and modules
	// Unapproved is what a run without its approval can spend; zero when that is not known.
	Unapproved cost.Money
	// Higher are prices that the account shows and that are higher than the ones in use, by field.
	Higher map[string]cost.Money
}

// RunEnded is what is known when a start of an occurrence ended.
type RunEnded struct {
	Occurrence record.Occurrence
	Job        record.Job // after it
	End        RunEnd
	Facts      RunFacts
	Commands   Commands
	// Earlier are the occurrences of the job that have records, the oldest first. The one that ended may be among
	// them.
	Earlier []record.Occurrence
}

// Commands are command lines that a person can paste. They name the job, or its workspace, and the jobs file where a
// command does not find it by itself.
type Commands struct {
	Run       string // runs the occurrence, for the first time or again
	Plan      string // shows its plan, and spends nothing
	Now       string // lets the occurrence that waits go on at once
	Approve   string // approves what the run can spend
	Resume    string // lets the paused job start again
	History   string // shows the past occurrences
	Reconcile string // decides what is in doubt
	Account   string // shows the account
}

// The exit codes of a run that rules tell apart.
const (
	exitDone     = 0
	exitCeiling  = 3
	exitDoubt    = 5
	exitApproval = 7
)

// AlertsOfEnd returns the alerts about a start of an occurrence that ended.
func AlertsOfEnd(e RunEnded) (alerts []record.Alert) {
	add := func(kind Kind, lines ...string) {
		alerts = append(alerts, record.Alert{
			Job: e.Occurrence.Job, Occurrence: e.Occurrence.At, Start: e.Occurrence.Starts, Kind: string(kind), At: e.Occurrence.Ended,
			Text: text(lines...), Figures: figures(e),
		})
	}
	one, c := e.Occurrence, e.Commands
	switch {
	case e.End == RunFailed && one.Exit == exitApproval:
		add(Approval, approval(e), pause(e.Job, c))
	case e.End == RunFailed:
		look := ""
		if unclear(one) {
			look = toDo("To see what is wrong", c.Plan)
		}
		add(Failure, "The run failed: "+CauseOf(one)+".", look, toDo("To run it again", c.Run), pause(e.Job, c))
	case e.End == RunWaits && isCeiling(one):
		add(Ceiling, sentence(CauseOf(one)), "It goes on by itself at "+one.Until.UTC().Format("2006-01-02 15:04 MST")+".",
			toDo("To go on at once after a ceiling was raised", c.Now), pause(e.Job, c))
	case e.End == RunDone && isCeiling(one):
		add(Ceiling, sentence(CauseOf(one)), "Rows that were not looked up are left.", toDo(Advice(one, c)))
	}
	if e.End == RunDone && !isCeiling(one) && !CameToEnd(one) { // what it waits for ends after its catch-up window
		add(Ceiling, sentence(CauseOf(one)), "That ends after the catch-up window of the occurrence. Rows that were not looked up are left.", toDo(Advice(one, c)))
	}
	if e.End == RunDone {
		add(Success, "The run came to its end.")
	}
	if n := e.Facts.InDoubt; n > 0 {
		add(Doubt, fmt.Sprintf("The outcome of %s is not known.", counted(n, "lookup")), toDo("To decide", c.Reconcile))
	}
	if e.Facts.Lost > 0 || e.Facts.LostUnits > 0 {
		add(Drift, fmt.Sprintf("The account lost $%s and %s that this journal did not use. Somebody else uses the account, or the service "+
			"charges more than its prices.", e.Facts.Lost.Grouped(), counted(e.Facts.LostUnits, "unit")), toDo("To look at the account", c.Account))
	}
	if changes := priceChanges(e); changes != "" {
		add(Price, "Prices have changed: "+changes+".", toDo("To look at the account", c.Account))
	}
	if e.End == RunDone {
		if rates := unusualRates(one, e.Earlier); rates != "" {
			add(MatchRate, "The run found unusually many or few values: "+rates+".", toDo("To compare the occurrences", c.History))
		}
	}
	return alerts
}

// text joins the lines of an alert that are not empty. A command has a line of its own, so that it can be pasted.
func text(lines ...string) string {
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "\n")
}

// toDo returns two lines: what a command does, and the command. It returns "" without a command.
func toDo(doing, command string) string {
	if command == "" {
		return ""
	}
	return doing + ", run:\n" + command
}

// sentence makes a cause a sentence.
func sentence(cause string) string { return strings.ToUpper(cause[:1]) + cause[1:] + "." }

// approval says what the run can spend, and how to approve that amount.
func approval(e RunEnded) string {
	return text(sentence(CauseOf(e.Occurrence))+" Nothing was sent.", toDo(Advice(e.Occurrence, e.Commands)))
}

// isCeiling reports whether a ceiling, a budget or a limit of the account stopped the run.
func isCeiling(one record.Occurrence) bool {
	return one.Exit == exitCeiling || strings.Contains(one.Reason, "budget")
}

// pause says that a job is paused; "" for one that is not.
func pause(job record.Job, c Commands) string {
	if job.PausedAt.IsZero() {
		return ""
	}
	return text("The job is paused. Occurrences that become due meanwhile do not run.", toDo("To let it start again", c.Resume))
}

// codes are what reasons look like. Part of one may come from the service. The name of a ceiling on units has that of
// the meter after a space.
var codes = regexp.MustCompile(`^([a-z0-9_:.-]{1,60}|ceiling:[a-z-]{1,30} [a-z_]{1,30})$`)

// code returns a reason, unless it does not look like one.
func code(reason string) string {
	if codes.MatchString(reason) {
		return reason
	}
	return "other"
}

// figures returns the numbers of an occurrence.
func figures(e RunEnded) []record.Figure {
	one := e.Occurrence
	figures := []record.Figure{{Name: "exit", Value: strconv.FormatInt(one.Exit, 10)}}
	if one.Reason != "" {
		figures = append(figures, record.Figure{Name: FigureReason, Value: code(one.Reason)})
	}
	figures = append(figures,
		record.Figure{Name: "found", Value: strconv.FormatInt(one.Found, 10)},
		record.Figure{Name: "lookups", Value: strconv.FormatInt(one.Lookups, 10)},
		record.Figure{Name: "spent", Value: "$" + one.Spent.String()},
	)
	if e.Facts.InDoubt > 0 {
		figures = append(figures, record.Figure{Name: "in doubt", Value: strconv.FormatInt(e.Facts.InDoubt, 10)})
	}
	if e.Job.Failures > 0 {
		figures = append(figures, record.Figure{Name: "failures in a row", Value: strconv.FormatInt(e.Job.Failures, 10)})
	}
	return figures
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return humanize.Comma(n) + " " + what + "s"
}

// priceChanges lists the prices that the account shows or that the run used, and that differ from earlier ones.
func priceChanges(e RunEnded) string {
	var changes []string
	shown := map[string]bool{}
	for _, field := range slices.Sorted(maps.Keys(e.Facts.Higher)) {
		shown[field] = true
		changes = append(changes, fmt.Sprintf("the account shows $%s for %s", e.Facts.Higher[field], field))
	}
	for _, field := range e.Facts.Fields {
		if before, since := lastPrice(field.Name, e); !shown[field.Name] && field.Price > 0 && before > 0 && before != field.Price {
			changes = append(changes, fmt.Sprintf("%s costs $%s, and cost $%s on %s", field.Name, field.Price, before, since))
		}
	}
	if len(changes) == 0 && e.Occurrence.Reason == "service:price_higher" {
		return "the account shows a higher price than the one in use"
	}
	return strings.Join(changes, "; ")
}

// lastPrice returns the price of a field in the newest earlier start that asked for it, and the day of that.
func lastPrice(field string, e RunEnded) (price cost.Money, day string) {
	for _, one := range slices.Backward(e.Earlier) {
		for _, count := range one.Fields {
			if count.Name == field && count.Price > 0 {
				return count.Price, one.Began.UTC().Format(time.DateOnly)
			}
		}
	}
	return 0, ""
}

// AlertsOfPassed returns the alert about an occurrence, or several in a row, that did not run: because their catch-up
// windows had passed, or because the job was paused or an earlier occurrence had not come to its end.
func AlertsOfPassed(one record.Occurrence, missed bool, job record.Job, now time.Time, c Commands) record.Alert {
	kind, what, doing := Skipped, "The occurrence "+one.At, "To run it"
	if one.Count > 1 {
		what, doing = fmt.Sprintf("%s from %s to %s", counted(one.Count, "occurrence"), one.First, one.At), "To run the last of them"
	}
	if missed {
		kind = Missed
	}
	cause := CauseOf(one)
	if missed && one.Count > 1 {
		cause = "their catch-up windows had passed"
	}
	resume := ""
	if strings.HasPrefix(one.Reason, reasonPaused) {
		resume = pause(job, c)
	}
	return record.Alert{
		Job: one.Job, Occurrence: one.At, Kind: string(kind), At: now.UTC(),
		Text: text(what+" did not run: "+cause+".", toDo(doing, c.Run), resume),
	}
}

// AlertsOfNotFinished returns the alert about an occurrence that began and does not start again.
func AlertsOfNotFinished(one record.Occurrence, now time.Time, c Commands) record.Alert {
	return record.Alert{
		Job: one.Job, Occurrence: one.At, Start: one.Starts, Kind: string(Failure), At: now.UTC(),
		Text: text("The occurrence began and did not come to its end within its catch-up window. It does not start again by itself.",
			toDo("To go on with it", c.Run)),
	}
}

// AlertsOfCrash returns the alert about a job that paused itself because its process was killed several times in a row.
func AlertsOfCrash(one record.Occurrence, job record.Job, c Commands) record.Alert {
	return record.Alert{
		Job: one.Job, Occurrence: one.At, Start: one.Starts, Kind: string(Failure), At: job.PausedAt,
		Text:    text("The process of the run was killed or crashed.", toDo("To go on with the occurrence", c.Run), pause(job, c)),
		Figures: []record.Figure{{Name: "failures in a row", Value: strconv.FormatInt(job.Failures, 10)}},
	}
}

// AlertsOfNoRun returns the alert about a job of which no run came to its end for a time. It returns nil while that time
// has not passed, and when there was an alert about it before. Since is the value for Job.NoRunSince.
func AlertsOfNoRun(job record.Job, history []record.Occurrence, longest time.Duration, now time.Time, c Commands) (alert *record.Alert, since string) {
	if longest <= 0 || len(history) == 0 {
		return nil, ""
	}
	since, last := history[0].At, history[0].Due
	form := "No run of the job has come to its end since its first occurrence was due, %s ago."
	ended := false
	for _, one := range history {
		if CameToEnd(one) && (!ended || one.Ended.After(last)) {
			since, last, ended, form = one.At, one.Ended, true, "No run of the job has come to its end for %s."
		}
	}
	without := now.Sub(last)
	if without < longest || job.NoRunSince == since {
		return nil, ""
	}
	return &record.Alert{
		Job: job.Name, Occurrence: since, Kind: string(NoRun), At: now.UTC(),
		Text: text(fmt.Sprintf(form, hours(without)), toDo("To see why", c.History), pause(job, c)),
	}, since
}

// hours writes a time span in whole hours.
func hours(span time.Duration) string { return counted(int64(span/time.Hour), "hour") }

// CameToEnd reports whether an occurrence wrote everything that it could, and does not wait.
func CameToEnd(one record.Occurrence) bool {
	return one.Starts > 0 && !one.Ended.IsZero() && one.Until.IsZero() && one.Reason != record.NotFinished &&
		(one.Exit == exitDone || one.Exit == exitCeiling || one.Exit == exitDoubt)
}

// AddressAlerts adds to alerts the channels that get them, and leaves out those that no channel gets.
func AddressAlerts(alerts []record.Alert, to []Receiver) (addressed []record.Alert) {
	for _, alert := range alerts {
		alert.Deliveries = nil
		for _, receiver := range to {
			if slices.Contains(receiver.Kinds, Kind(alert.Kind)) {
				alert.Deliveries = append(alert.Deliveries, record.Delivery{Channel: receiver.Channel})
			}
		}
		if len(alert.Deliveries) > 0 {
			addressed = append(addressed, alert)
		}
	}
	return addressed
}

// Receiver is a channel and the kinds of alerts that it gets.
type Receiver struct {
	Channel string
	Kinds   []Kind
}
