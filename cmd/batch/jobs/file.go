// This file reads the jobs file: lists that are enriched at set times. A job is a mapping whose keys are
// names of flags: those of batch run, and a few of its own.

package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"payonce/configs"
	"payonce/cost"
	"payonce/io/atomicfile"
	"payonce/io/notify"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providers"
	"payonce/pipeline/workspace"
)

// RunLine is one command line of batch run, whose flags a job sets.
type RunLine struct {
	Flags   *pflag.FlagSet
	Section configs.Section // of the job, beside the flags
	// Check returns the values that no flag may have.
	Check func() []configs.FlagProblem
	// Workspace returns where the flags say that the run works.
	Workspace func() (workspace.Options, workspace.Environment, error)
	// Start runs the command for a list. Unapproved is the time since which the run waits for an approval that
	// earlier starts did not get; zero for none.
	Start func(ctx context.Context, list string, unapproved time.Time) RunOutcome
	// Plan shows the plan of the run for a list.
	Plan func(ctx context.Context, list string) error
	// Fail returns the outcome of a run that could not start.
	Fail func(error) RunOutcome
}

// RunOutcome says how a run ended.
type RunOutcome struct {
	Exit   int
	Reason string // a code; "" when every row has its outcome
	// Cause says in one sentence why the run failed, where Reason says less. It has nothing of a list. Failures of one
	// CauseKind have the same cause; without it those of one Reason.
	Cause, CauseKind string
	Err              error // that is shown to a person; nil when the run has shown all
	// Until is when the run can go on without anybody acting. It is zero when the run came to its end, or when a
	// person has to act.
	Until time.Time
	// OfRun are the sums of the run over all its starts, also those that were killed; nil for a run that could not start.
	OfRun *RunSums
	Facts notify.RunFacts // for alerts
}

// RunSums are the sums of a run, as batch show has them.
type RunSums struct {
	Found   int64 // values
	Lookups int64 // that were sent, or may have been
	Spent   cost.Money
}

// FileReader reads jobs files.
type FileReader struct {
	// NewRun returns a new command line.
	NewRun func() RunLine
	// Target has what is the same for all jobs: the environment and the words of errors.
	Target configs.Target

	path string // of the file that is read
}

// File is what a jobs file says.
type File struct {
	Path   string
	Jobs   []*Job
	Alerts []AlertChannel
}

// Receivers returns the channels that get the alerts of the job.
func (j *Job) Receivers() (receivers []notify.Receiver) {
	for _, alert := range j.Alerts {
		receivers = append(receivers, notify.Receiver{Channel: alert.Name, Kinds: alert.Kinds})
	}
	return receivers
}

// Job is a list that is enriched at set times.
type Job struct {
	Name string
	File string // the jobs file, for commands; "" for the default one
	Dir  string // from which relative names count; "" for the one of this process
	List List
	Plan SchedulePlan
	Run  RunLine

	Latest     string         // a link to the newest output; "" for none
	Metrics    string         // the file of metrics; "" for none
	Report     string         // the directory of pages about runs; "" for none
	Keep       int64          // how many dated outputs are kept; 0 for all
	Retention  time.Duration  // of the history
	PauseAfter int64          // failures in a row
	Alerts     []AlertChannel // the channels that get the alerts of the job
	NoRunAfter time.Duration  // without a run that came to its end, an alert is sent; 0 for never
}

// List says where the list of a job comes from. One of its members is set.
type List struct {
	Path, Newest, Command string
	Words                 []string // of a command that is a list: the program and its arguments
	Query                 ListQuery
}

// String names the list.
func (l List) String() string {
	switch {
	case l.Newest != "":
		return "newest " + l.Newest
	case l.Command != "":
		return "output of " + l.Command
	case l.Query.SQL != "":
		return "rows of a query"
	}
	return l.Path
}

// The names at the top of the file.
const (
	defaultsName = "defaults"
	jobsName     = "jobs"
	alertsName   = "alerts"
)

// fixedFlags are the flags of batch run that a job does not set: those of one command line, and those that
// follow from the job.
func fixedFlags() []string {
	return []string{"config", "help", "help-all", "plan", "dry-run", "yes", "job", "name", "json", "quiet", "log-format", "ceiling-ok", "rebuy", "same-workspace", "wait", "journal"}
}

// nameForm is what the name of a job looks like. It stands in names of files and units.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$`)

// Read reads a jobs file. Its error says everything that is wrong, each with its line and column.
func (r FileReader) Read(path string) (*File, error) {
	text, err := ReadText(path)
	if err != nil {
		return nil, err
	}
	return r.Parse(path, text)
}

// ReadText reads the text of a jobs file.
func ReadText(path string) ([]byte, error) {
	text, err := atomicfile.ReadSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; write a jobs file, or name another one", err)
	}
	return text, err
}

