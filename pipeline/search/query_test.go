package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"payonce/io/service/v2"
)

// where returns a search with filters.
func where(t testing.TB, o v2.Operation, filters ...string) Query {
	t.Helper()
	q := NewQuery(o, 25)
	for _, text := range filters {
		var err error
		if q, err = q.Where(text); err != nil {
			t.Fatal(err)
		}
	}
	return q
}

// TestFiltersAreSentAsTheSpecificationHasThem writes filters of each kind, and shows what is sent.
func TestFiltersAreSentAsTheSpecificationHasThem(t *testing.T) {
	for _, test := range []struct {
		q    Query
		body string
		text string
	}{
		{NewQuery(v2.OpProspecting, 25), `{"page":1,"per_page":25}`, "no filter"},
		{
			where(t, v2.OpProspecting, "number_of_employees=10..50", "nace=J62.0", "company_status=2,1", "nace= J58.2 ", "nace=J62.0", "url=u"),
			`{"page":1,"per_page":25,"filters":"{\"company_status\":[1,2],\"number_of_employees\":{\"gte\":10,\"lte\":50},\"nace\":[\"J58.2\",\"J62.0\"],\"url\":\"u\"}"}`,
			"company_status=1,2 nace=J58.2,J62.0 number_of_employees=10..50 url=u",
		},
		{
			where(t, v2.OpProspecting, "company_incorporation=2001-02-03..", "yoy_turnover=..-0.50", "insights_ranking=7"),
			`{"page":1,"per_page":25,"filters":"{\"company_incorporation\":{\"gte\":\"2001-02-03\"},\"yoy_turnover\":{\"lte\":-0.5},\"insights_ranking\":{\"gte\":7,\"lte\":7}}"}`,
			"company_incorporation=2001-02-03.. insights_ranking=7 yoy_turnover=..-0.5",
		},
		{
			where(t, v2.OpEmployees, "company_id=42", "seniority=10", "seniority=9", "job_title=head  of sales"),
			`{"page":1,"per_page":25,"filters":"{\"seniority\":[9,10],\"job_title\":[\"head of sales\"],\"company_id\":42}"}`,
			"company_id=42 job_title=head of sales seniority=9,10",
		},
		{
			where(t, v2.OpEnrichEmployeeSearch, "domain_list=a.example", "employee_seniorities=vp"),
			`{"domain_list":["a.example"],"employee_seniorities":["vp"],"page":1,"per_page":25}`,
			"domain_list=a.example employee_seniorities=vp",
		},
		{
			where(t, v2.OpEnrichEmployeeSearch, `company_locations=GB, "Paris, France",DE`, "employee_seniorities=C Suite,VP"),
			`{"company_locations":["DE","GB","Paris, France"],"employee_seniorities":["c_suite","vp"],"page":1,"per_page":25}`,
			`company_locations=DE,GB,"Paris, France" employee_seniorities=c_suite,vp`,
		},
		{where(t, v2.OpOverview, "state=texas", "country_code=usa"), `{"country_code":"US","state":"TX","page":1,"per_page":25}`, "country_code=US state=texas"},
		{where(t, v2.OpOverview, "state=Bayern", "country_code=DE"), `{"country_code":"DE","state":"Bayern","page":1,"per_page":25}`, "country_code=DE state=Bayern"},
		{
			where(t, v2.OpOverview, "country_code=Germany", "lei_number=529900T8BM49AURSDO55", "phone_number=+49 30 1, 2", "person=Ada Lovelace", "company_status=2,1", "pro_network=u", "website=w", "vat_number=v"),
			`{"country_code":"DE","lei_number":"529900T8BM49AURSDO55","vat_number":"v","website":"w","phone_number":"+49 30 1, 2","person":"Ada Lovelace","company_status":[1,2],"pro_network":"u","page":1,"per_page":25}`,
			"company_status=1,2 country_code=DE lei_number=529900T8BM49AURSDO55 person=Ada Lovelace phone_number=+49 30 1, 2 pro_network=u vat_number=v website=w",
		},
	} {
		if err := test.q.Check(); err != nil {
			t.Errorf("%s: %v", test.text, err)
		}
		if got := string(test.q.Call(1).Body); got != test.body || test.q.String() != test.text {
			t.Errorf("%s sends\n%s, want\n%s", test.q, got, test.body)
		}
	}
}

