package fit_test

import (
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/enrich/fit"
)

// company describes a company by its name, country, website, registration number, VAT number and id, in this order.
func company(values ...string) *enrich.Described {
	var d enrich.Described
	for i, part := range []enrich.Part{
		enrich.PartCompanyName, enrich.PartCountry, enrich.PartWebsite, enrich.PartRegistration, enrich.PartVAT, enrich.PartCompanyID,
	} {
		if i < len(values) {
			d[part] = values[i]
		}
	}
	return &d
}

type companyCase struct {
	asked       enrich.Pattern
	row, answer *enrich.Described
	want        fit.Verdict
	reason      string // a part of the differences; "" for none
}

func (tt companyCase) check(t *testing.T) {
	t.Helper()
	got := fit.Compare(tt.asked, tt.row, tt.answer)
	if got.Verdict != tt.want || !strings.Contains(got.Differences, tt.reason) || tt.want == fit.Fits && tt.reason == "" && got.Differences != "" {
		t.Errorf("asked by %s, %q and %q: %d %q (%d agree), not %d %q", tt.asked, *tt.row, *tt.answer, got.Verdict, got.Differences, got.Agreed, tt.want, tt.reason)
	}
	if (got.Verdict == fit.Contradicts || got.Verdict == fit.Unclear) == (got.Differences == "") {
		t.Errorf("%q and %q: verdict %d, and the differences are %q", *tt.row, *tt.answer, got.Verdict, got.Differences)
	}
}

