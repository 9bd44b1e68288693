package cost

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"payonce/enrich"
)

// Result is a reconcile result: what the account proves about a lost call.
type Result uint8

// The reconcile results.
const (
	Undecided  Result = iota // the account proves nothing
	NotCharged               // the account lost too little for any field of the call
	Charged                  // the account is exclusive, and every exact explanation charges the same fields
)

// String returns the result in words.
func (r Result) String() string {
	switch r {
	case NotCharged:
		return "not charged"
	case Charged:
		return "charged"
	default:
		return "undecided"
	}
}

// CallResult is the reconcile result of one lost call.
type CallResult struct {
	Result Result
	Fields enrich.Fields // the fields that were charged, when the result is Charged
}

// Evidence is what the account and the journal say about the time between two
// idle snapshots: moments in which no call was in flight and nothing reserved.
//
// Allowance and balance belong to the workspace (specification v1, "What the service
// does"). Others can spend them too, at any price and at any time. They can only add
// to what the account lost. So the change between the snapshots is an upper bound of
// what this journal's calls cost, and equals it only on an exclusive account.
//
// Evidence assumes that both snapshots show all that was charged before them, that the
// account charges the given prices, and that it takes back no charge.
type Evidence struct {
	Base, Now Account
	Booked    Totals // by the journal, between the snapshots
	Tariff    Tariff // of the account's interface
	Rates     Rates  // of all that was charged in between
	// Exclusive: the user declares that no others use the account.
	Exclusive bool
	// CreditAdded says that a reading between the snapshots showed new credit.
	CreditAdded bool
	// Seen is what readings between the snapshots showed, and Pace the most calls that others can have sent.
	Seen Seen
	Pace Pace
	// Lost are the operations of the lost calls, and Answered counts the calls of operations that were counted.
	// Confirmed are the operations whose modules earlier answers confirmed, and Spans the meters of time spans that
	// they did.
	Lost      []Operation
	Answered  map[Operation]int64
	Confirmed []Operation
	Spans     Meters
	// Assumed: a part of what is booked was decided by a user and not by evidence.
	Assumed bool
}

// Change is what an account lost between two snapshots, to this journal and to others.
type Change struct {
	Lost Amounts // of each meter of Shown
	// Shown are the meters of which the snapshots show what was lost. They do not show it of a counter that one of
	// them leaves out, of modules when a period may have ended in between, of a module that is only assumed when
	// another counter rose without explanation, and of a time span that no answer has moved yet.
	Shown Meters
	// BeganAgain says that a period may have ended in between, so that the counters began again at zero.
	BeganAgain bool
	// Unproved is an operation of a lost call that may count on another module than is assumed; "" for none.
	Unproved string
	// Exact says that the money of Lost is what was spent. Otherwise it is an upper bound: credit
	// that expired is part of it.
	Exact bool
}

// count returns the length of slices by field.
func (e Evidence) count() (length int) {
	for f := range e.Rates {
		length = max(length, int(f)+1)
	}
	return length
}

// Change returns what the account lost. The reason is not empty when the snapshots do
// not tell, or when something may have hidden a part of the loss.
func (e Evidence) Change() (change Change, why string) {
	change, why = e.moved()
	if why != "" {
		return change, why
	}
	_, spans := e.Confirm()
	unproved, name := e.unproved(change)
	change.Unproved = name
	change.Shown &^= unproved | e.Tariff.counted(CountsSpan)&^(spans|e.Spans)
	if change.Shown == 0 {
		why = cmp.Or(e.whyNotShown(change), "the account status does not show what was used")
	}
	return change, why
}

// whyNotShown says why nothing is known of meters that both snapshots show; "" for no reason.
func (e Evidence) whyNotShown(change Change) string {
	switch {
	case change.BeganAgain:
		return "the counters of the account may have begun again since the last reading: they show no more than can have " +
			"been counted since then"
	case change.Unproved != "":
		return "a counter of the account rose without explanation, and no answered call has shown yet which module counts " +
			change.Unproved
	}
	return ""
}

