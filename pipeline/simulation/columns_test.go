package simulation_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

func mapColumns(t *testing.T, headers []string, overrides ...string) columns.Mapping {
	t.Helper()
	reading, err := columns.Recognise(table.Schema{Columns: headers}, nil, columns.Options{Overrides: overrides, Catalogue: v1.Catalogue()})
	if err != nil {
		t.Fatalf("columns %q with %q: %v", headers, overrides, err)
	}
	return reading.Mapping
}

func TestHeadersAreRecognised(t *testing.T) {
	tests := map[columns.Role][]string{
		columns.ProfileURL: {
			"profile_url", "Profile URL", "LinkedIn", "LinkedIn URL", "linkedin_profile", "Person Linkedin Url", "pro_network_url",
		},
		columns.FirstName:     {"first_name", "First Name", "FIRSTNAME", "Given name", "Forename", "first-name", " First  Name "},
		columns.LastName:      {"last_name", "Last Name", "Surname", "family name", "Last.Name"},
		columns.CompanyDomain: {"company_domain", "Domain", "Website", "Company Website", "company-url"},
		columns.CompanyName:   {"company_name", "Company", "Organization", "ORGANISATION", "Employer", "Account Name", "Company (name)"},
		columns.Email:         {"email", "E-Mail", "Work Email", "work_email", "Business Email", "Email Address", "e-mail address"},
		columns.Phone:         {"phone", "Phone", "Business Phone", "work_phone", "Phone Number", "Telephone", "Tel.", "Office phone"},
	}
	for role, headers := range tests {
		for _, header := range headers {
			got := mapColumns(t, []string{"Notes", header})
			if diff := cmp.Diff(columns.Mapping{role: {1}}, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", header, diff)
			}
		}
	}
}

// TestColumnsOfOtherKindsAreNotRecognised above all holds that a mobile number is not a
// business phone.
func TestColumnsOfOtherKindsAreNotRecognised(t *testing.T) {
	headers := []string{
		"Mobile", "Mobile Phone", "mobile_number", "Cell", "Cell Phone", "cellphone", "Handy", "Home Phone", "Personal Phone", "Direct Dial", "Fax",
		"Personal Email", "Private Email", "Secondary Email", "Email Status", "Middle Name", "Title", "City",
		"Company Linkedin Url", "Company Phone Extension", "Phone Type", "", " ", "#", "—",
	}
	for role, found := range mapColumns(t, headers) {
		if role != columns.HeldEmail && role != columns.HeldPhone {
			t.Errorf("recognised %s in %v among columns that are none of ours", role, found)
		}
	}
}

func TestTwoColumnsOfOneRoleAreAnError(t *testing.T) {
	headers := []string{"Email", "Note", "E-Mail"}
	_, err := columns.Recognise(table.Schema{Columns: headers}, nil, columns.Options{Catalogue: v1.Catalogue()})
	wantError(t, err, `#1 "Email"`, `#3 "E-Mail"`)
	if ambiguous, ok := errors.AsType[*columns.AmbiguousError](err); !ok || ambiguous.Role != columns.Email || ambiguous.First != 0 {
		t.Errorf("error %#v, want one that names the role and its first column", err)
	}
	got := mapColumns(t, headers, "email=#3")
	if diff := cmp.Diff(columns.Mapping{columns.Email: {2}}, got); diff != "" {
		t.Errorf("with the advice taken (-want +got):\n%s", diff)
	}
}

// TestOneColumnForTwoFieldsIsRefused: the output of what was paid for could not be written.
func TestOneColumnForTwoFieldsIsRefused(t *testing.T) {
	schema := table.Schema{Columns: []string{"Name", "Phone"}}
	both := enrich.FieldsOf(v1.WorkEmail, v1.BusinessPhone)
	for _, overrides := range [][]string{{"email=Phone"}, {"email=#2", "phone=phone"}} {
		mapping := mapColumns(t, schema.Columns, overrides...)
		err := mapping.CheckFilled(schema, v1.Catalogue(), both)
		wantError(t, err, `column #2 "Phone" cannot be filled with both email and phone`)
		if shared, ok := errors.AsType[*columns.SharedColumnError](err); !ok || shared.A != columns.Email || shared.B != columns.Phone {
			t.Errorf("error %#v, want one that names both roles", err)
		}
		for _, one := range []enrich.Fields{email, phone} {
			if err := mapping.CheckFilled(schema, v1.Catalogue(), one); err != nil {
				t.Errorf("%v alone: %v", one, err)
			}
		}
	}
	for _, overrides := range [][]string{nil, {"email=Phone", "phone="}, {"phone="}} {
		if err := mapColumns(t, schema.Columns, overrides...).CheckFilled(schema, v1.Catalogue(), both); err != nil {
			t.Errorf("%q: %v", overrides, err)
		}
	}
}

