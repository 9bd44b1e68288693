// This file prints the help of commands: flags in groups, lines that fit a terminal.

package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"payonce/pipeline/report"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// printHelp prints the help of a command as cobra does, in lines that fit a terminal.
func printHelp(cmd *cobra.Command, _ []string) {
	text := cmp.Or(cmd.Long, cmd.Short) + "\n\n" + strings.TrimRight(cmd.UsageString(), "\n")
	fmt.Fprintln(cmd.OutOrStdout(), fitted(grouped(text, cmd.LocalFlags())))
}

// flagGroups are the groups of flags in a help text, the most used first.
var flagGroups = []struct {
	title string
	names []string
}{
	{"Flags", []string{"output", "max-spend", "fields", "from", "where", "filters", "max", "yes", "dry-run", "plan", "out", "md", "html", "map", "name", "limit", "rejects", "tables", "sandbox", "json", "quiet", "log-format", "color", "config", "help"}},
	{"List", []string{
		"encoding", "delimiter", "sheet", "header-row", "map-file", "preset", "held", "copy-held", "prefer", "priority", "candidates", "selected", "resolve", "profile", "sample", "reask-missing", "rebuy",
		"keep-outputs", "tables-format", "formulas", "memory", "temp",
	}},
	{"Budget", []string{
		"max-lookups", "max-units", "daily", "daily-units", "monthly", "monthly-units", "workspace-monthly", "job", "approval-threshold", "approve", "ceiling-ok", "short-budget",
		"strict", "rate-card", "rate-option", "unit-prices",
	}},
	{"Service and rate", []string{
		"base-url", "base-url-v2", "mcp-url", "transport", "request-name", "rate", "rate-v2", "modules", "module-codenames", "not-found-text", "headroom", "pace", "concurrency", "timeout", "settle-delay",
		"exclusive", "offline",
	}},
	{"Journal", []string{"state", "workspace", "wait", "same-workspace"}},
}

// hasHelpGroup reports whether a flag has a place in one of the groups.
func hasHelpGroup(flag string) bool {
	for _, group := range flagGroups {
		if slices.Contains(group.names, flag) {
			return true
		}
	}
	return false
}

// grouped puts the flags of a long usage text into groups. Flags of no group stay in the first.
func grouped(text string, flags *pflag.FlagSet) string {
	all := strings.TrimRight(flags.FlagUsages(), " \n")
	if strings.Count(all, "\n") < 15 {
		return text
	}
	sets := make([]*pflag.FlagSet, len(flagGroups))
	placed := map[string]bool{}
	for i, group := range flagGroups {
		sets[i] = pflag.NewFlagSet(group.title, pflag.ContinueOnError)
		sets[i].SortFlags = false
		for _, name := range group.names {
			if flag := flags.Lookup(name); flag != nil {
				sets[i].AddFlag(flag)
				placed[name] = true
			}
		}
	}
	flags.VisitAll(func(flag *pflag.Flag) {
		if !placed[flag.Name] {
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