func TestSpellingsOfOneCompanyFit(t *testing.T) {
	const (
		site   = enrich.ByWebsite
		number = enrich.ByRegistration
		name   = enrich.ByCompanyName
	)
	for _, tt := range []companyCase{
		// Legal forms, case, accents, signs, order.
		{site, company("Acme Ltd", "GB", "acme.com"), company("ACME LIMITED", "GB", "https://www.acme.com/"), fit.Fits, ""},
		{site, company("Acme Ltd.", "United Kingdom", "acme.com"), company("Acme Limited", "GB", "www.acme.com"), fit.Fits, ""},
		{site, company("Bäckerei Müller GmbH", "Deutschland", "mueller.de"), company("Baeckerei Mueller GmbH", "DE", "mueller.de"), fit.Fits, ""},
		{site, company("Bäckerei Müller", "DEU", "mueller.de"), company("Backerei Muller GmbH & Co. KG", "DE", "mueller.de"), fit.Fits, ""},
		{site, company("Société Générale", "France", "societegenerale.com"), company("SOCIETE GENERALE SA", "FR", "www.societegenerale.com"), fit.Fits, ""},
		{site, company("AB Volvo", "SE", "volvo.com"), company("Volvo, AB", "SE", "volvo.com"), fit.Fits, ""},
		{site, company("L'Oréal", "FR", "loreal.com"), company("L OREAL", "FR", "loreal.com"), fit.Fits, ""},
		{site, company("Marks & Spencer", "GB", "marksandspencer.com"), company("Marks and Spencer plc", "GB", "marksandspencer.com"), fit.Fits, ""},
		{site, company("Ørsted", "Danmark", "orsted.com"), company("Orsted A/S", "DK", "orsted.com"), fit.Fits, ""},
		{site, company("Škoda Auto", "CZ", "skoda-auto.cz"), company("ŠKODA AUTO a.s.", "Czechia", "skoda-auto.cz"), fit.Fits, ""},
		{site, company("The Body Shop", "GB", "thebodyshop.com"), company("Body Shop International Ltd", "GB", "thebodyshop.com"), fit.Fits, ""},
		{site, company("Straße & Söhne", "AT", "strasse.at"), company("STRASSE UND SOEHNE OG", "AT", "strasse.at"), fit.Fits, ""},
		// Other scripts.
		{site, company("Газпром", "RU", "gazprom.ru"), company("Gazprom PJSC", "RU", "gazprom.ru"), fit.Fits, ""},
		{site, company("ΔΕΗ", "GR", "dei.gr"), company("DEI", "GR", "dei.gr"), fit.Fits, ""},
		{site, company("トヨタ自動車", "JP", "toyota.jp"), company("Toyota Motor Corporation", "JP", "toyota.jp"), fit.Fits, ""},
		{name, company("Газпром", "RU"), company("Gazprom PJSC", "RU"), fit.Fits, ""},
		{name, company("Mueller Bau", "DE"), company("Müller Bau GmbH", "DE"), fit.Fits, ""},
		{name, company("The Acme Company", "US"), company("Acme Co., Inc.", "US"), fit.Fits, ""},
		// Short names.
		{site, company("BMW", "DE", "bmw.de"), company("Bayerische Motoren Werke AG", "DE", "bmw.de"), fit.Fits, ""},
		{site, company("KPN", "NL", "kpn.com"), company("Koninklijke KPN N.V.", "NL", "kpn.com"), fit.Unclear, "name KPN in the list, Koninklijke KPN N.V. in the answer"},
		{number, company("KPN", "NL", "", "27124701"), company("Koninklijke KPN N.V.", "NL", "", "27124701"), fit.Unclear, "name"},
		{name, company("Intl Paper Co", "US"), company("International Paper Company", "US"), fit.Fits, ""},
		{site, company("Microsfot", "US", "microsoft.com"), company("Microsoft Corporation", "US", "microsoft.com"), fit.Fits, ""},
		// Numbers.
		{number, company("Acme", "GB", "", "1234567"), company("Acme Ltd", "GB", "", "01234567"), fit.Fits, ""},
		{number, company("Acme", "DE", "", "HRB 12345"), company("Acme GmbH", "DE", "", "12345"), fit.Fits, ""},
		{number, company("Acme", "FR", "", "552 032 534 00133"), company("Acme SA", "FR", "", "552032534"), fit.Fits, ""},
		{number, company("Acme", "FR", "", "", "FR 27 552 032 534"), company("Acme SA", "FR", "", "552032534"), fit.Fits, ""},
		{number, company("Acme", "DK", "", "", "DK12345678"), company("Acme ApS", "DK", "", "12345678"), fit.Fits, ""},
		{number, company("Acme", "NO", "", "NO 923 456 789 MVA"), company("Acme AS", "NO", "", "923456789"), fit.Fits, ""},
		{number, company("Acme", "GR", "", "", "EL123456789"), company("Acme AE", "GR", "", "", "123456789"), fit.Fits, ""},
		// Websites.
		{site, company("Acme", "GB", "shop.acme.co.uk"), company("Acme Ltd", "GB", "https://acme.co.uk"), fit.Fits, ""},
		{site, company("Acme", "GB", "acme.com"), company("Acme Ltd", "GB", "acme.co.uk"), fit.Fits, ""},
		{site, company("", "", "acme.com"), company("Acme Ltd", "GB", "http://www.acme.com"), fit.Fits, ""},
		{site, company("Acme", "GB", "acme.com"), company("Acme Ltd", "GB", "https://www.facebook.com/acme"), fit.Fits, ""},
		// Countries.
		{site, company("Acme", "England", "acme.com"), company("Acme", "GB", "acme.com"), fit.Fits, ""},
		{site, company("Acme", "somewhere", "acme.com"), company("Acme", "GB", "acme.com"), fit.Fits, ""},
		{site, company("Acme", "GB", "acme.com"), company("Acme Ltd", "Jersey", "acme.com"), fit.Unclear, "country GB in the list, Jersey in the answer"},
	} {
		tt.check(t)
	}
}

