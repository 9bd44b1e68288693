package jobs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"payonce/configs"
	"payonce/io/notify"
)

// testReader reads jobs of a command with a few flags.
func testReader() FileReader {
	return FileReader{
		NewRun: func() RunLine {
			flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
			var spend configs.MoneyFlag
			flags.StringP("output", "o", "", "write to this `FILE`")
			flags.String("state", "", "the `DIR` of journals")
			flags.Var(&spend, "max-spend", "the most")
			timeout := flags.Duration("timeout", time.Minute, "wait")
			flags.Bool("yes", false, "do not ask")
			return RunLine{Flags: flags, Check: func() []configs.FlagProblem {
				if *timeout > time.Hour {
					return []configs.FlagProblem{{Flag: "timeout", Text: "choose at most 1h"}}
				}
				return nil
			}}
		},
		Target: configs.Target{
			Getenv: func(name string) string {
				return map[string]string{"WHERE": "somewhere", "SLACK_TOKEN_URL": "https://example.com/hidden"}[name]
			},
			Suggest:    func(string, []string) string { return "" },
			SecretHint: "; keep it elsewhere",
		},
	}
}

// readText reads a jobs file of a text.
func readText(t *testing.T, text string) (*File, string) {
	t.Helper()
	file, err := testReader().Parse("jobs.yaml", []byte(text))
	if err != nil {
		return nil, err.Error()
	}
	return file, ""
}

// TestRelativeNamesAreRelativeToTheJobsFile reads a jobs file in another directory, whose name looks like a pattern.
func TestRelativeNamesAreRelativeToTheJobsFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "jobs [1]")
	path := filepath.Join(dir, "jobs.yaml")
	text := "defaults: {max-spend: 1, metrics: 'm/{job}.prom', report: r, state: s}\njobs:\n" +
		"  a: {list: in/a.csv, output: out/a.csv, latest: /elsewhere/a.csv}\n  b: {list-newest: in/*.csv, output: b.csv, report: ../r}\n" +
		"  c: {list-command: [cat, in/c.csv], output: c.csv, report: rc}\n" +
		"  d: {list: d.csv, output: d.csv, directory: /data, report: rd}\n  e: {list: e.csv, output: e.csv, directory: sub, report: re}\n" +
		"alerts: {run: {type: command, command: [sh, tell]}}\n"
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "in"), 0o700), os.WriteFile(path, []byte(text), 0o600),
		os.WriteFile(filepath.Join(dir, "in", "c.csv"), []byte("c\n"), 0o600), os.WriteFile(filepath.Join(dir, "tell"), []byte("cat > told"), 0o600)); err != nil {
		t.Fatal(err)
	}
	file, err := testReader().Read(path)
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := file.Jobs[0], file.Jobs[1], file.Jobs[2]
	for got, want := range map[string]string{
		a.List.Path: "in/a.csv", a.Output(): "out/a.csv", a.Metrics: "m/a.prom", a.Report: "r",
		a.Run.Flags.Lookup("state").Value.String(): "s", b.Report: "../r", file.Jobs[4].List.Path: "sub/e.csv",
	} {
		if want = filepath.Join(dir, want); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if d := file.Jobs[3]; d.List.Path != "/data/d.csv" || d.Output() != "/data/d.csv" || d.Dir != "/data" {
		t.Errorf("names count from %s: %s", d.Dir, d.List.Path)
	}
	if a.Latest != "/elsewhere/a.csv" || a.File != path {
		t.Errorf("the link is %s, the jobs file %s", a.Latest, a.File)
	}
	if got, err := newest(b.List.Newest); err != nil || got != filepath.Join(dir, "in", "c.csv") {
		t.Errorf("the newest list is %s, %v", got, err)
	}
	list, err := Runner{}.listOf(t.Context(), c, atNoon, filepath.Join(dir, "spool.csv"))
	if text, _ := os.ReadFile(list); err != nil || string(text) != "c\n" {
		t.Errorf("the command wrote %q, %v", text, err)
	}
	if err := file.Alerts[0].Channel.Send(t.Context(), notify.Message{Text: "hello"}); err != nil || !exists(filepath.Join(dir, "told")) {
		t.Errorf("the command of the channel: %v", err)
	}
}

