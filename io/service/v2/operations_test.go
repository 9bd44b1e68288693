package v2

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

// operationTest is one operation: what is sent, what the service answers, and what comes of it.
type operationTest struct {
	send   func(context.Context, *Client) (any, enrich.Verdict, error)
	line   string // of the request
	body   string // of the request
	status int    // of the response; 200 when zero
	answer string
	want   string // the value, as far as it is shown
	used   string // by a paid call
}

// Values of answers that operations share.
const (
	companyBody  = `{"id": 4711, "name": "Acme Ltd", "company_phone": ["+44 1"], "later": true}`
	employeeBody = `{"id": "9", "full_name": "Ada Lovelace", "email": "ada@acme.example", "phone": null}`
	itemsBody    = `[{"id": 4711, "name": "Acme", "country_code": "GB", "registration_number": "7"}]`
)

// operationTests has the tests of all operations, by them.
func operationTests() map[Operation]operationTest {
	all := map[Operation]operationTest{}
	for _, some := range []map[Operation]operationTest{companyTests(), contactTests(), detailTests(), freeTests(), watchTests()} {
		for o, test := range some {
			all[o] = test
		}
	}
	return all
}

func companyTests() map[Operation]operationTest {
	return map[Operation]operationTest{
		OpProspecting: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				page, v := c.Prospecting(ctx, CompanyFilters{
					CompanyStatus: []int64{1, 2}, NumberOfEmployees: Range{GTE: "10", LTE: "50"},
					CompanyIncorporation: Range{GTE: "2001-01-01"}, SICUnitedKingdom: []string{"25730"}, NACE: []string{"25.73"},
					LocationCountries: []string{"GB-1"}, ForeignParents: "yes",
				}, Paging{Page: 2, PerPage: 25})
				return fmt.Sprint(page.Total.Value, page.Pages.Value, page.Items[0].ID.Value, page.Items[0].Name.Value), v, nil
			},
			line: "POST /v2/prospecting",
			body: `{"page":2,"per_page":25,"filters":"{\"company_status\":[1,2],\"number_of_employees\":{\"gte\":10,\"lte\":50},` +
				`\"company_incorporation\":{\"gte\":\"2001-01-01\"},\"nace\":[\"25.73\"],\"sic_code_gb\":[\"25730\"],` +
				`\"location_countries\":[\"GB-1\"],\"foreign_parents\":\"yes\"}"}`,
			answer: `{"total_companies": 1, "total_pages": 1, "data": [{"id": 4711, "name": "Acme"}]}`,
			want:   "1 14711Acme", used: "companies",
		},
		OpOverview: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				page, v := c.Overview(ctx, CompanySearch{
					CountryCode: "US", State: "CA", Name: "Acme <&> Co", LEINumber: "L", PhoneNumber: "+1", Person: "Ada", CompanyStatus: []int64{3},
					ProNetwork: "net.example/acme", Paging: Paging{PerPage: 5},
				})
				return fmt.Sprint(page.Total.Value, page.Items[0].Status.Value), v, nil
			},
			line: "POST /v2/overview",
			body: `{"country_code":"US","state":"CA","name":"Acme \u003c\u0026\u003e Co","lei_number":"L","phone_number":"+1","person":"Ada",` +
				`"company_status":[3],"pro_network":"net.example/acme","per_page":5}`,
			answer: `{"total_results": 1, "total_pages": 1, "data": [{"id": "4711", "name": "Acme", "status": "active"}]}`,
			want:   "1active", used: "companies",
		},
		OpGetCompany: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				record, v := c.Company(ctx, "4711")
				return fmt.Sprint(record.ID.Value, record.Name.Value, record.Phones, record.Status.Known), v, nil
			},
			line: "GET /v2/companies/4711", answer: companyBody, want: "4711Acme Ltd[+44 1] false", used: "companies",
		},
		OpEnrichURL: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				record, v := c.CompanyByURL(ctx, "https://acme.example")
				return record.ID.Value, v, nil
			},
			line: "POST /v2/enrichment/url", body: `{"url":"https://acme.example"}`, answer: companyBody, want: "4711", used: "companies",
		},
		OpEnrichCompanyProfile: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				record, v := c.CompanyByProfile(ctx, "https://net.example/acme")
				return record.ID.Value, v, nil
			},
			line: "POST /v2/enrichment/company/linkedin", body: `{"linkedin":"https://net.example/acme"}`, answer: companyBody,
			want: "4711", used: "companies",
		},
		OpEnrichCompany: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				record, v := c.CompanyByNumber(ctx, CompanyNumbers{CountryCode: "US", RegistrationNumber: "7", State: "CA"})
				return record.ID.Value, v, nil
			},
			line: "POST /v2/enrichment/company", body: `{"country_code":"US","registration_number":"7","state":"CA"}`, answer: companyBody,
			want: "4711", used: "companies",
		},
		OpAutocomplete: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				record, v := c.Autocomplete(ctx, PartialCompany{CountryCode: "GB", Name: "Acme", ProNetwork: "net.example/acme"})
				return record.ID.Value, v, nil
			},
			line: "POST /v2/autocomplete", body: `{"country_code":"GB","name":"Acme","pro_network":"net.example/acme"}`, answer: companyBody,
			want: "4711", used: "companies",
		},
	}
}

