package v2

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/world"
)

// encoded returns a value as JSON.
func encoded(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// filtered returns a body whose filters are an object encoded as a string.
func filtered(filters string) string { return encoded(map[string]any{"filters": filters}) }

// exchange is one call of an operation and the members that the specification names for the answer.
type exchange struct {
	operation, path, body string
	status                int
	charge                kit.UnitCharge
	members               string // in the answer, or in its first element; a dot leads into the first element of data
}

const companyMembers = "id name registration_number country_code company_phone company_email company_fax company_website " +
	"company_legal_form brands address_street address_location address_city country_region zip_code country_name size vat_number " +
	"founding_date industry sic microblog pro_network social"

const employeeMembers = "id full_name first_name last_name patronime_name gender seniority_level function_original_name nationality " +
	"company_name microblog pro_network social"

// exchanges returns a call of every operation of the specification, about a company of which everything is
// known.
func exchanges(s *service) []exchange {
	c := s.company(func(c world.Company) bool {
		e, _ := s.world.Employee(c, 0)
		return c.HasFinancials() && c.HasInsights() && c.HasOwnership() && c.VAT() != "" && e.HasEmail() && e.HasPhone()
	})
	e, _ := s.world.Employee(c, 0)
	id := c.ID()
	one := func(m kit.Module) kit.UnitCharge { return kit.UnitCharge{Module: m, Units: 1} }
	full := kit.UnitCharge{Module: kit.Contacts, Units: 1, Emails: 1, Phones: 1}
	free := kit.UnitCharge{}
	insights := "domain domain_name nameservers ip isp_name isp_country raw redirect_url icon_url id mx_list contact_city " +
		"contact_country contact_email contact_name contact_phone contact_postalcode contact_state contact_street " +
		"contact_organization expiration_date created_at traffic_date domain_creation_date engagement_bounce_rate " +
		"engagement_page_views engagement_time_on_site engagement_total_visits engagement_total_relative_change " +
		"global_rank_change category_rank_change country_rank_change global_rank category_rank country_rank legacy_rank " +
		"total_traffic top_country_shares referrals keywords referrals_destination visits stat_organic_search stat_direct " +
		"stat_referral stat_organic_search_percent stat_direct_percent stat_referral_percent technologies graph up_visits"
	return []exchange{
		{"GET /metrics", "/metrics", "", 200, free, "name codename metrics"},
		{"GET /metrics/contacts", "/metrics/contacts?date_from=2026-11-23+00:00:00&date_to=2026-11-24+00:00:00", "", 200, free, "email_count phone_count"},
		{"POST /prospecting", "/prospecting", filtered(`{"company_status":[1]}`), 200, one(kit.Companies), "total_companies total_pages data .id .name"},
		{"POST /overview", "/overview", encoded(map[string]string{"name": c.Name()}), 200, one(kit.Companies), "total_results total_pages data .id .name .status .country_code .registration_number"},
		{"GET /companies/{id}", "/companies/" + id, "", 200, one(kit.Companies), companyMembers + " status"},
		{"POST /employees", "/employees", filtered(`{"company_id":` + id + `}`), 200, one(kit.Contacts), "total_employees total_pages data .id .name .company_id .company_name"},
		{"GET /employees/{id}", "/employees/" + e.ID, "", 200, full, employeeMembers + " email phone department company_id"},
		{"POST /companies/{id}/watch/start", "/companies/" + id + "/watch/start", `{"fields":["company_email"]}`, 201, one(kit.Watch), "fields"},
		{"GET /companies/watch", "/companies/watch", "", 200, free, "data total_results pages .id .name .country_code .registration_number .date .fields"},
		{"GET /companies/{id}/watch/events", "/companies/" + id + "/watch/events", "", 200, free, "data total_results pages"},
		{"GET /companies/{id}/watch/fields", "/companies/" + id + "/watch/fields", "", 200, free, ""},
		{"PUT /companies/{id}/watch/fields/add", "/companies/" + id + "/watch/fields/add", `{"fields":["name"]}`, 200, free, ""},
		{"PUT /companies/{id}/watch/fields/remove", "/companies/" + id + "/watch/fields/remove", `{"fields":["name"]}`, 200, free, ""},
		{"DELETE /companies/{id}/watch/stop", "/companies/" + id + "/watch/stop", "", 200, kit.UnitCharge{Module: kit.Watch, Units: -1}, ""},
		{"PUT /companies/watch/callback", "/companies/watch/callback", `{"callback":"http://127.0.0.1:1/hook"}`, 200, free, "callback"},
		{"GET /companies/watch/callback", "/companies/watch/callback", "", 200, free, "callback"},
		{"POST /enrichment/url", "/enrichment/url", encoded(map[string]string{"url": c.Website()}), 200, one(kit.Companies), companyMembers},
		{"POST /enrichment/company/linkedin", "/enrichment/company/linkedin", encoded(map[string]string{"linkedin": c.Profile()}), 200, one(kit.Companies), companyMembers},
		{"POST /enrichment/company", "/enrichment/company", encoded(map[string]string{"country_code": c.Country().Code, "vat_number": c.VAT()}), 200, one(kit.Companies), companyMembers},
		{"POST /enrichment/email", "/enrichment/email", encoded(map[string]string{"email": e.Email()}), 200, full, employeeMembers + " email phone"},
		{"POST /enrichment/employee/linkedin", "/enrichment/employee/linkedin", encoded(map[string]string{"linkedin": e.Profile()}), 200, full, employeeMembers + " email phone"},
		{"POST /enrichment/employee/contacts", "/enrichment/employee/contacts", encoded(map[string]any{"first_name": e.First, "last_name": e.Last, "domain": c.Domain(), "reveal_phone": false}), 200, kit.UnitCharge{Module: kit.Contacts, Units: 1, Emails: 1}, employeeMembers + " email"},
		{"POST /enrichment/employee/search", "/enrichment/employee/search", encoded(map[string]any{"domain_list": []string{c.Domain()}}), 200, one(kit.Contacts), "total_employees total_pages data .id .first_name .last_name .name .seniority_level .job_title .microblog .social .pro_network .country .state .city .company"},
		{"POST /autocomplete", "/autocomplete", encoded(map[string]string{"name": c.Name(), "country_code": c.Country().Code}), 200, one(kit.Companies), companyMembers},
		{"GET /financial/{id}", "/financial/" + id, "", 200, one(kit.Financials), ""},
		{"POST /digital-insights", "/digital-insights", encoded(map[string]string{"name": c.Name()}), 200, one(kit.Insights), "id name country_code registration_number"},
		{"GET /digital-insights/{id}", "/digital-insights/" + id, "", 200, one(kit.Insights), insights},
		{"POST /ownership", "/ownership", encoded(map[string]string{"registration_number": c.Registration()}), 200, one(kit.Ownership), "id name country_code registration_number"},
		{"GET /ownership/{id}", "/ownership/" + id, "", 200, one(kit.Ownership), "shareholders data group_structure"},
	}
}

// firstOf returns a value, or the first element of a list.
func firstOf(value any) any {
	if list, isList := value.([]any); isList && len(list) > 0 {
		return list[0]
	}
	return value
}

// checkMembers looks for the members that an answer has to have.
func checkMembers(t *testing.T, x exchange, text string) {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s: %v in %s", x.operation, err, text)
	}
	members, _ := firstOf(value).(map[string]any)
	for name := range strings.FieldsSeq(x.members) {
		within, inData := members, strings.HasPrefix(name, ".")
		if inData {
			within, _ = firstOf(members["data"]).(map[string]any)
		}
		if _, there := within[strings.TrimPrefix(name, ".")]; !there {
			t.Errorf("%s: no member %s in %s", x.operation, name, text)
		}
	}
}

