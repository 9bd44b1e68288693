package columns

import (
	"hash/maphash"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/io/table"
)

var seedOfTests = maphash.MakeSeed()

// sampleOf returns what the cells of rows hold.
func sampleOf(rows ...[]string) (sample Sample) {
	sample = make(Sample, len(rows[0]))
	for _, cells := range rows {
		for i, cell := range cells {
			sample[i].add([]byte(cell), seedOfTests)
		}
	}
	return sample
}

var companiesAlone = []enrich.Subject{enrich.Companies}

// read recognises the columns of a list, and returns the columns by role in the order of RolesOf.
func read(t *testing.T, headers []string, options Options, rows ...[]string) (*Reading, []string) {
	t.Helper()
	var sample Sample
	if len(rows) > 0 {
		sample = sampleOf(rows...)
	}
	reading, err := Recognise(table.Schema{Columns: headers}, sample, options)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, role := range Roles() {
		for _, column := range reading.Mapping[role] {
			got = append(got, string(role)+"="+headers[column])
		}
	}
	return reading, got
}

// TestColumnsOfCompaniesAreFoundByHeader reads headers in seven languages.
func TestColumnsOfCompaniesAreFoundByHeader(t *testing.T) {
	for _, tt := range []struct {
		name    string
		headers []string
		want    []string
	}{
		{"English", []string{"Company", "Website", "LinkedIn", "Country", "State", "Company Number", "VAT Number"}, []string{
			"company_name=Company", "company_website=Website", "company_profile_url=LinkedIn", "company_country=Country",
			"company_state=State", "registration_number=Company Number", "vat_number=VAT Number",
		}},
		{"German", []string{"Firma", "Webseite", "LinkedIn-Profil", "Land", "Handelsregisternummer", "USt-IdNr."}, []string{
			"company_name=Firma", "company_website=Webseite", "company_profile_url=LinkedIn-Profil", "company_country=Land",
			"registration_number=Handelsregisternummer", "vat_number=USt-IdNr.",
		}},
		{"French", []string{"Raison sociale", "Site web", "Pays", "SIREN", "N° TVA"}, []string{
			"company_name=Raison sociale", "company_website=Site web", "company_country=Pays", "registration_number=SIREN", "vat_number=N° TVA",
		}},
		{"Spanish", []string{"Razón social", "Página web", "País", "CIF"}, []string{
			"company_name=Razón social", "company_website=Página web", "company_country=País", "vat_number=CIF",
		}},
		{"Italian", []string{"Ragione sociale", "Sito web", "Paese", "Codice fiscale", "Partita IVA"}, []string{
			"company_name=Ragione sociale", "company_website=Sito web", "company_country=Paese", "registration_number=Codice fiscale",
			"vat_number=Partita IVA",
		}},
		{"Portuguese", []string{"Empresa", "Razão social", "Site", "País", "NIPC"}, []string{
			"company_name=Empresa", "company_website=Site", "company_country=País", "registration_number=NIPC",
		}},
		{"Dutch", []string{"Bedrijfsnaam", "Website", "Land", "KvK-nummer", "BTW-nummer"}, []string{
			"company_name=Bedrijfsnaam", "company_website=Website", "company_country=Land", "registration_number=KvK-nummer",
			"vat_number=BTW-nummer",
		}},
		{"the id of the service alone", []string{"id", "Company ID", "company_id", "Name"}, []string{
			"company_name=Name", "company_id=company_id",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reading, got := read(t, tt.headers, Options{Asked: companiesAlone})
			if diff := cmp.Diff(tt.want, got); diff != "" || reading.Lists != enrich.Companies {
				t.Errorf("a list of %s (-want +got):\n%s", reading.Lists, diff)
			}
			if _, got := read(t, tt.headers, Options{}); slices.ContainsFunc(got, func(s string) bool { return s[:7] == "company" && s[8] != 'n' && s[8] != 'd' }) {
				t.Errorf("columns of companies are found where no step asks about them: %q", got)
			}
		})
	}
}

