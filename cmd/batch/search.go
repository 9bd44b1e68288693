package main

import (
	"io"

	"github.com/spf13/cobra"

	"payonce/cmd/batch/exit"
	"payonce/cmd/batch/searching"
	"payonce/internal/report"
	"payonce/pipeline/dispatch"
	v2 "payonce/service/v2"
)

func newSearchCommand(env environment) *cobra.Command {
	return searching.NewCommand(env.searching, exit.Help(
		exit.Done, exit.Internal, exit.Usage, exit.Ceiling, exit.Refused, exit.Doubt, exit.Interrupted, exit.Approval, exit.Locked))
}

// searching is what one command for searches needs.
func (env environment) searching() searching.Environment {
	o := newOptions(env)
	return searching.Environment{
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
		Work: func(cmd *cobra.Command) (searching.Work, error) {
			w, err := o.work(cmd)
			return searching.Work{
				Work: w, Pace: o.service.Pace(), Budget: o.budget.value(), JSON: o.json, Quiet: o.quiet || o.logFormat.Value == "json", Sources: o.sources(),
				Show: func(to io.Writer, r report.Report) error { return unlessUnread(o.showText(to, r)) },
				Sent: func() { o.observer.End() },
			}, err
		},
	}
}

// endOfSearch returns the error that ends a search. A limit of a module is a ceiling that the account has.
func endOfSearch(stop dispatch.Stop, lost, ceilingOK bool) error {
	code := exit.OfStop(stop)
	if refused, is := stop.(dispatch.ServiceRefused); is && (refused.Code == v2.CodeDailyLimit || refused.Code == v2.CodeLimit) {
		code = exit.Ceiling
	}
	if code == exit.Ceiling && ceilingOK {
		code = exit.Done
	}
	if code == exit.Done && lost {
		code = exit.Doubt
	}
	return exit.With(code)
}
