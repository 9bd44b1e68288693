package inspect

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	sandboxunits "payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// served returns a workspace whose interfaces a sandbox on loopback serves.
func served(t *testing.T) (*pipeline.Work, *workspace.Embedded) {
	t.Helper()
	return servedBy(t, sandbox.DefaultConfig())
}

// servedBy is served with a service that may count otherwise.
func servedBy(t *testing.T, config sandbox.Config) (*pipeline.Work, *workspace.Embedded) {
	t.Helper()
	config.V2.Window = sandbox.Window{Limit: 1000, Per: time.Second}
	service, err := workspace.ServeSandbox(config, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	rate := checkpoint.Rate{Slots: 1000, Window: time.Second}
	return &pipeline.Work{
		Env: workspace.Environment{Now: time.Now, Program: "test", Version: "0"},
		Workspace: workspace.Options{
			Journal: workspace.Journal{State: t.TempDir(), Name: "default"},
			Services: []provider.Service{
				{Provider: providerv1.Provider{}, BaseURL: service.BaseURL("v1"), Key: sandbox.DefaultKey, Timeout: time.Minute, Rate: rate, Kept: rate},
				{Provider: providerv2.Provider{}, BaseURL: service.BaseURL("v2"), Key: sandboxv2.DefaultKey, Timeout: time.Minute, Kept: rate},
			},
		},
		Observer: silent{}, Explain: error.Error,
	}, service
}

// openSecond returns a client of v2.
func openSecond(s *workspace.Session) (*v2.Client, error) {
	of, p, _ := provider.Of[providerv2.Provider](s.Options.Services)
	at, err := s.Endpoint(of)
	if err != nil {
		return nil, err
	}
	return v2.NewClient(p.Config(at))
}

// registerSecond registers the account of v2, whose key was accepted.
func registerSecond(s *workspace.Session) (*checkpoint.Journal, error) {
	of, _, _ := provider.Of[providerv2.Provider](s.Options.Services)
	return s.Register(of, func() error { return nil })
}

// buyCompanies buys companies by their identifiers through the journal, as the account of v2.
func buyCompanies(t *testing.T, w *pipeline.Work, ids ...string) {
	t.Helper()
	s := &workspace.Session{Options: w.Workspace, Env: w.Env}
	defer s.Close()
	if err := s.OpenJournal(t.Context(), "run"); err != nil {
		t.Fatal(err)
	}
	client, err := openSecond(s)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	journal, err := registerSecond(s)
	if err != nil {
		t.Fatal(err)
	}
	base, err := client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := journal.Rebase(base); err != nil {
		t.Fatal(err)
	}
	fields := enrich.FieldsOf(v2.FieldCompany)
	for _, id := range ids {
		lookup := enrich.Lookup{Identity: enrich.Identity{Company: enrich.Company{ID: id}}, Fields: fields}
		decision, err := journal.Begin(attempt.Request{
			Lookup: lookup, Run: "companies", Rates: v2.Modules{}.Tariff().At(cost.Prices{v2.FieldCompany: 0}),
		})
		granted, ok := decision.(attempt.Granted)
		if err != nil || !ok {
			t.Fatalf("%+v, %v", decision, err)
		}
		ticket, err := granted.Ticket()
		if err != nil {
			t.Fatal(err)
		}
		verdict := v2.Finder{Client: client}.Find(t.Context(), lookup)
		answered, ok := verdict.(enrich.Answered)
		if !ok {
			t.Fatalf("%s: %+v", id, verdict)
		}
		if _, err := journal.Settle(ticket.ID, answered); err != nil {
			t.Fatal(err)
		}
	}
}

// module returns the counter of a meter as it is shown.
func module(t *testing.T, account *report.Account, meter string) report.Module {
	t.Helper()
	for _, m := range account.Second.Modules {
		if m.Meter == meter {
			return m
		}
	}
	t.Fatalf("%s is not shown", meter)
	return report.Module{}
}

// What the account of v2 shows is what the journal used and what others used.
func TestTheAccountShowsBothInterfacesAndWhoUsedWhat(t *testing.T) {
	t.Parallel()
	w, service := served(t)
	account, err := Account(t.Context(), w, report.TimeSpan{})
	if err != nil || account.Available == nil || account.Second == nil || account.Second.BaseAt != nil {
		t.Fatalf("%+v, %v", account, err)
	}
	if m := module(t, account, "companies"); *m.Used != 0 || *m.Left != sandboxv2.DefaultTotal || m.Journal != nil {
		t.Errorf("before the first run: %+v", m)
	}
	buyCompanies(t, w, "1", "2", "3")
	if err := service.Service.Second().Units().UseElsewhere(sandboxunits.UnitCharge{Module: sandboxunits.Companies, Units: 2}); err != nil {
		t.Fatal(err)
	}
	if account, err = Account(t.Context(), w, report.TimeSpan{}); err != nil {
		t.Fatal(err)
	}
	m := module(t, account, "companies")
	if *m.Used != 5 || *m.Journal != 3 || *m.Others != 2 || *m.Left != sandboxv2.DefaultTotal-5 {
		t.Errorf("3 by the journal and 2 by others: used %d, journal %d, others %d, left %d", *m.Used, *m.Journal, *m.Others, *m.Left)
	}
	if m := module(t, account, "contacts"); *m.Used != 0 || *m.Journal != 0 || *m.Others != 0 {
		t.Errorf("contacts: %+v", m)
	}
}

// TestTheAccountShowsUnitsThatAnotherModuleCounted: they are not what others used.
func TestTheAccountShowsUnitsThatAnotherModuleCounted(t *testing.T) {
	t.Parallel()
	config := sandbox.DefaultConfig()
	config.V2.Modules = map[string]sandboxunits.Module{"GET /companies/{id}": sandboxunits.Ownership}
	w, _ := servedBy(t, config)
	buyCompanies(t, w, "1", "2")
	account, err := Account(t.Context(), w, report.TimeSpan{})
	if err != nil {
		t.Fatal(err)
	}
	if m := module(t, account, "ownership"); *m.Used != 2 || *m.Others != 0 {
		t.Errorf("ownership: used %d, by others %d", *m.Used, *m.Others)
	}
	if !strings.HasPrefix(account.Second.Misplaced, "units that were booked as 2 of companies were counted on ownership: ") {
		t.Errorf("the account says %q", account.Second.Misplaced)
	}
	shown := false
	account.Second.Lines(func(_, text string) { shown = shown || text == account.Second.Misplaced })
	if !shown {
		t.Error("it is not in the text")
	}
}

// A workspace may have one interface alone.
func TestAnAccountOfOneInterfaceAloneIsShown(t *testing.T) {
	t.Parallel()
	w, _ := served(t)
	both := slices.Clone(w.Workspace.Services)
	w.Workspace.Services[0].BaseURL = ""
	if account, err := Account(t.Context(), w, report.TimeSpan{}); err != nil || account.Second == nil || account.KeyValid != nil {
		t.Errorf("v2 alone: %+v, %v", account, err)
	}
	w.Workspace.Services = slices.Clone(both)
	w.Workspace.Services[1].BaseURL = ""
	if account, err := Account(t.Context(), w, report.TimeSpan{}); err != nil || account.Second != nil || account.KeyValid == nil {
		t.Errorf("v1 alone: %+v, %v", account, err)
	}
	w.Workspace.Services = slices.Clone(both)
	w.Workspace.Services[1].Key = "wrong"
	if _, err := Account(t.Context(), w, report.TimeSpan{}); !problem.IsRefused(err) {
		t.Errorf("a wrong key of v2: %v", err)
	}
}

// A ceiling on units counts the units of the account of v2, and not those of v1 with the same number.
func TestACeilingOnUnitsShowsTheUnitsOfItsModule(t *testing.T) {
	t.Parallel()
	w, _ := served(t)
	buyCompanies(t, w, "1", "2", "3")
	s := &workspace.Session{Options: w.Workspace, Env: w.Env}
	defer s.Close()
	if err := s.Read(t.Context(), "budget"); err != nil {
		t.Fatal(err)
	}
	budget := pipeline.Budget{Units: map[string]int64{"companies": 5}}
	ceilings := budget.UnitCeilings("companies", "companies", v2.Modules{}.Tariff())
	if len(ceilings) != 1 {
		t.Fatalf("%+v", ceilings)
	}
	shown, err := viewUsed(s, budgetCeiling{ceilings[0], true, unitAccounts(s)[0].number}, time.Now())
	if err != nil || shown.Measure != "companies" || *shown.SettledUnits != 3 || *shown.Left != "2" || *shown.Limit != "5" {
		t.Errorf("%+v, %v", shown, err)
	}
}

// A run shows what its account of v2 found and used, and what is left of the limits that it had. It shows no account
// that it did not ask.
func TestARunShowsWhatEachAccountFoundAndUsed(t *testing.T) {
	t.Parallel()
	w, _ := served(t)
	buyCompanies(t, w, "1", "2", "3")
	s := &workspace.Session{Options: w.Workspace, Env: w.Env}
	defer s.Close()
	if err := s.Read(t.Context(), "show"); err != nil {
		t.Fatal(err)
	}
	limits := pipeline.Budget{Units: map[string]int64{"companies": 5}}
	number := unitAccounts(s)[0].number
	run := checkpoint.Run{Name: "companies", Accounts: []checkpoint.AskedAccount{{
		Account: number, Ceilings: limits.UnitCeilings("companies", "companies", v2.Modules{}.Tariff()),
	}}, ModuleDrifts: []checkpoint.ModuleDrift{{Account: number, Module: "companies", Units: 2}}}
	view, err := viewRun(usageOf(s), run, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	want := report.AccountsUsage{{
		Number: int(number), Interface: "v2", Lookups: 3,
		Found: report.Values[report.FieldFound]{{Name: "company", Value: report.FieldFound{Asked: 3, Found: 3, Words: "companies", Word: "company"}}},
		Units: []report.UsedUnits{{Meter: "companies", Used: 3, Limits: []report.UnitLimit{{Name: "max-units", Limit: 5, Left: 2}}}},
		Drift: &report.Drift{Free: report.Values[int64]{}, Units: map[string]int64{"companies": 2}},
	}}
	if diff := cmp.Diff(want, view.Accounts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	shown := budgetCeilings([]checkpoint.Run{run}, pipeline.Budget{}, unitAccounts(s))
	if len(shown) == 0 || shown[0].Name != "max-units companies" || shown[0].account != number || !shown[0].limited {
		t.Errorf("the budget does not show the limit on units that the run had: %+v", shown)
	}
}

// TestTheAccountAndTheStatusShowReachedLimits reaches the daily limit of a module in a run.
func TestTheAccountAndTheStatusShowReachedLimits(t *testing.T) {
	t.Parallel()
	w, service := served(t)
	limit := int64(1)
	if err := service.Service.Second().Units().SetDaily(sandboxunits.Companies, &limit); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "list.csv")
	if err := os.WriteFile(list, []byte("company_id\n101\n102\n103\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, err := w.Run(t.Context(), pipeline.RunOptions{
		List:   pipeline.List{Names: []string{list}, Fields: []string{"company"}, Prefer: enrich.ByProfile, Memory: 1 << 20},
		Budget: pipeline.Budget{Units: map[string]int64{"companies": 99}}, Pace: pipeline.Pace{Concurrency: 1},
		Output: pipeline.Output{Path: list + ".out.csv"}, Yes: true,
	}, agreeing{})
	if err != nil || ended.Stop == nil {
		t.Fatalf("%+v, %v", ended, err)
	}
	account, err := Account(t.Context(), w, report.TimeSpan{})
	if err != nil {
		t.Fatal(err)
	}
	status, err := Status(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	for what, limits := range map[string][]report.ReachedLimit{"the account": account.Second.Limits, "the status": status.Limits} {
		if len(limits) != 1 || limits[0].Module != "companies" || limits[0].Code != "limits.daily" || limits[0].Until == nil {
			t.Errorf("%s shows the limits %v", what, limits)
			continue
		}
		want := "companies is limited (limits.daily) until " + limits[0].Until.Format(time.DateOnly) + " 00:00 UTC"
		if got := limits[0].String(); got != want {
			t.Errorf("%s says %q, want %q", what, got, want)
		}
	}
}

// agreeing lets a run spend.
type agreeing struct{}

func (agreeing) Show(*report.Plan) error                         { return nil }
func (agreeing) CanAsk() bool                                    { return true }
func (agreeing) Confirm(context.Context, pipeline.Question) bool { return true }

// TestEmailsAndPhonesAreCountedInAnyTime buys contacts, and counts them in a time around it and in a month before it.
func TestEmailsAndPhonesAreCountedInAnyTime(t *testing.T) {
	w, _ := served(t)
	s := &workspace.Session{Options: w.Workspace, Env: w.Env}
	defer s.Close()
	client, err := openSecond(s)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	page, verdict := client.Employees(t.Context(), v2.EmployeeFilters{CompanyID: "4"}, v2.Paging{PerPage: 3})
	if len(page.Items) == 0 {
		t.Fatalf("%+v", verdict)
	}
	var bought cost.Amounts
	for _, e := range page.Items {
		if _, verdict := client.Employee(t.Context(), e.ID.Value); verdict != nil {
			for m, used := range verdict.(enrich.Answered).Consumed {
				bought[m] += used
			}
		}
	}
	now := w.Env.Now()
	for name, test := range map[string]struct {
		span           report.TimeSpan
		emails, phones int64
		until          bool
	}{
		"the month":      {report.TimeSpan{}, bought[v2.MeterEmails], bought[v2.MeterPhones], false},
		"an hour before": {report.TimeSpan{From: now.Add(-time.Hour), To: now.Add(time.Hour)}, bought[v2.MeterEmails], bought[v2.MeterPhones], true},
		"until an hour":  {report.TimeSpan{From: now.Add(-48 * time.Hour), To: now.Add(-time.Hour)}, 0, 0, true},
	} {
		account, err := Account(t.Context(), w, test.span)
		if err != nil {
			t.Fatal(err)
		}
		v := account.Second
		if *v.Emails != test.emails || *v.Phones != test.phones || (v.Until != nil) != test.until || test.until && (!v.Until.Equal(test.span.To) || !v.Since.Equal(test.span.From.Truncate(time.Second))) {
			t.Errorf("%s: %d emails and %d phones from %s to %v; bought were %v", name, *v.Emails, *v.Phones, v.Since, v.Until, bought)
		}
	}
	if bought[v2.MeterEmails]+bought[v2.MeterPhones] == 0 {
		t.Error("nothing was bought")
	}
}
