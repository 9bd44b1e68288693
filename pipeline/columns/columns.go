// Package columns finds out which column of a list means what. It looks at the headers and at the cells of
// the first rows. Where the two disagree, the column is not used.
package columns

import (
	"slices"

	"payonce/enrich"
	"payonce/io/table"
)

// Role is what a column of the list means to the program.
type Role string

// The roles, as overrides name them.
const (
	ProfileURL    Role = "profile_url"
	FirstName     Role = "first_name"
	LastName      Role = "last_name"
	CompanyDomain Role = "company_domain"
	CompanyName   Role = "company_name"
	Email         Role = "email"
	Phone         Role = "phone"
	// FullName is a first and a last name in one cell. It is used where there are no columns for both.
	FullName Role = "full_name"
	// HeldEmail and HeldPhone are columns whose values count as held. They are never written to.
	HeldEmail Role = "held_email"
	HeldPhone Role = "held_phone"
	// ContactID is the service's own id of a person.
	ContactID Role = "contact_id"
	// RecordID is the id of a record in the program that the list was exported from, and RecordModified the time when the
	// record was changed last. Both name no person.
	RecordID       Role = "record_id"
	RecordModified Role = "record_modified"
)

// The roles of columns that name companies. A step that asks about companies reads them.
const (
	CompanyID          Role = "company_id"
	CompanyCountry     Role = "company_country"
	CompanyState       Role = "company_state"
	RegistrationNumber Role = "registration_number"
	VATNumber          Role = "vat_number"
	CompanyWebsite     Role = "company_website"
	CompanyProfileURL  Role = "company_profile_url"
)

// Shown lists the roles that a plan of a list of persons shows in any case, in their order.
func Shown() []Role {
	return []Role{ProfileURL, FirstName, LastName, CompanyDomain, CompanyName, Email, Phone}
}

// ofCompanies lists the roles that only companies have.
func ofCompanies() []Role {
	return []Role{
		CompanyWebsite, CompanyProfileURL, CompanyCountry, CompanyState, RegistrationNumber, VATNumber, CompanyID,
	}
}

// Roles lists every role.
func Roles() []Role { return slices.Concat(RolesOf(enrich.Persons), ofCompanies()) }

// RolesOf lists the roles that columns of a list of persons or of companies have.
func RolesOf(lists enrich.Subject) []Role {
	if lists == enrich.Companies {
		return append([]Role{CompanyName}, ofCompanies()...)
	}
	return append(Shown(), FullName, HeldEmail, HeldPhone, ContactID, RecordID, RecordModified)
}

// Names reports whether columns of a role name subjects of a kind. The company of a contact is named by its
// domain and its name as well.
func Names(role Role, subject enrich.Subject) bool {
	switch role {
	case CompanyDomain, CompanyName:
		return true
	case ProfileURL, FirstName, LastName, FullName, ContactID:
		return subject == enrich.Persons
	}
	return subject == enrich.Companies && slices.Contains(ofCompanies(), role)
}

// Mapping says which columns, from 0, have which role. Of several columns the first cell that is not blank
// counts.
type Mapping map[Role][]int

// None means "no column".
const None = -1

// Column returns the first column of a role, or None.
func (m Mapping) Column(role Role) int {
	if columns := m[role]; len(columns) > 0 {
		return columns[0]
	}
	return None
}

// Filled lists the roles of columns that fields are written to.
func Filled() []Role { return []Role{Email, Phone} }

// HeldRole returns the role of further columns with the same values as those of a role that is filled.
func HeldRole(filled Role) Role {
	if filled == Phone {
		return HeldPhone
	}
	return HeldEmail
}

// Own returns the columns of a field: the one that it is written to, or None, and further ones with
// values of it.
func (m Mapping) Own(field enrich.Description) (column int, held []int) {
	if field.Role == "" {
		return None, nil
	}
	role := Role(field.Role)
	return m.Column(role), m[HeldRole(role)]
}

// Roles lists the roles that a record of the mapping names: those of lists of persons, and those that only
// companies have where a column has one.
func (m Mapping) Roles() []Role {
	if slices.ContainsFunc(ofCompanies(), func(role Role) bool { return len(m[role]) > 0 }) {
		return Roles()
	}
	return RolesOf(enrich.Persons)
}

// CanIdentify reports whether the mapped columns could make a whole pattern of a person.
func (m Mapping) CanIdentify() bool { return m.Identifies(enrich.UsualPatterns() & personPatterns()) }

// personPatterns are the patterns of persons.
func personPatterns() enrich.Patterns {
	return enrich.PatternsOf(enrich.ByProfile, enrich.ByName, enrich.ByEmail, enrich.ByContactID)
}

// Identifies reports whether the mapped columns could make a whole pattern of those given. The id of a company
// can also come from an earlier step.
func (m Mapping) Identifies(by enrich.Patterns) bool {
	has := func(roles ...Role) bool {
		return slices.ContainsFunc(roles, func(role Role) bool { return len(m[role]) > 0 })
	}
	for pattern, whole := range map[enrich.Pattern]bool{
		enrich.ByProfile:        has(ProfileURL),
		enrich.ByName:           (has(FirstName) && has(LastName) || has(FullName)) && has(CompanyDomain, CompanyName),
		enrich.ByEmail:          has(Email, HeldEmail),
		enrich.ByID:             has(CompanyID),
		enrich.ByContactID:      has(ContactID),
		enrich.ByRegistration:   has(RegistrationNumber) && has(CompanyCountry) || has(VATNumber),
		enrich.ByWebsite:        has(CompanyWebsite, CompanyDomain),
		enrich.ByCompanyProfile: has(CompanyProfileURL),
		enrich.ByCompanyName:    has(CompanyName),
	} {
		if whole && by.Has(pattern) {
			return true
		}
	}
	return false
}

// Needed says which columns identify a subject of a kind.
func Needed(subject enrich.Subject) string {
	if subject == enrich.Companies {
		return "a website, a profile URL of a company, a registration number with a country, a VAT number or a company_id"
	}
	return "a profile URL, or first name, last name and company domain or name"
}

// CheckFilled refuses one column for two fields that are wanted: a cell takes one value.
func (m Mapping) CheckFilled(schema table.Schema, catalogue enrich.Catalogue, wanted enrich.Fields) error {
	var roles []Role
	var filled []int
	for f := range wanted.Each() {
		role := Role(catalogue.Fields[f].Role)
		column, _ := m.Own(catalogue.Fields[f])
		if column != None && slices.Contains(filled, column) {
			first := roles[slices.Index(filled, column)]
			return &SharedColumnError{described(schema, []int{column}), first, role}
		}
		roles, filled = append(roles, role), append(filled, column)
	}
	return nil
}
