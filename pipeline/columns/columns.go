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

// Shown lists the roles that a plan shows in any case, in their order.
func Shown() []Role {
	return []Role{ProfileURL, FirstName, LastName, CompanyDomain, CompanyName, Email, Phone}
}

// Roles lists every role.
func Roles() []Role { return append(Shown(), FullName, HeldEmail, HeldPhone) }

// Mapping says which columns, from 0, have which role. Of several columns the first cell that is not blank
// counts.
type Mapping map[Role][]int

// None stands for "no column".
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

// CanIdentify reports whether the mapped columns could make a whole pattern.
func (m Mapping) CanIdentify() bool {
	has := func(role Role) bool { return len(m[role]) > 0 }
	return has(ProfileURL) || (has(FirstName) && has(LastName) || has(FullName)) && (has(CompanyDomain) || has(CompanyName))
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
