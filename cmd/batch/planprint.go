package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/row"
)

// print writes the plan for a person to read.
func (v *planView) print(w io.Writer) error {
	p := &printer{w: w}
	p.line("Plan of run %s", v.Run)
	if v.Job != v.Run {
		p.line("of job %s", v.Job)
	}
	p.line("")
	if v.Encoding != "" {
		p.entry("encoding", "%s", v.Encoding)
	}
	for _, role := range row.Roles {
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
	v.printCeilings(p)
	v.printTime(p)
	v.printOptions(p)
	v.printSample(p)
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
		{"rejected before", v.Rows.Rejected},
		{"in doubt", v.Rows.InDoubt},
		{"forfeited", v.Rows.Forfeited},
		{"beyond --limit", v.Rows.NotAttempted},
		{"forgotten on request", v.Rows.Forgotten},
		{"unidentifiable", v.Rows.Unidentifiable}, // the reasons follow
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
	if v.Priority != "" {
		p.entry("order", "by %s", v.Priority)
	}
}

func (v *planView) printMoney(p *printer) {
	p.prose("prices", "%s", listAmounts(v.Prices.USD))
	p.prose("  from", "%s", v.Prices.Source)
	for _, disagreement := range v.Prices.Disagreements {
		p.prose("  but", "%s", disagreement)
	}
	p.prose("free allowance", "%s", listCounts(v.FreeAllowance))
	p.entry("maximum spend", "$%s, when every field is returned", v.Maximum)
	if counts := listCounts(v.Split.Free); strings.ContainsAny(counts, "123456789") {
		p.prose("  after free fields", "%s", counts)
	}
	for _, part := range []struct {
		name   string
		amount *cost.Money
	}{
		{"  included balance", v.Split.Included},
		{"  prepaid balance", v.Split.Prepaid},
		{"  beyond the balance", v.Split.Uncovered},
	} {
		if part.amount != nil && *part.amount > 0 {
			p.entry(part.name, "$%s", *part.amount)
		}
	}
	v.printExpected(p)
}

func (v *planView) printExpected(p *printer) {
	switch {
	case v.Rows.Lookup == 0:
	case v.Expected != nil:
		p.prose("expected spend", "$%s, with 95 %% certainty $%s to $%s", *v.Expected, v.ExpectedRange.Low, v.ExpectedRange.High)
		if len(v.History.Borrowed) > 0 {
			p.prose("", "%s: by the rates of the other identity", strings.Join(v.History.Borrowed, ", "))
		}
	case len(v.History.Missing) == v.kinds:
		p.entry("expected spend", "unknown: this journal has no history yet")
	default:
		p.prose("expected spend", "unknown: this journal has no history yet of %s", strings.Join(v.History.Missing, ", "))
	}
}

func (v *planView) printCeilings(p *printer) {
	for _, ceiling := range v.Ceilings {
		p.prose("ceiling "+ceiling.Name, "%s left of %s", ceiling.left(), ceiling.limit())
		if ceiling.Binding {
			text := fmt.Sprintf("it binds: surely covers %d of %s", ceiling.Covers, lookupCount(v.Rows.Lookup))
			if ceiling.ProbablyCovers != nil && *ceiling.ProbablyCovers > ceiling.Covers {
				text += fmt.Sprintf(", probably %d", *ceiling.ProbablyCovers)
			}
			if ceiling.RenewsAt != nil {
				text += "; it begins anew on " + showTime(*ceiling.RenewsAt)
			}
			p.prose("", "%s", text)
		}
	}
	if !v.AccountRead {
		p.prose("account", "not asked; its balance and budget may bind earlier")
	}
	if v.Refused != nil {
		p.prose("the service refuses", "%s (%s). %s", strings.TrimRight(v.Refused.Message, "."), v.Refused.Code, remedy(v.Refused.Code))
	}
	if v.Approval != nil && v.Approval.Needed {
		p.prose("approval", "needed: $%s is possible, above the threshold of $%s; agree to it with --approve %s",
			v.Possible, v.Approval.Threshold, v.Possible)
	}
}

func (v *planView) printTime(p *printer) {
	duration := time.Duration(v.Seconds) * time.Second
	p.prose("time", "at least %s at %s, until %s", duration, v.Rate, showTime(v.EndsAt))
	if reset := v.BudgetReset; reset != nil {
		p.prose("budget reset", "on %s, after at most %s. The run keeps to what the usage budget leaves now; "+
			"run the same command again then to go on under the new one", showTime(reset.At), lookupCount(reset.LookupsBefore))
	}
}

func (v *planView) printOptions(p *printer) {
	var cheapest, expected string
	for _, option := range v.Options {
		if option.Cheapest {
			cheapest = option.Name
		}
		if option.CheapestExpected {
			expected = option.Name
		}
		text := "unknown: a price is missing"
		if option.Total != nil {
			text = "at most $" + option.Total.String()
		}
		if option.Expected != nil {
			text += ", expected $" + option.Expected.String()
		}
		if option.Monthly > 0 {
			text += " ($" + option.Monthly.String() + " a month)"
		}
		p.prose("  option "+option.Name, "%s", text)
	}
	if expected != "" && expected != cheapest {
		cheapest += "; by what is expected " + expected
	}
	if cheapest != "" {
		if len(v.mayPayBy) > 0 {
			cheapest += " (yours is " + strings.Join(v.mayPayBy, " or ") + ")"
		}
		p.prose("  cheapest", "%s", cheapest)
	}
}

// lookupCount writes a number of lookups.
func lookupCount(n int64) string { return counted(n, "lookup") }

// showTime writes a time for a person, to the minute.
func showTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// listAmounts writes amounts by field, in the order of the fields.
func listAmounts(amounts map[string]cost.Money) string {
	var parts []string
	for f := range enrich.AllFields.Each() {
		if amount, found := amounts[f.String()]; found {
			parts = append(parts, fmt.Sprintf("%s $%s", f, amount))
		}
	}
	return strings.Join(parts, ", ")
}