// moved returns how the meters moved. Meters of Shown are those that the snapshots compare.
func (e Evidence) moved() (change Change, why string) {
	if !e.Base.Idle() || !e.Now.Idle() {
		return change, "calls were under way when the account was read"
	}
	if !e.Tariff.reservationsKnown(e.Base) || !e.Tariff.reservationsKnown(e.Now) {
		return change, "the account status does not show whether calls are under way"
	}
	change.Exact = true
	periods := e.Tariff.counted(CountsPeriod)
	change.BeganAgain = periods != 0 && !e.goesOn()
	for m := range e.Tariff.Shown().Each() {
		if m == USD {
			continue
		}
		_, free := e.Tariff.fieldOf(m)
		before, after := e.Tariff.between(e.Base, e.Now, m)
		lost := before.Value - after.Value
		switch known := before.Known && after.Known; {
		case free && !known:
			return change, "the account status does not show the free allowance"
		case free && lost < 0:
			return change, "the free allowance has grown in between"
		case free && e.mayBeRenewed() != "":
			return change, e.mayBeRenewed()
		case change.BeganAgain && periods.Has(m):
		case known && lost >= 0 && e.idleOf(m):
			change.Lost[m], change.Shown = lost, change.Shown|MetersOf(m)
		}
	}
	if e.Tariff.Shown().Has(USD) {
		var money Money
		money, change.Exact, why = e.moneyLost()
		change.Lost[USD], change.Shown = int64(money), change.Shown|MetersOf(USD)
	}
	return change, why
}

// idleOf reports whether both snapshots show that no call under way holds something of a meter.
func (e Evidence) idleOf(m Meter) bool {
	_, free := e.Tariff.fieldOf(m)
	return free || e.Base.Reserved[m].Known && e.Now.Reserved[m].Known
}

// notShown returns the name of a meter that calls for the fields can consume and that the account does not show,
// "" when there is none.
func (e Evidence) notShown(fields enrich.Fields, change Change) string {
	for f := range fields.Each() {
		for m := range (e.Rates[f].most().Meters() & e.Tariff.Shown() &^ change.Shown).Each() {
			return e.Tariff.Meters[m].Name
		}
	}
	return ""
}

// moneyLost returns what the account paid between the snapshots. Deposits and renewals
// do not change what the budget counts as spent, so the budget is used before the balance while
// both snapshots lie in one period of the budget.
func (e Evidence) moneyLost() (most Money, exact bool, why string) {
	before, after := e.Base, e.Now
	fell := before.Balance.Available.Value - after.Balance.Available.Value
	balanceKnown := before.Balance.Available.Known && after.Balance.Available.Known
	if before.Budget.samePeriod(after.Budget) {
		spent := after.Budget.Spent.Value - before.Budget.Spent.Value
		switch {
		case spent < 0:
			return 0, false, "the budget counts less as spent than before"
		case balanceKnown && fell > spent:
			return fell, false, ""
		}
		return spent, true, ""
	}
	switch {
	case !balanceKnown:
		return 0, false, "the account status does not show what was spent"
	case e.CreditAdded || after.Gained(before) || grew(before.Balance.Included, after.Balance.Included) ||
		grew(before.Balance.Prepaid, after.Balance.Prepaid):
		return 0, false, "credit was added in between"
	case before.mayRenewBefore(after):
		return 0, false, "the included balance may have been renewed in between"
	}
	return fell, true, ""
}

// grew reports whether a part of the balance is known to have become more.
func grew(before, after Optional[Money]) bool {
	return before.Known && after.Known && after.Value > before.Value
}

// samePeriod reports whether two snapshots of a budget count in one period.
func (b Budget) samePeriod(later Budget) bool {
	return b.Spent.Known && later.Spent.Known && !b.ResetsAt.IsZero() && b.ResetsAt.Equal(later.ResetsAt)
}

// mayRenewBefore reports whether the included balance can have been renewed before a
// later snapshot: it is taken to be renewed at the start of a month, UTC.
func (a Account) mayRenewBefore(later Account) bool {
	none := a.Balance.Included == Known(Money(0)) && later.Balance.Included == Known(Money(0))
	return !none && monthOf(a.ReadAt.Add(-readAccuracy)) != monthOf(later.ReadAt.Add(readAccuracy))
}

// readAccuracy is more than a snapshot can be older or newer than its time: a response is
// on its way for less, and its header has the time to the second.
const readAccuracy = time.Minute

func monthOf(at time.Time) string { return at.UTC().Format("2006-01") }

// Unexplained returns what the account lost between two snapshots beyond what the journal booked,
// of the meters that it shows. An amount is negative when the journal booked more. The reason says
// why it is not known when the snapshots do not show enough.
func (e Evidence) Unexplained() (difference Amounts, why string) {
	change, why := e.Change()
	if why != "" {
		return Amounts{}, why
	}
	return change.Lost.Minus(e.Booked.Settled).Only(change.Shown), ""
}

