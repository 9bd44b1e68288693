package configs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// flagSet holds flags of a few kinds and where their values go.
type flagSet struct {
	*pflag.FlagSet
	name    string
	timeout time.Duration
	maps    []string
	state   string
	units   PairsFlag
	keys    *pflag.FlagSet // of the section
	skew    time.Duration
	names   PairsFlag
}

func newFlags() *flagSet {
	f := &flagSet{FlagSet: pflag.NewFlagSet("run", pflag.ContinueOnError)}
	f.StringVar(&f.name, "name", "", "the `NAME` of the run")
	f.DurationVar(&f.timeout, "timeout", time.Minute, "wait")
	f.StringArrayVar(&f.maps, "map", nil, "columns")
	f.units = PairsFlag{Form: "MODULE=N", Check: func(name, value string) error { return new(CountFlag).Set(value) }}
	f.Var(&f.units, "max-units", "units")
	f.StringVar(&f.state, "state", "", "where journals are")
	f.String("config", "", "the file itself")
	f.keys = pflag.NewFlagSet("guesses", pflag.ContinueOnError)
	f.keys.DurationVar(&f.skew, "clock-skew", 0, "ahead")
	f.names = PairsFlag{Form: "NAME=VALUE", Check: func(string, string) error { return nil }}
	f.keys.Var(&f.names, "request-names", "names")
	return f
}

// read reads a configuration of this text into the flags, which the arguments set before.
func (f *flagSet) read(t *testing.T, text string, args ...string) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	others := pflag.NewFlagSet("plan", pflag.ContinueOnError)
	others.Bool("offline", false, "")
	err := ReadFlags(path, Target{
		Flags: f.FlagSet, Others: []*pflag.FlagSet{others}, Variables: map[string]string{"state": "STATE_DIR"},
		Getenv:     func(name string) string { return map[string]string{"STATE_DIR": "elsewhere", "LIST": "spring"}[name] },
		Suggest:    func(string, []string) string { return "; did you mean another?" },
		SecretHint: "; keep it elsewhere",
		Section:    Section{Name: "guesses", Keys: f.keys},
		Moved:      map[string]string{"clock-skew": "write clock-skew under guesses", "request-name": "write request-names under guesses"},
		Check: func() []FlagProblem {
			if f.skew > time.Hour {
				return []FlagProblem{{"clock-skew", "choose at most 1h"}}
			}
			if f.timeout > time.Hour {
				return []FlagProblem{{"timeout", "choose at most 1h"}}
			}
			return nil
		},
	})
	if err != nil {
		return &shortened{strings.ReplaceAll(err.Error(), path, "c.yaml")}
	}
	return nil
}

// shortened is an error without the directory of the file.
type shortened struct{ text string }

func (e *shortened) Error() string { return e.text }

func TestFileSetsFlagsBelowCommandLineAndEnvironment(t *testing.T) {
	t.Parallel()
	flags := newFlags()
	text := "name: ${LIST}-$$1\ntimeout: 45s\nmap: [email=A, phone=B]\nstate: here\noffline: true\n"
	if err := flags.read(t, text, "--timeout", "5s"); err != nil {
		t.Fatal(err)
	}
	if flags.name != "spring-$1" || flags.timeout != 5*time.Second || flags.state != "" {
		t.Errorf("name %q, timeout %s, state %q", flags.name, flags.timeout, flags.state)
	}
	if diff := cmp.Diff([]string{"email=A", "phone=B"}, flags.maps); diff != "" {
		t.Error(diff)
	}
	if !flags.Changed("name") {
		t.Error("a flag that the file sets does not count as given")
	}
}

// The keys of a section are set below it alone, and the command line has none of them.
func TestKeysOfASectionAreSetOnlyBelowIt(t *testing.T) {
	t.Parallel()
	flags := newFlags()
	if err := flags.read(t, "name: a\nguesses:\n  clock-skew: 5m\n  request_names: {a: b}\n"); err != nil {
		t.Fatal(err)
	}
	if flags.skew != 5*time.Minute || flags.names.String() != "a=b" || !flags.keys.Changed("clock-skew") || flags.name != "a" {
		t.Errorf("%s, %s, %s", flags.skew, &flags.names, flags.name)
	}
	if err := newFlags().read(t, "guesses:\n"); err != nil {
		t.Errorf("an empty section: %v", err)
	}
	if err := newFlags().Parse([]string{"--clock-skew", "5m"}); err == nil {
		t.Error("a key of the section is a flag")
	}
}

// Pairs are written as a mapping, as a list or in one value, also with an underscore in the key.
func TestPairsOfAFileMayBeAMappingAListOrOneValue(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"max-units:\n  companies: 5\n  contacts: \"7\"\n", "max_units: {contacts: 7, companies: 5}\n",
		"max-units: [companies=5, contacts=7]\n", "max-units: companies=5,contacts=7\n",
	} {
		flags := newFlags()
		if err := flags.read(t, text); err != nil {
			t.Errorf("%s%v", text, err)
		} else if got := flags.units.String(); got != "companies=5,contacts=7" {
			t.Errorf("%sis %q", text, got)
		}
	}
	flags := newFlags()
	if err := flags.read(t, "max_units: {companies: 5}\n", "--max-units", "contacts=1"); err != nil || flags.units.String() != "contacts=1" {
		t.Errorf("the command line does not win: %q, %v", flags.units.String(), err)
	}
}

