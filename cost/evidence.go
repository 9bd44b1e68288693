package cost

import "payonce/enrich"

// Finding says what the account proves about a lost call.
type Finding uint8

// The findings.
const (
	Undecided  Finding = iota // the account proves nothing
	NotCharged                // no explanation of the account charges the call
	Charged                   // every explanation charges the same fields of the call
)

// String returns the finding in words.
func (f Finding) String() string {
	switch f {
	case NotCharged:
		return "not charged"
	case Charged:
		return "charged"
	default:
		return "undecided"
	}
}

// Judgement is the finding on one lost call.
type Judgement struct {
	Finding Finding
	Fields  enrich.Fields // the fields that were charged, when the finding is Charged
}

// Evidence is what the account and the journal say about the time between two
// quiet snapshots: moments in which no call was in flight and nothing reserved.
type Evidence struct {
	Base, Now Account
	Booked    Totals // by the journal, between the snapshots
	Prices    Prices // of all that was charged in between
}

// Unexplained is what the account lost between two snapshots beyond what the
// journal booked. A part is negative when the journal booked more.
type Unexplained struct {
	Free  [enrich.NumFields]int64
	Money Money
}

// Unexplained returns the difference between the account and the journal, and
// why it cannot be told when the snapshots do not say enough.
func (e Evidence) Unexplained() (difference Unexplained, why string) {
	if !e.Base.Quiet() || !e.Now.Quiet() {
		return difference, "calls were under way when the account was looked at"
	}
	if !e.Base.ReservationsKnown() || !e.Now.ReservationsKnown() {
		return difference, "the account status does not tell whether calls are under way"
	}
	for f := range difference.Free {
		if !e.Base.Free[f].Known || !e.Now.Free[f].Known {
			return difference, "the account status does not tell the free allowance"
		}
		difference.Free[f] = e.Base.Free[f].Value - e.Now.Free[f].Value - e.Booked.FreeUsed[f]
	}
	lost, known := e.moneyLost()
	if !known {
		return difference, "the account status does not tell what was spent, or contradicts itself"
	}
	difference.Money = lost - e.Booked.Settled
	return difference, ""
}

// moneyLost returns what the account paid between the snapshots. What the budget
// counts as spent is not moved by deposits, so it goes before the balance, as long
// as both snapshots lie in one period of the budget and the balance did not fall by
// more than that.
func (e Evidence) moneyLost() (Money, bool) {
	before, after := e.Base, e.Now
	fell := before.Balance.Available.Value - after.Balance.Available.Value
	balanceKnown := before.Balance.Available.Known && after.Balance.Available.Known
	if !before.Budget.Spent.Known || !after.Budget.Spent.Known ||
		before.Budget.ResetsAt.IsZero() || !before.Budget.ResetsAt.Equal(after.Budget.ResetsAt) {
		return fell, balanceKnown
	}
	spent := after.Budget.Spent.Value - before.Budget.Spent.Value
	return spent, !balanceKnown || fell <= spent
}

// pricesShown reports whether the prices are those that the service shows, as far
// as it shows any.
func (e Evidence) pricesShown() bool {
	for _, account := range []Account{e.Base, e.Now} {
		for f, price := range e.Prices {
			if shown := account.PriceShown(f); shown.Known && shown.Value != price {
				return false
			}
		}
	}
	return true
}

// Judge decides on calls that were lost between the snapshots, by the fields that
// each asked for. An explanation says for every lost call which of its fields were
// charged; it fits when the account lost just what the answered calls and the
// charged lost ones take, whichever of them got the free units. A call is decided
// only when all explanations that fit agree on it. Without one that fits, somebody
// else uses the workspace and nothing is decided; why says so.
func (e Evidence) Judge(asked []enrich.Fields) (judgements []Judgement, why string) {
	judgements = make([]Judgement, len(asked))
	if _, why := e.Unexplained(); why != "" {
		return judgements, why
	}
	if !e.pricesHeld() {
		return judgements, "the prices changed in between"
	}
	if !e.pricesShown() {
		return judgements, "the service's prices are not those of the rate card"
	}
	var most [enrich.NumFields]int64
	for _, fields := range asked {
		for f := range fields.Each() {
			most[f]++
		}
	}
	least, highest, fits := e.explain(most)
	if !fits {
		return judgements, "the account lost something else; somebody else may be using the workspace"
	}
	for i, fields := range asked {
		judgements[i] = judge(fields, most, least, highest)
		if judgements[i].Finding == Undecided {
			why = "more than one explanation fits"
		}
	}
	return judgements, why
}

// pricesHeld reports whether all that was booked was booked at the prices.
func (e Evidence) pricesHeld() bool {
	var booked Money
	for f := range e.Booked.Charged {
		booked += e.Prices[enrich.Field(f)].Times(e.Booked.Charged[f] - e.Booked.FreeUsed[f])
	}
	return booked == e.Booked.Settled
}

// explain finds how often each field can have been charged to lost calls, of which
// most ask for it: the least and the highest number over all explanations that
// fit. Which of the calls asking for a field was charged does not matter to the
// account, so explanations differ by these numbers alone.
func (e Evidence) explain(most [enrich.NumFields]int64) (least, highest [enrich.NumFields]int64, fits bool) {
	for emails := range most[enrich.WorkEmail] + 1 {
		for phones := range most[enrich.BusinessPhone] + 1 {
			counts := [enrich.NumFields]int64{enrich.WorkEmail: emails, enrich.BusinessPhone: phones}
			if !e.fits(counts) {
				continue
			}
			for f, n := range counts {
				if !fits || n < least[f] {
					least[f] = n
				}
				highest[f] = max(highest[f], n)
			}
			fits = true
		}
	}
	return least, highest, fits
}

// fits reports whether the account lost what it would have lost had the lost calls
// been charged so many fields.
func (e Evidence) fits(charged [enrich.NumFields]int64) bool {
	var paid Money
	for f, n := range charged {
		freeUsed := e.Base.Free[f].Value - e.Now.Free[f].Value
		withMoney := e.Booked.Charged[f] + n - freeUsed
		if freeUsed < 0 || withMoney < 0 {
			return false
		}
		paid += e.Prices[enrich.Field(f)].Times(withMoney)
	}
	lost, _ := e.moneyLost()
	// The account status rounds to cents; prices of whole cents leave no room.
	difference := paid - lost
	return difference == 0 || paid%Cent != 0 && difference > -Cent && difference < Cent
}

// judge decides one call by the numbers over all explanations. A field is charged
// in all of them when even the least number leaves no call out, and in none when
// the highest is zero.
func judge(asked enrich.Fields, most, least, highest [enrich.NumFields]int64) Judgement {
	var charged enrich.Fields
	for f := range asked.Each() {
		switch {
		case least[f] == most[f]:
			charged = charged.With(f)
		case highest[f] > 0:
			return Judgement{Finding: Undecided}
		}
	}
	if charged == 0 {
		return Judgement{Finding: NotCharged}
	}
	return Judgement{Finding: Charged, Fields: charged}
}
