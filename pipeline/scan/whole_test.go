package scan

import (
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/pipeline/columns"
)

// wholeScope is that of a step whose calls by the id of a person return both fields.
func wholeScope() Scope {
	return Scope{
		Catalogue: enrich.Named("one", "two"), Wanted: 3, Mapping: columns.Mapping{columns.ContactID: {0}, columns.FullName: {1}, columns.CompanyName: {2}},
		Patterns: enrich.PatternsOf(enrich.ByContactID, enrich.ByName), Whole: map[enrich.Pattern]enrich.Fields{enrich.ByContactID: 3},
	}
}

// TestASubjectOfAWholeCallIsAskedForAllFieldsOrNone keeps a call that returns everything from being sent for a part, while
// rows with other identities are asked for what they miss.
func TestASubjectOfAWholeCallIsAskedForAllFieldsOrNone(t *testing.T) {
	scope := wholeScope()
	for _, test := range []struct {
		pattern       enrich.Pattern
		missing, want enrich.Fields
	}{
		{enrich.ByContactID, 1, 3},
		{enrich.ByContactID, 2, 3},
		{enrich.ByContactID, 3, 3},
		{enrich.ByContactID, 0, 0},
		{enrich.ByName, 1, 1},
		{enrich.ByName, 3, 3},
		{enrich.ByName, 0, 0},
	} {
		if got := scope.whole(test.pattern, test.missing); got != test.want {
			t.Errorf("by %s, fields %b are asked for as %b, want %b", test.pattern, test.missing, got, test.want)
		}
	}
	found := attempt.Record{}
	found.States[0] = attempt.Found
	found.States[1] = attempt.Missing
	if got := (&Scan{}).askable(3, &found) & 3; got != 0 {
		t.Fatalf("fields %b are askable", got)
	}
}

// TestARowWithAnIDIsNamedByItAlone reads rows of people who share a name and a company.
func TestARowWithAnIDIsNamedByItAlone(t *testing.T) {
	seen := map[enrich.Key]bool{}
	for _, row := range []cells{{"1", "Ann Lee", "Acme"}, {"2", "Ann Lee", "Acme"}, {"n/a", "Ann Lee", "Acme"}, {"0", "Ann Lee", "ACME"}} {
		reader := wholeScope().Reader(keyOf)
		key, pattern, reason := at(reader, row).Key()
		if wanted := map[bool]enrich.Pattern{true: enrich.ByContactID, false: enrich.ByName}[row[0] == "1" || row[0] == "2"]; reason != "" || pattern != wanted {
			t.Errorf("%q is named by %s, %q", row, pattern, reason)
		}
		seen[key] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d subjects, want 3", len(seen))
	}
}
