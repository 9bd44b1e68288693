package runreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/report"
	"payonce/internal/report/runview"
	"payonce/internal/report/usageview"
	"payonce/pipeline/row"
)

// sortedRuns returns the runs of the scope in the order of their first starts.
func (b *Builder) sortedRuns() []checkpoint.Run {
	return slices.SortedFunc(slices.Values(b.facts.Runs), func(x, y checkpoint.Run) int {
		return cmp.Or(x.Started.Compare(y.Started), cmp.Compare(x.Name, y.Name))
	})
}

func (b *Builder) runs() []Run {
	list := []Run{}
	for _, run := range b.sortedRuns() {
		view := Run{
			Run: run.Name, Job: jobOf(run), Started: run.Started.UTC(), Stop: run.Stop, Rows: run.Rows,
			NotSent: runview.NotSentBy(run),
		}
		b.addDrifts(&view, run)
		if !run.Ended.IsZero() {
			ended := run.Ended.UTC()
			view.Ended = &ended
		}
		list = append(list, view)
	}
	return list
}

// addDrifts shows what the accounts lost that the journal cannot explain, when the run last ended.
func (b *Builder) addDrifts(view *Run, run checkpoint.Run) {
	var tariff cost.Tariff
	if len(b.facts.Tariffs) > 0 {
		tariff = b.facts.Tariffs[0]
	}
	accounts := usageview.Accounts{{
		Interface: b.catalogueOf(0).Interface, Drift: usageview.DriftOf(b.catalogueOf(0), tariff, run.Drift),
	}}
	for number := 1; number < len(b.facts.Catalogues); number++ {
		accounts = append(accounts, usageview.Account{
			Interface: b.catalogueOf(attempt.Account(number)).Interface, Drift: usageview.RecordedDrift(run.DriftOfAccount(attempt.Account(number))),
		})
	}
	view.Drift = accounts.Drift()
	for _, account := range accounts {
		if account.Drift == nil {
			continue
		}
		if view.Drifts == nil {
			view.Drifts = map[string]*usageview.Drift{}
		}
		view.Drifts[account.Interface] = account.Drift
	}
}

// stages returns the stages from rows to values. Rows that need nothing, or that nobody can be asked about,
// leave first.
func (b *Builder) stages() []Stage {
	rows, all := map[row.Status]int64{}, int64(0)
	for _, run := range b.facts.Runs {
		for status, n := range run.Rows {
			rows[row.Status(status)] += n
			all += n
		}
	}
	stages := []Stage{{"rows", all}}
	left := all
	for _, step := range []struct {
		name  string
		leave []row.Status
	}{
		{"with something missing", []row.Status{row.StatusFilled}},
		{"that can be looked up", []row.Status{row.StatusUnidentifiable}},
		{"each person once", []row.Status{row.StatusDuplicate}},
		{"looked up", []row.Status{row.StatusNotAttempted}},
		{"answered", []row.Status{row.StatusRejected, row.StatusInDoubt, row.StatusForfeited}},
		{"with something found", []row.Status{row.StatusNotFound, row.StatusAmbiguous}},
		{"with everything found", []row.Status{row.StatusPartial}},
	} {
		for _, status := range step.leave {
			left -= rows[status]
		}
		stages = append(stages, Stage{step.name, left})
	}
	return stages
}

// ceilings returns the limits on the money of a day or a month, those of the job and of the workspace.
func (b *Builder) ceilings() []Ceiling {
	runs := slices.SortedFunc(slices.Values(b.facts.Runs), func(x, y checkpoint.Run) int { return x.LastStarted().Compare(y.LastStarted()) })
	last := map[Ceiling]cost.Money{}
	for _, run := range runs {
		for _, c := range run.Ceilings {
			period, of := map[cost.Period]string{cost.Day: "day", cost.Month: "month"}[c.Period], "workspace"
			if c.Scope != checkpoint.WorkspaceScope {
				of = "job " + jobOf(run)
			}
			if c.Meter == cost.USD && period != "" {
				last[Ceiling{Name: c.Name, Of: of, Period: period}] = cost.Money(c.Limit)
			}
		}
	}
	list := []Ceiling{}
	for c, limit := range last {
		c.Limit = limit
		list = append(list, c)
	}
	slices.SortFunc(list, func(x, y Ceiling) int {
		return cmp.Or(cmp.Compare(x.Of, y.Of), cmp.Compare(x.Period, y.Period), cmp.Compare(x.Name, y.Name))
	})
	return list
}

