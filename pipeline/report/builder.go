package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// ReportFacts are what a report follows from, besides the calls.
type ReportFacts struct {
	Scope    ReportScope
	At       time.Time
	Runs     []checkpoint.Run // of the scope, in any order
	Waits    []Waited         // of the scope, the longest first
	Accounts Terms
	Open     checkpoint.OpenCalls // of the journal
	// DaysLeft is on how many days of the month something will still run; nil when no schedule tells.
	DaysLeft *int
	Plan     *Plan             // that the run followed; nil when it is not known
	Again    *checkpoint.Start // the last start of the run of the report; nil when it is not recorded
	Running  []string          // the names of the runs that run now
}

// UnknownPart is the name of a host that is not known.
const UnknownPart = "not known"

// ReportBuilder adds up calls in one pass, in all the ways that its views show them: Report and Spend.
type ReportBuilder struct {
	facts  ReportFacts
	view   *RunReport
	all    CallSum
	since  CallSum // those since the plan
	prices map[priceKey]int64
	// Parts of the calls by their names. Those of steps and of companies are answered.
	days, operations, outcomes, steps, companies, runSums map[string]*CallSum
	words                                                 map[string]fieldKey // of steps, by their names

	reported  map[fieldKey]*PricedQuantity
	fields    map[fieldKey]*ReportField
	pages     PagesFound
	mail      map[string]int64
	errors    map[ReportError]int64
	took      []time.Duration
	month     string                // that is forecast
	spendDays map[string]cost.Money // of the month
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
		days: map[string]*CallSum{}, operations: map[string]*CallSum{}, outcomes: map[string]*CallSum{}, steps: map[string]*CallSum{}, companies: map[string]*CallSum{},
		runSums: map[string]*CallSum{}, words: map[string]fieldKey{},
		pages: PagesFound{}, prices: map[priceKey]int64{}, reported: map[fieldKey]*PricedQuantity{}, fields: map[fieldKey]*ReportField{}, mail: map[string]int64{}, errors: map[ReportError]int64{},
		month: month, spendDays: map[string]cost.Money{},
	}
}

// Wants reports whether the report is about a call. Calls that it is not about may count in its forecast.
func (b *ReportBuilder) Wants(e attempt.Entry) bool {
	scope := b.facts.Scope
	return (scope.Run == "" || e.Run == scope.Run) && (scope.Job == "" || e.Job == scope.Job) &&
		(scope.Month == "" || cost.Month.Of(e.Begun.UTC()) == scope.Month)
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
	at := c.Begun.UTC() // a ceiling counts a call on the same day
	if job := b.job(); (job == "" || c.Job == job) && cost.Month.Of(at) == b.month {
		b.spendDays[at.Format(time.DateOnly)] += c.Charge.Money()
	}
	if !b.Wants(c.Entry) {
		return
	}
	b.all.Add(c)
	entryOf(b.days, at.Format(time.DateOnly)).Add(c)
	entryOf(b.operations, b.operation(c)).Add(c)
	entryOf(b.outcomes, outcomeOf(c)).Add(c)
	entryOf(b.runSums, c.Run).count(c)
	b.addCharge(c)
	if b.facts.Plan != nil && c.Begun.After(b.facts.Plan.At) {
		b.since.Add(c)
	}
	switch c.State {
	case attempt.Settled:
		b.addAnswer(c)
	case attempt.Released, attempt.Forfeited:
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

func (b *ReportBuilder) catalogue(c ReportCall) enrich.Catalogue {
	return b.facts.Accounts.of(c.Account).Catalogue
}

// operation names what a call asks for.
func (b *ReportBuilder) operation(c ReportCall) string {
	name := b.catalogue(c).Operation(c.Asked)
	if c.isPage() {
		name += ", pages of searches"
	}
	return name
}

// operationWords says what a call asks for, in words.
func (b *ReportBuilder) operationWords(c ReportCall) string {
	words := And(b.catalogue(c).WordsOf(c.Asked))
	if c.isPage() {
		words += ", pages of searches"
	}
	return words
}

// addCharge adds what a call was charged for: by field and price, or as the service reported it.
func (b *ReportBuilder) addCharge(c ReportCall) {
	catalogue := b.catalogue(c)
	key := func(f enrich.Field) fieldKey { return fieldKey{catalogue.Interface, catalogue.Name(f)} }
	if c.Charge.Reported {
		line := entryOf(b.reported, fieldKey{catalogue.Interface, b.operation(c)})
		line.Words = b.operationWords(c)
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
	b.took = append(b.took, c.Ended.Sub(c.Begun))
	step, words := b.catalogue(c).Interface+" "+b.operation(c), b.operationWords(c)
	if c.Pattern != "" && !c.isPage() {
		step += ", by " + c.Pattern
		words += ", by " + strings.ReplaceAll(c.Pattern, "_", " ")
	}
	b.words[step] = fieldKey{b.catalogue(c).Interface, words}
	entryOf(b.steps, step).Add(c)
	if c.isPage() {
		b.view.Pages++
		for f := range c.Asked.Each() {
			b.pages.Add(c.Account, b.catalogue(c).Name(f), c.Returned.Has(f))
		}
	} else {
		b.addFields(c)
		entryOf(b.companies, cmp.Or(c.Company, UnknownPart)).count(c)
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
		field.Words, field.Plural = catalogue.Word(f), catalogue.Plural(f)
		field.Rate.Of++
		if c.Returned.Has(f) {
			field.Rate.Found++
		}
	}
}

// mostDoubts is how many calls in doubt are listed.
const mostDoubts = 20

func (b *ReportBuilder) addDoubt(c ReportCall) {
	if len(b.view.Doubts) == mostDoubts {
		b.view.MoreDoubts++
		return
	}
	b.view.Doubts = append(b.view.Doubts, ReportDoubt{
		Attempt: uint64(c.ID), Run: c.Run, Begun: c.Begun.UTC(), Fields: b.catalogue(c).Words(c.Asked),
		Held: c.Held.Money(), Units: b.facts.Accounts.of(c.Account).units(&meterSum{}, c.Held),
	})
}

// Report returns the report on the calls that were added.
func (b *ReportBuilder) Report() *RunReport {
	v := b.view
	v.Calls, v.Answered, v.Found, v.Spent = b.all.Calls, b.all.Answered, b.all.Values, b.all.Charged
	v.SpentLeast = Least(v.Spent, b.all.MayBeFree)
	v.PerValue = b.facts.perValue(&b.all)
	for _, amounts := range b.all.held(b.facts.Open) {
		v.Held += amounts.Money()
	}
	v.Runs, v.Again = b.runs(), b.facts.Again
	v.Stages, v.Mismatches = b.stages(), b.mismatches()
	v.Units = b.facts.units(&b.all)
	v.Days = b.dayList()
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
		v.Compared = &Compared{
			Lookups: plan.Rows.Lookup, Maximum: plan.Maximum, Expected: plan.Expected, Range: plan.ExpectedRange,
			Calls: b.since.Calls, Answered: b.since.Answered, Spent: b.since.Charged,
		}
	}
	v.Missing = b.missing()
	return v
}

func sortedKeys[V any](entries map[string]V) []string {
	keys := make([]string, 0, len(entries))
	for key := range entries {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