// TestEveryFilterIsSentAlone sets each filter of the specification alone, and compares it with the body of the call.
func TestEveryFilterIsSentAlone(t *testing.T) {
	written := map[v2.FilterKind][2]string{
		v2.TextsFilter: {`Zeta 7,"a, b"`, `["Zeta 7","a, b"]`}, v2.NumbersFilter: {"12,3", `[3,12]`}, v2.TextFilter: {"Zeta 7", `"Zeta 7"`},
		v2.SpanFilter: {"3..7.5", `{"gte":3,"lte":7.5}`}, v2.OneIDFilter: {"42", "42"},
	}
	own := map[string][2]string{
		"location_type": {"State", `["state"]`}, "employee_seniorities": {"C Suite", `["c_suite"]`}, "country_code": {"Germany", `"DE"`},
		"lei_number": {"529900T8BM49AURSDO55", `"529900T8BM49AURSDO55"`},
	}
	seen := 0
	for _, o := range []v2.Operation{v2.OpProspecting, v2.OpEmployees, v2.OpEnrichEmployeeSearch, v2.OpOverview} {
		for key, kind := range v2.FilterKinds(o) {
			text, known := own[key]
			if !known {
				text = written[kind]
			}
			var body map[string]json.RawMessage
			if err := json.Unmarshal(where(t, o, key+"="+text[0]).Call(1).Body, &body); err != nil {
				t.Fatal(err)
			}
			delete(body, "page")
			delete(body, "per_page")
			if encoded, isEncoded := body["filters"]; isEncoded {
				var filters string
				if err := json.Unmarshal(encoded, &filters); err != nil {
					t.Fatal(err)
				}
				body = nil
				if err := json.Unmarshal([]byte(filters), &body); err != nil {
					t.Fatal(err)
				}
			}
			if len(body) != 1 || string(body[key]) != text[1] {
				t.Errorf("%s: %s=%s is sent as %s, want %s alone", o, key, text[0], body, text[1])
			}
			seen++
		}
	}
	if seen < 70 {
		t.Errorf("%d filters; the specification has more", seen)
	}
}

// TestAFileOfFiltersIsReadAsWhere reads JSON objects, and compares them with filters of Where.
func TestAFileOfFiltersIsReadAsWhere(t *testing.T) {
	got, err := NewQuery(v2.OpProspecting, 25).JSON([]byte(`{
		"number_of_employees": {"gte": 10, "lte": "50"}, "company_status": [2, "1", 2], "nace": "J62.0", "url": "u",
		"company_incorporation": {"gte": "2001-02-03"}, "location_countries": ["country_GB", "country_DE"]
	}`))
	want := where(t, v2.OpProspecting, "number_of_employees=10..50", "company_status=1,2", "nace=J62.0", "url=u",
		"company_incorporation=2001-02-03..", "location_countries=country_DE", "location_countries=country_GB")
	if err != nil || string(got.Call(3).Body) != string(want.Call(3).Body) {
		t.Errorf("error %v\n%s\n%s", err, got.Call(3).Body, want.Call(3).Body)
	}
}

