package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/pipeline/inspect"
)

// conformanceFlags say who may be looked up.
type conformanceFlags struct {
	list, profiles []string
}

func newConformanceCommand(env environment) *cobra.Command {
	o := newOptions(env)
	o.list.List.Run, o.list.Limit.N = inspect.ConformanceRun, new(int64(3))
	var who conformanceFlags
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Compare the service with its specification, rule by rule",
		Long: "Compare the service with what is specified and assumed of it, and report rule by rule whether it\n" +
			"agrees, differs or was not tested, and why. Only free calls are made without limits. With --max-spend\n" +
			"it also sends a lookup that names nobody, and looks up the first people of --list and those of\n" +
			"--profile-url. With --max-units it calls v2 for the first company and the first person that the service\n" +
			"lists. These calls go through the journal as those of the run " + inspect.ConformanceRun + ", whose limits count all\n" +
			"comparisons. It does not ask: the limits are the consent. Ends with 4, too, when the service differs." +
			exitHelp(exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitLocked),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return compareService(cmd, o, who)
		},
	}
	o.addJournalFlags(cmd.Flags())
	o.service.AddWait(cmd.Flags())
	o.service.AddService(cmd.Flags())
	o.addSharedCeilingFlags(cmd.Flags())
	o.addConformanceFlags(cmd.Flags(), &who)
	return cmd
}

func (o *options) addConformanceFlags(flags *pflag.FlagSet, who *conformanceFlags) {
	flags.Var(&o.list.From, "from", "compare only these interfaces, such as v2 (default those that are configured)")
	flags.Var(&o.budget.units, "max-units", "the most units of a module of v2 that calls may use, over all comparisons, such as companies=2 (repeatable); without it none is sent")
	flags.Var(&o.budget.maxSpend, "max-spend", "the most that lookups may cost, over all comparisons; without it none is sent")
	flags.StringArrayVar(&who.list, "list", nil, "look up the first people of this `FILE` (repeatable)")
	flags.Var(&o.list.Limit, "limit", "how many people of the list: `N`")
	flags.StringArrayVar(&who.profiles, "profile-url", nil, "look up the person of this profile `URL` (repeatable)")
	o.list.AddAsking(flags)
	flags.BoolVar(&o.budget.strict, "strict", false, "hold every field's full price, without the free allowance")
	flags.StringVar(&o.prices.card, "rate-card", "", "read the prices from this YAML `FILE` instead of the built-in rate card")
	flags.StringVar(&o.prices.option, "rate-option", "", "the `NAME` of the rate card's option that the workspace pays by")
	flags.StringVar(&o.budget.job, "job", "", "the `NAME` of the job whose ceilings count (default "+inspect.ConformanceRun+")")
	flags.Var(&o.budget.approvalThreshold, "approval-threshold", "refuse a larger --max-spend than this")
}

// compareService compares, reports and tells by the exit code how it went.
func compareService(cmd *cobra.Command, o *options, who conformanceFlags) error {
	w, err := o.work(cmd)
	if err != nil {
		return err
	}
	o.env.outliveReaders()
	ended, err := inspect.CompareService(cmd.Context(), w, inspect.ConformanceOptions{
		List: o.list.Value(cmd.Context(), o.env.stdin, o.env.now, who.list...), Profiles: who.profiles, Budget: o.budget.value(),
		NothingToSpend: "it takes a lookup, which may be charged; allow it with --max-spend",
		NoUnits:        "it takes a call that uses units; allow it with --max-units MODULE=N",
		From:           o.list.From,
		InDoubt:        "earlier lookups are in doubt; see \"batch reconcile" + string(o.hints) + "\"",
	})
	o.observer.End()
	if err != nil {
		return err
	}
	if err := unlessUnread(o.show(o.env.stdout, ended.Report)); err != nil {
		return err
	}
	switch {
	case ended.Report.Differ > 0:
		return exitWith(exitRefused)
	case ended.Stop != nil:
		return exitWith(exitOfStop(ended.Stop))
	case ended.InDoubt > 0:
		return exitWith(exitDoubt)
	}
	return nil
}
