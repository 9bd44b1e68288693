package v2

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"payonce/enrich"
)

// LastPage returns the last page that a search returns, 0 when it has no last one (specification v2, "Limits").
func LastPage(o Operation) int {
	switch o {
	case OpProspecting, OpEmployees:
		return maxPage
	}
	return 0
}

// MostPerPage returns how many results a page of a search has at most, 0 when that is not known (specification v2,
// "Limits").
func MostPerPage(o Operation) int {
	if o == OpOverview {
		return overviewMost
	}
	return 0
}

// ListedField returns the field that an answer of the operation counts as in a list that is built: that of SearchField
// for a page of results, and that of Field for a record. The start of a watch counts as the company. It returns false
// for other operations.
func (o Operation) ListedField() (enrich.Field, bool) {
	switch o {
	case OpAutocomplete, OpGetFinancials:
		return o.Field()
	case OpWatchStart:
		return FieldCompany, true
	}
	return o.SearchField()
}

// Lookup returns the lookup of a page of a search, of a record that stands for one, or of the start of a watch. Journals
// know the page by its operation and its question, so the question must stay the same, byte for byte. That of a start is
// the company alone: which fields are watched can be changed without a start.
func (c Call) Lookup() (enrich.Lookup, error) {
	field, isListed := c.Operation.ListedField()
	if !isListed {
		return enrich.Lookup{}, fmt.Errorf("%s is not a search", c.Operation)
	}
	return enrich.Lookup{
		Identity: enrich.Identity{Search: c.Operation.String() + " " + c.question()}, Fields: enrich.FieldsOf(field),
	}, c.Check()
}

// question returns what the call asks, as JSON: its body, or its identifier and the parameters of its query.
func (c Call) question() string {
	if !c.Operation.NeedsID() {
		return string(c.Body)
	}
	members := map[string]string{"id": c.ID}
	for name := range c.Query {
		members[name] = c.Query.Get(name)
	}
	text, _ := json.Marshal(members) // texts always have a form
	return string(text)
}

// pageOf returns the call that Lookup named.
func pageOf(lookup enrich.Lookup) Call {
	name, question, _ := strings.Cut(lookup.Identity.Search, " ")
	o, _ := OperationNamed(name)
	field, isListed := o.ListedField()
	call := Call{Operation: o, Body: []byte(question)}
	valid := json.Valid(call.Body)
	if o.NeedsID() {
		var members map[string]string
		valid = json.Unmarshal(call.Body, &members) == nil
		if call = get(o, members["id"]); o == OpWatchStart {
			call = WatchStartCall(members["id"], nil)
		}
		for name, value := range members {
			if name != "id" {
				call.Query = withParameter(call.Query, name, value)
			}
		}
	}
	if !isListed || lookup.Fields != enrich.FieldsOf(field) || !valid {
		return refused(fmt.Errorf("%.100q does not name a page of a search", lookup.Identity.Search))
	}
	return call
}

func withParameter(query url.Values, name, value string) url.Values {
	if query == nil {
		query = url.Values{}
	}
	query.Set(name, value)
	return query
}
