package calls

import (
	"encoding/json"
	"slices"
	"strings"

	"payonce/service/v2/v2fields"
)

// missingNames is the member of a refusal under which the service says which of several parameters are missing
// (specification v2, "Errors").
const missingNames = "fields"

// parameters returns the names of what an operation takes in its path, its query and its body (specification v2,
// "Endpoints"), without filters.
func parameters(o v2fields.Operation) []string {
	switch o {
	case v2fields.Prospecting, v2fields.Employees:
		return []string{"page", "per_page", "filters"}
	case v2fields.Overview:
		return []string{
			"country_code", "state", "name", "registration_number", "lei_number", "vat_number", "website", "phone_number", "person",
			"company_status", "page", "per_page", "pro_network",
		}
	case v2fields.GetCompany, v2fields.GetEmployee, v2fields.GetInsights, v2fields.GetOwnership:
		return []string{"id"}
	case v2fields.GetFinancials:
		return []string{"id", "year"}
	case v2fields.WatchStart:
		return []string{"id", "fields"}
	case v2fields.EnrichURL:
		return []string{"url"}
	case v2fields.EnrichCompanyProfile:
		return []string{"linkedin"}
	case v2fields.EnrichCompany:
		return []string{"country_code", "registration_number", "vat_number", "state"}
	case v2fields.EnrichEmail:
		return []string{"email", "reveal_phone"}
	case v2fields.EnrichEmployeeProfile:
		return []string{"linkedin", "reveal_email", "reveal_phone"}
	case v2fields.EnrichEmployee:
		return []string{
			"first_name", "last_name", "company_name", "domain", "email", "pro_network", "reveal_email", "reveal_phone",
		}
	case v2fields.EnrichEmployeeSearch:
		return []string{
			"domain_list", "company_locations", "employee_locations", "employee_seniorities", "page", "per_page",
		}
	case v2fields.Autocomplete:
		return []string{
			"country_code", "name", "registration_number", "vat_number", "website", "email", "pro_network",
		}
	case v2fields.InsightsSearch, v2fields.OwnershipSearch:
		return []string{"name", "registration_number"}
	}
	return nil
}

// Takes reports whether a name is that of a parameter or of a filter of the call, or the one under which the
// service says which parameters are missing. A refusal with another name is about another request.
func (c Call) Takes(name string) bool {
	_, isFilter := FilterKinds(c.Operation)[name]
	return isFilter || name == missingNames || slices.Contains(parameters(c.Operation), name)
}

// shortestMention is the length of the shortest value that Mentions looks for, in bytes. Shorter ones stand in
// ordinary words.
const shortestMention = 3

// Mentions reports whether a text repeats a value of the request. Such a text can name a person.
func (c Call) Mentions(text string) bool {
	text = strings.ToLower(text)
	mentioned := func(value string) bool {
		return len(value) >= shortestMention && strings.Contains(text, strings.ToLower(value))
	}
	for _, values := range c.Query {
		if slices.ContainsFunc(values, mentioned) {
			return true
		}
	}
	return mentioned(c.ID) || slices.ContainsFunc(textsIn(c.Body), mentioned)
}

// textsIn returns the texts and numbers in a JSON value, also in JSON that is encoded in a text as filters are.
func textsIn(data []byte) (texts []string) {
	var members map[string]json.RawMessage
	var elements []json.RawMessage
	var text string
	var number json.Number
	switch {
	case json.Unmarshal(data, &members) == nil:
		for _, value := range members {
			texts = append(texts, textsIn(value)...)
		}
	case json.Unmarshal(data, &elements) == nil:
		for _, value := range elements {
			texts = append(texts, textsIn(value)...)
		}
	case json.Unmarshal(data, &text) == nil:
		if inner := textsIn([]byte(text)); inner != nil {
			return inner
		}
		return []string{text}
	case json.Unmarshal(data, &number) == nil:
		return []string{number.String()}
	}
	return texts
}