// usable returns the change when the evidence can be used. Otherwise it returns the reason.
func (e Evidence) usable() (change Change, why string) {
	change, why = e.Change()
	switch {
	case why != "":
	case !e.ratesHeld():
		why = "the prices changed in between"
	case !e.pricesShown():
		why = "the service's prices are not those of the rate card"
	case !e.movement(change, e.Booked.Returned, enrich.ByField[int64]{}).fits():
		why = "the account lost less than the answers cost: credit was added, or something was refunded"
	}
	return change, why
}

// sure returns what the journal booked for fields without an allowance. These charges are known. A
// charge of a field with an allowance may be free or not.
func (e Evidence) sure() Amounts {
	sure := e.Booked.Settled
	for f, rate := range e.Rates {
		if m := rate.Allowance; m != USD {
			free := e.Booked.Settled[m]
			sure = sure.Minus(rate.Free().Times(free)).Minus(rate.most().Times(e.Booked.Charged[f] - free))
		}
	}
	return sure
}

// ratesHeld reports whether all that was booked was booked at the rates. What calls consume with any
// result does not follow from the fields that were charged: the interface reported it.
func (e Evidence) ratesHeld() bool {
	var least, most, calls Amounts
	for f, rate := range e.Rates {
		calls = calls.Most(rate.Call)
		if rate.Allowance != USD {
			continue
		}
		uses := rate.Uses.Times(e.Booked.Charged[f])
		most = most.Plus(uses)
		for m := range rate.Varies.Each() {
			uses[m] = 0
		}
		least = least.Plus(uses)
	}
	sure := e.sure()
	for m, reported := range calls {
		if reported > 0 {
			least[m], sure[m], most[m] = 0, 0, 0
		}
	}
	return least.Within(sure) && sure.Within(most)
}

// pricesShown reports whether the prices are those that the service shows, as far
// as it shows any.
func (e Evidence) pricesShown() bool {
	for _, account := range []Account{e.Base, e.Now} {
		for f, rate := range e.Rates {
			price := rate.Price()
			if shown := account.PriceShown(f); shown.Known && shown.Value != price && !rounded(price, shown.Value) {
				return false
			}
		}
	}
	return true
}

// Reconcile decides on calls that were lost between the snapshots, by the fields that
// each asked for.
//
// A field is proved not charged when its charge does not fit within the change, even
// if no other lost call cost anything and the answers used every free unit that is
// gone. A call is NotCharged when that holds for each of its fields.
//
// On an exclusive account an explanation says for every lost call which of its fields
// were charged, and fits when it makes up the change exactly. A call is decided when all
// explanations that fit agree on it. If none fits, others did use the account, and
// the account is taken as shared.
//
// The reason says why some calls are undecided. It is empty when all are decided.
func (e Evidence) Reconcile(asked []enrich.Fields) (results []CallResult, why string) {
	results = make([]CallResult, len(asked))
	change, why := e.usable()
	if why != "" {
		return results, why
	}
	lost := lostCalls(asked)
	for f, calls := range lost {
		if _, known := e.Rates[enrich.Field(f)]; calls > 0 && !known {
			return results, "the price of a lost call is not known"
		}
	}
	exact := explanations{complete: true} // and none is found
	if e.Exclusive && change.Exact && change.Unproved == "" && !e.anyShares(asked) {
		exact = e.movement(change, e.Booked.Charged, lost).explain()
	}
	common := exact
	if !exact.found {
		common = e.bound(change)
	}
	for i, fields := range asked {
		results[i] = common.reconcile(fields, lost)
		if results[i].Result == Undecided {
			why = e.whyUndecided(exact, asked)
			if name := e.notShown(fields, change); name != "" {
				why = cmp.Or(e.whyNotShown(change), "the account does not show what was used of "+name)
			}
		}
	}
	return results, why
}

// anyShares reports whether one of the calls asks for several fields that share what it consumes. Explanations
// add up what each field consumes, so they do not show such calls.
func (e Evidence) anyShares(asked []enrich.Fields) bool {
	for _, fields := range asked {
		sharing := 0
		for f := range fields.Each() {
			if e.Rates[f].Call != (Amounts{}) {
				sharing++
			}
		}
		if sharing > 1 {
			return true
		}
	}
	return false
}

