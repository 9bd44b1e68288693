// This file is what the page knows of the program: commands without a terminal.

package main

import (
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/checkpoint/attempt"
	"payonce/cmd/batch/web"
	"payonce/configs"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// pageProgram is the program for the page. The flags that name the workspace and the services are those of the page.
type pageProgram struct {
	env   environment
	given []web.Flag
}

// journalPatience is how long a run of the page waits for another process that owns the journal.
const journalPatience = 12 * time.Hour

// ownFlags are the flags of the page that are not passed on to other commands.
var ownFlags = []string{"quiet", "log-format", "color", "file"}

func newPageProgram(env environment, flags *pflag.FlagSet) *pageProgram {
	env.stdout, env.canAsk, env.showsProgress, env.showsText, env.typed, env.unread = io.Discard, false, false, false, nil, nil
	env.start = nil
	p := &pageProgram{env: env}
	_, run := newRun(env)
	flags.Visit(func(flag *pflag.Flag) {
		if run.Flags().Lookup(flag.Name) == nil || slices.Contains(ownFlags, flag.Name) {
			return
		}
		values := []string{flag.Value.String()}
		if list, is := flag.Value.(pflag.SliceValue); is {
			values = list.GetSlice()
		}
		for _, value := range values {
			p.given = append(p.given, web.Flag{Name: flag.Name, Value: value})
		}
	})
	return p
}

// set gives a command the flags of the page and its own, as if they were on its command line.
func (p *pageProgram) set(ctx context.Context, cmd *cobra.Command, own []web.Flag) error {
	root := &cobra.Command{Use: "batch"} // a configuration may have keys for plan and run, so the root has both
	for _, other := range []*cobra.Command{newPlanCommand(p.env), newRunCommand(p.env)} {
		if other.Name() != cmd.Name() {
			root.AddCommand(other)
		}
	}
	root.AddCommand(cmd)
	cmd.SetContext(ctx)
	for _, flag := range slices.Concat(p.given, own) {
		if cmd.Flags().Lookup(flag.Name) == nil {
			continue
		}
		if err := cmd.Flags().Set(flag.Name, flag.Value); err != nil {
			return fieldError(flag, err)
		}
	}
	return nil
}

// fieldError is what the page says of a value that a flag does not take. A form has fields in place of flags.
func fieldError(given web.Flag, err error) error {
	reason := err
	if invalid, is := errors.AsType[*pflag.InvalidValueError](err); is {
		reason = invalid.Unwrap()
		if form := configs.FlagForm(invalid.GetFlag()); form != "" {
			reason = errors.New("write " + form)
		}
	}
	return problem.Usagef("%q cannot be used in the field %q: %w", given.Value, web.LabelOf(given.Name), reason)
}

// journalCommand returns a command that works with the journal, and its options.
func (p *pageProgram) journalCommand(ctx context.Context, env environment, name string) (*options, *cobra.Command, error) {
	o, cmd := newOptions(env), &cobra.Command{Use: name}
	o.addJournalFlags(cmd.Flags())
	o.service.AddWait(cmd.Flags())
	o.service.AddService(cmd.Flags())
	err := p.set(ctx, cmd, nil)
	o.quiet = true
	return o, cmd, err
}

// Choices returns what the form of a plan offers.
func (p *pageProgram) Choices() web.Choices {
	o := newOptions(p.env)
	units, _ := unitNames(p.env.knownProviders())
	choices := web.Choices{Fields: o.list.Fields.All(), Units: units}
	var names []string
	for _, one := range p.env.knownProviders() {
		names = append(names, one.Interface().Catalogue.Interface)
	}
	choices.Interfaces = orders(names)
	return choices
}

// orders returns every order of every subset of the names, the short ones first.
func orders(names []string) (all [][]string) {
	level := [][]string{nil}
	for range names {
		var longer [][]string
		for _, begun := range level {
			for _, name := range names {
				if !slices.Contains(begun, name) {
					longer = append(longer, append(slices.Clone(begun), name))
				}
			}
		}
		all, level = append(all, longer...), longer
	}
	return all
}

// Dir returns the directory of the workspace's journal.
func (p *pageProgram) Dir() (string, error) {
	w, err := p.Work()
	if err != nil {
		return "", err
	}
	return w.Workspace.Dir()
}

// Work returns where use cases work.
func (p *pageProgram) Work() (*pipeline.Work, error) {
	o, cmd, err := p.journalCommand(context.Background(), p.env, "budget")
	if err != nil {
		return nil, err
	}
	return o.work(cmd)
}

// Mapping opens how the columns of a list are read.
func (p *pageProgram) Mapping(ctx context.Context, list string, flags []web.Flag) (*pipeline.Mapping, error) {
	var f listFlags
	f.SetDefaults(p.env.knownProviders())
	cmd := &cobra.Command{Use: "map"}
	f.AddReading(cmd.Flags())
	f.AddAsking(cmd.Flags())
	if err := p.set(ctx, cmd, flags); err != nil {
		return nil, err
	}
	f.List.UsualFields = !cmd.Flags().Changed("fields")
	return pipeline.OpenMapping(f.Value(ctx, p.env.stdin, p.env.now, list), p.env.knownProviders())
}

// Plan plans a list as "batch plan" does.
func (p *pageProgram) Plan(ctx context.Context, list string, flags []web.Flag, keepIn string) (*report.Plan, error) {
	o, cmd := newPlan(p.env)
	if keepIn != "" {
		flags = append(slices.Clone(flags), web.Flag{Name: "out", Value: keepIn})
	}
	if err := p.set(ctx, cmd, flags); err != nil {
		return nil, err
	}
	o.quiet, o.env.fileMode = true, 0o600
	w, err := o.work(cmd)
	if err != nil {
		return nil, err
	}
	w.Workspace.Journal.Wait = web.ReadingPatience
	if err := o.checkKeep([]string{list}); err != nil {
		return nil, err
	}
	planned, err := o.plan(cmd, w, []string{list})
	if err != nil {
		return nil, err
	}
	return planned.Plan, nil
}

// RunArguments returns the arguments of a run of a kept plan. A configuration may contradict the plan. So with one, the
// command line also has the flags of the plan, because it overrides the configuration.
func (p *pageProgram) RunArguments(plan *pipeline.PlanFile, path, output string) []string {
	words := []string{"run", "--plan=" + path, "--output=" + output, "--yes", "--json", "--log-format=json", "--wait=" + journalPatience.String()}
	configured := false
	for _, flag := range p.given {
		words = append(words, "--"+flag.Name+"="+flag.Value)
		configured = configured || flag.Name == "config"
	}
	if plan.Plan.Approval != nil {
		words = append(words, "--approve="+plan.Plan.Possible.String())
	}
	if !configured {
		return words
	}
	_, run := newRun(p.env)
	for _, name := range agreedFlags {
		value, planned := plan.Options[name]
		isGiven := slices.ContainsFunc(p.given, func(flag web.Flag) bool { return flag.Name == name })
		if planned && !isGiven && run.Flags().Lookup(name) != nil {
			words = append(words, "--"+name+"="+value)
		}
	}
	return words
}

// Doubts returns the calls in doubt, as far as the journal and the lists of their runs know them.
func (p *pageProgram) Doubts(ctx context.Context) (*report.Reconciliation, error) {
	o, cmd, err := p.journalCommand(ctx, p.env, "reconcile")
	if err != nil {
		return nil, err
	}
	o.service.Wait = web.ReadingPatience
	w, err := o.work(cmd)
	if err != nil {
		return nil, err
	}
	return w.Doubts(ctx, o.list.Value(ctx, p.env.stdin, p.env.now))
}

// Reconcile compares calls in doubt with the account, or decides them, as "batch reconcile" does.
func (p *pageProgram) Reconcile(ctx context.Context, assume string, attempts []attempt.ID) (found *report.Reconciliation, err error) {
	env := p.env
	env.start = &startingRecord{}
	o, cmd, err := p.journalCommand(ctx, env, "reconcile")
	if err != nil {
		return nil, err
	}
	o.service.Wait = time.Minute
	w, err := o.work(cmd)
	if err != nil {
		return nil, err
	}
	found, err = w.Reconcile(ctx, pipeline.ReconcileOptions{
		Assume: assume, Attempts: attempts, Reading: o.list.Value(ctx, p.env.stdin, p.env.now),
	})
	env.start.End(exitCode(err), exitWord(err))
	return found, err
}

// Failure returns the message, the hint and the exit code of an error.
func (p *pageProgram) Failure(err error) report.Failure {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	failure, _ := failureOf(err, hintFlagsOf(flags))
	failure.Hint, failure.Message = p.Hint(failure), web.InFields(failure.Message)
	return failure
}

// pageHints say what to do next where the page has a screen for it, by the codes of failures. In a terminal there are
// commands for it.
var pageHints = map[string]string{
	"no_identity":         "Choose how the columns are read, save it, and plan again.",
	"plan_file":           "Make a new plan from the list.",
	"no_such_run":         "Find its name on the screen of runs.",
	"journal_held":        "Wait until it ends, and try again.",
	"journal_owner_ended": "Nothing was changed. Try again.",
	"disk_filled":         "Make room there, and go on with the run.",
	"disk_full":           "Nothing was sent. Make room there, and try again.",
	"not_in_doubt":        "Load the screen of calls in doubt again.",
	"no_such_job":         "Find its name on the screen of runs.",
	"run_ambiguous":       "Find its name on the screen of runs.",
	"max_spend_missing":   web.InFields("Fill in the field --max-spend."),
	"max_units_missing":   web.InFields("Fill in the fields under --max-units."),
	"approval_missing":    "Make a new plan from the list, and approve it.",
	"journal_failed":      "Go on with the run: it continues from what is recorded.",
	"journal_unreachable": "Nothing was sent. Try again when the database can be reached.",
	"other_key_unchecked": "Try again when the service can be reached.",
	"ambiguous":           "Choose how the columns are read, save it, and plan again.",
}

// elsewhere begins a hint that names flags or commands.
const elsewhere = "The page has no field for this. In a terminal: "

// namesCommand matches what can only be done in a terminal.
var namesCommand = regexp.MustCompile(`--[a-z]|\bbatch [a-z]|the same command`)

// Hint returns what a reader of the page does next about a failure of a command.
func (*pageProgram) Hint(failure report.Failure) string {
	if text, has := pageHints[failure.Code]; has {
		return text
	}
	text := strings.TrimLeft(failure.Hint, ";:. ") // it continues the message
	if text == "" {
		return ""
	}
	if text = web.InFields(text); namesCommand.MatchString(text) {
		return elsewhere + text
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

var _ web.Program = (*pageProgram)(nil)
