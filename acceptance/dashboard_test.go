package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
)

// dashboardJobs are jobs of both interfaces. The job small reaches its daily ceiling and waits; broken fails.
const dashboardJobs = `
defaults:
  sandbox: true
  time-zone: UTC
  metrics: '{job}.prom'
  rate: 1000/1s
  rate-v2: 1000/1s
jobs:
  nightly: {list: demo.csv, output: 'demo-{date}-{time}.csv', fields: [email, phone], max-spend: 40, daily: 60, monthly: 300, max-lookups: 1000}
  firms: {list: companies.csv, output: 'firms-{date}-{time}.csv', fields: company, max-units: companies=300, max-spend: 1}
  small: {list: small.csv, output: small-out.csv, fields: [email, phone], max-spend: 40, daily: 0.30}
  broken: {list: missing.csv, output: broken.csv, max-spend: 1}
`

// sampled are series with their samples. A scrape is repeated every minute until the next one.
type sampled struct {
	labels  map[string]labels.Labels // by their text
	samples map[string][]promql.FPoint
	end     time.Time
	metrics map[string]bool
}

// scrape adds the metrics of files as a Prometheus reads them for a time.
func (s *sampled) scrape(t *testing.T, w *workplace, during time.Duration, files ...string) {
	t.Helper()
	last := s.end.Add(during)
	for _, name := range files {
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(bytes.NewReader(w.read(name)))
		if err != nil {
			t.Fatal(err)
		}
		for name, family := range families {
			s.metrics[name] = true
			for _, metric := range family.GetMetric() {
				pairs := []string{model.MetricNameLabel, name, "job", "node", "instance", "host:9100"}
				for _, label := range metric.GetLabel() {
					pairs = append(pairs, label.GetName(), label.GetValue())
				}
				of := labels.FromStrings(pairs...)
				key := of.String()
				s.labels[key] = of
				value := metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
				for at := s.end.Add(time.Minute); !at.After(last); at = at.Add(time.Minute) {
					s.samples[key] = append(s.samples[key], promql.FPoint{T: at.UnixMilli(), F: value})
				}
			}
		}
	}
	s.end = last
}

// seriesSet goes through series.
type seriesSet struct {
	all []storage.Series
	at  int
}

func (s *seriesSet) Next() bool                        { s.at++; return s.at <= len(s.all) }
func (s *seriesSet) At() storage.Series                { return s.all[s.at-1] }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// queryable returns the series as a storage.
func (s *sampled) queryable() storage.Queryable {
	return &storage.MockQueryable{MockQuerier: &storage.MockQuerier{
		SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
			set := &seriesSet{}
			for _, key := range slices.Sorted(maps.Keys(s.labels)) {
				of := s.labels[key]
				if slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(of.Get(m.Name)) }) {
					continue
				}
				set.all = append(set.all, promql.NewStorageSeries(promql.Series{Metric: of, Floats: s.samples[key]}))
			}
			return set
		},
	}}
}

// query is a query of the dashboard.
type query struct{ panel, expr, legend string }

// dashboard returns the queries of the dashboard, with its variables as Grafana replaces them for all jobs.
func dashboard(t *testing.T) (queries []query) {
	t.Helper()
	text, err := os.ReadFile("../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	variables := strings.NewReplacer("$job_name", "nightly|firms|small|broken", "$__range", "2h")
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			queries = append(queries, query{panel.Title, variables.Replace(target.Expr), target.LegendFormat})
		}
	}
	if len(queries) == 0 {
		t.Fatal("the dashboard has no queries")
	}
	return queries
}

// runJobs runs each job some times, with more of its list each time.
func runJobs(t *testing.T) (*workplace, *sampled) {
	t.Helper()
	w := newWorkplace(t, dashboardJobs)
	s := &sampled{labels: map[string]labels.Labels{}, samples: map[string][]promql.FPoint{}, metrics: map[string]bool{}}
	s.end = time.Now().Add(-3 * time.Hour)
	demo, companies := w.read("demo.csv"), w.read("companies.csv")
	files := []string{"nightly.prom", "firms.prom", "small.prom", "broken.prom"}
	for _, lines := range []int{6, 100} {
		w.write("demo.csv", demo)
		w.write("companies.csv", companies)
		w.write("small.csv", demo)
		for _, name := range []string{"demo.csv", "companies.csv"} {
			w.write(name, w.headOf(name, lines))
		}
		w.run(0, "jobs", "run", "nightly")
		w.run(0, "jobs", "run", "firms")
		w.run(0, "jobs", "run", "small") // it waits
		w.run(2, "jobs", "run", "broken")
		s.scrape(t, w, time.Hour, files...)
	}
	return w, s
}

