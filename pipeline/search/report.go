package search

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"payonce/cost"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/report"
)

// Summary says what a search has found.
type Summary struct {
	Search     string      `json:"search"`
	Filters    string      `json:"filters"`
	Run        string      `json:"run"`
	Output     string      `json:"output"`
	Results    int64       `json:"results"`
	Total      *int64      `json:"total_results"` // by the service's count; null when it does not tell
	Duplicates int64       `json:"duplicates"`
	Searches   int64       `json:"searches"`
	Parts      int64       `json:"parts"`
	Pages      int64       `json:"pages"`
	Calls      int64       `json:"calls"` // of this start
	InDoubt    int64       `json:"in_doubt"`
	Units      []UsedMeter `json:"units"`
	Spent      *cost.Money `json:"spent_usd,omitempty"` // by the run; left out where units have no price
	Gaps       []Gap       `json:"gaps"`                // what is not in the list, and why
	// Unusable are filters by which the search could not be split: the service ignores or refuses them.
	Unusable []string             `json:"unusable_filters,omitempty"`
	Kept     []output.KeptVersion `json:"kept,omitempty"`
	Stop     *string              `json:"stop"` // why it ended early
	Advice   string               `json:"-"`    // what to do next
}

func (s *session) summary(progress Progress, tally dispatch.Tally, stop dispatch.Stop, kept []output.KeptVersion) *Summary {
	view := &Summary{
		Search: s.Order.Kind.Name, Filters: s.Order.Query.String(), Run: s.name, Output: s.Output.Path,
		Results: int64(len(progress.Items)), Total: valueOf(progress.Total), Duplicates: progress.Duplicates,
		Searches: progress.Roots, Parts: progress.Parts, Pages: progress.Pages, Calls: tally.Posts, Units: s.used(), Spent: s.spent(),
		Gaps: append([]Gap{}, progress.Gaps...), Unusable: progress.Unusable, Kept: kept,
	}
	doubts, _ := s.journal.InDoubt(s.name)
	view.InDoubt = int64(doubts)
	if stop != nil {
		word := stop.Word()
		view.Stop = &word
	}
	return view
}

// Lost reports whether pages are missing whose calls may have been counted.
func (v *Summary) Lost() bool {
	for _, gap := range v.Gaps {
		if gap.Why == LostPage || gap.Why == PaidPage {
			return true
		}
	}
	return false
}

// number writes a count.
func number(n int64) string { return strconv.FormatInt(n, 10) }

// Render writes the plan.
func (p *Plan) Render(page *report.Page) {
	w := page.Writer
	w.Title("Plan of a search for " + p.Search)
	w.Gap()
	w.Entry("filters", p.Filters)
	w.Entry("run", p.Run)
	if p.Searches > 1 {
		w.Entry("searches", fmt.Sprintf("%d, one for each company", p.Searches))
	}
	if p.Most > 0 {
		w.Entry("results", "at most "+number(p.Most))
	}
	if p.PerOne > 0 {
		w.Entry("per company", "at most "+number(p.PerOne))
	}
	known := fmt.Sprintf("%s on %s, not older than %s", report.Counted(p.Known, "result"), report.Counted(p.Pages, "page"), age(p.FreshFor))
	if p.Total != nil {
		known += fmt.Sprintf("; the service counts %d", *p.Total)
	}
	w.Entry("known already", known)
	switch {
	case p.Needed == 0:
		w.Entry("calls", "none: every page is known")
	case p.AtMost == nil:
		w.Entry("calls", number(p.Needed)+" first; they tell how many follow")
	case *p.AtMost <= p.Needed:
		w.Entry("calls", "at most "+number(*p.AtMost))
	default:
		w.Entry("calls", fmt.Sprintf("%d first, which tell how many follow; at most %d, in %s", p.Needed, *p.AtMost, seconds(p.Seconds).Round(time.Second)))
	}
	if p.Maximum != nil {
		w.Entry("spend at most", "$"+p.Maximum.String())
	}
	renderUnits(w, p.Units)
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// age writes how old an answer may be, in days where it is some.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return report.Counted(int64(d/day), "day")
	}
	return d.String()
}

func renderUnits(w *report.Writer, meters []UsedMeter) {
	for _, m := range meters {
		text := number(m.Used)
		if m.Limit != nil {
			text += fmt.Sprintf(" of at most %d", *m.Limit)
		}
		text += " used by this search"
		if m.Held > 0 {
			text += fmt.Sprintf(", %d held by calls in doubt", m.Held)
		}
		if m.AccountLeft != nil {
			text += fmt.Sprintf("; the account has %d left", *m.AccountLeft)
		}
		w.Entry("units of "+m.Module, text)
	}
}

// shownGaps is how many gaps are shown to a person.
const shownGaps = 20

// Render writes the summary.
func (v *Summary) Render(page *report.Page) {
	w := page.Writer
	w.Title("Search for " + v.Search)
	w.Gap()
	w.Entry("filters", v.Filters)
	results := number(v.Results)
	if v.Total != nil && *v.Total != v.Results {
		results += fmt.Sprintf("; the service counts %d", *v.Total)
	}
	w.Entry("results", results)
	w.Entry("pages", fmt.Sprintf("%d, in %s", v.Pages, report.Counted(v.Parts, "part")))
	w.Entry("calls now", number(v.Calls))
	renderUnits(w, v.Units)
	if v.Spent != nil {
		w.Entry("spent", "$"+v.Spent.String())
	}
	if v.InDoubt > 0 {
		w.Entry("in doubt", report.Counted(v.InDoubt, "call"))
	}
	w.Entry("output", output.TargetName(v.Output))
	for _, kept := range v.Kept {
		w.Prose("kept", fmt.Sprintf("%s as %s, because %s", kept.File, kept.As, kept.Reason))
	}
	v.renderGaps(w)
	if v.Advice != "" {
		w.Gap()
		for line := range strings.SplitSeq(v.Advice, "\n") {
			w.Line(line)
		}
	}
}

func (v *Summary) renderGaps(w *report.Writer) {
	for _, key := range v.Unusable {
		w.Prose("filter "+key, "the service ignores or refuses it, so the search was not split by it")
	}
	if len(v.Gaps) == 0 {
		return
	}
	w.Section("Not in the list")
	for i, gap := range v.Gaps {
		if i == shownGaps {
			w.Item(fmt.Sprintf("  %d more", len(v.Gaps)-shownGaps))
			break
		}
		w.Item("  " + gap.String())
	}
}

// String describes the gap for a person.
func (g Gap) String() string {
	count, of := "results", g.Part
	if g.Count != nil {
		count = report.Counted(*g.Count, "result")
	}
	if g.Page > 0 {
		of = fmt.Sprintf("page %d of %s", g.Page, g.Part)
	}
	why := map[GapReason]string{
		LostPage:     "the response was lost, and it may have been counted",
		PaidPage:     "it was counted, and the response was lost",
		RejectedPage: "the service refuses it",
		ErasedPage:   "what was answered is erased",
		TooMany:      "there are more than the service shows, and the search cannot be split further",
		NoValue:      "they have no value for " + g.By + ", by which the search was split",
	}[g.Why]
	return fmt.Sprintf("%s of %s: %s", count, of, why)
}
