package jobs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline"
	reports "payonce/pipeline/inspect"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// silent watches nothing and agrees to everything.
type silent struct{}

func (silent) Note(string)            {}
func (silent) Scanning() func()       { return func() {} }
func (silent) Copying(_, _ int64)     {}
func (silent) ReadingJournal() func() { return func() {} }
func (silent) Writing() func()        { return func() {} }
func (silent) Sending(pipeline.Sending) (func(pipeline.SentSoFar), func()) {
	return func(pipeline.SentSoFar) {}, func() {}
}
func (silent) Show(*report.Plan) error                         { return nil }
func (silent) CanAsk() bool                                    { return false }
func (silent) Confirm(context.Context, pipeline.Question) bool { return false }

// nights is a workspace in which the job "night" runs.
type nights struct {
	*pipeline.Work
	t   *testing.T
	dir string
	now time.Time
}

func newNights(t *testing.T) *nights {
	rate := checkpoint.Rate{Slots: 1000, Window: time.Second}
	n := &nights{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 28, 2, 30, 0, 0, time.UTC)}
	n.Work = &pipeline.Work{
		Env: workspace.Environment{Now: func() time.Time { return n.now }, Program: "test", Version: "0"},
		Workspace: workspace.Options{
			Journal: workspace.Journal{State: n.dir, Name: "default", NewKey: workspace.Key{From: "NEW_KEY"}}, Sandbox: true,
			Services: []provider.Service{
				{Provider: providerv1.Provider{}, Timeout: time.Minute, Connections: 4, Rate: rate, Kept: rate},
				{Provider: providerv2.Provider{}, Rate: rate},
			},
		},
		Observer: silent{}, Explain: error.Error,
	}
	return n
}

// run runs a job over a list.
func (n *nights) run(job, run, list string, fields ...string) {
	n.t.Helper()
	path := filepath.Join(n.dir, run+".csv")
	if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
		n.t.Fatal(err)
	}
	ended, err := n.Run(n.t.Context(), pipeline.RunOptions{
		List: pipeline.List{Names: []string{path}, Run: run, Prefer: enrich.ByProfile, Memory: 1 << 20, Fields: fields},
		Budget: pipeline.Budget{
			Job: job, MaxSpend: new(20 * cost.Dollar), Daily: new(15 * cost.Dollar), Monthly: new(90 * cost.Dollar),
			DailyUnits: map[string]int64{"companies": 50},
		},
		Pace: pipeline.Pace{Concurrency: 1}, Output: pipeline.Output{Path: filepath.Join(n.dir, run+"-out.csv")}, Yes: true,
	}, silent{})
	if err != nil || ended.Stop != nil {
		n.t.Fatalf("%+v, %v", ended, err)
	}
}

// persons runs a job over a list of a number of persons, and time passes until the next night.
func (n *nights) persons(job string, night, count int) {
	list := "first_name,last_name,company_domain,email,phone\n"
	for i := range count {
		list += fmt.Sprintf("Zoltan%c,Quimby%s%d,firm%d.example,,\n", 'a'+i, job, night, i%2)
	}
	n.run(job, fmt.Sprintf("%s-%d", job, night), list, "email", "phone")
	n.now = n.now.AddDate(0, 0, 1)
}

