// This file words the command that goes on after a stop.

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/remote"
	"payonce/cost"
	"payonce/io/listfile"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/search"
)

// typedLine is a command line as somebody typed it, without the name of the program; nil where nobody typed it.
type typedLine []string

// again returns the command line for a shell, with flags of the form --name=value in place of those of the same
// names. A flag without a value is added unless it is there. A word that may hold a secret is not shown.
func (l typedLine) again(set ...string) string {
	words := slices.Clone(l)
	var added []string
	for _, flag := range set {
		name, _, valued := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		switch {
		case valued:
			words = withoutFlag(words, name)
			added = append(added, flag)
		case !slices.Contains(words, flag):
			added = append(added, flag)
		}
	}
	words = with(words, added...)
	for i, word := range words {
		words[i] = shownWord(word)
	}
	return report.ShellLine(append([]string{"batch"}, words...)...)
}

// notShown stands for a word that may hold a secret.
const notShown = "[not shown]"

// secretPart matches what may be a secret: a user with a password, a connection string, a header.
var secretPart = regexp.MustCompile(`(?i)` + secretPattern)

// shownWord returns a word as it is shown. Of an address, a user and a query may be secrets.
func shownWord(word string) string {
	_, address, isAddress := strings.Cut(word, "://")
	if secretPart.MatchString(word) || isAddress && strings.ContainsAny(address, "@?#") {
		return notShown
	}
	return word
}

// goOn is a command that goes on after a stop, and what a person reads before it. The zero value is for none.
type goOn struct{ Lead, Command string }

// The words before a command that goes on.
const (
	leadAgain  = "To go on, run"
	leadEnough = "To go on with enough for all that is left, run"
	leadRebuy  = "To buy again what was charged and lost, run"
)

// goOn returns the command line with some flags as a command that goes on.
func (l typedLine) goOn(lead string, set ...string) goOn {
	if l == nil {
		return goOn{}
	}
	command := l.again(set...)
	if strings.Contains(command, notShown) {
		lead += ", with your own value in place of " + notShown
	}
	if slices.Contains(l, listfile.Standard) {
		lead += ", with the same list on standard input"
	}
	return goOn{lead, command}
}

// text returns the command below the words before it.
func (g goOn) text() string { return g.Lead + ":\n  " + g.Command }

// after adds the command to what is said about a stop.
func (g goOn) after(advice string) string {
	switch {
	case g.Command == "":
		return advice
	case advice == "":
		return g.text()
	}
	return advice + "\n" + g.text()
}

// afterRun returns the command that goes on with a run of a list after its stop; none where nothing is left to do or
// where the same command changes nothing.
func (o *options) afterRun(view *report.RunSummary, stop dispatch.Stop, code int, now time.Time) goOn {
	line := o.env.typed
	reached, isCeiling := stop.(dispatch.CeilingReached)
	switch {
	case code == exitDone && stop == nil:
		return goOn{}
	case isCeiling:
		return o.afterCeiling(view, reached.Ceiling, now)
	case stop == nil && awaitsDoubts(view):
		return line.goOn("After that, to go on, run")
	case stop == nil && o.kept != nil: // a kept plan does not buy again
		return goOn{}
	case stop == nil:
		return line.goOn(leadRebuy, "--rebuy")
	}
	return line.goOn(leadAgain)
}

// afterCeiling returns the command that goes on after a ceiling was reached. A ceiling of the run is raised to what all
// the rest can cost or use; a kept plan fixes it.
func (o *options) afterCeiling(view *report.RunSummary, c cost.Ceiling, now time.Time) goOn {
	line, enough := o.env.typed, view.Enough
	name, _, _ := strings.Cut(c.Name, " ")
	switch name {
	case provider.CeilingApproval:
		left := max(enough.MaxSpend-view.Spent-view.Held, 0)
		return line.goOn("To approve all that is left and go on, run", "--approve="+left.String())
	case provider.CeilingMaxSpend, provider.CeilingMaxLookups, provider.CeilingMaxUnits:
		if o.kept != nil {
			return goOn{}
		}
		return line.goOn(leadEnough, raisedAll(name, view)...)
	case provider.CeilingDaily, provider.CeilingMonthly, provider.CeilingWorkspaceMonthly, provider.CeilingDailyUnits, provider.CeilingMonthlyUnits:
		return line.goOn(fmt.Sprintf("To go on from %s on, run", report.Time(provider.Renewal(c.Period, now))))
	}
	return line.goOn(leadAgain)
}

