// This file words errors of usage, and makes the commands that cobra adds report them.

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/configs"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// flagError returns the error of usage for flags that could not be parsed.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, is := errors.AsType[*pflag.NotExistError](err); is {
		if removed := removedError(cmd, unknown.GetSpecifiedName()); removed != nil {
			return removed
		}
	}
	return problem.Usagef("%w%s; see %q", withForm(err), meantFlag(cmd, err), cmd.CommandPath()+" --help")
}

// colourHelp describes the flag --color.
const colourHelp = "colours: auto for a terminal without NO_COLOR, always or never"

// colourDefault returns the default of the flag --color.
func colourDefault() configs.ChoiceFlag {
	return configs.ChoiceFlag{Value: "auto", Choices: []string{"auto", "always", "never"}}
}

// addColour adds the flag --color to the commands that do not have it, because every command can print an error.
func addColour(cmd *cobra.Command) {
	if cmd.HasParent() && cmd.Runnable() && cmd.Flags().Lookup("color") == nil {
		colour := colourDefault()
		cmd.Flags().Var(&colour, "color", colourHelp)
	}
	for _, below := range cmd.Commands() {
		addColour(below)
	}
}

// completeChoices lets a shell complete the words that a flag may have; it offers files
// otherwise.
func completeChoices(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if choice, ok := f.Value.(*configs.ChoiceFlag); ok {
			// An error would say that the command has no such flag.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(choice.Choices, cobra.ShellCompDirectiveNoFileComp))
		}
	})
	for _, below := range cmd.Commands() {
		completeChoices(below)
	}
}

// checkOwnCommands makes names that cobra's own commands do not know an error of usage:
// by themselves they show some help and end with 0. Arguments after a command that help is
// asked for do not matter.
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
				return checkedArgs(cobra.NoArgs)(about, rest)
			}
		case "completion":
			cmd.Args = checkedArgs(cobra.NoArgs)
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
		if form := configs.FlagForm(invalid.GetFlag()); form != "" {
			return fmt.Errorf("invalid argument %q for \"--%s\" flag: write %s", invalid.GetValue(), invalid.GetFlag().Name, form)
		}
	}
	return err
}

// meantFlag asks about the flag that is most like one that the command does not have.
func meantFlag(cmd *cobra.Command, err error) string {
	if unknown, is := errors.AsType[*pflag.NotExistError](err); is && len(unknown.GetSpecifiedName()) > 1 {
		return nearestQuestion(unknown.GetSpecifiedName(), "--", flagNames(cmd.Flags()))
	}
	return ""
}

// checkedArgs makes a wrong number of arguments, or an unknown command, an error of usage.
func checkedArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch see := cmd.CommandPath() + " --help"; {
		case check(cmd, args) == nil:
			return nil
		case cmd.HasSubCommands():
			return problem.Usagef("unknown command %q for %q%s; see %q", args[0], cmd.CommandPath(), nearestQuestion(args[0], "", commandNames(cmd)), see)
		case len(args) == 0 && cmd.Parent() == cmd.Root() && (cmd.Name() == "plan" || cmd.Name() == "run"):
			return problem.Usagef("Which list? For example: %s contacts.csv", cmd.CommandPath())
		case len(args) == 0:
			return problem.Usagef("an argument is missing: write %q; see %q", cmd.UseLine(), see)
		default:
			return problem.Usagef("%s does not take %s: write %q; see %q", cmd.CommandPath(), report.Counted(len(args), "argument"), cmd.UseLine(), see)
		}
	}
}

// checkArgs makes wrong arguments of every command an error of usage. A command that does not say which it takes, takes
// none.
func checkArgs(cmd *cobra.Command) {
	if cmd.Args == nil {
		cmd.Args = cobra.NoArgs
	}
	cmd.Args = checkedArgs(cmd.Args)
	for _, below := range cmd.Commands() {
		checkArgs(below)
	}
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
