package main

import (
	"fmt"
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/service/v1"
)

// requestName is one of the names that requests use, as --request-name calls it.
type requestName struct {
	name  string
	value *string
	// operation is the lookup whose path it is; nil for the other names.
	operation *enrich.Operation
	// path says that it is another path of the document.
	path bool
	// member says that it stands in the body of a lookup.
	member bool
}

// requestNamesOf lists the names that can be given, with their places.
func requestNamesOf(n *v1.Names) []requestName {
	lookup := func(name string, value *string, operation enrich.Operation) requestName {
		return requestName{name: name, value: value, operation: &operation}
	}
	member := func(name string, value *string) requestName {
		return requestName{name: name, value: value, member: true}
	}
	return []requestName{
		lookup("find_work_email", &n.FindWorkEmail, enrich.FindWorkEmail),
		lookup("find_phone", &n.FindPhone, enrich.FindPhone),
		lookup("enrich", &n.Enrich, enrich.EnrichContact),
		{name: "account_status", value: &n.AccountStatus, path: true},
		{name: "openapi", value: &n.OpenAPI},
		member("profile_url", &n.ProfileURL),
		member("first_name", &n.FirstName), member("last_name", &n.LastName),
		member("company_domain", &n.CompanyDomain), member("company_name", &n.CompanyName),
		member("include_email", &n.IncludeEmail), member("include_phone", &n.IncludePhone), member("include_profile", &n.IncludeProfile),
	}
}

// namesOfRequests lists what --request-name can name.
func namesOfRequests() []string {
	var names []string
	for _, known := range requestNamesOf(new(v1.Names)) {
		names = append(names, known.name)
	}
	return names
}

// parseRequestNames reads the values of --request-name. Its errors continue that name.
func parseRequestNames(texts []string) (names v1.Names, err error) {
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		known := requestNamesOf(&names)
		i := slices.IndexFunc(known, func(k requestName) bool { return k.name == name })
		switch {
		case !ok || i < 0 || value == "":
			return names, fmt.Errorf("%s: write NAME=VALUE, with NAME one of %s", text, strings.Join(namesOfRequests(), ", "))
		case *known[i].value != "":
			return names, fmt.Errorf("%s: %s is given twice; give it once", text, name)
		}
		*known[i].value = value
	}
	return names, names.Validate()
}

// checkRequestNames refuses names that the user has given and that the service's
// document does not have, and lookups whose paths it does not have. The paths of a
// document in which no lookup is found at all may only be written in another way.
func (j *job) checkRequestNames(document publication) error {
	for _, given := range requestNamesOf(&j.names) {
		var why string
		switch {
		case *given.value == "":
		case given.operation != nil:
			_, described := document.Operations[*given.operation]
			why = document.withoutPath(described)
		case given.path:
			why = document.withoutPath(slices.ContainsFunc(document.Others, func(path string) bool {
				return strings.HasSuffix(path, "/"+*given.value)
			}))
		case given.member:
			why = document.withoutMember(*given.value)
		}
		if why != "" {
			return usagef("--request-name %s=%s: %s %s; nothing was sent", given.name, *given.value, document.name, why)
		}
	}
	if j.transport.Value != string(v1.REST) || len(document.Operations) == 0 {
		return nil
	}
	for _, known := range requestNamesOf(new(v1.Names)) {
		if known.operation == nil || j.sent()[*known.operation] == 0 {
			continue
		}
		_, described := document.Operations[*known.operation]
		if why := document.withoutPath(described); why != "" {
			return usagef("%s: %s %s; give the service's own with --request-name %s=PATH; nothing was sent",
				*known.operation, document.name, why, known.name)
		}
	}
	return nil
}

// withoutPath says that a path is not described, and which are; "" when it is.
func (p publication) withoutPath(described bool) string {
	if described {
		return ""
	}
	has := slices.Clone(p.Others)
	for _, offer := range p.Operations {
		has = append(has, offer.Name)
	}
	slices.Sort(has)
	return "has no such path; it has " + strings.Join(has, ", ")
}

// withoutMember says that no lookup has a member of that name in its input, and which
// there are; "" when one has it, or none says what it has.
func (p publication) withoutMember(name string) string {
	var has []string
	for _, offer := range p.Operations {
		has = append(has, offer.Inputs()...)
	}
	if len(has) == 0 || slices.Contains(has, name) {
		return ""
	}
	slices.Sort(has)
	return "has no such member in the input of a lookup; it has " + strings.Join(slices.Compact(has), ", ")
}
