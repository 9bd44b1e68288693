package report

import (
	"time"

	"payonce/cost"
)

// Ceiling is a ceiling as it is shown. Its amounts are in USD, in lookups or in units; the
// pairs of the other measures are left out.
type Ceiling struct {
	Name         string      `json:"name"`
	Limit        *cost.Money `json:"limit_usd,omitempty"`
	Left         *cost.Money `json:"left_usd,omitempty"`
	LimitLookups *int64      `json:"limit_lookups,omitempty"`
	LeftLookups  *int64      `json:"left_lookups,omitempty"`
	// Meter is that of a ceiling on units.
	Meter      string `json:"meter,omitempty"`
	LimitUnits *int64 `json:"limit_units,omitempty"`
	LeftUnits  *int64 `json:"left_units,omitempty"`
	// Cap is the account's own monthly budget, and Spent what the account has spent of it. The limit is what the account
	// showed as left of it.
	Cap   *cost.Money `json:"cap_usd,omitempty"`
	Spent *cost.Money `json:"spent_usd,omitempty"`
	// RenewsAt is when it renews; zero and not in the JSON when it never renews.
	RenewsAt *time.Time `json:"renews_at,omitempty"`
	Covers   int64      `json:"covers_lookups"` // surely
	// Lookups of the plan use the units of a ceiling on units.
	Lookups int64 `json:"of_lookups,omitempty"`
	Binding bool  `json:"binding"`
	// TooLow says that it covers fewer lookups of a plan than it limits.
	TooLow bool `json:"too_low,omitempty"`
	// ProbablyCovers is with 95 % certainty, for the binding one; null for the others
	// and without a history.
	ProbablyCovers *int64 `json:"probably_covers_lookups"`
}

// LimitText writes the limit.
func (v Ceiling) LimitText() string { return v.amount(v.Limit, v.LimitLookups, v.LimitUnits) }

// LeftText writes what is left of it.
func (v Ceiling) LeftText() string { return v.amount(v.Left, v.LeftLookups, v.LeftUnits) }

// LeftOfLimit writes what is left of the limit.
func (v Ceiling) LeftOfLimit() string {
	if v.LeftUnits != nil {
		return Textf("%d left of %s", *v.LeftUnits, v.LimitText())
	}
	held := ""
	if v.Left != nil && *v.Left < *v.Limit {
		held = Textf(", $%s held for lookups in doubt", *v.Limit-*v.Left)
	}
	switch {
	case v.Name == cost.AccountBalance:
		return v.LeftText() + " left" + held
	case v.Cap != nil && v.Spent != nil:
		return Textf("%s left of $%s, $%s spent this month%s", v.LeftText(), *v.Cap, *v.Spent, held)
	}
	return v.LeftText() + " left of " + v.LimitText()
}

// Covering begins the sentence that says how many lookups the ceiling covers.
func (v Ceiling) Covering() string {
	switch {
	case v.Name == cost.AccountBalance || v.Name == cost.UsageBudget || v.Meter != "" && v.Name == v.Meter || v.LeftText() != v.LimitText():
		if v.Left == nil {
			return Textf("the %s left cover", v.LeftText())
		}
		return Textf("the %s left covers", v.LeftText())
	case v.Limit == nil:
		return Textf("your limit of %s covers", v.LimitText())
	}
	return Textf("your %s limit covers", v.LimitText())
}

func (v Ceiling) amount(money *cost.Money, lookups, units *int64) string {
	switch {
	case money != nil:
		return USD(*money)
	case lookups != nil:
		return Counted(*lookups, "lookup")
	}
	return Counted(*units, "unit") + " of " + v.Meter
}