// TestTheAppendedProfileColumnIsNotReadAsAProfileURL feeds an output with profiles back in.
func TestTheAppendedProfileColumnIsNotReadAsAProfileURL(t *testing.T) {
	appended := func(list ...string) []string {
		schema := table.Schema{Columns: list}
		output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: scan.Scope{Catalogue: v1.Catalogue(), Mapping: mapColumns(t, list), Wanted: email}, Optional: true}
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
			column := mapColumns(t, test.columns, test.overrides...).Column(columns.ProfileURL)
			if column != test.want-1 {
				t.Errorf("in %q the profile URLs are in column %d; want column %d", test.columns, column+1, test.want)
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

func TestMapOverridesFindColumnsByNameAndNumber(t *testing.T) {
	headers := []string{"Email", "Phone", "Kontakt Tel", "kontakt-tel", "#2", "Straße"}
	tests := map[string]struct {
		override string
		want     columns.Mapping
	}{
		"by name":                    {"phone=Kontakt Tel", columns.Mapping{columns.Email: {0}, columns.Phone: {2}}},
		"the exact name goes first":  {"phone=kontakt-tel", columns.Mapping{columns.Email: {0}, columns.Phone: {3}}},
		"by folded name":             {"phone=EMAIL", columns.Mapping{columns.Email: {0}, columns.Phone: {0}}},
		"by number":                  {"phone=#3", columns.Mapping{columns.Email: {0}, columns.Phone: {2}}},
		"a name that is like one":    {"phone=#2", columns.Mapping{columns.Email: {0}, columns.Phone: {4}}},
		"no such column":             {"phone=", columns.Mapping{columns.Email: {0}}},
		"a role without a synonym":   {"first_name=straße", columns.Mapping{columns.Email: {0}, columns.Phone: {1}, columns.FirstName: {5}}},
		"the last column by number":  {"first_name=#6", columns.Mapping{columns.Email: {0}, columns.Phone: {1}, columns.FirstName: {5}}},
		"the first column by number": {"first_name=#1", columns.Mapping{columns.Email: {0}, columns.Phone: {1}, columns.FirstName: {0}}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			got := mapColumns(t, headers, test.override)
			delete(got, columns.HeldPhone) // of "Kontakt Tel"
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.override, diff)
			}
		})
	}
}

func TestWrongOverridesSayWhatToDo(t *testing.T) {
	headers := []string{"Email", "Tel A", "tel-a", "Note", "Note", ""}
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
			_, err := columns.Recognise(table.Schema{Columns: headers}, nil, columns.Options{Overrides: test.overrides})
			wantError(t, err, test.want...)
			if wrong, ok := errors.AsType[*columns.OverrideError](err); !ok || wrong.Override != test.overrides[len(test.overrides)-1] {
				t.Errorf("error %#v, want one that names the override", err)
			}
		})
	}
}

func TestListColumns(t *testing.T) {
	schema := table.Schema{Columns: []string{"name", "", "company"}}
	if got, want := columns.List(schema), "name, #2, company"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	schema.Columns = slices.Repeat([]string{"a"}, 42)
	if got, want := columns.List(schema), strings.Repeat("a, ", 40)+"and 2 more"; got != want {
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
		headers := strings.Split(header, "\n")
		var overrides []string
		if override != "" {
			overrides = strings.Split(override, "\n")
		}
		reading, err := columns.Recognise(table.Schema{Columns: headers}, nil, columns.Options{Overrides: overrides, Catalogue: v1.Catalogue()})
		if err != nil {
			if reading != nil {
				t.Fatalf("an error and a reading %v", reading)
			}
			return
		}
		for role, found := range reading.Mapping {
			column := found[0]
			if column < 0 || column >= len(headers) || !slices.Contains(columns.Roles(), role) {
				t.Fatalf("%s is column %d of %d", role, column, len(headers))
			}
		}
		again, err := columns.Recognise(table.Schema{Columns: headers}, nil, columns.Options{Overrides: overrides, Catalogue: v1.Catalogue()})
		if diff := cmp.Diff(reading, again); err != nil || diff != "" {
			t.Fatalf("mapped %v, and again %v, %v", reading, again, err)
		}
	})
}
