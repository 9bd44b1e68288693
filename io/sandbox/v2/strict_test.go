package v2

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/world"
)

// TestUnknownIdentifiersFindNothing asks for arbitrary and for misspelt identifiers in every operation that takes one: nothing
// is found, and nothing is used.
func TestUnknownIdentifiersFindNothing(t *testing.T) {
	s := opened(t, nil)
	c := s.company(func(c world.Company) bool { return c.Country().Code == "GB" && c.Staff() > 3 })
	e, _ := s.world.Employee(c, 0)
	type object = map[string]any
	for _, asked := range []struct {
		path string
		body object
	}{
		{"/companies/4711000", nil},
		{"/companies/99999999999999999", nil},
		{"/companies/" + c.ID() + "x", nil},
		{"/financial/4711000", nil},
		{"/digital-insights/4711000", nil},
		{"/ownership/4711000", nil},
		{"/employees/" + c.ID() + "099", nil},
		{"/employees/12345678901234567890", nil},
		{"/enrichment/url", object{"url": "acme.example"}},
		{"/enrichment/url", object{"url": "https://www.acme.com"}},
		{"/enrichment/url", object{"url": "x" + c.Domain()}},
		{"/enrichment/company/linkedin", object{"linkedin": "https://pro-network.example/company/acme"}},
		{"/enrichment/company/linkedin", object{"linkedin": c.Profile() + "x"}},
		{"/enrichment/company", object{"country_code": "GB", "registration_number": "12345678"}},
		{"/enrichment/company", object{"country_code": "GB", "registration_number": c.Registration() + "1"}},
		{"/enrichment/company", object{"country_code": "IE", "registration_number": c.Registration()}},
		{"/enrichment/company", object{"country_code": "GB", "vat_number": "GB123456789"}},
		{"/enrichment/email", object{"email": "ada@acme.example"}},
		{"/enrichment/email", object{"email": "info@" + c.Domain()}},
		{"/enrichment/email", object{"email": "x" + e.Email()}},
		{"/enrichment/employee/linkedin", object{"linkedin": "https://pro-network.example/in/ada-lovelace"}},
		{"/enrichment/employee/linkedin", object{"linkedin": "https://www.linkedin.com/in/ada-lovelace"}},
		{"/enrichment/employee/linkedin", object{"linkedin": e.Profile() + "0"}},
		{"/enrichment/employee/contacts", object{"first_name": "Ada", "last_name": "Lovelace", "company_name": "Acme"}},
		{"/enrichment/employee/contacts", object{"first_name": "Ada", "last_name": "Lovelace", "domain": c.Domain()}},
		{"/enrichment/employee/contacts", object{"first_name": e.First, "last_name": e.Last + "s", "domain": c.Domain()}},
		{"/enrichment/employee/contacts", object{"first_name": e.First, "last_name": e.Last, "domain": "x" + c.Domain()}},
		{"/autocomplete", object{"name": "Acme", "country_code": "GB"}},
		{"/autocomplete", object{"name": "x" + c.Name(), "country_code": "GB"}},
		{"/autocomplete", object{"email": "ada@acme.example"}},
		{"/digital-insights", object{"name": "Acme"}},
		{"/ownership", object{"registration_number": "4711"}},
	} {
		method, body := http.MethodGet, ""
		if asked.body != nil {
			method, body = http.MethodPost, encoded(asked.body)
		}
		if got := s.call(method, asked.path, body); got.status != 404 || got.text != "{\"detail\":\"Not found.\"}\n" {
			t.Errorf("%s %s: %d %s", asked.path, body, got.status, got.text)
		}
	}
	for _, module := range kit.Modules() {
		if used := s.used(module); used != 0 {
			t.Errorf("%d units of %s were used for nothing", used, module)
		}
	}
	for _, name := range []string{"Acme", "x" + c.Name()} {
		if got := s.must(200, http.MethodPost, "/overview", encoded(object{"name": name})).object(t); got["total_results"] != json.Number("0") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAPersonIsTheSameInAllOperations: each operation that shows a person shows one id, name, profile, email, company id
// and company name. Companies of one name and colleagues of one name are among them.
func TestAPersonIsTheSameInAllOperations(t *testing.T) {
	s := opened(t, nil)
	type object = map[string]any
	namesakes, shared, number := 0, 0, 0
	for c := range s.world.Listed() {
		if number++; number > 150 {
			break
		}
		firsts := s.world.ByName(c.Name())
		found := s.must(200, http.MethodPost, "/employees", filtered(`{"company_id":`+c.ID()+`}`)).object(t)["data"].([]any)
		people := s.must(200, http.MethodPost, "/enrichment/employee/search", encoded(object{"domain_list": []string{c.Domain()}})).object(t)["data"].([]any)
		ofName := map[string]string{} // the id of the first colleague of a name
		for i, item := range found {
			item := item.(object)
			id, name := item["id"].(string), item["name"].(string)
			whole := s.must(200, http.MethodGet, "/employees/"+id, "").object(t)
			want := object{"id": id, "full_name": name, "company_id": c.ID(), "company_name": c.Name()}
			for member, value := range want {
				if whole[member] != value {
					t.Errorf("%s of %s is %v in the details, and %v in the search", member, id, whole[member], value)
				}
			}
			if other := people[i].(object); other["id"] != id || other["pro_network"] != whole["pro_network"] || other["company"].(object)["website"] != c.Website() {
				t.Errorf("%v in the enrichment search is %v", other, whole)
			}
			same := func(path string, body object, wanted string) {
				t.Helper()
				got := s.must(200, http.MethodPost, path, encoded(body)).object(t)
				if got["id"] != wanted {
					t.Errorf("%s %v is %v, not %s", path, body, got["id"], wanted)
				}
				if wanted == id && (got["email"] != whole["email"] || got["phone"] != whole["phone"] || got["company_id"] != c.ID() || got["pro_network"] != whole["pro_network"]) {
					t.Errorf("%s %v is %v, not %v", path, body, got, whole)
				}
			}
			same("/enrichment/employee/linkedin", object{"linkedin": whole["pro_network"]}, id)
			if whole["email"] != nil {
				same("/enrichment/email", object{"email": whole["email"]}, id)
			}
			wanted := id
			if first, known := ofName[name]; known {
				wanted, namesakes = first, namesakes+1
			}
			ofName[name] = wanted
			same("/enrichment/employee/contacts", object{"first_name": whole["first_name"], "last_name": whole["last_name"], "domain": c.Domain()}, wanted)
			if other, found := s.world.Employee(firsts[0], i); found && firsts[0] != c && other.First+" "+other.Last == name {
				shared++
			}
		}
	}
	if namesakes == 0 || shared == 0 {
		t.Errorf("%d colleagues share a name, %d people of companies of one name", namesakes, shared)
	}
}

// TestEveryCountryOfTheFiltersHasCompanies searches by each country and by each national classification.
func TestEveryCountryOfTheFiltersHasCompanies(t *testing.T) {
	s := opened(t, nil)
	all := world.Nomenclatures()
	codes := map[string][]string{}
	for _, name := range world.CodeLists() {
		for _, term := range all[name] {
			codes[name] = append(codes[name], fmt.Sprint(term.ID))
		}
	}
	for _, term := range all["location_countries"] {
		codes["location_countries "+fmt.Sprint(term.ID)] = []string{fmt.Sprint(term.ID)}
	}
	for name, values := range codes {
		var key string
		_, _ = fmt.Sscan(name, &key)
		filter, _ := parseFilters(encoded(map[string]any{key: values}))
		conditions, problems := filter.Companies(s.world)
		count := 0
		for range matching(s.world.Listed(), conditions) {
			if count++; count > 100 {
				break
			}
		}
		if len(values) == 0 || count <= 100 || problems != nil {
			t.Errorf("%s has %d values and %d companies: %v", name, len(values), count, problems)
		}
	}
}
