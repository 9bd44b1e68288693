// This file prints the help of commands: flags in groups, lines that fit a terminal.

package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"payonce/pipeline/report"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mostHidden is the number of flags that a help shows although few people use them. A command with more of them has the
// flag --help-all.
const mostHidden = 7

// helpAll is the flag --help-all of a command. It asks for the help too.
type helpAll struct {
	cmd   *cobra.Command
	given bool
}

func (v *helpAll) Set(text string) (err error) {
	if v.given, err = strconv.ParseBool(text); err != nil {
		return err
	}
	return v.cmd.Flags().Set("help", text)
}
func (v *helpAll) String() string { return strconv.FormatBool(v.given) }
func (*helpAll) Type() string     { return "bool" }

// addHelpAll adds the flag --help-all to the commands with many flags that few people use.
func addHelpAll(cmd *cobra.Command) {
	if len(seldomUsed(cmd.LocalFlags())) > mostHidden {
		cmd.Flags().VarPF(&helpAll{cmd: cmd}, "help-all", "", "show all flags").NoOptDefVal = "true"
	}
	for _, below := range cmd.Commands() {
		addHelpAll(below)
	}
}

// printHelp prints the help of a command as cobra does, in lines that fit a terminal. Without --help-all it shows the
// flags that people use.
func printHelp(cmd *cobra.Command, _ []string) {
	text, flags := cmp.Or(cmd.Long, cmd.Short)+"\n\n"+strings.TrimRight(cmd.UsageString(), "\n"), cmd.LocalFlags()
	var hidden []string
	if all := flags.Lookup("help-all"); all != nil && all.Value.String() == "false" {
		hidden = seldomUsed(flags)
	}
	text = grouped(text, flags, hidden)
	if len(hidden) > 0 {
		text += fmt.Sprintf("\n\n%q shows %d more flags.", cmd.CommandPath()+" --help-all", len(hidden))
	}
	fmt.Fprintln(cmd.OutOrStdout(), fitted(text))
}

// flagGroups are the groups of flags in a help text, the most used first. Used are the flags that people use; the help
// shows the others when it is asked for all. A flag that is in no group is one of its command's own, and used.
var flagGroups = []struct {
	title        string
	used, seldom []string
}{
	{"Flags", []string{"yes", "dry-run", "plan", "name", "out", "config", "json", "quiet", "help", "help-all"}, []string{"log-format", "color", "same-workspace", "ceiling-ok"}},
	{"What is looked up", []string{"fields", "from", "where", "filters", "limit", "max", "map"}, []string{
		"figures", "years", "people", "resolve", "selected", "fallback", "accept-mismatch", "profile", "sample", "prefer", "priority", "complete-first", "reask-missing", "rebuy", "fresh-for", "per-page",
	}},
	{"Output", []string{"output", "review", "empty-cells", "only-new", "rejects", "new-values", "tables", "md", "html"}, []string{"candidates", "changes", "tables-format", "formulas", "keep-outputs"}},
	{"Budget", []string{"max-spend", "max-units", "approve"}, []string{
		"max-lookups", "daily", "daily-units", "monthly", "monthly-units", "workspace-monthly", "job", "approval-threshold", "short-budget",
		"strict", "rate-card", "rate-option", "unit-prices",
	}},
	{"List", nil, []string{"encoding", "delimiter", "sheet", "header-row", "map-file", "preset", "held", "copy-held", "memory", "temp"}},
	{"Service and rate", []string{"sandbox", "base-url"}, []string{
		"mcp-url", "transport", "rate", "headroom", "pace", "concurrency", "timeout", "settle-delay", "exclusive", "offline",
	}},
	{"Journal", []string{"workspace"}, []string{"state", "journal", "wait"}},
}

// beside annotates a flag that stands in help texts behind another one, which is in a group.
const beside = "beside"

// placeBeside lets a flag stand in help texts behind another one.
func placeBeside(flags *pflag.FlagSet, name, other string) {
	if name != other {
		_ = flags.SetAnnotation(name, beside, []string{other}) // the flag is there
	}
}

// named returns the flag of a name, without that of none, and those that stand behind it.
func named(flags *pflag.FlagSet, name string) (found []*pflag.Flag) {
	if flag := flags.Lookup(name); flag != nil {
		found = append(found, flag)
	}
	flags.VisitAll(func(flag *pflag.Flag) {
		if slices.Contains(flag.Annotations[beside], name) {
			found = append(found, flag)
		}
	})
	return found
}

// hasHelpGroup reports whether a flag has a place in one of the groups.
func hasHelpGroup(flag *pflag.Flag) bool {
	for _, group := range flagGroups {
		for _, name := range append(flag.Annotations[beside], flag.Name) {
			if slices.Contains(group.used, name) || slices.Contains(group.seldom, name) {
				return true
			}
		}
	}
	return false
}

// seldomUsed returns the flags of a command that few people use.
func seldomUsed(flags *pflag.FlagSet) (names []string) {
	for _, group := range flagGroups {
		for _, name := range group.seldom {
			for _, flag := range named(flags, name) {
				if !flag.Hidden {
					names = append(names, flag.Name)
				}
			}
		}
	}
	return names
}

// grouped puts the flags of a long usage text into groups, without those that are hidden. Flags of no group stay in the
// first.
func grouped(text string, flags *pflag.FlagSet, hidden []string) string {
	all := strings.TrimRight(flags.FlagUsages(), " \n")
	if strings.Count(all, "\n") < 15 {
		return text
	}
	sets := make([]*pflag.FlagSet, len(flagGroups))
	for i, group := range flagGroups {
		sets[i] = pflag.NewFlagSet(group.title, pflag.ContinueOnError)
		sets[i].SortFlags = false
		for _, name := range slices.Concat(group.used, group.seldom) {
			for _, flag := range named(flags, name) {
				if !slices.Contains(hidden, flag.Name) && sets[i].Lookup(flag.Name) == nil {
					sets[i].AddFlag(flag)
				}
			}
		}
	}
	flags.VisitAll(func(flag *pflag.Flag) {
		if !hasHelpGroup(flag) {
			sets[0].AddFlag(flag)
		}
	})
	var parts []string
	for i, group := range flagGroups {
		if usages := strings.TrimRight(sets[i].FlagUsages(), " \n"); usages != "" {
			parts = append(parts, group.title+":\n"+usages)
		}
	}
	return strings.Replace(text, "Flags:\n"+all, strings.Join(parts, "\n\n"), 1)
}

// nameOfEntry is what stands before the text of an indented line: a flag, a command or an
// exit code.
var nameOfEntry = regexp.MustCompile(`^ +\S.*?  +`)

// fitted puts text into lines of at most report.LineWidth characters where its words allow that.
// Lines that follow each other are one paragraph; an indented one stands for itself, and
// goes on under its text.
func fitted(text string) string {
	var lines, words []string
	endParagraph := func() {
		if len(words) > 0 {
			lines, words = append(lines, report.Wrap(words, report.LineWidth)...), nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && line[0] != ' ' && line[0] != '\t' {
			words = append(words, strings.Fields(line)...)
			continue
		}
		endParagraph()
		name := nameOfEntry.FindString(line)
		if len(line) <= report.LineWidth || name == "" {
			lines = append(lines, line)
			continue
		}
		for _, part := range report.Wrap(strings.Fields(line[len(name):]), report.LineWidth-len(name)) {
			lines = append(lines, name+part)
			name = strings.Repeat(" ", len(name))
		}
	}
	endParagraph()
	return strings.Join(lines, "\n")
}
