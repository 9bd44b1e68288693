package jobs

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"payonce/cost"
)

// collector has the metrics of jobs. Its methods may be called at the same time.
type collector struct {
	mu    sync.Mutex
	jobs  map[string]JobMetrics
	descs map[string]*prometheus.Desc
}

// newCollector returns a Collector of jobs.
func newCollector(jobs ...JobMetrics) *collector {
	c := &collector{jobs: map[string]JobMetrics{}, descs: map[string]*prometheus.Desc{}}
	for _, m := range jobMetrics {
		c.descs[m.name] = prometheus.NewDesc("payonce_job_"+m.name, m.help, append([]string{"job_name"}, m.labels...), nil)
	}
	for _, job := range jobs {
		c.Set(job)
	}
	return c
}

// Set replaces what the metrics of a job follow from.
func (c *collector) Set(job JobMetrics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs[job.Job.Name] = job
}

// Keep removes the jobs whose names are not in a list.
func (c *collector) Keep(names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range c.jobs {
		if !slices.Contains(names, name) {
			delete(c.jobs, name)
		}
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, job := range c.jobs {
		sender{to, c.descs, job.Job.Name}.job(job)
	}
}

// jobMetrics are the metrics of a job. Each has the label job_name besides its own: Prometheus itself sets the label job,
// to the name of the target, and would rename ours. Those whose names end in _total are counters, the others gauges.
var jobMetrics = []struct {
	name, help string
	labels     []string
}{
	{"calls_total", "Paid calls with an outcome: answered, not_charged or forfeited.", []string{"account", "outcome"}},
	{"values_asked_total", "Values that answered calls asked for.", []string{"account", "field"}},
	{"values_found_total", "Values that were found.", []string{"account", "field"}},
	{"spend_dollars_total", "US dollars that were certainly charged.", []string{"account"}},
	{"units_total", "Units that were used of a meter.", []string{"account", "meter"}},
	{"waited_seconds_total", "The time that runs waited, by what they waited for.", []string{"reason"}},
	{"provisional_dollars", "US dollars that were booked as paid and may turn out to have been free.", []string{"account"}},
	{"held_dollars", "The most US dollars that calls without an outcome can cost.", []string{"account"}},
	{"held_units", "The most units that calls without an outcome can use of a meter.", []string{"account", "meter"}},
	{"calls_in_doubt", "Calls that may have been charged and whose answers did not arrive.", []string{"account"}},
	{"ceiling_dollars", "A ceiling on money, as the last run was given it.", []string{"ceiling"}},
	{"ceiling_left_dollars", "US dollars that are left of a ceiling.", []string{"ceiling"}},
	{"ceiling_units", "A ceiling on units or lookups, as the last run was given it.", []string{"account", "ceiling", "meter"}},
	{"ceiling_left_units", "Units or lookups that are left of a ceiling.", []string{"account", "ceiling", "meter"}},
	{"paused", "1 when the job is paused, otherwise 0.", nil},
	{"waiting", "1 when an occurrence waits for the end of a limit, otherwise 0.", nil},
	{"waiting_until_timestamp_seconds", "When the occurrence that waits goes on.", nil},
	{"consecutive_failures", "Runs in a row that failed.", nil},
	{"last_success_timestamp_seconds", "When an occurrence last came to its end without a failure.", nil},
	{"read_timestamp_seconds", "When these metrics were read from the journal.", nil},
	{"last_run_start_timestamp_seconds", "When the last occurrence began.", nil},
	{"last_run_end_timestamp_seconds", "When the last occurrence ended, or began to wait.", nil},
	{"last_run_duration_seconds", "The time from the first start of the last occurrence to its end.", nil},
	{"last_run_exit_code", "The exit code of the last occurrence.", nil},
	{"last_run_values", "Values that the last occurrence found.", nil},
	{"last_run_calls", "Calls that the last occurrence sent.", nil},
	{"last_run_spend_dollars", "US dollars that the last occurrence spent.", nil},
	{"last_run_rows", "Rows of the list of the last run, by outcome.", []string{"outcome"}},
	{"last_run_values_found", "Values that the last run found, by field.", []string{"account", "field"}},
	{"occurrences", "Occurrences in the history of the job, by what became of them.", []string{"state"}},
}

// job sends the metrics of a job.
func (to sender) job(job JobMetrics) {
	for _, account := range job.Accounts {
		to.account(account)
	}
	for _, c := range job.Ceilings {
		if c.Meter == "usd" {
			to.send("ceiling_dollars", dollars(cost.Money(c.Limit)), c.Name)
			to.send("ceiling_left_dollars", dollars(cost.Money(c.Left)), c.Name)
			continue
		}
		to.send("ceiling_units", float64(c.Limit), c.Account, c.Name, c.Meter)
		to.send("ceiling_left_units", float64(c.Left), c.Account, c.Name, c.Meter)
	}
	waiting, waits := job.Waiting()
	to.send("paused", truth(!job.Job.PausedAt.IsZero()))
	to.send("waiting", truth(waits))
	to.time("waiting_until_timestamp_seconds", waiting.Until)
	to.send("consecutive_failures", float64(job.Job.Failures))
	to.time("last_success_timestamp_seconds", job.LastSuccess())
	to.time("read_timestamp_seconds", job.Read)
	for reason, seconds := range job.Waited {
		to.send("waited_seconds_total", seconds, reason)
	}
	for state, n := range job.Occurrences() {
		to.send("occurrences", float64(n), state)
	}
	for outcome, rows := range job.Rows {
		to.send("last_run_rows", float64(rows), outcome)
	}
	last, began := job.LastRun()
	if !began {
		return
	}
	to.time("last_run_start_timestamp_seconds", last.Began)
	if !last.Ended.IsZero() {
		to.time("last_run_end_timestamp_seconds", last.Ended)
		to.send("last_run_duration_seconds", last.Ended.Sub(last.Began).Seconds())
		to.send("last_run_exit_code", float64(last.Exit))
	}
	to.send("last_run_values", float64(last.Found))
	to.send("last_run_calls", float64(last.Lookups))
	to.send("last_run_spend_dollars", dollars(last.Spent))
}

// account sends the metrics of one account of the job.
func (to sender) account(a AccountMetrics) {
	t := a.Totals
	to.send("calls_total", float64(t.Lookups), a.Name, "answered")
	to.send("calls_total", float64(t.Uncharged), a.Name, "not_charged")
	to.send("calls_total", float64(t.Forfeited), a.Name, "forfeited")
	for f := range a.Catalogue.All().Each() {
		name := a.Catalogue.Name(f)
		to.send("values_asked_total", float64(t.Asked[f]), a.Name, name)
		to.send("values_found_total", float64(t.Returned[f]), a.Name, name)
		to.send("last_run_values_found", float64(a.LastRun.Returned[f]), a.Name, name)
	}
	for meter, info := range a.Tariff.Meters {
		if meter != int(cost.USD) {
			to.send("units_total", float64(t.Settled[meter]), a.Name, info.Name)
			to.send("held_units", float64(t.Held[meter]), a.Name, info.Name)
		}
	}
	to.send("spend_dollars_total", dollars(t.Settled.Money()-a.MayBeFree), a.Name)
	to.send("provisional_dollars", dollars(a.MayBeFree), a.Name)
	to.send("held_dollars", dollars(t.Held.Money()), a.Name)
	to.send("calls_in_doubt", float64(a.InDoubt), a.Name)
}

// sender sends metrics of one job.
type sender struct {
	out   chan<- prometheus.Metric
	descs map[string]*prometheus.Desc
	name  string // of the job
}

// send sends one metric with its labels besides job_name.
func (to sender) send(name string, value float64, labels ...string) {
	kind := prometheus.GaugeValue
	if strings.HasSuffix(name, "_total") {
		kind = prometheus.CounterValue
	}
	to.out <- prometheus.MustNewConstMetric(to.descs[name], kind, value, append([]string{to.name}, labels...)...)
}

// time sends a time, unless it is zero.
func (to sender) time(name string, at time.Time) {
	if !at.IsZero() {
		to.send(name, float64(at.UnixMilli())/1000)
	}
}

func dollars(amount cost.Money) float64 { return float64(amount) / float64(cost.Dollar) }

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
