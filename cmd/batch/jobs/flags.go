package jobs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"payonce/configs"
	"payonce/io/listfile"
)

// own are the values of a job that batch run does not know.
type own struct {
	directory          string
	list, newest       string
	command            commandFlag
	query, connection  string
	queryTimeout       time.Duration
	latest             string
	metrics, report    string
	keep               configs.CountFlag
	schedule           times
	zone               zone
	jitter             time.Duration
	overlap            configs.ChoiceFlag
	catchUp, retention configs.AgeFlag
	pauseAfter         configs.CountFlag
	alerts             words
	noRunAfter         configs.AgeFlag
	channels           []string // that alerts may name
}

// The defaults of a job.
const (
	defaultCatchUp    = 24 * time.Hour
	defaultRetention  = 400 * 24 * time.Hour
	defaultPauseAfter = 3
	maxJitter         = 12 * time.Hour

	defaultQueryTimeout = 10 * time.Minute
	maxQueryTimeout     = 24 * time.Hour
)

// flags returns the flags of the values.
func (o *own) flags() *pflag.FlagSet {
	after := int64(defaultPauseAfter)
	o.zone.location, o.pauseAfter.N = time.Local, &after
	o.overlap = configs.ChoiceFlag{Value: "skip", Choices: []string{"skip", "wait"}}
	o.catchUp.Span, o.retention.Span = defaultCatchUp, defaultRetention
	flags := pflag.NewFlagSet("job", pflag.ContinueOnError)
	flags.StringVar(&o.directory, "directory", "", "the `DIR` from which relative names of files count, and in which list-command runs (default that of the jobs file)")
	flags.StringVar(&o.list, "list", "", "the `FILE` that is enriched; {date} and {time} in the name stand for those of the occurrence")
	flags.StringVar(&o.newest, "list-newest", "", "enrich the newest file that matches this `PATTERN`, such as exports/*.csv")
	flags.Var(&o.command, "list-command", "enrich the list that this `COMMAND` writes to its standard output: a line for the shell, or a list of a program and its arguments")
	flags.StringVar(&o.query, "list-query", "", "enrich the rows of this `QUERY` of PostgreSQL; {date} and {time} stand for those of the occurrence")
	flags.StringVar(&o.connection, "list-connection", "", "the `URL` of the database of list-query (default what variables such as PGHOST say)")
	flags.DurationVar(&o.queryTimeout, "list-timeout", defaultQueryTimeout, "how long the query may take")
	flags.StringVar(&o.latest, "latest", "", "a symbolic link to the newest output, at this `FILE`")
	flags.StringVar(&o.metrics, "metrics", "", "write metrics of Prometheus to this `FILE`, whose name ends in .prom; {job} in the name stands for that of the job")
	flags.StringVar(&o.report, "report", "", "write a page about each run and an index of them to this `DIR`; {job} in the name stands for that of the job")
	flags.Var(&o.keep, "keep", "how many outputs with {date} in their name are kept; older unchanged ones are removed (default all)")
	flags.Var(&o.schedule, "schedule", "when the job is due: daily at 02:30, or a cron expression of five fields (default only when it is started by hand)")
	flags.Var(&o.zone, "time-zone", "the zone of the schedule, such as Europe/Berlin (default the machine's)")
	flags.DurationVar(&o.jitter, "jitter", 0, "spread the starts over this time; each occurrence has its own delay")
	flags.Var(&o.overlap, "overlap", "what happens to an occurrence that becomes due while an earlier one runs: skip it, or wait")
	flags.Var(&o.catchUp, "catch-up", "how long after its time a missed occurrence still starts (default 24h)")
	flags.Var(&o.retention, "retention", "how long the history of the job is kept (default 400d)")
	flags.Var(&o.pauseAfter, "pause-after", "pause the job after this number of failures in a row")
	flags.Var(&o.alerts, "alerts", "the names of the channels that get the alerts of this job (default all)")
	flags.Var(&o.noRunAfter, "no-run-after", "send an alert when no run came to its end for this time, such as 26h (default never)")
	return flags
}

// jobWord stands for the name of the job in names of files.
const jobWord = "{job}"

// outputKeys are the keys of batch run that name files of an occurrence.
var outputKeys = []string{"output", "rejects", "new-values", "tables", "candidates", "changes"}

// name puts the name of the job into the names of files.
func (o *own) name(job string) {
	for _, path := range []*string{&o.list, &o.newest, &o.latest, &o.metrics, &o.report} {
		*path = strings.ReplaceAll(*path, jobWord, job)
	}
}

// place makes relative names of files count from a directory.
func (o *own) place(dir string) {
	o.list, o.newest = placed(patternOf(dir, o.list), o.list), placed(patternOf(dir, o.newest), o.newest)
	o.latest, o.metrics, o.report = placed(dir, o.latest), placed(dir, o.metrics), placed(dir, o.report)
}

// fileKeys are the keys of batch run that name a file or a directory.
var fileKeys = append([]string{"temp", "map-file", "selected", "rate-card", "state"}, outputKeys...)