// TestAListCommandIsAShellLineOrAProgram: a list is no line for the shell, also when the program has no arguments.
func TestAListCommandIsAShellLineOrAProgram(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]List{
		"our tool":           {Command: "our tool"},
		"[/opt/our tool]":    {Command: "'/opt/our tool'", Words: []string{"/opt/our tool"}},
		"[/opt/our tool, a]": {Command: "'/opt/our tool' a", Words: []string{"/opt/our tool", "a"}},
	} {
		file, problem := readText(t, "jobs: {a: {list-command: "+written+", output: o.csv, max-spend: 1}}")
		if problem != "" {
			t.Fatalf("%s: %s", written, problem)
		}
		if got := file.Jobs[0].List; got.Command != want.Command || !slices.Equal(got.Words, want.Words) {
			t.Errorf("%s: the line %q, the words %q", written, got.Command, got.Words)
		}
	}
	if _, problem := readText(t, "jobs: {a: {list-command: [], output: o.csv, max-spend: 1}}"); !strings.Contains(problem, "a list of a program and its arguments") {
		t.Errorf("an empty list: %q", problem)
	}
}

// TestAJobsFileThatWouldIgnoreOlderJournalsIsRefused reads a jobs file in another directory than the one in which the
// command starts. Earlier versions kept the journals in the latter.
func TestAJobsFileThatWouldIgnoreOlderJournalsIsRefused(t *testing.T) {
	started, dir := t.TempDir(), t.TempDir()
	t.Chdir(started)
	read := func(state string) string {
		text := "defaults: {max-spend: 1, state: " + state + "}\njobs: {a: {list: a.csv, output: o.csv}}\n"
		if _, err := testReader().Parse(filepath.Join(dir, "jobs.yaml"), []byte(text)); err != nil {
			return err.Error()
		}
		return ""
	}
	if got := read("journals"); got != "" {
		t.Errorf("without any journals: %s", got)
	}
	if err := os.MkdirAll(filepath.Join("journals", "host-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(started, "journals")
	if got := read("journals"); !strings.Contains(got, "there are journals in "+old) || !strings.Contains(got, "write state: "+old) {
		t.Errorf("a new directory in place of the journals: %q", got)
	}
	if got := read(old); got != "" {
		t.Errorf("with the whole name: %s", got)
	}
	if err := os.Mkdir(filepath.Join(dir, "journals"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := read("journals"); got != "" {
		t.Errorf("with journals beside the jobs file: %s", got)
	}
}

const whole = `defaults:
  time-zone: Europe/Berlin
  max-spend: 40
  timeout: 30s
jobs:
  nightly:
    list: ${WHERE}/contacts-{date}.csv
    schedule: daily at 02:30
    output: out/{date}.csv
    latest: out/latest.csv
    keep: 14
    jitter: 10m
    overlap: wait
    catch-up: 2d
    retention: 90d
    pause-after: 5
    timeout: 45s
  other:
    list-newest: in/*.csv
    output: other.csv
`

func TestJobsUseTheDefaultsThatTheyDoNotSet(t *testing.T) {
	t.Parallel()
	file, problems := readText(t, whole)
	if problems != "" || len(file.Jobs) != 2 {
		t.Fatal(problems)
	}
	nightly, other := file.Jobs[0], file.Jobs[1]
	plan := nightly.Plan
	if nightly.Name != "nightly" || nightly.List.Path != "somewhere/contacts-{date}.csv" || nightly.Output() != "out/{date}.csv" ||
		nightly.Latest != "out/latest.csv" || nightly.Keep != 14 || nightly.PauseAfter != 5 || nightly.Retention != 90*24*time.Hour {
		t.Errorf("%+v", nightly)
	}
	if plan.Zone.String() != "Europe/Berlin" || plan.Times.String() != "daily at 02:30" || plan.Jitter != 10*time.Minute ||
		!plan.Overlaps || plan.CatchUp != 48*time.Hour {
		t.Errorf("%+v", plan)
	}
	if timeout := nightly.Run.Flags.Lookup("timeout").Value.String(); timeout != "45s" {
		t.Errorf("the default of %s wins over the job's own value", timeout)
	}
	flags := other.Run.Flags
	if flags.Lookup("timeout").Value.String() != "30s" || flags.Lookup("max-spend").Value.String() != "40.00" || !other.Plan.Times.IsZero() ||
		other.List.Newest != "in/*.csv" || other.PauseAfter != 3 || other.Plan.CatchUp != 24*time.Hour || other.Plan.Overlaps {
		t.Errorf("%+v, %s", other, flags.Lookup("max-spend").Value)
	}
}

func TestEveryErrorOfAJobsFileHasItsLineAndColumn(t *testing.T) {
	t.Parallel()
	const fine = "    list: a.csv\n    output: o.csv\n    max-spend: 1\n"
	const known = "a job has keys of its own and those of batch run: see batch jobs schema"
	for name, test := range map[string]struct{ text, want string }{
		"no jobs":               {"defaults: {}\n", "1:1: the key jobs is missing: it holds the jobs by their names"},
		"empty file":            {"", "1: the key jobs is missing: it holds the jobs by their names"},
		"no job":                {"jobs:\n", "1:1: the file has no jobs: give each job a name and its keys"},
		"a list of jobs":        {"jobs:\n  - nightly\n", "1:1: the file has no jobs: give each job a name and its keys\n2:3: jobs: write a mapping of names to values here"},
		"not a mapping":         {"- jobs\n", "1:1: a configuration holds names and values, such as max-spend: 20.00"},
		"broken YAML":           {"jobs:\n  a: [\n", "3:1: did not find expected node content"},
		"two documents":         {"jobs: {}\n---\njobs: {}\n", "2:1: a second document begins here, and a configuration is one; remove it"},
		"unknown key at top":    {"job: 1\njobs:\n  a:\n" + fine, `1:1: unknown key "job"; a jobs file has the keys defaults, jobs and alerts`},
		"unknown key":           {"jobs:\n  a:\n" + fine + "    colour: red\n", `6:5: unknown key "colour"; ` + known},
		"a key that is fixed":   {"jobs:\n  a:\n" + fine + "    yes: true\n", `6:5: unknown key "yes"; ` + known},
		"a key twice":           {"jobs:\n  a:\n" + fine + "    max-spend: 2\n", "6:5: max-spend is already on line 5; remove one"},
		"a job twice":           {"jobs:\n  a:\n" + fine + "  a:\n" + fine, "6:3: a is already on line 2; remove one"},
		"a job's name":          {"jobs:\n  a b:\n" + fine, `2:3: "a b" is not a valid job name: use up to 50 letters, digits, dashes and underscores`},
		"no value":              {"jobs:\n  a:\n" + fine + "    schedule:\n", "6:14: schedule: there is no value; write one, or remove it"},
		"a schedule":            {"jobs:\n  a:\n" + fine + "    schedule: daily at 24:00\n", "6:15: schedule: write it like daily at 02:30"},
		"cron with a zone":      {"jobs:\n  a:\n" + fine + "    schedule: TZ=UTC 1 2 * * *\n", "6:15: schedule: the expression cannot hold a time zone; give it in time-zone"},
		"a date that never is":  {"jobs:\n  a:\n" + fine + "    schedule: 0 0 30 2 *\n", "6:15: schedule: no date matches the expression; correct the day or the month"},
		"a time zone":           {"jobs:\n  a:\n" + fine + "    time-zone: Berlin\n", `6:16: time-zone: "Berlin" is not a time zone that this machine knows; write a name such as Europe/Berlin or UTC`},
		"cron without quotes":   {"jobs:\n  a:\n" + fine + "    schedule: */5 * * * *\n", `6:20: did not find expected alphabetic or numeric character; write a value that begins with * or & in quotes, such as "*/10 * * * *"`},
		"a name of cron":        {"jobs:\n  a:\n" + fine + "    schedule: @daily\n", "6:15: found character that cannot start any token; write a value that begins with a character such as @, % or a back quote in quotes, and indent with spaces"},
		"a tab":                 {"jobs:\n  a:\n" + fine + "\tkeep: 5\n", "6:1: found a tab character that violates indentation; indent with spaces"},
		"a word in a list":      {"jobs:\n  a:\n    list: a-{day}.csv\n    output: o.csv\n    max-spend: 1\n", "3:11: list: {day} stands for nothing here; known are {date}, {time}, {job}"},
		"a word in an output":   {"jobs:\n  a:\n    list: a.csv\n    output: o-{DATE}.csv\n    max-spend: 1\n", "2:3: output: {DATE} stands for nothing here; known are {date}, {time}, {job}"},
		"a word in a link":      {"jobs:\n  a:\n" + fine + "    latest: o-{date}.csv\n", "6:13: latest: {date} stands for nothing here; known are {job}"},
		"overlap":               {"jobs:\n  a:\n" + fine + "    overlap: both\n", "6:14: overlap: write skip or wait"},
		"jitter":                {"jobs:\n  a:\n" + fine + "    jitter: 13h\n", "6:13: jitter: 13h0m0s: choose 0 to 12h0m0s"},
		"jitter beyond":         {"jobs:\n  a:\n" + fine + "    jitter: 2h\n    catch-up: 1h\n", "6:13: jitter: 2h0m0s is longer than the catch-up window of 1h0m0s"},
		"retention":             {"jobs:\n  a:\n" + fine + "    retention: 1h\n", "6:16: retention: 1h0m0s is shorter than the catch-up window of 24h0m0s"},
		"keep":                  {"jobs:\n  a:\n" + fine + "    keep: 0\n", `6:11: keep: "0": choose 1 or more, or leave it out`},
		"keep without dates":    {"jobs:\n  a:\n" + fine + "    keep: 5\n", "2:3: keep: it needs {date} in output; add it, or remove keep"},
		"latest is the output":  {"jobs:\n  a:\n" + fine + "    latest: o.csv\n", "2:3: latest: it has the same name as output; give the link another name"},
		"no list":               {"jobs:\n  a:\n    output: o.csv\n    max-spend: 1\n", "2:3: the job has no list: give list, list-newest, list-command or list-query"},
		"two lists":             {"jobs:\n  a:\n" + fine + "    list-command: cat a\n", "2:3: the job has several lists: give one of list, list-newest, list-command and list-query"},
		"a connection":          {"jobs:\n  a:\n    list-query: SELECT 1\n    list-connection: postgres://host/db\n    output: o.csv\n    max-spend: 1\n", "4:22: list-connection: secrets do not belong in the file: write the name of a variable of the environment, such as ${ALERT_SECRET}"},
		"a wrong connection":    {"jobs:\n  a:\n    list-query: SELECT 1\n    list-connection: ${WHERE}\n    output: o.csv\n    max-spend: 1\n", "4:22: list-connection: the connection cannot be read: write a URL such as postgres://user@host/database"},
		"a query's time":        {"jobs:\n  a:\n    list-query: SELECT 1\n    list-timeout: 25h\n    output: o.csv\n    max-spend: 1\n", "4:19: list-timeout: 25h0m0s: choose more than 0s and at most 24h0m0s"},
		"a query and a list":    {"jobs:\n  a:\n" + fine + "    list-query: SELECT 1\n", "2:3: the job has several lists: give one of list, list-newest, list-command and list-query"},
		"no output":             {"jobs:\n  a:\n    list: a.csv\n    max-spend: 1\n", "2:3: the job has no output: give output, such as out/contacts-{date}.csv"},
		"standard output":       {"jobs:\n  a:\n    list: a.csv\n    output: '-'\n    max-spend: 1\n", "2:3: output: a job cannot write to standard output; give a file"},
		"no ceiling":            {"jobs:\n  a:\n    list: a.csv\n    output: o.csv\n", "2:3: the job has no ceiling: give max-spend, the most that one run may spend"},
		"a value of batch run":  {"jobs:\n  a:\n" + fine + "    timeout: 2h\n", "6:14: timeout: choose at most 1h"},
		"a value in defaults":   {"defaults:\n  timeout: 2h\njobs:\n  a:\n" + fine + "  b:\n" + fine, "2:12: timeout: choose at most 1h"},
		"an unset variable":     {"jobs:\n  a:\n    list: ${NONE}\n    output: o.csv\n    max-spend: 1\n", "3:11: list: the variable NONE of the environment is not set"},
		"a secret variable":     {"jobs:\n  a:\n    list: ${MY_TOKEN}\n    output: o.csv\n    max-spend: 1\n", "3:11: list: ${MY_TOKEN} looks like a secret, which does not belong in a configuration; keep it elsewhere"},
		"a secret key":          {"jobs:\n  a:\n" + fine + "    password: x\n", `6:5: "password": secrets do not belong in a jobs file`},
		"a password in a URL":   {"jobs:\n  a:\n    list-command: psql postgres://me:pw@host/db\n    output: o.csv\n    max-spend: 1\n", "3:19: list-command: the value looks like a secret, which does not belong in a jobs file"},
		"a password in a value": {"jobs:\n  a:\n    list-command: PGPASSWORD=x psql\n    output: o.csv\n    max-spend: 1\n", "3:19: list-command: the value looks like a secret, which does not belong in a jobs file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := readText(t, test.text)
			if diff := cmp.Diff("jobs.yaml:"+strings.ReplaceAll(test.want, "\n", "\njobs.yaml:"), problems); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJobPlaceholdersInFileNamesAreReplaced(t *testing.T) {
	t.Parallel()
	file, problems := readText(t, "defaults:\n  list: in/{job}-{date}.csv\n  output: out/{job}-{date}.csv\n  latest: out/{job}.csv\n  max-spend: 1\n"+
		"jobs:\n  a: {}\n  b: {}\n")
	if problems != "" {
		t.Fatal(problems)
	}
	for i, name := range []string{"a", "b"} {
		job := file.Jobs[i]
		if got, want := job.Output()+" "+job.Latest, "out/"+name+"-{date}.csv out/"+name+".csv"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if list := file.Jobs[0].List.Path; list != "in/a-{date}.csv" {
		t.Errorf("list %q", list)
	}
}

// FuzzRead reads any text: it ends with jobs or with an error.
func FuzzRead(f *testing.F) {
	f.Add(whole)
	f.Add("jobs:\n  a: &x\n    list: [a]\n  b: *x\ndefaults: *x\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, problems := readText(t, text)
		if (file == nil) == (problems == "") {
			t.Errorf("file %v, problems %q", file, problems)
		}
	})
}
