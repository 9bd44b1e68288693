package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"payonce/configs"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/output"
	"payonce/pipeline/provider"
)

// priceFlags say where the user's prices are.
type priceFlags struct {
	card, option string
	units        configs.PairsFlag
}

func (f *priceFlags) setDefaults() {
	f.units = configs.PairsFlag{Form: "MODULE=USD", Known: true, Check: func(name, value string) error {
		_, err := v2.ParsePrices(map[string]string{name: value})
		return err
	}}
}

// ofUnits returns what units of modules cost the user.
func (f *priceFlags) ofUnits() v2.Prices {
	prices, _ := v2.ParsePrices(f.units.Values) // each was checked
	return prices
}

func (f *priceFlags) value() provider.PriceOptions {
	return provider.PriceOptions{Card: f.card, Option: f.option}
}

// budgetFlags bound what is spent.
type budgetFlags struct {
	job               string
	maxSpend          configs.MoneyFlag
	maxLookups        configs.CountFlag
	monthly           configs.MoneyFlag
	daily             configs.MoneyFlag
	workspaceMonthly  configs.MoneyFlag
	shortBudget       configs.ChoiceFlag
	approvalThreshold configs.MoneyFlag
	approve           configs.MoneyFlag
	strict            bool
	units             configs.PairsFlag // that the run may use up
	dailyUnits        configs.PairsFlag // that the job may use up
	monthlyUnits      configs.PairsFlag
}

func (f *budgetFlags) setDefaults(all []provider.Provider) {
	f.shortBudget = configs.ChoiceFlag{Value: "stop", Choices: []string{"stop", "email-only"}}
	for _, limits := range []*configs.PairsFlag{&f.units, &f.dailyUnits, &f.monthlyUnits} {
		*limits = configs.PairsFlag{Form: "MODULE=N", Known: true, Check: checkUnits(all)}
	}
}

// unitNames returns the units that can be limited, and those of them that are values that are returned, such as emails.
func unitNames(all []provider.Provider) (names, returned []string) {
	for _, p := range all {
		tariff := p.Interface().Tariff
		for m, info := range tariff.Meters {
			if m != int(cost.USD) && !tariff.IsAllowance(cost.Meter(m)) {
				names = append(names, info.Name)
			}
			if info.Counting == cost.CountsSpan {
				returned = append(returned, info.Name)
			}
		}
	}
	return names, returned
}

// checkUnits returns what refuses a limit on units that cannot be kept to: units of no interface, or no number. Only of
// values that are returned, such as emails, none may be allowed: they are then left out of the calls.
func checkUnits(all []provider.Provider) func(meter, n string) error {
	names, returned := unitNames(all)
	return func(meter, n string) (err error) {
		if !slices.Contains(names, meter) {
			err = fmt.Errorf("%q is not a module; the modules are %s", meter, strings.Join(names, ", "))
		}
		if n == "0" && slices.Contains(returned, meter) {
			return err
		}
		return errors.Join(err, new(configs.CountFlag).Set(n))
	}
}

// unitsOf returns limits on units by the names of their meters.
func unitsOf(limits configs.PairsFlag) map[string]int64 {
	found := map[string]int64{}
	for name, text := range limits.Values {
		var n configs.CountFlag
		_ = n.Set(text) // it was checked
		found[name] = n.OrZero()
	}
	return found
}

func (f *budgetFlags) value() pipeline.Budget {
	var expendable enrich.Fields
	if f.shortBudget.Value == "email-only" {
		expendable = v1.AllFields.Without(enrich.FieldsOf(v1.WorkEmail))
	}
	return pipeline.Budget{
		Job: f.job, MaxSpend: f.maxSpend.Amount, MaxLookups: f.maxLookups.N, Daily: f.daily.Amount, Monthly: f.monthly.Amount,
		WorkspaceMonthly: f.workspaceMonthly.Amount, Threshold: f.approvalThreshold.Amount, Approved: f.approve.Amount,
		Expendable: expendable, Strict: f.strict,
		Units: unitsOf(f.units), DailyUnits: unitsOf(f.dailyUnits), MonthlyUnits: unitsOf(f.monthlyUnits),
	}
}

// outputFlags say where results are written.
type outputFlags struct {
	path, rejects, newValues, keepAs string
	tables, tablesFormat, candidates string
	pages                            pageFlags
	keep                             uint // earlier versions
	formulas                         configs.ChoiceFlag
}

func (f *outputFlags) value(env environment, sources []output.Source) pipeline.Output {
	return pipeline.Output{Path: f.path, Rejects: f.rejects, NewValues: f.newValues, Tables: f.tables, TablesFormat: f.tablesFormat, Candidates: f.candidates, Keep: int(f.keep), Stdout: env.stdout, Sources: sources}
}

// addBasicFlags adds the flags of the configuration, of standard error and of the address of the service.
func (o *options) addBasicFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.config, "config", "", "read flags from this YAML `FILE`; the command line wins")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "write only errors and questions to standard error")
	o.colour = colourDefault()
	flags.Var(&o.colour, "color", colourHelp)
	flags.Var(&o.logFormat, "log-format", "the format of standard error: text, or one JSON object per line")
	o.service.AddAddresses(flags)
}

