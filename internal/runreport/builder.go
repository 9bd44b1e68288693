package runreport

import (
	"cmp"
	"slices"
	"time"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/report"
	"payonce/internal/report/planview"
	"payonce/internal/report/runview"
)

// Facts are what a report follows from, besides the calls.
type Facts struct {
	Scope      Scope
	At         time.Time
	Runs       []checkpoint.Run   // of the scope, in any order
	Waits      []runview.Waited   // of the scope, the longest first
	Catalogues []enrich.Catalogue // of the accounts, by their numbers
	Tariffs    []cost.Tariff      // of the accounts; none when they are not known
	// DaysLeft is on how many days of the month something will still run; nil when no schedule tells.
	DaysLeft *int
	Plan     *planview.Plan // that the run followed; nil when it is not known
}

// Call is one paid call.
type Call struct {
	attempt.Entry
	Held cost.Money // while its outcome is unknown, as HeldUnits
	// HeldUnits are amounts of the meters of its account.
	HeldUnits cost.Amounts
	Company   string // the host of the company; "" when it is not known
	MailHost  string // the host of the email that was found, or Unknown; "" when none was found
}

// Unknown stands for a host that is not known.
const Unknown = "not known"

// Builder adds up calls.
type Builder struct {
	facts     Facts
	view      *Report
	days      map[string]*Day
	prices    map[priceKey]int64
	reported  map[fieldKey]*Price
	fields    map[fieldKey]*Field
	steps     map[string]*Part
	companies map[string]*Part
	mail      map[string]int64
	errors    map[Error]int64
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

// New returns a Builder without calls.
func New(facts Facts) *Builder {
	month := cost.Month.Of(facts.At)
	if facts.Scope.Month != "" {
		month = facts.Scope.Month
	}
	return &Builder{
		facts: facts, view: &Report{Version: Version, Of: facts.Scope, At: facts.At.UTC().Truncate(time.Second)},
		days: map[string]*Day{}, prices: map[priceKey]int64{}, reported: map[fieldKey]*Price{}, fields: map[fieldKey]*Field{},
		steps: map[string]*Part{}, companies: map[string]*Part{}, mail: map[string]int64{}, errors: map[Error]int64{},
		month: month, spendDays: map[string]cost.Money{},
		units: unitSums{}, unitDays: map[string]unitSums{}, unitSteps: map[string]unitSums{},
	}
}

// Wants reports whether the report is about a call. Calls that it is not about may count in its forecast.
func (b *Builder) Wants(e attempt.Entry) bool {
	scope := b.facts.Scope
	return (scope.Run == "" || e.Run == scope.Run) && (scope.Job == "" || e.Job == scope.Job) &&
		(scope.Month == "" || cost.Month.Of(e.Time().UTC()) == scope.Month)
}

// job returns the job whose month is forecast, "" for all jobs.
func (b *Builder) job() string {
	if b.facts.Scope.Run == "" || len(b.facts.Runs) == 0 {
		return b.facts.Scope.Job
	}
	return jobOf(b.facts.Runs[0])
}

func jobOf(run checkpoint.Run) string { return cmp.Or(run.Job, run.Name) }

// Add adds a call.
func (b *Builder) Add(c Call) {
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
		b.errors[Error{State: c.State.String(), Reason: c.Reason}]++
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
func valuesOf(c Call) int64 {
	if isPage(c) {
		return 0
	}
	return count(c.Returned)
}

func (b *Builder) catalogue(c Call) enrich.Catalogue { return b.catalogueOf(c.Account) }

// catalogueOf returns the catalogue of an account, an empty one where it is not known.
func (b *Builder) catalogueOf(account attempt.Account) enrich.Catalogue {
	if int(account) < len(b.facts.Catalogues) {
		return b.facts.Catalogues[account]
	}
	return enrich.Catalogue{}
}

// addCharge adds what a call was charged for: by field and price, or as the service reported it.
func (b *Builder) addCharge(c Call) {
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

func (b *Builder) addAnswer(c Call) {
	catalogue, found := b.catalogue(c), valuesOf(c)
	b.view.Answered++
	b.took = append(b.took, c.Ended.Sub(c.Begun))
	step := catalogue.Interface + " " + b.operation(c)
	if c.Pattern != "" && !isPage(c) {
		step += ", by " + c.Pattern
	}
	sumsOf(b.unitSteps, step).add(c)
	parts := []*Part{entryOf(b.steps, step)}
	if isPage(c) {
		b.view.Pages++
	} else {
		b.addFields(c)
		parts = append(parts, entryOf(b.companies, cmp.Or(c.Company, Unknown)))
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
func (b *Builder) addFields(c Call) {
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

func (b *Builder) addDoubt(c Call) {
	b.view.Held += c.Held
	if len(b.view.Doubts) == mostDoubts {
		b.view.MoreDoubts++
		return
	}
	held := unitSums{}
	held.add(c)
	b.view.Doubts = append(b.view.Doubts, Doubt{
		Attempt: uint64(c.ID), Run: c.Run, Begun: c.Begun.UTC(), Fields: b.catalogue(c).Words(c.Asked), Held: c.Held, Units: b.unitsOf(held),
	})
}

func (b *Builder) compare(c Call) {
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
func (b *Builder) Report() *Report {
	v := b.view
	v.SpentLeast = report.Least(v.Spent, b.mayBeFree)
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
	v.Waits = append([]runview.Waited{}, b.facts.Waits...)
	v.Errors = b.errorList()
	v.Seconds = seconds(b.took)
	v.Doubts = append([]Doubt{}, v.Doubts...)
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
