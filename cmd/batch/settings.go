package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"payonce/checkpoint"
	"payonce/enrich"
)

// settings hold the values of all flags. Which of them a command takes is up to
// the command; a configuration file may hold any flag of the command by its name.
type settings struct {
	env environment

	// Where the journal is and which service it belongs to.
	config        string
	baseURL       string
	state         string
	workspace     string
	sandbox       bool
	settleDelay   time.Duration
	sameWorkspace bool
	transport     choiceValue
	timeout       time.Duration
	json          bool

	// What is asked of a list.
	fields       fieldsValue
	mapping      []string
	prefer       choiceValue
	reaskMissing ageValue
	limit        int64
	name         string

	// What it may cost.
	maxSpend   moneyValue
	strict     bool
	rateCard   string
	rateOption string

	// How fast it goes.
	rate        rateValue
	pace        choiceValue
	headroom    percentValue
	concurrency int

	// Where it goes to.
	output  string
	rejects string
	yes     bool
	rebuy   bool
	offline bool
}

func newSettings(env environment) *settings {
	return &settings{
		env:        env,
		workspace:  "default",
		transport:  choiceValue{value: "rest", choices: []string{"rest"}},
		timeout:    45 * time.Second,
		fields:     fieldsValue(enrich.FieldsOf(enrich.WorkEmail)),
		prefer:     choiceValue{value: "profile", choices: []string{"profile", "name"}},
		rate:       rateValue{Slots: 30, Window: time.Minute},
		pace:       choiceValue{value: "burst", choices: []string{"burst", "even"}},
		rateOption: "payg", concurrency: 16, settleDelay: time.Minute,
		baseURL: env.getenv("SERVICE_BASE_URL"),
		state:   env.getenv("BATCH_STATE"),
	}
}

// addJournalFlags adds the flags of every command that opens a journal.
func (s *settings) addJournalFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.config, "config", "", "read flags from this YAML `FILE`; the command line wins")
	flags.StringVar(&s.baseURL, "base-url", s.baseURL, "the service's `URL` with its path prefix (SERVICE_BASE_URL)")
	flags.StringVar(&s.state, "state", s.state, "the `DIR` that holds the journals (BATCH_STATE; default the user's state directory)")
	flags.StringVar(&s.workspace, "workspace", s.workspace, "the `NAME` of the workspace; each has a journal of its own")
	flags.BoolVar(&s.sandbox, "sandbox", false, "use the embedded service: nothing is real and nothing costs money")
	flags.BoolVar(&s.json, "json", false, "print one JSON object on standard output")
}

// addServiceFlags adds the flags of every command that calls the service.
func (s *settings) addServiceFlags(flags *pflag.FlagSet) {
	flags.Var(&s.transport, "transport", "how the service is called")
	flags.DurationVar(&s.timeout, "timeout", s.timeout, "give a lookup up after this time; its outcome is then in doubt")
	flags.BoolVar(&s.sameWorkspace, "same-workspace", false, "a new API key belongs to the journal's workspace")
	flags.DurationVar(&s.settleDelay, "settle-delay", s.settleDelay, "how long the account gets to settle after a lost response, before it is looked at")
	flags.Var(&s.rate, "rate", "the service's limit: lookups in a rolling window")
	flags.Var(&s.headroom, "headroom", "the share of the limit that is left to the workspace's other users")
}

// addListFlags adds the flags of plan and run.
func (s *settings) addListFlags(flags *pflag.FlagSet) {
	flags.Var(&s.fields, "fields", "what to find: email, phone or email,phone")
	flags.StringArrayVar(&s.mapping, "map", nil, "`FIELD=COLUMN`: the column of a field, by its header or #number; empty for none (repeatable)")
	flags.Var(&s.prefer, "prefer", "the identity that wins when a row has both")
	flags.Var(&s.reaskMissing, "reask-missing", "ask again what came back empty, or was rejected, longer ago than this (90d, 12h)")
	flags.Int64Var(&s.limit, "limit", 0, "only the first `N` persons of the list that miss something")
	flags.StringVar(&s.name, "name", "", "the run's `NAME`; running it again resumes it (default from the list and the fields)")
	flags.Var(&s.maxSpend, "max-spend", "the most that the run may spend, over all its starts")
	flags.BoolVar(&s.strict, "strict", false, "count every field at its full price, whatever is left of the free allowance")
	flags.StringVar(&s.rateCard, "rate-card", "", "read the prices from this YAML `FILE` instead of the built-in rate card")
	flags.StringVar(&s.rateOption, "rate-option", s.rateOption, "the `NAME` of the rate card's option that the workspace pays by")
	flags.Var(&s.pace, "pace", "burst sends what the window allows at once, even spreads it")
	flags.IntVar(&s.concurrency, "concurrency", s.concurrency, "lookups in flight at the same time")
	flags.StringVar(&s.rejects, "rejects", "", "write the rows that could not be looked up to this `FILE`, with reasons")
}

