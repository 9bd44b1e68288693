package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"payonce/pipeline/report"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help of every command fits a terminal and tells of all its flags.
func TestHelpFitsATerminalAndDescribesEveryFlag(t *testing.T) {
	t.Parallel()
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		var help bytes.Buffer
		cmd.SetOut(&help)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		if cmd.Flags().Lookup("help-all") != nil {
			short := help.String()
			help.Reset()
			cmd.InitDefaultHelpFlag()
			if err := errors.Join(cmd.Flags().Set("help-all", "true"), cmd.Help()); err != nil {
				t.Fatal(err)
			}
			help.WriteString(short)
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
	run.InitDefaultHelpFlag()
	if err := errors.Join(run.Flags().Set("help-all", "true"), run.Help()); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, group := range []string{"Flags", "What is looked up", "Output", "Budget", "List", "Service and rate", "Journal"} {
		if !strings.Contains(text, "\n"+group+":\n") {
			t.Errorf("there is no group %s", group)
		}
	}
	run.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if found := strings.Count(text, " --"+flag.Name+" ") + strings.Count(text, " --"+flag.Name+"\n"); !flag.Hidden && found == 0 {
			t.Errorf("--%s is not there", flag.Name)
		}
		if !hasHelpGroup(flag) && !flag.Hidden {
			t.Errorf("--%s has no group", flag.Name)
		}
	})
	if strings.Index(text, "--max-spend USD") > strings.Index(text, "--state DIR") {
		t.Error("--max-spend comes after --state")
	}
}

// The help of a command with many flags shows those that people use, and names the flag that shows all.
func TestHelpShowsTheFlagsThatPeopleUse(t *testing.T) {
	t.Parallel()
	for command, shown := range map[string]struct {
		most        int
		has, hasNot []string
	}{
		"run":              {24, []string{"output", "max-spend", "fields", "from", "yes", "plan", "sandbox", "help-all"}, []string{"memory", "settle-delay", "state"}},
		"plan":             {24, []string{"out", "max-spend", "fields", "help-all"}, []string{"rate-card", "mcp-url"}},
		"write":            {14, []string{"output", "tables", "help-all"}, []string{"temp", "delimiter"}},
		"search companies": {24, []string{"where", "max", "max-units", "help-all"}, []string{"per-page", "transport"}},
		"status":           {99, []string{"watch", "state", "color"}, []string{"help-all"}},
	} {
		help := func(flag string) string {
			var out bytes.Buffer
			env := quietEnvironment(nil)
			env.stdout = &out
			if code := execute(t.Context(), env, append(strings.Fields(command), flag)); code != exitDone {
				t.Fatalf("%s %s ends with %d", command, flag, code)
			}
			return out.String()
		}
		flagLine := regexp.MustCompile(`(?m)^  (-\w, |    )--([a-z0-9-]+)`)
		flagsOf := func(text string) (names []string) {
			for _, found := range flagLine.FindAllStringSubmatch(text, -1) {
				names = append(names, found[2])
			}
			return names
		}
		short := help("--help")
		few := flagsOf(short)
		for _, name := range shown.has {
			if !slices.Contains(few, name) {
				t.Errorf("the help of %s does not show --%s", command, name)
			}
		}
		for _, name := range shown.hasNot {
			if slices.Contains(few, name) {
				t.Errorf("the help of %s shows --%s", command, name)
			}
		}
		if len(few) > shown.most {
			t.Errorf("the help of %s shows %d flags, want at most %d", command, len(few), shown.most)
		}
		if !slices.Contains(few, "help-all") {
			continue
		}
		more := len(flagsOf(help("--help-all"))) - len(few)
		if want := fmt.Sprintf("\"batch %s --help-all\" shows %d more flags.", command, more); more < 1 || !strings.Contains(short, want) {
			t.Errorf("the help of %s does not end with %s", command, want)
		}
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
