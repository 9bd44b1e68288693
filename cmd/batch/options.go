package main

import (
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/checkpoint/pgstore"
	"payonce/configs"
	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providers"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// options are the flags of a command in their groups. A command adds the groups that it takes;
// a configuration file may hold any flag of the command by its name. Once they are loaded, each
// group resolves to one value that does not change.
type options struct {
	env       environment
	hints     hintFlags // for the commands of hints
	observer  *hostObserver
	config    string
	json      bool
	quiet     bool // only errors are shown while it runs
	logFormat configs.ChoiceFlag
	colour    configs.ChoiceFlag
	service   serviceFlags
	list      listFlags
	prices    priceFlags
	budget    budgetFlags
	output    outputFlags
	people    *peopleFlags // of a run that searches people of companies; nil for a command that cannot

	offline bool
	unbound bool   // offline, the command need not know the service
	needs   string // the interface that the command needs whatever is asked for; "" for none

	yes       bool               // do not ask
	ceilingOK bool               // a run that reaches a ceiling has ended well
	dryRun    bool               // plan in place of running
	planFile  string             // that a run follows
	kept      *pipeline.PlanFile // read from it

	changes    string    // the table of changes of watched companies, which a run writes first; "" for none
	unapproved time.Time // the time since which the run waits for an approval; zero for none
}

func newOptions(env environment) *options {
	o := &options{env: env, service: newServiceFlags(env)}
	o.list.SetDefaults(env.knownProviders())
	o.output.formulas = configs.Formulas()
	o.budget.setDefaults(env.knownProviders())
	o.prices.setDefaults()
	o.logFormat = configs.ChoiceFlag{Value: "text", Choices: []string{"text", "json"}}
	return o
}

// load fills the options from the configuration file, where the command line and the
// environment are silent, then from the plan of the run, and checks them.
func (o *options) load(cmd *cobra.Command) error {
	if o.config != "" {
		if err := o.readConfig(cmd); err != nil {
			return problem.AsUsage(err)
		}
	}
	if o.planFile != "" {
		if err := o.followPlan(cmd.Flags()); err != nil {
			return problem.AsUsage(err)
		}
	}
	o.hints = hintFlagsOf(cmd.Flags())
	return o.check()
}

// work loads the options and returns where the command works.
func (o *options) work(cmd *cobra.Command) (*pipeline.Work, error) {
	if err := o.load(cmd); err != nil {
		return nil, err
	}
	observer := &hostObserver{Log: o.log(), Columns: o.env.columns}
	o.observer = observer
	env := o.environment()
	env.Progress = func() workspace.Progress {
		return inspect.Activity{Phase: observer.Phase(), Progress: observer.Progress()}.Describe()
	}
	w := &pipeline.Work{Env: env, Workspace: o.workspace(), Observer: observer, Explain: o.hints.Explain, People: peopleAgain}
	o.env.start.Begin(w, o.env.now, cmd)
	return w, nil
}

// workOf returns where a command works by its flags so far, without its configuration. Nothing is noted.
func (env environment) workOf(cmd *cobra.Command) (*pipeline.Work, error) {
	o, flags := newOptions(env), pflag.NewFlagSet("", pflag.ContinueOnError)
	o.addJournalFlags(flags)
	o.quiet = true
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flags.Lookup(flag.Name) != nil {
			_ = flags.Set(flag.Name, flag.Value.String()) // it was parsed before
		}
	})
	if err := o.check(); err != nil {
		return nil, err
	}
	return &pipeline.Work{Env: o.environment(), Workspace: o.workspace(), Observer: &hostObserver{Log: o.log()}}, nil
}

// log returns where a command notes what happens while it runs.
func (o *options) log() hostLog {
	return hostLog{
		Out: o.env.stderr, Now: o.env.now, Terminal: o.env.showsProgress, JSON: o.logFormat.Value == "json", Quiet: o.quiet,
	}
}

// colours reports whether there are to be colours, by the flag, for an output that may be a terminal.
func (env environment) colours(flag string, terminal bool) bool {
	switch flag {
	case "always":
		return true
	case "auto":
		return terminal && env.getenv("NO_COLOR") == "" && env.getenv("TERM") != "dumb"
	}
	return false
}

// command makes the body of a command that loads its options and shows one report.
func (o *options) command(do func(cmd *cobra.Command, w *pipeline.Work, args []string) (report.Report, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		w, err := o.work(cmd)
		if err != nil {
			return err
		}
		found, err := do(cmd, w, args)
		if err != nil || found == nil {
			return err
		}
		return o.show(o.env.stdout, found)
	}
}

// show writes a report, as --json asks for.
func (o *options) show(to io.Writer, r report.Report) error {
	if o.json {
		return report.WriteJSON(to, r)
	}
	return o.showText(to, r)
}

// showText writes a report for a person.
func (o *options) showText(to io.Writer, r report.Report) error {
	return report.WriteColoured(to, r, o.hints.For, o.env.colours(o.colour.Value, o.env.showsText && to == o.env.stdout))
}

