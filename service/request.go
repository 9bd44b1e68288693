package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"payonce/enrich"
)

// requestNames are the names that requests use for things: every one of them
// stands here and nowhere else.
type requestNames struct {
	accountStatus string // path
	contacts      string // path that the operations are below

	profileURL, firstName, lastName, companyDomain, companyName string
	includeEmail, includePhone, includeProfile                  string
}

// defaultNames returns the names of specification v1, "Endpoints". It leaves those
// of the name-plus-company pattern open; they are assumptions.
func defaultNames() requestNames {
	return requestNames{
		accountStatus:  "account/status",
		contacts:       "contacts",
		profileURL:     "pro_network_url",
		firstName:      "first_name",
		lastName:       "last_name",
		companyDomain:  "company_domain",
		companyName:    "company_name",
		includeEmail:   "include_email",
		includePhone:   "include_phone",
		includeProfile: "include_profile",
	}
}

// newStatusRequest returns the free request for the account status.
func newStatusRequest(ctx context.Context, s settings, names requestNames) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.endpoint(names.accountStatus), nil)
	if err != nil {
		return nil, err
	}
	s.sign(request.Header)
	return request, nil
}

// newLookupRequest returns the paid request: the narrowest operation that asks
// for exactly the fields of the lookup.
func newLookupRequest(ctx context.Context, s settings, names requestNames, lookup enrich.Lookup) (*http.Request, error) {
	body, err := names.lookupBody(lookup)
	if err != nil {
		return nil, err
	}
	address := s.endpoint(names.operationPath(lookup.Fields.Operation()))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	s.sign(request.Header)
	request.Header.Set("Content-Type", "application/json")
	// Without it net/http cannot rewind the body, and so cannot send the request
	// again when a reused connection turns out to be dead. For the same reason
	// there is no header that calls the request idempotent.
	request.GetBody = nil
	return request, nil
}

func (n requestNames) operationPath(operation enrich.Operation) string {
	return n.contacts + "/" + operation.String()
}

// lookupBody returns the JSON body of a lookup. A lookup that asks for nothing or
// about nobody is an error.
func (n requestNames) lookupBody(lookup enrich.Lookup) ([]byte, error) {
	if lookup.Fields == 0 || lookup.Fields.Without(enrich.AllFields) != 0 {
		return nil, fmt.Errorf("the lookup asks for no known field (%q)", lookup.Fields)
	}
	body, err := n.identifiers(lookup.Identity)
	if err != nil {
		return nil, err
	}
	if lookup.Fields.Operation() == enrich.EnrichContact {
		body[n.includeEmail] = lookup.Fields.Has(enrich.WorkEmail)
		body[n.includePhone] = lookup.Fields.Has(enrich.BusinessPhone)
		body[n.includeProfile] = false
	}
	return json.Marshal(body)
}

// identifiers returns exactly one identifier pattern (specification v1, "What the
// service does").
func (n requestNames) identifiers(id enrich.Identity) (map[string]any, error) {
	if id.Pattern() == enrich.ByProfile {
		return map[string]any{n.profileURL: id.ProfileURL}, nil
	}
	if id.FirstName == "" || id.LastName == "" || id.CompanyDomain == "" && id.CompanyName == "" {
		return nil, errors.New("the lookup's identity has no whole pattern; identify the contact first")
	}
	body := map[string]any{n.firstName: id.FirstName, n.lastName: id.LastName}
	if id.CompanyDomain != "" {
		body[n.companyDomain] = id.CompanyDomain
	} else {
		body[n.companyName] = id.CompanyName
	}
	return body, nil
}
