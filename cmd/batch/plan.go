package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/pipeline"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

func newPlanCommand(env environment) *cobra.Command {
	o, cmd := newPlan(env)
	o.addPeopleFlags(cmd.Flags())
	return cmd
}

// newPlan returns the command and the options that its flags set.
func newPlan(env environment) (*options, *cobra.Command) {
	o := newOptions(env)
	o.unbound = true
	cmd := &cobra.Command{
		Use:   "plan LIST...",
		Short: "Show what a run would do and cost at most; sends no lookup",
		Long: "Read the list, the free account status and what the service publishes, and show what a run would\n" +
			"do and what it can cost at most. A plan cannot spend: its client can only read these.\n\n" +
			"Prices come from --rate-card or the option of --rate-option, else from the service's OpenAPI\n" +
			"document, else from the account status, else from the built-in rate card. What they say differently\n" +
			"is shown; a service that charges more than the price that counts refuses the run.\n\n" +
			"--out keeps the plan: \"batch show\" shows it, and \"batch run --plan\" runs it." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted, exitLocked),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return planList(cmd, o, args)
		},
	}
	o.addJournalFlags(cmd.Flags())
	o.service.AddService(cmd.Flags())
	o.addListFlags(cmd.Flags())
	o.addPriceFlags(cmd.Flags())
	o.addCeilingFlags(cmd.Flags())
	cmd.Flags().BoolVar(&o.offline, "offline", false, "do not call the service, which need not be named; plan from the rate card alone")
	cmd.Flags().StringVar(&o.output.keepAs, "out", "", "keep the plan in this `FILE` for run --plan")
	o.output.pages.Add(cmd.Flags(), "plan")
	cmd.Flags().Var(&o.list.Sample, "sample", "propose a paid sample of the first N people")
	return o, cmd
}

func planList(cmd *cobra.Command, o *options, list []string) error {
	w, err := o.work(cmd)
	if err != nil {
		return err
	}
	return o.planWith(cmd, w, list)
}

// planWith plans a list and shows the plan.
func (o *options) planWith(cmd *cobra.Command, w *pipeline.Work, list []string) error {
	if err := o.checkKeep(list); err != nil {
		return err
	}
	if err := o.output.pages.Check(append(output.SourcesOf(list), o.sources()...)); err != nil {
		return err
	}
	if err := o.people.check(o); err != nil {
		return err
	}
	if o.people.isAsked() {
		return o.planPeople(cmd, w, list)
	}
	planned, err := o.plan(cmd, w, list)
	if err != nil {
		return err
	}
	if err := o.showPages(planned.Plan); err != nil || o.json || o.output.keepAs == "" {
		return err
	}
	_, err = fmt.Fprintf(o.env.stdout, "\nKept in %s. To run it: batch run --plan %s\n", o.output.keepAs, report.ShellWord(o.output.keepAs))
	return err
}

// plan plans a list, and keeps the plan where the flags say.
func (o *options) plan(cmd *cobra.Command, w *pipeline.Work, list []string) (planned *pipeline.Planned, err error) {
	order := o.list.Value(cmd.Context(), o.env.stdin, o.env.now, list...)
	err = o.offerMapping(cmd.Context(), order, func() (err error) {
		planned, err = w.Plan(cmd.Context(), pipeline.PlanOptions{
			List: order, Output: o.output.path, Budget: o.budget.value(), Offline: o.offline, Sum: o.output.keepAs != "", Sample: o.list.Sample.N,
			SampleCommand: func(sample *report.Sample) []string { return sampleCommand(cmd.Flags(), list, sample) },
		})
		return err
	})
	if err == nil && o.output.keepAs != "" {
		err = o.keep(cmd.Flags(), planned)
	}
	return planned, err
}

// checkKeep refuses a file that a plan cannot be kept in, before anything is read.
func (o *options) checkKeep(list []string) error {
	switch {
	case o.output.keepAs == "":
		return nil
	case o.budget.maxSpend.Amount == nil && o.takesMoney():
		return problem.Usagef("a plan that is kept needs --max-spend USD, the most that its run may spend")
	case !o.service.Known() && o.needed() != "":
		return problem.Coded("give_base_url"+o.needed(), "a plan that is kept names the service of its run")
	case !o.service.Known():
		return problem.Usagef("a plan that is kept names the service of its run: give --base-url URL or set SERVICE_BASE_URL")
	}
	if err := output.CheckTarget(o.output.keepAs, append(output.SourcesOf(list), o.sources()...)); err != nil {
		return err
	}
	return pipeline.CheckPlanName(o.output.keepAs)
}

// sampleCommand returns the words of the command that runs a sample.
func sampleCommand(flags *pflag.FlagSet, list []string, sample *report.Sample) []string {
	command := slices.Concat([]string{"batch", "run"}, list, flagsForRun(flags))
	command = append(command, "--limit="+strconv.FormatInt(sample.Persons, 10))
	if sample.TakesMoney {
		command = append(command, "--max-spend="+sample.MaxSpend.String())
	}
	for _, module := range slices.Sorted(maps.Keys(sample.MaxUnits)) {
		command = append(command, fmt.Sprintf("--max-units=%s=%d", module, sample.MaxUnits[module]))
	}
	for i, word := range command {
		command[i] = report.ShellWord(word)
	}
	return command
}

// flagsForRun returns the flags of a plan's command line as a run takes them, but
// for those that the sample decides.
func flagsForRun(flags *pflag.FlagSet) []string {
	var words []string
	flags.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "offline", "out", "sample", "json", "limit", "max-spend", "max-units", "dry-run", "quiet", "log-format", "color":
			return
		}
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			words = append(words, "--"+flag.Name+"="+value)
		}
	})
	return words
}
