// This file has the description of the sandbox's interface for programs: the OpenAPI document, the JSON Schemas in
// it, which the tools of the MCP endpoint publish too, and the billing, access and pricing of each operation.

package sandbox

import (
	_ "embed"
	"encoding/json"
	"strconv"

	"payonce/cost"
	"payonce/io/service/v1"
)

//go:embed openapi.json
var document []byte

// object is a JSON object.
type object = map[string]any

// The schemas of the document that bodies are checked against. None refers to
// another one.
const (
	SchemaAccountStatus    = "AccountStatus"
	SchemaEnrichmentResult = "EnrichmentResult"
	SchemaError            = "Error"
)

// RequestSchema returns the name of the schema of an operation's body.
func RequestSchema(o v1.Operation) string {
	if o == v1.EnrichContact {
		return "EnrichRequest"
	}
	return "ContactRequest"
}

// OperationPath returns the path of an operation, relative to the base URL.
func OperationPath(o v1.Operation) string { return "/contacts/" + o.String() }

// SchemaComponent returns one of the schemas. It panics for a name that there is none of.
func SchemaComponent(name string) json.RawMessage {
	var d struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(document, &d); err != nil {
		panic(err)
	}
	found, ok := d.Components.Schemas[name]
	if !ok {
		panic("there is no schema " + name)
	}
	return found
}

// refusals are the statuses with which a lookup can be refused.
func refusals() []int { return []int{400, 401, 402, 403, 409, 429, 500, 503} }

// OpenAPI returns the document with the terms of the workspace in it.
func OpenAPI(terms Terms) []byte {
	var d struct {
		OpenAPI    string                       `json:"openapi"`
		Info       json.RawMessage              `json:"info"`
		Servers    json.RawMessage              `json:"servers"`
		Security   json.RawMessage              `json:"security"`
		Paths      map[string]map[string]object `json:"paths"`
		Components json.RawMessage              `json:"components"`
	}
	if err := json.Unmarshal(document, &d); err != nil {
		panic(err) // the document is part of the program
	}
	d.Paths["/account/status"]["get"][accessExtension] = terms.StatusAccess()
	for _, o := range v1.Operations() {
		operation := d.Paths[OperationPath(o)]["post"]
		operation["responses"] = responses()
		operation[billingExtension] = terms.Billing()
		operation[accessExtension] = terms.Access(o)
		operation[pricingExtension] = terms.Pricing()
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		panic(err)
	}
	return append(text, '\n')
}

func responses() object {
	all := object{"200": reference("Result")}
	for _, status := range refusals() {
		all[strconv.Itoa(status)] = reference("Refusal")
	}
	return all
}

func reference(response string) object {
	return object{"$ref": "#/components/responses/" + response}
}

// The extensions of the document (specification v1, "Versioning").
const (
	billingExtension = "x-service-billing"
	accessExtension  = "x-service-access"
	pricingExtension = "x-service-pricing"
)

// Terms are what the workspace pays and may use.
type Terms struct {
	Card   cost.RateCard
	Prices cost.Prices // in force now
}

// Billing is the rate card (specification v1, "Allowances and rate card").
type Billing struct {
	Currency string            `json:"currency"`
	Options  []PublishedOption `json:"options"`
}

// PublishedOption is one option of the rate card; amounts are in USD.
type PublishedOption struct {
	Name            string     `json:"name"`
	Title           string     `json:"title"`
	MonthlyIncluded cost.Money `json:"monthly_included_usd"`
	Pricing
}

// Pricing is what a returned field costs, in USD. A field without a price is left out.
type Pricing struct {
	WorkEmail     *cost.Money `json:"work_email_usd,omitempty"`
	BusinessPhone *cost.Money `json:"business_phone_usd,omitempty"`
}

// Access says on which plans an operation is available, and whether it is now.
type Access struct {
	Plans     []string `json:"plans"`
	Available bool     `json:"available"`
}

// Billing returns the options of the rate card.
func (t Terms) Billing() Billing {
	billing := Billing{Currency: "USD"}
	for _, o := range t.Card.Options {
		billing.Options = append(billing.Options, PublishedOption{o.Name, o.Title, o.MonthlyIncluded, pricingOf(o.Prices)})
	}
	return billing
}

// Pricing returns the prices in force.
func (t Terms) Pricing() Pricing { return pricingOf(t.Prices) }

func pricingOf(prices cost.Prices) Pricing {
	var p Pricing
	if amount, known := prices.Of(v1.WorkEmail); known {
		p.WorkEmail = &amount
	}
	if amount, known := prices.Of(v1.BusinessPhone); known {
		p.BusinessPhone = &amount
	}
	return p
}

// Access returns who may use an operation: one is sold where all of its fields
// have a price.
func (t Terms) Access(o v1.Operation) Access {
	access := Access{Plans: []string{}, Available: sells(t.Prices, o)}
	for _, option := range t.Card.Options {
		if sells(option.Prices, o) {
			access.Plans = append(access.Plans, option.Name)
		}
	}
	return access
}

// StatusAccess returns who may use the account status: everybody.
func (t Terms) StatusAccess() Access {
	access := Access{Plans: []string{}, Available: true}
	for _, option := range t.Card.Options {
		access.Plans = append(access.Plans, option.Name)
	}
	return access
}

func sells(prices cost.Prices, o v1.Operation) bool {
	_, err := prices.Total(o.Fields())
	return err == nil
}