func TestAnAnswerAboutAnotherCompanyContradicts(t *testing.T) {
	const (
		site   = enrich.ByWebsite
		number = enrich.ByRegistration
		name   = enrich.ByCompanyName
		id     = enrich.ByID
	)
	for _, tt := range []companyCase{
		{site, company("Harbor Logistics 3 PLC", "GB", "cedar.com"), company("Cedar Foods Inc", "US", "cedar.com"), fit.Contradicts, "country GB in the list, US in the answer; name Harbor Logistics 3 PLC in the list, Cedar Foods Inc in the answer"},
		{site, company("Acme Ltd", "GB", "acme.com"), company("Acme Inc", "US", "acme.com"), fit.Contradicts, "country GB in the list, US in the answer"},
		{site, company("Falcon Logistics", "SE", "summit.se"), company("Summit Foods AB", "SE", "summit.se"), fit.Contradicts, "name"},
		{site, company("Falcon Logistics", "SE", "summit.se"), company("Summit Logistics AB", "SE", "summit.se"), fit.Contradicts, "name"},
		{site, company("Harbor Logistics 3", "GB", "harbor.uk"), company("Harbor Logistics 2", "GB", "harbor.uk"), fit.Contradicts, "name"},
		{number, company("Harbor Logistics 3", "GB", "", "01234567"), company("Harbor Logistics 2", "GB", "", "01234567"), fit.Contradicts, "name"},
		// A group shares its website, and the number says which company is meant.
		{site, company("Acme Holding", "GB", "acme.com", "01234567"), company("Acme Trading", "GB", "acme.com", "07654321"), fit.Contradicts, "registration number 01234567 in the list, 07654321 in the answer"},
		{site, company("Acme", "FR", "acme.com", "552032534"), company("Acme Services", "FR", "acme.com", "392032111"), fit.Contradicts, "registration number"},
		{site, company("Acme", "DE", "acme.com", "", "DE123456789"), company("Acme Service GmbH", "DE", "acme.com", "", "DE987654321"), fit.Contradicts, "VAT number"},
		// Wrong numbers.
		{number, company("Baker & Sons", "GB", "", "01234567"), company("Quantum Telecom plc", "GB", "", "01234567"), fit.Contradicts, "name"},
		{number, company("Baker & Sons", "GB", "baker.co.uk", "01234567"), company("Quantum Telecom plc", "GB", "quantum.com", "01234567"), fit.Contradicts, "website"},
		{number, company("Baker", "GB", "", "SC123456"), company("Baker", "GB", "", "NI123456"), fit.Contradicts, "registration number"},
		// Companies that share a name.
		{name, company("Phoenix Ltd", "GB", "phoenix-tools.co.uk"), company("Phoenix Ltd", "GB", "firebird.co.uk"), fit.Contradicts, "website"},
		{name, company("Phoenix", "GB"), company("Phoenix Sarl", "FR"), fit.Contradicts, "country"},
		{name, company("Acme", "GB"), company("Acme Retail Ltd", "GB"), fit.Contradicts, "name"},
		{name, company("Delta Dental", "US"), company("Delta Air Lines", "US"), fit.Contradicts, "name"},
		// An id of somebody else's system.
		{id, company("Baker & Sons", "GB", "baker.co.uk", "", "", "4711"), company("Quantum Telecom", "FR", "quantum.fr", "", "", "4711"), fit.Contradicts, "country"},
		{id, company("Baker & Sons", "", "", "", "", "4711"), company("Quantum Telecom", "FR", "quantum.fr", "", "", "4711"), fit.Contradicts, "name"},
		{id, company("Baker", "GB", "", "", "", "4711"), company("Baker", "GB", "", "", "", "4712"), fit.Contradicts, "company_id"},
		{site, company("Siemens Mobility", "DE", "siemens.com"), company("Siemens Healthineers AG", "DE", "siemens.com"), fit.Contradicts, "name"},
		{site, company("Sparkasse Köln", "DE", "volksbank-bonn.de"), company("Volksbank Bonn eG", "DE", "volksbank-bonn.de"), fit.Contradicts, "name"},
		// Only words that many names have tell these companies apart.
		{site, company("Bank of Ireland", "GB", "boi.com"), company("Bank of America", "GB", "boi.com"), fit.Contradicts, "name"},
		{name, company("South East Water", "GB"), company("South West Water Ltd", "GB"), fit.Contradicts, "name"},
		{name, company("Air France", "FR"), company("Air India", "FR"), fit.Contradicts, "name"},
		{name, company("Deloitte Consulting", "GB"), company("Deloitte Services", "GB"), fit.Contradicts, "name"},
		// A letter in place of another one makes another name.
		{name, company("Becker Bau", "DE"), company("Decker Bau GmbH", "DE"), fit.Contradicts, "name"},
		{name, company("Müller GmbH", "DE"), company("Möller GmbH", "DE"), fit.Contradicts, "name"},
		// The number is that of another company, whose name begins in the same way.
		{number, company("Harbor Logistics 3", "GB", "", "01234567"), company("Harbor Foods 3", "GB", "", "01234567"), fit.Contradicts, "name"},
		{number, company("Harbor Logistics 3", "GB", "harbor-logistics-3.example", "01234567"), company("Harbor Foods 3", "GB", "harbor-foods-3.example", "01234567"), fit.Contradicts, "name"},
		{number, company("Lantern Logistics 1 PLC", "GB", "", "00000848"), company("Lantern Partners 1 PLC", "GB", "", "00000848"), fit.Contradicts, "name"},
		{site, company("Lantern Logistics 1 PLC", "GB", "lantern-partners-1.example"), company("Lantern Partners 1 PLC", "GB", "lantern-partners-1.example"), fit.Contradicts, "name"},
		{id, company("Harbor Logistics 3", "GB", "", "", "", "4711"), company("Harbor Foods 3", "GB", "", "", "", "4711"), fit.Contradicts, "name"},
		// A number in a label is not a part of another number.
		{enrich.ByCompanyName, company("Studio 18", "DE", "studio18.de"), company("Studio 180 GmbH", "DE", "studio180.de"), fit.Contradicts, "website"},
	} {
		tt.check(t)
	}
}

