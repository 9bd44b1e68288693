package v1

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"payonce/cost"
	"payonce/enrich"
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
	Operations map[enrich.Operation]Offer
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

	input *schema
}

// Inputs returns the names of the members that the input schema knows, in their order;
// none when it cannot be applied.
func (o Offer) Inputs() []string { return slices.Sorted(maps.Keys(o.input.members())) }

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
	for _, operation := range enrich.Operations() {
		offer, described := d.Operations[operation]
		name := names.path(operation)
		if described {
			name = offer.Name
		}
		checked = append(checked, Assumption{Name: name, Where: "the lookups described", Found: described})
		if offer.input == nil {
			continue
		}
		members := offer.input.members()
		for _, member := range names.bodyOf(operation) {
			checked = append(checked, Assumption{Name: member, Where: "the input of " + name, Found: members[member]})
		}
	}
	return checked
}

// bodyOf returns every member that the body of an operation may have.
func (n Names) bodyOf(operation enrich.Operation) []string {
	members := n.identifiers()
	if operation == enrich.EnrichContact {
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
func (d Description) misfit(operation enrich.Operation, names Names) error {
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
func (n Names) misfit(operation enrich.Operation, input *schema) error {
	if input.allowsNothing() {
		return errors.New("allows nothing")
	}
	refused, missing := input.misfits(n.bodyOf(operation))
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
func (n Names) usable(operation enrich.Operation, refused []string) bool {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(refused, name) })
	}
	if operation == enrich.EnrichContact && !has(n.IncludeEmail, n.IncludePhone, n.IncludeProfile) {
		return false
	}
	return has(n.ProfileURL) || has(n.FirstName, n.LastName, n.CompanyDomain) || has(n.FirstName, n.LastName, n.CompanyName)
}

func (s settings) decodeAccess(o object) Access {
	access := Access{Available: o.boolean("available")}
	for _, plan := range o.texts("plans") {
		access.Plans = append(access.Plans, s.plain(plan, maxName))
	}
	return access
}

// decodePrices reads prices per returned field, in USD. Other currencies give none.
func decodePrices(o object) cost.Prices {
	prices := cost.Prices{}
	if !inUSD(o) {
		return prices
	}
	for field := range enrich.AllFields.Each() {
		if price := o.dollars(field.String() + "_usd"); price.Known {
			prices[field] = price.Value
		}
	}
	return prices
}

func inUSD(o object) bool {
	currency := o.text("currency")
	return currency == "" || strings.EqualFold(currency, "USD")
}

// maxOptions bounds the options of a rate card.
const maxOptions = 100

// decodeCard reads a rate card.
func (s settings) decodeCard(o object) cost.RateCard {
	var card cost.RateCard
	var options []json.RawMessage
	if !inUSD(o) || json.Unmarshal(o["options"], &options) != nil {
		return card
	}
	for _, text := range options[:min(len(options), maxOptions)] {
		option, _ := parseObject(text)
		name, monthly := s.plain(option.text("name"), maxName), option.dollars("monthly_included_usd")
		if name == "" || !monthly.Known || !inUSD(option) {
			continue
		}
		card.Options = append(card.Options, cost.Option{
			Name: name, Title: s.plain(option.text("title"), maxName),
			MonthlyIncluded: monthly.Value, Prices: decodePrices(option),
		})
	}
	return card
}

// dollars returns a member amount in USD, written as a number or as a string of one.
func (o object) dollars(name string) cost.Optional[cost.Money] {
	literal := string(o[name])
	if s := o.string(name); s.Known {
		literal = strings.TrimSpace(s.Value)
	}
	amount, err := cost.ParseMoney(literal)
	if err != nil {
		return cost.Optional[cost.Money]{}
	}
	return cost.Known(amount)
}
