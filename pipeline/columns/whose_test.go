package columns_test

import (
	"fmt"
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/pipeline/columns"
)

// TestCompanyPhoneAndEmailColumnsAreNotReadAsThePersons reads headers of real lists. The columns hold values in one
// list, and nothing in another, where values would be written to them.
func TestCompanyPhoneAndEmailColumnsAreNotReadAsThePersons(t *testing.T) {
	for role, headers := range map[columns.Role]string{
		columns.Phone: `company_phone;Company Phone;CompanyPhone;company.phone;Company Phone Number;Corporate Phone;HQ phone;HQ Phone Number;Headquarters Phone;
			Head Office Phone;Switchboard;Switchboard Number;Main Phone;Main Line Phone;Account Phone;Organization Phone;organization.phone;organization_primary_phone;
			Employer Phone;Reception Phone;Store Phone;Branch Phone;Generic phone;General phone;Location Phone;
			Firmenname Telefon;Firma Telefon;Firmentelefon;Firmen-Telefon;Telefon Firma;Telefon (Firma);Telefon Zentrale;Zentrale Telefon;Telefon Unternehmen;
			Unternehmen Telefonnummer;Telefon Hauptsitz;Telefon Empfang;Téléphone entreprise;Téléphone société;Tél. standard;Téléphone siège;Téléphone accueil;
			Teléfono empresa;Teléfono de la empresa;Teléfono centralita;Teléfono sede;Telefono azienda;Telefono centralino;Telefono sede;Telefono società;
			Telefone da empresa;Telefone sede;Telefoon bedrijf;Bedrijfstelefoon;Telefoon hoofdkantoor;Telefon firmy;Telefon centrala;Företag telefon;
			Telefon växel;Virksomhed telefon;Telefon sentralbord;Yritys puhelin;Telefon ústředna;phone_company;Phone (Company)`,
		columns.Email: `company_email;Company Email;CompanyEmail;company.email;Company E-Mail Address;Corporate Email;Generic Email;General email;info email;HQ Email;
			Organization Email;Account Email;Main Email;Shared Email;Employer Email;
			Firmen-E-Mail;Firmenmail;Firma E-Mail;E-Mail Firma;E-Mail Zentrale;Unternehmen E-Mail;E-mail entreprise;Courriel société;Email de la empresa;Correo empresa;
			Email azienda;Email società;Email da empresa;E-mail bedrijf;Bedrijfsemail;E-mail firmy;E-post företag;Virksomhed e-mail;email_company`,
	} {
		for header := range strings.SplitSeq(headers, ";") {
			header = strings.TrimSpace(header)
			for _, value := range map[columns.Role][]string{columns.Phone: {"+49 30 1234567", ""}, columns.Email: {"hello.berlin@acme.example", ""}}[role] {
				list := "First Name;Last Name;Company;" + header + "\n"
				for i := range 30 {
					list += fmt.Sprintf("Ann;Lee;Acme;%s\n", strings.ReplaceAll(value, "0", fmt.Sprint(i%10)))
				}
				_, reading, err := recognise(t, list, columns.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for found, of := range reading.Mapping {
					if len(of) > 0 && of[0] == 3 {
						t.Errorf("column %q with %q is read as %s", header, value, found)
					}
				}
			}
		}
	}
}

// TestPersonPhoneAndEmailColumnsAreReadAsThePersons is the other side: headers of the person's own values.
func TestPersonPhoneAndEmailColumnsAreReadAsThePersons(t *testing.T) {
	for role, headers := range map[columns.Role]string{
		columns.Phone: `Phone;Work Phone;Business Phone;Office Phone;Direct Phone;Telefon;Telefonnummer;Téléphone;Teléfono;Telefono diretto;Telefone;Telefoon`,
		columns.Email: `Email;E-Mail;Work Email;Business Email;Email aziendale;Email corporativo;E-mail professionnel;Correo electrónico;E-mailadres;E-Mail-Adresse`,
	} {
		for header := range strings.SplitSeq(headers, ";") {
			for _, list := range []string{header + ";Company Phone;Company Email", "Company Phone;Company Email;" + header} {
				column := strings.Count(list[:strings.Index(";"+list+";", ";"+header+";")], ";") + 3
				_, reading, err := recognise(t, "First Name;Last Name;Company;"+list+"\nAnn;Lee;Acme;;;\n", columns.Options{})
				if err != nil || reading.Mapping.Column(role) != column {
					t.Errorf("%s: %s is column %d, want %d (%v)", list, role, reading.Mapping.Column(role), column, err)
				}
			}
		}
	}
}

// TestAColumnOfSharedMailboxesIsNotReadAsThePersons reads a column called "Email" that holds info@ and the like.
func TestAColumnOfSharedMailboxesIsNotReadAsThePersons(t *testing.T) {
	list := func(addresses ...string) string {
		return "First Name;Last Name;Company;Email\nAnn;Lee;Acme;" + strings.Join(addresses, "\nAnn;Lee;Acme;") + "\n"
	}
	shared := list("info@a.example", "kontakt@b.example", "contact@c.example; sales@c.example", "office@d.example", "")
	schema, reading, err := recognise(t, shared, columns.Options{})
	want := `. column #4 "Email" is not used as email, because it holds mailboxes of companies, such as info@`
	if err != nil || reading.Mapping.Column(columns.Email) != columns.None || len(reading.Mapping[columns.HeldEmail]) > 0 || reading.UnusedText(schema) != want {
		t.Errorf("%v, %q, %v", reading.Mapping, reading.UnusedText(schema), err)
	}
	if _, reading, err = recognise(t, shared, columns.Options{Overrides: []string{"email=Email"}}); err != nil || reading.Mapping.Column(columns.Email) != 3 {
		t.Errorf("the user's word does not count: %v, %v", reading.Mapping, err)
	}
	some := list("info@a.example", "ann@b.example", "bob@c.example")
	if _, reading, err = recognise(t, some, columns.Options{}); err != nil || reading.Mapping.Column(columns.Email) != 3 {
		t.Errorf("a column of persons' emails with one of a company is not read: %v, %v", reading.Mapping, err)
	}
}

// TestHeadersOfRegistersAreRecognised reads lists of companies.
func TestHeadersOfRegistersAreRecognised(t *testing.T) {
	for _, test := range []struct {
		list string
		want columns.Mapping
	}{
		{
			"Company;Registered No;Jurisdiction\nAcme Ltd;01234567;GB\n",
			columns.Mapping{columns.CompanyName: {0}, columns.RegistrationNumber: {1}, columns.CompanyCountry: {2}},
		},
		{
			"Name;Registered Number;Nation\nAcme Ltd;01234567;United Kingdom\n",
			columns.Mapping{columns.CompanyName: {0}, columns.RegistrationNumber: {1}, columns.CompanyCountry: {2}},
		},
		{
			"Firma;UID;Nation\nAcme AG;CHE-123.456.789;Schweiz\nBeta AG;CHE123456780;Schweiz\n",
			columns.Mapping{columns.CompanyName: {0}, columns.RegistrationNumber: {1}, columns.CompanyCountry: {2}},
		},
		{
			"Firma;UID;Land\nAcme GmbH;ATU12345678;AT\nBeta GmbH;ATU 8765 4321;AT\n",
			columns.Mapping{columns.CompanyName: {0}, columns.VATNumber: {1}, columns.CompanyCountry: {2}},
		},
		{
			"Firma;UID;Land\nAcme AG;CHE-123.456.789 MWST;CH\nBeta AG;CHE-123.456.780 TVA;CH\n",
			columns.Mapping{columns.CompanyName: {0}, columns.VATNumber: {1}, columns.CompanyCountry: {2}},
		},
		{
			"Firma;UID;Nation;Registered No\nAcme GmbH;DE123456789;Deutschland;HRB 1\nBeta SA;FR12345678901;Frankreich;2\nGamma BV;NL123456789B01;NL;3\n",
			columns.Mapping{columns.CompanyName: {0}, columns.VATNumber: {1}, columns.CompanyCountry: {2}, columns.RegistrationNumber: {3}},
		},
		{ // the list's own ids
			"UID;Company;Country\nDE-0001;Acme;DE\nUID12345678;Beta;DE\n",
			columns.Mapping{columns.CompanyName: {1}, columns.CompanyCountry: {2}},
		},
		{ // the list's own ids
			"UID;Company;Country\n1;Acme;DE\n2;Beta;DE\n",
			columns.Mapping{columns.CompanyName: {1}, columns.CompanyCountry: {2}},
		},
		{
			"UID;Company;Country\n0b9f3c1e-7a52-4b0e-9c51-1d2f;Acme;DE\n",
			columns.Mapping{columns.CompanyName: {1}, columns.CompanyCountry: {2}},
		},
	} {
		_, reading, err := recognise(t, test.list, columns.Options{Asked: []enrich.Subject{enrich.Companies}})
		if err != nil {
			t.Fatal(err)
		}
		for _, role := range []columns.Role{columns.CompanyName, columns.RegistrationNumber, columns.VATNumber, columns.CompanyCountry, columns.CompanyID} {
			if got := fmt.Sprint(reading.Mapping[role]); got != fmt.Sprint(test.want[role]) {
				t.Errorf("%.30q: %s is %s, want %v", test.list, role, got, test.want[role])
			}
		}
	}
}
