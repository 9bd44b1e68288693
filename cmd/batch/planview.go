package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline"
)

// planView is a plan as it is shown and printed with --json.
type planView struct {
	Run            string            `json:"run"`
	List           string            `json:"list"`
	Columns        map[string]string `json:"columns"`
	Rows           rowCounts         `json:"rows"`
	Unidentifiable map[string]int64  `json:"unidentifiable,omitempty"`
	Lookups        map[string]int64  `json:"lookups"`
	Fields         map[string]int64  `json:"fields"`
	FreeAllowance  map[string]int64  `json:"free_allowance"`
	Maximum        cost.Money        `json:"maximum_usd"`
	Expected       *cost.Money       `json:"expected_usd"` // null without a history
	Ceilings       []ceilingView     `json:"ceilings"`
	Seconds        int64             `json:"seconds"`
	Option         string            `json:"option"`
	Options        []optionView      `json:"options"`
	Notes          []string          `json:"notes,omitempty"`

	duration time.Duration
	rate     string
	account  bool // the account's status was read
}

// rowCounts are the rows by what a run would make of them. They add up to Total.
type rowCounts struct {
	Total          int64 `json:"total"`
	Lookup         int64 `json:"lookup"`
	Answered       int64 `json:"answered"`
	Filled         int64 `json:"filled"`
	Duplicate      int64 `json:"duplicate"`
	Unidentifiable int64 `json:"unidentifiable"`
	Rejected       int64 `json:"rejected"`
	InDoubt        int64 `json:"in_doubt"`
	Forfeited      int64 `json:"forfeited"`
	NotAttempted   int64 `json:"not_attempted"`
	Forgotten      int64 `json:"forgotten,omitempty"` // on request, with "batch forget"
}

type ceilingView struct {
	Name    string     `json:"name"`
	Limit   cost.Money `json:"limit_usd"`
	Left    cost.Money `json:"left_usd"`
	Covers  int64      `json:"covers_lookups"` // surely
	Binding bool       `json:"binding"`
}

type optionView struct {
	Name    string     `json:"name"`
	Monthly cost.Money `json:"monthly_usd"`
	Maximum cost.Money `json:"maximum_usd"`
}

// plan works out what a run of the job would do.
func (j *job) plan() (*planView, error) {
	free, demand := j.freeLeft(), cost.Demand(j.counts.Asked)
	maximum, err := demand.Maximum(free, j.option.Prices)
	if err != nil {
		return nil, err
	}
	view := &planView{
		Run: j.name, List: j.list.path, Columns: j.columnNames(), Rows: rowsOf(j.counts),
		Unidentifiable: map[string]int64{}, Lookups: map[string]int64{}, Fields: map[string]int64{}, FreeAllowance: map[string]int64{},
		Maximum: maximum, Option: j.option.Name,
		Seconds: int64(j.duration() / time.Second), duration: j.duration(), rate: j.rate.String(), account: j.asked,
	}
	for reason, rows := range j.counts.Unidentifiable {
		view.Unidentifiable[string(reason)] = rows
	}
	for _, operation := range []enrich.Operation{enrich.FindWorkEmail, enrich.FindPhone, enrich.EnrichContact} {
		view.Lookups[operation.String()] = j.counts.Lookups[operation]
	}
	for f := range j.scope.Wanted.Each() {
		view.Fields[f.String()] = demand[f]
		view.FreeAllowance[f.String()] = free[f]
	}
	if expected, known := demand.Expected(free, j.option.Prices, j.totals(checkpoint.ScopeAll)); known {
		view.Expected = &expected
	}
	view.Notes = pipeline.CheaperPrices(j.account, j.option.Prices, j.scope.Wanted)
	view.addCeilings(j)
	return view, view.addOptions(j, demand, free)
}

func rowsOf(c pipeline.Counts) rowCounts {
	rows := rowCounts{
		Total: c.Rows, Lookup: c.Lookup, Answered: c.Answered, Filled: c.Filled, Duplicate: c.Duplicates,
		Rejected: c.Rejected, InDoubt: c.InDoubt, Forfeited: c.Forfeited, NotAttempted: c.Skipped, Forgotten: c.Forgotten,
	}
	for _, n := range c.Unidentifiable {
		rows.Unidentifiable += n
	}
	return rows
}

func (j *job) columnNames() map[string]string {
	names := map[string]string{}
	for role, column := range j.scope.Mapping {
		names[string(role)] = j.schema.Columns[column]
	}
	return names
}