// TestEveryOperation calls each operation of the specification once: its answer has the members that the
// specification names, and the ledger counted what the assumptions say.
func TestEveryOperation(t *testing.T) {
	s := opened(t, nil)
	called := map[string]bool{}
	for _, x := range exchanges(s) {
		method, _, _ := strings.Cut(x.operation, " ")
		before := s.Units().Records()
		got := s.must(x.status, method, x.path, x.body)
		checkMembers(t, x, got.text)
		var charge kit.UnitCharge
		if records := s.Units().Records(); len(records) > len(before) {
			charge = records[len(records)-1].UnitCharge
		}
		if diff := cmp.Diff(x.charge, charge); diff != "" {
			t.Errorf("%s (-want +counted):\n%s", x.operation, diff)
		}
		called[x.operation] = true
	}
	for _, o := range operations() {
		if !called[o.route] && !strings.Contains(o.route, "nomenclature") {
			t.Errorf("%s was not called", o.route)
		}
	}
	if len(called) != 29 {
		t.Errorf("%d operations, the specification has 29", len(called))
	}
}

// TestRefusals lists requests that are refused; they use up nothing.
func TestRefusals(t *testing.T) {
	s := opened(t, nil)
	us := s.company(func(c world.Company) bool { return c.Country().Code == "US" })
	tests := []struct {
		method, path, body string
		status             int
		text               string
	}{
		{"POST", "/prospecting", `{"filters":{"company_status":[1]}}`, 400, `{"filters":["Expected a JSON object encoded as a string."]}`},
		{"POST", "/prospecting", filtered(`{"colour":["red"]}`), 400, `{"filters":["colour: There is no such filter."]}`},
		{"POST", "/prospecting", filtered(`{"number_of_employees":{"gt":1}}`), 400, `{"filters":["number_of_employees: A range has gte and lte."]}`},
		{"POST", "/prospecting", filtered(`[]`), 400, `{"filters":["The string holds no JSON object."]}`},
		{"POST", "/prospecting", `{"page":11}`, 400, `{"page":["Ensure this value is less than or equal to 10."]}`},
		{"POST", "/prospecting", `{"per_page":26}`, 400, `{"per_page":["Ensure this value is less than or equal to 25."]}`},
		{"POST", "/overview", `{"per_page":6}`, 400, `{"per_page":["Ensure this value is less than or equal to 5."]}`},
		{"POST", "/overview", `{"linkedin":"x"}`, 400, `{"linkedin":["This field is unknown."]}`},
		{"POST", "/employees", `{}`, 400, `{"filters":["This field is required."]}`},
		{"POST", "/enrichment/url", `{}`, 400, `{"url":["This field is required."]}`},
		{"POST", "/enrichment/url", `{"url":7}`, 400, `{"url":["Not a valid string."]}`},
		{"POST", "/enrichment/company/linkedin", `{"pro_network":"x"}`, 400, `{"linkedin":["This field is required."],"pro_network":["This field is unknown."]}`},
		{"POST", "/enrichment/company", encoded(map[string]string{"country_code": "US", "registration_number": us.Registration()}), 400, `{"state":["This field is required."]}`},
		{"POST", "/autocomplete", `{"country_code":"GB"}`, 400, `{"fields":["Give one or more of name, registration_number, vat_number, website, phone_number."]}`},
		{"POST", "/digital-insights", `{}`, 400, `{"fields":["Give one or more of name, registration_number."]}`},
		{"POST", "/ownership", `{}`, 400, `{"fields":["Give one or more of name, registration_number."]}`},
		{"POST", "/enrichment/employee/search", `{"employee_seniorities":["boss"]}`, 400, `{"employee_seniorities":["There is no seniority boss."]}`},
		{"POST", "/companies/1/watch/start", `{"fields":["colour"]}`, 400, `{"fields":["The field colour cannot be watched."]}`},
		{"GET", "/financial/1?year=x", "", 400, `{"year":["A valid integer is required."]}`},
		{"GET", "/metrics/contacts", "", 400, `{"date_from":["This field is required."],"date_to":["This field is required."]}`},
		{"POST", "/prospecting", `[`, 400, `{"non_field_errors":["The body is not a JSON object."]}`},
		{"GET", "/companies/999999", "", 404, `{"detail":"Not found."}`},
		{"GET", "/employees/999999", "", 404, `{"detail":"Not found."}`},
		{"POST", "/enrichment/url", `{"url":"unknown-1.example"}`, 404, `{"detail":"Not found."}`},
		{"GET", "/companies/1/watch/fields", "", 404, `{"detail":"Not found."}`},
		{"DELETE", "/companies/1/watch/stop", "", 404, `{"detail":"Not found."}`},
		{"GET", "/nowhere", "", 404, `{"detail":"Not Found"}`},
	}
	for _, test := range tests {
		got := s.must(test.status, test.method, test.path, test.body)
		if strings.TrimSpace(got.text) != test.text {
			t.Errorf("%s %s %s: %s, want %s", test.method, test.path, test.body, got.text, test.text)
		}
	}
	for _, record := range s.Units().Records() {
		if record.Units != 0 || record.Code == "" {
			t.Errorf("a refused call counted: %+v", record)
		}
	}
	s.key = "other"
	if got := s.must(401, "GET", "/metrics", ""); got.text != "{\"detail\":\"Invalid token.\"}\n" {
		t.Error(got.text)
	}
	s.must(401, "POST", "/overview", `{}`)
}

