package main

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"payonce/cmd/batch/jobs"
)

func newRootCommand(env environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "batch",
		Short: "Find what is missing in lists of people and companies, and never pay twice for it",
		Long: "batch takes a list of people or companies, finds what is missing through a paid service and\n" +
			"writes the list back filled in. It never pays twice for a lookup, never spends over the\n" +
			"ceiling, never loses a paid answer and never goes over the rate limit." +
			exitHelp(exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked),
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.SetVersionTemplate(versionLine())
	root.SetHelpFunc(printHelp)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newPlanCommand(env), newRunCommand(env), newStatusCommand(env), newBudgetCommand(env), newAccountCommand(env), newDoctorCommand(env), newRunsCommand(env),
		withExitCodes(newMapCommand(env), exitDone, exitInternal, exitUsage),
		jobs.NewCommand(env.jobs()), newServeCommand(env), newSearchCommand(env), newWatchCommand(env),
		newShowCommand(env), newReportCommand(env), newWriteCommand(env), newLedgerCommand(env), newCRMCommand(env), newReconcileCommand(env), newJournalCommand(env), newForgetCommand(env),
		newUndoCommand(env),
		newRateCardCommand(env), newConfigCommand(env), newConformanceCommand(env),
		withExitCodes(newSandboxCommand(env), exitDone, exitInternal, exitUsage),
		withExitCodes(newListsCommand(env), exitDone, exitInternal, exitUsage, exitInterrupted),
		newVersionCommand(env), newManualCommand(env),
	)
	addColour(root)
	addHelpAll(root)
	checkArgs(root)
	checkOwnCommands(root)
	completeChoices(root)
	registerCompletion(root, completion{env.workOf, cmp.Or(env.completionWait, completionWait)})
	addExamples(root)
	return root
}

func newVersionCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "Print the version of the program, of Go and of the system." + exitHelp(exitDone, exitUsage),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(env.stdout, versionLine())
			return err
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("batch %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// withExitCodes adds to the help of a command the codes that it can end with.
func withExitCodes(cmd *cobra.Command, codes ...int) *cobra.Command {
	cmd.Long += exitHelp(codes...)
	return cmd
}
