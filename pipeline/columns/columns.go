package row

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"payonce/enrich"
	"payonce/io/table"
)

// Role is what a column of the list means to the program.
type Role string

// The roles, as overrides name them.
const (
	RoleProfileURL    Role = "profile_url"
	RoleFirstName     Role = "first_name"
	RoleLastName      Role = "last_name"
	RoleCompanyDomain Role = "company_domain"
	RoleCompanyName   Role = "company_name"
	RoleEmail         Role = "email"
	RolePhone         Role = "phone"
)

// Roles lists every role in the order in which they are shown.
var Roles = []Role{
	RoleProfileURL, RoleFirstName, RoleLastName, RoleCompanyDomain, RoleCompanyName, RoleEmail, RolePhone,
}

// synonyms are the header names by which a role is recognised, without case,
// spaces, underscores and punctuation. A mobile number is not a business phone:
// no name of one stands here (specification v1, "Client rules for writing results
// into a CRM contact").
var synonyms = map[Role][]string{
	RoleProfileURL: {
		"profileurl", "profile", "profilelink", "linkedin", "linkedinurl", "linkedinprofile", "linkedinprofileurl",
		"linkedinlink", "personlinkedinurl", "personlinkedin", "contactlinkedinurl", "pronetworkurl", "pronetworkprofile",
	},
	RoleFirstName: {"firstname", "givenname", "forename", "first", "fname", "contactfirstname"},
	RoleLastName:  {"lastname", "surname", "familyname", "last", "lname", "contactlastname"},
	RoleCompanyDomain: {
		"companydomain", "domain", "website", "companywebsite", "companyurl", "websiteurl", "companydomainname",
	},
	RoleCompanyName: {
		"company", "companyname", "organization", "organisation", "organizationname", "organisationname",
		"employer", "account", "accountname", "currentcompany",
	},
	RoleEmail: {
		"email", "workemail", "businessemail", "emailaddress", "companyemail", "workemailaddress",
		"businessemailaddress", "mail",
	},
	RolePhone: {
		"phone", "businessphone", "workphone", "phonenumber", "businessphonenumber", "workphonenumber",
		"telephone", "telephonenumber", "tel", "officephone", "companyphone",
	},
}

// Mapping says which column, from 0, has which role.
type Mapping map[Role]int

// MapColumns finds the columns by their headers. Overrides of the form
// ROLE=COLUMN win over what the headers say; COLUMN is a header's name, "#3" for
// the third column, or empty when the list has no such column.
func MapColumns(schema table.Schema, overrides []string) (Mapping, error) {
	chosen, err := parseOverrides(schema, overrides)
	if err != nil {
		return nil, err
	}
	mapping := Mapping{}
	for _, role := range Roles {
		column, overridden := chosen[role]
		if !overridden {
			if column, err = recognise(schema, role); err != nil {
				return nil, err
			}
		}
		if column >= 0 {
			mapping[role] = column
		}
	}
	return mapping, nil
}

// CheckFilled refuses one column for two fields that are wanted: a cell takes one value.
func (m Mapping) CheckFilled(schema table.Schema, wanted enrich.Fields) error {
	var fields []enrich.Field
	var filled []int
	for f := range wanted.Each() {
		column := m.columnOf(f)
		if column != None && slices.Contains(filled, column) {
			first := fields[slices.Index(filled, column)]
			return &SharedColumnError{described(schema, []int{column}), roleOf(first), roleOf(f)}
		}
		fields, filled = append(fields, f), append(filled, column)
	}
	return nil
}

func parseOverrides(schema table.Schema, overrides []string) (map[Role]int, error) {
	chosen := map[Role]int{}
	for _, override := range overrides {
		name, column, ok := strings.Cut(override, "=")
		role := Role(name)
		if !ok || !slices.Contains(Roles, role) {
			return nil, &OverrideError{override, fmt.Errorf("write FIELD=COLUMN, with FIELD one of %s", joinRoles())}
		}
		index, err := findColumn(schema, column)
		if err != nil {
			return nil, &OverrideError{override, err}
		}
		if _, twice := chosen[role]; twice {
			return nil, &OverrideError{override, fmt.Errorf("%s is mapped twice; give one column for it", role)}
		}
		chosen[role] = index
	}
	return chosen, nil
}

func joinRoles() string {
	names := make([]string, len(Roles))
	for i, role := range Roles {
		names[i] = string(role)
	}
	return strings.Join(names, ", ")
}

