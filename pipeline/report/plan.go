package report

import (
	"cmp"
	"slices"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/scan"
)

// PlanVersion is the version of the object that a plan is as JSON; its schema is
// docs/plan.schema.json.
const PlanVersion = 1

// Plan is a plan as it is shown, printed with --json and kept with --out. Its parts have no names in JSON.
type Plan struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"`
	Run     string    `json:"run"`
	Job     string    `json:"job"`
	PlanList
	PlanLookups
	PlanSpend
	PlanCeilings
	PlanSchedule
	PlanRates
	Sample *Sample `json:"sample,omitempty"`
	// Ambiguous says what earlier searches left ambiguous.
	Ambiguous   *Choices    `json:"ambiguous,omitempty"`
	AccountRead bool        `json:"account_read"`
	Refused     *RefusedNow `json:"refused_now,omitempty"`
	// Steps are there when there are several, or when one uses units.
	Steps PlanSteps `json:"steps,omitempty"`
	// Units are those that all steps together can use.
	Units []StepUnits `json:"units,omitempty"`
	// Limits are those of modules that are reached and that last.
	Limits []ReachedLimit `json:"limits,omitempty"`
}

// PlanList says how the list is read.
type PlanList struct {
	List          string            `json:"list"`
	Output        string            `json:"output,omitempty"`   // as it was given; "" where none was
	Lists         string            `json:"rows_are,omitempty"` // "company" for a list of companies
	Preset        string            `json:"preset,omitempty"`   // of the program whose export the list is
	MapFile       string            `json:"mapping_file,omitempty"`
	Columns       map[string]string `json:"columns"`
	Unused        []UnusedColumn    `json:"unused_columns,omitempty"`
	Held          []HeldColumn      `json:"held,omitempty"`
	DoubtfulNames int64             `json:"doubtful_names,omitempty"` // rows whose full name could be split in another way
	Placeholders  int64             `json:"placeholders,omitempty"`   // cells of wanted fields that hold one, such as "n/a"
	Below         []Below           `json:"below_rows,omitempty"`     // what the files have below their rows
	Encoding      string            `json:"encoding,omitempty"`       // of the list, when it is not UTF-8
	// EncodingGuessed says that the bytes of the list fit other encodings too.
	EncodingGuessed bool   `json:"encoding_guessed,omitempty"`
	Priority        string `json:"priority,omitempty"`
}

// PlanLookups has the rows by what a run would make of them, and the lookups.
type PlanLookups struct {
	Rows           RowCounts        `json:"rows"`
	Unidentifiable map[string]int64 `json:"unidentifiable,omitempty"`
	Lookups        map[string]int64 `json:"lookups"`
	Asks           []PlanAsk        `json:"asks,omitempty"` // the lookups by the fields that they ask for
	Fields         Values[int64]    `json:"fields"`
	// Erased are answers about subjects of the list that were erased. They are not bought again.
	Erased int64 `json:"answers_erased,omitempty"`
}

// PlanSpend says what the lookups cost.
type PlanSpend struct {
	FreeAllowance Values[int64] `json:"free_allowance"`
	Prices        Prices        `json:"prices"`
	Maximum       cost.Money    `json:"maximum_usd"`
	Split         MaximumSplit  `json:"maximum_split"`
	Expected      *cost.Money   `json:"expected_usd"`       // null without a history
	ExpectedRange *AmountRange  `json:"expected_range_usd"` // the same
	History       History       `json:"history"`
	SpentBefore   *SpentBefore  `json:"spent_before,omitempty"` // on the people of the list; left out for none
}

// PlanCeilings says what limits the lookups.
type PlanCeilings struct {
	Ceilings []Ceiling     `json:"ceilings"`
	Possible cost.Money    `json:"possible_usd"` // what the ceilings leave of the maximum
	Approval *PlanApproval `json:"approval,omitempty"`
	Complete *PlanComplete `json:"complete,omitempty"` // where a ceiling is too low
}

// PlanComplete says how many rows end with all values that they lack, if all are found. Duplicates do not count.
type PlanComplete struct {
	Rows int64 `json:"rows"`
	Of   int64 `json:"of"` // rows that lack something and are looked up
	// First is how many they are when rows are completed first, without a priority.
	First   int64 `json:"rows_complete_first"`
	IsFirst bool  `json:"complete_first,omitempty"` // they are
}

// PlanSchedule says how long the lookups take.
type PlanSchedule struct {
	Seconds     int64        `json:"seconds"`
	Rate        string       `json:"rate"`
	EndsAt      time.Time    `json:"ends_at"`
	Timed       *int64       `json:"timed_lookups,omitempty"` // lookups that the time is for; left out when the ceilings cover all
	PausedUntil *time.Time   `json:"paused_until,omitempty"`  // as the service has asked
	BudgetReset *BudgetReset `json:"budget_reset,omitempty"`
}

// PlanRates compares the options of the rate card.
type PlanRates struct {
	Option   string       `json:"option"` // "" when the prices do not name one
	Options  []PlanOption `json:"options"`
	MayPayBy []string     `json:"may_pay_by,omitempty"` // the options with these prices
}

