package main

import (
	"io"

	"github.com/spf13/cobra"

	"payonce/io/service/v2"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
)

func newSearchCommand(env environment) *cobra.Command {
	return newSearchingCommand(env.searching, exitHelp(
		exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked))
}

// searching is what one command for searches needs.
func (env environment) searching() searchEnvironment {
	o := newOptions(env)
	return searchEnvironment{
		Stdin: env.stdin, Stdout: env.stdout, Stderr: env.stderr, Now: env.now, FileMode: env.fileMode,
		CanAsk: env.canAsk, Confirm: env.confirm, Begun: env.outliveReaders, End: endOfSearch,
		AddFlags: func(cmd *cobra.Command) {
			o.addJournalFlags(cmd.Flags())
			o.service.AddWait(cmd.Flags())
			o.service.AddService(cmd.Flags())
			o.service.AddPace(cmd.Flags())
			o.addUnitPrices(cmd.Flags())
			o.addFormulasFlag(cmd.Flags())
			o.addSearchCeilingFlags(cmd.Flags())
		},
		Work: func(cmd *cobra.Command) (searchWork, error) {
			w, err := o.work(cmd)
			return searchWork{
				Work: w, Pace: o.service.Pace(), Budget: o.budget.value(), JSON: o.json, Quiet: o.quiet || o.logFormat.Value == "json", Sources: o.sources(),
				Show: func(to io.Writer, r report.Report) error { return unlessUnread(o.showText(to, r)) },
				Sent: func() { o.observer.End() },
			}, err
		},
	}
}

// endOfSearch returns the error that ends a search. A limit of a module is a ceiling that the account has.
func endOfSearch(stop dispatch.Stop, lost, ceilingOK bool) error {
	code := exitOfStop(stop)
	if refused, is := stop.(dispatch.ServiceRefused); is && (refused.Code == v2.CodeDailyLimit || refused.Code == v2.CodeLimit) {
		code = exitCeiling
	}
	if code == exitCeiling && ceilingOK {
		code = exitDone
	}
	if code == exitDone && lost {
		code = exitDoubt
	}
	return exitWith(code)
}
