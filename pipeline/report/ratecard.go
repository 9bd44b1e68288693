package report

import (
	"fmt"
	"strings"

	"payonce/cost"
	"payonce/enrich"
)

// CardOption is an option of a rate card; null is a price that is not known.
type CardOption struct {
	Name    string              `json:"name"`
	Title   string              `json:"title,omitempty"`
	Monthly cost.Money          `json:"monthly_included_usd"`
	Prices  Values[*cost.Money] `json:"prices_usd"`
}

// RateCard holds the options of a rate card.
type RateCard struct {
	Options []CardOption `json:"options"`
}

// RateCardOf shows a rate card for the fields of a catalogue.
func RateCardOf(c enrich.Catalogue, card cost.RateCard) *RateCard {
	views := []CardOption{}
	for _, option := range card.Options {
		view := CardOption{Name: option.Name, Title: option.Title, Monthly: option.MonthlyIncluded}
		for f := range c.All().Each() {
			one := Value[*cost.Money]{Name: c.Name(f)}
			if price, known := option.Prices.Of(f); known {
				one.Value = &price
			}
			view.Prices = append(view.Prices, one)
		}
		views = append(views, view)
	}
	return &RateCard{views}
}

// Render writes a table of the options.
func (v *RateCard) Render(p *Page) {
	columns := fmt.Sprintf("%-12s %-20s %14s", "option", "title", "monthly")
	if len(v.Options) > 0 {
		for _, one := range v.Options[0].Prices {
			columns += fmt.Sprintf(" %*s", priceWidth(one.Name), strings.ReplaceAll(one.Name, "_", " "))
		}
	}
	p.Fixed(columns)
	for _, view := range v.Options {
		monthly := "none"
		if view.Monthly > 0 {
			monthly = "$" + view.Monthly.String()
		}
		line := fmt.Sprintf("%-12s %-20s %14s", view.Name, view.Title, monthly)
		for _, one := range view.Prices {
			price := "unknown"
			if one.Value != nil {
				price = "$" + one.Value.String()
			}
			line += fmt.Sprintf(" %*s", priceWidth(one.Name), price)
		}
		p.Fixed(line)
	}
}

// priceWidth returns the width of the column with the prices of a field.
func priceWidth(field string) int { return max(len(field)+1, 12) }
