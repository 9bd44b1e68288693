package report

import (
	"cmp"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/pipeline/scan"
)

// sortedRuns returns the runs of the scope in the order of their first starts.
func (b *ReportBuilder) sortedRuns() []checkpoint.Run {
	return slices.SortedFunc(slices.Values(b.facts.Runs), func(x, y checkpoint.Run) int {
		return cmp.Or(x.Started.Compare(y.Started), cmp.Compare(x.Name, y.Name))
	})
}

func (b *ReportBuilder) runs() []ReportedRun {
	list := []ReportedRun{}
	for _, run := range b.sortedRuns() {
		view := ReportedRun{
			Run: run.Name, Job: jobOf(run), List: run.List, Output: run.Output, Fields: run.Fields, Users: run.Users,
			Started: run.Started.UTC(), Stop: run.Stop, Rows: run.Rows, Running: slices.Contains(b.facts.Running, run.Name),
			MaxSpend: run.MaxSpend, ceilings: slices.Clone(run.Ceilings), NotSent: NotSentBy(run),
		}
		for _, account := range run.Accounts {
			view.ceilings = append(view.ceilings, account.Ceilings...)
		}
		if sum := b.runSums[run.Name]; sum != nil {
			view.Found, view.Spent = sum.Values, sum.Charged
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
func (b *ReportBuilder) addDrifts(view *ReportedRun, run checkpoint.Run) {
	var accounts AccountsUsage
	for number, terms := range b.facts.Accounts {
		accounts = append(accounts, AccountUsage{
			Interface: terms.Catalogue.Interface, Drift: DriftIn(run, attempt.Account(number), terms),
		})
	}
	view.Drift = accounts.Drift()
	for _, account := range accounts {
		if account.Drift == nil {
			continue
		}
		if view.Drifts == nil {
			view.Drifts = map[string]*Drift{}
		}
		view.Drifts[account.Interface] = account.Drift
	}
}

// stages returns the stages from rows to values. Rows that need nothing, or that cannot be looked up,
// leave first.
func (b *ReportBuilder) stages() []Stage {
	rows, all := map[scan.Status]int64{}, int64(0)
	for _, run := range b.facts.Runs {
		for status, n := range run.Rows {
			rows[scan.Status(status)] += n
			all += n
		}
	}
	stages := []Stage{{"rows", all}}
	left := all
	for _, step := range []struct {
		name  string
		leave []scan.Status
	}{
		{"with something missing", []scan.Status{scan.StatusFilled}},
		{"that can be looked up", []scan.Status{scan.StatusUnidentifiable}},
		{"each person once", []scan.Status{scan.StatusDuplicate}},
		{"looked up", []scan.Status{scan.StatusNotAttempted}},
		{"answered", []scan.Status{scan.StatusRejected, scan.StatusInDoubt, scan.StatusForfeited}},
		{"with something found", []scan.Status{scan.StatusNotFound, scan.StatusAmbiguous, scan.StatusMismatch}},
		{"with everything found", []scan.Status{scan.StatusPartial}},
	} {
		for _, status := range step.leave {
			left -= rows[status]
		}
		stages = append(stages, Stage{step.name, left})
	}
	return stages
}

// mismatches returns the runs with rows whose answers contradict them.
func (b *ReportBuilder) mismatches() (all []Mismatched) {
	for _, run := range b.facts.Runs {
		if n := run.Rows[string(scan.StatusMismatch)]; n > 0 {
			all = append(all, Mismatched{run.Name, n})
		}
	}
	return all
}

// ceilings returns the limits on the money of a day or a month, those of the job and of the workspace.
func (b *ReportBuilder) ceilings() []ReportCeiling {
	runs := slices.SortedFunc(slices.Values(b.facts.Runs), func(x, y checkpoint.Run) int { return x.LastStarted().Compare(y.LastStarted()) })
	last := map[ReportCeiling]cost.Money{}
	for _, run := range runs {
		for _, c := range run.Ceilings {
			period, of := map[cost.Period]string{cost.Day: "day", cost.Month: "month"}[c.Period], "workspace"
			if c.Scope != checkpoint.WorkspaceScope {
				of = "job " + jobOf(run)
			}
			if c.Meter == cost.USD && period != "" {
				last[ReportCeiling{Name: c.Name, Of: of, Period: period}] = cost.Money(c.Limit)
			}
		}
	}
	list := []ReportCeiling{}
	for c, limit := range last {
		c.Limit = limit
		list = append(list, c)
	}
	slices.SortFunc(list, func(x, y ReportCeiling) int {
		return cmp.Or(cmp.Compare(x.Of, y.Of), cmp.Compare(x.Period, y.Period), cmp.Compare(x.Name, y.Name))
	})
	return list
}

// limit returns the lowest limit of a period that applies to the forecast's job, or to the workspace.
func (v *RunReport) limit(period, job string) *ReportCeiling {
	var lowest *ReportCeiling
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

func (b *ReportBuilder) priceList() []PricedQuantity {
	list := []PricedQuantity{}
	for key, n := range b.prices {
		price := key.price
		line := PricedQuantity{Interface: key.account, Field: key.name, Words: b.wordOf(key.fieldKey), Of: atPrice, Count: n, Price: &price, Amount: key.price.Times(n)}
		if key.free {
			line.Of = asFree
		}
		list = append(list, line)
	}
	for key, line := range b.reported {
		line.Interface, line.Field, line.Of = key.account, key.name, asReported
		list = append(list, *line)
	}
	slices.SortFunc(list, func(x, y PricedQuantity) int {
		return cmp.Or(cmp.Compare(x.Interface, y.Interface), cmp.Compare(x.Field, y.Field), -cmp.Compare(x.Of, y.Of), cmp.Compare(x.Amount, y.Amount), cmp.Compare(x.Count, y.Count))
	})
	return list
}

// wordOf returns the word for a field of an interface.
func (b *ReportBuilder) wordOf(key fieldKey) string {
	for _, terms := range b.facts.Accounts {
		if f, known := terms.Catalogue.Lookup(key.name); known && terms.Catalogue.Interface == key.account {
			return terms.Catalogue.Word(f)
		}
	}
	return key.name
}

// fieldList returns the fields with what was charged for each. That is unknown when the service reported an
// amount for a call of the field.
func (b *ReportBuilder) fieldList() []ReportField {
	list, amounts, whole := []ReportField{}, map[fieldKey]cost.Money{}, map[string]bool{}
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
			field.Charged, field.PerValue = &amount, PerValue(amount, field.Rate.Found)
		}
		list = append(list, *field)
	}
	slices.SortFunc(list, func(x, y ReportField) int {
		return cmp.Or(cmp.Compare(x.Interface, y.Interface), cmp.Compare(x.Field, y.Field))
	})
	return list
}

// rateOf returns a rate with its range: the equal-tailed posterior interval with Jeffreys' prior, which
// package forecast has as well.
func rateOf(found, of int64) Proportion {
	rate := Proportion{Found: found, Of: of, High: 1}
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

func (b *ReportBuilder) share(values int64) float64 {
	if b.view.Found == 0 {
		return 0
	}
	return rounded(float64(values) / float64(b.view.Found))
}

func (b *ReportBuilder) dayList() []Day {
	list := []Day{}
	for _, name := range sortedKeys(b.days) {
		day := b.days[name]
		list = append(list, Day{Day: name, Calls: day.Calls, Found: day.Values, Charged: day.Charged, Units: b.facts.units(day)})
	}
	return list
}

func (b *ReportBuilder) stepList() []AnswerPart {
	list := []AnswerPart{}
	several := severalOf(b.steps, func(name string) string { return b.words[name].account })
	for _, name := range sortedKeys(b.steps) {
		part := b.part(name, b.steps[name])
		part.Words = ofInterface(b.words[name].name, b.words[name].account, several)
		list = append(list, part)
	}
	slices.SortStableFunc(list, func(x, y AnswerPart) int { return -cmp.Compare(x.Values, y.Values) })
	return list
}

// severalOf reports whether the names of entries belong to several interfaces.
func severalOf[V any](entries map[string]V, of func(name string) string) bool {
	all := map[string]bool{}
	for name := range entries {
		all[of(name)] = true
	}
	return len(all) > 1
}

// ofInterface returns words about an interface, which they name where there are several.
func ofInterface(words, name string, several bool) string {
	if several {
		words += " (" + name + ")"
	}
	return words
}

// part shows a part of the answered calls.
func (b *ReportBuilder) part(name string, sum *CallSum) AnswerPart {
	return AnswerPart{
		Name: name, Rate: rateOf(sum.Matched, sum.Answered), Values: sum.Values, Share: b.share(sum.Values), Charged: sum.Charged,
		Units: b.facts.units(sum),
	}
}

// A host has a row of its own in a report when it has at least leastCalls answers, or emails, and is one of the
// mostHosts with the most of them. A rate of fewer answers is not meaningful, and a host with one answer may identify
// the person.
const (
	leastCalls = 5
	mostHosts  = 20
)

// largest returns the names that stand alone, the largest first.
func largest[V any](entries map[string]V, size func(V) int64) []string {
	names := slices.DeleteFunc(sortedKeys(entries), func(name string) bool { return name == UnknownPart || size(entries[name]) < leastCalls })
	slices.SortStableFunc(names, func(x, y string) int { return -cmp.Compare(size(entries[x]), size(entries[y])) })
	return names[:min(len(names), mostHosts)]
}

func (b *ReportBuilder) companyList() []AnswerPart {
	list, alone := []AnswerPart{}, largest(b.companies, func(sum *CallSum) int64 { return sum.Answered })
	var others CallSum
	n := 0
	for name, sum := range b.companies {
		if name == UnknownPart || slices.Contains(alone, name) {
			continue
		}
		n++
		others.Matched += sum.Matched
		others.Answered += sum.Answered
		others.Values += sum.Values
		others.Charged += sum.Charged
	}
	for _, name := range alone {
		list = append(list, b.part(name, b.companies[name]))
	}
	if n > 0 {
		list = append(list, b.part(Counted(n, "other domain"), &others))
	}
	if unknown := b.companies[UnknownPart]; unknown != nil {
		list = append(list, b.part("domain "+UnknownPart, unknown))
	}
	return list
}

func (b *ReportBuilder) mailList() []MailProvider {
	list, alone, all := []MailProvider{}, largest(b.mail, func(n int64) int64 { return n }), int64(0)
	others := int64(0)
	for host, n := range b.mail {
		all += n
		if host != UnknownPart && !slices.Contains(alone, host) {
			others += n
		}
	}
	add := func(host string, n int64) {
		if n > 0 {
			list = append(list, MailProvider{host, n, rounded(float64(n) / float64(all))})
		}
	}
	for _, host := range alone {
		add(host, b.mail[host])
	}
	add("others", others)
	add(UnknownPart, b.mail[UnknownPart])
	return list
}

func (b *ReportBuilder) errorList() []ReportError {
	list := []ReportError{}
	for e, n := range b.errors {
		e.Calls = n
		list = append(list, e)
	}
	slices.SortFunc(list, func(x, y ReportError) int {
		return cmp.Or(-cmp.Compare(x.Calls, y.Calls), cmp.Compare(x.State, y.State), cmp.Compare(x.Reason, y.Reason))
	})
	return list
}

// seconds returns nil without calls.
func seconds(took []time.Duration) *CallSeconds {
	if len(took) == 0 {
		return nil
	}
	slices.Sort(took)
	at := func(share float64) float64 {
		return math.Round(took[int(math.Ceil(share*float64(len(took))))-1].Seconds()*1e3) / 1e3
	}
	return &CallSeconds{Median: at(0.5), Most: at(0.95)}
}

// missing names what the journal does not tell.
func (b *ReportBuilder) missing() []string {
	list := []string{
		"waits of a start that was killed, and of runs from before waits were recorded",
		"who runs the mail servers of a company: the journal has no mail records, so emails count by their hosts",
	}
	for _, run := range b.sortedRuns() {
		if len(run.Rows) == 0 && run.List != "" { // a search has none
			list = append(list, Textf("the rows of run %s: a run records them when it ends", run.Name))
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
