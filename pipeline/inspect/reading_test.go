package inspect

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// silentObserver watches nothing and agrees to everything.
type silentObserver struct{}

func (silentObserver) Note(string)            {}
func (silentObserver) Scanning() func()       { return func() {} }
func (silentObserver) Copying(_, _ int64)     {}
func (silentObserver) ReadingJournal() func() { return func() {} }
func (silentObserver) Writing() func()        { return func() {} }
func (silentObserver) Sending(pipeline.Sending) (func(pipeline.SentSoFar), func()) {
	return func(pipeline.SentSoFar) {}, func() {}
}
func (silentObserver) Show(*report.Plan) error                         { return nil }
func (silentObserver) CanAsk() bool                                    { return false }
func (silentObserver) Confirm(context.Context, pipeline.Question) bool { return false }

// nights is a workspace in which the job "night" ran on four days.
type nights struct {
	*pipeline.Work
	now     time.Time
	people  [][]string // the rows of all lists
	outputs []string
}

func runNights(t *testing.T) *nights {
	t.Helper()
	dir, rate := t.TempDir(), checkpoint.Rate{Slots: 1000, Window: time.Second}
	n := &nights{now: time.Date(2026, 11, 17, 2, 30, 0, 0, time.UTC)}
	n.Work = &pipeline.Work{
		Env: workspace.Environment{Now: func() time.Time { return n.now }, Program: "test", Version: "0"},
		Workspace: workspace.Options{
			Journal: workspace.Journal{State: dir, Name: "default", NewKey: workspace.Key{From: "NEW_KEY"}}, Sandbox: true,
			Services: []provider.Service{
				{Provider: providerv1.Provider{}, Timeout: time.Minute, Connections: 4, Rate: rate, Kept: rate}, {Provider: providerv2.Provider{}},
			},
		},
		Observer: silentObserver{}, Explain: error.Error,
	}
	for night := range 4 {
		list := "first_name,last_name,company_domain,email,phone\n"
		for i := range 8 + night {
			person := []string{fmt.Sprintf("Zoltan%c", 'a'+i), fmt.Sprintf("Quimby%c%c", 'a'+night, 'a'+i), fmt.Sprintf("firm%d.example", i%2)}
			n.people = append(n.people, person)
			list += strings.Join(person, ",") + ",,\n"
		}
		list += "Zoltana,,,,\n" // cannot be looked up
		path := filepath.Join(dir, fmt.Sprintf("list%d.csv", night))
		if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, fmt.Sprintf("out%d.csv", night))
		ended, err := n.Run(t.Context(), pipeline.RunOptions{
			List: pipeline.List{
				Names: []string{path}, Run: fmt.Sprint("night-", night), Prefer: enrich.ByProfile, Memory: 1 << 20,
				Fields: []string{"email", "phone"},
			},
			Budget: pipeline.Budget{Job: "night", MaxSpend: new(20 * cost.Dollar), Daily: new(15 * cost.Dollar), Monthly: new(90 * cost.Dollar)},
			Pace:   pipeline.Pace{Concurrency: 1}, Output: pipeline.Output{Path: out}, Yes: true,
		}, silentObserver{})
		if err != nil || ended.Stop != nil {
			t.Fatalf("%+v, %v", ended, err)
		}
		n.outputs = append(n.outputs, out)
		n.now = n.now.AddDate(0, 0, 1)
	}
	return n
}

// cells returns the cells of a column of all outputs.
func (n *nights) cells(t *testing.T, column string) (cells []string) {
	t.Helper()
	for _, path := range n.outputs {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(file).ReadAll()
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		at := -1
		for i, name := range rows[0] {
			if name == column {
				at = i
			}
		}
		if at < 0 {
			t.Fatalf("%s has no column %s: %q", path, column, rows[0])
		}
		for _, row := range rows[1:] {
			if row[at] != "" {
				cells = append(cells, row[at])
			}
		}
	}
	return cells
}

