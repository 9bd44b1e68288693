// Package starting records the starts of runs.
package starting

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"payonce/internal/app"
	"payonce/internal/report"
	"payonce/internal/starts"
)

// Record records the start of a run beside its journal. The function that it returns records how the start
// ended: an exit code and, if the run stopped early, a code for the reason. It does not record messages,
// because they may name a person of the list.
func Record(w *app.Work, now func() time.Time, command, output string) func(ended *app.Ended, exit int, code string) {
	dir, err := w.Workspace.Dir()
	if err != nil {
		return func(*app.Ended, int, string) {} // the run fails for the same reason
	}
	note := func(err error) {
		if err != nil {
			w.Observer.Note("this start is not in the list of starts: " + err.Error())
		}
	}
	record, err := starts.Begin(dir, starts.Start{At: now().UTC(), Command: command, Output: output})
	note(err)
	return func(ended *app.Ended, exit int, code string) {
		end := starts.End{At: now().UTC(), Exit: exit, Reason: code}
		if ended != nil {
			end.Reason, end.Lookups, end.Spent = "", ended.Summary.Posts, ended.Summary.SpentNow
			if ended.Summary.Stop != nil {
				end.Reason = *ended.Summary.Stop
			}
		}
		note(record.End(end))
	}
}

// CommandLine returns the command of a run, with the flags that were given. It leaves out addresses of the
// service, which may hold a password.
func CommandLine(lists []string, flags *pflag.FlagSet) string {
	words := append([]string{"batch", "run"}, lists...)
	flags.Visit(func(flag *pflag.Flag) {
		if flag.Name != "base-url" && flag.Name != "mcp-url" {
			words = append(words, "--"+flag.Name+"="+flag.Value.String())
		}
	})
	for i, word := range words {
		words[i] = report.ShellWord(word)
	}
	return strings.Join(words, " ")
}
