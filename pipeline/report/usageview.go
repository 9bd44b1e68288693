// This file shows what each account found, what that cost, and the units that it used.

package report

import (
	"strings"

	"payonce/cost"
	"payonce/enrich"
)

// AccountsUsage are the accounts of a run, in the order of their numbers in the journal.
type AccountsUsage []AccountUsage

// AccountUsage is what one account found, cost and used.
type AccountUsage struct {
	Number    int                `json:"account"` // in the journal
	Interface string             `json:"interface"`
	Lookups   int64              `json:"lookups"` // that were answered
	Found     Values[FieldFound] `json:"found"`   // of the fields that were asked for
	// Spent and Held are null where the account takes no money.
	Spent *cost.Money `json:"spent_usd"`
	Held  *cost.Money `json:"held_usd"`
	Units []UsedUnits `json:"units,omitempty"`
	// Drift is what the account had lost beyond the journal when the run last ended.
	Drift *Drift `json:"drift,omitempty"`
}

// FieldFound counts the values of one field.
type FieldFound struct {
	Asked int64 `json:"asked"`
	Found int64 `json:"found"`
	// Words name several values in a text.
	Words string `json:"words,omitempty"`
	Word  string `json:"-"` // for one of them
}

// UsedUnits are those that were used of one meter.
type UsedUnits struct {
	Meter string `json:"meter"`
	Used  int64  `json:"used"`
	Held  int64  `json:"held"`
	// Limits are those that the user set, the narrowest first.
	Limits []UnitLimit `json:"limits,omitempty"`
}

// UnitLimit is a limit on units and what is left of it.
type UnitLimit struct {
	Name  string `json:"name"` // "max-units"
	Limit int64  `json:"limit"`
	Left  int64  `json:"left"`
}

// FieldsFound counts what was found of the fields that were asked for.
func FieldsFound(c enrich.Catalogue, asked, found enrich.ByField[int64]) Values[FieldFound] {
	values := Values[FieldFound]{}
	for f := range c.All().Each() {
		if asked[f] > 0 {
			values = append(values, Value[FieldFound]{Name: c.Name(f), Value: FieldFound{
				Asked: asked[f], Found: found[f], Words: c.Plural(f), Word: c.Word(f),
			}})
		}
	}
	return values
}

// JoinFound returns what was found by several accounts, those of one name as one.
func JoinFound(all ...Values[FieldFound]) Values[FieldFound] {
	sum := Values[FieldFound]{}
	for _, values := range all {
	next:
		for _, one := range values {
			for i := range sum {
				if sum[i].Name == one.Name {
					sum[i].Value.Asked += one.Value.Asked
					sum[i].Value.Found += one.Value.Found
					continue next
				}
			}
			sum = append(sum, one)
		}
	}
	return sum
}

// foundText writes how many values were found of each field.
func foundText(found Values[FieldFound]) string {
	var parts []string
	for _, one := range found {
		words := one.Value.Words
		if words == "" {
			words = one.Name
		}
		parts = append(parts, Textf("%s %d of %d", words, one.Value.Found, one.Value.Asked))
	}
	return strings.Join(parts, ", ")
}

// TakeMoney reports whether an account takes money.
func (a AccountsUsage) TakeMoney() bool {
	for _, account := range a {
		if account.Spent != nil {
			return true
		}
	}
	return false
}

// Found returns what all accounts found.
func (a AccountsUsage) Found() Values[FieldFound] {
	var all []Values[FieldFound]
	for _, account := range a {
		all = append(all, account.Found)
	}
	return JoinFound(all...)
}

// PerValue returns what was spent for each value of the accounts that take money, nil where there is none.
func (a AccountsUsage) PerValue() *cost.Money {
	var spent cost.Money
	var values int64
	for _, account := range a {
		if account.Spent == nil {
			continue
		}
		spent += *account.Spent
		for _, one := range account.Found {
			values += one.Value.Found
		}
	}
	return PerValue(spent, values)
}

// PerValue returns what each value cost, rounded; nil for no values.
func PerValue(spent cost.Money, values int64) *cost.Money {
	if values == 0 {
		return nil
	}
	perValue := (spent + cost.Money(values)/2) / cost.Money(values)
	return &perValue
}

// Render writes what each account found, where there are several, and the units that they used.
func (a AccountsUsage) Render(p *Page) {
	if len(a) > 1 {
		for _, account := range a {
			if text := foundText(account.Found); text != "" {
				p.Prosef("  by "+account.Interface, "%s%s", text, account.money())
			}
		}
	}
	a.RenderUnits(p)
}

// RenderDrift writes what others used of the accounts.
func (a AccountsUsage) RenderDrift(p *Page) {
	for _, account := range a {
		switch {
		case account.Drift == nil:
		case len(a) == 1:
			p.Alertf("drift", "%s", account.Drift)
		default:
			p.Alertf("drift of "+account.Interface, "%s", account.Drift)
		}
	}
}

// Drift returns the drift of all accounts together, nil for none.
func (a AccountsUsage) Drift() (sum *Drift) {
	for _, account := range a {
		sum = sum.plus(account.Drift)
	}
	return sum
}

// RenderUnits writes the units that the accounts used.
func (a AccountsUsage) RenderUnits(p *Page) {
	for _, account := range a {
		for _, units := range account.Units {
			p.Prosef("units of "+units.Meter, "%s", units)
		}
	}
}

// UnitsText writes the units that were used of each meter in one line, "" for none.
func (a AccountsUsage) UnitsText() string {
	var parts []string
	for _, account := range a {
		for _, units := range account.Units {
			if units.Used > 0 {
				parts = append(parts, Textf("%s %d", units.Meter, units.Used))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// money writes what an account spent.
func (a AccountUsage) money() string {
	if a.Spent == nil {
		return ""
	}
	return Textf("; $%s", *a.Spent)
}

func (u UsedUnits) String() string {
	text := Textf("%d used", u.Used)
	if u.Held > 0 {
		text += Textf(", %d held", u.Held)
	}
	for _, limit := range u.Limits {
		text += ", "
		if len(u.Limits) > 1 {
			text += limit.Name + " "
		}
		text += Textf("%d left of %d", limit.Left, limit.Limit)
	}
	return text
}
