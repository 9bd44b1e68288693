package search_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline/search"
)

// pageOf reads a body as the answer to a search.
func pageOf(t *testing.T, o v2.Operation, body string) search.KnownPage {
	t.Helper()
	answered, err := v2.ReadAnswer(o, []byte(body), time.Now(), v2.Reveal{}, v2.Modules{}, enrich.Company{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := search.PageOf(o, answered)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range page.Items {
		if len(item.Cells) != len(search.ListColumns(o)) {
			t.Errorf("%s: %d cells for %d columns", o, len(item.Cells), len(search.ListColumns(o)))
		}
	}
	return page
}

// TestResultsHaveTheColumnsOfTheirSearch reads a page of each search, with members of any type.
func TestResultsHaveTheColumnsOfTheirSearch(t *testing.T) {
	got := pageOf(t, v2.OpProspecting, `{"total_companies": 3, "total_pages": -1, "data": [{"id": 7, "name": "Acme"}, {"id": "007", "name": null}, {}, null, 5, {"name": "Only"}]}`)
	want := search.KnownPage{State: search.Answered, Total: cost.Known(int64(3)), Items: []search.ResultItem{
		{ID: "7", Cells: []string{"7", "Acme"}}, {ID: "007", Cells: []string{"007", ""}}, {Cells: []string{"", "Only"}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("companies (-want +got):\n%s", diff)
	}
	got = pageOf(t, v2.OpEmployees, `{"total_employees": 1, "total_pages": 1, "data": [{"id": "e1", "name": "Ada King", "company_id": 7, "company_name": "Acme"}]}`)
	if diff := cmp.Diff([]search.ResultItem{{ID: "e1", Cells: []string{"e1", "Ada King", "Acme", "7"}}}, got.Items); diff != "" || got.Pages != cost.Known(int64(1)) {
		t.Errorf("employees (-want +got):\n%s", diff)
	}
	got = pageOf(t, v2.OpEnrichEmployeeSearch, `{"data": [{"id": "p1", "name": "Ada King", "pro_network": "https://pro.example/in/ada", "country": "GB", "company": {"website": "acme.example", "incorporation_date": 1999, "pro_network": "u"}}]}`)
	cells := map[string]string{}
	for i, name := range search.ListColumns(v2.OpEnrichEmployeeSearch) {
		if cell := got.Items[0].Cells[i]; cell != "" {
			cells[name] = cell
		}
	}
	wantCells := map[string]string{
		"contact_id": "p1", "full_name": "Ada King", "profile_url": "https://pro.example/in/ada", "contact_country": "GB",
		"company_website": "acme.example", "company_incorporation_date": "1999", "company_profile_url": "u",
	}
	if diff := cmp.Diff(wantCells, cells); diff != "" || got.Total.Known {
		t.Errorf("people (-want +got):\n%s", diff)
	}
	if empty, err := search.PageOf(v2.OpProspecting, v2.NothingFound(v2.OpProspecting, time.Now())); err != nil || len(empty.Items) > 0 || empty.State != search.Answered {
		t.Errorf("nothing found: %+v, error %v", empty, err)
	}
	if _, err := search.PageOf(v2.OpGetCompany, enrich.Answered{}); err == nil {
		t.Error("a record is a page")
	}
}
