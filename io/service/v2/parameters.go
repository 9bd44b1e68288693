package v2

import (
	"encoding/json"
	"slices"
	"strings"
)

// missingNames is the member of a refusal under which the service says which of several parameters are missing
// (specification v2, "Errors").
const missingNames = "fields"

// parameters returns the names of what an operation takes in its path, its query and its body (specification v2,
// "Endpoints"), without filters.
func parameters(o Operation) []string {
	switch o {
	case OpProspecting, OpEmployees:
		return []string{"page", "per_page", "filters"}
	case OpOverview:
		return []string{
			"country_code", "state", "name", "registration_number", "lei_number", "vat_number", "website", "phone_number", "person",
			"company_status", "page", "per_page", "pro_network",
		}
	case OpGetCompany, OpGetEmployee, OpGetInsights, OpGetOwnership:
		return []string{"id"}
	case OpGetFinancials:
		return []string{"id", "year"}
	case OpWatchStart:
		return []string{"id", "fields"}
	case OpEnrichURL:
		return []string{"url"}
	case OpEnrichCompanyProfile:
		return []string{"linkedin"}
	case OpEnrichCompany:
		return []string{"country_code", "registration_number", "vat_number", "state"}
	case OpEnrichEmail:
		return []string{"email", "reveal_phone"}
	case OpEnrichEmployeeProfile:
		return []string{"linkedin", "reveal_email", "reveal_phone"}
	case OpEnrichEmployee:
		return []string{
			"first_name", "last_name", "company_name", "domain", "email", "pro_network", "reveal_email", "reveal_phone",
		}
	case OpEnrichEmployeeSearch:
		return []string{
			"domain_list", "company_locations", "employee_locations", "employee_seniorities", "page", "per_page",
		}
	case OpAutocomplete:
		return []string{
			"country_code", "name", "registration_number", "vat_number", "website", "email", "pro_network",
		}
	case OpInsightsSearch, OpOwnershipSearch:
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
