package report

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/columns"
)

func (v *Plan) Render(p *Page) {
	p.Titlef("Plan of run %s", v.Run)
	if v.Job != v.Run {
		p.Linef("of job %s", v.Job)
	}
	p.Gap()
	if v.List != "" {
		p.Prosef("list", "%s", filepath.Base(v.List))
	}
	if v.Output != "" {
		p.Prosef("output", "%s", v.Output)
	}
	if v.Encoding != "" {
		text := v.Encoding
		if v.EncodingGuessed {
			text += p.Hint("encoding_guessed")
		}
		p.Entryf("encoding", "%s", text)
	}
	if v.Preset != "" {
		p.Entryf("preset", "%s", v.Preset)
	}
	if v.MapFile != "" {
		p.Entryf("mapping file", "%s", v.MapFile)
	}
	for _, role := range v.shown() {
		if v.Columns == nil {
			break // the rows are people that a search found
		}
		if column, mapped := v.Columns[string(role)]; mapped {
			p.Entryf(string(role), "column %q", column)
		} else {
			p.Entryf(string(role), "no column")
		}
	}
	if column, mapped := v.Columns[string(columns.FullName)]; mapped {
		p.Entryf(string(columns.FullName), "column %q, split into first and last name", column)
	}
	v.printCells(p)
	p.Gap()
	v.printRows(p)
	p.Gap()
	for _, line := range v.Steps.Lines() {
		p.Prosef(line.Name, "%s", line.Text)
	}
	if v.Steps.useUnits() > 1 && len(v.Units) > 0 {
		p.Prosef("units in all", "at most %s", unitsText(v.Units, true))
	}
	if len(v.Steps) == 0 || v.Steps.TakeMoney() {
		v.printMoney(p)
	}
	v.printCeilings(p)
	for _, limit := range v.Limits {
		p.Alertf("limit", "%s", limit)
	}
	v.printTime(p)
	v.printOptions(p)
	v.printSample(p)
}

// shown returns the roles of columns that the plan shows in any case.
func (v *Plan) shown() []columns.Role {
	if v.Lists == enrich.Companies.String() {
		return columns.RolesOf(enrich.Companies)
	}
	return columns.Shown()
}

// printCells says what the cells of the list hold besides what their columns say.
func (v *Plan) printCells(p *Page) {
	for _, unused := range v.Unused {
		p.Alertf("not used", "column #%d %q as %s, because it holds %s", unused.Number, unused.Column, unused.Field, unused.Holds)
	}
	for _, held := range v.Held {
		p.Prosef("held", "%s a value of %s in %q; not buying them saves up to $%s", have(held.Rows), held.Field, held.Column, held.SavesUpTo)
	}
	if v.DoubtfulNames > 0 {
		p.Alertf("doubtful names", "%s with a name of several words, of which the first and the last are used", Counted(v.DoubtfulNames, "row"))
	}
	for _, below := range v.Below {
		p.Prosef("below the rows", "%s of totals or notes from line %d of %s: left as they are, and not looked up",
			Counted(int64(below.Rows), "row"), below.Line, filepath.Base(below.File))
	}
	if v.Placeholders > 0 {
		p.Prosef("placeholders", "%s with n/a or the like, taken as empty", Counted(v.Placeholders, "cell"))
	}
}

// have says how many rows have something.
func have(rows int64) string {
	if rows == 1 {
		return "1 row has"
	}
	return Textf("%d rows have", rows)
}

func (v *Plan) printRows(p *Page) {
	p.Entryf("rows", "%d", v.Rows.Total)
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
		{"beyond the limit", v.Rows.NotAttempted},
		{"forgotten on request", v.Rows.Forgotten},
		{"cannot look up", v.Rows.Unidentifiable}, // the reasons follow
	} {
		if part.rows > 0 || part.name == "to look up" {
			p.Entryf("  "+part.name, "%d", part.rows)
		}
	}
	if v.Erased > 0 {
		p.Prosef("answers erased", "%d: they are not bought again, and the rows that need them stay empty", v.Erased)
	}
	for _, reason := range slices.Sorted(maps.Keys(v.Unidentifiable)) {
		p.Itemf("    %d: %s", v.Unidentifiable[reason], reason)
	}
	if text := v.Ambiguous.Text(); text != "" {
		p.Alertf("ambiguous", "%s%s", text, p.Hint("ambiguous"))
	}
	if v.Rows.Lookup > 0 && len(v.Steps) == 0 {
		p.Prosef("lookups", "%s", v.lookups())
	}
	switch {
	case v.Priority != "":
		p.Entryf("order", "by %s", v.Priority)
	case v.Complete != nil && v.Complete.IsFirst:
		p.Entryf("order", "rows that can be completed first")
	}
}