func TestTheQueriesOfTheDashboardHaveResults(t *testing.T) {
	t.Parallel()
	_, s := runJobs(t)
	language := parser.NewParser(parser.Options{})
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, LookbackDelta: 5 * time.Minute, Parser: language})
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	used, names := map[string]bool{}, regexp.MustCompile(`\{\{(\w+)\}\}`)
	results := map[string]promql.Vector{}
	for _, q := range dashboard(t) {
		expr, err := language.ParseExpr(q.expr)
		if err != nil {
			t.Errorf("%s: %v", q.panel, err)
			continue
		}
		for _, selector := range parser.ExtractSelectors(expr) {
			for _, m := range selector {
				if m.Name == model.MetricNameLabel {
					used[m.Value] = true
				}
			}
		}
		result := evaluate(t, engine, s, q.expr)
		if len(result) == 0 {
			t.Errorf("%s: no result of %s", q.panel, q.expr)
		}
		for _, sample := range result {
			if math.IsNaN(sample.F) || math.IsInf(sample.F, 0) {
				t.Errorf("%s: %s is %g for %s", q.panel, q.expr, sample.F, sample.Metric)
			}
			for _, label := range names.FindAllStringSubmatch(q.legend, -1) {
				if sample.Metric.Get(label[1]) == "" {
					t.Errorf("%s: the legend names the label %s, which %s does not have", q.panel, label[1], sample.Metric)
				}
			}
		}
		results[q.panel+"/"+q.legend] = result
	}
	for name := range s.metrics {
		if !used[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
	checkStates(t, results)
}

// checkStates checks results that follow from what the jobs did.
func checkStates(t *testing.T, results map[string]promql.Vector) {
	t.Helper()
	for _, want := range []struct {
		result, label, of string
		value             func(float64) bool
	}{
		{"Last exit code/{{job_name}}", "job_name", "broken", func(v float64) bool { return v == 2 }},
		{"Last exit code/{{job_name}}", "job_name", "small", func(v float64) bool { return v == 3 }},
		{"Failures in a row/{{job_name}}", "job_name", "broken", func(v float64) bool { return v == 2 }},
		{"Paused or waiting/{{job_name}}", "job_name", "small", func(v float64) bool { return v == 1 }},
		{"Paused or waiting/{{job_name}}", "job_name", "nightly", func(v float64) bool { return v == 0 }},
		{"Spend per day/{{job_name}}", "job_name", "nightly", func(v float64) bool { return v > 1 && v < 40 }},
		{"Match rate by field/{{account}} {{field}}", "field", "work_email", func(v float64) bool { return v > 0.3 && v < 1 }},
		{"Units used per day/{{account}} {{meter}}", "meter", "companies", func(v float64) bool { return v > 50 }},
		{"Ceilings: units and lookups left/{{job_name}} {{ceiling}} {{meter}}", "meter", "companies", func(v float64) bool { return v > 0 && v < 300 }},
		{"Share of the ceilings that is used/{{job_name}} {{ceiling}}", "ceiling", "daily", func(v float64) bool { return v > 0 && v <= 1 }},
	} {
		found := false
		for _, sample := range results[want.result] {
			if sample.Metric.Get(want.label) == want.of {
				if found = want.value(sample.F); !found {
					t.Errorf("%s of %s is %g", want.result, want.of, sample.F)
					found = true
				}
				break
			}
		}
		if !found {
			t.Errorf("%s has no result for %s", want.result, want.of)
		}
	}
}

// evaluate returns the result of a query at the end of the samples.
func evaluate(t *testing.T, engine *promql.Engine, s *sampled, expr string) promql.Vector {
	t.Helper()
	q, err := engine.NewInstantQuery(context.Background(), s.queryable(), nil, expr, s.end)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	result := q.Exec(t.Context())
	vector, err := result.Vector()
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", expr, err))
	}
	return slices.Clone(vector)
}
