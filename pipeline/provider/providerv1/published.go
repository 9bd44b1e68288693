package providerv1

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// checkPublished checks what the service publishes about its lookups, and the prices.
func (d *checks) checkPublished(ctx context.Context, client *v1.StatusClient, account cost.Account) {
	var published publications
	if document, ok := d.checkDocument(ctx, client); ok {
		published = append(published, publication{Name: openAPIDocument, Description: document})
	}
	if tools, ok := d.checkTools(ctx, client); ok {
		published = append(published, publication{Name: mcpTools, Description: tools})
	}
	if ctx.Err() == nil {
		d.checkPrices(published, account)
	}
}

// checkDocument reads the OpenAPI document and looks for the names in it.
func (d *checks) checkDocument(ctx context.Context, client *v1.StatusClient) (v1.Description, bool) {
	const check = "OpenAPI document"
	document, err := client.OpenAPI(ctx)
	var none *v1.DocumentError
	switch {
	case errors.As(err, &none) && none.HTTPStatus == http.StatusNotFound:
		d.Warn(check, "no_document", "the service publishes none")
		return document, false
	case err != nil:
		d.Warn(check, "no_document", "%s", d.Explain(err))
		return document, false
	}
	d.OK(check, "%s", describeDocument(document))
	d.checkDescribed(check, document, d.provider.transport() == v1.REST)
	return document, true
}

func describeDocument(document v1.Description) string {
	text := strings.TrimSpace(document.Title + " " + document.Version)
	if options := len(document.Card.Options); options > 0 {
		return strings.TrimPrefix(text+", with a rate card of "+report.Counted(options, "option"), ", ")
	}
	return strings.TrimPrefix(text+", without a rate card", ", ")
}

// statusTool is the free MCP tool (specification v1, "Operation choice").
const statusTool = "service_account_status"

// checkTools lists the MCP tools and looks for the names in them. Only a run over MCP
// needs them.
func (d *checks) checkTools(ctx context.Context, client *v1.StatusClient) (v1.Description, bool) {
	const check = "MCP endpoint"
	used := d.provider.Transport == v1.MCP
	tools, err := client.Tools(ctx)
	if err != nil {
		d.matter(used, check, "mcp_endpoint", "%s", d.Explain(err))
		return tools, false
	}
	if !slices.Contains(tools.Others, statusTool) {
		d.matter(used, check, "use_rest", "it has no tool %s", statusTool)
	}
	d.OK(check, "%s", report.Counted(len(tools.Operations)+len(tools.Others), "tool"))
	d.checkDescribed("MCP tools", tools, used)
	return tools, true
}

// matter notes a problem of the transport that is used, or a warning of the other one.
func (d *checks) matter(used bool, check, advice, format string, args ...any) {
	if used {
		d.Problem(problem.Refused, check, advice, format, args...)
		return
	}
	d.Warn(check, advice, format, args...)
}

// checkDescribed looks for the names that requests use in a description.
func (d *checks) checkDescribed(check string, description v1.Description, used bool) {
	sound := true
	for _, operation := range v1.Operations() {
		offer, described := description.Operations[operation]
		switch {
		case !described:
			sound = false
			d.matter(used, check, "operation_unknown", "%s is not there", operation)
		case offer.InputError != nil:
			sound = false
			d.Warn(check, "input_schema_unusable", "the input schema of %s cannot be applied: %v", offer.Name, offer.InputError)
		}
	}
	missing := map[string][]string{}
	var places []string
	for _, name := range description.Check(d.provider.Names) {
		if place, found := strings.CutPrefix(name.Where, "the input of "); found && !name.Found {
			if missing[place] == nil {
				places = append(places, place)
			}
			missing[place] = append(missing[place], name.Name)
		}
	}
	for _, place := range places {
		sound = false
		d.Warn(check, "member_unknown",
			"the input of %s does not know %s", place, provider.SomeOf(missing[place]))
	}
	if sound {
		d.OK(check, "the lookups and the names that requests use are there")
	}
}

// checkPrices checks that every field has a price, and that no source has a higher price than
// the one that counts.
func (d *checks) checkPrices(published publications, account cost.Account) {
	const check = "prices"
	names := Provider{}.Interface().Catalogue
	wanted := names.All()
	choice, err := choosePrices(d.Prices, wanted, published, account)
	if err != nil {
		d.Failed(check, err)
		return
	}
	for f := range names.All().Each() {
		if _, known := choice.Quote.Prices.Of(f); !known {
			wanted = wanted.Without(enrich.FieldsOf(f))
			d.Warn(check, "price_unknown", "no source shows the price of a %s", names.Name(f))
		}
	}
	if err := choice.Check(names, account, wanted); err != nil {
		d.Failed(check, err)
		return
	}
	if wanted != 0 {
		d.OK(check, "%s (%s)", report.Amounts(report.PricesOf(names, choice.Quote).USD), choice.Quote.Source(names))
	}
	for _, disagreement := range choice.Quote.Disagreements {
		d.Warn(check, "prices_disagree", "%s", disagreement.Sentence(names))
	}
}