// TestColumnsOfCompaniesAreFoundByContent has headers that say little, or something wrong.
func TestColumnsOfCompaniesAreFoundByContent(t *testing.T) {
	person, company := "https://www.linkedin.com/in/ann-lee", "https://www.linkedin.com/company/acme"
	for _, tt := range []struct {
		name          string
		headers       []string
		cells         []string
		want          []string
		holds, unused string
	}{
		{"a link to a profile", []string{"Name", "Link"}, []string{"Acme", company}, []string{"company_name=Name", "company_profile_url=Link"}, "", ""},
		{"a link to a website", []string{"Name", "URL"}, []string{"Acme", "https://acme.example/about"}, []string{"company_name=Name", "company_website=URL"}, "", ""},
		{
			"a header that says nothing",
			[]string{"a", "b", "c"},
			[]string{"Acme", "acme.example", company},
			[]string{"company_website=b", "company_profile_url=c"},
			"", "",
		},
		{
			"profiles under a website",
			[]string{"Company", "Website"},
			[]string{"Acme", company},
			[]string{"company_name=Company", "company_profile_url=Website"},
			"", "",
		},
		{
			"profiles of persons in a column of companies",
			[]string{"Company", "Company LinkedIn URL", "Website"},
			[]string{"Acme", person, "acme.example"},
			nil, "profiles of persons", "Company LinkedIn URL",
		},
		{
			"emails in place of websites",
			[]string{"Company", "Website"},
			[]string{"Acme", "info@acme.example"},
			[]string{"company_name=Company"},
			"email addresses", "Website",
		},
		{
			"numbers that look like others",
			[]string{"Company Number", "VAT", "Country"},
			[]string{"20060102", "DE 123 456 789", "DE"},
			[]string{"company_country=Country", "registration_number=Company Number", "vat_number=VAT"},
			"", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows := [][]string{tt.cells, tt.cells}
			reading, got := read(t, tt.headers, Options{Asked: companiesAlone}, rows...)
			if tt.want != nil {
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("columns (-want +got):\n%s", diff)
				}
			}
			unused, holds := "", ""
			for _, u := range reading.Unused {
				unused, holds = tt.headers[u.Column], u.Holds
			}
			if unused != tt.unused || holds != tt.holds {
				t.Errorf("column %q is not used, because it holds %s; want %q and %s", unused, holds, tt.unused, tt.holds)
			}
			for _, s := range got {
				if unused != "" && tt.want == nil && s == "company_profile_url="+unused {
					t.Errorf("it is used all the same: %q", got)
				}
			}
		})
	}
}

// TestAListOfPersonsHasACompanyInEachRow asks about companies on lists of contacts. What says nothing of the
// company is the person's.
func TestAListOfPersonsHasACompanyInEachRow(t *testing.T) {
	contacts := []string{"First Name", "Last Name", "Company", "Website", "Country", "NIF", "Company Country", "Company LinkedIn URL"}
	want := []string{
		"first_name=First Name", "last_name=Last Name", "company_domain=Website", "company_name=Company",
		"company_profile_url=Company LinkedIn URL", "company_country=Company Country",
	}
	for _, asked := range [][]enrich.Subject{companiesAlone, {enrich.Persons, enrich.Companies}} {
		reading, got := read(t, contacts, Options{Asked: asked})
		if diff := cmp.Diff(want, got); diff != "" || reading.Lists != enrich.Persons {
			t.Errorf("a list of %s (-want +got):\n%s", reading.Lists, diff)
		}
	}
	person := "https://www.linkedin.com/in/ann-lee"
	for _, tt := range []struct {
		headers   []string
		cells     []string
		overrides []string
		want      enrich.Subject
	}{
		{[]string{"Full Name", "Website"}, []string{"Ann Lee", "acme.example"}, nil, enrich.Persons},
		{[]string{"Link", "Website"}, []string{person, "acme.example"}, nil, enrich.Persons},
		{[]string{"Name", "Website"}, []string{"Acme Trading Ltd", "acme.example"}, nil, enrich.Companies},
		{[]string{"First Name", "Website"}, []string{"Acme", "acme.example"}, nil, enrich.Companies},
		{[]string{"Name", "Website"}, []string{"Ann Lee", "acme.example"}, []string{"full_name=Name"}, enrich.Persons},
		{[]string{"Full Name", "Last Name"}, []string{"Ann Lee", "Lee"}, []string{"company_name=Full Name"}, enrich.Persons},
	} {
		reading, got := read(t, tt.headers, Options{Asked: companiesAlone, Overrides: tt.overrides}, tt.cells, tt.cells)
		if reading.Lists != tt.want {
			t.Errorf("%q lists a %s in each row: %q", tt.headers, reading.Lists, got)
		}
	}
	if reading, _ := read(t, []string{"Company", "Website"}, Options{Asked: []enrich.Subject{enrich.Persons, enrich.Companies}}); reading.Lists != enrich.Persons {
		t.Error("a list of which persons are asked lists companies")
	}
}

