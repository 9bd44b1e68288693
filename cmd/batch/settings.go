package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/internal/config"
	"payonce/internal/flagvalue"
	"payonce/io/csvtable"
	"payonce/pipeline/dispatch"
	"payonce/service/v1"
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
	exclusive     bool // the user declares that nobody else uses the account
	sameWorkspace bool
	transport     flagvalue.Choice
	mcpURL        string
	requestNames  []string
	names         v1.Names // of requestNames
	timeout       time.Duration
	json          bool

	// What is asked of a list, and in which order.
	fields       flagvalue.Fields
	mapping      []string
	prefer       flagvalue.Choice
	reaskMissing flagvalue.Age
	limit        int64
	encoding     string
	sheet        string
	memory       flagvalue.Size
	tempDir      string
	priority     string
	profile      bool
	name         string
	job          string

	// What it may cost.
	maxSpend          flagvalue.Money
	maxLookups        flagvalue.Count
	monthly           flagvalue.Money
	daily             flagvalue.Money
	workspaceMonthly  flagvalue.Money
	shortBudget       flagvalue.Choice
	approvalThreshold flagvalue.Money
	approve           flagvalue.Money
	strict            bool
	rateCard          string
	rateOption        string

	// How fast it goes.
	rate        flagvalue.Rate
	pace        flagvalue.Choice
	headroom    flagvalue.Percent
	concurrency int

	// Where it goes to.
	output  string
	rejects string
	yes     bool
	rebuy   bool
	offline bool
	// unbound says that the command, offline, need not even know the service.
	unbound bool

	// Plans that are kept.
	keepAs   string          // where plan keeps one
	sample   flagvalue.Count // how many persons a proposed sample has
	planFile string          // the one that run takes
	kept     *keptPlan       // read from it
}

func newSettings(env environment) *settings {
	return &settings{
		env:         env,
		workspace:   "default",
		transport:   flagvalue.Choice{Value: string(v1.REST), Choices: []string{string(v1.REST), string(v1.MCP)}},
		timeout:     45 * time.Second,
		fields:      flagvalue.Fields(enrich.FieldsOf(enrich.WorkEmail)),
		prefer:      flagvalue.Choice{Value: enrich.ByProfile.String(), Choices: []string{enrich.ByProfile.String(), enrich.ByName.String()}},
		rate:        flagvalue.Rate{Slots: 30, Window: time.Minute},
		pace:        flagvalue.Choice{Value: "burst", Choices: []string{"burst", "even"}},
		concurrency: 16, settleDelay: time.Minute,
		shortBudget: flagvalue.Choice{Value: "stop", Choices: []string{"stop", "email-only"}},
		baseURL:     env.getenv("SERVICE_BASE_URL"),
		mcpURL:      env.getenv("SERVICE_MCP_URL"),
		state:       env.getenv("BATCH_STATE"),
	}
}

// load fills the settings from the configuration file, where the command line
// and the environment are silent, then from the plan of the run, and checks them.
func (s *settings) load(cmd *cobra.Command) error {
	if s.config != "" {
		if err := s.readConfig(cmd); err != nil {
			return usageError{err}
		}
	}
	if s.planFile != "" {
		if err := s.followPlan(cmd.Flags()); err != nil {
			return usageError{err}
		}
	}
	return asUsage(s.check())
}

var workspaceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// maxTimeout keeps a lookup from blocking a run's end for longer than anyone waits.
const maxTimeout = 10 * time.Minute

