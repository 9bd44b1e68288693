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
	"payonce/io/sandbox"
	"payonce/io/service/v2"
)

// rig is a client of the sandbox. It adds up what answers say that they used.
type rig struct {
	*testing.T
	*v2.Client
	start time.Time
	used  cost.Amounts
	done  map[v2.Operation]bool
}

func newRig(t *testing.T, change func(*sandbox.Config)) *rig {
	return &rig{T: t, Client: newClient(t, change), start: time.Now().Add(-time.Minute), done: map[v2.Operation]bool{}}
}

// newClient returns a client of a sandbox.
func newClient(t testing.TB, change func(*sandbox.Config)) *v2.Client {
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
			t.Errorf("the ledger of the sandbox: %v", err)
		}
		server.Close()
	})
	return client
}

// ask sends a call that has to be answered, and decodes its answer without a problem.
func ask[T any](r *rig, call v2.Call, read func(v2.Answer) (T, error)) T {
	r.Helper()
	answered, ok := r.Send(r.Context(), call).(enrich.Answered)
	if !ok {
		r.Fatalf("%s %s %s: not answered", call.Operation, call.Path(), call.Body)
	}
	for m, amount := range answered.Consumed {
		r.used[m] += amount
	}
	value, err := v2.Read(answered, read)
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
func nothing(v2.Answer) (struct{}, error) { return struct{}{}, nil }

// free notes a free operation that has to succeed.
func (r *rig) free(o v2.Operation, err error) {
	r.Helper()
	if err != nil {
		r.Errorf("%s: %v", o, err)
	}
	r.done[o] = true
}

// wholeCompany returns a company of which everything is known, with its figures.
func (r *rig) wholeCompany() (v2.Company, v2.Financials) {
	page := ask(r, v2.ProspectingCall(v2.CompanyFilters{NumberOfEmployees: v2.Range{GTE: "1"}}, v2.Paging{PerPage: 25}), v2.Answer.Companies)
	for _, item := range page.Items {
		company := ask(r, v2.CompanyCall(item.ID.Value), v2.Answer.Company)
		financials := ask(r, v2.FinancialsCall(item.ID.Value, 0), v2.Answer.Financials)
		insights := ask(r, v2.InsightsCall(item.ID.Value), v2.Answer.Insights)
		ownership := ask(r, v2.OwnershipCall(item.ID.Value), v2.Answer.Ownership)
		if company.ID != item.ID {
			r.Errorf("company %s is returned as %s", item.ID.Value, company.ID.Value)
		}
		if len(financials.Years) > 0 && insights.ID.Known && len(ownership.Shareholders) > 0 && company.VATNumber.Known {
			return company, financials
		}
	}
	r.Fatal("no company has everything")
	return v2.Company{}, v2.Financials{}
}

// TestEveryOperationWithTheSandbox runs each operation against the sandbox, which was written from
// the same specification separately. What answers say that they used is what the counters show.
func TestEveryOperationWithTheSandbox(t *testing.T) {
	r := newRig(t, nil)
	before, err := r.Usage(t.Context())
	r.free(v2.OpMetrics, err)
	company, financials := r.wholeCompany()
	r.checkFigures(financials)
	r.askForCompany(company)
	r.askForContacts(company)
	r.watch(company.ID.Value)

	after, err := r.Usage(t.Context())
	r.free(v2.OpMetrics, err)
	counts, err := r.ContactUsage(t.Context(), r.start, time.Now().Add(time.Minute))
	r.free(v2.OpContactMetrics, err)
	change := after.Since(before)
	change.Used[v2.MeterEmails], change.Used[v2.MeterPhones] = counts.Emails.Value, counts.Phones.Value
	if diff := cmp.Diff(r.used, change.Used); diff != "" || change.Known != cost.MetersOf(v2.Meters()...) {
		t.Errorf("used by meter (-answers +counters):\n%s", diff)
	}
	for _, o := range v2.Operations() {
		if !r.done[o] {
			t.Errorf("%s was not run", o)
		}
	}
	r.free(v2.OpWatchStop, r.WatchStop(t.Context(), company.ID.Value))
}

// checkFigures looks for figures of every kind, and for ones that the specification does not name.
func (r *rig) checkFigures(f v2.Financials) {
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
func (r *rig) askForCompany(c v2.Company) {
	name, number, country := c.Name.Value, c.RegistrationNumber.Value, c.CountryCode.Value
	state := map[bool]string{true: c.Region.Value}[country == "US"]
	for _, call := range []v2.Call{
		v2.CompanyByURLCall(c.Website.Value), v2.CompanyByProfileCall(c.ProNetwork.Value),
		v2.CompanyByNumberCall(v2.CompanyNumbers{CountryCode: country, RegistrationNumber: number, State: state}),
		v2.CompanyByNumberCall(v2.CompanyNumbers{CountryCode: country, VATNumber: c.VATNumber.Value, State: state}),
		v2.AutocompleteCall(v2.PartialCompany{CountryCode: country, Name: name, RegistrationNumber: number}),
	} {
		if found := ask(r, call, v2.Answer.Company); found.ID != c.ID {
			r.Errorf("%s found %q, want %q", call.Operation, found.ID.Value, c.ID.Value)
		}
	}
	isIt := func(item v2.CompanyItem) bool { return item.ID == c.ID }
	overview := ask(r, v2.OverviewCall(v2.CompanySearch{CountryCode: country, Name: name, RegistrationNumber: number}), v2.Answer.Companies)
	if !slices.ContainsFunc(overview.Items, isIt) || !overview.Total.Known || !overview.Pages.Known {
		r.Errorf("the overview has %+v", overview)
	}
	for _, call := range []v2.Call{
		v2.InsightsSearchCall(v2.NamedCompany{RegistrationNumber: number}), v2.OwnershipSearchCall(v2.NamedCompany{Name: name}),
	} {
		if page := ask(r, call, v2.Answer.Candidates); !slices.ContainsFunc(page.Items, isIt) {
			r.Errorf("%s found %+v", call.Operation, page.Items)
		}
	}
}

// askForContacts finds the employees of the company in every way.
func (r *rig) askForContacts(c v2.Company) {
	page := ask(r, v2.EmployeesCall(v2.EmployeeFilters{CompanyID: v2.ID(c.ID.Value)}, v2.Paging{}), v2.Answer.Employees)
	if len(page.Items) == 0 || page.Items[0].CompanyID != c.ID {
		r.Fatalf("employees %+v", page.Items)
	}
	var e v2.Employee
	for _, item := range page.Items {
		if e = ask(r, v2.EmployeeCall(item.ID.Value), v2.Answer.Employee); e.Email.Known && e.Email.Value != "" {
			break
		}
	}
	for _, call := range []v2.Call{
		v2.ContactByProfileCall(e.ProNetwork.Value, v2.Reveal{Email: true}), v2.ContactByEmailCall(e.Email.Value, true),
		v2.ContactCall(v2.PartialContact{FirstName: e.FirstName.Value, LastName: e.LastName.Value, Domain: c.Website.Value}, v2.Reveal{}),
	} {
		found := ask(r, call, v2.Answer.Employee)
		if found.ID != e.ID {
			r.Errorf("%s found %q, want %q", call.Operation, found.ID.Value, e.ID.Value)
		}
		if !call.Reveal.Phone && found.PhoneGiven || !call.Reveal.Email && found.EmailGiven {
			r.Errorf("%s revealed an email (%t) or a phone (%t)", call.Operation, found.EmailGiven, found.PhoneGiven)
		}
	}
	people := ask(r, v2.PeopleCall(v2.PeopleSearch{Domains: []string{strings.TrimPrefix(strings.TrimPrefix(c.Website.Value, "https://"), "www.")}}), v2.Answer.People)
	if len(people.Items) == 0 || !people.Items[0].Company.Name.Known {
		r.Errorf("people %+v", people.Items)
	}
}

// watch watches the company.
func (r *rig) watch(id string) {
	ctx := r.Context()
	ask(r, v2.WatchStartCall(id, []string{"name", "company_email"}), nothing)
	fields, err := r.AddWatchFields(ctx, id, []string{"vat_number"})
	r.free(v2.OpWatchFieldsAdd, err)
	if len(fields) != 3 {
		r.Errorf("after adding: %v", fields)
	}
	fields, err = r.RemoveWatchFields(ctx, id, []string{"name"})
	r.free(v2.OpWatchFieldsRemove, err)
	listed, err := r.WatchFields(ctx, id)
	r.free(v2.OpWatchFields, err)
	if !slices.Contains(fields, "vat_number") || len(fields) != 2 || !slices.Equal(fields, listed) {
		r.Errorf("after removing: %v, listed %v", fields, listed)
	}
	for _, names := range [][]string{{"company_email"}, {"vat_number", "name"}} {
		watched, err := r.Watched(ctx, v2.WatchedSince{Date: r.start, Fields: names, Paging: v2.Paging{Page: 1, PerPage: 5}})
		r.free(v2.OpWatched, err)
		if len(watched.Items) != 1 || watched.Items[0].ID.Value != id || watched.Text() != "" {
			r.Errorf("watched with %v: %+v", names, watched)
		}
	}
	events, err := r.WatchEvents(ctx, id, v2.EventsBetween{From: r.start, To: time.Now(), Fields: []string{"company_email", "vat_number"}})
	r.free(v2.OpWatchEvents, err)
	if len(events.Items) != 0 || events.Text() != "" {
		r.Errorf("events %+v", events)
	}
	const callback = "http://127.0.0.1:1/secret"
	r.free(v2.OpSetCallback, r.SetCallback(ctx, callback))
	got, err := r.Callback(ctx)
	r.free(v2.OpGetCallback, err)
	if got != cost.Known(callback) {
		r.Errorf("callback %+v", got)
	}
	// Stopped and started again, so that the last state uses a unit once.
	r.free(v2.OpWatchStop, r.WatchStop(ctx, id))
	ask(r, v2.WatchStartCall(id, nil), nothing)
	r.used[v2.MeterWatch]-- // the first one ended
}

// TestUnknownIdentifiersAreAnsweredEmptyAndUseNoUnits asks for what does not exist: an answer without values, which
// used nothing.
func TestUnknownIdentifiersAreAnsweredEmptyAndUseNoUnits(t *testing.T) {
	r := newRig(t, nil)
	before, err := r.Usage(t.Context())
	r.free(v2.OpMetrics, err)
	for _, call := range []v2.Call{
		v2.CompanyCall("no-such-id"), v2.EmployeeCall("no-such-id"), v2.FinancialsCall("no-such-id", 0), v2.InsightsCall("no-such-id"),
		v2.OwnershipCall("no-such-id"), v2.CompanyByURLCall("unknown-1.example"), v2.ContactByEmailCall("nobody@unknown-1.example", true),
		v2.WatchStartCall("no-such-id", nil),
	} {
		answered, ok := r.Send(t.Context(), call).(enrich.Answered)
		if !ok || answered.Status != enrich.NotFound || answered.Returned != 0 || slices.Max(answered.Consumed) != 0 {
			t.Errorf("%s: %+v, want nothing found", call.Operation, answered)
		}
	}
	after, err := r.Usage(t.Context())
	r.free(v2.OpMetrics, err)
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
			switch v := r.Send(t.Context(), v2.CompanyCall("1")).(type) {
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
