package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"payonce/cost"
	"payonce/pipeline/columns"
	"payonce/service/v1/v1fields"
)

func (v *Plan) render(p *page) {
	p.title("Plan of run %s", v.Run)
	if v.Job != v.Run {
		p.line("of job %s", v.Job)
	}
	p.gap()
	if v.Encoding != "" {
		text := v.Encoding
		if v.EncodingGuessed {
			text += p.hint("encoding_guessed")
		}
		p.entry("encoding", "%s", text)
	}
	if v.Preset != "" {
		p.entry("preset", "%s", v.Preset)
	}
	if v.MapFile != "" {
		p.entry("mapping file", "%s", v.MapFile)
	}
	for _, role := range columns.Shown() {
		if column, mapped := v.Columns[string(role)]; mapped {
			p.entry(string(role), "column %q", column)
		} else {
			p.entry(string(role), "no column")
		}
	}
	if column, mapped := v.Columns[string(columns.FullName)]; mapped {
		p.entry(string(columns.FullName), "column %q, split into first and last name", column)
	}
	v.printCells(p)
	p.gap()
	v.printRows(p)
	p.gap()
	for _, line := range v.Steps.Lines() {
		p.prose(line.Name, "%s", line.Text)
	}
	if len(v.Steps) == 0 || v.Steps.TakeMoney() {
		v.printMoney(p)
	}
	v.printCeilings(p)
	v.printTime(p)
	v.printOptions(p)
	v.printSample(p)
}

// printCells says what the cells of the list hold besides what their columns say.
func (v *Plan) printCells(p *page) {
	for _, unused := range v.Unused {
		p.alert("not used", "column #%d %q as %s, because it holds %s", unused.Number, unused.Column, unused.Field, unused.Holds)
	}
	for _, held := range v.Held {
		p.prose("held", "%s in %q; not buying them saves up to $%s", rowsWith(held), held.Column, held.SavesUpTo)
	}
	if v.DoubtfulNames > 0 {
		p.alert("doubtful names", "%s with a name of several words, of which the first and the last are used", Counted(v.DoubtfulNames, "row"))
	}
	if v.Placeholders > 0 {
		p.prose("placeholders", "%s with n/a or the like, taken as empty", Counted(v.Placeholders, "cell"))
	}
}

// rowsWith says how many rows hold a field.
func rowsWith(held Held) string {
	what, have := "an address", "have"
	if held.Field == catalogue().Name(v1fields.BusinessPhone) {
		what = "a number"
	}
	if held.Rows == 1 {
		have = "has"
	}
	return Counted(held.Rows, "row") + " " + have + " " + what
}

func (v *Plan) printRows(p *page) {
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
		{"beyond the limit", v.Rows.NotAttempted},
		{"forgotten on request", v.Rows.Forgotten},
		{"cannot look up", v.Rows.Unidentifiable}, // the reasons follow
	} {
		if part.rows > 0 || part.name == "to look up" {
			p.entry("  "+part.name, "%d", part.rows)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(v.Unidentifiable)) {
		p.item("    %d: %s", v.Unidentifiable[reason], reason)
	}
	if text := v.Ambiguous.Text(); text != "" {
		p.alert("ambiguous", "%s%s", text, p.hint("ambiguous"))
	}
	if v.Rows.Lookup > 0 && len(v.Steps) == 0 {
		p.prose("lookups", "%s", v.lookups())
	}
	if v.Priority != "" {
		p.entry("order", "by %s", v.Priority)
	}
}

// lookups says how many lookups ask for both fields and for each of them alone.
func (v *Plan) lookups() string {
	emails, email := v.Fields[catalogue().Name(v1fields.WorkEmail)]
	phones, phone := v.Fields[catalogue().Name(v1fields.BusinessPhone)]
	switch {
	case !phone:
		return fmt.Sprintf("email %d", v.Rows.Lookup)
	case !email:
		return fmt.Sprintf("phone %d", v.Rows.Lookup)
	}
	var parts []string
	for _, part := range []struct {
		name    string
		lookups int64
	}{
		{"email and phone", emails + phones - v.Rows.Lookup},
		{"phone only", v.Rows.Lookup - emails},
		{"email only", v.Rows.Lookup - phones},
	} {
		if part.lookups > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", part.name, part.lookups))
		}
	}
	return strings.Join(parts, ", ")
}

func (v *Plan) printMoney(p *page) {
	p.prose("prices", "%s", Amounts(v.Prices.USD))
	p.prose("  from", "%s", v.Prices.Source)
	for _, disagreement := range v.Prices.Disagreements {
		p.alert("  but", "%s", disagreement)
	}
	p.prose("free allowance", "%s", Counts(v.FreeAllowance))
	p.entry("maximum spend", "$%s, when every field is returned", v.Maximum)
	v.printQuantities(p)
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
	v.SpentBefore.render(p)
}