// lostCalls counts the lost calls that ask for each field.
func lostCalls(asked []enrich.Fields) (lost enrich.ByField[int64]) {
	for _, fields := range asked {
		for f := range fields.Each() {
			lost[f]++
		}
	}
	return lost
}

// whyUndecided says why calls stay undecided although the evidence can be used.
func (e Evidence) whyUndecided(exact explanations, asked []enrich.Fields) string {
	switch {
	case !exact.complete:
		return "there are too many lost calls to compare every explanation with what the account lost"
	case e.Exclusive && e.anyShares(asked):
		return "the account lost enough for a charge; it does not show which fields of a call were charged"
	case exact.found:
		return "more than one explanation fits what the account lost"
	case e.Exclusive:
		return "the account lost something else: others use it, although it is declared exclusive"
	default:
		return "the account lost enough for a charge, and somebody else may have used it"
	}
}

// movement returns the change with the charges that can have caused it. Certain are those of fields
// with an allowance that belong to calls whose outcome is known; those of other fields are sure. The
// account is the same whichever of the calls that ask for a field was charged, so only their number
// counts.
func (e Evidence) movement(change Change, certain, lost enrich.ByField[int64]) movement {
	shown, sure := change.Shown, e.sure()
	var m movement
	grain := int64(1)
	for f := range enrich.Field(e.count()) {
		rate := e.Rates[f]
		c := charges{most: lost[f]}
		if rate.Allowance != USD {
			c.certain = certain[f]
		} else {
			sure = sure.Minus(rate.most().Times(e.Booked.Charged[f] - certain[f]))
		}
		if rate.Price()%Cent != 0 {
			grain = int64(Cent) // the account status shows whole cents
		}
		for _, way := range rate.ways(shown) {
			c.ways = append(c.ways, shown.pick(way))
		}
		m.charges = append(m.charges, c)
	}
	m.lost, m.sure = shown.pick(change.Lost), shown.pick(sure.Most(Amounts{}))
	m.grain = slices.Repeat([]int64{1}, len(m.lost))
	if shown.Has(USD) {
		m.grain[0] = grain
	}
	return m
}

// pick returns the amounts of the meters of the set.
func (s Meters) pick(a Amounts) (picked []int64) {
	for m := range s.Each() {
		picked = append(picked, a[m])
	}
	return picked
}

// bound returns what the change proves as an upper bound: fields that no lost call can have been
// charged. It never proves a charge.
func (e Evidence) bound(change Change) explanations {
	m := e.movement(change, e.Booked.Returned, enrich.ByField[int64]{})
	common := explanations{least: make([]int64, e.count()), most: make([]int64, e.count())}
	for f := range common.most {
		if m.fits(f) {
			common.most[f] = 1
		}
	}
	return common
}

// MostInDoubt returns the most that the lost calls can have been charged together of each meter: what
// the account lost, less the least that the certain charges cost. It is not known when the evidence
// cannot be used. A meter that the account does not show has no such limit.
func (e Evidence) MostInDoubt(certain enrich.ByField[int64]) (most Amounts, known bool) {
	change, why := e.usable()
	if why != "" {
		return Amounts{}, false
	}
	for m := range most {
		most[m] = math.MaxInt64
	}
	m := e.movement(change, certain, enrich.ByField[int64]{})
	i := 0
	for meter := range change.Shown.Each() {
		lost := m.lost[i]
		least := sort.Search(int(lost), func(less int) bool {
			m.lost[i] = int64(less)
			return m.fits()
		})
		m.lost[i] = lost
		most[meter] = lost - int64(least) + m.grain[i] - 1
		i++
	}
	return most, true
}

// rounded reports whether two amounts can be one: the account status shows whole cents,
// which leaves room only for an amount that has a fraction of a cent.
func rounded(amount, shown Money) bool { return rounds(int64(amount), int64(shown), int64(Cent)) }

// reconcile decides one call by what all explanations have in common. They all charge a field when
// the least number includes every lost call that asks for it. None does when the highest number
// is zero.
func (e explanations) reconcile(asked enrich.Fields, lost enrich.ByField[int64]) CallResult {
	var charged enrich.Fields
	for f := range asked.Each() {
		switch {
		case e.least[f] == lost[f]:
			charged = charged.With(f)
		case e.most[f] > 0:
			return CallResult{Result: Undecided}
		}
	}
	if charged == 0 {
		return CallResult{Result: NotCharged}
	}
	return CallResult{Result: Charged, Fields: charged}
}
