package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"payonce/enrich"
	"payonce/io/service/v1"
)

// question is a lookup as it arrives, on whatever transport.
type question struct {
	operation v1.Operation
	identity  enrich.Identity
	fields    enrich.Fields
	profile   bool // profile data is wanted too
	body      []byte
}

// path returns the REST path of the operation.
func (q question) path() string { return contactsPath + q.operation.String() }

// canonical returns the identity's canonical form, "" when there is no identity.
func (q question) canonical() string {
	if q.identity == (enrich.Identity{}) {
		return ""
	}
	return q.identity.Canonical()
}

// arguments are the members of a lookup's body, as they were sent.
type arguments map[string]json.RawMessage

// parseQuestion reads a lookup's body. On an error the question holds nothing but
// the operation; the error is fit to be shown to the client.
func parseQuestion(operation v1.Operation, body []byte) (question, error) {
	none := question{operation: operation}
	args, err := parseArguments(body)
	if err != nil {
		return none, err
	}
	q := none
	if q.fields, q.profile, err = args.takeFields(operation); err != nil {
		return none, err
	}
	if q.identity, err = args.takeIdentity(); err != nil {
		return none, err
	}
	for name := range args {
		return none, fmt.Errorf("the field %q is unknown here; leave it out", name)
	}
	q.body = body
	return q, nil
}

func parseArguments(body []byte) (arguments, error) {
	var args arguments
	decoder := json.NewDecoder(bytes.NewReader(body))
	if err := decoder.Decode(&args); err != nil || args == nil {
		return nil, errors.New("the body is not a JSON object")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("the body goes on after its JSON object")
	}
	return args, nil
}

// takeFields removes the members that say what is wanted.
func (args arguments) takeFields(operation v1.Operation) (fields enrich.Fields, profile bool, err error) {
	switch operation {
	case v1.FindWorkEmail:
		return enrich.FieldsOf(v1.WorkEmail), false, nil
	case v1.FindPhone:
		return enrich.FieldsOf(v1.BusinessPhone), false, nil
	}
	for field := range v1.AllFields.Each() {
		name := inclusion(field)
		wanted, given, err := take[bool](args, name)
		switch {
		case err != nil:
			return 0, false, err
		case !given:
			return 0, false, fmt.Errorf("%s must be set to true or false", name)
		case wanted:
			fields = fields.With(field)
		}
	}
	if fields == 0 {
		return 0, false, errors.New("include_email and include_phone are both false; ask for at least one")
	}
	profile, _, err = take[bool](args, "include_profile")
	return fields, profile, err
}

// inclusion returns the member that says whether a field is wanted.
func inclusion(f enrich.Field) string {
	if f == v1.WorkEmail {
		return "include_email"
	}
	return "include_phone"
}

// takeIdentity removes the members that say who is meant: exactly one of the two
// patterns (specification v1, "What the service does").
func (args arguments) takeIdentity() (enrich.Identity, error) {
	var contact enrich.Contact
	var profile, name, company int
	for _, member := range []struct {
		name  string
		value *string
		given *int
	}{
		{"pro_network_url", &contact.ProfileURL, &profile},
		{"first_name", &contact.FirstName, &name},
		{"last_name", &contact.LastName, &name},
		{"company_domain", &contact.CompanyDomain, &company},
		{"company_name", &contact.CompanyName, &company},
	} {
		value, given, err := take[string](args, member.name)
		if err != nil {
			return enrich.Identity{}, err
		}
		if given {
			*member.value = value
			*member.given++
		}
	}
	byProfile := profile == 1 && name == 0 && company == 0
	byName := profile == 0 && name == 2 && company == 1
	if !byProfile && !byName {
		return enrich.Identity{}, errors.New("give either pro_network_url, or first_name and last_name with exactly one of company_domain and company_name")
	}
	id, reason := contact.Identify(enrich.ByProfile)
	if reason != "" {
		return enrich.Identity{}, errors.New(string(reason))
	}
	return id, nil
}

// take removes a member and returns its value, and whether it was given.
func take[T bool | string](args arguments, name string) (value T, given bool, err error) {
	raw, given := args[name]
	if !given {
		return value, false, nil
	}
	delete(args, name)
	if string(raw) == "null" || json.Unmarshal(raw, &value) != nil {
		return value, true, fmt.Errorf("%s must be a JSON %T", name, value)
	}
	return value, true, nil
}
