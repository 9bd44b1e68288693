package main

import (
	"fmt"
	"strings"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/report"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/row"
)

// conclude prints the summary and returns the error that ends the command.
func (j *job) conclude(rows map[row.Status]int64, tally dispatch.Tally, stop dispatch.Stop, drift cost.Drift) error {
	view, err := j.summary(rows, tally, stop, drift)
	if err != nil {
		return err
	}
	view.Advice = j.advice(view, stop)
	if err := unlessUnread(j.show(view)); err != nil {
		return fmt.Errorf("the run has ended and %s is written, but how it went cannot be told: %w", placeOf(j.output), err)
	}
	code := codeOfStop(stop)
	if code == exitDone && rows[row.StatusInDoubt]+rows[row.StatusForfeited] > 0 {
		code = exitDoubt
	}
	if code == exitDone {
		return nil
	}
	return stopError{code}
}

func (j *job) summary(rows map[row.Status]int64, tally dispatch.Tally, stop dispatch.Stop, drift cost.Drift) (*report.Summary, error) {
	totals := j.journal.Totals(checkpoint.RunScope(j.name))
	doubts, _ := j.journal.InDoubt(j.name)
	mayBeFree, err := j.journal.MayBeFree(checkpoint.RunScope(j.name))
	if err != nil {
		return nil, err
	}
	view := &report.Summary{
		Run: j.name, Job: j.jobName(), Output: j.output, Rows: rowsByName(rows), Lookups: tally.Lookups, Dropped: tally.Dropped, Posts: tally.Posts,
		Spent: totals.Settled, SpentLeast: report.Least(totals.Settled, mayBeFree), SpentNow: tally.Spent, Held: totals.Held, FreeUsed: report.ByField(totals.FreeUsed), InDoubt: int64(doubts),
	}
	tightest, left := j.tightest()
	view.Tightest, view.Left, view.MaxSpend = tightest.Name, left, *j.maxSpend.Amount
	if stop != nil {
		word := stop.Word()
		view.Stop = &word
	}
	view.Drift = report.DriftOf(drift)
	return view, nil
}

// advice says why the run stopped and what to do next.
func (j *job) advice(view *report.Summary, stop dispatch.Stop) string {
	switch stop := stop.(type) {
	case nil:
		if view.InDoubt > 0 {
			return fmt.Sprintf("The responses to %s were lost. They may have been charged, so they are not sent again.\n"+
				"The account proves no more: others may have spent from it.\n"+
				"%q shows them and what you can do. If nobody else uses the account, give --exclusive.", report.Lookups(view.InDoubt), "batch reconcile")
		}
		return ""
	case dispatch.CeilingReached:
		return j.ceilingAdvice(stop)
	case dispatch.PriceHigher:
		return fmt.Sprintf("Stopped because the account shows $%s for a %s, and this run counted with $%s: its ceilings are not safe.\nNothing else was sent. Choose the right option with --rate-option, or correct the price in the rate card, then run the command again to go on.",
			stop.Shown, stop.Field, stop.InUse)
	case dispatch.Interrupted:
		return "Interrupted. All answers that came are recorded and written; run the same command again to go on."
	case dispatch.ServiceRefused:
		message := ""
		if stop.Message != "" {
			message = ": " + strings.TrimRight(stop.Message, ".")
		}
		return fmt.Sprintf("The service refused (%s)%s.\nNothing else was sent. %s, then run the same command again to go on.",
			stop.Code, message, remedy(stop.Code))
	}
	return "Run the same command again to go on."
}

// ceilingAdvice says under which ceiling the run ended and how it can go on.
func (j *job) ceilingAdvice(stop dispatch.CeilingReached) string {
	c := stop.Ceiling
	why := fmt.Sprintf("the next lookup can cost %s, and %s is left", c.Format(stop.Need), c.Format(max(stop.Left, 0)))
	if c.Measure == cost.Lookups {
		why = "it allows " + report.Lookups(c.Limit)
	}
	next := "once the account has more, run the same command again"
	switch c.Name {
	case ceilingMaxSpend, ceilingMaxLookups:
		next = "raise it and run the same command again"
	case ceilingApproval:
		next = "run the same command again and have it approved"
	case ceilingDaily, ceilingMonthly, ceilingWorkspaceMonthly:
		next = fmt.Sprintf("raise it, or wait until it begins anew on %s, and run the same command again", report.Time(renewal(c.Period, j.env.now())))
	}
	return fmt.Sprintf("Stopped at the ceiling %s: %s.\nNothing is lost: %s to go on.", c.Name, why, next)
}
