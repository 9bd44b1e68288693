package main

import (
	"fmt"

	"payonce/pipeline/report"
)

// adviceOnChoices says how somebody chooses among the companies that searches found; "" where there is nothing to
// choose.
func adviceOnChoices(view *report.RunSummary) string {
	text := view.Ambiguous.Text()
	switch file := view.Ambiguous.Written(); {
	case text == "":
		return ""
	case file == "":
		return text + ".\nRun the same command with --candidates FILE to write the candidates to a file. The searches are not paid for again."
	default:
		return fmt.Sprintf("%s.\nMark the right candidates in %s with x in the column selected, save it, and run the same command with --selected %s.",
			text, file, report.ShellWord(file))
	}
}
