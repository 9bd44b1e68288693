// This file records the starts of commands that spend or that change a journal or an output.

package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/checkpoint"
	"payonce/configs"
	"payonce/pipeline"
	"payonce/pipeline/report"
)

// recorded are the commands besides runs whose starts are recorded, by their paths, and whether their arguments are.
var recorded = map[string]bool{
	"batch write":         true, // the name of a run
	"batch crm export":    true, // the name of a run
	"batch crm push":      true, // the name of a run
	"batch crm undo":      true, // the name of a run
	"batch crm pull":      false,
	"batch watch add":     true, // the names of lists
	"batch watch refresh": true, // the names of lists
	"batch reconcile":     true, // the numbers of attempts
	"batch forget":        false, "batch conformance": false,
	"batch journal prune": false, "batch journal rekey": false, "batch journal unpause": false,
}

// startingRecord is the record of the start of a command. It records nothing before Begin. The zero Record and a nil
// one can be used.
type startingRecord struct {
	record *checkpoint.StartRecord
	note   func(string)
	now    func() time.Time
	ran    *pipeline.RunEnded
}

// Begin records the start of a command beside its journal, if starts of the command are recorded and there is
// a journal.
func (r *startingRecord) Begin(w *pipeline.Work, now func() time.Time, cmd *cobra.Command) {
	withArguments, is := recorded[cmd.CommandPath()]
	switch {
	case is && withArguments:
		r.begin(w, now, cmd, cmd.Flags().Args())
	case is:
		r.begin(w, now, cmd, nil)
	}
}

// BeginRun records the start of a run of a list, also before there is a journal.
func (r *startingRecord) BeginRun(w *pipeline.Work, now func() time.Time, cmd *cobra.Command, list []string) {
	if dir, err := w.Workspace.Dir(); err == nil {
		_ = os.MkdirAll(dir, 0o700) // opening the journal says what is wrong
	}
	r.begin(w, now, cmd, list)
}

// Failed records a run of a list that failed before it had a list.
func (r *startingRecord) Failed(work func(*cobra.Command) (*pipeline.Work, error), now func() time.Time, cmd *cobra.Command, exit int, code string) {
	if w, err := work(cmd); err == nil {
		r.BeginRun(w, now, cmd, nil)
		r.End(exit, code)
	}
}

func (r *startingRecord) begin(w *pipeline.Work, now func() time.Time, cmd *cobra.Command, args []string) {
	dir, err := w.Workspace.Dir()
	if err != nil || r == nil {
		return // the command fails for the same reason
	}
	r.note, r.now = w.Observer.Note, now
	output := ""
	if flag := cmd.Flags().Lookup("output"); flag != nil {
		output = withoutSecret(flag.Value.String())
	}
	r.record, err = checkpoint.BeginStart(dir, checkpoint.Start{At: now().UTC(), Command: startCommandLine(cmd.CommandPath(), args, cmd.Flags()), Output: output})
	r.tell(err)
}

// Ran keeps how a run of a list ended, for End.
func (r *startingRecord) Ran(ended *pipeline.RunEnded) {
	if r != nil {
		r.ran = ended
	}
}

// Ended returns how a run of a list ended, nil when it did not come to its end.
func (r *startingRecord) Ended() *pipeline.RunEnded { return r.ran }

// End records how the start ended: with an exit code and, when a run did not end by itself, a code of
// what happened. Messages are not recorded, because they may name a person of the list.
func (r *startingRecord) End(exit int, code string) {
	if r == nil || r.record == nil {
		return
	}
	end := checkpoint.StartEnd{At: r.now().UTC(), Exit: exit, Reason: code}
	if r.ran != nil {
		end.Reason, end.Lookups, end.Spent = "", r.ran.Summary.Posts, r.ran.Summary.SpentNow
		if r.ran.Summary.Stop != nil {
			end.Reason = *r.ran.Summary.Stop
		}
	}
	r.tell(r.record.End(end))
}

func (r *startingRecord) tell(err error) {
	if err != nil {
		r.note("this start is not in the list of starts: " + err.Error())
	}
}

// names are the flags whose values name things of the user: files, runs, columns and the like.
var names = []string{
	"candidates", "config", "delimiter", "encoding", "export", "from", "job", "list", "map", "map-file", "name", "new-values", "output", "plan", "preset", "priority", "rate-card", "rate-option", "rejects", "selected", "sheet", "state",
	"tables", "tables-format", "temp", "vendor", "workspace",
}

// isRecorded reports whether the value of a flag is recorded: a number, a time or one of a few words, or a name of a
// thing of the user. Every other flag is left out, because its value may be a secret or name a person.
func isRecorded(flag *pflag.Flag) bool {
	switch value := flag.Value.(type) {
	case *configs.MoneyFlag, *configs.CapFlag, *configs.CountFlag, *configs.RateFlag, *rateFlag, *configs.PercentFlag, *configs.ShareFlag, *configs.SizeFlag,
		*configs.AgeFlag, *configs.DateFlag, *configs.ChoiceFlag, *configs.FieldsFlag, *configs.FiguresFlag, *configs.YearsFlag:
		return true
	case *configs.PairsFlag:
		return value.Known
	}
	return slices.Contains([]string{"bool", "int", "uint", "duration"}, flag.Value.Type()) || slices.Contains(names, flag.Name)
}

// secretPattern matches, in letters of any case, a user with a password, a connection string and a header.
const secretPattern = `:\S*@|(pass|passwd|password|pwd|secret|token|key|auth|authorization|signature|credentials?)["']?\s*[=:]|\b(bearer|basic)\s`

// holdsSecret matches a word that may hold a secret, whatever it stands for, and every address.
var holdsSecret = regexp.MustCompile(`(?i)://|` + secretPattern)

// hidden stands in the record for a word that may hold a secret.
const hidden = "[not recorded]"

// withoutSecret returns a word as it is recorded.
func withoutSecret(word string) string {
	if holdsSecret.MatchString(word) {
		return hidden
	}
	return word
}

// startCommandLine returns a command with its arguments and the flags that were given, without secrets.
func startCommandLine(command string, args []string, flags *pflag.FlagSet) string {
	words := strings.Fields(command)
	for _, arg := range args {
		words = append(words, withoutSecret(arg))
	}
	flags.Visit(func(flag *pflag.Flag) {
		isPerson := flag.Name == "name" && command == "batch forget"
		if isRecorded(flag) && !isPerson {
			words = append(words, "--"+flag.Name+"="+withoutSecret(flag.Value.String()))
		}
	})
	for i, word := range words {
		words[i] = report.ShellWord(word)
	}
	return strings.Join(words, " ")
}
