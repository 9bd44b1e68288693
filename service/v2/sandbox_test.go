package v2_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/sandbox"
	"payonce/service/v2"
	"payonce/service/v2/answers"
	"payonce/service/v2/calls"
	"payonce/service/v2/records"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// rig is a client of the sandbox. It adds up what answers say that they used.
type rig struct {
	*testing.T
	*v2.Client
	start time.Time
	used  cost.Amounts
	done  map[v2fields.Operation]bool
}

func newRig(t *testing.T, change func(*sandbox.Config)) *rig {
	config := sandbox.DefaultConfig()
	config.V2.Window.Limit = 1 << 20
	if change != nil {
		change(&config)
	}
	box, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(box.Handler())
	client, err := v2.NewClient(v2.Config{BaseURL: server.URL + "/v2", Key: config.V2.Key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		if err := errors.Join(box.Second().Units().Audit(), box.Close()); err != nil {
			t.Errorf("the books of the sandbox: %v", err)
		}
		server.Close()
	})
	return &rig{T: t, Client: client, start: time.Now().Add(-time.Minute), done: map[v2fields.Operation]bool{}}
}

// ask sends a call that has to be answered, and decodes its answer without a problem.
func ask[T any](r *rig, call calls.Call, read func(enrich.Answered) (T, error)) T {
	r.Helper()
	answered, ok := r.Send(r.Context(), call).(enrich.Answered)
	if !ok {
		r.Fatalf("%s %s %s: not answered", call.Operation, call.Path(), call.Body)
	}
	for m, amount := range answered.Consumed {
		r.used[m] += amount
	}
	value, err := read(answered)
	if err != nil {
		r.Fatalf("%s: %v", call.Operation, err)
	}
	if problems, ok := any(value).(interface{ Text() string }); ok && problems.Text() != "" {
		r.Errorf("%s: %s", call.Operation, problems.Text())
	}
	r.done[call.Operation] = true
	return value
}

// nothing reads no value.
func nothing(enrich.Answered) (struct{}, error) { return struct{}{}, nil }

// free notes a free operation that has to succeed.
func (r *rig) free(o v2fields.Operation, err error) {
	r.Helper()
	if err != nil {
		r.Errorf("%s: %v", o, err)
	}
	r.done[o] = true
}

// wholeCompany returns a company of which everything is known, with its figures.
func (r *rig) wholeCompany() (records.Company, records.Financials) {
	page := ask(r, calls.Prospecting(calls.CompanyFilters{NumberOfEmployees: calls.Range{GTE: "1"}}, calls.Paging{PerPage: 25}), answers.Companies)
	for _, item := range page.Items {
		company := ask(r, calls.Company(item.ID.Value), answers.Company)
		financials := ask(r, calls.Financials(item.ID.Value, 0), answers.Financials)
		insights := ask(r, calls.Insights(item.ID.Value), answers.Insights)
		ownership := ask(r, calls.Ownership(item.ID.Value), answers.Ownership)
		if company.ID != item.ID {
			r.Errorf("company %s is returned as %s", item.ID.Value, company.ID.Value)
		}
		if len(financials.Years) > 0 && insights.ID.Known && len(ownership.Shareholders) > 0 && company.VATNumber.Known {
			return company, financials
		}
	}
	r.Fatal("no company has everything")
	return records.Company{}, records.Financials{}
}

// TestEveryOperationWithTheSandbox runs each operation against the sandbox, which was written from
// the same specification separately. What answers say that they used is what the counters show.
func TestEveryOperationWithTheSandbox(t *testing.T) {
	r := newRig(t, nil)
	before, err := r.Usage(t.Context())
	r.free(v2fields.Metrics, err)
	company, financials := r.wholeCompany()
	r.checkFigures(financials)
	r.askForCompany(company)
	r.askForContacts(company)
	r.watch(company.ID.Value)

	after, err := r.Usage(t.Context())
	r.free(v2fields.Metrics, err)
	counts, err := r.ContactUsage(t.Context(), r.start, time.Now().Add(time.Minute))
	r.free(v2fields.ContactMetrics, err)
	change := after.Since(before)
	change.Used[units.Emails], change.Used[units.Phones] = counts.Emails.Value, counts.Phones.Value
	if diff := cmp.Diff(r.used, change.Used); diff != "" || change.Known != cost.MetersOf(units.Meters()...) {
		t.Errorf("used by meter (-answers +counters):\n%s", diff)
	}
	for _, o := range v2fields.Operations() {
		if !r.done[o] {
			t.Errorf("%s was not run", o)
		}
	}
	r.free(v2fields.WatchStop, r.WatchStop(t.Context(), company.ID.Value))
}