// Below is what a file of the list has below its rows: totals and notes.
type Below struct {
	File string `json:"file"`
	Line int64  `json:"line"` // of its first row
	Rows int    `json:"rows"`
}

// BelowOf returns what the files of a list have below their rows.
func BelowOf(feet []table.Foot) (below []Below) {
	for _, foot := range feet {
		below = append(below, Below(foot))
	}
	return below
}

// IsDone reports whether an earlier start of this run, or another run, asked for all that the list
// misses, and nothing is in doubt or forfeited.
func (v *Plan) IsDone() bool {
	return v.Rows.Answered > 0 && v.allLookups()+v.Rows.InDoubt+v.Rows.Forfeited+v.Rows.NotAttempted == 0
}

// PossibleUnits returns what the ceilings leave of the units that all steps together can use.
func (v *Plan) PossibleUnits() []StepUnits {
	possible := slices.Clone(v.Units)
	for i := range possible {
		for _, ceiling := range v.Ceilings {
			if ceiling.Meter == possible[i].Meter && ceiling.LeftUnits != nil {
				possible[i].Most = min(possible[i].Most, max(*ceiling.LeftUnits, 0))
			}
		}
	}
	return possible
}

// TakesMoney reports whether the lookups of the plan have prices: of fields, or of units.
func (v *Plan) TakesMoney() bool { return len(v.Prices.USD)+len(v.Prices.Units) > 0 }

// Covered returns how many of the lookups the ceilings certainly cover.
func (v *Plan) Covered() int64 {
	for _, ceiling := range v.Ceilings {
		if ceiling.Binding {
			return ceiling.Covers
		}
	}
	return v.allLookups()
}

// allLookups returns how many lookups the steps have together.
func (v *Plan) allLookups() int64 {
	if len(v.Steps) == 0 {
		return v.Rows.Lookup
	}
	return v.Steps.Lookups()
}

// RowCounts are the rows by what a run would make of them. They add up to Total.
type RowCounts struct {
	Total          int64 `json:"total"`
	Lookup         int64 `json:"lookup"`
	Answered       int64 `json:"answered"`
	Filled         int64 `json:"filled"`
	Duplicate      int64 `json:"duplicate"`
	Unidentifiable int64 `json:"unidentifiable"`
	Rejected       int64 `json:"rejected"`
	InDoubt        int64 `json:"in_doubt"`
	Forfeited      int64 `json:"forfeited"`
	NotAttempted   int64 `json:"not_attempted"`
	Forgotten      int64 `json:"forgotten,omitempty"` // on request, with "batch forget"
}

// Prices has the price of a returned field and its source.
type Prices struct {
	Source        string             `json:"source"`
	USD           Values[cost.Money] `json:"usd"`
	Units         Values[cost.Money] `json:"units_usd,omitempty"` // of modules, by their names
	Disagreements []string           `json:"disagreements,omitempty"`
}

// MaximumSplit says what the maximum is paid from, in the order of use. What the
// account does not show is null.
type MaximumSplit struct {
	Free      Values[int64] `json:"free"` // fields
	Included  *cost.Money   `json:"included_usd"`
	Prepaid   *cost.Money   `json:"prepaid_usd"`
	Uncovered *cost.Money   `json:"uncovered_usd"` // beyond the balance
}

// PlanApproval says whether the run needs approval.
type PlanApproval struct {
	Threshold cost.Money  `json:"threshold_usd"`
	Needed    bool        `json:"needed"`                 // more than the threshold is possible
	Approved  *cost.Money `json:"approved_usd,omitempty"` // for this start; left out when nothing was
	// Asks says that the program asks for the approval after the plan.
	Asks bool `json:"-"`
}

// RefusedNow is why the service would refuse the lookups now, as far as the account
// tells: no money, no access, no price.
type RefusedNow struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// BudgetReset is the end of the usage budget's month, which comes before the run's.
type BudgetReset struct {
	At            time.Time `json:"at"`
	LookupsBefore int64     `json:"lookups_before"` // at most
}

// PlanOption is what the list would cost by an option of the rate card.
type PlanOption struct {
	Name    string     `json:"name"`
	Monthly cost.Money `json:"monthly_usd"`
	// Maximum is for the lookups; Total has the month's fee with what it includes.
	// They are null when the option has no price for a field.
	Maximum  *cost.Money `json:"maximum_usd"`
	Total    *cost.Money `json:"total_usd"`
	Cheapest bool        `json:"cheapest"` // by Total
	// Expected is what the total will likely be; null without a history.
	Expected         *cost.Money `json:"expected_usd"`
	CheapestExpected bool        `json:"cheapest_expected"`
}

func RowCountsOf(c scan.Counts) RowCounts {
	rows := RowCounts{
		Total: c.Rows, Lookup: c.Lookup, Answered: c.Answered, Filled: c.Filled, Duplicate: c.Duplicates,
		Rejected: c.Rejected, InDoubt: c.InDoubt, Forfeited: c.Forfeited, NotAttempted: c.Skipped, Forgotten: c.Forgotten,
	}
	for _, n := range c.Unidentifiable {
		rows.Unidentifiable += n
	}
	return rows
}

