// This file has the flags that say which workspace a command works in, which interfaces of the
// service it calls, and how fast.

package main

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"payonce/checkpoint"
	"payonce/configs"
	"payonce/io/service/v1"
	"payonce/pipeline"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providers"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/workspace"
)

// The variables of the environment that give the values of flags, and the key of the first interface.
const (
	baseURLVariable = "SERVICE_BASE_URL"
	mcpurlVariable  = "SERVICE_MCP_URL"
	stateVariable   = "BATCH_STATE"
	journalVariable = "BATCH_JOURNAL"
	keyVariable     = "SERVICE_API_KEY"
)

// addressFlags are the flags and the variables that each provider has. Those of the first have the plain names, such as
// --base-url and SERVICE_BASE_URL. Those of others have the name of the interface in them, such as --base-url-v2 and
// SERVICE_V2_BASE_URL.
type addressFlags struct {
	provider provider.Provider
	of       string // the name of the interface; "" for the first
	BaseURL  string
	Rate     rateFlag
}

// rateFlag is the limit of a service. It knows whether somebody gave it.
type rateFlag struct {
	configs.RateFlag
	given bool
}

// Set sets the limit.
func (v *rateFlag) Set(text string) error {
	v.given = true
	return v.RateFlag.Set(text)
}

// embeddedRate is the limit of the embedded service when none is given: nobody waits for a limit that is made up.
var embeddedRate = configs.RateFlag{Slots: 1000, Window: time.Second}

// rate returns the limit of an interface.
func (f *serviceFlags) rate(a *addressFlags) configs.RateFlag {
	if f.Sandbox && !a.Rate.given {
		return embeddedRate
	}
	return a.Rate.RateFlag
}

// flag returns the name of a flag of the interface.
func (a addressFlags) flag(name string) string {
	if a.of == "" {
		return name
	}
	return name + "-" + a.of
}

// variable returns the name of a variable of the interface, by that of the first.
func (a addressFlags) variable(name string) string {
	if a.of == "" {
		return name
	}
	return strings.Replace(name, "SERVICE_", "SERVICE_"+strings.ToUpper(a.of)+"_", 1)
}

// flagVariables returns the environment variables that win over a configuration file, by the names of the flags.
func flagVariables(addresses []*addressFlags) map[string]string {
	variables := map[string]string{"mcp-url": mcpurlVariable, "state": stateVariable, "journal": journalVariable}
	for _, a := range addresses {
		variables[a.flag("base-url")] = a.variable(baseURLVariable)
	}
	return variables
}

// serviceFlags say which workspace a command works in, which interfaces it calls, and how fast.
type serviceFlags struct {
	getenv func(string) string

	State, Workspace string
	// Journal is the URL of a shared journal that a flag or a configuration gives.
	Journal string
	Wait    time.Duration

	Addresses     []*addressFlags // of the providers, in their order
	MCPURL        string
	Sandbox       bool
	transport     configs.ChoiceFlag
	Timeout       time.Duration
	sameWorkspace bool
	plainCopy     bool // of journal copy
	exclusive     bool
	settleDelay   time.Duration

	headroom    configs.PercentFlag
	pace        configs.ChoiceFlag
	concurrency int
	// LongestPause is the longest pause of the service that a run waits for. It has no flag.
	LongestPause time.Duration

	assumed *assumptions // set by a configuration
}

// knownProviders returns the providers of all interfaces that the program knows.
func (env environment) knownProviders() []provider.Provider {
	if env.providers != nil {
		return env.providers
	}
	return providers.All()
}

// addresses returns the flags of the providers with their defaults, which the environment may set.
func (env environment) addresses() (all []*addressFlags) {
	for i, p := range env.knownProviders() {
		about := p.Interface()
		a := &addressFlags{provider: p, Rate: rateFlag{RateFlag: configs.RateFlag(about.Rate)}}
		if i > 0 {
			a.of = about.Catalogue.Interface
		}
		a.BaseURL = env.getenv(a.variable(baseURLVariable))
		all = append(all, a)
	}
	return all
}

// newServiceFlags returns the flags with their defaults, which the environment may set.
func newServiceFlags(env environment) serviceFlags {
	return serviceFlags{
		getenv: env.getenv, State: env.getenv(stateVariable), Workspace: "default",
		Addresses: env.addresses(), MCPURL: env.getenv(mcpurlVariable),
		transport: configs.ChoiceFlag{Value: string(v1.REST), Choices: []string{string(v1.REST), string(v1.MCP)}},
		Timeout:   45 * time.Second, settleDelay: time.Minute,
		pace: configs.ChoiceFlag{Value: "burst", Choices: []string{"burst", "even"}}, concurrency: 16,
		assumed: newAssumptions(),
	}
}

