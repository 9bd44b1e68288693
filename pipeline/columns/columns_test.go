package pipeline_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/output"
	"payonce/pipeline/row"
)

func mapColumns(t *testing.T, columns []string, overrides ...string) row.Mapping {
	t.Helper()
	mapping, err := row.MapColumns(table.Schema{Columns: columns}, overrides)
	if err != nil {
		t.Fatalf("columns %q with %q: %v", columns, overrides, err)
	}
	return mapping
}

func TestHeadersAreRecognised(t *testing.T) {
	tests := map[row.Role][]string{
		row.RoleProfileURL: {
			"profile_url", "Profile URL", "LinkedIn", "LinkedIn URL", "linkedin_profile", "Person Linkedin Url", "pro_network_url",
		},
		row.RoleFirstName:     {"first_name", "First Name", "FIRSTNAME", "Given name", "Forename", "first-name", " First  Name "},
		row.RoleLastName:      {"last_name", "Last Name", "Surname", "family name", "Last.Name"},
		row.RoleCompanyDomain: {"company_domain", "Domain", "Website", "Company Website", "company-url"},
		row.RoleCompanyName:   {"company_name", "Company", "Organization", "ORGANISATION", "Employer", "Account Name", "Company (name)"},
		row.RoleEmail:         {"email", "E-Mail", "Work Email", "work_email", "Business Email", "Email Address", "e-mail address"},
		row.RolePhone:         {"phone", "Phone", "Business Phone", "work_phone", "Phone Number", "Telephone", "Tel.", "Office phone"},
	}
	for role, headers := range tests {
		for _, header := range headers {
			got := mapColumns(t, []string{"Notes", header})
			if diff := cmp.Diff(row.Mapping{role: 1}, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", header, diff)
			}
		}
	}
}

// TestNoColumnOfAnotherKindIsTaken above all holds that a mobile number is not a
// business phone.
func TestNoColumnOfAnotherKindIsTaken(t *testing.T) {
	headers := []string{
		"Mobile", "Mobile Phone", "mobile_number", "Cell", "Cell Phone", "cellphone", "Handy", "Home Phone", "Personal Phone", "Direct Dial", "Fax",
		"Personal Email", "Private Email", "Secondary Email", "Email Status", "Name", "Full Name", "Middle Name", "Title", "City",
		"Company Linkedin Url", "Company Phone Extension", "Phone Type", "", " ", "#", "—",
	}
	if got := mapColumns(t, headers); len(got) != 0 {
		t.Errorf("recognised %v among columns that are none of ours", got)
	}
}

func TestTwoColumnsOfOneRoleAreAnError(t *testing.T) {
	columns := []string{"Email", "Name", "Work Email"}
	_, err := row.MapColumns(table.Schema{Columns: columns}, nil)
	wantError(t, err, `#1 "Email"`, `#3 "Work Email"`)
	if ambiguous, ok := errors.AsType[*row.AmbiguousError](err); !ok || ambiguous.Role != row.RoleEmail || ambiguous.First != 0 {
		t.Errorf("error %#v, want one that names the role and its first column", err)
	}
	got := mapColumns(t, columns, "email=#3")
	if diff := cmp.Diff(row.Mapping{row.RoleEmail: 2}, got); diff != "" {
		t.Errorf("with the advice taken (-want +got):\n%s", diff)
	}
}

