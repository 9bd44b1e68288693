// This file finds out what the wanted fields cost: from a rate card, from what the service publishes and from its
// account status.

package providerv1

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"payonce/configs"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// publication is what the service publishes about its lookups, and where.
type publication struct {
	Name string // how a plan names it
	v1.Description
}

// How a plan names what the service publishes.
const (
	openAPIDocument = "the OpenAPI document"
	mcpTools        = "the MCP tools"
)

// publications are what a service publishes about its lookups.
type publications []publication

// readPublications reads what the service publishes, all of which is free: the OpenAPI document,
// and over MCP the tools. A service without a document is not an error: the prices are elsewhere
// then. Check looks at the document before anything else is read; note hears why it cannot be read.
func readPublications(ctx context.Context, client *v1.StatusClient, transport v1.Transport, check func(publication) error, note func(error)) (publications, error) {
	var found publications
	document, err := client.OpenAPI(ctx)
	var none *v1.DocumentError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		published := publication{openAPIDocument, document}
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
	return append(found, publication{mcpTools, tools}), nil
}

// inForce returns the prices that are in force by a publication. Where operations
// have different ones for a field the highest counts, so that no hold is too small.
func (p publication) inForce() cost.Prices {
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

// choosePrices takes the price of every wanted field from the first source that has it.
func choosePrices(given provider.PriceOptions, wanted enrich.Fields, published publications, account cost.Account) (provider.PriceChoice, error) {
	card, sources, err := sources(given, published, account)
	return provider.PriceChoice{Card: card, Quote: cost.ChoosePrices(wanted, sources...), Given: given}, err
}

// sources returns where prices are, in the order in which they count: the option that the
// user names, or that of the user's own rate card; what the service publishes; the account's
// status. The built-in rate card only has what no other source does.
func sources(given provider.PriceOptions, published publications, account cost.Account) (cost.RateCard, []cost.PriceSource, error) {
	name, card, err := cardInUse(given, published)
	if err != nil {
		return card, nil, err
	}
	var sources []cost.PriceSource
	if given.Given() {
		option, err := card.Option(cmp.Or(given.Option, provider.DefaultOption))
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
		sources, err = appendFallback(sources, cmp.Or(given.Option, provider.DefaultOption))
	}
	return card, sources, err
}

// cardInUse returns the rate card whose options are compared, and its name: the
// user's, or else the one that the service publishes, or else the built-in one.
func cardInUse(given provider.PriceOptions, published publications) (string, cost.RateCard, error) {
	if given.Card != "" {
		card, err := provider.ReadRateCard(given.Card)
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
	listed := cost.ChoosePrices(enrich.FieldsOf(slices.Collect(maps.Keys(option.Prices))...), sources...).Prices
	notShown := cost.Prices{}
	for f, price := range option.Prices {
		if _, known := listed.Of(f); !known {
			notShown[f] = price
		}
	}
	return append(sources, cost.PriceSource{Name: builtInCard + ", option " + option.Name, Prices: notShown}), nil
}
