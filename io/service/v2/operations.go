package v2

import (
	"net/http"
	"strings"

	"payonce/enrich"
)

// Operation is one of the interface's operations (specification v2, "Endpoints").
type Operation uint8

// The operations, in the order of the specification.
const (
	OpMetrics Operation = iota
	OpContactMetrics
	OpProspecting
	OpOverview
	OpGetCompany
	OpEmployees
	OpGetEmployee
	OpWatchStart
	OpWatchStop
	OpWatched
	OpWatchEvents
	OpWatchFields
	OpWatchFieldsAdd
	OpWatchFieldsRemove
	OpSetCallback
	OpGetCallback
	OpEnrichURL
	OpEnrichCompanyProfile
	OpEnrichCompany
	OpEnrichEmail
	OpEnrichEmployeeProfile
	OpEnrichEmployee
	OpEnrichEmployeeSearch
	OpAutocomplete
	OpGetFinancials
	OpInsightsSearch
	OpGetInsights
	OpOwnershipSearch
	OpGetOwnership
	operationCount
)

// entry describes an operation.
type entry struct {
	name   string // in journals, reports and configurations; it never changes
	method string
	path   string // relative to the base URL; {id} stands for an identifier
}

// entries is the table of the operations.
func entries() [operationCount]entry {
	const get, post, put, remove = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	return [operationCount]entry{
		OpMetrics:               {"metrics", get, "metrics"},
		OpContactMetrics:        {"contact-metrics", get, "metrics/contacts"},
		OpProspecting:           {"prospecting", post, "prospecting"},
		OpOverview:              {"overview", post, "overview"},
		OpGetCompany:            {"company", get, "companies/{id}"},
		OpEmployees:             {"employees", post, "employees"},
		OpGetEmployee:           {"employee", get, "employees/{id}"},
		OpWatchStart:            {"watch-start", post, "companies/{id}/watch/start"},
		OpWatchStop:             {"watch-stop", remove, "companies/{id}/watch/stop"},
		OpWatched:               {"watched", get, "companies/watch"},
		OpWatchEvents:           {"watch-events", get, "companies/{id}/watch/events"},
		OpWatchFields:           {"watch-fields", get, "companies/{id}/watch/fields"},
		OpWatchFieldsAdd:        {"watch-fields-add", put, "companies/{id}/watch/fields/add"},
		OpWatchFieldsRemove:     {"watch-fields-remove", put, "companies/{id}/watch/fields/remove"},
		OpSetCallback:           {"set-callback", put, "companies/watch/callback"},
		OpGetCallback:           {"callback", get, "companies/watch/callback"},
		OpEnrichURL:             {"enrich-url", post, "enrichment/url"},
		OpEnrichCompanyProfile:  {"enrich-company-profile", post, "enrichment/company/linkedin"},
		OpEnrichCompany:         {"enrich-company", post, "enrichment/company"},
		OpEnrichEmail:           {"enrich-email", post, "enrichment/email"},
		OpEnrichEmployeeProfile: {"enrich-employee-profile", post, "enrichment/employee/linkedin"},
		OpEnrichEmployee:        {"enrich-employee", post, "enrichment/employee/contacts"},
		OpEnrichEmployeeSearch:  {"enrich-employee-search", post, "enrichment/employee/search"},
		OpAutocomplete:          {"autocomplete", post, "autocomplete"},
		OpGetFinancials:         {"financials", get, "financial/{id}"},
		OpInsightsSearch:        {"insights-search", post, "digital-insights"},
		OpGetInsights:           {"insights", get, "digital-insights/{id}"},
		OpOwnershipSearch:       {"ownership-search", post, "ownership"},
		OpGetOwnership:          {"ownership", get, "ownership/{id}"},
	}
}

func (o Operation) entry() entry {
	if o < operationCount {
		return entries()[o]
	}
	return entry{name: "unknown-operation"}
}

// Operations returns the operations in the order of the specification.
func Operations() []Operation {
	all := make([]Operation, operationCount)
	for i := range all {
		all[i] = Operation(i)
	}
	return all
}

// OperationNamed returns the operation with a name of String.
func OperationNamed(name string) (Operation, bool) {
	for o, e := range entries() {
		if e.name == name {
			return Operation(o), true
		}
	}
	return 0, false
}

// String returns the operation's name in journals, reports and configurations.
func (o Operation) String() string { return o.entry().name }

// Method returns the HTTP method of the operation.
func (o Operation) Method() string { return o.entry().method }

// NeedsID reports whether the path of the operation has an identifier.
func (o Operation) NeedsID() bool { return strings.Contains(o.entry().path, "{id}") }

// Path returns the path of the operation for an identifier, relative to the base URL.
func (o Operation) Path(id string) string { return strings.Replace(o.entry().path, "{id}", id, 1) }

// Paid reports whether the operation uses something up. The others are free and can be repeated.
func (o Operation) Paid() bool {
	switch o {
	case OpMetrics, OpContactMetrics, OpWatchStop, OpWatched, OpWatchEvents, OpWatchFields, OpWatchFieldsAdd,
		OpWatchFieldsRemove, OpSetCallback, OpGetCallback:
		return false
	}
	return true
}

// Asked returns the fields that a call of the operation can ask for; none for a free one and for the start of a
// watch. A page of a search counts as the field of the records that it lists.
func (o Operation) Asked() enrich.Fields {
	if f, isRecord := o.Field(); isRecord && f != FieldContact {
		return enrich.FieldsOf(f)
	} else if isRecord {
		return FieldContactData
	}
	if f, isPage := o.SearchField(); isPage {
		return enrich.FieldsOf(f)
	}
	switch o {
	case OpInsightsSearch:
		return enrich.FieldsOf(FieldInsights)
	case OpOwnershipSearch:
		return enrich.FieldsOf(FieldOwnership)
	}
	return 0
}

// SearchField returns the field that a page of results of the operation counts as: the one whose records use
// units of the same module. It returns false for an operation that is not a search with pages.
func (o Operation) SearchField() (enrich.Field, bool) {
	switch o {
	case OpProspecting:
		return FieldCompany, true
	case OpOverview:
		return FieldMatch, true
	case OpEmployees, OpEnrichEmployeeSearch:
		return FieldContact, true
	}
	return 0, false
}

// Field returns the field whose record the operation returns; false for searches, which return
// candidates, and for free operations.
func (o Operation) Field() (enrich.Field, bool) {
	switch o {
	case OpGetEmployee, OpEnrichEmail, OpEnrichEmployeeProfile, OpEnrichEmployee:
		return FieldContact, true
	case OpGetCompany, OpEnrichURL, OpEnrichCompanyProfile, OpEnrichCompany, OpAutocomplete:
		return FieldCompany, true
	case OpGetFinancials:
		return FieldFinancials, true
	case OpGetInsights:
		return FieldInsights, true
	case OpGetOwnership:
		return FieldOwnership, true
	}
	return 0, false
}
