package report

import (
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/cost"
)

// ValuesFound says how many values came back of those that were asked for.
type ValuesFound struct {
	Fields Values[FieldFound] `json:"fields"` // that were asked for
	// PerValue is what was spent for each value; null when none was found, or where no money was taken.
	PerValue *cost.Money `json:"per_value_usd"`
}

// FoundBy shows what accounts found, and what a value cost.
func FoundBy(accounts AccountsUsage) ValuesFound {
	return ValuesFound{Fields: accounts.Found(), PerValue: accounts.PerValue()}
}

// fields writes the counts by field.
func (v ValuesFound) fields() string { return foundText(v.Fields) }

func (v ValuesFound) String() string {
	text := v.fields()
	if v.PerValue == nil {
		return text
	}
	return text + "; " + RoundedUSD(*v.PerValue) + " per value"
}

// PagesFound counts answered pages of searches, by account and by the field that the journal books them on. The sums of
// an account count them as values of that field, although they are not values.
type PagesFound map[attempt.Account]map[string]FieldFound

// Add counts a page.
func (p PagesFound) Add(account attempt.Account, field string, hasResults bool) {
	if p[account] == nil {
		p[account] = map[string]FieldFound{}
	}
	sum := p[account][field]
	if sum.Asked++; hasResults {
		sum.Found++
	}
	p[account][field] = sum
}

// Number returns how many pages there are.
func (p PagesFound) Number() (n int64) {
	for _, fields := range p {
		for _, sum := range fields {
			n += sum.Asked
		}
	}
	return n
}

// TakeFrom subtracts the pages from what accounts found.
func (p PagesFound) TakeFrom(accounts AccountsUsage) {
	for a := range accounts {
		account := &accounts[a]
		for i := range account.Found {
			pages := p[attempt.Account(account.Number)][account.Found[i].Name]
			account.Found[i].Value.Asked -= pages.Asked
			account.Found[i].Value.Found -= pages.Found
		}
		account.Found = slices.DeleteFunc(account.Found, func(one Value[FieldFound]) bool { return one.Value.Asked <= 0 })
	}
}