// Options returns which workspace the command works in, without its prices.
func (f *serviceFlags) Options() workspace.Options {
	options := workspace.Options{
		Journal: workspace.Journal{
			State: f.State, Name: f.Workspace, Wait: f.Wait, Shared: f.shared(), PlainCopy: f.plainCopy,
			Key:    workspace.Key{From: journalKeyVariable, Text: f.getenv(journalKeyVariable)},
			NewKey: workspace.Key{From: newJournalKeyVariable, Text: f.getenv(newJournalKeyVariable)},
		},
		Sandbox: f.Sandbox, SameWorkspace: f.sameWorkspace, Exclusive: f.exclusive, SettleDelay: f.settleDelay,
	}
	for _, a := range f.Addresses {
		options.Services = append(options.Services, provider.Service{
			Provider: f.settings(a.provider), BaseURL: a.BaseURL, Key: f.getenv(a.variable(keyVariable)), Timeout: f.Timeout,
			Connections: f.concurrency, Rate: checkpoint.Rate(f.rate(a)), Kept: f.kept(f.rate(a)),
		})
	}
	return options
}

// shared returns the URL of the shared journal; "" for a journal in a directory. It may hold a password.
func (f *serviceFlags) shared() string { return cmp.Or(f.Journal, f.getenv(journalVariable)) }

// settings returns a provider with what its own flags and keys of the configuration say.
func (f *serviceFlags) settings(of provider.Provider) provider.Provider {
	switch p := of.(type) {
	case providerv1.Provider:
		p.Transport, p.MCPURL, p.Names = v1.Transport(f.transport.Value), f.MCPURL, f.assumed.requestNames()
		return p
	case providerv2.Provider:
		p.Modules, p.NotFound = f.assumed.modulesOfV2(), f.assumed.notFound
		return p
	}
	return of
}

// kept returns the limit that the journal keeps: the service's less the headroom.
func (f *serviceFlags) kept(rate configs.RateFlag) checkpoint.Rate {
	slots := rate.Slots * (100 - int(f.headroom)) / 100
	return checkpoint.Rate{Slots: max(slots, 1), Window: rate.Window}
}

// Pace returns how lookups are sent within the limit.
func (f *serviceFlags) Pace() pipeline.Pace {
	return pipeline.Pace{Even: f.pace.Value == "even", Concurrency: f.concurrency, LongestPause: f.LongestPause}
}

// Known reports whether the flags name a service, and so a journal.
func (f *serviceFlags) Known() bool {
	return f.Sandbox || slices.ContainsFunc(f.Addresses, func(a *addressFlags) bool { return a.BaseURL != "" })
}

// AddAddresses adds the flags that say where the service is.
func (f *serviceFlags) AddAddresses(flags *pflag.FlagSet) {
	for _, a := range f.Addresses {
		usage := "the service's `URL` with its path prefix"
		if a.of != "" {
			usage = "the `URL` of the service's " + a.of + " interface with its path prefix"
		}
		flags.StringVar(&a.BaseURL, a.flag("base-url"), a.BaseURL, usage+" ("+a.variable(baseURLVariable)+")")
		placeBeside(flags, a.flag("base-url"), "base-url")
	}
	flags.BoolVar(&f.Sandbox, "sandbox", false, "use the embedded service: nothing is real and nothing costs money")
}

// AddJournal adds the flags that say where the journal is.
func (f *serviceFlags) AddJournal(flags *pflag.FlagSet) {
	flags.StringVar(&f.State, "state", f.State, "the `DIR` that holds the journals (BATCH_STATE; default the user's state directory)")
	flags.StringVar(&f.Journal, "journal", "", "the `URL` of a PostgreSQL database with a journal that several machines share, without a password (BATCH_JOURNAL, which may have one)")
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
	flags.BoolVar(&f.exclusive, "exclusive", false, "declare that nothing else spends from the account: then what it lost can prove which lost lookups were charged")
	flags.DurationVar(&f.settleDelay, "settle-delay", f.settleDelay, "how long to wait after a lost response before the account is read; when this is shorter than --timeout, the reading can miss the charge of a lookup that the service still processes")
	for _, a := range f.Addresses {
		usage := "the service's limit: lookups in a rolling window; with --sandbox " + embeddedRate.String() + " unless it is given"
		if a.of != "" {
			usage = "the limit of the service's " + a.of + " interface: calls in a rolling window; with --sandbox " + embeddedRate.String() + " unless it is given"
		}
		flags.Var(&a.Rate, a.flag("rate"), usage)
		placeBeside(flags, a.flag("rate"), "rate")
	}
	flags.Var(&f.headroom, "headroom", "the share of the limit that is left to the workspace's other users")
}

// AddPace adds the flags that say how lookups are sent within the limit.
func (f *serviceFlags) AddPace(flags *pflag.FlagSet) {
	flags.Var(&f.pace, "pace", "burst sends as many lookups at once as the window allows, even spreads them")
	flags.IntVar(&f.concurrency, "concurrency", f.concurrency, "the most lookups in flight at the same time; a run uses fewer when the rate and the latency need fewer")
}
