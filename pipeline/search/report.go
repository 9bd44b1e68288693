package search

import (
	"fmt"
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
	Stop     *string              `json:"stop"`              // why it ended early
	Advice   string               `json:"-"`                 // what to do next
	Command  string               `json:"command,omitempty"` // goes on after a stop
	ofRun    bool                 // the search is a part of a run, whose units these are
}

func (s *session) summary(progress Progress, tally dispatch.Tally, stop dispatch.Stop, kept []output.KeptVersion) *Summary {
	view := &Summary{
		Search: s.Order.Kind.Name, Filters: s.Order.Query.String(), Run: s.name, Output: s.Output.Path,
		Results: int64(len(progress.Items)), Total: valueOf(progress.Total), Duplicates: progress.Duplicates,
		Searches: progress.Roots, Parts: progress.Parts, Pages: progress.Pages, Calls: tally.Posts, Units: s.used(), Spent: s.spent(),
		Gaps: append([]Gap{}, progress.Gaps...), Unusable: progress.Unusable, Kept: kept, ofRun: s.people != nil,
	}
	doubts, _ := s.Journal.InDoubt(s.name)
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

// Render writes the plan.
func (p *Plan) Render(page *report.Page) {
	page.Titlef("Plan of a search for %s", p.Search)
	page.Gap()
	page.Entryf("filters", "%s", p.Filters)
	page.Entryf("run", "%s", p.Run)
	if p.Searches > 1 {
		page.Entryf("searches", "%d, one for each %s", p.Searches, p.each)
	}
	if p.Most > 0 {
		page.Entryf("results", "at most %d", p.Most)
	}
	if p.PerOne > 0 {
		page.Entryf("per company", "at most %d", p.PerOne)
	}
	known := report.Textf("%s on %s, not older than %s", report.Counted(p.Known, "result"), report.Counted(p.Pages, "page"), age(p.FreshFor))
	if p.Total != nil {
		known += report.Textf("; the service counts %d", *p.Total)
	}
	page.Entryf("known already", "%s", known)
	switch {
	case p.Needed == 0:
		page.Entryf("calls", "none: every page is known")
	case p.AtMost == nil:
		page.Entryf("calls", "%d first; they tell how many follow", p.Needed)
	case *p.AtMost <= p.Needed:
		page.Entryf("calls", "at most %d", *p.AtMost)
	default:
		page.Entryf("calls", "%d first, which tell how many follow; at most %d, in %s", p.Needed, *p.AtMost, dispatch.Span(seconds(p.Seconds)))
	}
	if p.Maximum != nil {
		page.Entryf("spend at most", "$%s", p.Maximum)
	}
	renderUnits(page, p.Units, p.ofRun)
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

// renderUnits writes what a search has used, or the run that it is a part of.
func renderUnits(page *report.Page, meters []UsedMeter, ofRun bool) {
	by := "search"
	if ofRun {
		by = "run"
	}
	for _, m := range meters {
		text := report.Number(m.Used)
		if m.Limit != nil {
			text += report.Textf(" of at most %d", *m.Limit)
		}
		text += " used by this " + by
		if m.Held > 0 {
			text += report.Textf(", %d held by calls in doubt", m.Held)
		}
		if m.AccountLeft != nil {
			text += report.Textf("; the account has %d left", *m.AccountLeft)
		}
		page.Entryf("units of "+m.Module, "%s", text)
	}
}

// shownGaps is how many gaps are shown to a person.
const shownGaps = 20

// Render writes the summary.
func (v *Summary) Render(page *report.Page) {
	page.Titlef("Search for %s", v.Search)
	page.Gap()
	page.Entryf("filters", "%s", v.Filters)
	results := report.Number(v.Results)
	if v.Total != nil && *v.Total != v.Results {
		results += report.Textf("; the service counts %d", *v.Total)
	}
	page.Entryf("results", "%s", results)
	page.Entryf("pages", "%d, in %s", v.Pages, report.Counted(v.Parts, "part"))
	page.Entryf("calls now", "%d", v.Calls)
	renderUnits(page, v.Units, v.ofRun)
	if v.Spent != nil {
		page.Entryf("spent", "$%s", v.Spent)
	}
	if v.InDoubt > 0 {
		page.Entryf("in doubt", "%s", report.Counted(v.InDoubt, "call"))
	}
	if !v.ofRun {
		page.Entryf("output", "%s", output.TargetName(v.Output))
	}
	for _, kept := range v.Kept {
		page.Prosef("kept", "%s as %s, because %s", kept.File, kept.As, kept.Reason)
	}
	v.renderGaps(page)
	if v.Advice != "" {
		page.Gap()
		for line := range strings.SplitSeq(v.Advice, "\n") {
			page.Linef("%s", line)
		}
	}
}

func (v *Summary) renderGaps(page *report.Page) {
	for _, key := range v.Unusable {
		page.Prosef("filter "+key, "the service ignores or refuses it, so the search was not split by it")
	}
	if len(v.Gaps) == 0 {
		return
	}
	page.Sectionf("Not in the list")
	for i, gap := range v.Gaps {
		if i == shownGaps {
			page.Itemf("  %d more", len(v.Gaps)-shownGaps)
			break
		}
		page.Itemf("  %s", gap)
	}
}

// String describes the gap for a person.
func (g Gap) String() string {
	count, of := "results", g.Part
	if g.Count != nil {
		count = report.Counted(*g.Count, "result")
	}
	if g.Page > 0 {
		of = report.Textf("page %d of %s", g.Page, g.Part)
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
