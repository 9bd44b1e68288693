package v1

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"payonce/cost"
	"payonce/io/service"
)

// Description is what the service publishes about its lookups: in the OpenAPI
// document, or in the list of MCP tools. What it leaves out is not known.
type Description struct {
	// Title and Version are the document's own; "" for a list of tools.
	Title, Version string
	// Card is the rate card; without options when it is not published. An option of
	// which the name or the monthly amount is not known is left out.
	Card cost.RateCard
	// Operations are the lookups that are described.
	Operations map[Operation]Offer
	// Others are the paths or tools that are none of the lookups.
	Others []string
}

// Offer is what the service publishes about one lookup.
type Offer struct {
	Name   string      // its path, or its tool
	Access Access      // x-service-access, service/access
	Prices cost.Prices // x-service-pricing, service/pricing: those that are known
	// InputError says why its input schema cannot be applied; nil when it can.
	InputError error

	input *service.Schema
}

// Inputs returns the names of the members that the input schema knows, in their order;
// none when it cannot be applied.
func (o Offer) Inputs() []string { return slices.Sorted(maps.Keys(o.input.Members())) }

// Access says who may use a lookup.
type Access struct {
	Plans     []string
	Available cost.Optional[bool]
}

// Assumption is a name that this package assumes, and whether the service has it.
type Assumption struct {
	Name  string
	Where string // what the name was looked for in
	Found bool
}

// Check looks for the names in the description: each path, and each member of a
// body in the input schema of each lookup. Names in a schema that cannot be applied
// are left out; the offer's InputError says why.
func (d Description) Check(names Names) []Assumption {
	names = names.orDefaults()
	var checked []Assumption
	for _, operation := range Operations() {
		offer, described := d.Operations[operation]
		name := names.path(operation)
		if described {
			name = offer.Name
		}
		checked = append(checked, Assumption{Name: name, Where: "the lookups described", Found: described})
		if offer.input == nil {
			continue
		}
		members := offer.input.Members()
		for _, member := range names.bodyOf(operation) {
			checked = append(checked, Assumption{Name: member, Where: "the input of " + name, Found: members[member]})
		}
	}
	return checked
}

// bodyOf returns every member that the body of an operation may have.
func (n Names) bodyOf(operation Operation) []string {
	members := n.identifiers()
	if operation == EnrichContact {
		members = n.members()
	}
	all := make([]string, len(members))
	for i, member := range members {
		all[i] = *member
	}
	return all
}

// misfit says why lookups of an operation would not be understood; nil when nothing
// speaks against it.
func (d Description) misfit(operation Operation, names Names) error {
	offer, described := d.Operations[operation]
	if !described {
		return fmt.Errorf("the service has no tool %s", toolOf(operation))
	}
	if err := names.misfit(operation, offer.input); err != nil {
		return fmt.Errorf("the input of %s %w", offer.Name, err)
	}
	return nil
}

// misfit says why no body of an operation can fulfil a schema, as far as that shows
// without one: in words that follow the schema's name.
func (n Names) misfit(operation Operation, input *service.Schema) error {
	if input.AllowsNothing() {
		return errors.New("allows nothing")
	}
	refused, missing := input.Misfits(n.bodyOf(operation))
	if len(missing) > 0 {
		return fmt.Errorf("requires %s, which is not known here", strings.Join(missing, ", "))
	}
	if !n.usable(operation, refused) {
		return fmt.Errorf("does not allow %s", strings.Join(refused, ", "))
	}
	return nil
}

// usable reports whether an operation can be asked about anybody without the
// refused members.
func (n Names) usable(operation Operation, refused []string) bool {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(refused, name) })
	}
	if operation == EnrichContact && !has(n.IncludeEmail, n.IncludePhone, n.IncludeProfile) {
		return false
	}
	return has(n.ProfileURL) || has(n.FirstName, n.LastName, n.CompanyDomain) || has(n.FirstName, n.LastName, n.CompanyName)
}

func (s settings) decodeAccess(o service.Object) Access {
	access := Access{Available: o.Bool("available")}
	for _, plan := range o.Texts("plans") {
		access.Plans = append(access.Plans, s.Plain(plan, maxName))
	}
	return access
}

// decodePrices reads prices per returned field, in USD. Other currencies give none.
func decodePrices(o service.Object) cost.Prices {
	prices := cost.Prices{}
	if !inUSD(o) {
		return prices
	}
	for field := range AllFields.Each() {
		if price := o.Dollars(field.String() + "_usd"); price.Known {
			prices[field] = price.Value
		}
	}
	return prices
}

func inUSD(o service.Object) bool {
	currency := o.Text("currency")
	return currency == "" || strings.EqualFold(currency, "USD")
}

// maxOptions bounds the options of a rate card.
const maxOptions = 100

// decodeCard reads a rate card.
func (s settings) decodeCard(o service.Object) cost.RateCard {
	var card cost.RateCard
	var options []json.RawMessage
	if !inUSD(o) || json.Unmarshal(o["options"], &options) != nil {
		return card
	}
	for _, text := range options[:min(len(options), maxOptions)] {
		option, _ := service.ParseObject(text)
		name, monthly := s.Plain(option.Text("name"), maxName), option.Dollars("monthly_included_usd")
		if name == "" || !monthly.Known || !inUSD(option) {
			continue
		}
		card.Options = append(card.Options, cost.Option{
			Name: name, Title: s.Plain(option.Text("title"), maxName),
			MonthlyIncluded: monthly.Value, Prices: decodePrices(option),
		})
	}
	return card
}