// TestWrongFiltersAreNamed shows that an error names the filter, and what is allowed.
func TestWrongFiltersAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"nace":                                  `"nace" is not KEY=VALUE`,
		"number=1":                              `there is no filter "number"; did you mean number_of_employees? The filters are activity_type, advance_companies, `,
		"country=GB":                            `there is no filter "country"; did you mean location_countries? The filters are activity_type, `,
		"employees=5":                           `there is no filter "employees"; did you mean financial_employee_profit or number_of_employees? The filters are `,
		"colour=red":                            `there is no filter "colour"; the filters are activity_type, `,
		"nace=":                                 "filter nace: its value is empty",
		"nace=" + strings.Repeat("x", 1001):     "filter nace: its value is longer than 1000 bytes",
		"company_status=active":                 `filter company_status: "active" is not a number; this filter takes identifiers that are numbers`,
		"number_of_employees=..":                "filter number_of_employees: it is a range, and takes 10..50, 10.. or ..50",
		"number_of_employees=a..5":              `filter number_of_employees: "a" is neither a number nor a date of the form 2006-01-31`,
		"number_of_employees=5..1":              "filter number_of_employees: its range 5..1 ends before it begins",
		"company_incorporation=2001-01-01..7":   "filter company_incorporation: one end of its range is a number and the other a date",
		"company_incorporation=2001-01-01..NaN": `filter company_incorporation: "NaN" is neither a number nor a date of the form 2006-01-31`,
	} {
		if _, err := NewQuery(v2.OpProspecting, 25).Where(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"employee_seniorities=boss,vp": `filter employee_seniorities: "boss" is not a seniority; they are ["owner" "founder" `,
		`domain_list=a,"b`:             `filter domain_list: "a,\"b" is not a list of values; put a value with commas or quotes into quotes, as "a, b",c`,
	} {
		if _, err := NewQuery(v2.OpEnrichEmployeeSearch, 25).Where(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"country_code=Atlantis": `filter country_code: "Atlantis" is neither the code nor the name of a country`,
		"company_status=0":      "filter company_status: 0 is not an identifier; they begin with 1",
		"lei_number=123":        `filter lei_number: "123" is not a legal entity identifier; write its 20 letters and digits`,
		"website=n/a":           `filter website: "n/a" is a placeholder and names no company; leave the filter out`,
		"vat_number=k.A.":       `filter vat_number: "k.A." is a placeholder and names no company; leave the filter out`,
		"name=unknown":          `filter name: "unknown" is a placeholder and names no company; leave the filter out`,
	} {
		if _, err := NewQuery(v2.OpOverview, 5).Where(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"location_type=village": `filter location_type: "village" is not a value of the filter; they are ["city" "state"]`,
		"activity_type=-1":      "filter activity_type: -1 is not an identifier; they begin with 1",
	} {
		if _, err := NewQuery(v2.OpProspecting, 25).Where(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, o := range []v2.Operation{v2.OpEmployees, v2.OpGetFinancials} {
		for _, id := range []string{"0", "-5", "abc", "n/a", "1.0"} {
			want := fmt.Sprintf("filter company_id: %q is not an identifier; write a number from 1 on", id)
			if _, err := NewQuery(o, 25).Where("company_id=" + id); err == nil || err.Error() != want {
				t.Errorf("company_id=%s: %v, want %s", id, err, want)
			}
		}
	}
	for _, years := range []string{"0", "-1", "99999", "1800", "abc", "2023-2021", "2022-", "1900-2999"} {
		want := fmt.Sprintf("filter year: %q is not a year; write years like 2024, 2022,2024 or 2022-2024", years)
		if _, err := NewQuery(v2.OpGetFinancials, 1).List("year", years); err == nil || err.Error() != want {
			t.Errorf("year %s: %v, want %s", years, err, want)
		}
	}
	if q, err := NewQuery(v2.OpGetFinancials, 1).List("year", "2024,2020-2022"); err != nil || !slices.Equal(q.filters["year"].texts, []string{"2020", "2021", "2022", "2024"}) {
		t.Errorf("the years are %q, %v", q.filters["year"].texts, err)
	}
	for _, text := range []string{"name=Null", "lei_number=529900T8BM49AURSDO55"} {
		if _, err := NewQuery(v2.OpOverview, 5).Where(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	var unknown *UnknownKeyError
	if _, err := NewQuery(v2.OpEmployees, 25).With("nace", "x"); !errors.As(err, &unknown) || len(unknown.Allowed) != 7 || unknown.Key != "nace" {
		t.Errorf("the error is %v", err)
	}
	for text, want := range map[string]string{
		`[]`:                                    "the filters are not a JSON object",
		`null`:                                  "the filters are not a JSON object",
		`{"nace": []}`:                          "filter nace: its list is empty",
		`{"nace": [{}]}`:                        "filter nace: its values have to be texts or numbers",
		`{"url": ["a", "b"]}`:                   "filter url: it takes one value and no list",
		`{"nace": null}`:                        "filter nace: its values have to be texts or numbers",
		`{"number_of_employees": 5}`:            `filter number_of_employees: it is a range, and takes {"gte": 10, "lte": 50}`,
		`{"number_of_employees": {"gt": 5}}`:    "filter number_of_employees: its range has members other than the numbers or dates gte and lte",
		`{"number_of_employees": {"gte": []}}`:  "filter number_of_employees: its range has members other than the numbers or dates gte and lte",
		`{"number_of_employees": {"gte": "x"}}`: `filter number_of_employees: "x" is neither a number nor a date of the form 2006-01-31`,
		`{"x": 1}`:                              `there is no filter "x"; the filters are `,
	} {
		if _, err := NewQuery(v2.OpProspecting, 25).JSON([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	q := where(t, v2.OpProspecting, "url=u", "number_of_employees=1")
	for _, text := range []string{"url=v", "number_of_employees=2"} {
		if _, err := q.Where(text); err == nil || !strings.Contains(err.Error(), "it is given twice") {
			t.Errorf("%s twice: %v", text, err)
		}
	}
}

// TestCheckRefusesWhatTheServiceWould checks whole searches.
func TestCheckRefusesWhatTheServiceWould(t *testing.T) {
	var zips []string
	for i := range 600 {
		zips = append(zips, fmt.Sprintf("%s%d", strings.Repeat("z", 30), i))
	}
	long, err := NewQuery(v2.OpProspecting, 25).With("location_zip", zips...)
	if err != nil {
		t.Fatal(err)
	}
	for want, q := range map[string]Query{
		"a search for employees needs a filter, such as company_id":                    NewQuery(v2.OpEmployees, 25),
		`filter state: "Bayern" is neither the code nor the name of a state of the US`: where(t, v2.OpOverview, "state=Bayern", "country_code=US"),
		"the filters are longer than 16 KB; split the search into several":             long,
		"prospecting: page 1 of -1 results each is not one that the service returns":   NewQuery(v2.OpProspecting, -1),
	} {
		if err := q.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// FuzzWhere: what is taken is sent as valid filters, and read from its own text as the same search.
func FuzzWhere(f *testing.F) {
	for _, text := range []string{"nace=J62.0", "number_of_employees=1..2", "company_status=1,2,3", "company_incorporation=2001-01-01..", "url=\x1f", "yoy_profit=1e300..", "insights_ranking=-0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := NewQuery(v2.OpProspecting, 25).Where(text)
		if err != nil || q.Check() != nil {
			return
		}
		again, err := NewQuery(v2.OpProspecting, 25).JSON(q.object())
		if err != nil || string(again.Call(1).Body) != string(q.Call(1).Body) {
			t.Errorf("%q is %s, read again %s, error %v", text, q.Call(1).Body, again.Call(1).Body, err)
		}
		if lookup, err := q.Call(1).Lookup(); err != nil || strings.ContainsRune(lookup.Identity.Search, '\x1f') {
			t.Errorf("%q is the page %q, error %v", text, lookup.Identity.Search, err)
		}
	})
}
