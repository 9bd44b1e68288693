// This file has where the user's prices are, and what was chosen of them.

package provider

import (
	"cmp"
	"errors"
	"io/fs"

	"payonce/configs"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/atomicfile"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/problem"
)

// DefaultOption is the option of a rate card that is assumed where neither the user nor the
// service says by which one is paid.
const DefaultOption = "payg"

// PriceOptions say where the user's prices are.
type PriceOptions struct {
	Card   string // the file of a rate card; "" for none
	Option string // the name of its option; "" for what the service charges
}

// Given reports whether the user says anything about prices.
func (o PriceOptions) Given() bool { return o.Card != "" || o.Option != "" }

// Read returns the user's rate card, or the built-in one, and its option that the workspace
// pays by as far as the user says.
func (o PriceOptions) Read() (cost.RateCard, cost.Option, error) {
	card, err := ReadRateCard(o.Card)
	if err != nil {
		return card, cost.Option{}, err
	}
	option, err := card.Option(cmp.Or(o.Option, DefaultOption))
	return card, option, problem.AsUsage(err)
}

// ReadRateCard reads a user's rate card, or the built-in one where no path is given.
func ReadRateCard(path string) (cost.RateCard, error) {
	if path == "" {
		return configs.RateCard()
	}
	data, err := atomicfile.ReadSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return cost.RateCard{}, problem.Usagef("there is no rate card %s", path)
	}
	if err != nil {
		return cost.RateCard{}, problem.AsUsage(err)
	}
	card, err := configs.ParseRateCard(path, data)
	return card, problem.AsUsage(err)
}

// PriceChoice is what the wanted fields cost, where that is written, and the rate card whose options
// are compared.
type PriceChoice struct {
	Card  cost.RateCard
	Quote cost.Quote
	Given PriceOptions
}

// Check refuses prices below those of the service: every hold would be too small, and no
// ceiling safe. The account's status has the last word on what this workspace pays. Errors have the names of the
// catalogue.
func (c PriceChoice) Check(names enrich.Catalogue, account cost.Account, wanted enrich.Fields) error {
	shown := account.PricesShown()
	for _, d := range c.Quote.Disagreements {
		confirmed, known := shown.Of(d.Field)
		if d.Higher() && (!known || confirmed > d.Counts) {
			return problem.Coded("price_too_low", "%s. Nothing was sent", d.Sentence(names))
		}
	}
	return problem.AsUsage(dispatch.CheckPrices(account, c.Quote, names, wanted))
}

// OptionNames returns the options of the rate card that the workspace may pay by: the one
// that the user names, or all with just these prices.
func (c PriceChoice) OptionNames() []string {
	if c.Given.Given() {
		return []string{cmp.Or(c.Given.Option, DefaultOption)}
	}
	var names []string
	for _, option := range c.Card.Options {
		same := true
		for f, price := range c.Quote.Prices {
			other, known := option.Prices.Of(f)
			same = same && known && other == price
		}
		if same {
			names = append(names, option.Name)
		}
	}
	return names
}
