package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shownCommand matches a command in a text: in a line of a block, or in quotes of code.
var shownCommand = regexp.MustCompile("(?m)(?:^|`|\\$ |sudo )batch ((?:[^`\\n\\\\]|\\\\\\n)*)")

// shownFlag matches the name of a long flag.
var shownFlag = regexp.MustCompile(`(?:^|[\s\[(])--([a-z][a-z0-9-]*)`)

// commandName matches the name of a command.
var commandName = regexp.MustCompile(`^[a-z][a-z-]*$`)

// TestTheCommandsOfTheDocsExist checks the commands that the docs show, and their flags.
func TestTheCommandsOfTheDocsExist(t *testing.T) {
	t.Parallel()
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	root, seen := newRootCommand(quietEnvironment(nil)), 0
	for _, path := range append(docs, "../../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range shownCommand.FindAllStringSubmatch(string(text), -1) {
			line := strings.ReplaceAll(found[1], "\\\n", " ")
			cmd, rest := commandOf(root, strings.Fields(line))
			if len(rest) > 0 && rest[0] == strings.ToUpper(rest[0]) && cmd == root {
				continue // it stands for any command
			}
			if cmd.HasSubCommands() && len(rest) > 0 && commandName.MatchString(rest[0]) {
				t.Errorf("%s: there is no command batch %s", filepath.Base(path), line)
				continue
			}
			seen++
			for _, flag := range shownFlag.FindAllStringSubmatch(line, -1) {
				if name := flag[1]; cmd.Flags().Lookup(name) == nil && name != "help" {
					t.Errorf("%s: %s has no flag --%s: batch %s", filepath.Base(path), cmd.CommandPath(), name, line)
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("the docs show %d commands", seen)
	}
}

// commandOf returns the command that words name, and the words after its name.
func commandOf(root *cobra.Command, words []string) (cmd *cobra.Command, rest []string) {
	cmd, rest = root, words
	for len(rest) > 0 {
		i := slices.IndexFunc(cmd.Commands(), func(below *cobra.Command) bool { return below.Name() == rest[0] })
		if i < 0 {
			break
		}
		cmd, rest = cmd.Commands()[i], rest[1:]
	}
	return cmd, rest
}

// TestFlagsInTheConformanceTableExist checks the flags that the table of docs/conformance.md names without a command.
func TestFlagsInTheConformanceTableExist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## v2: what reaches each part\n")
	section, _, _ = strings.Cut(section, "\n## ")
	flags := map[string]bool{}
	var collect func(*cobra.Command)
	collect = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { flags[flag.Name] = true })
		for _, below := range cmd.Commands() {
			collect(below)
		}
	}
	collect(newRootCommand(quietEnvironment(nil)))
	seen := 0
	for _, span := range regexp.MustCompile("`--[^`]+`").FindAllString(section, -1) {
		for _, flag := range regexp.MustCompile(`--([a-z][a-z0-9-]*)`).FindAllStringSubmatch(span, -1) {
			if seen++; !flags[flag[1]] {
				t.Errorf("the table names %s, and no command has a flag --%s", span, flag[1])
			}
		}
	}
	if seen < 4 {
		t.Errorf("the table names %d flags", seen)
	}
}
