package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"payonce/pipeline/report"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help of every command fits a terminal and tells of all its flags.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		var help bytes.Buffer
		cmd.SetOut(&help)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(help.String()) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > report.LineWidth {
				t.Errorf("%s: a line is too long:\n%s", cmd.CommandPath(), line)
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(help.String(), "--"+f.Name+" ") {
				t.Errorf("%s: --%s is not told of:\n%s", cmd.CommandPath(), f.Name, &help)
			}
		})
		for _, below := range cmd.Commands() {
			if below.Parent().Name() != "completion" { // cobra's own words, with commands to copy
				check(below)
			}
		}
	}
	check(newRootCommand(quietEnvironment(nil)))
}

// Every command that does something shows in its help how it is used.
func TestEveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		if !cmd.HasSubCommands() && cmd.Example == "" && cmd.Parent().Name() != "completion" && cmd.Name() != "help" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for _, below := range cmd.Commands() {
			check(below)
		}
	}
	check(newRootCommand(quietEnvironment(nil)))
}

// The flags of a long help are in groups, each once, and those that are used most come first.
func TestHelpGroupsFlags(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	env := quietEnvironment(nil)
	env.stdout = &out
	root := newRootCommand(env)
	run, _, err := root.Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Help(); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, group := range []string{"Flags", "List", "Budget", "Service and rate", "Journal"} {
		if !strings.Contains(text, "\n"+group+":\n") {
			t.Errorf("there is no group %s", group)
		}
	}
	run.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if found := strings.Count(text, " --"+flag.Name+" ") + strings.Count(text, " --"+flag.Name+"\n"); !flag.Hidden && found == 0 {
			t.Errorf("--%s is not there", flag.Name)
		}
		if !hasHelpGroup(flag.Name) && !flag.Hidden {
			t.Errorf("--%s has no group", flag.Name)
		}
	})
	if strings.Index(text, "--max-spend USD") > strings.Index(text, "--state DIR") {
		t.Error("--max-spend comes after --state")
	}
}

func TestWrongArgumentsOfEveryCommandAreErrorsOfUsage(t *testing.T) {
	t.Parallel()
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		for _, args := range [][]string{nil, make([]string, 9)} {
			if cmd.Args == nil || cmd.Name() == "help" {
				continue
			}
			if err := cmd.Args(cmd, args); err != nil && exitCode(err) != exitUsage {
				t.Errorf("%s with %d arguments ends with %d: %v", cmd.CommandPath(), len(args), exitCode(err), err)
			}
		}
		for _, below := range cmd.Commands() {
			check(below)
		}
	}
	check(newRootCommand(quietEnvironment(nil)))
}
