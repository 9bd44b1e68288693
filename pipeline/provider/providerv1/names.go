package providerv1

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"payonce/cost"
	"payonce/io/service/v1"
	"payonce/pipeline/problem"
)

// requestName is one of the names that requests use.
type requestName struct {
	name  string
	value *string
	// operation is the lookup whose path it is; nil for the other names.
	operation *v1.Operation
	// path says that it is another path of the document.
	path bool
	// member says that it stands in the body of a lookup.
	member bool
}

// requestNamesOf lists the names that can be given, with their places.
func requestNamesOf(n *v1.Names) []requestName {
	lookup := func(name string, value *string, operation v1.Operation) requestName {
		return requestName{name: name, value: value, operation: &operation}
	}
	member := func(name string, value *string) requestName {
		return requestName{name: name, value: value, member: true}
	}
	return []requestName{
		lookup("find_work_email", &n.FindWorkEmail, v1.FindWorkEmail),
		lookup("find_phone", &n.FindPhone, v1.FindPhone),
		lookup("enrich", &n.Enrich, v1.EnrichContact),
		{name: "account_status", value: &n.AccountStatus, path: true},
		{name: "openapi", value: &n.OpenAPI},
		member("profile_url", &n.ProfileURL),
		member("first_name", &n.FirstName), member("last_name", &n.LastName),
		member("company_domain", &n.CompanyDomain), member("company_name", &n.CompanyName),
		member("include_email", &n.IncludeEmail), member("include_phone", &n.IncludePhone), member("include_profile", &n.IncludeProfile),
	}
}

// RequestNames lists the names that can be given.
func RequestNames() []string {
	var names []string
	for _, known := range requestNamesOf(new(v1.Names)) {
		names = append(names, known.name)
	}
	return names
}

// ParseRequestNames reads names that requests use: what the service calls a path or a member of a request.
func ParseRequestNames(given map[string]string) (names v1.Names, err error) {
	known := requestNamesOf(&names)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(known, func(k requestName) bool { return k.name == name })
		switch {
		case i < 0:
			return names, fmt.Errorf("%q is not a name of requests; the names are %s", name, strings.Join(RequestNames(), ", "))
		case given[name] == "":
			return names, fmt.Errorf("%s has no value", name)
		}
		*known[i].value = given[name]
	}
	return names, names.Validate()
}

// checkNames refuses names that the user has given and that the service's document does not
// have, and lookups whose paths it does not have. The paths of a document in which no lookup
// is found at all may only be written in another way.
func (p publication) checkNames(names v1.Names, transport v1.Transport, sent cost.Workload) error {
	for _, given := range requestNamesOf(&names) {
		var why string
		switch {
		case *given.value == "":
		case given.operation != nil:
			_, described := p.Operations[*given.operation]
			why = p.withoutPath(described)
		case given.path:
			why = p.withoutPath(slices.ContainsFunc(p.Others, func(path string) bool {
				return strings.HasSuffix(path, "/"+*given.value)
			}))
		case given.member:
			why = p.withoutMember(*given.value)
		}
		if why != "" {
			return problem.Usagef("the name %s=%s: %s %s; nothing was sent", given.name, *given.value, p.Name, why)
		}
	}
	if transport != v1.REST || len(p.Operations) == 0 {
		return nil
	}
	for _, known := range requestNamesOf(new(v1.Names)) {
		if known.operation == nil || sent[known.operation.Fields()] == 0 {
			continue
		}
		_, described := p.Operations[*known.operation]
		if why := p.withoutPath(described); why != "" {
			return problem.Coded("path_unknown", "%s: %s %s; nothing was sent", *known.operation, p.Name, why).With(known.name)
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
