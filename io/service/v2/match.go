// This file decides which of the companies that a search returned is the one that was sought. It knows no
// service and no file: the same candidates give the same choice each time.

package v2

import (
	"fmt"
	"strings"

	"payonce/enrich"
	"payonce/enrich/fit"
)

// Candidate is a company that a search returned. What it does not say is "".
type Candidate struct {
	ID, Name, Status string
	Country          string // a code or a name
	Registration     string // number
}

// FoundCompanies is what a search returned.
type FoundCompanies struct {
	Candidates []Candidate
	// More says that there are results that were not returned.
	More bool
}

// ChooseCompany returns the only candidate that is active, in the country of the company that was sought, and has its
// registration number or, where none was sought, an equal name. A candidate without a status counts as active.
//
// Without such a candidate, with several of them, and when there may be more that were not returned, the company
// is ambiguous. Then the reason says why.
func ChooseCompany(sought enrich.Company, found FoundCompanies) (chosen Candidate, ambiguous string) {
	what := "this name"
	if sought.RegistrationNumber != "" {
		what = "this number"
	}
	seen := map[string]bool{} // ids that fit
	for _, c := range found.Candidates {
		if c.ID != "" && fits(sought, c) && !seen[c.ID] {
			seen[c.ID] = true
			chosen = c
		}
	}
	number := fmt.Sprintf("%d candidates", len(found.Candidates))
	if len(found.Candidates) == 1 {
		number = "1 candidate"
	}
	switch {
	case sought.Country == "":
		return Candidate{}, number + ", and the row has no country"
	case found.More:
		return Candidate{}, number + " of more that were not returned"
	case len(seen) == 0:
		return Candidate{}, fmt.Sprintf("%s, none is active in %s with %s", number, sought.Country, what)
	case len(seen) > 1:
		return Candidate{}, fmt.Sprintf("%s, %d are active in %s with %s", number, len(seen), sought.Country, what)
	}
	return chosen, ""
}

// fits reports whether a candidate can be the company that was sought.
func fits(sought enrich.Company, c Candidate) bool {
	if status := strings.TrimSpace(c.Status); status != "" && !strings.EqualFold(status, "active") {
		return false
	}
	named, reason := enrich.Company{Name: "x", Country: c.Country}.Identify(enrich.ByCompanyName)
	if reason != "" || named.Company.Country == "" || named.Company.Country != sought.Country {
		return false
	}
	if sought.RegistrationNumber != "" {
		return sameNumber(sought, c.Registration)
	}
	return fit.SameCompanyName(sought.Name, c.Name)
}

// sameNumber reports whether a registration number is that of the company that was sought.
func sameNumber(sought enrich.Company, number string) bool {
	other := enrich.Company{Country: sought.Country, State: sought.State, RegistrationNumber: number}
	wanted := enrich.Company{Country: sought.Country, State: sought.State, RegistrationNumber: sought.RegistrationNumber}
	a, _ := other.Identify(enrich.ByRegistration)
	b, _ := wanted.Identify(enrich.ByRegistration)
	return a != (enrich.Identity{}) && a.Canonical() == b.Canonical()
}
