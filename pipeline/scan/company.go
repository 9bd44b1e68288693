package scan

import (
	"slices"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
)

// companyReader reads which company a row names.
type companyReader struct {
	id, country, state, registration, vat, website, profileURL, name []int

	prefer           enrich.Pattern
	patterns         enrich.Patterns
	search, searched SearchScope
	resolves, most   bool
	withoutID        bool
	selected         map[string]string
}

func newCompanyReader(s Scope) *companyReader {
	m := s.Mapping
	r := &companyReader{
		prefer: s.Prefer, patterns: s.patterns(), search: s.Search, searched: s.Searched, resolves: s.Resolves,
		most: s.Most, withoutID: s.WithoutID, selected: s.Selected,
	}
	r.id, r.country, r.state = m[columns.CompanyID], m[columns.CompanyCountry], m[columns.CompanyState]
	r.registration, r.vat = m[columns.RegistrationNumber], m[columns.VATNumber]
	// The domain of a contact's company is that of its website.
	r.website = slices.Concat(m[columns.CompanyWebsite], m[columns.CompanyDomain])
	r.profileURL, r.name = m[columns.CompanyProfileURL], m[columns.CompanyName]
	return r
}

// company returns what the cells of a row say of its company.
func (r *companyReader) company(row table.Row) enrich.Company {
	text := func(of []int) string { return string(cellOf(row, of)) }
	return enrich.Company{
		ID: text(r.id), Country: text(r.country), State: text(r.state),
		RegistrationNumber: text(r.registration), VATNumber: text(r.vat),
		Website: text(r.website), ProfileURL: text(r.profileURL), Name: text(r.name),
	}
}

// identify returns the identity by which the step asks about the company of a row.
func (r *companyReader) identify(row table.Row) (enrich.Identity, enrich.Unidentifiable) {
	company := r.company(row)
	if r.search.exists() {
		return r.search.identify(company, r.prefer)
	}
	if r.patterns.Has(enrich.ByID) {
		company = r.withSelected(company)
	}
	return company.Only(r.patterns).Identify(r.prefer)
}

// leaves reports whether the company of a row is left to other steps.
func (r *companyReader) leaves(row table.Row) bool {
	switch {
	case r.search.exists():
		return r.search.leaves(r.withSelected(r.company(row)))
	case r.resolves && !r.most && !row.(answeredRow).Unresolved():
		return true
	case r.resolves:
		return !r.searched.isFor(r.withSelected(r.company(row)))
	case r.searched.exists():
		company := r.withSelected(r.company(row))
		return r.withoutID && company.ID != "" || r.searched.isFor(company)
	}
	return false
}

// withSelected returns a company with the id that somebody chose for its name or number, when that is what names
// it.
func (r *companyReader) withSelected(company enrich.Company) enrich.Company {
	if len(r.selected) == 0 {
		return company
	}
	id, reason := company.Identify(enrich.ByID)
	if pattern := id.Pattern(); reason == "" && (pattern == enrich.ByCompanyName || pattern == enrich.ByRegistration) {
		company.ID = r.selected[id.Canonical()]
	}
	return company
}