// checkFigures looks for figures of every kind, and for ones that the specification does not name.
func (r *rig) checkFigures(f records.Financials) {
	for _, year := range f.Years {
		for _, name := range []string{"Turnover", "Employee-Numbers", "Currency", "Reported-Date"} {
			if !year.Figure(name).Known {
				r.Errorf("%d has no %s", year.Year, name)
			}
		}
		if len(year.Extra) > 0 {
			r.Errorf("%d has figures that the specification does not name: %v", year.Year, year.Extra)
		}
	}
}

// askForCompany finds the company in every way that names it.
func (r *rig) askForCompany(c records.Company) {
	name, number, country := c.Name.Value, c.RegistrationNumber.Value, c.CountryCode.Value
	state := map[bool]string{true: c.Region.Value}[country == "US"]
	for _, call := range []calls.Call{
		calls.CompanyByURL(c.Website.Value), calls.CompanyByProfile(c.ProNetwork.Value),
		calls.CompanyByNumber(calls.CompanyNumbers{CountryCode: country, RegistrationNumber: number, State: state}),
		calls.CompanyByNumber(calls.CompanyNumbers{CountryCode: country, VATNumber: c.VATNumber.Value, State: state}),
		calls.Autocomplete(calls.PartialCompany{CountryCode: country, Name: name, RegistrationNumber: number}),
	} {
		if found := ask(r, call, answers.Company); found.ID != c.ID {
			r.Errorf("%s found %q, want %q", call.Operation, found.ID.Value, c.ID.Value)
		}
	}
	isIt := func(item records.CompanyItem) bool { return item.ID == c.ID }
	overview := ask(r, calls.Overview(calls.CompanySearch{CountryCode: country, Name: name, RegistrationNumber: number}), answers.Companies)
	if !slices.ContainsFunc(overview.Items, isIt) || !overview.Total.Known || !overview.Pages.Known {
		r.Errorf("the overview has %+v", overview)
	}
	for _, call := range []calls.Call{
		calls.InsightsSearch(calls.NamedCompany{RegistrationNumber: number}), calls.OwnershipSearch(calls.NamedCompany{Name: name}),
	} {
		if page := ask(r, call, answers.Candidates); !slices.ContainsFunc(page.Items, isIt) {
			r.Errorf("%s found %+v", call.Operation, page.Items)
		}
	}
}

// askForContacts finds the employees of the company in every way.
func (r *rig) askForContacts(c records.Company) {
	page := ask(r, calls.Employees(calls.EmployeeFilters{CompanyID: calls.ID(c.ID.Value)}, calls.Paging{}), answers.Employees)
	if len(page.Items) == 0 || page.Items[0].CompanyID != c.ID {
		r.Fatalf("employees %+v", page.Items)
	}
	var e records.Employee
	for _, item := range page.Items {
		if e = ask(r, calls.Employee(item.ID.Value), answers.Employee); e.Email.Known && e.Email.Value != "" {
			break
		}
	}
	for _, call := range []calls.Call{
		calls.ContactByProfile(e.ProNetwork.Value, units.Reveal{Email: true}), calls.ContactByEmail(e.Email.Value, true),
		calls.Contact(calls.PartialContact{FirstName: e.FirstName.Value, LastName: e.LastName.Value, Domain: c.Website.Value}, units.Reveal{}),
	} {
		found := ask(r, call, answers.Employee)
		if found.ID != e.ID {
			r.Errorf("%s found %q, want %q", call.Operation, found.ID.Value, e.ID.Value)
		}
		if !call.Reveal.Phone && found.PhoneGiven || !call.Reveal.Email && found.EmailGiven {
			r.Errorf("%s revealed an email (%t) or a phone (%t)", call.Operation, found.EmailGiven, found.PhoneGiven)
		}
	}
	people := ask(r, calls.People(calls.PeopleSearch{Domains: []string{strings.TrimPrefix(strings.TrimPrefix(c.Website.Value, "https://"), "www.")}}), answers.People)
	if len(people.Items) == 0 || !people.Items[0].Company.Name.Known {
		r.Errorf("people %+v", people.Items)
	}
}