// limit returns the lowest limit of a period that applies to the forecast's job, or to the workspace.
func (v *Report) limit(period, job string) *Ceiling {
	var lowest *Ceiling
	for i, c := range v.Ceilings {
		applies := c.Of == "workspace" || job != "" && c.Of == "job "+job
		if c.Period == period && applies && (lowest == nil || c.Limit < lowest.Limit) {
			lowest = &v.Ceilings[i]
		}
	}
	return lowest
}

// The values of Price.Of.
const (
	atPrice    = "price"
	asFree     = "free"
	asReported = "reported"
)

func (b *Builder) priceList() []Price {
	list := []Price{}
	for key, n := range b.prices {
		price := key.price
		line := Price{Interface: key.account, Field: key.name, Of: atPrice, Count: n, Price: &price, Amount: key.price.Times(n)}
		if key.free {
			line.Of = asFree
		}
		list = append(list, line)
	}
	for key, line := range b.reported {
		line.Interface, line.Field, line.Of = key.account, key.name, asReported
		list = append(list, *line)
	}
	slices.SortFunc(list, func(x, y Price) int {
		return cmp.Or(cmp.Compare(x.Interface, y.Interface), cmp.Compare(x.Field, y.Field), -cmp.Compare(x.Of, y.Of), cmp.Compare(x.Amount, y.Amount), cmp.Compare(x.Count, y.Count))
	})
	return list
}

// fieldList returns the fields with what was charged for each. That is unknown when the service reported an
// amount for a call of the field.
func (b *Builder) fieldList() []Field {
	list, amounts, whole := []Field{}, map[fieldKey]cost.Money{}, map[string]bool{}
	for key, n := range b.prices {
		amounts[key.fieldKey] += key.price.Times(n)
	}
	for key := range b.reported {
		whole[key.account] = true
	}
	for key, field := range b.fields {
		field.Interface, field.Field = key.account, key.name
		field.Rate = rateOf(field.Rate.Found, field.Rate.Of)
		if !whole[key.account] {
			amount := amounts[key]
			field.Charged, field.PerValue = &amount, perValue(amount, field.Rate.Found)
		}
		list = append(list, *field)
	}
	slices.SortFunc(list, func(x, y Field) int {
		return cmp.Or(cmp.Compare(x.Interface, y.Interface), cmp.Compare(x.Field, y.Field))
	})
	return list
}

// rateOf returns a rate with its range: the equal-tailed posterior interval with Jeffreys' prior, which
// package forecast has as well.
func rateOf(found, of int64) Rate {
	rate := Rate{Found: found, Of: of, High: 1}
	if of == 0 {
		return rate
	}
	posterior := distuv.Beta{Alpha: float64(found) + 0.5, Beta: float64(of-found) + 0.5}
	if found > 0 {
		rate.Low = rounded(posterior.Quantile(0.025))
	}
	if found < of {
		rate.High = rounded(posterior.Quantile(0.975))
	}
	return rate
}

// rounded returns a share with four decimals.
func rounded(share float64) float64 { return math.Round(share*1e4) / 1e4 }

func (b *Builder) share(values int64) float64 {
	if b.view.Found == 0 {
		return 0
	}
	return rounded(float64(values) / float64(b.view.Found))
}

func (b *Builder) stepList() []Part {
	list := sorted(b.steps, func(part *Part, name string) {
		b.finish(part, name)
		part.Units = b.unitsOf(b.unitSteps[name])
	})
	slices.SortStableFunc(list, func(x, y Part) int { return -cmp.Compare(x.Values, y.Values) })
	return list
}