// showPages shows a report and writes the pages that the flags name.
func (o *options) showPages(r report.Report) error {
	if err := o.show(o.env.stdout, r); err != nil {
		return err
	}
	stdout := o.env.stdout
	if o.json {
		stdout = nil
	}
	return o.output.pages.Write(stdout, r, o.hints.For, o.env.fileMode)
}

func (o *options) environment() workspace.Environment {
	return workspace.Environment{
		Now: o.env.now, Program: "batch", Version: version, User: userName(), Build: o.env.build, FileMode: o.env.fileMode,
		Raw: configs.KeepsFormulas(o.output.formulas), Lease: o.env.lease,
	}
}

// userName returns the name of the account of the system, "" when it is not known.
func userName() string {
	account, err := user.Current()
	if err != nil {
		return ""
	}
	return account.Username
}

// workspace returns which workspace the command works in.
func (o *options) workspace() workspace.Options {
	w := o.service.Options()
	w.Profile, w.Prices = o.list.Profile, o.prices.value()
	provider.Change(w.Services, func(p *providerv2.Provider) { p.Prices = o.prices.ofUnits() })
	return w
}

// sources are the files that the flags name, which are never overwritten.
func (o *options) sources() []output.Source {
	return []output.Source{
		{What: "the plan of --plan", Path: o.planFile}, {What: "the configuration", Path: o.config}, {What: "the rate card", Path: o.prices.card},
	}
}

// check checks the options and fills in what depends on the environment.
func (o *options) check() error {
	for _, wrong := range o.problems() {
		return problem.Usagef("%s %s", o.service.assumed.written(wrong.Flag), wrong.Text)
	}
	excluded, shared := o.service.Excluded(), o.service.shared()
	switch {
	case o.service.Journal != "" && pgstore.HasPassword(o.service.Journal):
		return problem.Usagef("--journal has a password or cannot be read, and others can see the command line. Write it like postgres://user@host/database, with the password in a passfile, or put the whole address into BATCH_JOURNAL")
	case shared != "" && o.service.Sandbox:
		return problem.Usagef("--sandbox has a journal of its own: unset BATCH_JOURNAL and leave out --journal")
	case excluded != "":
		return problem.Usagef("--sandbox and --%s exclude each other", excluded)
	case !o.service.Known() && !(o.offline && o.unbound):
		return problem.Coded("not_connected"+o.needed(), "Not connected yet")
	case o.service.State != "":
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return problem.Usagef("no place for the journal: %w; give --state DIR or set BATCH_STATE", err)
	}
	o.service.State = filepath.Join(home, ".local", "state", "payonce")
	if xdg := o.env.getenv("XDG_STATE_HOME"); xdg != "" {
		o.service.State = filepath.Join(xdg, "payonce")
	}
	return nil
}

// wanted is what the flags ask for.
func (o *options) wanted() provider.Wanted {
	return provider.Wanted{Fields: o.list.Fields.Words, From: o.list.From}
}

// takesMoney reports whether what the flags ask for costs money by the prices of fields.
func (o *options) takesMoney() bool {
	asked, err := o.workspace().Interfaces().Of(o.wanted())
	return err != nil || slices.ContainsFunc(asked, func(a provider.Asked) bool { return a.Interface.TakesMoney() })
}

// needed returns the ending of a code about an interface that is not configured, such as _v2, when no field that is
// asked for comes from the first interface; else "".
func (o *options) needed() string {
	if o.needs != "" {
		return "_" + o.needs
	}
	set := provider.All(providers.All())
	asked, err := set.Of(o.wanted())
	if err != nil || len(asked) == 0 || asked[0].Interface.Catalogue.Interface == set.Names()[0] {
		return ""
	}
	return "_" + asked[0].Interface.Catalogue.Interface
}

// problems returns every value that no environment makes right.
func (o *options) problems() []configs.FlagProblem {
	problems := o.service.Problems()
	refuse := func(wrong bool, flag, format string, args ...any) {
		if wrong {
			problems = append(problems, configs.FlagProblem{Flag: flag, Text: fmt.Sprintf(format, args...)})
		}
	}
	refuse(o.list.List.HeaderRow < 0, "header-row", "%d: choose 1 or more", o.list.List.HeaderRow)
	refuse(o.list.List.Check() != nil, "encoding", "%q: give UTF-8, UTF-16LE, UTF-16BE or Windows-1252", o.list.List.Encoding)
	const nameForm = "%.40q: use at most %d characters that can be printed, and no slash"
	refuse(!isName(o.list.List.Run), "name", nameForm, o.list.List.Run, maxName)
	refuse(!isName(o.budget.job), "job", nameForm, o.budget.job, maxName)
	return problems
}

// maxName is the longest name of a run or a job, in characters. The names that lists
// give are shorter.
const maxName = 300

// isName reports whether a run or a job may have a name: what a terminal and the
// journal's scopes can take. The empty one stands for the default.
func isName(name string) bool {
	return utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxName &&
		!strings.Contains(name, "/") && report.Printable(name) == name
}