// raisedAll returns the flags that raise a ceiling of the run and all others that it reached.
func raisedAll(name string, view *report.RunSummary) (flags []string) {
	names := []string{name}
	for _, word := range view.Reached {
		if ceiling, is := strings.CutPrefix(word, "ceiling:"); is {
			ceiling, _, _ = strings.Cut(ceiling, " ")
			names = append(names, ceiling)
		}
	}
	for _, one := range []string{provider.CeilingMaxSpend, provider.CeilingMaxLookups, provider.CeilingMaxUnits} {
		if slices.Contains(names, one) {
			flags = append(flags, raised(one, view.Enough)...)
		}
	}
	return flags
}

// raised returns the flag that raises a ceiling of the run.
func raised(ceiling string, enough report.Enough) (flags []string) {
	switch ceiling {
	case provider.CeilingMaxSpend:
		return []string{"--max-spend=" + enough.MaxSpend.String()}
	case provider.CeilingMaxLookups:
		return []string{fmt.Sprintf("--max-lookups=%d", enough.MaxLookups)}
	}
	for _, meter := range slices.Sorted(maps.Keys(enough.MaxUnits)) {
		flags = append(flags, fmt.Sprintf("--max-units=%s=%d", meter, enough.MaxUnits[meter]))
	}
	return flags
}

// afterSearch returns the command that goes on with a search after its stop.
func (l typedLine) afterSearch(ended *search.Ended, now time.Time) goOn {
	reached, isCeiling := ended.Stop.(dispatch.CeilingReached)
	switch {
	case ended.Stop == nil && !ended.Summary.Lost():
		return goOn{}
	case isCeiling && reached.Ceiling.Period != cost.Ever:
		return l.goOn(fmt.Sprintf("To go on from %s on, run", report.Time(provider.Renewal(reached.Ceiling.Period, now))))
	case isCeiling && doubled(reached.Ceiling) == nil:
		return l.goOn(leadAgain)
	case isCeiling:
		return l.goOn("To go on with twice the limit, run", doubled(reached.Ceiling)...)
	}
	return l.goOn(leadAgain)
}

// doubled returns the flag that doubles a ceiling of a search, because how many calls are left is not known. It is none
// for a ceiling of the account.
func doubled(c cost.Ceiling) []string {
	name, meter, _ := strings.Cut(c.Name, " ")
	more := max(2*c.Limit, 1)
	switch name {
	case provider.CeilingMaxSpend:
		return []string{"--max-spend=" + cost.Money(more).String()}
	case provider.CeilingMaxUnits:
		return []string{fmt.Sprintf("--max-units=%s=%d", meter, more)}
	}
	return nil
}

// resumable are the commands that spend or decide about what was spent, by their paths. The same command goes on with
// what one left.
var resumable = regexp.MustCompile(`^batch (run|reconcile|write|conformance|search .+|watch (add|poll|refresh))$`)

// waitForOwner is how long a command of a hint waits for the process that owns the journal.
const waitForOwner = "1h"

// afterFailure returns the command that goes on after a command failed; none where the same command would fail again.
func (l typedLine) afterFailure(err error, cmd *cobra.Command) goOn {
	if !resumable.MatchString(cmd.CommandPath()) {
		return goOn{}
	}
	found, _ := errors.AsType[*problem.Error](err)
	_, isHeld := errors.AsType[*badgerstore.LockedError](err)
	switch {
	case found != nil && found.Code == "approval_missing" && len(found.Values) == 1:
		return l.goOn("To approve it and go on, run", fmt.Sprintf("--approve=%s", found.Values[0]))
	case found != nil && (found.Code == "cannot_ask" || found.Code == "search_cannot_ask"):
		return l.goOn("When the plan is as you want it, run", "--yes")
	case isHeld && cmd.Flags().Lookup("wait") != nil && !cmd.Flags().Changed("wait"):
		return l.goOn("To wait for it and go on, run", "--wait="+waitForOwner)
	case isHeld, errors.Is(err, remote.ErrLost), problem.IsRefused(err), errors.Is(err, context.Canceled):
		return l.goOn(leadAgain)
	}
	return goOn{}
}
