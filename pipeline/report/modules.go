// This file shows the account of the second interface: what was used of each of its modules.

package report

import (
	"time"
)

// UnitAccount is the account of the second interface as it is shown; null is unknown.
type UnitAccount struct {
	ReadAt  time.Time `json:"read_at"`
	Modules []Module  `json:"modules"`
	// Emails and Phones are the values that the account was given since a time.
	Emails *int64    `json:"emails"`
	Phones *int64    `json:"phones"`
	Since  time.Time `json:"contacts_since"`
	// Until is the end of that time where the user gave one.
	Until *time.Time `json:"contacts_until,omitempty"`
	// BaseAt is when the journal began to count what the account uses; null without a journal that knows it.
	BaseAt *time.Time `json:"journal_since"`
	// Limits are those that calls of this journal reached and that last.
	Limits []ReachedLimit `json:"limits,omitempty"`
	// Misplaced says which units the service counted on other modules than is assumed; "" for none.
	Misplaced string `json:"module_differs,omitempty"`
}

// Module is the counter of a module.
type Module struct {
	Name     string `json:"name"` // as the service shows it
	Codename string `json:"codename"`
	Meter    string `json:"meter,omitempty"` // what limits and prices call it; "" where nothing counts on it
	Used     *int64 `json:"used"`
	Total    *int64 `json:"total"`
	Left     *int64 `json:"left"`
	// Journal is what this journal used since BaseAt, and Others what others used, at least.
	Journal *int64 `json:"journal_used,omitempty"`
	Others  *int64 `json:"others_used,omitempty"`
}

// Lines calls add with the name and the text of each line.
func (v *UnitAccount) Lines(add func(name, text string)) {
	for _, m := range v.Modules {
		name := m.Codename
		if m.Meter != "" {
			name = m.Meter
		}
		add("v2 "+name, m.text(v.BaseAt))
	}
	for _, limit := range v.Limits {
		add("v2 limit", limit.String())
	}
	if v.Misplaced != "" {
		add("v2 modules", v.Misplaced)
	}
	since := " returned since " + shownTime(v.Since)
	if v.Until != nil {
		since = " returned from " + shownTime(v.Since) + " to " + shownTime(*v.Until)
	}
	add("v2 emails", moduleNumber(v.Emails)+since)
	add("v2 phones", moduleNumber(v.Phones)+since)
}

// shownTime writes a time, and a midnight as its day.
func shownTime(at time.Time) string {
	if at = at.UTC(); at.Equal(at.Truncate(24 * time.Hour)) {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02 15:04:05 UTC")
}

// text says what was used of a module, and what this journal and others used since the journal's base.
func (m Module) text(baseAt *time.Time) string {
	text := moduleNumber(m.Used) + " used, total unknown"
	if m.Left != nil && m.Total != nil {
		text = Textf("%s used, %d left of %d", moduleNumber(m.Used), *m.Left, *m.Total)
	}
	if baseAt != nil && m.Journal != nil {
		text += Textf("; since %s this journal used %d", baseAt.UTC().Format("2006-01-02 15:04 UTC"), *m.Journal)
		if m.Others != nil && *m.Others > 0 {
			text += Textf(" and others at least %d", *m.Others)
		}
	}
	return text
}

// moduleNumber writes a number that may be unknown.
func moduleNumber(n *int64) string {
	if n == nil {
		return "an unknown number"
	}
	return Number(*n)
}