// placed returns the name of a file, where a relative one counts from a directory.
func placed(dir, name string) string {
	if name == "" || name == listfile.Standard || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// isLeftBehind reports whether there are journals where earlier versions looked for them, and none where they are now:
// a relative name counted from the directory in which the command starts. Other journals would buy everything again.
func isLeftBehind(name, placed string) bool {
	if filepath.IsAbs(name) {
		return false
	}
	inside, err := os.ReadDir(name)
	_, missing := os.Stat(placed)
	return err == nil && len(inside) > 0 && errors.Is(missing, fs.ErrNotExist)
}

// leftBehindError says how to go on with journals that are left behind.
func leftBehindError(name, placed string) error {
	if absolute, err := filepath.Abs(name); err == nil {
		name = absolute
	}
	return fmt.Errorf("state: the name counts from the directory of the jobs file or the key directory, which makes it %s, but there are journals in %s: "+
		"write state: %s to go on with them, or make the directory %s for others, which buy again what those have", placed, name, name, placed)
}

// patternOf returns a directory as the beginning of a pattern of files, if that is one.
func patternOf(dir, name string) string {
	if !strings.ContainsAny(name, "*?[") {
		return dir
	}
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "?", "\\?", "[", "\\[").Replace(dir)
}

// word matches a word in braces.
var word = regexp.MustCompile(`\{[A-Za-z_-]*\}`)

// unknownWord returns the first word in braces of a name that is not one of those that are known; "" for none.
func unknownWord(name string, known ...string) string {
	for _, found := range word.FindAllString(name, -1) {
		if !slices.Contains(append(known, jobWord), found) {
			return found
		}
	}
	return ""
}

// wordUnknown says that a word in braces is not known.
func wordUnknown(found string, known ...string) string {
	return fmt.Sprintf("%.60s stands for nothing here; known are %s", found, strings.Join(append(known, jobWord), ", "))
}

// problems returns the values that a job must not have, whatever the environment is.
func (o *own) problems() []configs.FlagProblem {
	var problems []configs.FlagProblem
	refuse := func(wrong bool, flag, format string, args ...any) {
		if wrong {
			problems = append(problems, configs.FlagProblem{Flag: flag, Text: fmt.Sprintf(format, args...)})
		}
	}
	for key, path := range map[string]string{"list": o.list, "list-newest": o.newest} {
		found := unknownWord(path, "{date}", "{time}")
		refuse(found != "", key, "%s", wordUnknown(found, "{date}", "{time}"))
	}
	for key, path := range map[string]string{"latest": o.latest, "metrics": o.metrics, "report": o.report} {
		found := unknownWord(path)
		refuse(found != "", key, "%s", wordUnknown(found))
	}
	if o.query != "" {
		err := checkConnection(o.connection)
		refuse(err != nil && o.connection != "", "list-connection", "%v", err)
	}
	refuse(o.queryTimeout <= 0 || o.queryTimeout > maxQueryTimeout, "list-timeout", "%s: choose more than 0s and at most %s", o.queryTimeout, maxQueryTimeout)
	refuse(o.metrics != "" && !strings.HasSuffix(o.metrics, ".prom"), "metrics", "%s: the textfile collector reads files whose names end in .prom", o.metrics)
	refuse(o.jitter < 0 || o.jitter > maxJitter, "jitter", "%s: choose 0 to %s", o.jitter, maxJitter)
	refuse(o.jitter > o.catchUp.Span, "jitter", "%s is longer than the catch-up window of %s", o.jitter, o.catchUp.Span)
	refuse(o.retention.Span < o.catchUp.Span, "retention", "%s is shorter than the catch-up window of %s", o.retention.Span, o.catchUp.Span)
	for _, name := range o.alerts.list {
		refuse(!slices.Contains(o.channels, name), "alerts", "%.60q is not a channel under the key alerts of the file", name)
	}
	return problems
}

// times is a Times as a flag.
type times struct{ Times }

func (v *times) Set(text string) (err error) {
	v.Times, err = parseTimes(text)
	return err
}
func (*times) Type() string { return "SCHEDULE" }

// Schema says what the values look like.
func (*times) Schema() map[string]any {
	return map[string]any{
		"type": "string", "pattern": `^\s*(daily at ([01]?[0-9]|2[0-3]):[0-5][0-9]|[^\s=]+(\s+[^\s=]+){4})\s*$`,
		"examples": []string{"daily at 02:30", "30 2 * * 1-5"},
	}
}

// zone is a time zone as a flag.
type zone struct{ location *time.Location }

func (v *zone) Set(text string) error {
	location, err := time.LoadLocation(text)
	if err != nil || text == "" || text == "Local" {
		return fmt.Errorf("%.60q is not a time zone that this machine knows; write a name such as Europe/Berlin or UTC", text)
	}
	v.location = location
	return nil
}

func (v *zone) String() string {
	if v.location == nil {
		return ""
	}
	return v.location.String()
}
func (*zone) Type() string { return "ZONE" }