// printQuantities shows what the maximum is made of.
func (v *Plan) printQuantities(p *page) {
	for f := range v1fields.AllFields.Each() {
		name := catalogue().Name(f)
		wanted, free := v.Fields[name], v.Split.Free[name]
		price, known := v.Prices.USD[name]
		if wanted == 0 || !known {
			continue
		}
		text := fmt.Sprintf("%d × $%s = $%s", wanted-free, price, price.Times(wanted-free))
		if free > 0 {
			text += fmt.Sprintf(", and %d free", free)
		}
		p.prose("  "+name, "%s", text)
	}
}

func (v *Plan) printExpected(p *page) {
	switch {
	case v.Rows.Lookup == 0:
	case v.Expected != nil:
		p.prose("expected spend", "$%s, with 95 %% certainty $%s to $%s", *v.Expected, v.ExpectedRange.Low, v.ExpectedRange.High)
		if len(v.History.Borrowed) > 0 {
			p.prose("", "%s: by the rates of the other identity", strings.Join(v.History.Borrowed, ", "))
		}
	case v.History.None:
		p.prose("expected spend", "unknown: this journal has no history yet%s", p.hint("no_history"))
	default:
		p.prose("expected spend", "unknown: this journal has no history yet of %s", strings.Join(v.History.Missing, ", "))
	}
}

func (v *Plan) printCeilings(p *page) {
	for _, ceiling := range v.Ceilings {
		p.prose("ceiling "+ceiling.Name, "%s left of %s", ceiling.LeftText(), ceiling.LimitText())
		if ceiling.Binding {
			text := fmt.Sprintf("%s at least %d of %s", ceiling.Covering(), ceiling.Covers, People(v.Rows.Lookup))
			if ceiling.ProbablyCovers != nil && *ceiling.ProbablyCovers > ceiling.Covers {
				text += fmt.Sprintf(", probably %d", *ceiling.ProbablyCovers)
			}
			if ceiling.RenewsAt != nil {
				text += "; it renews on " + Time(*ceiling.RenewsAt)
			}
			p.prose("", "%s", text)
		}
	}
	if !v.AccountRead {
		p.prose("account", "not asked; its balance and budget may bind earlier")
	}
	if v.Refused != nil {
		p.alert("the service refuses", "%s (%s). %s", strings.TrimRight(v.Refused.Message, "."), v.Refused.Code, p.remedy(v.Refused.Code))
	}
	if v.Approval != nil && v.Approval.Needed {
		p.alert("approval", "needed: $%s is possible, above the threshold of $%s; %s",
			v.Possible, v.Approval.Threshold, p.hint("approval", v.Possible))
	}
}

func (v *Plan) printTime(p *page) {
	duration := time.Duration(v.Seconds) * time.Second
	if len(v.Steps) > 0 {
		p.prose("time", "at least %s, until %s", duration, Time(v.EndsAt))
	} else {
		p.prose("time", "at least %s at %s, until %s", duration, v.Rate, Time(v.EndsAt))
	}
	if reset := v.BudgetReset; reset != nil {
		p.prose("budget reset", "on %s, after at most %s. The run keeps to what the usage budget leaves now; "+
			"run the same command again then to go on under the new one", Time(reset.At), Lookups(reset.LookupsBefore))
	}
}

// printOptions shows the options of the rate card that would cost less than the one in use.
func (v *Plan) printOptions(p *page) {
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
		text := "at most $" + option.Total.String()
		if option.Expected != nil {
			text += ", expected $" + option.Expected.String()
		}
		if option.Monthly > 0 {
			text += " ($" + option.Monthly.String() + " a month)"
		}
		p.prose("cheaper by "+option.Name, "%s", text)
		found = true
	}
	if found && len(v.MayPayBy) > 0 {
		p.prose("  yours", "%s, at most $%s", strings.Join(v.MayPayBy, " or "), most)
	}
}

// own returns what the list costs by the option in use, and what it is expected to cost; nil when
// that is not known. Where the prices fit several options, it is the cheapest of them.
func (v *Plan) own() (most cost.Money, expected *cost.Money) {
	most, expected = v.Maximum, v.Expected
	found := false
	for _, option := range v.Options {
		if option.Total == nil || !slices.Contains(v.MayPayBy, option.Name) || found && *option.Total >= most {
			continue
		}
		most, expected, found = *option.Total, option.Expected, true
	}
	return most, expected
}

func (v *Plan) printSample(p *page) {
	if v.Sample == nil {
		return
	}
	p.gap()
	p.line("To see the match rates first, send %s for at most $%s:", Lookups(v.Sample.Lookups), v.Sample.Maximum)
	p.command(v.Sample.Words)
	if width := v.Sample.WidthAfter; width != nil {
		p.line("The range of the expected spend is then about $%s wide.", *width)
	}
	if v.Priority != "" {
		p.line("It has the first persons of that order, who may match unlike the others.")
	}
	p.line("What the sample finds counts: the whole list then asks for the rest alone.")
}
