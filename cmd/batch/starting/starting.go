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

// Record is the record of a start beside the run's journal. A nil Record records nothing.
type Record struct {
	record *starts.Record
	note   func(string)
	now    func() time.Time
}

// Begin records the start of a run beside its journal.
func Begin(w *app.Work, now func() time.Time, command, output string) *Record {
	dir, err := w.Workspace.Dir()
	if err != nil {
		return nil // the run fails for the same reason
	}
	r := &Record{note: w.Observer.Note, now: now}
	r.record, err = starts.Begin(dir, starts.Start{At: now().UTC(), Command: command, Output: output})
	r.tell(err)
	return r
}

// Continue records the start of the first run of a journal: call it when the journal is open.
func (r *Record) Continue() {
	if r != nil {
		r.tell(r.record.Continue())
	}
}

// End records how the start ended: with an exit code and, when the run did not end by itself, a code of
// what happened. Messages are not recorded, because they may name a person of the list.
func (r *Record) End(ended *app.Ended, exit int, code string) {
	if r == nil {
		return
	}
	end := starts.End{At: r.now().UTC(), Exit: exit, Reason: code}
	if ended != nil {
		end.Reason, end.Lookups, end.Spent = "", ended.Summary.Posts, ended.Summary.SpentNow
		if ended.Summary.Stop != nil {
			end.Reason = *ended.Summary.Stop
		}
	}
	r.tell(r.record.End(end))
}

func (r *Record) tell(err error) {
	if err != nil {
		r.note("this start is not in the list of starts: " + err.Error())
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
