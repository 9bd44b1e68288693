package columns_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/pipeline/columns"
)

// exports are lists in the shape of other programs' exports, with fictitious people and the traps of each: a
// line of headers and a line of cells, with semicolons between them.
func exports() map[string]struct{ headers, cells string } {
	return map[string]struct{ headers, cells string }{
		"HubSpot": {
			"Record ID;First Name;Last Name;Email;Phone Number;Contact owner;Lead Status;Create Date;Associated Company;Website URL;Mobile Phone Number;Last Modified Date",
			"51234567890;Ann;Lee;;;Max Own;NEW;2024-01-31 12:00;Acme;acme.example;+49 170 1234567;2024-02-01 08:00",
		},
		"Salesforce": {
			"Contact ID;First Name;Last Name;Account Name;Account ID;Email;Phone;Mobile;Contact Owner;Owner Email;Created Date;Email Opt Out;Fax;Last Modified Date",
			"003A0000012345;Ann;Lee;Acme;001A000000001;;;;Max Own;max@us.example;31.01.2024;0;+49 30 1234999;01.02.2024",
		},
		"Apollo": {
			"First Name;Last Name;Title;Company;Company Name for Emails;Email;Email Status;Seniority;Work Direct Phone;Home Phone;Mobile Phone;" +
				"Corporate Phone;Other Phone;# Employees;Industry;Person Linkedin Url;Website;Company Linkedin Url;Facebook Url;Twitter Url;City;Company Phone;Email Confidence",
			"Ann;Lee;CEO;Acme;Acme;;Unavailable;C suite;;;+49 170 1234567;+49 30 1234000;;12;software;http://www.linkedin.com/in/ann-lee;http://www.acme.example;" +
				"http://www.linkedin.com/company/acme;https://facebook.com/acme;https://twitter.com/acme;Bonn;+49 30 1234000;",
		},
		"Sales Navigator, scraped": {
			"profileUrl;fullName;firstName;lastName;companyName;title;companyId;companyUrl;regularCompanyUrl;summary;vmid;linkedInProfileUrl;query;timestamp",
			"https://www.linkedin.com/sales/lead/ACwAAA,NAME_SEARCH,x;Ann Lee;Ann;Lee;Acme;CEO;123456;https://www.linkedin.com/sales/company/123456;" +
				"https://www.linkedin.com/company/123456;Runs Acme;ACwAAA;https://www.linkedin.com/in/ACwAAA;https://www.linkedin.com/sales/search;2024-01-31T12:00:00Z",
		},
		"LinkedIn connections": {
			"First Name;Last Name;URL;Email Address;Company;Position;Connected On",
			"Ann;Lee;https://www.linkedin.com/in/ann-lee;;Acme;CEO;31 Jan 2024",
		},
		"Google Contacts": {
			"Name Prefix;First Name;Middle Name;Last Name;Organization Name;Organization Title;Labels;E-mail 1 - Label;E-mail 1 - Value;E-mail 2 - Label;" +
				"E-mail 2 - Value;Phone 1 - Label;Phone 1 - Value;Website 1 - Value",
			"Dr.;Ann;;Lee;Acme;CEO;* myContacts;* Work;ann@acme.example ::: lee@acme.example;Home;ann@gmail.com;Mobile;+49 170 1234567;https://acme.example",
		},
		"Outlook": {
			"Title;First Name;Middle Name;Last Name;Company;Department;Job Title;Business Phone;Business Phone 2;Home Phone;Mobile Phone;E-mail Address;" +
				"E-mail Display Name;E-mail 2 Address;Web Page",
			";Ann;;Lee;Acme;;CEO;;;;;;Ann Lee;;www.acme.example",
		},
		"Zoho": {
			"Record Id;Contact Owner;First Name;Last Name;Account Name;Email;Phone;Mobile;Secondary Email;Email Opt Out;Created By;Modified Time",
			"zcrm_123456;Max Own;Ann;Lee;Acme;;;;;false;Max Own;2024-01-31 12:00:00",
		},
		"Pipedrive": {
			"ID;Name;Organization;Email - Work;Email - Home;Phone - Work;Phone - Mobile;Owner;Open deals;Update time",
			"12;Ann Lee;Acme;;;;;Max Own;3;2024-01-31 12:00:00",
		},
		"Dynamics": {
			"(Do Not Modify) Contact;(Do Not Modify) Row Checksum;(Do Not Modify) Modified On;First Name;Last Name;Email;Company Name;Business Phone;Mobile Phone",
			"8d1b7c1e-0001;abc/==;1/2/2026 10:00;Ann;Lee;;Acme;;+44 7700 900123",
		},
		"German Excel": {
			"Anrede;Vorname;Nachname;Firma;Straße;PLZ;Ort;Telefon geschäftlich;Handy;E-Mail-Adresse;Webseite;Kundennummer",
			"Frau;Ann;Lee;Acme GmbH;Weg 1;53111;Bonn;;0170 1234567;;www.acme.example;1234567",
		},
		"JSON, nested": {
			"id;name.first;name.last;company.name;company.domain;contact.work.email;contact.phones[0];owner.email;company.phone",
			"12;Ann;Lee;Acme;acme.example;;;max@us.example;+49 30 1234000",
		},
		"JSON of HubSpot": {
			"id;properties.firstname;properties.lastname;properties.email;properties.phone;properties.company;properties.website;properties.hubspot_owner_id",
			"51234567890;Ann;Lee;;;Acme;https://acme.example;77",
		},
		"JSON of Google": {
			"resourceName;names[0].displayName;names[0].givenName;names[0].familyName;emailAddresses[0].value;emailAddresses[1].value;organizations[0].name",
			"people/c1;Ann Lee;Ann;Lee;ann@acme.example;ann@gmail.com;Acme",
		},
		"French": {
			"Civilité;Prénom;Nom;Société;Courriel;Téléphone;Portable;Site web",
			"Mme;Anne;DUPONT;Acme;;;06 12 34 56 78;acme.example",
		},
		"Spanish": {
			"Nombre;Apellidos;Empresa;Correo electrónico;Teléfono;Móvil;Página web",
			"Ana;García López;Acme;;;;acme.example",
		},
	}
}

