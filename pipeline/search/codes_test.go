package search

import (
	"strings"
	"testing"

	"payonce/io/service/v2"
)

// codesOf reads a file of codes.
func codesOf(t *testing.T, isCSV bool, text string) Codes {
	t.Helper()
	codes, err := ReadCodes([]byte(text), isCSV)
	if err == nil {
		err = codes.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

// TestFiltersAcceptNamesInPlaceOfCodes reads the same codes from files of each form, and searches by their names.
func TestFiltersAcceptNamesInPlaceOfCodes(t *testing.T) {
	for form, codes := range map[string]Codes{
		"CSV":                      codesOf(t, true, "\ufefffilter,name,code\nlocation_regions,\"Bavaria, Germany\",region_DE_BY\nlocation_regions,Île-de-France,region_FR_IDF\nlegal_form, GmbH ,3\n"),
		"JSON by names":            codesOf(t, false, `{"location_regions": {"Bavaria, Germany": "region_DE_BY", "Île-de-France": "region_FR_IDF"}, "legal_form": {"GmbH": 3}}`),
		"JSON as the service's is": codesOf(t, false, `{"location_regions": [{"id": "region_DE_BY", "name": "Bavaria, Germany"}, {"id": "region_FR_IDF", "name": "Île-de-France"}], "legal_form": [{"id": 3, "name": "GmbH"}]}`),
		"YAML":                     codesOf(t, false, "location_regions:\n  Bavaria, Germany: region_DE_BY\n  Île-de-France: region_FR_IDF\nlegal_form:\n  GmbH: 3\n"),
	} {
		q := NewQuery(v2.OpProspecting, 25).WithCodes(codes)
		var err error
		for _, text := range []string{"location_regions=bavaria,  germany", "location_regions=ÎLE-DE-FRANCE,region_DE_BY", "legal_form=gmbh,3", "nace=J62.0"} {
			if q, err = q.Where(text); err != nil {
				t.Fatalf("%s: %v", form, err)
			}
		}
		const want = "legal_form=3 location_regions=region_DE_BY,region_FR_IDF nace=J62.0"
		if q.String() != want {
			t.Errorf("%s: %s, want %s", form, q, want)
		}
		byFile, err := NewQuery(v2.OpProspecting, 25).WithCodes(codes).JSON([]byte(`{"legal_form": ["GmbH"], "nace": "J62.0", "location_regions": ["Île-de-France", "region_DE_BY"]}`))
		if err != nil || byFile.String() != want {
			t.Errorf("%s: a file of filters gives %s, error %v", form, byFile, err)
		}
		for _, text := range []string{"legal_form=4", "legal_form=AG", "location_regions=Saxony"} {
			if _, err := q.Where(text); err == nil || !strings.Contains(err.Error(), "is neither a name nor a code in the file of codes; its names are ") {
				t.Errorf("%s: %s: %v", form, text, err)
			}
		}
	}
	q, err := NewQuery(v2.OpEmployees, 25).WithCodes(codesOf(t, false, `{"seniority_level": {"Director": 7}, "departments": {"Sales": 2}}`)).Where("seniority=director")
	if err == nil {
		q, err = q.List("department", "sales")
	}
	if err != nil || q.String() != "department=2 seniority=7" {
		t.Errorf("the names of nomenclatures: %s, error %v", q, err)
	}
}

// TestAFileOfCodesThatCannotBeReadIsRefused has files with mistakes.
func TestAFileOfCodesThatCannotBeReadIsRefused(t *testing.T) {
	for _, test := range []struct {
		isCSV      bool
		text, want string
	}{
		{true, "", "EOF"},
		{true, "filter,name\n", "it has no column code; its columns are filter, name and code"},
		{true, "filter,name,code\n", "it has no codes"},
		{true, "filter,name,code\nseniority,,3\n", `line 2: a code needs a filter, a name and a code; it has "seniority", "" and "3"`},
		{true, "filter,name,code\nseniority,VP,3\nseniority,vp,4\n", `line 3: seniority: the name "vp" has two codes, 3 and 4`},
		{false, "[]", "it is not an object of filters"},
		{false, "{}", "it has no codes"},
		{false, "seniority: 3", "line 1: seniority has neither codes by their names nor a list of objects with id and name"},
		{false, `{"rank": {"VP": 3}}`, `there is no filter "rank" in any search`},
	} {
		codes, err := ReadCodes([]byte(test.text), test.isCSV)
		if err == nil {
			err = codes.Check()
		}
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}