// lookups says how many lookups ask for several fields and for one of them alone.
func (v *Plan) lookups() string {
	var parts []string
	for _, ask := range v.Asks {
		text := strings.Join(ask.Words, " and ")
		if len(ask.Words) == 1 && len(v.Fields) > 1 {
			text += " only"
		}
		parts = append(parts, Textf("%s %d", text, ask.Lookups))
	}
	if len(v.Asks) == 0 { // of a plan that was kept before plans had them
		for _, operation := range slices.Sorted(maps.Keys(v.Lookups)) {
			if n := v.Lookups[operation]; n > 0 {
				parts = append(parts, Textf("%s %d", operation, n))
			}
		}
	}
	return strings.Join(parts, ", ")
}

func (v *Plan) printMoney(p *Page) {
	p.Prosef("prices", "%s", Amounts(slices.Concat(v.Prices.USD, v.Prices.perUnit())))
	p.Prosef("  from", "%s", v.Prices.Source)
	for _, disagreement := range v.Prices.Disagreements {
		p.Alertf("  but", "%s", disagreement)
	}
	if len(v.Prices.USD) > 0 {
		p.Prosef("free allowance", "%s", Counts(v.FreeAllowance))
	}
	p.Entryf("maximum spend", "$%s, when every field is returned", v.Maximum)
	v.printQuantities(p)
	if text := v.Split.text(); text != "" {
		p.Prosef("  paid from", "%s", text)
	}
	v.printExpected(p)
	v.SpentBefore.Render(p)
}

// text says what of the maximum is paid from which balance, in the order of use; "" where no balance is known.
func (v MaximumSplit) text() string {
	var parts []string
	for _, part := range []struct {
		amount *cost.Money
		text   string
	}{
		{v.Included, "$%s of the month's included balance"},
		{v.Prepaid, "$%s of prepaid credit"},
		{v.Uncovered, "and $%s from nothing: the balance is too low"},
	} {
		if part.amount != nil && *part.amount > 0 {
			parts = append(parts, Textf(part.text, *part.amount))
		}
	}
	return strings.Join(parts, ", ")
}

// perUnit returns the prices of units, with names that tell them from fields.
func (v Prices) perUnit() (prices Values[cost.Money]) {
	for _, one := range v.Units {
		prices = append(prices, Value[cost.Money]{Name: "a unit of " + one.Name, Value: one.Value})
	}
	return prices
}

// printQuantities shows what the maximum is made of.
func (v *Plan) printQuantities(p *Page) {
	for _, one := range v.Prices.USD {
		name, price := one.Name, one.Value
		wanted, free := v.Fields.Get(name), v.Split.Free.Get(name)
		if wanted == 0 {
			continue
		}
		text := Textf("%d × $%s = $%s", wanted-free, price, price.Times(wanted-free))
		if free > 0 {
			text += Textf(", and %d free", free)
		}
		p.Prosef("  "+name, "%s", text)
	}
}

func (v *Plan) printExpected(p *Page) {
	switch {
	case v.Rows.Lookup == 0:
	case v.History.PricedUnits:
		p.Prosef("expected spend", "unknown: match rates do not tell how many units with a price are used")
	case v.Expected != nil:
		p.Prosef("expected spend", "$%s, with 95 %% certainty $%s to $%s", *v.Expected, v.ExpectedRange.Low, v.ExpectedRange.High)
		if len(v.History.Borrowed) > 0 {
			p.Prosef("", "%s: by the rates of the other identity", strings.Join(v.History.Borrowed, ", "))
		}
	case v.History.None && v.Sample != nil: // which is proposed below
		p.Prosef("expected spend", "unknown: this journal has no history yet")
	case v.History.None:
		p.Prosef("expected spend", "unknown: this journal has no history yet%s", p.Hint("no_history"))
	default:
		p.Prosef("expected spend", "unknown: this journal has no history yet of %s", strings.Join(v.History.Missing, ", "))
	}
}

func (v *Plan) printCeilings(p *Page) {
	for _, ceiling := range v.Ceilings {
		p.Prosef("ceiling "+ceiling.Name, "%s", ceiling.LeftOfLimit())
		if ceiling.Binding || ceiling.TooLow {
			whole := people(v.Rows.Lookup)
			if len(v.Steps) > 1 {
				whole = Counted(v.allLookups(), "lookup")
			}
			if ceiling.Lookups > 0 {
				whole = Counted(ceiling.Lookups, "lookup")
			}
			text := Textf("%s at least %d of %s", ceiling.Covering(), ceiling.Covers, whole)
			if ceiling.ProbablyCovers != nil && *ceiling.ProbablyCovers > ceiling.Covers {
				text += Textf(", probably %d", *ceiling.ProbablyCovers)
			}
			if ceiling.RenewsAt != nil {
				text += "; it renews on " + Time(*ceiling.RenewsAt)
			}
			p.Prosef("", "%s", text)
		}
	}
	if c := v.Complete; c != nil {
		hint := ""
		if c.First > c.Rows && v.Priority == "" { // a priority excludes it
			hint = p.Hint("complete_first", Number(c.First))
		}
		p.Prosef("rows complete", "%d of %d, if all values are found%s", c.Rows, c.Of, hint)
	}
	if !v.AccountRead {
		p.Prosef("account", "not asked: its balance or budget may stop the run")
	}
	if v.Refused != nil {
		p.Alertf("the service refuses", "%s (%s). %s", strings.TrimRight(v.Refused.Message, "."), v.Refused.Code, p.Remedy(v.Refused.Code))
	}
	v.Approval.Render(p, v.Possible)
}