// Parse is Read for a file that was read before. Each call returns jobs of their own.
func (r FileReader) Parse(path string, text []byte) (*File, error) {
	document, err := configs.ParseDocument(path, text)
	if err != nil {
		return nil, err
	}
	file := &File{Path: path}
	r.path = path
	root := document.Root()
	var defaults *configs.Mapping
	var all []configs.Entry
	var channels []string
	for _, entry := range root.Entries() {
		switch entry.Name {
		case defaultsName:
			defaults = entry.Mapping()
		case jobsName:
			all = entry.Mapping().Entries()
			if len(all) == 0 {
				entry.Problem(errors.New("the file has no jobs: give each job a name and its keys"))
			}
		case alertsName:
			for _, alert := range entry.Mapping().Entries() {
				channels = append(channels, alert.Name)
				file.Alerts = append(file.Alerts, r.alert(alert)...)
			}
		default:
			entry.Problem(fmt.Errorf("unknown key %q%s; a jobs file has the keys %s, %s and %s", entry.Name,
				r.Target.Suggest(entry.Name, []string{defaultsName, jobsName, alertsName}), defaultsName, jobsName, alertsName))
		}
	}
	if !root.Has(jobsName) {
		root.Problem(errors.New("the key jobs is missing: it holds the jobs by their names"))
	}
	taken := map[string]string{} // jobs by their files of metrics and directories of pages
	for _, entry := range all {
		job := r.job(entry, defaults, file.Alerts, channels)
		for _, place := range []struct{ key, path string }{{"metrics", job.Metrics}, {"report", job.Report}} {
			if other := taken[place.key+place.path]; other != "" && place.path != "" {
				entry.Problem(fmt.Errorf("%s: the jobs %s and %s write to the same place; put {job} into its name", place.key, other, job.Name))
			}
			taken[place.key+place.path] = job.Name
		}
		file.Jobs = append(file.Jobs, job)
	}
	if len(all) == 0 && defaults != nil {
		r.set(&own{channels: channels}, defaults)
	}
	return file, document.Err()
}

// set sets the flags of a new job from mappings, the first of which wins.
func (r FileReader) set(o *own, mappings ...*configs.Mapping) RunLine {
	run := r.NewRun()
	t := r.Target
	t.Flags, t.Section = flagsOf(o, run.Flags), run.Section
	t.Known = "a job has keys of its own and those of batch run: see batch jobs schema"
	t.Refuse, t.Secrets = refuseSecret, jobSecrets()
	t.Check = func() []configs.FlagProblem { return append(run.Check(), o.problems()...) }
	for _, mapping := range mappings {
		if mapping != nil {
			mapping.Set(t)
		}
	}
	for _, mapping := range mappings {
		if mapping != nil {
			mapping.Check(t)
		}
	}
	return run
}

// flagsOf returns all flags that a job can set.
func flagsOf(o *own, run *pflag.FlagSet) *pflag.FlagSet {
	flags := o.flags()
	run.VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(fixedFlags(), flag.Name) {
			flags.AddFlag(flag)
		}
	})
	return flags
}

// job reads one job of a file with channels of alerts. Names are those of all channels, also of those with mistakes.
func (r FileReader) job(entry configs.Entry, defaults *configs.Mapping, channels []AlertChannel, names []string) *Job {
	if !nameForm.MatchString(entry.Name) {
		entry.Problem(fmt.Errorf("%.60q is not a valid job name: use up to 50 letters, digits, dashes and underscores", entry.Name))
	}
	o := &own{channels: names}
	mapping := entry.Mapping()
	run := r.set(o, mapping, defaults)
	o.name(entry.Name)
	for _, key := range outputKeys {
		if flag := run.Flags.Lookup(key); flag != nil && strings.Contains(flag.Value.String(), jobWord) {
			if err := flag.Value.Set(strings.ReplaceAll(flag.Value.String(), jobWord, entry.Name)); err != nil {
				entry.Problem(fmt.Errorf("%s: %w", key, err))
			}
		}
	}
	dir := dirOf(r.path)
	if o.directory != "" {
		dir = placed(dir, o.directory)
	}
	o.place(dir)
	for _, key := range fileKeys {
		if flag := run.Flags.Lookup(key); flag != nil && flag.Changed {
			name := flag.Value.String()
			if key == "state" && isLeftBehind(name, placed(dir, name)) {
				entry.Problem(leftBehindError(name, placed(dir, name)))
			}
			if err := flag.Value.Set(placed(dir, name)); err != nil {
				entry.Problem(fmt.Errorf("%s: %w", key, err))
			}
		}
	}
	job := &Job{
		Name: entry.Name, File: fileOf(r.path), Dir: dir, Run: run,
		List: List{
			Path: o.list, Newest: o.newest, Command: o.command.line, Words: o.command.words,
			Query: ListQuery{Connection: o.connection, SQL: o.query, Timeout: o.queryTimeout},
		},
		Latest: o.latest, Metrics: o.metrics, Report: o.report,
		Keep:      o.keep.OrZero(),
		Retention: o.retention.Span, PauseAfter: o.pauseAfter.OrZero(),
		NoRunAfter: o.noRunAfter.Span,
		Plan: SchedulePlan{
			Job: entry.Name, Times: o.schedule.Times, Zone: o.zone.location, CatchUp: o.catchUp.Span, Jitter: o.jitter,
			Overlaps: o.overlap.Value == "wait",
		},
	}
	for _, channel := range channels {
		if !o.alerts.given || slices.Contains(o.alerts.list, channel.Name) {
			job.Alerts = append(job.Alerts, channel)
		}
	}
	job.check(entry, func(name string) bool { return mapping.Has(name) || defaults != nil && defaults.Has(name) })
	return job
}