func contactTests() map[Operation]operationTest {
	return map[Operation]operationTest{
		OpEmployees: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				page, v := c.Employees(ctx, EmployeeFilters{Seniority: []int64{4}, JobTitle: []string{"CEO"}, CompanyID: "4711"}, Paging{Page: 10})
				return fmt.Sprint(page.Total.Value, page.Items[0].CompanyID.Value), v, nil
			},
			line:   "POST /v2/employees",
			body:   `{"page":10,"filters":"{\"seniority\":[4],\"job_title\":[\"CEO\"],\"company_id\":4711}"}`,
			answer: `{"total_employees": 1, "total_pages": 1, "data": [{"id": "9", "name": "Ada", "company_id": "4711", "company_name": "Acme"}]}`,
			want:   "14711", used: "contacts",
		},
		OpGetEmployee: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				record, v := c.Employee(ctx, "9")
				return fmt.Sprint(record.FullName.Value, record.Email.Value, record.Phone.Known), v, nil
			},
			line: "GET /v2/employees/9", answer: employeeBody, want: "Ada Lovelaceada@acme.examplefalse", used: "contacts email_count",
		},
		OpEnrichEmail: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				record, v := c.ContactByEmail(ctx, "ada@acme.example", false)
				return record.ID.Value, v, nil
			},
			line: "POST /v2/enrichment/email", body: `{"email":"ada@acme.example","reveal_phone":false}`, answer: employeeBody,
			want: "9", used: "contacts email_count",
		},
		OpEnrichEmployeeProfile: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				record, v := c.ContactByProfile(ctx, "net.example/ada", Reveal{Phone: true})
				return record.ID.Value, v, nil
			},
			line: "POST /v2/enrichment/employee/linkedin", body: `{"linkedin":"net.example/ada","reveal_email":false,"reveal_phone":true}`,
			answer: `{"id": 9, "full_name": "Ada", "phone": "+44 1"}`, want: "9", used: "contacts phone_count",
		},
		OpEnrichEmployee: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				record, v := c.Contact(ctx, PartialContact{FirstName: "Ada", LastName: "Lovelace", Domain: "acme.example", ProNetwork: "net.example/ada"}, RevealEverything())
				return record.ID.Value, v, nil
			},
			line:   "POST /v2/enrichment/employee/contacts",
			body:   `{"first_name":"Ada","last_name":"Lovelace","domain":"acme.example","pro_network":"net.example/ada","reveal_email":true,"reveal_phone":true}`,
			answer: `{"id": 9, "email": "a@b.example", "phone": "+44 1"}`, want: "9", used: "contacts email_count phone_count",
		},
		OpEnrichEmployeeSearch: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				page, v := c.People(ctx, PeopleSearch{
					Domains: []string{"acme.example"}, CompanyLocations: []string{"GB"}, EmployeeLocations: []string{"Leeds"},
					Seniorities: []string{"c_suite"}, Paging: Paging{Page: 1, PerPage: 25},
				})
				return fmt.Sprint(page.Items[0].JobTitle.Value, page.Items[0].Company.IncorporationYear.Value), v, nil
			},
			line: "POST /v2/enrichment/employee/search",
			body: `{"domain_list":["acme.example"],"company_locations":["GB"],"employee_locations":["Leeds"],"employee_seniorities":["c_suite"],` +
				`"page":1,"per_page":25}`,
			answer: `{"total_employees": 1, "total_pages": 1, "data": [{"id": "9", "job_title": "CEO", "company": {"name": "Acme", "incorporation_date": 1999}}]}`,
			want:   "CEO1999", used: "contacts",
		},
	}
}

