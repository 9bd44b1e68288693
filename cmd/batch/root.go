package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"payonce/cmd/batch/complete"
	"payonce/cmd/batch/exit"
	"payonce/cmd/batch/help"
	"payonce/cmd/batch/hints"
	"payonce/cmd/batch/jobs"
	"payonce/cmd/batch/manual"
	"payonce/cmd/batch/mapping"
	"payonce/cmd/batch/ratecard"
	"payonce/cmd/batch/rehearse"
	"payonce/cmd/batch/undo"
	"payonce/cmd/batch/usage"
)

func newRootCommand(env environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "batch",
		Short: "Find what is missing in lists of people and companies, and never pay twice for it",
		Long: "batch takes a list of people or companies, finds what is missing through a paid service and\n" +
			"writes the list back filled in. It never pays twice for a lookup, never spends over the\n" +
			"ceiling, never loses a paid answer and never goes over the rate limit." +
			exit.Help(exit.Done, exit.Internal, exit.Usage, exit.Ceiling, exit.Refused, exit.Doubt, exit.Interrupted, exit.Approval, exit.Locked),
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          usage.Args(cobra.NoArgs),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.SetVersionTemplate(versionLine())
	root.SetHelpFunc(help.Print)
	root.SetFlagErrorFunc(usage.FlagError)
	root.AddCommand(
		newPlanCommand(env), newRunCommand(env), newStatusCommand(env), newBudgetCommand(env), newAccountCommand(env), newDoctorCommand(env), newRunsCommand(env),
		withExitCodes(mapping.NewCommand(env.mapping()), exit.Done, exit.Internal, exit.Usage),
		jobs.NewCommand(env.jobs()), newSearchCommand(env),
		newShowCommand(env), newReportCommand(env), newWriteCommand(env), newLedgerCommand(env), newReconcileCommand(env), newJournalCommand(env), newForgetCommand(env),
		withExitCodes(undo.NewCommand(env.stdout), exit.Done, exit.Internal, exit.Usage),
		ratecard.NewCommand(env.stdout, exit.Help(exit.Done, exit.Usage), newRateCardImportCommand(env)), newConfigCommand(env), newConformanceCommand(env),
		withExitCodes(rehearse.NewSandboxCommand(env.rehearsal()), exit.Done, exit.Internal, exit.Usage),
		withExitCodes(rehearse.NewListsCommand(env.rehearsal()), exit.Done, exit.Internal, exit.Usage, exit.Interrupted),
		newVersionCommand(env), withExitCodes(manual.NewCommand(version, env.getenv, env.now), exit.Done, exit.Internal, exit.Usage),
	)
	usage.AddColour(root)
	usage.CheckArgs(root)
	usage.CheckOwnCommands(root)
	usage.CompleteChoices(root)
	complete.Register(root, env.workOf)
	help.AddExamples(root)
	return root
}

func newVersionCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "Print the version of the program, of Go and of the system." + exit.Help(exit.Done, exit.Usage),
		Args:  usage.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(env.stdout, versionLine())
			return err
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("batch %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// rehearsal is what the commands for rehearsals need.
func (env environment) rehearsal() rehearse.Environment {
	return rehearse.Environment{Stdout: env.stdout, Stderr: env.stderr, Getenv: env.getenv, Now: env.now, FileMode: env.fileMode}
}

// mapping is what the command for mappings needs.
func (env environment) mapping() mapping.Environment {
	return mapping.Environment{Stdin: env.stdin, Stdout: env.stdout, Stderr: env.stderr, Now: env.now, Hints: hints.Of, FileMode: env.fileMode, Terminal: env.canAsk && env.showsText}
}

// withExitCodes adds to a command without arguments the codes that it can end with.
func withExitCodes(cmd *cobra.Command, codes ...int) *cobra.Command {
	cmd.Long += exit.Help(codes...)
	if cmd.Args == nil {
		cmd.Args = cobra.NoArgs
	}
	cmd.Args = usage.Args(cmd.Args)
	return cmd
}