func TestUncertainComparisonsAreUnclear(t *testing.T) {
	const (
		site   = enrich.ByWebsite
		number = enrich.ByRegistration
		name   = enrich.ByCompanyName
		id     = enrich.ByID
	)
	for _, tt := range []companyCase{
		// A brand with its own website, and a company that changed its name.
		{site, company("Gousto", "GB", "gousto.co.uk"), company("SCA Investments Ltd", "GB", "gousto.co.uk"), fit.Unclear, "name Gousto in the list, SCA Investments Ltd in the answer"},
		{number, company("Royal Mail plc", "GB", "ids.co.uk", "08680755"), company("International Distributions Services plc", "GB", "ids.co.uk", "08680755"), fit.Unclear, "name"},
		{number, company("Facebook", "US", "", "", "", "1"), company("Facebook Meta", "US", "", "", "", "1"), fit.Unclear, "name"},
		// One has further words.
		{site, company("Acme Group", "GB", "acme.com"), company("Acme Retail Ltd", "GB", "acme.com"), fit.Unclear, "name"},
		{site, company("Acme", "GB", "acme.com"), company("Acme Retail Ltd", "GB", "acme.com"), fit.Unclear, "name"},
		// Companies of a group differ in words that many names have.
		{site, company("Deloitte Consulting", "GB", "deloitte.co.uk"), company("Deloitte Services", "GB", "deloitte.co.uk"), fit.Unclear, "name"},
		// The name alone found a company with a similar name.
		{name, company("Acme", "GB"), company("Acme Holdings Ltd", "GB"), fit.Unclear, "name Acme in the list, Acme Holdings Ltd in the answer"},
		{name, company("BP", "GB"), company("Baker Partners", "GB"), fit.Unclear, "name"},
		{name, company("Micro", "GB"), company("Microsoft Ltd", "GB"), fit.Unclear, "name"},
		{name, company("Microsfot", "US"), company("Microsoft Corporation", "US"), fit.Unclear, "name"},
		// One website has the name in the other one.
		{name, company("Phoenix", "GB", "phoenix-tools.co.uk"), company("Phoenix Ltd", "GB", "phoenix.co.uk"), fit.Unclear, "website phoenix-tools.co.uk in the list, phoenix.co.uk in the answer"},
		{site, company("Acme", "GB", "acme.com"), company("Acme Ltd", "GB", "acmegroup.com"), fit.Unclear, "website"},
		// An old number, an old id, another site.
		{site, company("Acme Ltd", "GB", "acme.com", "01234567"), company("Acme Ltd", "GB", "acme.com", "07654321"), fit.Unclear, "registration number"},
		{number, company("Acme Ltd", "GB", "", "01234567", "", "17"), company("Acme Ltd", "GB", "", "01234567", "", "42"), fit.Unclear, "company_id 17 in the list, 42 in the answer"},
		{number, company("Acme Ltd", "GB", "acme.com", "01234567"), company("Acme Ltd", "GB", "bigfish.com", "01234567"), fit.Unclear, "website acme.com in the list, bigfish.com in the answer"},
		{site, company("", "", "acme.com"), company("", "GB", "bigfish.com"), fit.Unclear, "website"},
		{number, company("Acme GmbH", "DE", "", "DE 12"), company("Acme GmbH", "DE", "", "HRB 99831 B"), fit.Unclear, "registration number"},
		{id, company("Acme", "US", "", "", "", "4711"), company("Acme", "GB", "", "", "", "4711"), fit.Unclear, "country US in the list, GB in the answer"},
	} {
		tt.check(t)
	}
}