func detailTests() map[Operation]operationTest {
	return map[Operation]operationTest{
		OpGetFinancials: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				f, v := c.Financials(ctx, "4711", 2024)
				return fmt.Sprint(f.Years[0].Year, f.Years[0].Figure("Turnover").Number), v, nil
			},
			line: "GET /v2/financial/4711?year=2024", answer: `{"2024": {"Turnover": 12.5}}`, want: "2024 12.5", used: "financials",
		},
		OpInsightsSearch: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				page, v := c.InsightsSearch(ctx, NamedCompany{Name: "Acme"})
				return page.Items[0].RegistrationNumber.Value, v, nil
			},
			line: "POST /v2/digital-insights", body: `{"name":"Acme"}`, answer: itemsBody, want: "7", used: "digital_insights",
		},
		OpGetInsights: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				i, v := c.Insights(ctx, "4711")
				return i.Domain.Value, v, nil
			},
			line: "GET /v2/digital-insights/4711", answer: `{"id": 5, "domain": "acme.example"}`, want: "acme.example", used: "digital_insights",
		},
		OpOwnershipSearch: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				page, v := c.OwnershipSearch(ctx, NamedCompany{RegistrationNumber: "7"})
				return page.Items[0].ID.Value, v, nil
			},
			line: "POST /v2/ownership", body: `{"registration_number":"7"}`, answer: itemsBody, want: "4711", used: "ownership",
		},
		OpGetOwnership: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				o, v := c.Ownership(ctx, "4711")
				return o.Shareholders[0].Name.Value, v, nil
			},
			line: "GET /v2/ownership/4711", answer: `{"shareholders": [{"id": 1, "name": "Holding"}], "data": [], "group_structure": []}`,
			want: "Holding", used: "ownership",
		},
		OpWatchStart: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				return "", c.WatchStart(ctx, "4711", []string{"name", "vat_number"}), nil
			},
			line: "POST /v2/companies/4711/watch/start", body: `{"fields":["name","vat_number"]}`, status: http.StatusCreated, used: "watch",
		},
	}
}