// findColumn returns the column of that name, exact or but for case, spaces and
// punctuation, or of that number.
func findColumn(schema table.Schema, name string) (int, error) {
	if name == "" {
		return None, nil
	}
	same := []func(header string) bool{
		func(header string) bool { return header == name },
		func(header string) bool { return simplify(header) == simplify(name) && simplify(name) != "" },
	}
	for _, match := range same {
		switch found := columnsWhere(schema, match); len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return None, fmt.Errorf("columns %s are all called %q; choose one by its number, such as #%d",
				numbers(found), name, found[0]+1)
		}
	}
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= len(schema.Columns) {
			return n - 1, nil
		}
	}
	return None, fmt.Errorf("the list has no column %q; its columns are %s", name, ListColumns(schema))
}

// shownColumns is how many columns of a list are named in a message.
const shownColumns = 40

// ListColumns names the columns of a list for a person: by number where the header is
// empty, and of many the first.
func ListColumns(schema table.Schema) string {
	names := slices.Clone(schema.Columns[:min(len(schema.Columns), shownColumns)])
	for i, name := range names {
		names[i] = cmp.Or(name, fmt.Sprintf("#%d", i+1))
	}
	if more := len(schema.Columns) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// recognise finds the column of a role by its synonyms.
func recognise(schema table.Schema, role Role) (int, error) {
	found := columnsWhere(schema, func(header string) bool {
		return slices.Contains(synonyms[role], simplify(header))
	})
	found = slices.DeleteFunc(found, func(column int) bool { return isAppendedProfile(schema, column) })
	switch len(found) {
	case 0:
		return None, nil
	case 1:
		return found[0], nil
	default:
		return None, &AmbiguousError{described(schema, found), role, found[0]}
	}
}

// ResultColumns returns the columns that an output appends, behind those of fields without a
// column of their own.
func ResultColumns() []table.Column {
	return []table.Column{
		{Name: "full_name"},
		{Name: "phone_type"},
		{Name: "enrich_status"},
		{Name: "enrich_reason"},
		{Name: "enrich_charge_usd", Kind: table.Money},
		{Name: "enrich_request_id"},
		{Name: "enrich_retrieved_at", Kind: table.Time},
		{Name: "enrich_provenance"},
	}
}

// ProfileColumn is the name of the column that an output appends for profiles.
const ProfileColumn = "profile"

// isAppendedProfile reports whether an earlier output of this program appended a column
// with JSON of profiles, as the columns before it tell. A profile URL often stands under
// the same name in people's own lists, so the name alone says nothing.
func isAppendedProfile(schema table.Schema, column int) bool {
	if schema.Columns[column] != ProfileColumn {
		return false
	}
	return slices.ContainsFunc(schema.Columns[:column], func(header string) bool {
		return strings.HasPrefix(header, "enrich_") &&
			slices.ContainsFunc(ResultColumns(), func(c table.Column) bool { return c.Name == header })
	})
}

func columnsWhere(schema table.Schema, match func(header string) bool) []int {
	var found []int
	for i, header := range schema.Columns {
		if match(header) {
			found = append(found, i)
		}
	}
	return found
}

func numbers(columns []int) string {
	texts := make([]string, len(columns))
	for i, column := range columns {
		texts[i] = fmt.Sprintf("#%d", column+1)
	}
	return strings.Join(texts, ", ")
}

func described(schema table.Schema, columns []int) string {
	texts := make([]string, len(columns))
	for i, column := range columns {
		texts[i] = fmt.Sprintf("#%d %q", column+1, schema.Columns[column])
	}
	return strings.Join(texts, " and ")
}

// simplify returns a header's letters and digits in lower case.
func simplify(header string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, header)
}

// CanIdentify reports whether the mapped columns could make a whole pattern.
func (m Mapping) CanIdentify() bool {
	has := func(role Role) bool { _, ok := m[role]; return ok }
	return has(RoleProfileURL) ||
		has(RoleFirstName) && has(RoleLastName) && (has(RoleCompanyDomain) || has(RoleCompanyName))
}

// None stands for "no column".
const None = -1

// Column returns the column of a role, or None.
func (m Mapping) Column(role Role) int {
	if column, ok := m[role]; ok {
		return column
	}
	return None
}

// roleOf returns the role of the column that a field is written to.
func roleOf(f enrich.Field) Role {
	if f == enrich.BusinessPhone {
		return RolePhone
	}
	return RoleEmail
}

// columnOf returns the column that a field is written to, or None.
func (m Mapping) columnOf(f enrich.Field) int { return m.Column(roleOf(f)) }
