package scan

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
)

// companyReader reads which company a row names. The company of a row is read once, and identified once.
type companyReader struct {
	row                  table.Row
	isRead, isIdentified bool
	company, chosen      enrich.Company // chosen is the company with the id that somebody chose for it
	id                   enrich.Identity
	reason               enrich.Unidentifiable

	ids, country, state, registration, vat, website, profileURL, name []int

	prefer           enrich.Pattern
	patterns         enrich.Patterns
	search, searched SearchScope
	resolves, most   bool
	withoutID        bool
	byIDAlone        bool
	fallback         int
	selected         map[string]string
}

func newCompanyReader(s Scope) *companyReader {
	m := s.Mapping
	r := &companyReader{
		prefer: s.Prefer, patterns: s.patterns(), search: s.Search, searched: s.Searched, resolves: s.Resolves,
		most: s.Most, withoutID: s.WithoutID, selected: s.Selected, fallback: s.Fallback, byIDAlone: s.AsksByIDAlone(),
	}
	r.ids, r.country, r.state = m[columns.CompanyID], m[columns.CompanyCountry], m[columns.CompanyState]
	r.registration, r.vat = m[columns.RegistrationNumber], m[columns.VATNumber]
	// The domain of a contact's company is that of its website.
	r.website = slices.Concat(m[columns.CompanyWebsite], m[columns.CompanyDomain])
	r.profileURL, r.name = m[columns.CompanyProfileURL], m[columns.CompanyName]
	return r
}

// at goes to a row.
func (r *companyReader) at(row table.Row) { r.row, r.isRead, r.isIdentified = row, false, false }

// read reads what the cells of the row say of its company.
func (r *companyReader) read() {
	if r.isRead {
		return
	}
	text := func(role columns.Role, of []int) string { return string(cellOf(r.row, role, of)) }
	r.isRead, r.company = true, enrich.Company{
		ID: r.companyID(), Country: text(columns.CompanyCountry, r.country),
		State: text(columns.CompanyState, r.state), RegistrationNumber: text(columns.RegistrationNumber, r.registration),
		VATNumber: text(columns.VATNumber, r.vat), Website: text(columns.CompanyWebsite, r.website),
		ProfileURL: text(columns.CompanyProfileURL, r.profileURL), Name: text(columns.CompanyName, r.name),
	}
	r.chosen = r.withSelected(r.company)
}

// companyID returns the id of the company. A step that asks by the id alone does not ask by an id of the list when an
// answer with that id contradicts the row. The id of an accepted answer has a column of its own.
func (r *companyReader) companyID() string {
	answered, follows := r.row.(answeredRow)
	if !r.byIDAlone || !follows {
		return string(cellOf(r.row, columns.CompanyID, r.ids))
	}
	unread := "" // an id in a form that cannot be asked for
	for _, column := range r.ids {
		text := string(columns.Naming(columns.CompanyID, r.row.Cell(column)))
		if column >= FirstAnswer {
			text = plainNumber(text)
		}
		id, reason := enrich.Company{ID: text}.Identify(enrich.ByID)
		isOther := column < FirstAnswer && reason == "" &&
			slices.ContainsFunc(answered.Contradicted(), func(other enrich.Identity) bool { return other.Canonical() == id.Canonical() })
		switch {
		case reason == "" && text != "" && !isOther:
			return text
		case reason != "" && unread == "":
			unread = text
		}
	}
	return unread
}

// plainNumber returns the digits of a number that a service wrote in another form of JSON, such as 1.03e2. It returns
// every other text as it is, also digits with zeros before them: another identity would be bought again.
func plainNumber(text string) string {
	const exact = 1 << 53 // below it a float is the number that was written
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !strings.ContainsAny(text, ".eE") || n != math.Trunc(n) || n < 0 || n >= exact {
		return text
	}
	return strconv.FormatInt(int64(n), 10)
}

// identify returns the identity by which the step asks about the company of the row.
func (r *companyReader) identify() (enrich.Identity, enrich.Unidentifiable) {
	if r.isIdentified {
		return r.id, r.reason
	}
	r.read()
	r.isIdentified = true
	switch {
	case r.search.exists():
		r.id, r.reason = r.search.identify(r.company, r.prefer)
	case r.fallback > 0:
		all := r.chosen.Only(r.patterns).Identities(r.prefer)
		r.id, r.reason = enrich.Identity{}, enrich.NoCompanyIdentifiers
		if len(all) > r.fallback {
			r.id, r.reason = all[r.fallback], ""
		}
	case r.patterns.Has(enrich.ByID):
		r.id, r.reason = r.chosen.Only(r.patterns).Identify(r.prefer)
	default:
		r.id, r.reason = r.company.Only(r.patterns).Identify(r.prefer)
	}
	if r.reason == enrich.NoCompanyIdentifiers && r.patterns == enrich.PatternsOf(enrich.ByID) {
		r.reason = enrich.NoCompanyID
	}
	return r.id, r.reason
}

// leaves reports whether the company of the row is left to other steps.
func (r *companyReader) leaves() bool {
	if r.fallback > 0 {
		if _, reason := r.identify(); reason != "" {
			return true
		}
	}
	switch {
	case r.search.exists():
		r.read()
		return r.search.leaves(r.chosen)
	case r.resolves && !r.most && !r.row.(answeredRow).Unresolved():
		return true
	case r.resolves:
		r.read()
		return !r.searched.isFor(r.chosen)
	case r.searched.exists():
		r.read()
		return r.withoutID && r.chosen.ID != "" || r.searched.isFor(r.chosen)
	}
	return false
}

// isSelected reports whether the id of the row's company is one that somebody chose.
func (r *companyReader) isSelected() bool {
	r.read()
	return r.chosen.ID != r.company.ID
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