func (v *planView) addCeilings(j *job) {
	ceilings := j.ceilings()
	tightest, _, _ := cost.Tightest(ceilings, j.planTotals)
	for _, ceiling := range ceilings {
		left := max(ceiling.Left(j.planTotals(ceiling.Scope)), 0)
		v.Ceilings = append(v.Ceilings, ceilingView{
			Name: ceiling.Name, Limit: ceiling.Limit, Left: left,
			Covers:  cost.Covers(left, v.Maximum, j.dearest(), j.counts.Lookup),
			Binding: ceiling == tightest && left < v.Maximum,
		})
	}
}

// dearest returns the most that one of the planned lookups can cost.
func (j *job) dearest() cost.Money {
	var dearest cost.Money
	for operation := range j.counts.Lookups {
		if price, err := j.option.Prices.Total(operation.Fields()); err == nil {
			dearest = max(dearest, price)
		}
	}
	return dearest
}

func (v *planView) addOptions(j *job, demand cost.Demand, free cost.Allowances) error {
	for _, option := range j.card.Options {
		maximum, err := demand.Maximum(free, option.Prices)
		if err != nil {
			return fmt.Errorf("option %s: %w", option.Name, err)
		}
		v.Options = append(v.Options, optionView{Name: option.Name, Monthly: option.MonthlyIncluded, Maximum: maximum})
	}
	return nil
}

// print writes the plan for a person to read.
func (v *planView) print(w io.Writer) error {
	p := &printer{w: w}
	p.line("Plan of run %s", v.Run)
	p.line("")
	for _, role := range pipeline.Roles {
		if column, mapped := v.Columns[string(role)]; mapped {
			p.entry(string(role), "column %q", column)
		} else {
			p.entry(string(role), "no column")
		}
	}
	p.line("")
	v.printRows(p)
	p.line("")
	v.printMoney(p)
	return p.err
}

func (v *planView) printRows(p *printer) {
	p.entry("rows", "%d", v.Rows.Total)
	for _, part := range []struct {
		name string
		rows int64
	}{
		{"to look up", v.Rows.Lookup},
		{"answered before", v.Rows.Answered},
		{"already filled", v.Rows.Filled},
		{"duplicates", v.Rows.Duplicate},
		{"unidentifiable", v.Rows.Unidentifiable},
		{"rejected before", v.Rows.Rejected},
		{"in doubt", v.Rows.InDoubt},
		{"forfeited", v.Rows.Forfeited},
		{"beyond --limit", v.Rows.NotAttempted},
		{"forgotten on request", v.Rows.Forgotten},
	} {
		if part.rows > 0 || part.name == "to look up" {
			p.entry("  "+part.name, "%d", part.rows)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(v.Unidentifiable)) {
		p.line("    %d: %s", v.Unidentifiable[reason], reason)
	}
	for _, operation := range slices.Sorted(maps.Keys(v.Lookups)) {
		if lookups := v.Lookups[operation]; lookups > 0 {
			p.entry("lookups "+operation, "%d", lookups)
		}
	}
}

func (v *planView) printMoney(p *printer) {
	p.entry("free allowance", "%s", listCounts(v.FreeAllowance))
	p.entry("maximum spend", "$%s, when every field is returned (rate option %s)", v.Maximum, v.Option)
	if v.Expected != nil {
		p.entry("expected spend", "$%s, at the match rates of this journal", *v.Expected)
	} else if v.Rows.Lookup > 0 {
		p.entry("expected spend", "unknown: this journal has no history yet")
	}
	for _, ceiling := range v.Ceilings {
		note := ""
		if ceiling.Binding {
			note = fmt.Sprintf("; it binds and surely covers %d lookups", ceiling.Covers)
		}
		p.entry("ceiling "+ceiling.Name, "$%s left of $%s%s", ceiling.Left, ceiling.Limit, note)
	}
	if !v.account {
		p.entry("account", "not asked; its balance and budget may bind earlier")
	}
	p.entry("time", "at least %s at %s", v.duration, v.rate)
	for _, option := range v.Options {
		monthly := "prepaid"
		if option.Monthly > 0 {
			monthly = fmt.Sprintf("$%s a month included", option.Monthly)
		}
		p.entry("  option "+option.Name, "at most $%s (%s)", option.Maximum, monthly)
	}
	for _, note := range v.Notes {
		p.entry("note", "%s", note)
	}
}
