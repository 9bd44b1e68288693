package columns_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/csvtable"
	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/columns"
)

// recognise recognises the columns of a list with semicolons between its cells.
func recognise(t *testing.T, list string, options columns.Options) (table.Schema, *columns.Reading, error) {
	t.Helper()
	reader, err := csvtable.NewReader(strings.NewReader(list), "list.csv", csvtable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	schema := reader.Schema()
	options.Catalogue = v1.Catalogue()
	reading, err := columns.Recognise(schema, columns.Take(reader, nil), options)
	return schema, reading, err
}

// rows repeats a line.
func rows(line string, n int) string { return strings.Repeat(line+"\n", n) }

func TestRecogniseLooksAtCells(t *testing.T) {
	const h = "First Name;Last Name;Company;"
	for title, test := range map[string]struct {
		list   string
		want   columns.Mapping // of what is not in h
		unused []string
	}{
		"pages of a network are not domains": {
			h + "companyUrl\nAnn;Lee;Acme;https://www.linkedin.com/company/acme\n",
			columns.Mapping{},
			[]string{`column #4 "companyUrl" is not used as company_domain, because it holds pages of companies in a network`},
		},
		"websites are": {h + "companyUrl\nAnn;Lee;Acme;https://acme.example\n", columns.Mapping{columns.CompanyDomain: {3}}, nil},
		"one bad cell of three": {
			h + "Website\nAnn;Lee;Acme;acme.com\nBob;Ray;Beta;beta.com\nCid;Fox;Cat;facebook.com/cat\n", columns.Mapping{columns.CompanyDomain: {3}}, nil,
		},
		"companies' pages are not profiles": {
			h + "LinkedIn URL\nAnn;Lee;Acme;https://www.linkedin.com/company/acme\n",
			columns.Mapping{},
			[]string{`column #4 "LinkedIn URL" is not used as profile_url, because it holds pages of companies in a network`},
		},
		"a URL that is a profile": {h + "URL\nAnn;Lee;Acme;https://www.linkedin.com/in/ann\n", columns.Mapping{columns.ProfileURL: {3}}, nil},
		"a URL that is not":       {h + "URL\nAnn;Lee;Acme;3\n", columns.Mapping{}, nil},
		"profiles without a name": {h + "Kontakt LI\nAnn;Lee;Acme;https://www.linkedin.com/in/ann\n", columns.Mapping{columns.ProfileURL: {3}}, nil},
		"profiles of the owner":   {h + "Owner LI\nAnn;Lee;Acme;https://www.linkedin.com/in/own\n", columns.Mapping{}, nil},
		"public profiles before those for sales": {
			h + "profileUrl;linkedInProfileUrl\nAnn;Lee;Acme;https://www.linkedin.com/sales/lead/A,B,C;https://www.linkedin.com/in/ann\n",
			columns.Mapping{columns.ProfileURL: {4}},
			nil,
		},
		"a flag is not an email": {
			h + "Email\nAnn;Lee;Acme;yes\nBob;Ray;Beta;no\n",
			columns.Mapping{},
			[]string{`column #4 "Email" is not used as email, because it holds texts`},
		},
		"an address that some rows have is held": {
			h + "Email\n" + rows("Ann;Lee;Acme;yes", 3) + "Bob;Ray;Beta;bob@beta.example\n",
			columns.Mapping{columns.HeldEmail: {3}},
			[]string{`column #4 "Email" is not used as email, because it holds texts`},
		},
		"blank cells say nothing": {h + "Email;Website\nAnn;Lee;Acme;;\n", columns.Mapping{columns.Email: {3}, columns.CompanyDomain: {4}}, nil},
		"further columns": {
			h + "Email;E-mail 1 - Value;Personal Email;Mobile;Work Direct Phone;Email Status;Contact Owner Email;Fax\n" +
				"Ann;Lee;Acme;;a@x.example;b@y.example;+49 170 1234567;+49 30 1234567;ok;own@us.example;+49 30 999\n",
			columns.Mapping{columns.Email: {3}, columns.HeldEmail: {4, 5}, columns.Phone: {7}, columns.HeldPhone: {6}},
			nil,
		},
		"blank columns are named by whole words alone": {
			h + "Phonetic First Name;Fonction;Mailing Street;Postal Code;Director;Telegram\nAnn;Lee;Acme;;;;;;\n", columns.Mapping{}, nil,
		},
		"digits below a word that begins like another": {h + "Director ID\nAnn;Lee;Acme;51234567\n", columns.Mapping{}, nil},
		"blank columns by a whole word": {
			h + "E-Mail 2;Mobile;Telefonnummer 2;directDial;Mobiltelefon\nAnn;Lee;Acme;;;;;\n",
			columns.Mapping{columns.HeldEmail: {3}, columns.HeldPhone: {4, 5, 6, 7}},
			nil,
		},
		"an address by its cells":           {h + "Kontakt\nAnn;Lee;Acme;ann@acme.example\n", columns.Mapping{columns.HeldEmail: {3}}, nil},
		"one address for all":               {h + "Kontakt\n" + rows("Ann;Lee;Acme;info@us.example", 20), columns.Mapping{}, nil},
		"identifiers are not phone numbers": {h + "Record ID\nAnn;Lee;Acme;51234567890\n", columns.Mapping{columns.RecordID: {3}}, nil},
		"the better name":                   {h + "Email;Work Email\nAnn;Lee;Acme;;\n", columns.Mapping{columns.Email: {4}, columns.HeldEmail: {3}}, nil},
	} {
		t.Run(title, func(t *testing.T) {
			schema, reading, err := recognise(t, test.list, columns.Options{})
			if err != nil {
				t.Fatal(err)
			}
			test.want[columns.FirstName], test.want[columns.LastName], test.want[columns.CompanyName] = []int{0}, []int{1}, []int{2}
			if diff := cmp.Diff(test.want, reading.Mapping); diff != "" {
				t.Errorf("mapping (-want +got):\n%s", diff)
			}
			var unused []string
			for _, u := range reading.Unused {
				unused = append(unused, u.Text(schema))
			}
			if diff := cmp.Diff(test.unused, unused); diff != "" {
				t.Errorf("unused (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHeldOptionDecidesWhichColumnsCount(t *testing.T) {
	const list = "First Name;Last Name;Company;Email;Email 2;Mobile;Direct Phone 2\n" +
		"Ann;Lee;Acme;;ann@gmail.com;+49 170 1234567;+49 30 1234567\n"
	for title, test := range map[string]struct {
		options      columns.Options
		email, phone []int
	}{
		"all":              {columns.Options{}, []int{4}, []int{5, 6}},
		"work only":        {columns.Options{Held: columns.HeldWork}, []int{4}, []int{6}}, // which mailbox, a row decides
		"none":             {columns.Options{Held: columns.HeldNone}, nil, nil},
		"one column alone": {columns.Options{Overrides: []string{"email=Email"}}, nil, []int{5, 6}},
		"no column":        {columns.Options{Overrides: []string{"email="}}, nil, []int{5, 6}},
		"given":            {columns.Options{Overrides: []string{"email=Email", "held_email=#5", "held_phone="}}, []int{4}, nil},
	} {
		t.Run(title, func(t *testing.T) {
			_, reading, err := recognise(t, list, test.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.email, reading.Mapping[columns.HeldEmail]); diff != "" {
				t.Errorf("emails (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.phone, reading.Mapping[columns.HeldPhone]); diff != "" {
				t.Errorf("phones (-want +got):\n%s", diff)
			}
		})
	}
}

func TestARoleMayHaveSeveralColumns(t *testing.T) {
	const list = "First Name;Last Name;Company;Site A;Site B;a, b\nAnn;Lee;Acme;;acme.example;x\n"
	for text, want := range map[string][]int{
		"#4,#5": {3, 4}, "Site B, Site A": {4, 3}, "a, b": {5}, "#4,#4": {3}, "#5": {4},
	} {
		_, reading, err := recognise(t, list, columns.Options{Overrides: []string{"company_domain=" + text}})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, reading.Mapping[columns.CompanyDomain]); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for _, wrong := range []string{"company_domain=#4,#9", "email=#4,#5", "company_domain=,"} {
		if _, _, err := recognise(t, list, columns.Options{Overrides: []string{wrong}}); err == nil {
			t.Errorf("%q was accepted", wrong)
		}
	}
}

// TestOverridesOfAMappingGiveTheSameMapping is what keeps the reading of a run as it was.
func TestOverridesOfAMappingGiveTheSameMapping(t *testing.T) {
	for _, header := range []string{
		"First Name;Last Name;Company;Email;Email 2;Mobile", "First Name;Last Name;Company;3;#3;Email", "first;last;Firma;E-Mail;Tel;Mobile",
	} {
		schema, reading, err := recognise(t, header+"\nAnn;Lee;Acme;;ann@gmail.com;+49 170 1234567\n", columns.Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := columns.Recognise(schema, nil, columns.Options{Overrides: reading.Mapping.Overrides(schema)})
		if err != nil {
			t.Fatalf("%s: %v", header, err)
		}
		if diff := cmp.Diff(reading.Mapping, again.Mapping); diff != "" {
			t.Errorf("%s (-first +again):\n%s", header, diff)
		}
	}
}

func TestFullNames(t *testing.T) {
	for title, test := range map[string]struct {
		list string
		want columns.Mapping
	}{
		"Name":               {"Name;Company\nAnn Lee;Acme\n", columns.Mapping{columns.FullName: {0}, columns.CompanyName: {1}}},
		"the better one":     {"Name;Full Name;Company\nAcme 1;Ann Lee;Acme\n", columns.Mapping{columns.FullName: {1}, columns.CompanyName: {2}}},
		"Name of a company":  {"Name;Website\nAcme;acme.example\n", columns.Mapping{columns.CompanyDomain: {1}}},
		"Vorname and Name":   {"Name;Vorname;Firma\nLee;Ann;Acme\n", columns.Mapping{columns.LastName: {0}, columns.FirstName: {1}, columns.CompanyName: {2}}},
		"Prénom and Nom":     {"Prénom;Nom;Société\nAnn;Lee;Acme\n", columns.Mapping{columns.FirstName: {0}, columns.LastName: {1}, columns.CompanyName: {2}}},
		"Nome and Cognome":   {"Nome;Cognome;Azienda\nAnn;Lee;Acme\n", columns.Mapping{columns.FirstName: {0}, columns.LastName: {1}, columns.CompanyName: {2}}},
		"Nombre y apellidos": {"Nombre;Apellidos;Empresa\nAnn;Lee;Acme\n", columns.Mapping{columns.FirstName: {0}, columns.LastName: {1}, columns.CompanyName: {2}}},
		"Nome e sobrenome":   {"Nome;Sobrenome;Nome da empresa\nAnn;Lee;Acme\n", columns.Mapping{columns.FirstName: {0}, columns.LastName: {1}, columns.CompanyName: {2}}},
		"Voornaam":           {"Voornaam;Achternaam;Bedrijf\nAnn;Lee;Acme\n", columns.Mapping{columns.FirstName: {0}, columns.LastName: {1}, columns.CompanyName: {2}}},
		"both and a name":    {"First Name;Last Name;Name;Company\nAnn;Lee;Ann Lee;Acme\n", columns.Mapping{columns.FirstName: {0}, columns.LastName: {1}, columns.CompanyName: {3}}},
		"an output's own":    {"url;full_name;phone_type\nhttps://www.linkedin.com/in/ann;Ann Lee;direct\n", columns.Mapping{columns.ProfileURL: {0}}},
	} {
		t.Run(title, func(t *testing.T) {
			_, reading, err := recognise(t, test.list, columns.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, reading.Mapping); diff != "" {
				t.Errorf("mapping (-want +got):\n%s", diff)
			}
		})
	}
	_, reading, err := recognise(t, "First Name;Last Name;Person;Company\n;;Lee, Ann;Acme\n", columns.Options{Overrides: []string{"full_name=Person"}})
	if err != nil || len(reading.Mapping[columns.FullName]) != 1 {
		t.Errorf("an override: %v, %v", reading, err)
	}
}
