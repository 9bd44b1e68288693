package v1

import (
	"errors"
	"fmt"

	"payonce/enrich"
)

// question is a lookup as it is sent over either transport.
type question struct {
	operation Operation
	body      map[string]any
}

// question returns what is sent for a lookup: the narrowest operation that asks
// for exactly its fields, or enrich where the profile is wanted too. A lookup that
// asks for nothing or about nobody is an error.
func (s settings) question(lookup enrich.Lookup) (question, error) {
	if lookup.Fields == 0 || lookup.Fields.Without(AllFields) != 0 {
		return question{}, fmt.Errorf("the lookup asks for no known field (%q)", lookup.Fields)
	}
	body, err := s.names.identify(lookup.Identity)
	if err != nil {
		return question{}, err
	}
	operation := OperationOf(lookup.Fields)
	if s.includeProfile {
		operation = EnrichContact
	}
	if operation == EnrichContact {
		body[s.names.IncludeEmail] = lookup.Fields.Has(WorkEmail)
		body[s.names.IncludePhone] = lookup.Fields.Has(BusinessPhone)
		body[s.names.IncludeProfile] = s.includeProfile
	}
	return question{operation, body}, nil
}

// identify returns exactly one identifier pattern (specification v1, "What the
// service does").
func (n Names) identify(id enrich.Identity) (map[string]any, error) {
	if id.Pattern() == enrich.ByProfile {
		return map[string]any{n.ProfileURL: id.ProfileURL}, nil
	}
	if id.FirstName == "" || id.LastName == "" || id.CompanyDomain == "" && id.CompanyName == "" {
		return nil, errors.New("the lookup's identity has no whole pattern; identify the contact first")
	}
	body := map[string]any{n.FirstName: id.FirstName, n.LastName: id.LastName}
	if id.CompanyDomain != "" {
		body[n.CompanyDomain] = id.CompanyDomain
	} else {
		body[n.CompanyName] = id.CompanyName
	}
	return body, nil
}