// The report, the ledger and the columns of the outputs are one amount and one number of values.
func TestTheReportEqualsTheLedgerAndTheOutputs(t *testing.T) {
	t.Parallel()
	n := runNights(t)
	view, err := ReadReport(t.Context(), n.Work, ReportOptions{Scope: report.ReportScope{Job: "night"}})
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := Ledger(t.Context(), n.Work, Period{}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if view.Spent != ledger.Charged || view.Calls != ledger.Attempts || view.Spent == 0 {
		t.Errorf("%d calls for %s, in the ledger %d for %s", view.Calls, view.Spent, ledger.Attempts, ledger.Charged)
	}
	free := map[string]int64{}
	for _, p := range view.Prices {
		if p.Of == "free" {
			free[p.Field] += p.Count
		}
	}
	for field, units := range ledger.FreeUsed.Map() {
		if free[field] != units {
			t.Errorf("free units of %s: %d, in the ledger %d", field, free[field], units)
		}
	}
	var charged cost.Money
	for _, cell := range n.cells(t, "enrich_charge_usd") {
		amount, err := cost.ParseMoney(cell)
		if err != nil {
			t.Fatal(err)
		}
		charged += amount
	}
	emails, phones := n.cells(t, "email"), n.cells(t, "phone")
	if charged != view.Spent || int64(len(emails)+len(phones)) != view.Found || len(emails) == 0 || len(phones) == 0 {
		t.Errorf("%s for %d values, in the outputs %s for %d emails and %d phones", view.Spent, view.Found, charged, len(emails), len(phones))
	}
	// The free allowance paid for the first night.
	if len(view.Days) != 4 || len(view.Runs) != 4 || view.Forecast == nil || view.Forecast.Days != 3 || view.Forecast.Expected == nil {
		t.Errorf("%+v, %+v", view.Days, view.Forecast)
	}
	if rows := view.Stages[0].Count; rows != int64(len(n.people)+4) || view.Stages[2].Count != rows-4 {
		t.Errorf("%+v", view.Stages)
	}
	var named int64
	for _, p := range view.Companies {
		if strings.HasPrefix(p.Name, "firm") {
			named += p.Rate.Of
		}
	}
	if named != view.Answered {
		t.Errorf("%d of %d answers are of a company: %+v", named, view.Answered, view.Companies)
	}
}

// rendered returns a report in all forms.
func rendered(t *testing.T, view *report.RunReport) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for name, render := range map[string]func(*bytes.Buffer) error{
		"text":     func(to *bytes.Buffer) error { return report.WriteText(to, view, nil) },
		"Markdown": func(to *bytes.Buffer) error { return report.WriteMarkdown(to, view, nil) },
		"HTML":     func(to *bytes.Buffer) error { return report.WriteHTML(to, view, nil) },
		"JSON":     func(to *bytes.Buffer) error { return report.WriteJSON(to, view) },
	} {
		var page bytes.Buffer
		if err := render(&page); err != nil {
			t.Fatal(err)
		}
		pages[name] = page.String()
	}
	return pages
}

// No name, email or phone number of anybody is in a report. Hosts are.
func TestAReportHoldsNoPersonalData(t *testing.T) {
	t.Parallel()
	n := runNights(t)
	view, err := ReadReport(t.Context(), n.Work, ReportOptions{Scope: report.ReportScope{Month: "2026-11"}})
	if err != nil {
		t.Fatal(err)
	}
	private := append(n.cells(t, "email"), n.cells(t, "phone")...)
	for _, person := range n.people {
		private = append(private, person[0], person[1])
	}
	for form, page := range rendered(t, view) {
		for _, text := range private {
			if strings.Contains(strings.ToLower(page), strings.ToLower(text)) {
				t.Errorf("%s holds %q", form, text)
			}
		}
		if strings.Contains(page, "@") && form != "HTML" {
			t.Errorf("%s holds an @", form)
		}
		if !strings.Contains(page, "firm0.example") {
			t.Errorf("%s does not name the company", form)
		}
	}
}

// address matches what styles load.
var address = regexp.MustCompile(`url\(|@import|https?:|//`)

// Nothing in the page loads anything: no script, no address, no event.
func TestTheReportPageLoadsNoScriptOrAddress(t *testing.T) {
	t.Parallel()
	n := runNights(t)
	view, err := ReadReport(t.Context(), n.Work, ReportOptions{Scope: report.ReportScope{Run: "night-3"}})
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(rendered(t, view)["HTML"]))
	if err != nil {
		t.Fatal(err)
	}
	plots, ids := 0, map[string]bool{}
	for node := range root.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		switch node.Data {
		case "script", "link", "img", "iframe", "object", "embed", "base", "form":
			t.Errorf("the page has an element %s", node.Data)
		case "svg":
			plots++
		case "style":
			if found := address.FindString(node.FirstChild.Data); found != "" {
				t.Errorf("the style has %q", found)
			}
		}
		for _, a := range node.Attr {
			if u, err := url.Parse(a.Val); strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "href" || err == nil && u.Host != "" {
				t.Errorf("%s has %s=%q", node.Data, a.Key, a.Val)
			}
			if a.Key == "id" && ids[a.Val] {
				t.Errorf("the id %s is used twice", a.Val)
			}
			ids[a.Val] = ids[a.Val] || a.Key == "id"
		}
	}
	if plots < 4 {
		t.Errorf("%d plots", plots)
	}
}

func TestAReportOnAnUnknownRunOrJobIsRefused(t *testing.T) {
	t.Parallel()
	n := runNights(t)
	// night-0 is a run of another job, not a job by itself.
	for _, scope := range []report.ReportScope{{Run: "none"}, {Job: "none"}, {Job: "night-0"}} {
		var coded *problem.Error
		if _, err := ReadReport(t.Context(), n.Work, ReportOptions{Scope: scope}); !errors.As(err, &coded) {
			t.Errorf("%+v: %v", scope, err)
		}
	}
	view, err := ReadReport(t.Context(), n.Work, ReportOptions{Scope: report.ReportScope{Month: "2026-10"}})
	if err != nil || view.Calls != 0 || view.Forecast != nil {
		t.Errorf("%+v, %v", view, err)
	}
}
