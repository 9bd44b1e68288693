// This file has the flags that say which workspace a command works in, which interfaces of the
// service it calls, and how fast.

package main

import (
	"time"

	"github.com/spf13/pflag"

	"payonce/checkpoint"
	"payonce/configs"
	"payonce/io/service/v1"
	"payonce/pipeline"
	"payonce/pipeline/workspace"
)

// The flags whose values can come from the environment, and the variables.
const (
	baseURLVariable   = "SERVICE_BASE_URL"
	baseURLV2Variable = "SERVICE_V2_BASE_URL"
	mcpurlVariable    = "SERVICE_MCP_URL"
	stateVariable     = "BATCH_STATE"
	keyVariable       = "SERVICE_API_KEY"
	keyV2Variable     = "SERVICE_V2_API_KEY"
)

// flagVariables returns the environment variables that win over a configuration file, by the names of the flags.
func flagVariables() map[string]string {
	return map[string]string{
		"base-url": baseURLVariable, "base-url-v2": baseURLV2Variable, "mcp-url": mcpurlVariable, "state": stateVariable,
	}
}

// serviceFlags say which workspace a command works in, which interfaces it calls, and how fast.
type serviceFlags struct {
	getenv func(string) string

	State, Workspace string
	Wait             time.Duration

	BaseURL, BaseURLV2, MCPURL string
	Sandbox                    bool
	transport                  configs.ChoiceFlag
	Timeout                    time.Duration
	sameWorkspace              bool
	exclusive                  bool
	settleDelay                time.Duration

	Rate, RateV2 configs.RateFlag
	headroom     configs.PercentFlag
	pace         configs.ChoiceFlag
	concurrency  int
	// LongestPause is the longest pause of the service that a run waits for. It has no flag.
	LongestPause time.Duration

	assumed *assumptions // set by a configuration
}

// newServiceFlags returns the flags with their defaults, which the environment may set.
func newServiceFlags(getenv func(string) string) serviceFlags {
	return serviceFlags{
		getenv: getenv, State: getenv(stateVariable), Workspace: "default",
		BaseURL: getenv(baseURLVariable), BaseURLV2: getenv(baseURLV2Variable), MCPURL: getenv(mcpurlVariable),
		transport: configs.ChoiceFlag{Value: string(v1.REST), Choices: []string{string(v1.REST), string(v1.MCP)}},
		Timeout:   45 * time.Second, settleDelay: time.Minute,
		Rate:   configs.RateFlag{Slots: 30, Window: time.Minute},
		RateV2: configs.RateFlag(workspace.DefaultRateV2()),
		pace:   configs.ChoiceFlag{Value: "burst", Choices: []string{"burst", "even"}}, concurrency: 16,
		assumed: newAssumptions(),
	}
}

// Options returns which workspace the command works in, without its prices.
func (f *serviceFlags) Options() workspace.Options {
	names, modules := f.assumed.requestNames(), f.assumed.modulesOfV2()
	return workspace.Options{
		Journal: workspace.Journal{
			State: f.State, Name: f.Workspace, Rate: f.Kept(), Wait: f.Wait,
			Key:    workspace.Key{From: journalKeyVariable, Text: f.getenv(journalKeyVariable)},
			NewKey: workspace.Key{From: newJournalKeyVariable, Text: f.getenv(newJournalKeyVariable)},
		},
		Service: workspace.Service{
			Sandbox: f.Sandbox, BaseURL: f.BaseURL, MCPURL: f.MCPURL, Transport: v1.Transport(f.transport.Value), Names: names,
			Key: f.getenv(keyVariable), SameWorkspace: f.sameWorkspace, Exclusive: f.exclusive, Timeout: f.Timeout,
			SettleDelay: f.settleDelay, Connections: f.concurrency, Rate: checkpoint.Rate(f.Rate),
		},
		V2: workspace.V2{
			BaseURL: f.BaseURLV2, Key: f.getenv(keyV2Variable), Timeout: f.Timeout, Connections: f.concurrency,
			Rate: checkpoint.Rate(f.RateV2), Kept: f.kept(f.RateV2), Modules: modules, NotFound: f.assumed.notFound,
		},
	}
}

