package fit

import (
	"testing"

	"payonce/enrich"
)

func TestIdentifiersDifferOnlyWhereThatIsCertain(t *testing.T) {
	for _, test := range []struct {
		pattern enrich.Pattern
		a, b    string
		want    level
	}{
		{enrich.ByContactID, "7", "8", differs},
		{enrich.ByContactID, "7", " 7 ", same},
		{enrich.ByContactID, "7", "7.0", same},
		{enrich.ByContactID, "7", "", missing},
		{enrich.ByContactID, "1.2345E+12", "8", missing}, // rounded
		{enrich.ByID, "7", "8", differs},
		{enrich.ByID, "7", "7", same},
		{enrich.ByProfile, "https://www.linkedin.com/in/ann-lee", "linkedin.com/in/Ann-Lee/", same},
		{enrich.ByProfile, "https://www.linkedin.com/in/ann-lee", "https://linkedin.com/in/bob-ray", differs},
		{enrich.ByProfile, "https://www.linkedin.com/in/ann-lee", "https://www.xing.com/profile/Ann_Lee", missing},
		{enrich.ByProfile, "https://www.linkedin.com/in/ann-lee", "https://www.linkedin.com/in/ACoAAABBBCCCDDDEEEFFFGGGHHH", missing},
		{enrich.ByProfile, "not a page", "https://linkedin.com/in/bob-ray", missing},
		{enrich.ByCompanyProfile, "https://www.linkedin.com/company/acme", "https://www.linkedin.com/company/beta", differs},
		{enrich.ByCompanyProfile, "https://www.linkedin.com/company/acme", "https://www.linkedin.com/company/1035", missing},
		{enrich.ByName, "Ann", "Bob", missing},
	} {
		if got := compareIdentifiers(test.pattern, test.a, test.b); got != test.want || compareIdentifiers(test.pattern, test.b, test.a) != got {
			t.Errorf("%s: %q and %q compare as %d", test.pattern, test.a, test.b, got)
		}
	}
}
