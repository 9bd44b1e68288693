package jobs

import (
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"payonce/cost"
)

// collector has the metrics of jobs. Its methods may be called at the same time.
type collector struct {
	mu    sync.Mutex
	jobs  map[string]JobMetrics
	descs descriptions
}

// newCollector returns a Collector of jobs.
func newCollector(jobs ...JobMetrics) *collector {
	c := &collector{jobs: map[string]JobMetrics{}, descs: describe()}
	for _, job := range jobs {
		c.Set(job)
	}
	return c
}

// Set replaces what the metrics of a job follow from.
func (c *collector) Set(job JobMetrics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs[job.Name] = job
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
	for _, d := range c.descs.all {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, job := range c.jobs {
		c.descs.collect(sender{to, job.Name}, job)
	}
}

// descriptions are the metrics of a job. Each has the label job_name: Prometheus itself sets the label job, to the
// name of the target, and would rename ours.
type descriptions struct {
	all []*prometheus.Desc

	calls, asked, found, spend, units, waited            *prometheus.Desc // totals
	mayBeFree, held, heldUnits, inDoubt                  *prometheus.Desc
	limit, left, unitLimit, unitsLeft                    *prometheus.Desc
	paused, waiting, waitsUntil, failures, success, read *prometheus.Desc

	lastBegan, lastEnded, lastDuration, lastExit *prometheus.Desc
	lastValues, lastCalls, lastSpend             *prometheus.Desc
	lastRows, lastFound, occurrences             *prometheus.Desc
}

// describe returns the descriptions.
func describe() (d descriptions) {
	of := func(name, help string, labels ...string) *prometheus.Desc {
		desc := prometheus.NewDesc("payonce_job_"+name, help, append([]string{"job_name"}, labels...), nil)
		d.all = append(d.all, desc)
		return desc
	}
	d.calls = of("calls_total", "Paid calls with an outcome: answered, not_charged or forfeited.", "account", "outcome")
	d.asked = of("values_asked_total", "Values that answered calls asked for.", "account", "field")
	d.found = of("values_found_total", "Values that were found.", "account", "field")
	d.spend = of("spend_dollars_total", "US dollars that were certainly charged.", "account")
	d.units = of("units_total", "Units that were used of a meter.", "account", "meter")

	d.waited = of("waited_seconds_total", "The time that runs waited, by what they waited for.", "reason")

	d.mayBeFree = of("provisional_dollars", "US dollars that were booked as paid and may turn out to have been free.", "account")
	d.held = of("held_dollars", "The most US dollars that calls without an outcome can cost.", "account")
	d.heldUnits = of("held_units", "The most units that calls without an outcome can use of a meter.", "account", "meter")
	d.inDoubt = of("calls_in_doubt", "Calls that may have been charged and whose answers did not arrive.", "account")
	d.limit = of("ceiling_dollars", "A ceiling on money, as the last run was given it.", "ceiling")
	d.left = of("ceiling_left_dollars", "US dollars that are left of a ceiling.", "ceiling")
	d.unitLimit = of("ceiling_units", "A ceiling on units or lookups, as the last run was given it.", "account", "ceiling", "meter")
	d.unitsLeft = of("ceiling_left_units", "Units or lookups that are left of a ceiling.", "account", "ceiling", "meter")

	d.paused = of("paused", "1 when the job is paused, otherwise 0.")
	d.waiting = of("waiting", "1 when an occurrence waits for the end of a limit, otherwise 0.")
	d.waitsUntil = of("waiting_until_timestamp_seconds", "When the occurrence that waits goes on.")
	d.failures = of("consecutive_failures", "Runs in a row that failed.")
	d.success = of("last_success_timestamp_seconds", "When an occurrence last came to its end without a failure.")
	d.read = of("read_timestamp_seconds", "When these metrics were read from the journal.")

	d.lastBegan = of("last_run_start_timestamp_seconds", "When the last occurrence began.")
	d.lastEnded = of("last_run_end_timestamp_seconds", "When the last occurrence ended, or began to wait.")
	d.lastDuration = of("last_run_duration_seconds", "The time from the first start of the last occurrence to its end.")
	d.lastExit = of("last_run_exit_code", "The exit code of the last occurrence.")
	d.lastValues = of("last_run_values", "Values that the last occurrence found.")
	d.lastCalls = of("last_run_calls", "Calls that the last occurrence sent.")
	d.lastSpend = of("last_run_spend_dollars", "US dollars that the last occurrence spent.")
	d.lastRows = of("last_run_rows", "Rows of the list of the last run, by outcome.", "outcome")
	d.lastFound = of("last_run_values_found", "Values that the last run found, by field.", "account", "field")
	d.occurrences = of("occurrences", "Occurrences in the history of the job, by what became of them.", "state")
	return d
}

// collect sends the metrics of a job.
func (d *descriptions) collect(to sender, job JobMetrics) {
	for _, account := range job.Accounts {
		d.collectAccount(to, account)
	}
	for _, c := range job.Ceilings {
		if c.Meter == "usd" {
			to.gauge(d.limit, dollars(cost.Money(c.Limit)), c.Name)
			to.gauge(d.left, dollars(cost.Money(c.Left)), c.Name)
			continue
		}
		to.gauge(d.unitLimit, float64(c.Limit), c.Account, c.Name, c.Meter)
		to.gauge(d.unitsLeft, float64(c.Left), c.Account, c.Name, c.Meter)
	}
	to.gauge(d.paused, truth(job.Paused))
	to.gauge(d.waiting, truth(!job.Waits.IsZero()))
	to.time(d.waitsUntil, job.Waits)
	to.gauge(d.failures, float64(job.Failures))
	to.time(d.success, job.Success)
	to.time(d.read, job.Read)
	for reason, seconds := range job.Waited {
		to.counter(d.waited, seconds, reason)
	}
	for state, n := range job.Occurrences {
		to.gauge(d.occurrences, float64(n), state)
	}
	for outcome, rows := range job.Rows {
		to.gauge(d.lastRows, float64(rows), outcome)
	}
	last := job.Last
	if last == nil {
		return
	}
	to.time(d.lastBegan, last.Began)
	if !last.Ended.IsZero() {
		to.time(d.lastEnded, last.Ended)
		to.gauge(d.lastDuration, last.Ended.Sub(last.Began).Seconds())
		to.gauge(d.lastExit, float64(last.ExitCode))
	}
	to.gauge(d.lastValues, float64(last.Found))
	to.gauge(d.lastCalls, float64(last.Calls))
	to.gauge(d.lastSpend, dollars(last.Spent))
}

func (d *descriptions) collectAccount(to sender, a AccountMetrics) {
	for _, calls := range []struct {
		outcome string
		n       int64
	}{{"answered", a.Answered}, {"not_charged", a.NotCharged}, {"forfeited", a.Forfeited}} {
		to.counter(d.calls, float64(calls.n), a.Name, calls.outcome)
	}
	for _, f := range a.Fields {
		to.counter(d.asked, float64(f.Asked), a.Name, f.Name)
		to.counter(d.found, float64(f.Found), a.Name, f.Name)
		to.gauge(d.lastFound, float64(f.LastFound), a.Name, f.Name)
	}
	for _, u := range a.Units {
		to.counter(d.units, float64(u.Used), a.Name, u.Meter)
		to.gauge(d.heldUnits, float64(u.Held), a.Name, u.Meter)
	}
	to.counter(d.spend, dollars(a.Spent), a.Name)
	to.gauge(d.mayBeFree, dollars(a.MayBeFree), a.Name)
	to.gauge(d.held, dollars(a.Held), a.Name)
	to.gauge(d.inDoubt, float64(a.InDoubt), a.Name)
}

// sender sends metrics of one job.
type sender struct {
	to  chan<- prometheus.Metric
	job string
}

func (s sender) send(desc *prometheus.Desc, kind prometheus.ValueType, value float64, labels []string) {
	s.to <- prometheus.MustNewConstMetric(desc, kind, value, append([]string{s.job}, labels...)...)
}

func (s sender) counter(desc *prometheus.Desc, value float64, labels ...string) {
	s.send(desc, prometheus.CounterValue, value, labels)
}

func (s sender) gauge(desc *prometheus.Desc, value float64, labels ...string) {
	s.send(desc, prometheus.GaugeValue, value, labels)
}

// time sends a time, unless it is zero.
func (s sender) time(desc *prometheus.Desc, at time.Time) {
	if !at.IsZero() {
		s.gauge(desc, float64(at.UnixMilli())/1000)
	}
}

func dollars(amount cost.Money) float64 { return float64(amount) / float64(cost.Dollar) }

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