// watch watches the company.
func (r *rig) watch(id string) {
	ctx := r.Context()
	ask(r, calls.WatchStart(id, []string{"name", "company_email"}), nothing)
	fields, err := r.AddWatchFields(ctx, id, []string{"vat_number"})
	r.free(v2fields.WatchFieldsAdd, err)
	if len(fields) != 3 {
		r.Errorf("after adding: %v", fields)
	}
	fields, err = r.RemoveWatchFields(ctx, id, []string{"name"})
	r.free(v2fields.WatchFieldsRemove, err)
	listed, err := r.WatchFields(ctx, id)
	r.free(v2fields.WatchFields, err)
	if !slices.Contains(fields, "vat_number") || len(fields) != 2 || !slices.Equal(fields, listed) {
		r.Errorf("after removing: %v, listed %v", fields, listed)
	}
	for _, names := range [][]string{{"company_email"}, {"vat_number", "name"}} {
		watched, err := r.Watched(ctx, v2.WatchedSince{Date: r.start, Fields: names, Paging: calls.Paging{Page: 1, PerPage: 5}})
		r.free(v2fields.Watched, err)
		if len(watched.Items) != 1 || watched.Items[0].ID.Value != id || watched.Text() != "" {
			r.Errorf("watched with %v: %+v", names, watched)
		}
	}
	events, err := r.WatchEvents(ctx, id, v2.EventsBetween{From: r.start, To: time.Now(), Fields: []string{"company_email", "vat_number"}})
	r.free(v2fields.WatchEvents, err)
	if len(events.Items) != 0 || events.Text() != "" {
		r.Errorf("events %+v", events)
	}
	const callback = "http://127.0.0.1:1/secret"
	r.free(v2fields.SetCallback, r.SetCallback(ctx, callback))
	got, err := r.Callback(ctx)
	r.free(v2fields.GetCallback, err)
	if got != cost.Known(callback) {
		r.Errorf("callback %+v", got)
	}
	// Stopped and started again, so that the last state uses a unit once.
	r.free(v2fields.WatchStop, r.WatchStop(ctx, id))
	ask(r, calls.WatchStart(id, nil), nothing)
	r.used[units.Watch]-- // the first one ended
}

// TestWhatTheSandboxDoesNotKnow asks for what does not exist: an answer without values, which used nothing.
func TestWhatTheSandboxDoesNotKnow(t *testing.T) {
	r := newRig(t, nil)
	before, err := r.Usage(t.Context())
	r.free(v2fields.Metrics, err)
	for _, call := range []calls.Call{
		calls.Company("no-such-id"), calls.Employee("no-such-id"), calls.Financials("no-such-id", 0), calls.Insights("no-such-id"),
		calls.Ownership("no-such-id"), calls.CompanyByURL("unknown-1.example"), calls.ContactByEmail("nobody@unknown-1.example", true),
		calls.WatchStart("no-such-id", nil),
	} {
		answered, ok := r.Send(t.Context(), call).(enrich.Answered)
		if !ok || answered.Status != enrich.NotFound || answered.Returned != 0 || slices.Max(answered.Consumed) != 0 {
			t.Errorf("%s: %+v, want nothing found", call.Operation, answered)
		}
	}
	after, err := r.Usage(t.Context())
	r.free(v2fields.Metrics, err)
	if change := after.Since(before); change.Used != (cost.Amounts{}) {
		t.Errorf("%v was used", change.Used)
	}
}

// TestVerdictsOnFaultsOfTheSandbox breaks one call in each way. A refusal used nothing.
func TestVerdictsOnFaultsOfTheSandbox(t *testing.T) {
	for text, want := range map[string]string{
		"lost-before": "Lost", "lost-after": "Lost", "truncated": "Lost", "garbage": "Lost", "proxy-page": "Lost", "no-body": "Lost",
		"gateway-json": "Lost", "gateway-json:happened=true,status=400": "Lost", "gateway-json:status=404": "Lost",
		"gateway-json:status=200": "Lost", "byte-order-mark": "Answered",
		"internal_error": "Lost", "invalid_token": "invalid_api_key", "invalid_request": "invalid_request", "limits.daily": "limits.daily",
		"limit": "limit", "rate_limited:retry-after=17s": "rate_limited", "not_found": "Answered",
	} {
		t.Run(text, func(t *testing.T) {
			r := newRig(t, func(c *sandbox.Config) {
				separator := map[bool]string{true: ",", false: ":"}[strings.Contains(text, ":")]
				fault, err := sandbox.ParseFault(text + separator + "at=1")
				if err != nil {
					t.Fatal(err)
				}
				c.Faults = append(c.Faults, fault)
			})
			got := ""
			switch v := r.Send(t.Context(), calls.Company("1")).(type) {
			case enrich.Refused:
				got = v.Code
				if v.Code == "limits.daily" && (v.Limit.Meter != "companies" || !v.Limit.Until.After(time.Now())) {
					t.Errorf("limit %+v", v.Limit)
				}
				if v.Code == "rate_limited" && (v.RetryAfter != 17*time.Second || v.Class != enrich.SlowDown) {
					t.Errorf("refused %+v", v)
				}
			default:
				got = strings.TrimPrefix(fmt.Sprintf("%T", v), "enrich.")
			}
			if got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