// TestPages: the pages of a search hold every result once; beyond the last one there is nothing.
func TestPages(t *testing.T) {
	s := opened(t, nil)
	seen := map[string]bool{}
	filters := filtered(`{"location_countries":["country_SG"],"number_of_employees":{"gte":12000},"company_status":[1]}`)
	body := func(page int) string { return fmt.Sprintf(`{"page":%d,"per_page":20,%s`, page, filters[1:]) }
	total := s.must(200, "POST", "/prospecting", body(1)).object(t)["total_companies"].(json.Number).String()
	for page := range 10 {
		got := s.must(200, "POST", "/prospecting", body(page+1)).object(t)
		for _, item := range got["data"].([]any) {
			seen[item.(map[string]any)["id"].(json.Number).String()] = true
		}
	}
	if want := min(200, atoi(t, total)); len(seen) != want || want < 21 {
		t.Errorf("%d companies on the pages, %s in all", len(seen), total)
	}
	for id := range seen {
		got := s.must(200, "GET", "/companies/"+id, "").object(t)
		if got["country_code"] != "SG" || got["status"] != "active" || atoi(t, got["size"].(string)) < 12000 {
			t.Errorf("%s does not meet the filters: %v", id, got)
		}
	}
	got := s.must(200, "POST", "/overview", `{"name":"Alder Logistics 7","page":1000000000000}`)
	if data := got.object(t)["data"].([]any); len(data) != 0 {
		t.Errorf("a page beyond the last has %v", data)
	}
}