func (b *Builder) finish(part *Part, name string) {
	part.Name, part.Rate, part.Share = name, rateOf(part.Rate.Found, part.Rate.Of), b.share(part.Values)
}

// A host stands alone in a report when it has at least leastCalls answers, or emails, and is one of the
// mostHosts with the most of them. The rate of fewer says nothing, and the host of one may tell who it is.
const (
	leastCalls = 5
	mostHosts  = 20
)

// largest returns the names that stand alone, the largest first.
func largest[V any](entries map[string]V, size func(V) int64) []string {
	names := slices.DeleteFunc(sortedKeys(entries), func(name string) bool { return name == Unknown || size(entries[name]) < leastCalls })
	slices.SortStableFunc(names, func(x, y string) int { return -cmp.Compare(size(entries[x]), size(entries[y])) })
	return names[:min(len(names), mostHosts)]
}

func (b *Builder) companyList() []Part {
	list, alone := []Part{}, largest(b.companies, func(p *Part) int64 { return p.Rate.Of })
	var others Part
	n := 0
	for name, part := range b.companies {
		if name == Unknown || slices.Contains(alone, name) {
			continue
		}
		n++
		others.Rate.Found += part.Rate.Found
		others.Rate.Of += part.Rate.Of
		others.Values += part.Values
		others.Charged += part.Charged
	}
	for _, name := range alone {
		b.finish(b.companies[name], name)
		list = append(list, *b.companies[name])
	}
	if n > 0 {
		b.finish(&others, report.Counted(n, "other domain"))
		list = append(list, others)
	}
	if unknown := b.companies[Unknown]; unknown != nil {
		b.finish(unknown, "domain "+Unknown)
		list = append(list, *unknown)
	}
	return list
}

func (b *Builder) mailList() []Mail {
	list, alone, all := []Mail{}, largest(b.mail, func(n int64) int64 { return n }), int64(0)
	others := int64(0)
	for host, n := range b.mail {
		all += n
		if host != Unknown && !slices.Contains(alone, host) {
			others += n
		}
	}
	add := func(host string, n int64) {
		if n > 0 {
			list = append(list, Mail{host, n, rounded(float64(n) / float64(all))})
		}
	}
	for _, host := range alone {
		add(host, b.mail[host])
	}
	add("others", others)
	add(Unknown, b.mail[Unknown])
	return list
}

func (b *Builder) errorList() []Error {
	list := []Error{}
	for e, n := range b.errors {
		e.Calls = n
		list = append(list, e)
	}
	slices.SortFunc(list, func(x, y Error) int {
		return cmp.Or(-cmp.Compare(x.Calls, y.Calls), cmp.Compare(x.State, y.State), cmp.Compare(x.Reason, y.Reason))
	})
	return list
}

// seconds returns nil without calls.
func seconds(took []time.Duration) *Seconds {
	if len(took) == 0 {
		return nil
	}
	slices.Sort(took)
	at := func(share float64) float64 {
		return math.Round(took[int(math.Ceil(share*float64(len(took))))-1].Seconds()*1e3) / 1e3
	}
	return &Seconds{Median: at(0.5), Most: at(0.95)}
}

// missing names what the journal does not tell.
func (b *Builder) missing() []string {
	list := []string{
		"waits of a start that was killed, and of runs from before waits were recorded",
		"who runs the mail servers of a company: the journal has no mail records, so emails count by their hosts",
	}
	for _, run := range b.sortedRuns() {
		if len(run.Rows) == 0 && run.List != "" { // a search has none
			list = append(list, fmt.Sprintf("the rows of run %s: a run records them when it ends", run.Name))
		}
	}
	if b.facts.Plan == nil {
		list = append(list, "what was planned: the journal keeps no plans")
	}
	if len(b.facts.Runs) > 0 && b.facts.Scope.Month != "" {
		list = append(list, "rows by month: those of a run count whole in the month in which it last ended")
	}
	return list
}