// addJournalFlags adds the flags of every command that opens a journal.
func (o *options) addJournalFlags(flags *pflag.FlagSet) {
	o.addBasicFlags(flags)
	o.service.AddJournal(flags)
	flags.BoolVar(&o.json, "json", false, "print one JSON object on standard output")
}

// addListFlags adds the flags of plan and run.
func (o *options) addListFlags(flags *pflag.FlagSet) {
	o.list.AddReading(flags)
	o.list.AddAsking(flags)
	o.list.AddSelection(flags)
	o.service.AddPace(flags)
	o.list.AddSelected(flags)
	o.list.AddAccepting(flags)
	o.addRejectsFlag(flags)
}

func (o *options) addRejectsFlag(flags *pflag.FlagSet) {
	flags.StringVar(&o.output.rejects, "rejects", "", "write the rows that could not be looked up to this `FILE`, with reasons")
	flags.StringVar(&o.output.newValues, "new-values", "", "write the rows that got new values to this `FILE`, with only those values and the columns that name the row")
	flags.StringVar(&o.output.candidates, "candidates", "", "write the candidates of ambiguous rows to this `FILE`; see --selected")
	flags.StringVar(&o.output.tables, "tables", "", "write answers that have several rows for one company to tables in this `DIR`")
	flags.StringVar(&o.output.tablesFormat, "tables-format", "parquet", "the `FORMAT` of the tables: parquet or csv")
	o.addFormulasFlag(flags)
	o.addKeepFlag(flags)
}

// addKeepFlag adds the flag of every command that replaces files which somebody may have edited.
func (o *options) addKeepFlag(flags *pflag.FlagSet) {
	flags.UintVar(&o.output.keep, "keep-outputs", 5, "keep up to `N` earlier versions of an output that would lose edits or values; see batch undo")
}

// addFormulasFlag adds the flag of every command that writes values of the service as delimited text.
func (o *options) addFormulasFlag(flags *pflag.FlagSet) {
	flags.Var(&o.output.formulas, "formulas", configs.FormulasHelp)
}

// addPriceFlags adds the flags that say what a lookup costs.
func (o *options) addPriceFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.budget.strict, "strict", false, "count every field at its full price, without the free allowance")
	flags.StringVar(&o.prices.card, "rate-card", "", "read the prices from this YAML `FILE`; what the service shows is compared with it")
	o.addUnitPrices(flags)
	flags.StringVar(&o.prices.option, "rate-option", "", "the `NAME` of the rate card's option that the workspace pays by (default what the service charges now; "+provider.DefaultOption+" where it does not show)")
}

// addUnitPrices adds the flag that says what units of modules cost.
func (o *options) addUnitPrices(flags *pflag.FlagSet) {
	flags.Var(&o.prices.units, "unit-prices", "what a unit of a module of v2 costs you, such as companies=0.05: then the ceilings on money count it (repeatable)")
}

// addCeilingFlags adds the flags that bound what a run spends, and say what it does there.
func (o *options) addCeilingFlags(flags *pflag.FlagSet) {
	f := &o.budget
	flags.Var(&f.maxSpend, "max-spend", "the most that the run may spend, over all its starts")
	flags.Var(&f.maxLookups, "max-lookups", "the most lookups that the run may send, over all its starts")
	flags.Var(&f.shortBudget, "short-budget", "when a ceiling on money is too low for a phone: stop, or go on with emails")
	flags.Var(&f.approvalThreshold, "approval-threshold", "ask, even with --yes, when this start of the run can spend more than this")
	flags.Var(&f.units, "max-units", "the most units of a module of v2 that the run may use up, over all its starts, such as companies=500 (repeatable); email_count and phone_count count returned values, and 0 asks for none")
	flags.StringVar(&f.job, "job", "", "the `NAME` of the job that the run belongs to (default the run's)")
	o.addSharedCeilingFlags(flags)
}

// addSearchCeilingFlags adds the flags that bound what a search spends.
func (o *options) addSearchCeilingFlags(flags *pflag.FlagSet) {
	f := &o.budget
	flags.Var(&f.maxSpend, "max-spend", "the most that the search may spend, over all its starts; it limits units that have a price")
	flags.Var(&f.units, "max-units", "`MODULE=N`: the most units of a module that this search may use, over all its starts (repeatable)")
	flags.StringVar(&f.job, "job", "", "the `NAME` of the job that the search belongs to (default that of the search)")
	o.addSharedCeilingFlags(flags)
}

// addSharedCeilingFlags adds the flags that bound what runs spend together.
func (o *options) addSharedCeilingFlags(flags *pflag.FlagSet) {
	f := &o.budget
	flags.Var(&f.monthly, "monthly", "the most that the job may spend in a month, by UTC")
	flags.Var(&f.daily, "daily", "the most that the job may spend in a day, by UTC")
	flags.Var(&f.dailyUnits, "daily-units", "the most units of a module that the job may use up in a day, by UTC (repeatable)")
	flags.Var(&f.monthlyUnits, "monthly-units", "the most units of a module that the job may use up in a month, by UTC (repeatable)")
	flags.Var(&f.workspaceMonthly, "workspace-monthly", "the most that the workspace may spend in a month, by UTC, as far as this journal knows")
}
