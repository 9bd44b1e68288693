// This file finds out what the wanted fields cost: from a rate card, from what the service publishes and from its
// account status.

package workspace

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"slices"

	"payonce/configs"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/atomicfile"
	"payonce/io/service/v1"
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

// Publication is what the service publishes about its lookups, and where.
type Publication struct {
	Name string // how a plan names it
	v1.Description
}

// How a plan names what the service publishes.
const (
	OpenAPIDocument = "the OpenAPI document"
	MCPTools        = "the MCP tools"
)

// Publications are what a service publishes about its lookups.
type Publications []Publication

// ReadPublications reads what the service publishes, all of which is free: the OpenAPI document,
// and over MCP the tools. A service without a document is not an error: the prices are elsewhere
// then. Check looks at the document before anything else is read; note hears why it cannot be read.
func ReadPublications(ctx context.Context, client *v1.StatusClient, transport v1.Transport, check func(Publication) error, note func(error)) (Publications, error) {
	var found Publications
	document, err := client.OpenAPI(ctx)
	var none *v1.DocumentError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		published := Publication{OpenAPIDocument, document}
		found = append(found, published)
		if err := check(published); err != nil {
			return nil, err
		}
	case !errors.As(err, &none) || none.HTTPStatus != http.StatusNotFound:
		note(err)
	}
	if transport != v1.MCP {
		return found, nil
	}
	tools, err := client.Tools(ctx)
	if err != nil {
		return nil, problem.AsRefused(ctx, err)
	}
	return append(found, Publication{MCPTools, tools}), nil
}

// inForce returns the prices that are in force by a publication. Where operations
// have different ones for a field the highest counts, so that no hold is too small.
func (p Publication) inForce() cost.Prices {
	prices := cost.Prices{}
	for operation, offer := range p.Operations {
		for f := range operation.Fields().Each() {
			if price, known := offer.Prices.Of(f); known {
				prices[f] = max(price, prices[f])
			}
		}
	}
	return prices
}

// PriceChoice is what the wanted fields cost, where that is written, and the rate card whose options
// are compared.
type PriceChoice struct {
	Card  cost.RateCard
	Quote cost.Quote
	given PriceOptions
}

// ChoosePrices takes the price of every wanted field from the first source that has it.
func ChoosePrices(given PriceOptions, wanted enrich.Fields, published Publications, account cost.Account) (PriceChoice, error) {
	card, sources, err := sources(given, published, account)
	return PriceChoice{card, cost.ChoosePrices(wanted, sources...), given}, err
}

// sources returns where prices are, in the order in which they count: the option that the
// user names, or that of the user's own rate card; what the service publishes; the account's
// status. The built-in rate card only has what no other source does.
func sources(given PriceOptions, published Publications, account cost.Account) (cost.RateCard, []cost.PriceSource, error) {
	name, card, err := cardInUse(given, published)
	if err != nil {
		return card, nil, err
	}
	var sources []cost.PriceSource
	if given.Given() {
		option, err := card.Option(cmp.Or(given.Option, DefaultOption))
		if err != nil {
			return card, nil, problem.Usagef("%s: %w", name, err)
		}
		sources = append(sources, cost.PriceSource{Name: name + ", option " + option.Name, Prices: option.Prices})
	}
	for _, p := range published {
		sources = append(sources, cost.PriceSource{Name: p.Name, Prices: p.inForce()})
	}
	sources = append(sources, cost.PriceSource{Name: "the account's status", Prices: account.PricesShown()})
	if given.Card == "" {
		sources, err = appendFallback(sources, cmp.Or(given.Option, DefaultOption))
	}
	return card, sources, err
}

// cardInUse returns the rate card whose options are compared, and its name: the
// user's, or else the one that the service publishes, or else the built-in one.
func cardInUse(given PriceOptions, published Publications) (string, cost.RateCard, error) {
	if given.Card != "" {
		card, err := ReadRateCard(given.Card)
		return "the rate card " + given.Card, card, err
	}
	for _, p := range published {
		if len(p.Card.Options) > 0 {
			return p.Name, p.Card, nil
		}
	}
	card, err := configs.RateCard()
	return builtInCard, card, err
}

// builtInCard is how a plan names the rate card that ships with the program.
const builtInCard = "the built-in rate card"

// appendFallback adds those prices of an option of the built-in rate card that none
// of the sources tells.
func appendFallback(sources []cost.PriceSource, name string) ([]cost.PriceSource, error) {
	card, err := configs.RateCard()
	if err != nil {
		return nil, err
	}
	option, err := card.Option(name)
	if err != nil {
		return sources, nil // an option that the service alone knows
	}
	told := cost.ChoosePrices(enrich.FieldsOf(slices.Collect(maps.Keys(option.Prices))...), sources...).Prices
	untold := cost.Prices{}
	for f, price := range option.Prices {
		if _, known := told.Of(f); !known {
			untold[f] = price
		}
	}
	return append(sources, cost.PriceSource{Name: builtInCard + ", option " + option.Name, Prices: untold}), nil
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
	if c.given.Given() {
		return []string{cmp.Or(c.given.Option, DefaultOption)}
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
