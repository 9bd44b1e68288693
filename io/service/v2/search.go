package v2

import (
	"encoding/json"
	"fmt"
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

// Lookup returns the lookup of a page of a search. Journals know the page by its operation and its body, so
// the body of a search must stay the same, byte for byte.
func (c Call) Lookup() (enrich.Lookup, error) {
	field, isSearch := c.Operation.SearchField()
	if !isSearch {
		return enrich.Lookup{}, fmt.Errorf("%s is not a search with pages", c.Operation)
	}
	return enrich.Lookup{
		Identity: enrich.Identity{Search: c.Operation.String() + " " + string(c.Body)}, Fields: enrich.FieldsOf(field),
	}, c.Check()
}

// pageOf returns the call for a page that Lookup named.
func pageOf(lookup enrich.Lookup) Call {
	name, body, _ := strings.Cut(lookup.Identity.Search, " ")
	o, _ := OperationNamed(name)
	field, isSearch := o.SearchField()
	if !isSearch || lookup.Fields != enrich.FieldsOf(field) || !json.Valid([]byte(body)) {
		return refused(fmt.Errorf("%.100q does not name a page of a search", lookup.Identity.Search))
	}
	return Call{Operation: o, Body: []byte(body)}
}