func freeTests() map[Operation]operationTest {
	return map[Operation]operationTest{
		OpMetrics: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				usage, err := c.Usage(ctx)
				return fmt.Sprint(usage.Modules), nil, err
			},
			line: "GET /v2/metrics",
			answer: `[{"name": "Data", "codename": "data", "metrics": [{"name": "Companies", "codename": "companies", "used": 3, "total": 10},
				{"name": "Other", "codename": "other", "used": null}]}]`,
			want: "[{Data Companies companies 1 {3 true} {10 true}} {Data Other other 0 {0 false} {0 false}}]",
		},
		OpContactMetrics: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				usage, err := c.ContactUsage(ctx, time.Date(2026, 11, 1, 1, 0, 0, 5, time.FixedZone("", 3600)), noon())
				return fmt.Sprint(usage.Emails, usage.Phones), nil, err
			},
			line:   "GET /v2/metrics/contacts?date_from=2026-11-01+00%3A00%3A00&date_to=2026-11-20+12%3A00%3A00",
			answer: `{"email_count": 4, "phone_count": 0}`, want: "{4 true} {0 true}",
		},
		OpWatched: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				page, err := c.Watched(ctx, WatchedSince{Date: noon(), Fields: []string{"name", "vat_number"}, Paging: Paging{Page: 2, PerPage: 5}})
				return fmt.Sprint(page.Total.Value, page.Items[0].Fields), nil, err
			},
			line:   "GET /v2/companies/watch?date=2026-11-20&fields=name&fields=vat_number&page=2&per_page=5",
			answer: `{"data": [{"id": 4711, "fields": ["name"]}], "total_results": 6, "pages": 2}`, want: "6 [name]",
		},
		OpWatchEvents: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				page, err := c.WatchEvents(ctx, "4711", EventsBetween{From: noon(), To: noon().Add(24 * time.Hour)})
				return page.Items[0].Type.Value, nil, err
			},
			line:   "GET /v2/companies/4711/watch/events?from_date=2026-11-20&to_date=2026-11-21",
			answer: `{"data": [{"status": "UPDATED", "event_type": "company_email"}], "total_results": 1, "pages": 1}`, want: "company_email",
		},
		OpWatchFields: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				fields, err := c.WatchFields(ctx, "4711")
				return fmt.Sprint(fields), nil, err
			},
			line: "GET /v2/companies/4711/watch/fields", answer: `["name", "company_phone"]`, want: "[name company_phone]",
		},
		OpGetCallback: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				callback, err := c.Callback(ctx)
				return callback.Value, nil, err
			},
			line: "GET /v2/companies/watch/callback", answer: `{"callback": "https://a.example/x"}`, want: "https://a.example/x",
		},
	}
}

func watchTests() map[Operation]operationTest {
	return map[Operation]operationTest{
		OpWatchStop: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				return "", nil, c.WatchStop(ctx, "4711")
			},
			line: "DELETE /v2/companies/4711/watch/stop",
		},
		OpWatchFieldsAdd: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				fields, err := c.AddWatchFields(ctx, "4711", []string{"name"})
				return fmt.Sprint(fields), nil, err
			},
			line: "PUT /v2/companies/4711/watch/fields/add", body: `{"fields":["name"]}`, answer: `["company_fax", "name"]`, want: "[company_fax name]",
		},
		OpWatchFieldsRemove: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				fields, err := c.RemoveWatchFields(ctx, "4711", []string{"name"})
				return fmt.Sprint(fields), nil, err
			},
			line: "PUT /v2/companies/4711/watch/fields/remove", body: `{"fields":["name"]}`, answer: `null`, want: "[]",
		},
		OpSetCallback: {
			send: func(ctx context.Context, c *Client) (any, enrich.Verdict, error) {
				return "", nil, c.SetCallback(ctx, "https://a.example/secret")
			},
			line: "PUT /v2/companies/watch/callback", body: `{"callback":"https://a.example/secret"}`, answer: "{}",
		},
	}
}

// TestEveryOperation sends each operation and checks the request, the value and what was used.
func TestEveryOperation(t *testing.T) {
	tests := operationTests()
	if len(tests) != len(Operations()) {
		t.Errorf("%d operations are tested, there are %d", len(tests), len(Operations()))
	}
	for o, test := range tests {
		t.Run(o.String(), func(t *testing.T) {
			if test.status == 0 {
				test.status = http.StatusOK
			}
			stand := newStand(t, respond(test.status, test.answer, "Date", "Fri, 20 Nov 2026 10:00:00 GMT"))
			value, verdict, err := test.send(t.Context(), stand.client())
			if err != nil || value != test.want {
				t.Errorf("value %q, want %q; error %v", value, test.want, err)
			}
			want := []seen{{line: test.line, authorization: "Token " + testKey, body: test.body}}
			if test.body != "" {
				want[0].contentType = "application/json"
			}
			if diff := cmp.Diff(want, stand.arrived(), cmp.AllowUnexported(seen{})); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if o.Paid() {
				checkUsed(t, o, wantAnswered(t, verdict), test.used)
			}
		})
	}
}

