package report

import (
	"payonce/cost"
	"payonce/enrich"
	"payonce/service/v1/v1fields"
)

// CardOption is an option of a rate card; null is a price that is not known.
type CardOption struct {
	Name    string                 `json:"name"`
	Title   string                 `json:"title,omitempty"`
	Monthly cost.Money             `json:"monthly_included_usd"`
	Prices  map[string]*cost.Money `json:"prices_usd"`
}

// RateCard holds the options of a rate card.
type RateCard struct {
	Options []CardOption `json:"options"`
}

// RateCardOf shows a rate card.
func RateCardOf(card cost.RateCard) *RateCard {
	views := []CardOption{}
	for _, option := range card.Options {
		view := CardOption{Name: option.Name, Title: option.Title, Monthly: option.MonthlyIncluded, Prices: map[string]*cost.Money{}}
		for f := range Catalogue().All().Each() {
			view.Prices[Catalogue().Name(f)] = nil
			if price, known := option.Prices.Of(f); known {
				view.Prices[Catalogue().Name(f)] = &price
			}
		}
		views = append(views, view)
	}
	return &RateCard{views}
}

func (v *RateCard) Render(p *Page) {
	p.Fixedf("%-12s %-20s %14s %12s %15s", "option", "title", "monthly", "work email", "business phone")
	for _, view := range v.Options {
		price := func(f enrich.Field) string {
			if amount := view.Prices[Catalogue().Name(f)]; amount != nil {
				return "$" + amount.String()
			}
			return "unknown"
		}
		monthly := "none"
		if view.Monthly > 0 {
			monthly = "$" + view.Monthly.String()
		}
		p.Fixedf("%-12s %-20s %14s %12s %15s", view.Name, view.Title, monthly, price(v1fields.WorkEmail), price(v1fields.BusinessPhone))
	}
}
