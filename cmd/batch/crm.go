package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/pipeline"
	"payonce/pipeline/crm"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

func newCRMCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "crm",
		Short: "Pull a list from a CRM, review found values, and write them to the CRM",
		Long: "Review the values that a run found for the records of a CRM, and write the approved ones to the CRM or to an\n" +
			"import file. The list of the run is pulled from the CRM, or is an export of it with the ids of the records." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCRMPullCommand(env), newCRMReviewCommand(env), newCRMPushCommand(env), newCRMUndoCommand(env), newCRMExportCommand(env))
	return cmd
}

// crmFlags are those of the commands that read a review.
type crmFlags struct {
	*options
	rules       []string
	eventColumn string
}

func newCRMFlags(env environment) *crmFlags { return &crmFlags{options: newOptions(env)} }

// add adds the flags. The help says what is written to the file.
func (f *crmFlags) add(flags *pflag.FlagSet, what string) {
	f.addReading(flags)
	f.addOutput(flags, what)
}

// addOutput adds the flags of a command that writes a file.
func (f *crmFlags) addOutput(flags *pflag.FlagSet, what string) {
	flags.StringVarP(&f.output.path, "output", "o", "", "write "+what+" to this `FILE`, whose ending sets the format")
	f.addFormulasFlag(flags)
	f.addKeepFlag(flags)
}

// addReading adds the flags of a command that reads a review of the journal.
func (f *crmFlags) addReading(flags *pflag.FlagSet) {
	f.addJournalFlags(flags)
	f.service.AddWait(flags)
	f.list.AddReading(flags)
	flags.StringVar(&f.eventColumn, "event-column", "", "the `COLUMN` of the list with the ids of your events, by its header or #number (default an event for each record, the fields and the person)")
}

// addRules adds the flag of a command that approves by rules.
func (f *crmFlags) addRules(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.rules, "auto", nil, "approve by the rule of this `NAME` (repeatable)")
}

// value returns the options as one value.
func (f *crmFlags) value(cmd *cobra.Command, run string) pipeline.CRMOptions {
	return pipeline.CRMOptions{
		Run: run, Reading: f.list.Value(cmd.Context(), f.env.stdin, f.env.now), Rules: f.rules, EventColumn: f.eventColumn,
	}
}

func newCRMReviewCommand(env environment) *cobra.Command {
	f := newCRMFlags(env)
	var rules strings.Builder
	width := 0
	for _, rule := range crm.Rules() {
		width = max(width, len(rule.Name))
	}
	for _, rule := range crm.Rules() {
		fmt.Fprintf(&rules, "  %-*s  approves %s\n", width, rule.Name, rule.Approves)
	}
	cmd := &cobra.Command{
		Use:   "review RUN [-o REVIEW]",
		Short: "Show each found value beside what the CRM has, and record the decisions",
		Long: "Write the review of a run: for each found value the record, what the CRM has, what speaks for and\n" +
			"against that it is the same person, and a column for the decision: approve, reject or nothing. Edit it\n" +
			"in a spreadsheet program and give it to batch crm export --review. A value can be approved where the CRM\n" +
			"has none. The others are shown as kept. No phone is written to a column of mobile or private numbers.\n\n" +
			"Without -o, a terminal shows a screen with the values. Each decision is saved in the journal at once.\n\n" +
			"With --auto a rule approves values that have no decision yet and nothing that speaks against them. The review\n" +
			"names the rule that approved a value.\n\n" +
			"Rules:\n" + strings.TrimRight(rules.String(), "\n") +
			exitHelp(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.review(cmd, args[0]) },
	}
	f.add(cmd.Flags(), "the review")
	f.addRules(cmd.Flags())
	return cmd
}

func (f *crmFlags) review(cmd *cobra.Command, run string) error {
	w, err := f.work(cmd)
	if err != nil {
		return err
	}
	out, err := f.besideLists()
	if err != nil {
		return err
	}
	options := f.value(cmd, run)
	var view *report.CRMReview
	switch {
	case f.output.path != "":
		view, err = w.ReviewCRM(cmd.Context(), options, f.output.value(f.env, f.sources()))
	case f.env.hasScreen() && !f.json:
		view, err = w.DecideCRM(cmd.Context(), options, func(review *crm.Review, save func(...int) error) error {
			return runReviewScreen(cmd.Context(), f.env.stdin, f.env.stderr, review, save)
		})
	default:
		return problem.Usagef("the review needs an output; give -o FILE, or start the command at a terminal")
	}
	if err != nil {
		return ifInterrupted(err, "the decisions so far are saved")
	}
	return unlessUnread(f.show(out, view))
}

func newCRMExportCommand(env environment) *cobra.Command {
	f := newCRMFlags(env)
	var options pipeline.CRMExportOptions
	cmd := &cobra.Command{
		Use:   "export RUN -o IMPORT",
		Short: "Write the approved values with the ids of their records, for import into a CRM",
		Long: "Write the approved values with the ids of their records, under the CRM's own names of columns. Values without\n" +
			"an approval are not written. The decisions are those of the review, or those that the screen of batch crm\n" +
			"review saved.\n\n" +
			"No cell of a file is empty, because an empty cell clears a field in the imports of some CRMs. So records\n" +
			"with other approved columns are in separate files beside the first one, such as IMPORT.email.csv.\n" +
			"--empty-cells writes one file. Then tell the import to skip empty cells.\n\n" +
			"The journal records which values were exported, and when. The same export again writes the same files, because\n" +
			"the program cannot know whether a file reached the CRM. The summary counts values that were exported before,\n" +
			"and --only-new leaves them out." +
			exitHelp(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.output.path == "" {
				return problem.Usagef("there is no output; give -o FILE")
			}
			w, err := f.work(cmd)
			if err != nil {
				return err
			}
			out, err := f.besideLists()
			if err != nil {
				return err
			}
			options.CRMOptions = f.value(cmd, args[0])
			view, err := w.ExportCRM(cmd.Context(), options, f.output.value(env, f.sources()))
			if err != nil {
				return ifInterrupted(err, "%s was not written", f.output.path)
			}
			return unlessUnread(f.show(out, view))
		},
	}
	flags := cmd.Flags()
	f.add(flags, "the records with approved values")
	flags.StringVar(&options.Review, "review", "", "take the decisions from this review `FILE`")
	flags.BoolVar(&options.EmptyCells, "empty-cells", false, "write one file, in which cells without an approved value are empty")
	flags.BoolVar(&options.OnlyNew, "only-new", false, "leave out values that were exported before")
	return cmd
}
