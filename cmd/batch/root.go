package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/cmd/batch/help"
	"payonce/cmd/batch/hints"
	"payonce/cmd/batch/mapping"
	"payonce/cmd/batch/nearest"
	"payonce/cmd/batch/rehearse"
	"payonce/cmd/batch/undo"
	"payonce/internal/config"
	"payonce/internal/flagvalue"
	"payonce/internal/report"
)

func newRootCommand(env environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "batch",
		Short: "Find missing work emails and business phones, and never pay twice for one",
		Long: "batch finds the missing work emails and business phones of a contact list through a paid\n" +
			"service and writes the list back filled in. It never pays twice for a lookup, never spends\n" +
			"over the ceiling, never loses a paid answer and never goes over the rate limit." +
			exitCodes(exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked),
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          usageArgs(cobra.NoArgs),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.SetVersionTemplate(versionLine())
	root.SetHelpFunc(help.Print)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w%s; see %q", withForm(err), meantFlag(cmd, err), cmd.CommandPath()+" --help")
	})
	root.AddCommand(
		newPlanCommand(env), newRunCommand(env), newBudgetCommand(env), newAccountCommand(env), newDoctorCommand(env), newRunsCommand(env),
		withExitCodes(mapping.NewCommand(env.mapping()), exitDone, exitInternal, exitUsage),
		newShowCommand(env), newWriteCommand(env), newLedgerCommand(env), newReconcileCommand(env), newJournalCommand(env), newForgetCommand(env),
		withExitCodes(undo.NewCommand(env.stdout), exitDone, exitInternal, exitUsage),
		newRateCardCommand(env), newConfigCommand(env), newConformanceCommand(env),
		withExitCodes(rehearse.NewSandboxCommand(env.rehearsal()), exitDone, exitInternal, exitUsage),
		withExitCodes(rehearse.NewListsCommand(env.rehearsal()), exitDone, exitInternal, exitUsage, exitInterrupted),
		newVersionCommand(env),
	)
	checkOwnCommands(root)
	completeChoices(root)
	addExamples(root)
	return root
}

// completeChoices lets a shell complete the words that a flag may have; it offers files
// otherwise.
func completeChoices(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if choice, ok := f.Value.(*flagvalue.Choice); ok {
			// An error would say that the command has no such flag.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(choice.Choices, cobra.ShellCompDirectiveNoFileComp))
		}
	})
	for _, below := range cmd.Commands() {
		completeChoices(below)
	}
}

// checkOwnCommands makes names that cobra's own commands do not know an error of usage:
// by themselves they show some help, and all seems well. What stands behind a command that
// help is asked for does not matter.
func checkOwnCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				about, rest, _ := root.Find(args)
				if !about.HasSubCommands() {
					return nil
				}
				return usageArgs(cobra.NoArgs)(about, rest)
			}
		case "completion":
			cmd.Args = usageArgs(cobra.NoArgs)
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range cmd.Commands() {
				shell.Args = cmd.Args
			}
		}
	}
}

// withForm says how a value of a flag is written, where pflag does not.
func withForm(err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if form := config.Form(invalid.GetFlag()); form != "" {
			return fmt.Errorf("invalid argument %q for \"--%s\" flag: write %s", invalid.GetValue(), invalid.GetFlag().Name, form)
		}
	}
	return err
}

// meantFlag asks about the flag that is most like one that the command does not have.
func meantFlag(cmd *cobra.Command, err error) string {
	if unknown, is := errors.AsType[*pflag.NotExistError](err); is && len(unknown.GetSpecifiedName()) > 1 {
		return nearest.Question(unknown.GetSpecifiedName(), "--", flagNames(cmd.Flags()))
	}
	return ""
}

// usageArgs makes a wrong number of arguments, or an unknown command, an error of usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch see := cmd.CommandPath() + " --help"; {
		case check(cmd, args) == nil:
			return nil
		case cmd.HasSubCommands():
			return usagef("unknown command %q for %q%s; see %q", args[0], cmd.CommandPath(), nearest.Question(args[0], "", commandNames(cmd)), see)
		case len(args) == 0 && (cmd.Name() == "plan" || cmd.Name() == "run"):
			return usagef("Which list? For example: %s contacts.csv", cmd.CommandPath())
		default:
			return usagef("%s: write %q; see %q", report.Counted(len(args), "argument"), cmd.UseLine(), see)
		}
	}
}

func newVersionCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "Print the version of the program, of Go and of the system." + exitCodes(exitDone, exitUsage),
		Args:  usageArgs(cobra.NoArgs),
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
	return rehearse.Environment{Stdout: env.stdout, Stderr: env.stderr, Getenv: env.getenv, Now: env.now}
}

// mapping is what the command for mappings needs.
func (env environment) mapping() mapping.Environment {
	return mapping.Environment{Stdin: env.stdin, Stdout: env.stdout, Stderr: env.stderr, Now: env.now, Hints: hints.Of}
}

// withExitCodes adds to a command without arguments the codes that it can end with.
func withExitCodes(cmd *cobra.Command, codes ...int) *cobra.Command {
	cmd.Long += exitCodes(codes...)
	if cmd.Args == nil {
		cmd.Args = cobra.NoArgs
	}
	cmd.Args = usageArgs(cmd.Args)
	return cmd
}

// flagNames returns the names of flags that are shown.
func flagNames(flags *pflag.FlagSet) (names []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// commandNames returns the names of the commands below one that are shown.
func commandNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}
