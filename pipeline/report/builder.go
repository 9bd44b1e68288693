package report

import (
	"cmp"
	"slices"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// ReportFacts are what a report follows from, besides the calls.
type ReportFacts struct {
	Scope      ReportScope
	At         time.Time
	Runs       []checkpoint.Run   // of the scope, in any order
	Waits      []Waited           // of the scope, the longest first
	Catalogues []enrich.Catalogue // of the accounts, by their numbers
	Tariffs    []cost.Tariff      // of the accounts; none when they are not known
	// DaysLeft is on how many days of the month something will still run; nil when no schedule tells.
	DaysLeft *int
	Plan     *Plan // that the run followed; nil when it is not known
}

// ReportCall is one paid call.
type ReportCall struct {
	attempt.Entry
	Held cost.Money // while its outcome is unknown, as HeldUnits
	// HeldUnits are amounts of the meters of its account.
	HeldUnits cost.Amounts
	Company   string // the host of the company; "" when it is not known
	MailHost  string // the host of the email that was found, or Unknown; "" when none was found
}

// UnknownPart stands for a host that is not known.
const UnknownPart = "not known"

// ReportBuilder adds up calls.
type ReportBuilder struct {
	facts     ReportFacts
	view      *RunReport
	days      map[string]*Day
	prices    map[priceKey]int64
	reported  map[fieldKey]*PricedQuantity
	fields    map[fieldKey]*ReportField
	steps     map[string]*AnswerPart
	companies map[string]*AnswerPart
	mail      map[string]int64
	errors    map[ReportError]int64
	mayBeFree cost.Money
	took      []time.Duration
	month     string                // that is forecast
	spendDays map[string]cost.Money // of the month
	units     unitSums
	unitDays  map[string]unitSums
	unitSteps map[string]unitSums
}

type fieldKey struct{ account, name string }

type priceKey struct {
	fieldKey
	price cost.Money
	free  bool
}

// NewReportBuilder returns a Builder without calls.
func NewReportBuilder(facts ReportFacts) *ReportBuilder {
	month := cost.Month.Of(facts.At)
	if facts.Scope.Month != "" {
		month = facts.Scope.Month
	}
	return &ReportBuilder{
		facts: facts, view: &RunReport{Version: runReportVersion, Of: facts.Scope, At: facts.At.UTC().Truncate(time.Second)},
		days: map[string]*Day{}, prices: map[priceKey]int64{}, reported: map[fieldKey]*PricedQuantity{}, fields: map[fieldKey]*ReportField{},
		steps: map[string]*AnswerPart{}, companies: map[string]*AnswerPart{}, mail: map[string]int64{}, errors: map[ReportError]int64{},
		month: month, spendDays: map[string]cost.Money{},
		units: unitSums{}, unitDays: map[string]unitSums{}, unitSteps: map[string]unitSums{},
	}
}

// Wants reports whether the report is about a call. Calls that it is not about may count in its forecast.
func (b *ReportBuilder) Wants(e attempt.Entry) bool {
	scope := b.facts.Scope
	return (scope.Run == "" || e.Run == scope.Run) && (scope.Job == "" || e.Job == scope.Job) &&
		(scope.Month == "" || cost.Month.Of(e.Time().UTC()) == scope.Month)
}

// job returns the job whose month is forecast, "" for all jobs.
func (b *ReportBuilder) job() string {
	if b.facts.Scope.Run == "" || len(b.facts.Runs) == 0 {
		return b.facts.Scope.Job
	}
	return jobOf(b.facts.Runs[0])
}

func jobOf(run checkpoint.Run) string { return cmp.Or(run.Job, run.Name) }

// Add adds a call.
func (b *ReportBuilder) Add(c ReportCall) {
	at := c.Time().UTC()
	if job := b.job(); (job == "" || c.Job == job) && cost.Month.Of(at) == b.month {
		b.spendDays[at.Format(time.DateOnly)] += c.Charge.Money()
	}
	if !b.Wants(c.Entry) {
		return
	}
	v, found := b.view, valuesOf(c)
	v.Calls++
	v.Found += found
	v.Spent += c.Charge.Money()
	b.mayBeFree += c.Charge.Money() - c.Charge.Correct(c.MayBeFree, c.Rates).Money()
	name := at.Format(time.DateOnly)
	b.units.add(c)
	sumsOf(b.unitDays, name).add(c)
	day := entryOf(b.days, name)
	day.Calls++
	day.Found += found
	day.Charged += c.Charge.Money()
	b.addCharge(c)
	if b.facts.Plan != nil && c.Begun.After(b.facts.Plan.At) {
		b.compare(c)
	}
	switch c.State {
	case attempt.Settled:
		b.addAnswer(c)
	case attempt.Voided, attempt.Forfeited:
		b.errors[ReportError{State: c.State.String(), Reason: c.Reason}]++
	case attempt.InDoubt:
		b.addDoubt(c)
	}
}

// entryOf returns the entry of a map, which it makes when there is none.
func entryOf[K comparable, V any](entries map[K]*V, key K) *V {
	if entries[key] == nil {
		entries[key] = new(V)
	}
	return entries[key]
}

func count(fields enrich.Fields) (n int64) {
	for range fields.Each() {
		n++
	}
	return n
}

// valuesOf returns how many values a call found.
func valuesOf(c ReportCall) int64 {
	if isPage(c) {
		return 0
	}
	return count(c.Returned)
}

func (b *ReportBuilder) catalogue(c ReportCall) enrich.Catalogue { return b.catalogueOf(c.Account) }

// catalogueOf returns the catalogue of an account, an empty one where it is not known.
func (b *ReportBuilder) catalogueOf(account attempt.Account) enrich.Catalogue {
	if int(account) < len(b.facts.Catalogues) {
		return b.facts.Catalogues[account]
	}
	return enrich.Catalogue{}
}

// addCharge adds what a call was charged for: by field and price, or as the service reported it.
func (b *ReportBuilder) addCharge(c ReportCall) {
	catalogue := b.catalogue(c)
	key := func(f enrich.Field) fieldKey { return fieldKey{catalogue.Interface, catalogue.Name(f)} }
	if c.Charge.Reported {
		line := entryOf(b.reported, fieldKey{catalogue.Interface, b.operation(c)})
		line.Count++
		line.Amount += c.Charge.Money()
		return
	}
	for f := range c.Charge.Free.Each() {
		b.prices[priceKey{fieldKey: key(f), free: true}]++
	}
	for f := range c.Charge.Paid.Each() {
		b.prices[priceKey{fieldKey: key(f), price: c.Rates[f].Price()}]++
	}
}

func (b *ReportBuilder) addAnswer(c ReportCall) {
	catalogue, found := b.catalogue(c), valuesOf(c)
	b.view.Answered++
	b.took = append(b.took, c.Ended.Sub(c.Begun))
	step := catalogue.Interface + " " + b.operation(c)
	if c.Pattern != "" && !isPage(c) {
		step += ", by " + c.Pattern
	}
	sumsOf(b.unitSteps, step).add(c)
	parts := []*AnswerPart{entryOf(b.steps, step)}
	if isPage(c) {
		b.view.Pages++
	} else {
		b.addFields(c)
		parts = append(parts, entryOf(b.companies, cmp.Or(c.Company, UnknownPart)))
	}
	for _, part := range parts {
		part.Rate.Of++
		if c.Returned != 0 {
			part.Rate.Found++
		}
		part.Values += found
		part.Charged += c.Charge.Money()
	}
	if c.MailHost != "" {
		b.mail[c.MailHost]++
	}
}

// addFields counts what a call asked for and found.
func (b *ReportBuilder) addFields(c ReportCall) {
	catalogue := b.catalogue(c)
	for f := range c.Asked.Each() {
		field := entryOf(b.fields, fieldKey{catalogue.Interface, catalogue.Name(f)})
		field.Rate.Of++
		if c.Returned.Has(f) {
			field.Rate.Found++
		}
	}
}

// mostDoubts is how many calls in doubt are listed.
const mostDoubts = 20

func (b *ReportBuilder) addDoubt(c ReportCall) {
	b.view.Held += c.Held
	if len(b.view.Doubts) == mostDoubts {
		b.view.MoreDoubts++
		return
	}
	held := unitSums{}
	held.add(c)
	b.view.Doubts = append(b.view.Doubts, ReportDoubt{
		Attempt: uint64(c.ID), Run: c.Run, Begun: c.Begun.UTC(), Fields: b.catalogue(c).Words(c.Asked), Held: c.Held, Units: b.unitsOf(held),
	})
}

func (b *ReportBuilder) compare(c ReportCall) {
	if b.view.Compared == nil {
		b.view.Compared = &Compared{}
	}
	v := b.view.Compared
	v.Calls++
	v.Spent += c.Charge.Money()
	if c.State == attempt.Settled {
		v.Answered++
	}
}

// Report returns the report on the calls that were added.
func (b *ReportBuilder) Report() *RunReport {
	v := b.view
	v.SpentLeast = Least(v.Spent, b.mayBeFree)
	v.PerValue = perValue(v.Spent, v.Found)
	v.Runs = b.runs()
	v.Stages = b.stages()
	v.Units = b.unitsOf(b.units)
	v.Days = sorted(b.days, func(day *Day, name string) { day.Day, day.Units = name, b.unitsOf(b.unitDays[name]) })
	v.Ceilings = b.ceilings()
	v.Forecast = b.forecast()
	v.Prices = b.priceList()
	v.Fields = b.fieldList()
	v.Steps = b.stepList()
	v.Companies = b.companyList()
	v.Mail = b.mailList()
	v.Waits = append([]Waited{}, b.facts.Waits...)
	v.Errors = b.errorList()
	v.Seconds = seconds(b.took)
	v.Doubts = append([]ReportDoubt{}, v.Doubts...)
	if plan := b.facts.Plan; plan != nil {
		if v.Compared == nil {
			v.Compared = &Compared{}
		}
		v.Compared.Lookups, v.Compared.Maximum, v.Compared.Expected, v.Compared.Range = plan.Rows.Lookup, plan.Maximum, plan.Expected, plan.ExpectedRange
	}
	v.Missing = b.missing()
	return v
}

// sumsOf returns the sums under a name, which it makes when there are none.
func sumsOf(all map[string]unitSums, name string) unitSums {
	if all[name] == nil {
		all[name] = unitSums{}
	}
	return all[name]
}

// sorted returns the values of a map in the order of their names.
func sorted[V any](entries map[string]*V, name func(entry *V, name string)) []V {
	list := make([]V, 0, len(entries))
	for _, key := range sortedKeys(entries) {
		name(entries[key], key)
		list = append(list, *entries[key])
	}
	return list
}

func sortedKeys[V any](entries map[string]V) []string {
	keys := make([]string, 0, len(entries))
	for key := range entries {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// perValue returns the cost of one value to the micro-dollar, rounded up; nil without values.
func perValue(amount cost.Money, values int64) *cost.Money {
	if values == 0 {
		return nil
	}
	each := (amount + cost.Money(values) - 1) / cost.Money(values)
	return &each
}