// AmountRange is a range of amounts that holds the real one with 95 % certainty.
type AmountRange struct {
	Low  cost.Money `json:"low"`
	High cost.Money `json:"high"`
}

// History says for which Kinds of lookups this journal has no match rates of
// their own.
type History struct {
	// None says that no kind has match rates.
	None    bool     `json:"none,omitempty"`
	Missing []string `json:"missing"` // none at all
	// Borrowed have those of the same operation by the other identity.
	Borrowed []string `json:"borrowed"`
	// PricedUnits says that units of modules cost money, which match rates do not tell.
	PricedUnits bool `json:"priced_units,omitempty"`
}

// Sample is a paid sample that the plan proposes. It shows the match rates before the whole list is paid for. Its
// subjects go through all steps.
type Sample struct {
	Persons int64      `json:"persons"`
	Lookups int64      `json:"lookups"`
	UpTo    bool       `json:"up_to,omitempty"` // answers of the first step decide how many there are
	Maximum cost.Money `json:"maximum_usd"`
	// Units are those that the sample uses at most.
	Units []StepUnits `json:"units,omitempty"`
	// WidthAfter is about how far the ends of the expected range will lie apart after
	// the sample; null when the sample leaves a kind of lookups out.
	WidthAfter *cost.Money `json:"range_after_usd"`
	Command    string      `json:"command"`

	Words    []string   `json:"-"` // of the command, as a shell reads them
	MaxSpend cost.Money `json:"-"` // that the sample needs
	// MaxUnits are the limits on units that the sample needs, by the names of the meters.
	MaxUnits map[string]int64 `json:"-"`
	// TakesMoney says that the sample can cost money.
	TakesMoney bool `json:"-"`
}

// PricesOf shows what the wanted fields of a catalogue cost.
func PricesOf(c enrich.Catalogue, quote cost.Quote) Prices {
	view := Prices{Source: quote.Source(c), USD: Values[cost.Money]{}}
	for f := range c.All().Each() {
		if price, known := quote.Prices[f]; known {
			view.USD = append(view.USD, Value[cost.Money]{Name: c.Name(f), Value: price})
		}
	}
	for _, disagreement := range quote.Disagreements {
		view.Disagreements = append(view.Disagreements, disagreement.Sentence(c))
	}
	return view
}

// NoPrices says that no field has a price.
func NoPrices() Prices { return Prices{USD: Values[cost.Money]{}} }

// AddUnit adds what a unit of a module costs.
func (v *Prices) AddUnit(module string, price cost.Money) {
	const source = "the prices of units"
	switch {
	case v.Source == "":
		v.Source = source
	case len(v.Units) == 0:
		v.Source += " and " + source
	}
	v.Units = append(v.Units, Value[cost.Money]{Name: module, Value: price})
}

// PlanAsk says how many lookups ask for a set of fields.
type PlanAsk struct {
	Words   []string `json:"words"` // for the fields
	Lookups int64    `json:"lookups"`
}

// AsksOf shows the lookups of a workload, those that ask for most fields first.
func AsksOf(c enrich.Catalogue, lookups cost.Workload) (asks []PlanAsk) {
	for fields, n := range lookups {
		if n > 0 {
			asks = append(asks, PlanAsk{c.WordsOf(fields), n})
		}
	}
	slices.SortFunc(asks, func(a, b PlanAsk) int {
		return cmp.Or(cmp.Compare(len(b.Words), len(a.Words)), slices.Compare(b.Words, a.Words))
	})
	return asks
}

// OptionsOf shows what the list would cost by every option of the rate card.
func OptionsOf(costs []cost.OptionCost) []PlanOption {
	options := []PlanOption{} // a plan without options has an empty list
	for _, c := range costs {
		options = append(options, PlanOption{
			Name: c.Option.Name, Monthly: c.Option.MonthlyIncluded,
			Maximum: Known(c.Usage), Total: Known(c.Total), Cheapest: c.Cheapest,
		})
	}
	return options
}

// FreeOf says how many of the wanted fields the free allowance pays for.
func FreeOf(c enrich.Catalogue, wanted enrich.Fields, asked enrich.ByField[int64], free cost.Allowances) Values[int64] {
	units := Values[int64]{}
	for f := range wanted.Each() {
		units = AddCount(units, c.Name(f), min(asked[f], max(free[f], 0)))
	}
	return units
}

// MaximumSplitOf says what the maximum is paid from (specification v1, "Allowances and rate card").
func MaximumSplitOf(
	c enrich.Catalogue, wanted enrich.Fields, maximum cost.Money, asked enrich.ByField[int64], free cost.Allowances, balance cost.Balance,
) MaximumSplit {
	split := MaximumSplit{Free: FreeOf(c, wanted, asked, free)}
	if !balance.Included.Known {
		return split
	}
	included := min(maximum, balance.Included.Value)
	split.Included = &included
	if balance.Prepaid.Known {
		prepaid := min(maximum-included, balance.Prepaid.Value)
		uncovered := maximum - included - prepaid
		split.Prepaid, split.Uncovered = &prepaid, &uncovered
	}
	return split
}
