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

// RoleOf returns the role of the column that a field is written to.
func RoleOf(f enrich.Field) Role {
	if f == enrich.BusinessPhone {
		return Phone
	}
	return Email
}

// HeldRoleOf returns the role of further columns with values of a field.
func HeldRoleOf(f enrich.Field) Role {
	if f == enrich.BusinessPhone {
		return HeldPhone
	}
	return HeldEmail
}

// ColumnOf returns the column that a field is written to, or None.
func (m Mapping) ColumnOf(f enrich.Field) int { return m.Column(RoleOf(f)) }

// HeldIn returns further columns with values of a field.
func (m Mapping) HeldIn(f enrich.Field) []int { return m[HeldRoleOf(f)] }

// CanIdentify reports whether the mapped columns could make a whole pattern.
func (m Mapping) CanIdentify() bool {
	has := func(role Role) bool { return len(m[role]) > 0 }
	return has(ProfileURL) || (has(FirstName) && has(LastName) || has(FullName)) && (has(CompanyDomain) || has(CompanyName))
}

// CheckFilled refuses one column for two fields that are wanted: a cell takes one value.
func (m Mapping) CheckFilled(schema table.Schema, wanted enrich.Fields) error {
	var fields []enrich.Field
	var filled []int
	for f := range wanted.Each() {
		column := m.ColumnOf(f)
		if column != None && slices.Contains(filled, column) {
			first := fields[slices.Index(filled, column)]
			return &SharedColumnError{described(schema, []int{column}), RoleOf(first), RoleOf(f)}
		}
		fields, filled = append(fields, f), append(filled, column)
	}
	return nil
}