func TestErrorsOfAFileNameEveryLine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"several": {
			"nmae: x\ntimeout: soon\ntimeout: 5s\nname: ${MY_TOKEN}\nstate: [a, b]\n",
			"c.yaml:1: unknown key \"nmae\"; did you mean another?; the keys are the long names of the command's flags\n" +
				"c.yaml:2: timeout: \"soon\": write a time span such as 45s\n" +
				"c.yaml:3: timeout is already on line 2; remove one\n" +
				"c.yaml:4: name: ${MY_TOKEN} looks like a secret, which does not belong in a configuration; keep it elsewhere",
		},
		"unset variable": {"name: ${MISSING}\n", "c.yaml:1: name: the variable MISSING of the environment is not set"},
		"its own flag":   {"config: other.yaml\n", "c.yaml:1: unknown key \"config\"; did you mean another?; the keys are the long names of the command's flags"},
		"no value":       {"name:\n", "c.yaml:1: name: there is no value; write one, or remove it"},
		"a pair's value": {"max-units: {companies: many}\n", "c.yaml:1: max-units: write a whole number, such as 500"},
		"nothing":        {"max-units:\n  companies:\n", "c.yaml:1: max-units: line 2: companies has no value"},
		"two spellings":  {"max-units: {a: 1}\nmax_units: {b: 2}\n", "c.yaml:2: max-units is already on line 1; remove one"},
		"a mapping":      {"timeout: {a: 1}\n", "c.yaml:1: timeout: give one value"},
		"a section": {"guesses:\n  clock-skew: soon\n  name: x\n  clock-skew: 5m\n", "c.yaml:2: clock-skew: \"soon\": write a time span such as 45s\n" +
			"c.yaml:3: unknown key \"name\"; did you mean another?; guesses has the keys clock-skew, request-names\n" +
			"c.yaml:4: clock-skew is already on line 2; remove one"},
		"a flat section":  {"guesses: 5\n", "c.yaml:1: guesses: write a mapping of names to values here"},
		"two sections":    {"guesses: {clock-skew: 5m}\nguesses: {clock-skew: 6m}\n", "c.yaml:2: guesses is already on line 1; remove one"},
		"a section's sum": {"name: x\nguesses:\n  clock-skew: 2h\n", "c.yaml:3: clock-skew: choose at most 1h"},
		"what moved": {"clock-skew: 5m\nrequest_name: [a=b]\n", "c.yaml:1: clock-skew is not a key any more: write clock-skew under guesses\n" +
			"c.yaml:2: request_name is not a key any more: write request-names under guesses"},
		"too much":        {"timeout: 2h\n", "c.yaml:1: timeout: choose at most 1h"},
		"a list":          {"- name\n", "c.yaml:1: a configuration holds names and values, such as max-spend: 20.00"},
		"second document": {"name: x\n---\nname: y\n", "c.yaml:2: a second document begins here, and a configuration is one; remove it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := newFlags().read(t, test.text)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMergeProblemsReportsEachProblemOnce(t *testing.T) {
	t.Parallel()
	problems := func(lines ...int) error {
		p := &Problems{file: "c.yaml"}
		for _, line := range lines {
			p.add(position{line, 0}, &shortened{"wrong"})
		}
		return p.err()
	}
	if err := MergeProblems(problems(), problems()); err != nil {
		t.Error(err)
	}
	err := MergeProblems(problems(7, 2), nil, problems(7))
	if want := "c.yaml:2: wrong\nc.yaml:7: wrong"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := MergeProblems(problems(1), os.ErrNotExist); err != os.ErrNotExist {
		t.Errorf("%v, want the error of the file itself", err)
	}
}

func TestSchemaHasEveryFlagButTheFileItself(t *testing.T) {
	t.Parallel()
	flags := newFlags()
	schema := FlagSchema(Section{Name: "guesses", Keys: flags.keys}, flags.FlagSet)
	properties, _ := schema["properties"].(map[string]any)
	section, _ := properties["guesses"].(map[string]any)
	keys, _ := section["properties"].(map[string]any)
	if len(keys) != 3 || keys["clock-skew"] == nil || properties["clock-skew"] != nil || section["additionalProperties"] != false {
		t.Errorf("the section is %v", section)
	}
	for _, name := range []string{"name", "timeout", "map", "state", "max-units", "max_units"} {
		if properties[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	if properties["config"] != nil || schema["additionalProperties"] != false {
		t.Errorf("the schema allows what a file must not hold: %v", schema)
	}
}
