package v2

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/io/numbered"
)

func at() time.Time { return time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC) }

func readAs(t *testing.T, o Operation, body string) enrich.Answered {
	t.Helper()
	answered, err := ReadAnswer(o, []byte(body), at(), RevealEverything(), Modules{}, enrich.Company{})
	if err != nil {
		t.Fatal(err)
	}
	return answered
}

// TestAnAnswerKeepsTheRecordOfTheService decodes what was encoded, with members that nobody knows.
func TestAnAnswerKeepsTheRecordOfTheService(t *testing.T) {
	body := "{\"id\": 1,\n \"name\": \"A\\u0041\", \"later\": {\"b\": 2, \"a\": [1, 2]}}"
	answered := readAs(t, OpGetCompany, body)
	again := readAs(t, OpGetCompany, body)
	if diff := cmp.Diff(answered, again); diff != "" {
		t.Errorf("the same answer is encoded in two ways:\n%s", diff)
	}
	got, err := DecodeAnswer(answered)
	want := Answer{Operation: OpGetCompany, Body: []byte(`{"id":1,"name":"A\u0041","later":{"b":2,"a":[1,2]}}`), RetrievedAt: at()}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("the answer (-want +got):\n%s error %v", diff, err)
	}
	company, err := Read(answered, Answer.Company)
	if err != nil || company.Name.Value != "AA" {
		t.Errorf("company %+v, error %v", company.Name, err)
	}
	if _, err := Read(answered, Answer.Employee); err == nil {
		t.Error("a company is read as an employee")
	}
	if _, err := Read(answered, Answer.Companies); err == nil {
		t.Error("a company is read as a page")
	}
}

// TestAnErasedAnswerIsEmpty reads an answer whose values were erased, and one that found nothing.
func TestAnErasedAnswerIsEmpty(t *testing.T) {
	for name, answered := range map[string]enrich.Answered{
		"erased": {Status: enrich.Matched}, "nothing found": NothingFound(OpGetCompany, at()),
	} {
		company, err := Read(answered, Answer.Company)
		if err != nil || company.ID.Known {
			t.Errorf("%s: %+v, error %v", name, company.ID, err)
		}
		page, err := Read(answered, Answer.Companies)
		if err != nil || len(page.Items) > 0 {
			t.Errorf("%s: %+v, error %v", name, page, err)
		}
	}
	if _, err := DecodeAnswer(enrich.Answered{Data: "garbage"}); err == nil {
		t.Error("garbage is an answer")
	}
}

// random returns text that cannot be compressed well.
func random(length int) string {
	source := rand.New(rand.NewPCG(1, uint64(length)))
	letters := make([]byte, length)
	for i := range letters {
		letters[i] = byte(' '+2) + byte(source.IntN(0x5a))
		if letters[i] == '\\' || letters[i] == '"' {
			letters[i] = 'x'
		}
	}
	return string(letters)
}

// TestARecordOf10MBFitsIntoTheJournal encodes a record that is long because of its texts.
func TestARecordOf10MBFitsIntoTheJournal(t *testing.T) {
	body := `{"id":5,"domain":"acme.example","raw":"` + strings.Repeat("a server ", 1_200_000) + `"}`
	answered := readAs(t, OpGetInsights, body)
	insights, err := Read(answered, Answer.Insights)
	if err != nil || len(insights.Raw.Value) < 10<<20 || insights.Count > 0 {
		t.Errorf("%d bytes, problems %q, error %v", len(insights.Raw.Value), insights.Text(), err)
	}
	if len(body) < 10<<20 || len(answered.Data) > journalBounds().kept {
		t.Errorf("%d bytes take %d", len(body), len(answered.Data))
	}
}

// keepWithin keeps a body within small bounds, and returns the answer.
func keepWithin(o Operation, body string) enrich.Answered {
	s := stored{operation: o.String(), at: at()}
	s.keep([]byte(body), bounds{plain: 100, kept: 2000})
	return enrich.Answered{Status: enrich.Matched, Data: string(numbered.Append(nil, &s, membersOf))}
}