// TestOneColumnTakesOneField: the output of what was paid for could not be written.
func TestOneColumnTakesOneField(t *testing.T) {
	schema := table.Schema{Columns: []string{"Name", "Phone"}}
	both := enrich.FieldsOf(enrich.WorkEmail, enrich.BusinessPhone)
	for _, overrides := range [][]string{{"email=Phone"}, {"email=#2", "phone=phone"}} {
		mapping := mapColumns(t, schema.Columns, overrides...)
		err := mapping.CheckFilled(schema, both)
		wantError(t, err, `column #2 "Phone" cannot be filled with both email and phone`)
		if shared, ok := errors.AsType[*row.SharedColumnError](err); !ok || shared.A != row.RoleEmail || shared.B != row.RolePhone {
			t.Errorf("error %#v, want one that names both roles", err)
		}
		for _, one := range []enrich.Fields{email, phone} {
			if err := mapping.CheckFilled(schema, one); err != nil {
				t.Errorf("%v alone: %v", one, err)
			}
		}
	}
	for _, overrides := range [][]string{nil, {"email=Phone", "phone="}, {"phone="}} {
		if err := mapColumns(t, schema.Columns, overrides...).CheckFilled(schema, both); err != nil {
			t.Errorf("%q: %v", overrides, err)
		}
	}
}

// TestAnOutputsOwnProfileIsNoProfileURL feeds an output with profiles back in.
func TestAnOutputsOwnProfileIsNoProfileURL(t *testing.T) {
	appended := func(list ...string) []string {
		schema := table.Schema{Columns: list}
		output := output.Output{Scope: row.Scope{Mapping: mapColumns(t, list), Wanted: email}, Profile: true}
		for _, column := range output.Columns(schema) {
			schema.Columns = append(schema.Columns, column.Name)
		}
		return schema.Columns
	}
	named := []string{"first name", "last name", "domain"}
	tests := map[string]struct {
		columns   []string
		overrides []string
		want      int // the column of profile URLs, from 1; 0 for none
	}{
		"people's own":          {columns: []string{"Name", "profile"}, want: 2},
		"by name":               {columns: appended(named...)},
		"by name, twice":        {columns: appended(appended(named...)...)},
		"by a profile":          {columns: appended("profile", "email"), want: 1},
		"by another name":       {columns: appended("email", "LinkedIn"), want: 2},
		"behind somebody's own": {columns: []string{"enrich_person", "profile"}, want: 2},
		"on request":            {columns: appended(named...), overrides: []string{"profile_url=profile"}, want: len(appended(named...))},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			column, found := mapColumns(t, test.columns, test.overrides...)[row.RoleProfileURL]
			if found != (test.want > 0) || found && column != test.want-1 {
				t.Errorf("in %q the profile URLs are in column %d, %v; want column %d", test.columns, column+1, found, test.want)
			}
		})
	}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

func TestOverrides(t *testing.T) {
	columns := []string{"Email", "Phone", "Kontakt Tel", "kontakt-tel", "#2", "Straße"}
	tests := map[string]struct {
		override string
		want     row.Mapping
	}{
		"by name":                    {"phone=Kontakt Tel", row.Mapping{row.RoleEmail: 0, row.RolePhone: 2}},
		"the exact name goes first":  {"phone=kontakt-tel", row.Mapping{row.RoleEmail: 0, row.RolePhone: 3}},
		"by folded name":             {"phone=EMAIL", row.Mapping{row.RoleEmail: 0, row.RolePhone: 0}},
		"by number":                  {"phone=#3", row.Mapping{row.RoleEmail: 0, row.RolePhone: 2}},
		"a name that is like one":    {"phone=#2", row.Mapping{row.RoleEmail: 0, row.RolePhone: 4}},
		"no such column":             {"phone=", row.Mapping{row.RoleEmail: 0}},
		"a role without a synonym":   {"first_name=straße", row.Mapping{row.RoleEmail: 0, row.RolePhone: 1, row.RoleFirstName: 5}},
		"the last column by number":  {"first_name=#6", row.Mapping{row.RoleEmail: 0, row.RolePhone: 1, row.RoleFirstName: 5}},
		"the first column by number": {"first_name=#1", row.Mapping{row.RoleEmail: 0, row.RolePhone: 1, row.RoleFirstName: 0}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			if diff := cmp.Diff(test.want, mapColumns(t, columns, test.override)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.override, diff)
			}
		})
	}
}

