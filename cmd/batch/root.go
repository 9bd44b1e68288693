package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newRootCommand(env environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "batch",
		Short: "Find missing work emails and business phones, and never pay twice for one",
		Long: "batch finds the missing work emails and business phones of a contact list through a paid\n" +
			"service and writes the list back filled in. It never pays twice for a lookup, never spends\n" +
			"over the ceiling, never loses a paid answer and never goes over the rate limit." +
			exitCodes(exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitLocked),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          usageArgs(cobra.NoArgs),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see %q", withForm(err), cmd.CommandPath()+" --help")
	})
	root.AddCommand(
		newPlanCommand(env), newRunCommand(env), newBudgetCommand(env), newAccountCommand(env), newDoctorCommand(env), newRunsCommand(env),
		newShowCommand(env), newWriteCommand(env), newLedgerCommand(env), newReconcileCommand(env), newJournalCommand(env), newForgetCommand(env),
		newRateCardCommand(env), newConfigCommand(env), newConformanceCommand(env), newSandboxCommand(env), newListsCommand(env), newVersionCommand(env),
	)
	return root
}

// withForm says how a value of a flag is written, where pflag does not.
func withForm(err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if form := formOf(invalid.GetFlag()); form != "" {
			return fmt.Errorf("invalid argument %q for \"--%s\" flag: write %s", invalid.GetValue(), invalid.GetFlag().Name, form)
		}
	}
	return err
}

// usageArgs makes a wrong number of arguments an error of usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usagef("%w; see %q", err, cmd.CommandPath()+" --help")
		}
		return nil
	}
}

func newVersionCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "Print the version of the program, of Go and of the system." + exitCodes(exitDone, exitUsage),
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(env.stdout, "batch %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