// check adds what is wrong with the job as a whole. A key that was given with a wrong value is not missing.
func (j *Job) check(entry configs.Entry, given func(string) bool) {
	lists := 0
	for _, from := range []string{j.List.Path, j.List.Newest, j.List.Command, j.List.Query.SQL} {
		if from != "" {
			lists++
		}
	}
	output := j.Output()
	for _, key := range outputKeys {
		if flag := j.Run.Flags.Lookup(key); flag != nil {
			if word := unknownWord(flag.Value.String(), "{date}", "{time}"); word != "" {
				entry.Problem(fmt.Errorf("%s: %s", key, wordUnknown(word, "{date}", "{time}")))
			}
		}
	}
	switch {
	case lists == 0 && !given("list") && !given("list-newest") && !given("list-command") && !given("list-query"):
		entry.Problem(errors.New("the job has no list: give list, list-newest, list-command or list-query"))
	case lists > 1:
		entry.Problem(errors.New("the job has several lists: give one of list, list-newest, list-command and list-query"))
	case output == "" && !given("output"):
		entry.Problem(errors.New("the job has no output: give output, such as out/contacts-{date}.csv"))
	case output == "-":
		entry.Problem(errors.New("output: a job cannot write to standard output; give a file"))
	case j.Keep > 0 && !strings.Contains(output, "{date}"):
		entry.Problem(errors.New("keep: it needs {date} in output; add it, or remove keep"))
	case j.Latest != "" && j.Latest == output:
		entry.Problem(errors.New("latest: it has the same name as output; give the link another name"))
	case j.Run.Flags.Lookup("max-spend").Value.String() == "" && !given("max-spend") && j.takesMoney():
		entry.Problem(errors.New("the job has no ceiling: give max-spend, the most that one run may spend"))
	}
}

// takesMoney reports whether what the job asks for costs money by the prices of fields, if all interfaces are
// configured.
func (j *Job) takesMoney() bool {
	names := func(flag string) []string {
		f := j.Run.Flags.Lookup(flag)
		if f == nil || f.Value.String() == "" {
			return nil
		}
		return strings.Split(f.Value.String(), ",")
	}
	asked, err := provider.All(providers.All()).Of(provider.Wanted{Fields: names("fields"), From: names("from")})
	return err != nil || len(asked) == 0 ||
		slices.ContainsFunc(asked, func(a provider.Asked) bool { return a.Interface.TakesMoney() })
}

// dirOf returns the directory of a jobs file, from which its relative names count; "" for the one of this process.
func dirOf(path string) string {
	if dir := filepath.Dir(path); dir != "." {
		return dir
	}
	return ""
}

// secrets are values that hold a password.
var secrets = regexp.MustCompile(`(?i)://[^/\s:@]*:[^/\s@]+@|(passw(or)?d|pgpass|secret|token|api[-_]?key)\s*[=:]\s*\S`)

// secretKeys are names of what does not belong in the file.
var secretKeys = regexp.MustCompile(`(?i)passw|secret|token|api-?_?key|credential`)

// jobSecrets are the keys of a job that are secrets: the URL of a database may have a password.
func jobSecrets() []string { return []string{"list-connection"} }

// refuseSecret returns an error for a key or a value that would hold a secret.
func refuseSecret(key, value string) error {
	if secretKeys.MatchString(key) {
		return errors.New("secrets do not belong in a jobs file")
	}
	if secrets.MatchString(value) {
		return errors.New("the value looks like a secret, which does not belong in a jobs file")
	}
	return nil
}

// Output returns the name of the output, with {date} and {time} as they are written.
func (j *Job) Output() string { return j.Run.Flags.Lookup("output").Value.String() }