// checkUsed checks what an answer used, and when it came.
func checkUsed(t *testing.T, o Operation, answered enrich.Answered, want string) {
	used := ""
	for meter, amount := range answered.Consumed {
		for range amount {
			used += map[bool]string{true: " "}[used != ""] + MeterName(costMeter(meter))
		}
	}
	if used != want || answered.Status == enrich.NotFound {
		t.Errorf("status %s, used %q, want %q", answered.Status, used, want)
	}
	f, isRecord := o.Field()
	if page, isSearch := o.SearchField(); isSearch {
		f, isRecord = page, true
	}
	if isRecord != (answered.Returned != 0) || isRecord && !answered.Returned.Has(f) {
		t.Errorf("returned %b", answered.Returned)
	}
	answer := decodeAnswer(t, answered)
	if answer.Operation != o || !answer.RetrievedAt.Equal(noon().Add(-2*time.Hour)) {
		t.Errorf("the answer is to %s and came at %s", answer.Operation, answer.RetrievedAt)
	}
}

// TestCallsThatTheServiceWouldRefuseAreNotSent builds calls that lack what they need.
func TestCallsThatTheServiceWouldRefuseAreNotSent(t *testing.T) {
	stand := newStand(t, respond(http.StatusOK, companyBody))
	client := stand.client()
	for name, call := range map[string]Call{
		"no identifier":      CompanyCall(""),
		"path in identifier": CompanyCall("../metrics"),
		"dots":               CompanyCall(".."),
		"slash":              EmployeeCall("1/2"),
		"escape":             FinancialsCall("%2e", 0),
		"long":               InsightsCall(fmt.Sprintf("%0200d", 1)),
		"no website":         CompanyByURLCall(""),
		"no profile":         CompanyByProfileCall(""),
		"no number":          CompanyByNumberCall(CompanyNumbers{CountryCode: "GB"}),
		"no country":         CompanyByNumberCall(CompanyNumbers{VATNumber: "1"}),
		"no state":           CompanyByNumberCall(CompanyNumbers{CountryCode: "US", VATNumber: "1"}),
		"country alone":      AutocompleteCall(PartialCompany{CountryCode: "GB"}),
		"no name":            InsightsSearchCall(NamedCompany{}),
		"no owner":           OwnershipSearchCall(NamedCompany{}),
		"no filters":         EmployeesCall(EmployeeFilters{}, Paging{}),
		"page 11":            ProspectingCall(CompanyFilters{}, Paging{Page: 11}),
		"page -1":            OverviewCall(CompanySearch{Paging: Paging{Page: -1}}),
		"seniority":          PeopleCall(PeopleSearch{Seniorities: []string{"boss"}}),
		"no email":           ContactByEmailCall("", true),
		"nobody":             ContactCall(PartialContact{CompanyName: "Acme"}, RevealEverything()),
		"no contact profile": ContactByProfileCall("", RevealEverything()),
		"free operation":     {Operation: OpMetrics},
	} {
		refused, ok := client.Send(t.Context(), call).(enrich.Refused)
		if !ok || !refused.Unsent || refused.Class != enrich.InvalidInput || refused.Code != CodeInvalidRequest || refused.Message == "" {
			t.Errorf("%s: %+v, want it refused and not sent", name, refused)
		}
	}
	if _, err := client.WatchFields(t.Context(), "a b"); !errors.Is(err, ErrID) {
		t.Errorf("a free call with a space in its identifier: %v", err)
	}
	if arrived := stand.arrived(); len(arrived) > 0 {
		t.Errorf("%v arrived", arrived)
	}
}
