package v2fields

import (
	"net/http"
	"strings"

	"payonce/enrich"
)

// Operation is one of the interface's operations (specification v2, "Endpoints").
type Operation uint8

// The operations, in the order of the specification.
const (
	Metrics Operation = iota
	ContactMetrics
	Prospecting
	Overview
	GetCompany
	Employees
	GetEmployee
	WatchStart
	WatchStop
	Watched
	WatchEvents
	WatchFields
	WatchFieldsAdd
	WatchFieldsRemove
	SetCallback
	GetCallback
	EnrichURL
	EnrichCompanyProfile
	EnrichCompany
	EnrichEmail
	EnrichEmployeeProfile
	EnrichEmployee
	EnrichEmployeeSearch
	Autocomplete
	GetFinancials
	InsightsSearch
	GetInsights
	OwnershipSearch
	GetOwnership
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
		Metrics:               {"metrics", get, "metrics"},
		ContactMetrics:        {"contact-metrics", get, "metrics/contacts"},
		Prospecting:           {"prospecting", post, "prospecting"},
		Overview:              {"overview", post, "overview"},
		GetCompany:            {"company", get, "companies/{id}"},
		Employees:             {"employees", post, "employees"},
		GetEmployee:           {"employee", get, "employees/{id}"},
		WatchStart:            {"watch-start", post, "companies/{id}/watch/start"},
		WatchStop:             {"watch-stop", remove, "companies/{id}/watch/stop"},
		Watched:               {"watched", get, "companies/watch"},
		WatchEvents:           {"watch-events", get, "companies/{id}/watch/events"},
		WatchFields:           {"watch-fields", get, "companies/{id}/watch/fields"},
		WatchFieldsAdd:        {"watch-fields-add", put, "companies/{id}/watch/fields/add"},
		WatchFieldsRemove:     {"watch-fields-remove", put, "companies/{id}/watch/fields/remove"},
		SetCallback:           {"set-callback", put, "companies/watch/callback"},
		GetCallback:           {"callback", get, "companies/watch/callback"},
		EnrichURL:             {"enrich-url", post, "enrichment/url"},
		EnrichCompanyProfile:  {"enrich-company-profile", post, "enrichment/company/linkedin"},
		EnrichCompany:         {"enrich-company", post, "enrichment/company"},
		EnrichEmail:           {"enrich-email", post, "enrichment/email"},
		EnrichEmployeeProfile: {"enrich-employee-profile", post, "enrichment/employee/linkedin"},
		EnrichEmployee:        {"enrich-employee", post, "enrichment/employee/contacts"},
		EnrichEmployeeSearch:  {"enrich-employee-search", post, "enrichment/employee/search"},
		Autocomplete:          {"autocomplete", post, "autocomplete"},
		GetFinancials:         {"financials", get, "financial/{id}"},
		InsightsSearch:        {"insights-search", post, "digital-insights"},
		GetInsights:           {"insights", get, "digital-insights/{id}"},
		OwnershipSearch:       {"ownership-search", post, "ownership"},
		GetOwnership:          {"ownership", get, "ownership/{id}"},
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
	for _, o := range Operations() {
		if o.String() == name {
			return o, true
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
	case Metrics, ContactMetrics, WatchStop, Watched, WatchEvents, WatchFields, WatchFieldsAdd,
		WatchFieldsRemove, SetCallback, GetCallback:
		return false
	}
	return true
}

// Asked returns the fields that a call of the operation can ask for; none for a free one and for the start of a
// watch. A page of a search counts as the field of the records that it lists.
func (o Operation) Asked() enrich.Fields {
	if f, isRecord := o.Field(); isRecord && f != Contact {
		return enrich.FieldsOf(f)
	} else if isRecord {
		return ContactData
	}
	if f, isPage := o.SearchField(); isPage {
		return enrich.FieldsOf(f)
	}
	switch o {
	case Overview:
		return enrich.FieldsOf(Match)
	case InsightsSearch:
		return enrich.FieldsOf(Insights)
	case OwnershipSearch:
		return enrich.FieldsOf(Ownership)
	}
	return 0
}

// SearchField returns the field that a page of results of the operation counts as: the one whose records use
// units of the same module. It returns false for an operation that is not a search with pages.
func (o Operation) SearchField() (enrich.Field, bool) {
	switch o {
	case Prospecting:
		return Company, true
	case Employees, EnrichEmployeeSearch:
		return Contact, true
	}
	return 0, false
}

// Field returns the field whose record the operation returns; false for searches, which return
// candidates, and for free operations.
func (o Operation) Field() (enrich.Field, bool) {
	switch o {
	case GetEmployee, EnrichEmail, EnrichEmployeeProfile, EnrichEmployee:
		return Contact, true
	case GetCompany, EnrichURL, EnrichCompanyProfile, EnrichCompany, Autocomplete:
		return Company, true
	case GetFinancials:
		return Financials, true
	case GetInsights:
		return Insights, true
	case GetOwnership:
		return Ownership, true
	}
	return 0, false
}
