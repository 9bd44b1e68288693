package found_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/search/found"
	"payonce/internal/search/walk"
	"payonce/service/v2/answers"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// pageOf reads a body as the answer to a search.
func pageOf(t *testing.T, o v2fields.Operation, body string) walk.Page {
	t.Helper()
	answered, err := answers.Read(o, []byte(body), time.Now(), units.Reveal{}, units.Modules{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := found.Page(o, answered)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range page.Items {
		if len(item.Cells) != len(found.Columns(o)) {
			t.Errorf("%s: %d cells for %d columns", o, len(item.Cells), len(found.Columns(o)))
		}
	}
	return page
}

// TestResultsHaveTheColumnsOfTheirSearch reads a page of each search, with members of any type.
func TestResultsHaveTheColumnsOfTheirSearch(t *testing.T) {
	got := pageOf(t, v2fields.Prospecting, `{"total_companies": 3, "total_pages": -1, "data": [{"id": 7, "name": "Acme"}, {"id": "007", "name": null}, {}, null, 5, {"name": "Only"}]}`)
	want := walk.Page{State: walk.Answered, Total: cost.Known(int64(3)), Items: []walk.Item{
		{ID: "7", Cells: []string{"7", "Acme"}}, {ID: "007", Cells: []string{"007", ""}}, {Cells: []string{"", "Only"}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("companies (-want +got):\n%s", diff)
	}
	got = pageOf(t, v2fields.Employees, `{"total_employees": 1, "total_pages": 1, "data": [{"id": "e1", "name": "Ada King", "company_id": 7, "company_name": "Acme"}]}`)
	if diff := cmp.Diff([]walk.Item{{ID: "e1", Cells: []string{"e1", "Ada King", "Acme", "7"}}}, got.Items); diff != "" || got.Pages != cost.Known(int64(1)) {
		t.Errorf("employees (-want +got):\n%s", diff)
	}
	got = pageOf(t, v2fields.EnrichEmployeeSearch, `{"data": [{"id": "p1", "name": "Ada King", "pro_network": "https://pro.example/in/ada", "country": "GB", "company": {"website": "acme.example", "incorporation_date": 1999, "pro_network": "u"}}]}`)
	cells := map[string]string{}
	for i, name := range found.Columns(v2fields.EnrichEmployeeSearch) {
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
	if empty, err := found.Page(v2fields.Prospecting, answers.NothingFound(v2fields.Prospecting, time.Now())); err != nil || len(empty.Items) > 0 || empty.State != walk.Answered {
		t.Errorf("nothing found: %+v, error %v", empty, err)
	}
	if _, err := found.Page(v2fields.GetCompany, enrich.Answered{}); err == nil {
		t.Error("a record is a page")
	}
}
