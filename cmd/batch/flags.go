package main

import (
	"github.com/spf13/pflag"

	"payonce/cmd/batch/pages"
	"payonce/enrich"
	"payonce/internal/app"
	"payonce/internal/flagvalue"
	"payonce/internal/pricing"
	"payonce/internal/target"
	"payonce/service/v1/v1fields"
)

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
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "write only errors and questions to standard error")
	flags.Var(&o.colour, "color", "colours: auto for a terminal without NO_COLOR, always or never")
	flags.Var(&o.logFormat, "log-format", "the format of standard error: text, or one JSON object per line")
	o.service.AddPlace(flags)
}

// addJournalFlags adds the flags of every command that opens a journal.
func (o *options) addJournalFlags(flags *pflag.FlagSet) {
	o.addPlaceFlags(flags)
	o.service.AddJournal(flags)
	flags.BoolVar(&o.json, "json", false, "print one JSON object on standard output")
}

// addListFlags adds the flags of plan and run.
func (o *options) addListFlags(flags *pflag.FlagSet) {
	o.list.AddReading(flags)
	o.list.AddAsking(flags)
	o.list.AddSelection(flags)
	o.service.AddPace(flags)
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
