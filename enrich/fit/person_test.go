package fit_test

import (
	"fmt"
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/enrich/fit"
)

// person describes a person by "First|Last" or a full name, and by the company, the website, the profile and the email.
func person(name string, values ...string) *enrich.Described {
	var d enrich.Described
	first, last, split := strings.Cut(name, "|")
	if split {
		d[enrich.PartFirstName], d[enrich.PartLastName] = first, last
	} else {
		d[enrich.PartFullName] = name
	}
	for i, part := range []enrich.Part{enrich.PartCompanyName, enrich.PartWebsite, enrich.PartProfile, enrich.PartEmail} {
		if i < len(values) {
			d[part] = values[i]
		}
	}
	return &d
}

func TestPersons(t *testing.T) {
	const (
		name    = enrich.ByName
		profile = enrich.ByProfile
		email   = enrich.ByEmail
	)
	for _, tt := range []struct {
		asked       enrich.Pattern
		row, answer *enrich.Described
		want        fit.Verdict
	}{
		// The same person.
		{name, person("Ann|Lee"), person("Ann Lee"), fit.Fits},
		{name, person("ann|LEE"), person("Lee, Ann"), fit.Fits},
		{name, person("José|García Márquez"), person("Jose Garcia"), fit.Fits},
		{name, person("Bob|Smith"), person("Robert Smith"), fit.Fits},
		{name, person("Bill|Gates"), person("William|Gates"), fit.Fits},
		{name, person("Kate|O'Brien"), person("Catherine O’Brien"), fit.Fits},
		{name, person("Peggy|Olson"), person("Margaret Olson"), fit.Fits},
		{name, person("J.|Smith"), person("John Smith"), fit.Fits},
		{name, person("John|Smith"), person("J. Smith"), fit.Fits},
		{name, person("John|Smith"), person("John Michael Smith Jr."), fit.Fits},
		{name, person("Dr. Anna|Schmidt"), person("Anna Schmidt-Weber"), fit.Fits},
		{name, person("Ludwig|van Beethoven"), person("Ludwig Beethoven"), fit.Fits},
		{name, person("Иван|Петров"), person("Ivan Petrov"), fit.Fits},
		{name, person("Юлия|Щербакова"), person("Yulia Shcherbakova"), fit.Fits},
		{name, person("Julia|Schtscherbakowa"), person("Yulia|Shcherbakova"), fit.Fits},
		{name, person("Αλέξης|Τσίπρας"), person("Alexis Tsipras"), fit.Fits},
		{name, person("伟|王"), person("Wei Wang"), fit.Fits},
		{name, person("Jürgen|Müller"), person("Juergen Mueller"), fit.Fits},
		{name, person("Jurgen|Muller"), person("Jürgen Müller"), fit.Fits},
		{name, person("Søren|Kjær"), person("Soren Kjaer"), fit.Fits},
		{name, person("Katarzyna|Kowalska"), person("Kasia Kowalski"), fit.Fits},
		{name, person("Mohammed|Al-Fayed"), person("Mohamed Fayed"), fit.Fits},
		{name, person("Jean-Pierre|Dupont"), person("Jean Pierre Dupont"), fit.Fits},
		{name, person("Smith|John"), person("John|Smith"), fit.Fits},
		{name, person("Henry|Mercer"), person("Henry Mercer Grnhia"), fit.Fits},
		{name, person("Alexander|Bauer"), person("Alex Bauer"), fit.Fits},
		{name, person("Stephen|Jonson"), person("Steven Johnson"), fit.Fits},
		{name, person("Noël|山田"), person("Noel Yamada"), fit.Unknown},
		// Others.
		{name, person("Ann|Lee"), person("Bob Jones"), fit.Contradicts},
		{name, person("Peter|Smith"), person("Paul Smith"), fit.Contradicts},
		{name, person("Anna|Schmidt"), person("Anna Weber"), fit.Contradicts},
		{name, person("Martin|Bauer"), person("Martina Bauer"), fit.Contradicts},
		{name, person("Mario|Rossi"), person("Maria Rossi"), fit.Contradicts},
		{name, person("Daniel|Klein"), person("Daniela Klein"), fit.Contradicts},
		{name, person("Paul|Klein"), person("Pauline Klein"), fit.Contradicts},
		{name, person("Alan|Klein"), person("Alex Klein"), fit.Contradicts},
		{name, person("Wei|Wang"), person("Li Wang"), fit.Contradicts},
		{name, person("Marco|Rossi"), person("Mario Rossi"), fit.Contradicts},
		{name, person("Maria|Rossi"), person("Marta|Rossi"), fit.Contradicts},
		{name, person("Christian|Klein"), person("Christina Klein"), fit.Contradicts},
		{name, person("Andrea|Klein"), person("Andreas Klein"), fit.Contradicts},
		{name, person("Heiko|Klein"), person("Heike|Klein"), fit.Contradicts},
		{name, person("Frank|Klein"), person("Franz Klein"), fit.Contradicts},
		{name, person("Daniel|Klein"), person("Danielle Klein"), fit.Contradicts},
		{name, person("Gabriel|Klein"), person("Gabrielle Klein"), fit.Contradicts},
		{name, person("Hanne|Klein"), person("Anne Klein"), fit.Contradicts},
		{name, person("Rajesh|Kumar"), person("Ramesh Kumar"), fit.Contradicts},
		{name, person("Peter|Hansen"), person("Peter Jansen"), fit.Contradicts},
		{name, person("Peter|Müller"), person("Peter Möller"), fit.Contradicts},
		{name, person("Peter|Becker"), person("Peter|Decker"), fit.Contradicts},
		// Further names that differ.
		{name, person("Jean-Luc|Martin"), person("Jean-Marc Martin"), fit.Contradicts},
		{name, person("Hans-Peter|Klein"), person("Hans-Jürgen|Klein"), fit.Contradicts},
		{name, person("Mary Ann Smith"), person("Mary Jane Smith"), fit.Contradicts},
		{name, person("María|García López"), person("Maria Garcia Perez"), fit.Contradicts},
		{name, person("Anna|Schmidt-Weber"), person("Anna|Schmidt-Klein"), fit.Contradicts},
		{name, person("Jean-Luc|Martin"), person("Jean Martin"), fit.Fits},
		{name, person("Anna Maria|Schmidt"), person("Maria Anna|Schmidt"), fit.Fits},
		{name, person("John M.|Smith"), person("John Michael Smith"), fit.Fits},
		{name, person("Peter|Hofmann"), person("Peter Hoffmann"), fit.Fits},
		{name, person("Jenifer|Lee"), person("Jennifer Lee"), fit.Fits},
		// An email or a profile identifies the person, and the difference is shown.
		{email, person("María|García López", "Acme"), person("Maria Garcia Perez", "Acme"), fit.Unclear},
		{profile, person("Peter|Hansen", "Acme"), person("Peter Jansen", "Acme"), fit.Unclear},
		// Two first names without a relation are those of two persons, for example of one family.
		{email, person("Chip|Klein", "Acme"), person("Peter Klein", "Acme"), fit.Contradicts},
		{profile, person("Xanthe|Klein", "Acme"), person("Quillon Klein", "Acme"), fit.Contradicts},
		{profile, person("Quillon|Klein"), person("Peter Klein"), fit.Contradicts}, // as of v1
		{profile, person("Klein|Quillon"), person("Peter Klein"), fit.Contradicts},
		{profile, person("Quillon|Klein"), person("Klein|Peter"), fit.Contradicts},
		{profile, person("Peter|Martin"), person("Martin Klein"), fit.Contradicts},
		{profile, person("Xanthe Klein"), person("Quillon Klein"), fit.Contradicts},
		{profile, person("Xanthe Klein"), person("Quillon|Klein"), fit.Contradicts},
		{profile, person("Oluwaseun|Adeyemi"), person("Chukwuemeka Adeyemi"), fit.Contradicts},
		{profile, person("Thanh|Nguyen"), person("Phuong Nguyen"), fit.Contradicts},
		{profile, person("X.|Klein"), person("Peter Klein"), fit.Contradicts},
		{profile, person("Li|Wang"), person("Lan Wang"), fit.Contradicts},
		{profile, person("Al|Klein"), person("Arthur Klein"), fit.Contradicts},
		// A relation is enough, or no first name that could differ.
		{profile, person("Quill|Klein"), person("Quillon Klein"), fit.Fits},
		{profile, person("Klein|Quillon"), person("Quill Klein"), fit.Unclear},
		{profile, person("Klein|Quillon"), person("Quill|Klein"), fit.Unclear},
		{profile, person("Quillon Xanthe|Klein"), person("Quillon Odell Klein"), fit.Unclear},
		{profile, person("Quillonne|Klein"), person("Quilonne Klein"), fit.Fits},
		{profile, person("TJ|Klein"), person("Terrance Klein"), fit.Unclear},
		{profile, person("Bobby|Klein"), person("R. Klein"), fit.Unclear},
		{profile, person("Herr|Klein"), person("Peter Klein"), fit.Unclear},
		{profile, person("Mr.|Klein"), person("Peter Klein"), fit.Unclear},
		{profile, person("Don|Klein"), person("Peter Klein"), fit.Contradicts},
		{profile, person("Ma|Li"), person("Wei Li"), fit.Contradicts},
		{profile, person("J.|Müller"), person("Hans Müller"), fit.Unclear},
		{profile, person("G.|Jones"), person("William Jones"), fit.Contradicts},
		{profile, person("Hanspeter|Klein"), person("Peter Klein"), fit.Unclear},
		{profile, person("Olivia|Klein"), person("Livia Klein"), fit.Contradicts},
		{profile, person("Sylvester|Klein"), person("Ester Klein"), fit.Contradicts},
		{profile, person("Peter|Klein"), person("Hans-Peter Klein"), fit.Fits},
		{profile, person("Sepp|Klein"), person("Josef Klein"), fit.Fits},
		{profile, person("Maria José|Silva"), person("José Maria Silva"), fit.Fits},
		// Last names of a family are not a first name in common.
		{profile, person("Anna Souza Lima"), person("Paula Souza Lima"), fit.Contradicts},
		{profile, person("Anna Souza|Lima"), person("Paula Souza Lima"), fit.Contradicts},
		{profile, person("Ana García Pérez"), person("José Luis García Pérez"), fit.Contradicts},
		{profile, person("Luis García Pérez"), person("José Luis García Pérez"), fit.Fits},
		// An initial stands for names that begin with it.
		{name, person("D.|Jones", "Acme"), person("James Jones", "Acme"), fit.Contradicts},
		{name, person("S.|Jones", "Acme"), person("John Jones", "Acme"), fit.Contradicts},
		{name, person("M.|Jones", "Acme"), person("William Jones", "Acme"), fit.Contradicts},
		{name, person("L.|Jones", "Acme"), person("Elizabeth Jones", "Acme"), fit.Contradicts},
		{name, person("R.|Jones", "Acme"), person("Bobby Jones", "Acme"), fit.Contradicts},
		{name, person("Mary B.|Smith", "Acme"), person("Mary Elizabeth Smith", "Acme"), fit.Contradicts},
		{profile, person("D.|Jones"), person("James Jones"), fit.Contradicts},
		{profile, person("B.|Klein"), person("R. Klein"), fit.Contradicts},
		{profile, person("T. J.|Klein"), person("Terrance Klein"), fit.Fits},
		{profile, person("Xanthemarie|Klein"), person("Xanthe-Marie Klein"), fit.Fits},
		{profile, person("Dr. Quillon|Klein"), person("Quillon Klein MBA"), fit.Fits},
		{profile, person("Квиллон|Клейн"), person("Kvillon Klein"), fit.Fits},
		{profile, person("Klein"), person("Quillon Klein"), fit.Fits},
		{email, person("Christian|Klein", "Acme"), person("Christina Klein", "Acme"), fit.Contradicts},
		{profile, person("Anna|Schmidt", "Acme"), person("Peter|Schmidt", "Acme"), fit.Contradicts},
		{profile, person("Anna Schmidt", "Acme"), person("Peter|Schmidt", "Acme"), fit.Contradicts},
		{profile, person("Peggy|Schmidt", "Acme"), person("Margaret Weber", "Acme"), fit.Unclear},
		// A page or an email names one person, who can have married.
		{profile, person("Anna|Schmidt"), person("Anna Weber"), fit.Unclear},
		{email, person("Anna|Schmidt"), person("Anna Weber"), fit.Unclear},
		{profile, person("Anna|Schmidt"), person("Paul Weber"), fit.Contradicts},
		{email, person("Ann|Lee"), person("Bob Jones"), fit.Contradicts},
		// Not with another company as well: that is somebody else of the same first name.
		{profile, person("Anna|Schmidt", "Acme"), person("Anna Weber", "Acme Ltd"), fit.Unclear},
		{profile, person("Anna|Schmidt", "Acme"), person("Anna Weber", "Zenith Foods"), fit.Contradicts},
		{profile, person("Anna|Schmidt", "Acme Foods"), person("Anna Weber", "Zenith Foods"), fit.Contradicts},
		// Companies.
		{name, person("Ann|Lee", "Acme"), person("Ann Lee", "Acme Ltd"), fit.Fits},
		{name, person("Ann|Lee", "Acme"), person("Ann Lee", "Zenith Foods"), fit.Contradicts},
		{profile, person("Ann|Lee", "Acme"), person("Ann Lee", "Zenith Foods"), fit.Unclear},
		{name, person("Ann|Lee", "", "zenith.com"), person("Ann Lee", "Zenith Foods"), fit.Fits},
		{name, person("Ann|Lee", "", "zenith.com"), person("Ann Lee", "Acme Holdings"), fit.Unclear},
		{name, person("Ann|Lee", "Gousto", "gousto.co.uk"), person("Ann Lee", "SCA Investments Ltd", "", "", "ann@gousto.co.uk"), fit.Fits},
		// Pages.
		{name, person("Ann|Lee", "Acme", "", "https://www.linkedin.com/in/ann-lee-1"), person("Ann Lee", "", "", "https://www.linkedin.com/in/ann-lee-2"), fit.Contradicts},
		{name, person("Ann|Lee", "Acme", "", "https://www.linkedin.com/in/ann-lee-1"), person("Ann Lee", "Acme Ltd", "", "https://www.linkedin.com/in/annlee"), fit.Unclear},
		{profile, person("Ann|Lee", "", "", "https://www.linkedin.com/in/ann-lee-1"), person("Ann Lee", "", "", "https://de.linkedin.com/in/ann-lee-1/"), fit.Fits},
		// Nothing to compare.
		{profile, person(""), person("Ann Lee"), fit.Unknown},
		{profile, person("Ann|Lee"), person(""), fit.Unknown},
	} {
		got := fit.Compare(tt.asked, tt.row, tt.answer)
		if got.Verdict != tt.want || (got.Verdict == fit.Contradicts || got.Verdict == fit.Unclear) == (got.Differences == "") {
			t.Errorf("asked by %s, %q and %q: %d %q, not %d", tt.asked, *tt.row, *tt.answer, got.Verdict, got.Differences, tt.want)
		}
	}
}

// TestATextOfManyWordsIsComparedByItsFirstWords compares long texts, which a service may return in place of names.
// Without a limit on the words the comparison would take longer than a test may.
func TestATextOfManyWordsIsComparedByItsFirstWords(t *testing.T) {
	words := make([]string, 20_000)
	for i := range words {
		words[i] = fmt.Sprintf("word%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26)
	}
	text := strings.Join(words, " ")
	for _, tt := range []struct {
		row, answer string
		want        fit.Verdict
	}{
		{"Ann|Lee", "Ann Lee " + text, fit.Fits},
		{"Ann|Lee", text + " Ann Lee", fit.Contradicts},
		{text + "|" + text, text, fit.Fits},
	} {
		if got := fit.Compare(enrich.ByName, person(tt.row), person(tt.answer)); got.Verdict != tt.want {
			t.Errorf("%.20q and %.20q: %+v, want %d", tt.row, tt.answer, got, tt.want)
		}
	}
	if got := fit.Compare(enrich.ByWebsite, company(text, "GB", "acme.com"), company("Zeta "+text, "GB", "acme.com")); got.Differences == "" {
		t.Errorf("two companies: %+v", got)
	}
}