func TestWrongOverridesSayWhatToDo(t *testing.T) {
	columns := []string{"Email", "Tel A", "tel-a", "Note", "Note", ""}
	tests := map[string]struct {
		overrides []string
		want      []string
	}{
		"unknown role":               {[]string{"mobile=Tel A"}, []string{"mobile=Tel A: ", "profile_url, first_name"}},
		"no equals sign":             {[]string{"phone"}, []string{"phone: ", "FIELD=COLUMN"}},
		"empty":                      {[]string{""}, []string{"FIELD=COLUMN"}},
		"unknown column":             {[]string{"phone=Fon"}, []string{`no column "Fon"`, "Email, Tel A, tel-a"}},
		"number past the end":        {[]string{"phone=#7"}, []string{`no column "#7"`}},
		"number zero":                {[]string{"phone=#0"}, []string{`no column "#0"`}},
		"no number":                  {[]string{"phone=#x"}, []string{`no column "#x"`}},
		"nothing but signs":          {[]string{"phone=--"}, []string{`no column "--"`}},
		"a name that two have":       {[]string{"phone=Note"}, []string{"#4, #5", "such as #4"}},
		"a folded name of two":       {[]string{"phone=TEL A"}, []string{"#2, #3", "such as #2"}},
		"the same role twice":        {[]string{"phone=#2", "phone=#3"}, []string{"phone=#3: ", "mapped twice"}},
		"a role twice, once empty":   {[]string{"phone=", "phone=#3"}, []string{"mapped twice"}},
		"the second of two is wrong": {[]string{"phone=#2", "email=#9"}, []string{"email=#9: "}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			_, err := row.MapColumns(table.Schema{Columns: columns}, test.overrides)
			wantError(t, err, test.want...)
			if wrong, ok := errors.AsType[*row.OverrideError](err); !ok || wrong.Override != test.overrides[len(test.overrides)-1] {
				t.Errorf("error %#v, want one that names the override", err)
			}
		})
	}
}

func TestListColumns(t *testing.T) {
	schema := table.Schema{Columns: []string{"name", "", "company"}}
	if got, want := row.ListColumns(schema), "name, #2, company"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	schema.Columns = slices.Repeat([]string{"a"}, 42)
	if got, want := row.ListColumns(schema), strings.Repeat("a, ", 40)+"and 2 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCanIdentify(t *testing.T) {
	tests := map[string]bool{
		"profile_url":                          true,
		"first_name last_name company_domain":  true,
		"first_name last_name company_name":    true,
		"first_name last_name":                 false,
		"first_name company_name":              false,
		"last_name company_domain":             false,
		"email phone company_domain last_name": false,
		"":                                     false,
	}
	for columns, want := range tests {
		if got := mapColumns(t, strings.Fields(columns)).CanIdentify(); got != want {
			t.Errorf("columns %q can identify: %v, want %v", columns, got, want)
		}
	}
}

// FuzzMapColumns maps any header: it ends in an error or in columns that exist.
func FuzzMapColumns(f *testing.F) {
	f.Add("Email\nFirst Name\nLast Name", "phone=#1")
	f.Add("Email\nE-Mail", "email=")
	f.Add("\n#2\n", "email=#2\nphone=#3")
	f.Add("İ\nß\x80", "first_name=i̇")
	f.Fuzz(func(t *testing.T, header, override string) {
		columns := strings.Split(header, "\n")
		var overrides []string
		if override != "" {
			overrides = strings.Split(override, "\n")
		}
		mapping, err := row.MapColumns(table.Schema{Columns: columns}, overrides)
		if err != nil {
			if mapping != nil {
				t.Fatalf("an error and a mapping %v", mapping)
			}
			return
		}
		for role, column := range mapping {
			if column < 0 || column >= len(columns) || !slices.Contains(row.Roles, role) {
				t.Fatalf("%s is column %d of %d", role, column, len(columns))
			}
		}
		again, err := row.MapColumns(table.Schema{Columns: columns}, overrides)
		if err != nil || !maps.Equal(mapping, again) {
			t.Fatalf("mapped %v, and again %v, %v", mapping, again, err)
		}
	})
}
