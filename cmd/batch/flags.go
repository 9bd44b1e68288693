package main

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"payonce/checkpoint"
	"payonce/cmd/batch/hints"
	"payonce/cmd/batch/pages"
	"payonce/enrich"
	"payonce/internal/app"
	"payonce/internal/flagvalue"
	"payonce/internal/pricing"
	"payonce/internal/target"
	"payonce/internal/workspace"
	"payonce/service/v1"
	"payonce/service/v1/v1fields"
)

// journalFlags say where the workspace's journal is.
type journalFlags struct {
	state, workspace string
	wait             time.Duration
}

func (f *journalFlags) setDefaults(env environment) {
	f.state, f.workspace = env.getenv("BATCH_STATE"), "default"
}

func (f *journalFlags) value(env environment, rate checkpoint.Rate) workspace.Journal {
	return workspace.Journal{
		State: f.state, Name: f.workspace, Rate: rate, Wait: f.wait,
		Key:    workspace.Key{From: hints.KeyVariable, Text: env.getenv(hints.KeyVariable)},
		NewKey: workspace.Key{From: hints.NewKeyVariable, Text: env.getenv(hints.NewKeyVariable)},
	}
}

// serviceFlags say which service is called, and how.
type serviceFlags struct {
	baseURL, mcpURL string
	sandbox         bool
	transport       flagvalue.Choice
	names           []string
	timeout         time.Duration
	sameWorkspace   bool
	exclusive       bool
	settleDelay     time.Duration
}

func (f *serviceFlags) setDefaults(env environment) {
	f.baseURL, f.mcpURL = env.getenv("SERVICE_BASE_URL"), env.getenv("SERVICE_MCP_URL")
	f.transport = flagvalue.Choice{Value: string(v1.REST), Choices: []string{string(v1.REST), string(v1.MCP)}}
	f.timeout, f.settleDelay = 45*time.Second, time.Minute
}

func (f *serviceFlags) value(env environment) workspace.Service {
	names, _ := pricing.ParseNames(f.names) // checked when the options were loaded
	return workspace.Service{
		Sandbox: f.sandbox, BaseURL: f.baseURL, MCPURL: f.mcpURL, Transport: v1.Transport(f.transport.Value), Names: names,
		Key: env.getenv("SERVICE_API_KEY"), SameWorkspace: f.sameWorkspace, Exclusive: f.exclusive, Timeout: f.timeout, SettleDelay: f.settleDelay,
	}
}

// rateFlags say how fast lookups are sent.
type rateFlags struct {
	rate        flagvalue.Rate
	headroom    flagvalue.Percent
	pace        flagvalue.Choice
	concurrency int
}

func (f *rateFlags) setDefaults() {
	f.rate = flagvalue.Rate{Slots: 30, Window: time.Minute}
	f.pace = flagvalue.Choice{Value: "burst", Choices: []string{"burst", "even"}}
	f.concurrency = 16
}

// limit returns the service's limit.
func (f *rateFlags) limit() checkpoint.Rate { return checkpoint.Rate(f.rate) }

// kept returns the limit that the journal keeps: the service's less the headroom.
func (f *rateFlags) kept() checkpoint.Rate {
	slots := f.rate.Slots * (100 - int(f.headroom)) / 100
	return checkpoint.Rate{Slots: max(slots, 1), Window: f.rate.Window}
}

func (f *rateFlags) value() app.Pace {
	return app.Pace{Even: f.pace.Value == "even", Concurrency: f.concurrency}
}

// priceFlags say where the user's prices are.
type priceFlags struct{ card, option string }

func (f *priceFlags) value() pricing.Options { return pricing.Options{Card: f.card, Option: f.option} }

// budgetFlags bound what is spent.
type budgetFlags struct {
	job               string
	maxSpend          flagvalue.Money
	maxLookups        flagvalue.Count
	monthly           flagvalue.Money
	daily             flagvalue.Money
	workspaceMonthly  flagvalue.Money
	shortBudget       flagvalue.Choice
	approvalThreshold flagvalue.Money
	approve           flagvalue.Money
	strict            bool
}

func (f *budgetFlags) setDefaults() {
	f.shortBudget = flagvalue.Choice{Value: "stop", Choices: []string{"stop", "email-only"}}
}

func (f *budgetFlags) value() app.Budget {
	var expendable enrich.Fields
	if f.shortBudget.Value == "email-only" {
		expendable = v1fields.AllFields.Without(enrich.FieldsOf(v1fields.WorkEmail))
	}
	return app.Budget{
		Job: f.job, MaxSpend: f.maxSpend.Amount, MaxLookups: f.maxLookups.N, Daily: f.daily.Amount, Monthly: f.monthly.Amount,
		WorkspaceMonthly: f.workspaceMonthly.Amount, Threshold: f.approvalThreshold.Amount, Approved: f.approve.Amount,
		Expendable: expendable, Strict: f.strict,
	}
}

// outputFlags say where results are written.
type outputFlags struct {
	path, rejects, keepAs string
	tables, tablesFormat  string
	pages                 pages.Flags
	keep                  uint // earlier versions
}

func (f *outputFlags) value(env environment, sources []target.Source) app.Output {
	return app.Output{Path: f.path, Rejects: f.rejects, Tables: f.tables, TablesFormat: f.tablesFormat, Keep: int(f.keep), Stdout: env.stdout, Sources: sources}
}

// addPlaceFlags adds the flags that say where the service is.
func (o *options) addPlaceFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.config, "config", "", "read flags from this YAML `FILE`; the command line wins")
	flags.StringVar(&o.service.baseURL, "base-url", o.service.baseURL, "the service's `URL` with its path prefix (SERVICE_BASE_URL)")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "write only errors and questions to standard error")
	flags.Var(&o.colour, "color", "colours: auto for a terminal without NO_COLOR, always or never")
	flags.Var(&o.logFormat, "log-format", "the format of standard error: text, or one JSON object per line")
	flags.BoolVar(&o.service.sandbox, "sandbox", false, "use the embedded service: nothing is real and nothing costs money")
}