// load fills the settings from the configuration file, where the command line
// and the environment are silent, and checks them.
func (s *settings) load(cmd *cobra.Command) error {
	if s.config != "" {
		if err := s.readConfig(cmd.Flags()); err != nil {
			return usageError{err}
		}
	}
	return asUsage(s.check())
}

// envOf names the environment variables that stand above a configuration file.
var envOf = map[string]string{"base-url": "SERVICE_BASE_URL", "state": "BATCH_STATE"}

func (s *settings) readConfig(flags *pflag.FlagSet) error {
	data, err := os.ReadFile(s.config)
	if err != nil {
		return err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return fmt.Errorf("%s: %w", s.config, err)
	}
	if len(document.Content) == 0 {
		return nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: a configuration holds names and values, such as max-spend: 20.00", s.config, root.Line)
	}
	var problems []error
	for i := 0; i+1 < len(root.Content); i += 2 {
		if err := s.set(flags, root.Content[i].Value, root.Content[i+1]); err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", s.config, root.Content[i].Line, err))
		}
	}
	return errors.Join(problems...)
}

// set sets one flag from the configuration, unless something above it has.
func (s *settings) set(flags *pflag.FlagSet, name string, value *yaml.Node) error {
	flag := flags.Lookup(name)
	if flag == nil || name == "config" || name == "help" {
		return fmt.Errorf("unknown key %q; the keys are the long names of the command's flags", name)
	}
	if flag.Changed || s.env.getenv(envOf[name]) != "" && envOf[name] != "" {
		return nil
	}
	texts, err := scalars(value)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return list.Replace(texts)
	}
	text := ""
	for i, t := range texts {
		if i > 0 {
			text += ","
		}
		text += t
	}
	if err := flag.Value.Set(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// scalars returns the texts of a scalar or of a list of scalars, as written.
func scalars(value *yaml.Node) ([]string, error) {
	switch value.Kind {
	case yaml.ScalarNode:
		return []string{value.Value}, nil
	case yaml.SequenceNode:
		var texts []string
		for _, item := range value.Content {
			if item.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("line %d: a list here holds plain values", item.Line)
			}
			texts = append(texts, item.Value)
		}
		return texts, nil
	}
	return nil, errors.New("give one value, or a list of values")
}

var workspaceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// maxTimeout keeps a lookup from blocking a run's end for longer than anyone waits.
const maxTimeout = 10 * time.Minute

func (s *settings) check() error {
	switch {
	case !workspaceName.MatchString(s.workspace):
		return fmt.Errorf("--workspace %q: use letters, digits, dots, dashes and underscores", s.workspace)
	case s.timeout <= 0 || s.timeout > maxTimeout:
		return fmt.Errorf("--timeout %s: choose more than 0 and at most %s", s.timeout, maxTimeout)
	case s.settleDelay < 0 || s.settleDelay > maxTimeout:
		return fmt.Errorf("--settle-delay %s: choose 0 to %s", s.settleDelay, maxTimeout)
	case s.concurrency < 1 || s.concurrency > 1024:
		return fmt.Errorf("--concurrency %d: choose 1 to 1024", s.concurrency)
	case s.limit < 0:
		return fmt.Errorf("--limit %s: choose 1 or more", strconv.FormatInt(s.limit, 10))
	case s.sandbox && s.baseURL != "" && s.baseURL != s.env.getenv("SERVICE_BASE_URL"):
		return errors.New("--sandbox and --base-url exclude each other")
	case !s.sandbox && s.baseURL == "":
		return errors.New("which service? give --base-url URL or set SERVICE_BASE_URL; --sandbox rehearses without one")
	}
	if s.state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return fmt.Errorf("no place for the journal: %w; give --state DIR or set BATCH_STATE", err)
		}
		s.state = filepath.Join(home, ".local", "state", "payonce")
		if xdg := s.env.getenv("XDG_STATE_HOME"); xdg != "" {
			s.state = filepath.Join(xdg, "payonce")
		}
	}
	return nil
}

// journalRate returns the limit that the journal keeps: the service's less the headroom.
func (s *settings) journalRate() checkpoint.Rate {
	slots := s.rate.Slots * (100 - int(s.headroom)) / 100
	return checkpoint.Rate{Slots: max(slots, 1), Window: s.rate.Window}
}

// preference returns the identity pattern that wins.
func (s *settings) preference() enrich.Pattern {
	if s.prefer.value == "name" {
		return enrich.ByName
	}
	return enrich.ByProfile
}