// TestMembersThatAreTooLongAreLeftOut encodes a record that cannot be compressed enough.
func TestMembersThatAreTooLongAreLeftOut(t *testing.T) {
	body := fmt.Sprintf(`{"raw":%q,"id":5,"domain":"acme.example","later":%q,"keywords":[%q]}`, random(5000), random(4000), random(1000))
	answered := keepWithin(OpGetInsights, body)
	if len(answered.Data) > 2100 {
		t.Errorf("%d bytes are kept", len(answered.Data))
	}
	insights, err := Read(answered, Answer.Insights)
	if err != nil || insights.Domain.Value != "acme.example" || len(insights.Keywords) != 1 || insights.Raw.Known {
		t.Errorf("domain %q, error %v", insights.Domain.Value, err)
	}
	const want = "later is not short enough to be kept; raw is not short enough to be kept"
	if diff := cmp.Diff(want, insights.Text()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	// Not even one member has room.
	company, err := Read(keepWithin(OpGetCompany, fmt.Sprintf(`{"name":%q}`, random(9000))), Answer.Company)
	if err != nil || company.Name.Known || company.Count != 1 {
		t.Errorf("name %t, problems %q, error %v", company.Name.Known, company.Text(), err)
	}
	// The names of what is left out are bounded, too.
	var members []string
	for i := range 500 {
		members = append(members, fmt.Sprintf(`"%d %s":%q`, i, random(500), random(100)))
	}
	answer, err := DecodeAnswer(keepWithin(OpGetCompany, "{"+strings.Join(members, ",")+"}"))
	if err != nil || len(answer.LeftOut) != maxLeftOut || len(answer.LeftOut[0]) != maxLeftOutName {
		t.Errorf("%d members are left out: %q, error %v", len(answer.LeftOut), answer.LeftOut, err)
	}
}

// TestAMemberThatIsTooLongIsCutToTheRoom encodes records of which one member is too long: a list of
// shareholders, and the figures of a year.
func TestAMemberThatIsTooLongIsCutToTheRoom(t *testing.T) {
	var holders, figures []string
	for i := range 200 {
		holders = append(holders, fmt.Sprintf(`{"id":%d,"name":%q}`, i, random(40+i)))
		figures = append(figures, fmt.Sprintf(`"New-%d":%q`, i, random(40+i)))
	}
	owned := keepWithin(OpGetOwnership, `{"shareholders":[`+strings.Join(holders, ",")+`],"data":["x"],"group_structure":[{"id":4}]}`)
	ownership, err := Read(owned, Answer.Ownership)
	if n := len(ownership.Shareholders); err != nil || n < 15 || n == 200 || len(ownership.GroupStructure) != 1 || len(owned.Data) > 2400 {
		t.Errorf("%d of 200 shareholders in %d bytes, error %v", n, len(owned.Data), err)
	}
	for i, holder := range ownership.Shareholders {
		if holder.ID.Value != fmt.Sprint(i) {
			t.Errorf("shareholder %d is %v", i, holder.ID)
		}
	}
	if text := ownership.Text(); !strings.HasPrefix(text, fmt.Sprintf("shareholders[%d] is not short enough to be kept", len(ownership.Shareholders))) {
		t.Errorf("problems %q", text)
	}
	years, err := Read(keepWithin(OpGetFinancials, `{"2024":{"Turnover":5,`+strings.Join(figures, ",")+`},"2023":{"Cash":1}}`), Answer.Financials)
	if err != nil || len(years.Years) != 2 || years.Years[1].Figure("Turnover").Number != 5 || len(years.Years[1].Extra) < 15 {
		t.Errorf("%d years, problems %q, error %v", len(years.Years), years.Text(), err)
	}
	if !strings.HasPrefix(years.Text(), "2024.New-") {
		t.Errorf("problems %q", years.Text())
	}
}

// TestALongListIsCutInItsOrder encodes an array that is too long.
func TestALongListIsCutInItsOrder(t *testing.T) {
	var items []string
	for i := range 40 {
		items = append(items, fmt.Sprintf(`{"id":%d,"name":%q}`, i, random(100+10*i)))
	}
	page, err := Read(keepWithin(OpOwnershipSearch, "["+strings.Join(items, ",")+"]"), Answer.Candidates)
	if err != nil || len(page.Items) == 0 || len(page.Items) == 40 || page.Count == 0 {
		t.Fatalf("%d of 40 candidates, problems %q, error %v", len(page.Items), page.Text(), err)
	}
	for i, item := range page.Items { // the shortest are the first
		if item.ID.Value != fmt.Sprint(i) {
			t.Errorf("candidate %d is %s", i, item.ID.Value)
		}
	}
}

// TestValuesAreThoseOfTheCatalogue reads answers as a list shows them.
func TestValuesAreThoseOfTheCatalogue(t *testing.T) {
	for _, test := range []struct {
		operation Operation
		body      string
		field     string
		details   map[string]string
	}{
		{
			OpGetEmployee, `{"id": 9, "full_name": "Ada", "seniority_level": ["cxo"], "email": "a@b.example", "company_id": 3}`, "Ada",
			map[string]string{"contact_id": "9", "contact_full_name": "Ada", "contact_seniority_level": `["cxo"]`, "contact_email": "a@b.example", "contact_company_id": "3"},
		},
		{
			OpEnrichURL, `{"id": "3", "name": "", "company_phone": ["+1", "+2"], "founding_date": "1999-01-02"}`, "3",
			map[string]string{"company_id": "3", "company_phone": `["+1","+2"]`, "company_founding_date": "1999-01-02"},
		},
		{
			OpGetFinancials, `{"2023": {"Turnover": 1}, "2024": {"Turnover": 2.5, "Currency": "GBP", "Employee-Numbers": 7}}`, "2023 2024",
			map[string]string{"financials_year": "2024", "financials_currency": "GBP", "financials_turnover": "2.5", "financials_employees": "7"},
		},
		{OpGetInsights, `{"id": 5, "domain": "acme.example"}`, "acme.example", nil},
		{OpGetInsights, `{"global_rank": 5}`, "returned", nil},
		{OpGetOwnership, `{"shareholders": [{"id": 1}, {"id": 2}]}`, "2", nil},
		{OpOverview, `{"data": [{"id": 1}]}`, "returned", nil},
		{OpGetCompany, `{"id": null}`, "", nil},
	} {
		answered := readAs(t, test.operation, test.body)
		values := enrich.Values{Details: []string{"of another answer"}}
		if err := (Decoder{}).Values(answered, &values); err != nil {
			t.Errorf("%s: %v", test.operation, err)
		}
		got := map[string]string{}
		for i, detail := range Catalogue().Details {
			if values.Details[i] != "" {
				got[detail.Name] = values.Details[i]
			}
		}
		if diff := cmp.Diff(test.details, got); diff != "" && len(test.details)+len(got) > 0 {
			t.Errorf("%s: details (-want +got):\n%s", test.operation, diff)
		}
		for f, value := range values.Fields {
			want := test.field
			if f == int(FieldEmail) {
				want = test.details["contact_email"]
			}
			if (value != "") != answered.Returned.Has(enrich.Field(f)) || value != "" && value != want {
				t.Errorf("%s: field %d is %q, want %q", test.operation, f, value, test.field)
			}
		}
		if !values.RetrievedAt.Equal(at()) || values.Status != answered.Status || len(values.Details) != len(Catalogue().Details) {
			t.Errorf("%s: %+v", test.operation, values)
		}
	}
	var values enrich.Values
	if err := (Decoder{}).Values(enrich.Answered{Status: enrich.Matched}, &values); err != nil || len(values.Details) != len(Catalogue().Details) {
		t.Errorf("an erased answer: %+v, error %v", values, err)
	}
}

// TestDetailsAreTheMembersOfRecords compares the names of the catalogue with those of the records.
func TestDetailsAreTheMembersOfRecords(t *testing.T) {
	for name, test := range map[string]struct {
		members []string
		columns []enrich.TableColumn
	}{
		"contact": {contactMembers(), columnsOf(employee)},
		"company": {companyMembers(), columnsOf(company)},
	} {
		var names []string
		for _, column := range test.columns {
			names = append(names, column.Name)
		}
		if diff := cmp.Diff(test.members, names); diff != "" {
			t.Errorf("%s (-catalogue +record):\n%s", name, diff)
		}
	}
}

// FuzzRead reads hostile bodies as answers to every paid operation. What is an answer stays one in
// the journal, with the same values.
func FuzzRead(f *testing.F) {
	for _, body := range []string{
		`{"id":1,"name":"A","company_phone":null,"industry":[{"id":[]}]}`, `{"2024":{"Turnover":"x","New":[1]},"y":{}}`,
		`{"data":[{"id":1},null,7],"total_pages":"x"}`, `[{"id":"1"},{}]`, `null`, `{"shareholders":[{"quantity":1.5}],"group_structure":[{"id":1,"x":{}}]}`,
		`{"email":["a"],"phone":{},"full_name":"\ud800"}`, `{"graph":{"visits":{"data":[["a",1],[]]}},"mx_list":"x"}`, ``,
	} {
		for o := range Operations() {
			f.Add(uint8(o), []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, number uint8, body []byte) {
		o := Operation(int(number) % len(Operations()))
		answered, err := ReadAnswer(o, body, at(), RevealEverything(), Modules{}, enrich.Company{})
		if err != nil {
			return
		}
		if o != OpWatchStart && !json.Valid(body) {
			t.Error("an answer out of no JSON")
		}
		answer, err := DecodeAnswer(answered)
		if err != nil || answer.Operation != o || !bytes.Equal(answer.Body, compact(body)) {
			t.Fatalf("the answer is %+v, error %v", answer, err)
		}
		var values, again enrich.Values
		err = (Decoder{}).Values(answered, &values)
		if err != nil || (Decoder{}).Values(answered, &again) != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(values, again); diff != "" {
			t.Errorf("the values differ:\n%s", diff)
		}
		for f := range answered.Returned.Each() {
			if values.Fields[f] == "" {
				t.Errorf("field %d was returned and has no value", f)
			}
		}
		if (answered.Status == enrich.NotFound) != (answered.Returned == 0) {
			if _, isRecord := o.Field(); isRecord {
				t.Errorf("%s with the fields %b", answered.Status, answered.Returned)
			}
		}
	})
}

// TestACompanySearchMatchesOnlyOneCertainCompany decodes answers to searches for one company.
func TestACompanySearchMatchesOnlyOneCertainCompany(t *testing.T) {
	sought := enrich.Company{Name: "Acme", Country: "DE"}
	const acme = `{"id": 7, "name": "Acme GmbH", "status": "active", "country_code": "DE", "registration_number": "HRB 1"}`
	const other = `{"id": "8", "name": "ACME AG", "status": "active", "country_code": "DE", "registration_number": "HRB 2"}`
	for _, test := range []struct {
		name      string
		operation Operation
		about     enrich.Company
		body      string
		id, match string
		status    enrich.Status
		reason    string
	}{
		{"one", OpOverview, sought, `{"total_results": 1, "data": [` + acme + `]}`, "7", "Acme GmbH", enrich.Matched, ""},
		{"two", OpOverview, sought, `{"total_results": 2, "data": [` + acme + `,` + other + `]}`, "", "", enrich.Ambiguous, "2 candidates, 2 are active in DE with this name"},
		{"more", OpOverview, sought, `{"total_results": 6, "data": [` + acme + `]}`, "", "", enrich.Ambiguous, "1 candidate of more that were not returned"},
		{"none", OpOverview, sought, `{"total_results": 0, "data": []}`, "", "", enrich.NotFound, ""},
		{"insights by name", OpInsightsSearch, sought, `[` + acme + `]`, "7", "", enrich.Matched, ""},
		{"ownership by number", OpOwnershipSearch, enrich.Company{Country: "DE", RegistrationNumber: "HRB 2"}, `[` + acme + `,` + other + `]`, "8", "", enrich.Matched, ""},
		{"insights by no name", OpInsightsSearch, enrich.Company{Name: "Other", Country: "DE"}, `[` + acme + `]`, "", "", enrich.Ambiguous, "1 candidate, none is active in DE with this name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			answered, err := ReadAnswer(test.operation, []byte(test.body), at(), Reveal{}, Modules{}, test.about)
			if err != nil {
				t.Fatal(err)
			}
			if want := test.match != ""; answered.Returned.Has(FieldMatch) != want || answered.Returned.Without(enrich.FieldsOf(FieldMatch)) != 0 {
				t.Errorf("returned %b", answered.Returned)
			}
			var values enrich.Values
			if err := (Decoder{}).Values(answered, &values); err != nil {
				t.Fatal(err)
			}
			id := ""
			for i, detail := range Catalogue().Details {
				if detail.Name == "company_id" {
					id = values.Details[i]
				} else if values.Details[i] != "" {
					t.Errorf("%s is %q", detail.Name, values.Details[i])
				}
			}
			if id != test.id || values.Fields[FieldMatch] != test.match || values.Fields[FieldInsights] != "" || values.Status != test.status || values.Reason != test.reason {
				t.Errorf("id %q, match %q, %s: %q", id, values.Fields[FieldMatch], values.Status, values.Reason)
			}
			if a, err := DecodeAnswer(answered); err != nil || a.About != test.about {
				t.Errorf("the answer is about %+v, %v", a.About, err)
			}
		})
	}
}

// TestAListShortensLongValues decodes a company with a text and a list that are longer than a cell of a list
// may be.
func TestAListShortensLongValues(t *testing.T) {
	body := fmt.Sprintf(`{"id":1,"name":"A","brands":%q,"company_phone":["+1",%q],"company_email":[%s"z"]}`,
		strings.Repeat("é", 20_000), random(40_000), strings.Repeat(`"a@b.example",`, 5_000))
	var values enrich.Values
	if err := (Decoder{}).Values(readAs(t, OpGetCompany, body), &values); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i, detail := range Catalogue().Details {
		got[detail.Name] = values.Details[i]
		if len(values.Details[i]) > longestValue {
			t.Errorf("%s has %d bytes", detail.Name, len(values.Details[i]))
		}
	}
	if brands := got["company_brands"]; !utf8.ValidString(brands) || !strings.HasSuffix(brands, "éé…") || len(brands) < longestValue-10 {
		t.Errorf("the text has %d bytes", len(brands))
	}
	if phones := got["company_phone"]; phones != `["+1","…"]` {
		t.Errorf("the list with a long text is %.80s", phones)
	}
	var emails []string
	if err := json.Unmarshal([]byte(got["company_email"]), &emails); err != nil || len(emails) < 1_000 || emails[len(emails)-1] != "…" {
		t.Errorf("the long list has %d texts, %v", len(emails), err)
	}
}
