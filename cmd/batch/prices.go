package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"payonce/configs"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/service/v1"
)

// defaultOption is the option of a rate card that is assumed where neither the user
// nor the service says by which one is paid.
const defaultOption = "payg"

// publication is what the service publishes about its lookups, and where.
type publication struct {
	name string // how a plan names it
	v1.Description
}

// How a plan names what the service publishes.
const (
	openAPIDocument = "the OpenAPI document"
	mcpTools        = "the MCP tools"
)

// readPublished reads what the service publishes, all of which is free: the OpenAPI
// document, and over MCP the tools. A service without a document is no error: the
// prices then stand elsewhere.
func (j *job) readPublished(ctx context.Context, client *v1.StatusClient) error {
	document, err := client.OpenAPI(ctx)
	var none *v1.DocumentError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		published := publication{openAPIDocument, document}
		j.published = append(j.published, published)
		if err := j.checkRequestNames(published); err != nil {
			return err
		}
	case !errors.As(err, &none) || none.HTTPStatus != http.StatusNotFound:
		fmt.Fprintf(j.env.stderr, "batch: %s; the plan goes on without it\n", explain(err))
	}
	if v1.Transport(j.transport.Value) != v1.MCP {
		return nil
	}
	tools, err := client.Tools(ctx)
	if err != nil {
		return asService(ctx, err)
	}
	j.published = append(j.published, publication{mcpTools, tools})
	return nil
}

// inForce returns the prices that are in force by a publication. Where operations
// tell different ones for a field the highest counts, so that no hold is too small.
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

// choosePrices takes the price of every wanted field from the first source that tells
// it, and refuses where another one shows that holds would be too small.
func (j *job) choosePrices() error {
	sources, err := j.priceSources()
	if err != nil {
		return err
	}
	j.quote = cost.ChoosePrices(j.scope.Wanted, sources...)
	if !j.asked {
		return nil
	}
	return j.checkPrices()
}

// priceSources returns where prices stand, in the order in which they count: the
// option that the user names, or that of the user's own rate card; what the service
// publishes; the account's status. The built-in rate card only tells what no other
// does.
func (j *job) priceSources() ([]cost.PriceSource, error) {
	name, card, err := j.cardInUse()
	if err != nil {
		return nil, err
	}
	j.card = card
	var sources []cost.PriceSource
	if j.rateCard != "" || j.rateOption != "" {
		option, err := card.Option(cmp.Or(j.rateOption, defaultOption))
		if err != nil {
			return nil, usagef("%s: %w", name, err)
		}
		sources = append(sources, cost.PriceSource{Name: name + ", option " + option.Name, Prices: option.Prices})
	}
	for _, published := range j.published {
		sources = append(sources, cost.PriceSource{Name: published.name, Prices: published.inForce()})
	}
	sources = append(sources, cost.PriceSource{Name: "the account's status", Prices: j.account.PricesShown()})
	if j.rateCard != "" {
		return sources, nil
	}
	return appendFallback(sources, cmp.Or(j.rateOption, defaultOption))
}

// cardInUse returns the rate card whose options are compared, and its name: the
// user's, or else the one that the service publishes, or else the built-in one.
func (j *job) cardInUse() (string, cost.RateCard, error) {
	if j.rateCard != "" {
		card, err := readRateCard(j.rateCard)
		return "the rate card " + j.rateCard, card, err
	}
	for _, published := range j.published {
		if len(published.Card.Options) > 0 {
			return published.name, published.Card, nil
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
	told := cost.ChoosePrices(enrich.AllFields, sources...).Prices
	untold := cost.Prices{}
	option, err := card.Option(name)
	if err != nil {
		return sources, nil // an option that the service alone knows
	}
	for f, price := range option.Prices {
		if _, known := told.Of(f); !known {
			untold[f] = price
		}
	}
	return append(sources, cost.PriceSource{Name: builtInCard + ", option " + option.Name, Prices: untold}), nil
}

// checkPrices refuses prices below those of the service: every hold would be too
// small, and no ceiling safe. The account's status has the last word on what this
// workspace pays.
func (j *job) checkPrices() error {
	shown := j.account.PricesShown()
	for _, d := range j.quote.Disagreements {
		confirmed, known := shown.Of(d.Field)
		if d.Dearer() && (!known || confirmed > d.Counts) {
			return usagef("%s. Nothing was sent: choose the right option with --rate-option, or correct the price in the rate card", d)
		}
	}
	return asUsage(hinted(dispatch.CheckPrices(j.account, j.quote, j.scope.Wanted)))
}

// optionNames returns the options of the rate card that the workspace may pay by:
// the one that the user names, or all with just these prices.
func (j *job) optionNames() []string {
	if j.rateCard != "" || j.rateOption != "" {
		return []string{cmp.Or(j.rateOption, defaultOption)}
	}
	var names []string
	for _, option := range j.card.Options {
		same := true
		for f, price := range j.quote.Prices {
			other, known := option.Prices.Of(f)
			same = same && known && other == price
		}
		if same {
			names = append(names, option.Name)
		}
	}
	return names
}

// option returns the rate card that the user names, or else the built-in one, and its option
// that the workspace pays by as far as the user says.
func (s *settings) option() (cost.RateCard, cost.Option, error) {
	card, err := readRateCard(s.rateCard)
	if err != nil {
		return card, cost.Option{}, err
	}
	option, err := card.Option(cmp.Or(s.rateOption, defaultOption))
	return card, option, asUsage(err)
}

// sent returns the lookups as they are sent, by operation: with profiles, all of them ask
// for contacts to be enriched.
func (j *job) sent() cost.Workload {
	if !j.profile {
		return j.workload()
	}
	return cost.Workload{enrich.EnrichContact: j.workload().Lookups()}
}

// foreseen says why the service would refuse the lookups now, as far as the account
// and what is published tell; nil when nothing is known against them. What the
// account says of an operation counts more.
func (j *job) foreseen() dispatch.Stop {
	if stop := dispatch.Precheck(j.account, j.counts.Lookups, j.shortBudgetPolicy(), v1.WantsMoney); stop != nil {
		return stop
	}
	if offered := j.account.Offers(enrich.EnrichContact); j.sent()[enrich.EnrichContact] > 0 && offered.Known && !offered.Value {
		return dispatch.ServiceRefused{Code: v1.CodePricingUnavailable, Message: "the workspace's plan does not offer enrich, which profiles need"}
	}
	for _, published := range j.published {
		for _, operation := range enrich.Operations() {
			offer := published.Operations[operation]
			refused := offer.Access.Available.Known && !offer.Access.Available.Value
			if refused && j.sent()[operation] > 0 && !j.account.Offers(operation).Known {
				return dispatch.ServiceRefused{
					Code: v1.CodePricingUnavailable, Message: fmt.Sprintf("%s calls %s unavailable", published.name, operation),
				}
			}
		}
	}
	return nil
}