func TestAComparisonWithoutCommonPartsIsUnknown(t *testing.T) {
	for _, tt := range []companyCase{
		{enrich.ByWebsite, company("", "", "acme.com"), company("Acme"), fit.Unknown, ""},
		{enrich.ByWebsite, company("", "GB"), company("", "GB"), fit.Unknown, ""},
		{enrich.ByID, company(), company("Acme", "GB", "acme.com"), fit.Unknown, ""},
	} {
		tt.check(t)
	}
}

func TestABrandInTheListFitsTheCompany(t *testing.T) {
	answer := company("Unilever plc", "GB", "")
	for _, brands := range []string{"Dove, Knorr", `["Dove","Knorr"]`, "Knorr; Dove"} {
		answer[enrich.PartBrands] = brands
		if got := fit.Compare(enrich.ByCompanyName, company("Dove", "GB"), answer); got.Verdict != fit.Fits || got.Differences != "" {
			t.Errorf("%q: %+v", brands, got)
		}
	}
}

func TestConfidenceFollowsFromVerdictAndAgreedParts(t *testing.T) {
	for _, tt := range []struct {
		result fit.Result
		want   string
	}{
		{fit.Result{Verdict: fit.Fits, Agreed: 2}, "high"},
		{fit.Result{Verdict: fit.Fits, Agreed: 1}, "medium"},
		{fit.Result{Verdict: fit.Unclear, Agreed: 3}, "medium"},
		{fit.Result{Verdict: fit.Unclear, Agreed: 1}, "low"},
		{fit.Result{}, "low"},
		{fit.Result{Verdict: fit.Contradicts, Agreed: 5}, "none"},
	} {
		if got := tt.result.Confidence(); got != tt.want {
			t.Errorf("%+v: %q, not %q", tt.result, got, tt.want)
		}
	}
}

func TestANameAndACountryContradictMoreThanAWebsiteOrANumber(t *testing.T) {
	row := company("Harbor Logistics", "GB", "falcon.example", "7001")
	byWebsite := company("Falcon Foods", "GB", "falcon.example")
	byName := company("Harbor Logistics", "GB", "harbor.example")
	abroad := company("Falcon Foods", "SE", "falcon.example")
	for _, tt := range []struct {
		asked  enrich.Pattern
		answer *enrich.Described
		want   int
	}{
		{enrich.ByWebsite, byWebsite, 2},
		{enrich.ByWebsite, abroad, 4},
		{enrich.ByCompanyName, byName, 1},
		{enrich.ByCompanyName, company("Harbor Logistics", "GB", "harbor.example", "7002"), 2},
		{enrich.ByCompanyName, company("Harbor Logistics", "GB", "falcon.example", "7001"), 0},
		{enrich.ByWebsite, company("Harbor Logistics", "GB", "falcon.example", "7002"), 0}, // unclear
	} {
		if got := fit.Compare(tt.asked, row, tt.answer); got.Against != tt.want || (got.Against > 0) != (got.Verdict == fit.Contradicts) {
			t.Errorf("asked by %s, %q: %d against it, not %d (%s)", tt.asked, *tt.answer, got.Against, tt.want, got.Differences)
		}
	}
}
