package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"payonce/cost"
	"payonce/io/service/v2"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// Advice says why the run stopped and what to do next.
func (h hintFlags) Advice(view *report.RunSummary, stop dispatch.Stop, now time.Time) string {
	switch stop := stop.(type) {
	case nil:
		return cmp.Or(h.adviceOnDoubts(view), adviceOnChoices(view))
	case dispatch.CeilingReached:
		return ceilingAdvice(view, stop, now)
	case dispatch.PriceHigher:
		return fmt.Sprintf("Stopped because the account shows $%s for a %s, and this run counted with $%s: its ceilings are not safe.\nNothing else was sent. Choose the right option with --rate-option, or correct the price in the rate card, then run the command again to go on.",
			stop.Shown, stop.Field, stop.InUse)
	case dispatch.Interrupted:
		return "Interrupted. All answers that came are recorded and written; run the same command again to go on."
	case dispatch.ServiceRefused:
		if view.GivenUp > 0 {
			return fmt.Sprintf("%s failed three times and may work later; all others are done.\nRun the same command again to send them.",
				report.Lookups(view.GivenUp))
		}
		if stop.Module != "" {
			return h.limitAdvice(view, stop)
		}
		message := ""
		if stop.Message != "" {
			message = ": " + strings.TrimRight(stop.Message, ".")
		}
		what := "The service refused"
		if stop.Code == v2.CodeUnknownRoute { // it is not certain that the service itself said so
			what = "Stopped"
		}
		return fmt.Sprintf("%s (%s)%s.\nNothing else was sent. %s, then run the same command again to go on.",
			what, stop.Code, message, h.remedy(stop.Code))
	}
	return "Run the same command again to go on."
}

// ceilingAdvice says under which ceiling the run ended and how it can go on.
func ceilingAdvice(view *report.RunSummary, stop dispatch.CeilingReached, now time.Time) string {
	c := stop.Ceiling
	what, why := "Stopped at the ceiling", leftUnder(stop, "lookup")
	next, also, others := goOnUnder(c, now), alsoReached(view, stop), ""
	if c.Meter != cost.USD && c.Meter != cost.Lookups { // lookups that do not use these units went on
		what, others = "Reached the ceiling", othersSent(view)
	}
	switch {
	case also == "" && others != "":
		why += ". " + strings.TrimSuffix(others, ".")
	case also != "":
		also = "Also reached: " + also + ".\n"
		if others != "" {
			also += others + "\n"
		}
		next = strings.Replace(next, "raise it and", "raise them and", 1)
	}
	return fmt.Sprintf("%s %s: %s.\n%sNothing is lost: %s to go on.", what, c.Name, why, also, next)
}

// leftUnder says what a reached ceiling leaves for the next call. Call is the word for it, such as lookup.
func leftUnder(stop dispatch.CeilingReached, call string) string {
	c, left := stop.Ceiling, max(stop.Left, 0)
	switch c.Meter {
	case cost.USD:
		return fmt.Sprintf("the next %s can cost %s, and %s is left", call, c.Format(stop.Need), c.Format(left))
	case cost.Lookups:
		return "it allows " + report.Lookups(c.Limit)
	}
	return report.Textf("the next %s can use %s, and %d of %d are left", call, c.Format(stop.Need), left, c.Limit)
}

// goOnUnder says how to go on after a ceiling was reached.
func goOnUnder(c cost.Ceiling, now time.Time) string {
	next := "once the account has more, run the same command again"
	name, _, _ := strings.Cut(c.Name, " ") // a limit on units has its module behind
	switch name {
	case provider.CeilingMaxSpend, provider.CeilingMaxLookups, provider.CeilingMaxUnits:
		next = "raise it and run the same command again"
	case provider.CeilingApproval:
		next = "run the same command again and have it approved"
	case provider.CeilingDaily, provider.CeilingMonthly, provider.CeilingWorkspaceMonthly, provider.CeilingDailyUnits, provider.CeilingMonthlyUnits:
		next = fmt.Sprintf("raise it, or wait until it renews on %s, and run the same command again", report.Time(provider.Renewal(c.Period, now)))
	}
	return next
}

// othersSent says that a run that reached limits has sent all lookups that the limits do not stop. It returns "" when the
// run has not.
func othersSent(view *report.RunSummary) string {
	switch {
	case view.Halted || view.Dropped > 0:
		return ""
	case view.Waiting:
		return "What needs their answers was not sent either; everything else was."
	}
	return "Everything else was sent."
}

// alsoReached names the limits that the start reached besides the one for which it stopped; "" without any.
func alsoReached(view *report.RunSummary, stop dispatch.Stop) string {
	own := stop.Word()
	if refused, is := stop.(dispatch.ServiceRefused); is && refused.Module != "" {
		own += " of " + refused.Module
	}
	others := slices.DeleteFunc(slices.Clone(view.Reached), func(word string) bool { return word == own })
	return strings.Join(others, ", ")
}

// limitAdvice says which limit of the account a step of the run reached, and until when nothing is sent that needs
// more of it. The other steps went on.
func (h hintFlags) limitAdvice(view *report.RunSummary, stop dispatch.ServiceRefused) string {
	message := ""
	if stop.Message != "" {
		message = ": " + strings.TrimRight(stop.Message, ".")
	}
	text := fmt.Sprintf("The account's limit of %s is reached (%s)%s.\n", stop.Module, stop.Code, message)
	if also := alsoReached(view, stop); also != "" {
		text += "Also reached: " + also + ".\n"
	}
	next := "until the account shows more of it: have its owner raise the limit, then run the same command again. " +
		"If its counters do not show that, end the limit with batch journal unpause."
	if !stop.Until.IsZero() {
		next = fmt.Sprintf("before %s; run the same command again then. "+
			"If the account has more before, end the limit with batch journal unpause.", report.Time(stop.Until))
	}
	if others := othersSent(view); others != "" {
		text += others + " "
	}
	return h.within(fmt.Sprintf("%sNothing that needs %s is sent %s", text, stop.Module, next))
}
