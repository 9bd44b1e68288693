package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
	"payonce/pipeline/search"
)

// searchPerson asks whoever started the search.
type searchPerson struct {
	c   *searchCommand
	out io.Writer // where the plan is shown
}

// CanAsk implements search.Approver.
func (p *searchPerson) CanAsk() bool { return p.c.o.env.canAsk }

// Show implements search.Approver. A plan that sends nothing is not shown.
func (p *searchPerson) Show(plan *search.Plan) error {
	defer p.c.o.env.outliveReaders()
	if plan.Needed == 0 {
		return nil
	}
	to := p.out
	switch {
	case p.c.o.json && p.c.silent():
		return nil
	case p.c.o.json:
		to = p.c.o.env.stderr
	}
	if err := unlessUnread(p.c.o.showText(to, plan)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(to)
	return err
}

// Confirm implements search.Approver.
func (p *searchPerson) Confirm(ctx context.Context, plan *search.Plan) bool {
	question := fmt.Sprintf("Send %s, and as many more as they show to be needed? [y/N] ", report.Counted(plan.Needed, "call"))
	if plan.AtMost != nil {
		question = fmt.Sprintf("Send at most %s? [y/N] ", report.Counted(*plan.AtMost, "call"))
	}
	return p.c.o.env.confirm(ctx, question)
}

// advice says why a search stopped and what to do next.
func advice(ended *search.Ended, now time.Time) string {
	const again = "run the same command again to go on"
	switch stop := ended.Stop.(type) {
	case nil:
		if ended.Summary.Lost() {
			return "Some pages are missing because their responses were lost. Run the same command again to look at the account once more.\n" +
				"Pages that were counted are bought again with --rebuy."
		}
		return ""
	case dispatch.CeilingReached:
		return fmt.Sprintf("Stopped at the ceiling %s: %s.\nNothing is lost: %s to go on.",
			stop.Ceiling.Name, leftUnder(stop, "call"), goOnUnder(stop.Ceiling, now))
	case dispatch.Interrupted:
		return "Interrupted. All answers that came are recorded and written; " + again + "."
	case dispatch.ServiceRefused:
		text := "The service refused (" + stop.Code + ")"
		if stop.Message != "" {
			text += ": " + strings.TrimRight(stop.Message, ".")
		}
		if !stop.Until.IsZero() {
			return fmt.Sprintf("%s.\nNothing else was sent. It ends at %s; then %s.", text, report.Time(stop.Until), again)
		}
		return text + ".\nNothing else was sent."
	}
	return "Something stopped the search; " + again + "."
}