// Kept returns the limit that the journal keeps for the first interface: the service's less the headroom.
func (f *serviceFlags) Kept() checkpoint.Rate { return f.kept(f.Rate) }

func (f *serviceFlags) kept(rate configs.RateFlag) checkpoint.Rate {
	slots := rate.Slots * (100 - int(f.headroom)) / 100
	return checkpoint.Rate{Slots: max(slots, 1), Window: rate.Window}
}

// Pace returns how lookups are sent within the limit.
func (f *serviceFlags) Pace() pipeline.Pace {
	return pipeline.Pace{Even: f.pace.Value == "even", Concurrency: f.concurrency, LongestPause: f.LongestPause}
}

// Known reports whether the flags name a service, and so a journal.
func (f *serviceFlags) Known() bool { return f.Sandbox || f.BaseURL != "" || f.BaseURLV2 != "" }

// AddPlace adds the flags that say where the service is.
func (f *serviceFlags) AddPlace(flags *pflag.FlagSet) {
	flags.StringVar(&f.BaseURL, "base-url", f.BaseURL, "the service's `URL` with its path prefix (SERVICE_BASE_URL)")
	flags.StringVar(&f.BaseURLV2, "base-url-v2", f.BaseURLV2,
		"the `URL` of the service's v2 interface with its path prefix (SERVICE_V2_BASE_URL)")
	flags.BoolVar(&f.Sandbox, "sandbox", false, "use the embedded service: nothing is real and nothing costs money")
}

// AddJournal adds the flags that say where the journal is.
func (f *serviceFlags) AddJournal(flags *pflag.FlagSet) {
	flags.StringVar(&f.State, "state", f.State, "the `DIR` that holds the journals (BATCH_STATE; default the user's state directory)")
	flags.StringVar(&f.Workspace, "workspace", f.Workspace, "the `NAME` of the workspace; each has its own journal")
}

// AddWait adds the flag that lets a command wait for the process that owns the journal.
func (f *serviceFlags) AddWait(flags *pflag.FlagSet) {
	flags.DurationVar(&f.Wait, "wait", 0, "wait up to this time (30s, 2h) for another process that owns the journal")
}

// AddService adds the flags of every command that calls the service.
func (f *serviceFlags) AddService(flags *pflag.FlagSet) {
	flags.Var(&f.transport, "transport", "how the service is called; the journal is the same for both")
	flags.StringVar(&f.MCPURL, "mcp-url", f.MCPURL, "the service's `URL` for MCP (SERVICE_MCP_URL; default /mcp beside --base-url)")
	flags.DurationVar(&f.Timeout, "timeout", f.Timeout, "give a lookup up after this time; its outcome is then in doubt")
	flags.BoolVar(&f.sameWorkspace, "same-workspace", false, "a new API key belongs to the journal's workspace")
	flags.BoolVar(&f.exclusive, "exclusive", false, "declare that nobody else spends from the account: then what it lost can prove which lost lookups were charged")
	flags.DurationVar(&f.settleDelay, "settle-delay", f.settleDelay, "how long to wait after a lost response before the account is read; when this is shorter than --timeout, the reading can miss the charge of a lookup that the service still processes")
	flags.Var(&f.Rate, "rate", "the service's limit: lookups in a rolling window")
	flags.Var(&f.RateV2, "rate-v2", "the limit of the service's v2 interface: calls in a rolling window")
	flags.Var(&f.headroom, "headroom", "the share of the limit that is left to the workspace's other users")
}

// AddPace adds the flags that say how lookups are sent within the limit.
func (f *serviceFlags) AddPace(flags *pflag.FlagSet) {
	flags.Var(&f.pace, "pace", "burst sends what the window allows at once, even spreads it")
	flags.IntVar(&f.concurrency, "concurrency", f.concurrency, "the most lookups in flight at the same time; a run uses fewer when the rate and the latency need fewer")
}
