package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"payonce/internal/report"
)

// printHelp prints the help of a command as cobra does, in lines that fit a terminal.
func printHelp(cmd *cobra.Command, _ []string) {
	text := cmp.Or(cmd.Long, cmd.Short) + "\n\n" + strings.TrimRight(cmd.UsageString(), "\n")
	fmt.Fprintln(cmd.OutOrStdout(), fitted(text))
}

// nameOfEntry is what stands before the text of an indented line: a flag, a command or an
// exit code.
var nameOfEntry = regexp.MustCompile(`^ +\S.*?  +`)

// fitted puts text into lines of at most lineWidth characters where its words allow that.
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