func atoi(t *testing.T, text string) (number int) {
	t.Helper()
	if _, err := fmt.Sscan(text, &number); err != nil {
		t.Fatal(err)
	}
	return number
}

// TestEveryFilterOfEmployees: each key narrows the search of one company's employees.
func TestEveryFilterOfEmployees(t *testing.T) {
	s := opened(t, nil)
	c := s.company(func(c world.Company) bool {
		e, _ := s.world.Employee(c, 3)
		return c.Staff() == 12 && e.HasEmail()
	})
	e, _ := s.world.Employee(c, 3)
	for key, value := range map[string]any{
		"full_name": strings.ToUpper(e.First + " " + e.Last), "seniority": []int{e.Seniority + 1}, "department": []int{e.Department + 1},
		"job_title": []string{e.Title()}, "url": e.Profile(), "advance": []string{"has_email"},
	} {
		filters := encoded(map[string]any{"company_id": json.Number(c.ID()), key: value})
		got := s.must(200, "POST", "/employees", filtered(filters)).object(t)
		ids := map[string]bool{}
		for _, item := range got["data"].([]any) {
			ids[item.(map[string]any)["id"].(string)] = true
		}
		if !ids[e.ID] || len(ids) >= 12 {
			t.Errorf("%s finds %v, want %s and not all", filters, slices.Sorted(maps.Keys(ids)), e.ID)
		}
	}
	all := s.must(200, "POST", "/employees", filtered(`{"seniority":[1],"department":[1]}`)).object(t)
	if total := atoi(t, all["total_employees"].(json.Number).String()); total < 1000 {
		t.Errorf("%d owners in the world", total)
	}
}

// TestEveryListOfFilterValuesIsPublished: every list that a filter takes values from is published.
func TestEveryListOfFilterValuesIsPublished(t *testing.T) {
	s := opened(t, nil)
	var names []string
	s.must(200, "GET", "/nomenclature", "").decode(t, &names)
	for _, want := range []string{"company_status", "legal_form", "seniority_level", "departments", "advance-contacts", "sic_code_mx", "insights_technologies"} {
		if !slices.Contains(names, want) {
			t.Errorf("no nomenclature %s", want)
		}
	}
	for _, name := range names {
		var terms []struct {
			ID   any
			Name string
		}
		s.must(200, "GET", "/nomenclature/"+url.PathEscape(name), "").decode(t, &terms)
		if name == "insights_technologies" && len(terms) <= 880 {
			t.Errorf("%d technologies", len(terms))
		}
	}
	s.must(404, "GET", "/nomenclature/colours", "")
	if len(s.Units().Records()) != 0 {
		t.Error("nomenclatures are not free")
	}
}

// TestBothFormsOfIdentifiersOccur: integers and strings.
func TestBothFormsOfIdentifiersOccur(t *testing.T) {
	s := opened(t, nil)
	forms := map[string]bool{}
	for _, got := range []said{
		s.must(200, http.MethodGet, "/companies/1", ""), s.must(200, http.MethodPost, "/enrichment/url", `{"url":"alder-logistics-1.example"}`),
	} {
		forms[fmt.Sprintf("%T", got.object(t)["id"])] = true
	}
	if !forms["string"] || !forms["json.Number"] {
		t.Errorf("the forms are %v", forms)
	}
}