// TestARecordedListOfCompaniesIsReadTheSame reads lists by what was recorded of them, without their cells.
func TestARecordedListOfCompaniesIsReadTheSame(t *testing.T) {
	for _, headers := range [][]string{
		{"a", "b", "Country", "VAT"},
		{"Name", "Land"},
		{"Full Name", "Website", "VAT number"},
		{"First Name", "Last Name", "Website"},
		{"First Name", "Last Name", "Website", "USt-ID"},
	} {
		cells := []string{"Acme Ltd", "acme.example", "DE123456789", "DE123456789"}[:len(headers)]
		reading, want := read(t, headers, Options{Asked: companiesAlone}, cells, cells)
		recorded := reading.Mapping.Overrides(table.Schema{Columns: headers})
		again, got := read(t, headers, Options{Asked: companiesAlone, Overrides: recorded, Preset: NoPreset})
		if diff := cmp.Diff(want, got); diff != "" || again.Lists != reading.Lists {
			t.Errorf("%q: a list of %s, then of %s (-want +got):\n%s", headers, reading.Lists, again.Lists, diff)
		}
	}
}

// TestResultsOfAnEarlierRunDoNotNameCompanies would buy the same company by its id that was bought by its website.
func TestResultsOfAnEarlierRunDoNotNameCompanies(t *testing.T) {
	catalogue := enrich.Named("company")
	catalogue.Details = []enrich.Detail{{Name: "company_id"}, {Name: "company_name"}, {Name: "company_vat_number"}}
	headers := []string{"Website", "company_id", "company_name", "company_vat_number", "enrich_status", "enrich_reason"}
	options := Options{Asked: companiesAlone, Catalogue: catalogue}
	if _, got := read(t, headers, options); !slices.Equal(got, []string{"company_website=Website"}) {
		t.Errorf("an earlier output is read as %q", got)
	}
	want := []string{"company_name=company_name", "company_website=Website", "vat_number=company_vat_number", "company_id=company_id"}
	if _, got := read(t, headers[:4], options); !slices.Equal(got, want) {
		t.Errorf("the list of a search is read as %q", got)
	}
	// Nor do their cells, where the list itself has names.
	options.Catalogue.Details = []enrich.Detail{{Name: "company_website"}, {Name: "company_pro_network"}, {Name: "company_social"}}
	headers = []string{"Company", "Country", "company_website", "company_pro_network", "company_social", "enrich_status", "enrich_reason"}
	cells := []string{"Acme Ltd", "GB", "https://www.acme.example", "", "", "matched", ""}
	if _, got := read(t, headers, options, cells); !slices.Equal(got, []string{"company_name=Company", "company_country=Country"}) {
		t.Errorf("an earlier output of names is read as %q", got)
	}
	// In JSON a list of texts has a column for each of its places, and none where all lists are empty.
	options.Catalogue.Details = []enrich.Detail{
		{Name: "company_country_code"},
		{Name: "company_phone", Kind: enrich.TextsCell},
		{Name: "company_email", Kind: enrich.TextsCell},
		{Name: "company_vat_number"},
	}
	for _, texts := range [][]string{nil, {"company_phone[0]", "company_phone[1]"}, {"company_email[0]"}, {"company_phone[0]", "company_email[0]"}, {"company_phone", "company_email"}} {
		headers = slices.Concat([]string{"Website", "Country", "company_country_code"}, texts, []string{"company_vat_number", "enrich_status", "enrich_reason"})
		if _, got := read(t, headers, options); !slices.Equal(got, []string{"company_website=Website", "company_country=Country"}) {
			t.Errorf("an earlier output with %q is read as %q", texts, got)
		}
	}
}

func TestMappingsIdentifyByPatterns(t *testing.T) {
	for _, tt := range []struct {
		mapping Mapping
		by      enrich.Pattern
		want    bool
	}{
		{Mapping{CompanyWebsite: {0}}, enrich.ByWebsite, true},
		{Mapping{CompanyDomain: {0}}, enrich.ByWebsite, true},
		{Mapping{CompanyWebsite: {0}}, enrich.ByID, false},
		{Mapping{RegistrationNumber: {0}}, enrich.ByRegistration, false},
		{Mapping{RegistrationNumber: {0}, CompanyCountry: {1}}, enrich.ByRegistration, true},
		{Mapping{VATNumber: {0}}, enrich.ByRegistration, true},
		{Mapping{CompanyName: {0}}, enrich.ByCompanyName, true},
		{Mapping{Email: {0}}, enrich.ByEmail, true},
		{Mapping{HeldEmail: {0}}, enrich.ByEmail, true},
		{Mapping{}, enrich.ByID, false},
	} {
		if got := tt.mapping.Identifies(enrich.PatternsOf(tt.by)); got != tt.want {
			t.Errorf("%v identifies by %s: %t", tt.mapping, tt.by, got)
		}
	}
}