// A run that stopped at its daily ceiling has waited for it when it starts the next day.
func TestAJobHasWaitedForItsCeilingBetweenTwoStarts(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	path := filepath.Join(n.dir, "list.csv")
	list := "first_name,last_name,company_domain,email\nZoltan,Quimby,firm1.example,\nJane,Quimby,firm1.example,\n"
	if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	var ended *pipeline.RunEnded
	for start := range 2 {
		var err error
		n.now = n.now.Add(time.Duration(start) * 20 * time.Hour)
		ended, err = n.Run(t.Context(), pipeline.RunOptions{
			List:   pipeline.List{Names: []string{path}, Run: "capped", Prefer: enrich.ByProfile, Memory: 1 << 20, Fields: []string{"email"}},
			Budget: pipeline.Budget{Job: "capped", MaxSpend: new(20 * cost.Dollar), Daily: new(20 * cost.Cent), Strict: true},
			Pace:   pipeline.Pace{Concurrency: 1}, Output: pipeline.Output{Path: filepath.Join(n.dir, "out.csv")}, Yes: true,
		}, silent{})
		if err != nil {
			t.Fatal(err)
		}
		if start == 0 && ended.Stop == nil {
			t.Fatal("the first start did not reach the ceiling")
		}
	}
	const day = "ceiling:daily"
	for _, reason := range []string{"retry", "approval"} {
		if seconds, has := n.read("capped").Waited[reason]; !has || seconds != 0 {
			t.Errorf("waited %g s for %s, want a counter that is zero", seconds, reason)
		}
	}
	if got := n.read("capped").Waited[day]; got < 20*3600-60 || got > 20*3600 {
		t.Errorf("waited %g s for the ceiling, want 20 hours; the second start ended with %v", got, ended.Stop)
	}
	view, err := reports.ReadReport(t.Context(), n.Work, reports.ReportOptions{Scope: report.ReportScope{Run: "capped"}})
	if err != nil || len(view.Waits) == 0 || view.Waits[0].For != day {
		t.Errorf("the report has the waits %+v, error %v", view.Waits, err)
	}
}

// slow agrees to everything, three hours after it was asked.
type slow struct {
	silent
	*nights
}

func (slow) CanAsk() bool { return true }
func (s slow) Confirm(context.Context, pipeline.Question) bool {
	s.now = s.now.Add(3 * time.Hour)
	return true
}
func (slow) Note(string) {}

// Somebody is asked an hour before the end of a month, and answers two hours after it.
func TestAWaitForAnApprovalCountsInTheMonthsInWhichItWasWaited(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	n.now = time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	path := filepath.Join(n.dir, "list.csv")
	if err := os.WriteFile(path, []byte("first_name,last_name,company_domain,email\nZoltan,Quimby,firm1.example,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Run(t.Context(), pipeline.RunOptions{
		List:   pipeline.List{Names: []string{path}, Run: "asked", Prefer: enrich.ByProfile, Memory: 1 << 20, Fields: []string{"email"}},
		Budget: pipeline.Budget{Job: "asked", MaxSpend: new(20 * cost.Dollar), Strict: true},
		Pace:   pipeline.Pace{Concurrency: 1}, Output: pipeline.Output{Path: filepath.Join(n.dir, "out.csv")},
	}, slow{nights: n}); err != nil {
		t.Fatal(err)
	}
	if got := n.read("asked").Waited["approval"]; got != 3*3600 {
		t.Errorf("the metrics say %g s, want three hours", got)
	}
	for scope, want := range map[report.ReportScope]float64{
		{Month: "2026-10"}: 0, {Month: "2026-11"}: 3600, {Month: "2026-12"}: 2 * 3600, {Job: "asked"}: 3 * 3600, {Run: "asked"}: 3 * 3600,
		{Job: "asked", Month: "2026-11"}: 3600,
	} {
		view, err := reports.ReadReport(t.Context(), n.Work, reports.ReportOptions{Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		seconds := 0.0
		for _, waited := range view.Waits {
			if waited.For == "approval" {
				seconds = waited.Seconds
			}
		}
		if seconds != want {
			t.Errorf("%+v: the run waited %g s, want %g", scope, seconds, want)
		}
	}
}

// read reads the metrics of a job.
func (n *nights) read(name string) JobMetrics {
	n.t.Helper()
	m, err := readMetrics(n.t.Context(), &Job{Name: name, Run: RunLine{
		Workspace: func() (workspace.Options, workspace.Environment, error) { return n.Workspace, n.Env, nil },
	}})
	if err != nil {
		n.t.Fatal(err)
	}
	return m
}

// totals returns the counters of a job by their names and labels.
func (n *nights) totals(m JobMetrics) map[string]float64 {
	n.t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(newCollector(m))
	families, err := registry.Gather()
	if err != nil {
		n.t.Fatal(err)
	}
	totals := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetType() == dto.MetricType_COUNTER {
				totals[family.GetName()+fmt.Sprint(metric.GetLabel())] = metric.GetCounter().GetValue()
			}
		}
	}
	return totals
}

