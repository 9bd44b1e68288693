package report

import (
	"fmt"
	"time"
)

// AccountV2 is the account of the second interface as it is shown; null is unknown.
type AccountV2 struct {
	ReadAt  time.Time  `json:"read_at"`
	Modules []ModuleV2 `json:"modules"`
	// Emails and Phones are the values that the account was given since a time.
	Emails *int64    `json:"emails"`
	Phones *int64    `json:"phones"`
	Since  time.Time `json:"contacts_since"`
	// BaseAt is when the journal's books of the account begin; null without a journal that knows it.
	BaseAt *time.Time `json:"journal_since"`
}

// ModuleV2 is the counter of a module.
type ModuleV2 struct {
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

func (v *AccountV2) render(p *page) {
	for _, m := range v.Modules {
		name := m.Codename
		if m.Meter != "" {
			name = m.Meter
		}
		text := number(m.Used) + " used"
		if m.Left != nil && m.Total != nil {
			text += fmt.Sprintf(", %d left of %d", *m.Left, *m.Total)
		} else {
			text += ", total unknown"
		}
		if v.BaseAt != nil && m.Journal != nil {
			text += fmt.Sprintf("; since %s this journal used %d", Time(*v.BaseAt), *m.Journal)
			if m.Others != nil && *m.Others > 0 {
				text += fmt.Sprintf(" and others at least %d", *m.Others)
			}
		}
		p.prose("v2 "+name, "%s", text)
	}
	since := v.Since.UTC().Format(time.DateOnly)
	p.entry("v2 emails", "%s returned since %s", number(v.Emails), since)
	p.entry("v2 phones", "%s returned since %s", number(v.Phones), since)
}

// number writes a number that may be unknown.
func number(n *int64) string {
	if n == nil {
		return "an unknown number"
	}
	return fmt.Sprint(*n)
}