// check checks the settings and fills in what depends on the environment.
func (s *settings) check() error {
	if err := s.checkValues(); err != nil {
		return err
	}
	switch {
	case s.sandbox && s.baseURL != s.env.getenv("SERVICE_BASE_URL"):
		return errors.New("--sandbox and --base-url exclude each other")
	case s.sandbox && s.mcpURL != s.env.getenv("SERVICE_MCP_URL"):
		return errors.New("--sandbox and --mcp-url exclude each other")
	case !s.hasService() && !(s.offline && s.unbound):
		return errors.New("Not connected yet: set SERVICE_BASE_URL and SERVICE_API_KEY, or try --sandbox")
	case s.state != "":
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return fmt.Errorf("no place for the journal: %w; give --state DIR or set BATCH_STATE", err)
	}
	s.state = filepath.Join(home, ".local", "state", "payonce")
	if xdg := s.env.getenv("XDG_STATE_HOME"); xdg != "" {
		s.state = filepath.Join(xdg, "payonce")
	}
	return nil
}

// hasService reports whether the command knows its service, and so its journal.
func (s *settings) hasService() bool { return s.sandbox || s.baseURL != "" }

// checkValues refuses values that no environment makes right.
func (s *settings) checkValues() (err error) {
	for _, problem := range s.valueProblems() {
		return fmt.Errorf("--%s %s", problem.Flag, problem.Text)
	}
	s.names, err = parseRequestNames(s.requestNames)
	return err
}

// valueProblems returns every value that no environment makes right.
func (s *settings) valueProblems() []config.Problem {
	var problems []config.Problem
	refuse := func(wrong bool, flag, format string, args ...any) {
		if wrong {
			problems = append(problems, config.Problem{Flag: flag, Text: fmt.Sprintf(format, args...)})
		}
	}
	_, namesErr := parseRequestNames(s.requestNames)
	refuse(namesErr != nil, "request-name", "%v", namesErr)
	refuse(!workspaceName.MatchString(s.workspace), "workspace", "%q: use letters, digits, dots, dashes and underscores", s.workspace)
	refuse(s.timeout <= 0 || s.timeout > maxTimeout, "timeout", "%s: choose more than 0 and at most %s", s.timeout, maxTimeout)
	refuse(s.settleDelay < 0 || s.settleDelay > maxTimeout, "settle-delay", "%s: choose 0 to %s", s.settleDelay, maxTimeout)
	refuse(s.concurrency < 1 || s.concurrency > 1024, "concurrency", "%d: choose 1 to 1024", s.concurrency)
	refuse(s.limit < 0, "limit", "%d: choose 1 or more", s.limit)
	refuse(s.sample.N != nil && *s.sample.N == 0, "sample", "0: choose 1 or more")
	_, err := csvtable.ParseEncoding(s.encoding)
	refuse(s.encoding != "" && err != nil, "encoding", "%q: give UTF-8, UTF-16LE, UTF-16BE or Windows-1252", s.encoding)
	const nameForm = "%.40q: use at most %d characters that can be printed, and no slash"
	refuse(!isName(s.name), "name", nameForm, s.name, maxName)
	refuse(!isName(s.job), "job", nameForm, s.job, maxName)
	return problems
}

// maxName is the longest name of a run or a job, in characters. The names that lists
// give are shorter.
const maxName = 300

// isName reports whether a run or a job may have a name: what a terminal and the
// journal's scopes can take. The empty one stands for the default.
func isName(name string) bool {
	return utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxName &&
		!strings.Contains(name, "/") && printable(name) == name
}

// journalRate returns the limit that the journal keeps: the service's less the headroom.
func (s *settings) journalRate() checkpoint.Rate {
	slots := s.rate.Slots * (100 - int(s.headroom)) / 100
	return checkpoint.Rate{Slots: max(slots, 1), Window: s.rate.Window}
}

// preference returns the identity pattern that wins.
func (s *settings) preference() enrich.Pattern {
	if s.prefer.Value == enrich.ByName.String() {
		return enrich.ByName
	}
	return enrich.ByProfile
}

// shortBudgetPolicy returns what a run does when a ceiling on money is too low for
// the phone of a lookup.
func (s *settings) shortBudgetPolicy() dispatch.ShortBudget {
	if s.shortBudget.Value == "email-only" {
		return dispatch.EmailOnly
	}
	return dispatch.StopWhenShort
}
