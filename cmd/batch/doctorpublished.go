package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/report"
	"payonce/pipeline/row"
	"payonce/service/v1"
)

// checkPublished checks what the service publishes about its lookups, and the prices.
func (d *doctor) checkPublished(ctx context.Context, client *v1.StatusClient, account cost.Account) {
	var published []publication
	if document, ok := d.checkDocument(ctx, client); ok {
		published = append(published, publication{openAPIDocument, document})
	}
	if tools, ok := d.checkTools(ctx, client); ok {
		published = append(published, publication{mcpTools, tools})
	}
	if ctx.Err() == nil {
		d.checkPrices(published, account)
	}
}

// checkDocument reads the OpenAPI document and looks for the names in it.
func (d *doctor) checkDocument(ctx context.Context, client *v1.StatusClient) (v1.Description, bool) {
	const check = "OpenAPI document"
	document, err := client.OpenAPI(ctx)
	var none *v1.DocumentError
	switch {
	case errors.As(err, &none) && none.HTTPStatus == http.StatusNotFound:
		d.warn(check, "Names and prices are then taken as they are assumed; compare them with the service's documentation", "the service publishes none")
		return document, false
	case err != nil:
		d.warn(check, "Names and prices are then taken as they are assumed; compare them with the service's documentation", "%s", explain(err))
		return document, false
	}
	d.ok(check, "%s", describeDocument(document))
	d.checkDescribed(check, document, d.transport.Value == string(v1.REST))
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
func (d *doctor) checkTools(ctx context.Context, client *v1.StatusClient) (v1.Description, bool) {
	const check = "MCP endpoint"
	used := d.transport.Value == string(v1.MCP)
	tools, err := client.Tools(ctx)
	if err != nil {
		d.matter(used, check, "Give the endpoint with --mcp-url or SERVICE_MCP_URL; only --transport mcp needs it", "%s", explain(err))
		return tools, false
	}
	if !slices.Contains(tools.Others, statusTool) {
		d.matter(used, check, "Go on with --transport rest", "it has no tool %s", statusTool)
	}
	d.ok(check, "%s", report.Counted(len(tools.Operations)+len(tools.Others), "tool"))
	d.checkDescribed("MCP tools", tools, used)
	return tools, true
}

// matter notes a problem of the transport that is used, or a warning of the other one.
func (d *doctor) matter(used bool, check, advice, format string, args ...any) {
	if used {
		d.problem(exitRefused, check, advice, format, args...)
		return
	}
	d.warn(check, advice, format, args...)
}

// checkDescribed looks for the names that requests use in a description.
func (d *doctor) checkDescribed(check string, description v1.Description, used bool) {
	sound := true
	for _, operation := range enrich.Operations() {
		offer, described := description.Operations[operation]
		switch {
		case !described:
			sound = false
			d.matter(used, check, "Give its name with --request-name where it has another one, or use the other --transport", "%s is not there", operation)
		case offer.InputError != nil:
			sound = false
			d.warn(check, "Lookups are sent as they are assumed to be", "the input schema of %s cannot be applied: %v", offer.Name, offer.InputError)
		}
	}
	missing := map[string][]string{}
	var places []string
	for _, name := range description.Check(d.names) {
		if place, found := strings.CutPrefix(name.Where, "the input of "); found && !name.Found {
			if missing[place] == nil {
				places = append(places, place)
			}
			missing[place] = append(missing[place], name.Name)
		}
	}
	for _, place := range places {
		sound = false
		d.warn(check, "Give the service's names with --request-name; a lookup with names that it does not allow is refused",
			"the input of %s does not know %s", place, someOf(missing[place]))
	}
	if sound {
		d.ok(check, "the lookups and the names that requests use are there")
	}
}

// checkPrices checks that every field has a price, and that no source is dearer than
// the one that counts.
func (d *doctor) checkPrices(published []publication, account cost.Account) {
	const check = "prices"
	j := &job{session: d.session, scope: row.Scope{Wanted: enrich.AllFields}, account: account, published: published}
	if err := j.choosePrices(); err != nil {
		d.problem(exitUsage, check, "", "%v", err)
		return
	}
	for f := range enrich.AllFields.Each() {
		if _, known := j.quote.Prices.Of(f); !known {
			j.scope.Wanted = j.scope.Wanted.Without(enrich.FieldsOf(f))
			d.warn(check, "A run that wants one is refused: name the price in a rate card of your own, --rate-card FILE", "no source tells the price of a %s", f)
		}
	}
	if err := j.checkPrices(); err != nil {
		d.problem(exitUsage, check, "", "%v", err)
		return
	}
	if j.scope.Wanted != 0 {
		d.ok(check, "%s (%s)", report.Amounts(j.viewPrices().USD), j.quote.Source())
	}
	for _, disagreement := range j.quote.Disagreements {
		d.warn(check, "Find out which is right; --rate-option or --rate-card says which counts", "%s", disagreement)
	}
}