// The last nights are in another month than the first ones, and another job runs meanwhile.
func TestTheTotalsOfAJobAreThoseOfItsReport(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	last, before := JobMetrics{}, map[string]float64{}
	for night := range 5 {
		n.persons("other", night, 2)
		if night == 3 {
			n.run("night", "companies", "website\nember-logistics-2.example\nbirch-software-2.example\nkestrel-logistics-2.example\n", "company")
		}
		n.persons("night", night, 5+night)
		last = n.read("night")
		totals := n.totals(last)
		for name, value := range before {
			if totals[name] < value {
				t.Errorf("night %d: %s fell from %g to %g", night, name, value, totals[name])
			}
		}
		if night > 0 && cmp.Equal(before, totals) {
			t.Errorf("night %d: nothing was counted", night)
		}
		before = totals
	}
	view, err := reports.ReadReport(t.Context(), n.Work, reports.ReportOptions{Scope: report.ReportScope{Job: "night"}})
	if err != nil {
		t.Fatal(err)
	}
	var answered, found, notCharged int64
	var spent cost.Money
	fields := map[string]int64{}
	for _, account := range last.Accounts {
		answered, notCharged = answered+account.Totals.Lookups, notCharged+account.Totals.Uncharged
		spent += account.Totals.Settled.Money()
		for f := range account.Catalogue.All().Each() {
			fields[account.Name[:2]+" "+account.Catalogue.Name(f)] += account.Totals.Returned[f]
			found += account.Totals.Returned[f]
		}
	}
	if answered != view.Answered || found != view.Found || spent != view.Spent || found == 0 || spent == 0 {
		t.Errorf("%d answers, %d values for %s; the report has %d, %d, %s", answered, found, spent, view.Answered, view.Found, view.Spent)
	}
	if answered+notCharged != view.Calls {
		t.Errorf("%d calls, the report has %d", answered+notCharged, view.Calls)
	}
	for _, field := range view.Fields {
		if name := field.Interface + " " + field.Field; fields[name] != field.Rate.Found || field.Rate.Found == 0 {
			t.Errorf("%s was found %d times, the report has %d", name, fields[name], field.Rate.Found)
		}
	}
	if len(last.Accounts) != 2 || last.Accounts[0].Name != "v1-0" || last.Accounts[1].Name != "v2-1" {
		t.Errorf("the accounts are %+v", last.Accounts)
	}
}

func TestCeilingMetricsAreThoseOfTheLastRunOnTheCurrentDay(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	n.run("night", "companies", "website\nember-logistics-2.example\nbirch-software-2.example\nkestrel-logistics-2.example\n", "company")
	units := func() (found CeilingMetrics) {
		for _, c := range n.read("night").Ceilings {
			if c.Name == "daily-units" {
				found = c
			}
		}
		return found
	}
	want := CeilingMetrics{Name: "daily-units", Account: "v2-1", Meter: "companies", Limit: 50, Left: 47}
	if diff := cmp.Diff(want, units()); diff != "" {
		t.Error(diff)
	}
	n.now, want.Left = n.now.AddDate(0, 0, 1), 50
	if diff := cmp.Diff(want, units()); diff != "" {
		t.Errorf("on the next day: %s", diff)
	}
	n.now = n.now.Add(time.Minute)
	n.persons("night", 0, 30)
	left := map[string]cost.Money{}
	for _, c := range n.read("night").Ceilings {
		left[c.Name] = cost.Money(c.Left)
	}
	if left["daily"] != 15*cost.Dollar || left["max-spend"] >= 20*cost.Dollar || left["monthly"] >= 90*cost.Dollar || left["max-spend"] == 0 {
		t.Errorf("on the next day the daily ceiling is whole and the others are not: %v", left)
	}
}

func TestAJobWithoutAJournalHasMetrics(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	if m := n.read("night"); len(m.Accounts) != 0 || len(m.History) != 0 || m.Job.Name != "night" || !m.Read.Equal(n.now) {
		t.Errorf("%+v", m)
	}
}