// TestExportsAreReadWithoutFlags shows how each export is read.
func TestExportsAreReadWithoutFlags(t *testing.T) {
	want := wantExports()
	for name, export := range exports() {
		t.Run(name, func(t *testing.T) {
			schema, reading, err := recognise(t, export.headers+"\n"+export.cells+"\n", columns.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !reading.Mapping.CanIdentify() {
				t.Error("nobody is identified")
			}
			got := map[columns.Role]string{}
			for role, found := range reading.Mapping {
				var headers []string
				for _, column := range found {
					headers = append(headers, schema.Columns[column])
				}
				got[role] = strings.Join(headers, "|")
			}
			if diff := cmp.Diff(want[name], got); diff != "" {
				t.Errorf("mapping (-want +got):\n%s", diff)
			}
		})
	}
}

// wantExports are the headers of the columns by what they hold.
func wantExports() map[string]map[columns.Role]string {
	return map[string]map[columns.Role]string{
		"HubSpot": {
			columns.FirstName: "First Name", columns.LastName: "Last Name", columns.CompanyName: "Associated Company",
			columns.CompanyDomain: "Website URL", columns.Email: "Email", columns.Phone: "Phone Number", columns.HeldPhone: "Mobile Phone Number",
			columns.RecordID: "Record ID", columns.RecordModified: "Last Modified Date",
		},
		"Salesforce": {
			columns.FirstName: "First Name", columns.LastName: "Last Name", columns.CompanyName: "Account Name",
			columns.Email: "Email", columns.Phone: "Phone", columns.HeldPhone: "Mobile",
			columns.RecordID: "Contact ID", columns.RecordModified: "Last Modified Date",
		},
		"Apollo": {
			columns.ProfileURL: "Person Linkedin Url", columns.FirstName: "First Name", columns.LastName: "Last Name", columns.CompanyName: "Company",
			columns.CompanyDomain: "Website", columns.Email: "Email", columns.Phone: "Work Direct Phone",
			columns.HeldPhone: "Home Phone|Mobile Phone|Other Phone",
		},
		"Sales Navigator, scraped": {
			columns.ProfileURL: "linkedInProfileUrl", columns.FirstName: "firstName", columns.LastName: "lastName", columns.CompanyName: "companyName",
		},
		"LinkedIn connections": {
			columns.ProfileURL: "URL", columns.FirstName: "First Name", columns.LastName: "Last Name", columns.CompanyName: "Company",
			columns.Email: "Email Address",
		},
		"Google Contacts": {
			columns.FirstName: "First Name", columns.LastName: "Last Name", columns.CompanyName: "Organization Name",
			columns.CompanyDomain: "Website 1 - Value", columns.HeldEmail: "E-mail 1 - Value|E-mail 2 - Value", columns.HeldPhone: "Phone 1 - Value",
		},
		"Outlook": {
			columns.FirstName: "First Name", columns.LastName: "Last Name", columns.CompanyName: "Company", columns.CompanyDomain: "Web Page",
			columns.Email: "E-mail Address", columns.HeldEmail: "E-mail 2 Address", columns.Phone: "Business Phone",
			columns.HeldPhone: "Business Phone 2|Home Phone|Mobile Phone",
		},
		"Zoho": {
			columns.FirstName: "First Name", columns.LastName: "Last Name", columns.CompanyName: "Account Name", columns.Email: "Email",
			columns.HeldEmail: "Secondary Email", columns.Phone: "Phone", columns.HeldPhone: "Mobile",
			columns.RecordID: "Record Id", columns.RecordModified: "Modified Time",
		},
		"Pipedrive": {
			columns.FullName: "Name", columns.CompanyName: "Organization", columns.Email: "Email - Work", columns.HeldEmail: "Email - Home",
			columns.Phone: "Phone - Work", columns.HeldPhone: "Phone - Mobile", columns.RecordID: "ID", columns.RecordModified: "Update time",
		},
		"Dynamics": {
			columns.FirstName: "First Name", columns.LastName: "Last Name", columns.CompanyName: "Company Name", columns.Email: "Email",
			columns.Phone: "Business Phone", columns.HeldPhone: "Mobile Phone", columns.RecordID: "(Do Not Modify) Contact",
			columns.RecordModified: "(Do Not Modify) Modified On",
		},
		"German Excel": {
			columns.FirstName: "Vorname", columns.LastName: "Nachname", columns.CompanyName: "Firma", columns.CompanyDomain: "Webseite",
			columns.Email: "E-Mail-Adresse", columns.Phone: "Telefon geschäftlich", columns.HeldPhone: "Handy",
		},
		"JSON, nested": {
			columns.FirstName: "name.first", columns.LastName: "name.last", columns.CompanyName: "company.name",
			columns.CompanyDomain: "company.domain", columns.Email: "contact.work.email", columns.Phone: "contact.phones[0]",
			columns.RecordID: "id",
		},
		"JSON of HubSpot": {
			columns.FirstName: "properties.firstname", columns.LastName: "properties.lastname", columns.CompanyName: "properties.company",
			columns.CompanyDomain: "properties.website", columns.Email: "properties.email", columns.Phone: "properties.phone",
			columns.RecordID: "id",
		},
		"JSON of Google": {
			columns.FirstName: "names[0].givenName", columns.LastName: "names[0].familyName", columns.CompanyName: "organizations[0].name",
			columns.Email: "emailAddresses[0].value", columns.HeldEmail: "emailAddresses[1].value",
		},
		"French": {
			columns.FirstName: "Prénom", columns.LastName: "Nom", columns.CompanyName: "Société", columns.CompanyDomain: "Site web",
			columns.Email: "Courriel", columns.Phone: "Téléphone", columns.HeldPhone: "Portable",
		},
		"Spanish": {
			columns.FirstName: "Nombre", columns.LastName: "Apellidos", columns.CompanyName: "Empresa", columns.CompanyDomain: "Página web",
			columns.Email: "Correo electrónico", columns.Phone: "Teléfono", columns.HeldPhone: "Móvil",
		},
	}
}

// TestNamesOfTheFormLastFirstAreKnownByTheirCells has columns of names, and of others that look like them, under
// headers that say nothing.
func TestNamesOfTheFormLastFirstAreKnownByTheirCells(t *testing.T) {
	for name, test := range map[string]struct {
		list string
		want int // the column; columns.None for none
	}{
		"persons":                     {"Who;Firma\nLee, Ann;Acme\nMüller, Jörg;Beta\nGarcía López, María;Gamma\n", 0},
		"one unusual name of three":   {"Who;Firma\nLee, Ann;Acme\nOkonkwo, Chukwuemeka;Beta\nŻak, Łukasz;Gamma\n", 0},
		"cities":                      {"Where;Firma\nParis, France;Acme\nBerlin, Germany;Beta\nAmman, Jordan;Gamma\n", columns.None},
		"cities in the US":            {"Where;Firma\nAustin, Texas;Acme\nAtlanta, Georgia;Beta\nRichmond, Virginia;Gamma\n", columns.None},
		"companies":                   {"What;Firma\nAcme, Inc.;A\nBeta, LLC;B\nGamma, Ltd.;C\n", columns.None},
		"unusual names":               {"Who;Firma\nOkonkwo, Chukwuemeka;Acme\nAdeyemi, Oluwaseun;Beta\n", columns.None},
		"two columns":                 {"Who;Guest;Firma\nLee, Ann;Ray, Bob;Acme\nDoe, Max;Fox, Eva;Beta\n", columns.None},
		"those of the owner":          {"Owner's;Firma\nLee, Ann;Acme\nRay, Bob;Beta\n", columns.None},
		"one person for all":          {"Who;Firma\n" + rows("Lee, Ann;Acme", 30), columns.None},
		"few of them":                 {"Who;Firma\nLee, Ann;Acme\nRay, Bob;Beta\nHall 3;Gamma\nHall 4;Delta\n", columns.None},
		"a header that says it":       {"Who;Name;Firma\nLee, Ann;Bob Ray;Acme\nDoe, Max;Eva Fox;Beta\n", 1},
		"a list with parts of names":  {"Who;Vorname;Nachname;Firma\nLee, Ann;Ann;Lee;Acme\nRay, Bob;Bob;Ray;Beta\n", columns.None},
		"attendees, with first names": {"Attendee;Firma\nAnn Lee;Acme\nBob Ray;Beta\n", 0},
	} {
		_, reading, err := recognise(t, test.list, columns.Options{Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := reading.Mapping.Column(columns.FullName); got != test.want {
			t.Errorf("%s: the names are in column %d, want %d", name, got, test.want)
		}
	}
}
