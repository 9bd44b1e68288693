package v1

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Names are the names that requests use for things. The specification shows most
// of them and leaves those of the name-plus-company pattern open; where the service
// differs from what is assumed they can be given. An empty one is the one of
// DefaultNames.
type Names struct {
	// Paths, relative to the base URL.
	AccountStatus, FindWorkEmail, FindPhone, Enrich, OpenAPI string

	// Members of the body of a lookup.
	ProfileURL, FirstName, LastName, CompanyDomain, CompanyName string
	IncludeEmail, IncludePhone, IncludeProfile                  string
}

// DefaultNames returns the names of specification v1, "Endpoints", and those that
// are assumed where it shows none.
func DefaultNames() Names {
	return Names{
		AccountStatus:  "account/status",
		FindWorkEmail:  "contacts/find-work-email",
		FindPhone:      "contacts/find-phone",
		Enrich:         "contacts/enrich",
		OpenAPI:        "openapi.json",
		ProfileURL:     "pro_network_url",
		FirstName:      "first_name",
		LastName:       "last_name",
		CompanyDomain:  "company_domain",
		CompanyName:    "company_name",
		IncludeEmail:   "include_email",
		IncludePhone:   "include_phone",
		IncludeProfile: "include_profile",
	}
}

// orDefaults returns the names with the defaults in place of empty ones.
func (n Names) orDefaults() Names {
	defaults := DefaultNames()
	for i, name := range n.all() {
		*name = cmp.Or(*name, *defaults.all()[i])
	}
	return n
}

func (n *Names) paths() []*string {
	return []*string{&n.AccountStatus, &n.FindWorkEmail, &n.FindPhone, &n.Enrich, &n.OpenAPI}
}

func (n *Names) identifiers() []*string {
	return []*string{&n.ProfileURL, &n.FirstName, &n.LastName, &n.CompanyDomain, &n.CompanyName}
}

func (n *Names) switches() []*string {
	return []*string{&n.IncludeEmail, &n.IncludePhone, &n.IncludeProfile}
}

func (n *Names) members() []*string { return slices.Concat(n.identifiers(), n.switches()) }

func (n *Names) all() []*string { return slices.Concat(n.paths(), n.members()) }

// Validate says what is wrong with the names, of which empty ones are those of
// DefaultNames.
func (n Names) Validate() error { return n.orDefaults().check() }

// check returns what is wrong with the names, none of which is empty.
func (n Names) check() error {
	var problems []error
	for _, path := range n.paths() {
		problems = append(problems, checkPath(*path))
	}
	for _, member := range n.members() {
		problems = append(problems, checkMember(*member))
	}
	problems = append(problems, checkDistinct("path", n.paths()), checkDistinct("body name", n.members()))
	return errors.Join(problems...)
}

const (
	alphanumeric    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	pathCharacters  = alphanumeric + "-._~/"
	namePunctuation = "-._~:$@/"
)

// checkPath accepts what names one place below the base URL, in one way.
func checkPath(path string) error {
	odd := func(segment string) bool { return segment == "" || segment == "." || segment == ".." }
	if len(path) > maxName || strings.Trim(path, pathCharacters) != "" || slices.ContainsFunc(strings.Split(path, "/"), odd) {
		return fmt.Errorf("%q is not a path relative to the base URL; write it like contacts/enrich", path)
	}
	return nil
}

func checkMember(name string) error {
	if len(name) > maxName || strings.Trim(name, alphanumeric+namePunctuation) != "" {
		return fmt.Errorf("%q is not a name of a body member; use letters, digits and %s", name, namePunctuation)
	}
	return nil
}

func checkDistinct(what string, names []*string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[*name] {
			return fmt.Errorf("the %s %q is given twice; two things cannot have one name", what, *name)
		}
		seen[*name] = true
	}
	return nil
}

// path returns the path of an operation, relative to the base URL.
func (n Names) path(operation Operation) string {
	switch operation {
	case FindWorkEmail:
		return n.FindWorkEmail
	case FindPhone:
		return n.FindPhone
	default:
		return n.Enrich
	}
}