// addJournalFlags adds the flags of every command that opens a journal.
func (o *options) addJournalFlags(flags *pflag.FlagSet) {
	o.addPlaceFlags(flags)
	flags.StringVar(&o.journal.state, "state", o.journal.state, "the `DIR` that holds the journals (BATCH_STATE; default the user's state directory)")
	flags.StringVar(&o.journal.workspace, "workspace", o.journal.workspace, "the `NAME` of the workspace; each has its own journal")
	flags.BoolVar(&o.json, "json", false, "print one JSON object on standard output")
}

// addWaitFlag adds the flag that lets a command wait for the process that owns the journal.
func (o *options) addWaitFlag(flags *pflag.FlagSet) {
	flags.DurationVar(&o.journal.wait, "wait", 0, "wait up to this time (30s, 2h) for another process that owns the journal")
}

// addServiceFlags adds the flags of every command that calls the service.
func (o *options) addServiceFlags(flags *pflag.FlagSet) {
	f := &o.service
	flags.Var(&f.transport, "transport", "how the service is called; the journal is the same for both")
	flags.StringVar(&f.mcpURL, "mcp-url", f.mcpURL, "the service's `URL` for MCP (SERVICE_MCP_URL; default /mcp beside --base-url)")
	o.addNameFlag(flags)
	flags.DurationVar(&f.timeout, "timeout", f.timeout, "give a lookup up after this time; its outcome is then in doubt")
	flags.BoolVar(&f.sameWorkspace, "same-workspace", false, "a new API key belongs to the journal's workspace")
	flags.BoolVar(&f.exclusive, "exclusive", false, "declare that nobody else spends from the account: then what it lost can prove which lost lookups were charged")
	flags.DurationVar(&f.settleDelay, "settle-delay", f.settleDelay, "how long to wait after a lost response before the account is read; when this is shorter than --timeout, the reading can miss the charge of a lookup that the service still processes")
	flags.Var(&o.rate.rate, "rate", "the service's limit: lookups in a rolling window")
	flags.Var(&o.rate.headroom, "headroom", "the share of the limit that is left to the workspace's other users")
}

// addNameFlag adds the flag that gives requests other names.
func (o *options) addNameFlag(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.service.names, "request-name", nil,
		"`NAME=VALUE`: what the service calls a path or a member of a request, where it differs; the names are "+
			strings.Join(pricing.NamesOfRequests(), ", ")+" (repeatable)")
}

// addListFlags adds the flags of plan and run.
func (o *options) addListFlags(flags *pflag.FlagSet) {
	o.list.AddReading(flags)
	o.list.AddAsking(flags)
	o.list.AddSelection(flags)
	flags.Var(&o.rate.pace, "pace", "burst sends what the window allows at once, even spreads it")
	flags.IntVar(&o.rate.concurrency, "concurrency", o.rate.concurrency, "the most lookups in flight at the same time; a run uses fewer when the rate and the latency need fewer")
	o.addRejectsFlag(flags)
}

func (o *options) addRejectsFlag(flags *pflag.FlagSet) {
	flags.StringVar(&o.output.rejects, "rejects", "", "write the rows that could not be looked up to this `FILE`, with reasons")
	flags.StringVar(&o.output.tables, "tables", "", "write what answers say in several rows about one company to tables in this `DIR`")
	flags.StringVar(&o.output.tablesFormat, "tables-format", "parquet", "the `FORMAT` of the tables: parquet or csv")
	flags.UintVar(&o.output.keep, "keep-outputs", 5, "keep up to `N` earlier versions of an output that would lose edits or values; see batch undo")
}

// addPriceFlags adds the flags that say what a lookup costs.
func (o *options) addPriceFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.budget.strict, "strict", false, "count every field at its full price, whatever is left of the free allowance")
	flags.StringVar(&o.prices.card, "rate-card", "", "read the prices from this YAML `FILE`; what the service tells is compared with it")
	flags.StringVar(&o.prices.option, "rate-option", "", "the `NAME` of the rate card's option that the workspace pays by (default what the service charges now; "+pricing.DefaultOption+" where it does not tell)")
}

// addCeilingFlags adds the flags that bound what a run spends, and say what it does there.
func (o *options) addCeilingFlags(flags *pflag.FlagSet) {
	f := &o.budget
	flags.Var(&f.maxSpend, "max-spend", "the most that the run may spend, over all its starts")
	flags.Var(&f.maxLookups, "max-lookups", "the most lookups that the run may send, over all its starts")
	flags.Var(&f.shortBudget, "short-budget", "when a ceiling on money is too low for a phone: stop, or go on with emails")
	flags.Var(&f.approvalThreshold, "approval-threshold", "ask, even with --yes, when this start of the run can spend more than this")
	flags.StringVar(&f.job, "job", "", "the `NAME` of the job that the run belongs to (default the run's)")
	o.addSharedCeilingFlags(flags)
}

// addSharedCeilingFlags adds the flags that bound what runs spend together.
func (o *options) addSharedCeilingFlags(flags *pflag.FlagSet) {
	f := &o.budget
	flags.Var(&f.monthly, "monthly", "the most that the job may spend in a month, by UTC")
	flags.Var(&f.daily, "daily", "the most that the job may spend in a day, by UTC")
	flags.Var(&f.workspaceMonthly, "workspace-monthly", "the most that the workspace may spend in a month, by UTC, as far as this journal knows")
}