// Missing reports whether a run that can spend an amount still needs an approval. With a nil a it needs none.
func (a *PlanApproval) Missing(possible cost.Money) bool {
	return a != nil && a.Needed && (a.Approved == nil || possible > *a.Approved)
}

// Render says whether a run that can spend an amount needs approval, or has it.
func (a *PlanApproval) Render(p *Page, possible cost.Money) {
	if a == nil || !a.Needed {
		return
	}
	above := Textf("$%s is possible, above the threshold of $%s", possible, a.Threshold)
	switch {
	case !a.Missing(possible):
		p.Prosef("approval", "given: %s; $%s was approved%s", above, *a.Approved, p.Hint("approval_given"))
		return
	case a.Approved != nil:
		above += Textf(", and $%s was approved", *a.Approved)
	}
	if a.Asks {
		p.Alertf("approval", "needed: %s; you are asked for it below", above)
		return
	}
	p.Alertf("approval", "needed: %s; %s", above, p.Hint("approval", possible))
}

func (v *Plan) printTime(p *Page) {
	text := atLeast(v.Seconds)
	if len(v.Steps) == 0 {
		text += " at " + v.Rate
	}
	text += ", until " + Time(v.EndsAt)
	if v.PausedUntil != nil {
		text += "; the service asked to send nothing before " + Time(*v.PausedUntil)
	}
	if v.Timed != nil {
		text += Textf("; the ceilings cover about %d of %s", *v.Timed, Lookups(v.allLookups()))
	}
	p.Prosef("time", "%s", text)
	if reset := v.BudgetReset; reset != nil {
		p.Prosef("budget reset", "on %s, after at most %s. The run keeps to what the usage budget leaves now; "+
			"run the same command again then to go on under the new one", Time(reset.At), Lookups(reset.LookupsBefore))
	}
}

// printOptions shows the options of the rate card that would cost less than the one in use.
func (v *Plan) printOptions(p *Page) {
	most, expected := v.own()
	found := false
	for _, option := range v.Options {
		if option.Total == nil {
			continue // a price is missing
		}
		likely := option.Expected != nil && expected != nil && *option.Expected < *expected
		if !likely && *option.Total >= most {
			continue
		}
		text := "at most " + USD(*option.Total)
		if option.Expected != nil {
			text += ", expected " + USD(*option.Expected)
		}
		if option.Monthly > 0 {
			text += ", with the monthly fee of " + USD(option.Monthly) + " in it"
		}
		var less []string
		if *option.Total < most {
			less = append(less, "at most "+USD(most-*option.Total)+" less")
		}
		if likely {
			less = append(less, "expected "+USD(*expected-*option.Expected)+" less")
		}
		p.Prosef("cheaper by "+option.Name, "%s: %s than yours", text, strings.Join(less, ", "))
		found = true
	}
	if found && len(v.MayPayBy) > 0 {
		p.Prosef("  yours", "%s, at most $%s", strings.Join(v.MayPayBy, " or "), most)
	}
}

// own returns what the list costs by the option in use, and what it is expected to cost; nil when
// that is not known. Where the prices fit several options, it is the cheapest of them.
func (v *Plan) own() (most cost.Money, expected *cost.Money) {
	most, expected = v.Maximum, v.Expected
	if len(v.Prices.Units) > 0 {
		most = v.Steps.OfFields() // no option pays for units
	}
	found := false
	for _, option := range v.Options {
		if option.Total == nil || !slices.Contains(v.MayPayBy, option.Name) || found && *option.Total >= most {
			continue
		}
		most, expected, found = *option.Total, option.Expected, true
	}
	return most, expected
}

// lookups writes how many lookups the sample has.
func (v *Sample) lookups() string {
	if v.UpTo {
		return "up to " + Lookups(v.Lookups)
	}
	return Lookups(v.Lookups)
}

// cost writes what the sample can cost and use.
func (v *Sample) cost() string {
	var parts []string
	if v.TakesMoney || len(v.Units) == 0 {
		parts = append(parts, "$"+v.Maximum.String())
	}
	for _, units := range v.Units {
		parts = append(parts, Textf("%s of %s", Counted(units.Most, "unit"), units.Meter))
	}
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func (v *Plan) printSample(p *Page) {
	if v.Sample == nil {
		return
	}
	p.Gap()
	p.Linef("To see the match rates first, send %s for at most %s:", v.Sample.lookups(), v.Sample.cost())
	p.Command(v.Sample.Words)
	if width := v.Sample.WidthAfter; width != nil {
		p.Linef("The range of the expected spend is then about $%s wide.", *width)
	}
	if v.Priority != "" {
		p.Linef("It has the first persons of that order, whose match rates may differ from the rest.")
	}
	p.Linef("The journal keeps the answers. A run of the whole list asks only for the rest.")
}
