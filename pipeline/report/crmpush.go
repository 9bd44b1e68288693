package report

import (
	"slices"
	"time"

	iocrm "payonce/io/crm"
	"payonce/pipeline/crm"
	"payonce/pipeline/output"
)

// CRMPull counts the records that were pulled from a CRM.
type CRMPull struct {
	CRM      string `json:"crm"`
	List     string `json:"list"`
	Records  int64  `json:"records"`
	Emails   int64  `json:"with_email"`
	Phones   int64  `json:"with_phone"`
	Websites int64  `json:"with_website"` // of the company
	OptedOut int64  `json:"opted_out"`    // they are in the list only with ListsOptedOut
	Found    int64  `json:"-"`            // in the CRM

	ListsOptedOut bool `json:"-"`
	// Missing counts ids of the selection that are not in the CRM.
	Missing   int64                `json:"missing"`
	KeptFiles []output.KeptVersion `json:"kept_files,omitempty"`
}

// Count counts a record. It reports whether the record is in the list.
func (v *CRMPull) Count(from *crm.CRM, r *iocrm.Record) bool {
	v.Found++
	if from.HasOptedOut(r) {
		v.OptedOut++
		if !v.ListsOptedOut {
			return false
		}
	}
	v.Records++
	for count, value := range map[*int64]string{&v.Emails: r.Values[from.Email], &v.Phones: r.Values[from.Phone], &v.Websites: r.Account.Website} {
		if value != "" {
			*count++
		}
	}
	return true
}

func (v *CRMPull) Render(p *Page) {
	p.Entryf("crm", "%s", v.CRM)
	p.Prosef("pulled", "%s: %s; %d with an email, %d with a phone, %d with the company's website", v.List, Counted(v.Records, "record"), v.Emails, v.Phones, v.Websites)
	switch {
	case v.OptedOut > 0 && v.ListsOptedOut:
		p.Prosef("opted out", "%s; a push writes nothing to them", Counted(v.OptedOut, "record"))
	case v.OptedOut > 0:
		p.Prosef("opted out", "%s; they are not in the list, because a push writes nothing to them", Counted(v.OptedOut, "record"))
	}
	if v.Missing > 0 {
		p.Alertf("missing", "%s of the selection not in the CRM", Counted(v.Missing, "record"))
	}
	RenderKept(p, v.KeptFiles)
}

// CRMPush counts the values that were written to the records of a CRM, or cleared there.
type CRMPush struct {
	Run    string `json:"run"`
	CRM    string `json:"crm"`
	DryRun bool   `json:"dry_run,omitempty"`
	Undo   bool   `json:"undo,omitempty"`
	// Undecided counts values without a decision.
	Undecided int64 `json:"undecided"`
	Records   int64 `json:"records"`         // changed records
	Written   int64 `json:"written"`         // in a dry run, those that would be written
	Already   int64 `json:"already_written"` // before this start
	Cleared   int64 `json:"cleared"`
	// Returned counts approved values that were not written, and Kept those that an undo did not clear, by reason.
	Returned []CRMReason   `json:"back_to_review"`
	Kept     []CRMReason   `json:"kept,omitempty"`
	InDoubt  int64         `json:"in_doubt"`
	Left     int64         `json:"records_left"` // records that were not processed
	Writes   []CRMWrite    `json:"writes,omitempty"`
	Unclear  []crm.Unclear `json:"unclear_rows,omitempty"`
	Stop     *CRMStop      `json:"stop,omitempty"` // why it ended early
	Advice   string        `json:"-"`
}

// CRMReason counts values by a reason.
type CRMReason struct {
	Reason string `json:"reason"`
	Values int64  `json:"values"`
}

// CRMWrite is a value that would be written, or a field that would be cleared.
type CRMWrite struct {
	Record string `json:"record_id"`
	Field  string `json:"field"`
	Value  string `json:"value,omitempty"`
}

// CRMStop says why a command ended before all records.
type CRMStop struct {
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Until   time.Time `json:"until,omitzero"` // the CRM accepts nothing before this time
}

// NewCRMPush returns the report of a push that begins.
func NewCRMPush(r *crm.Review, name string, dryRun bool) *CRMPush {
	v := &CRMPush{Run: r.Run, CRM: name, DryRun: dryRun, Undecided: r.Count().Undecided, Unclear: r.Unclear, Returned: []CRMReason{}}
	for i := range r.Lines {
		switch r.Lines[i].Write.State {
		case crm.Written:
			v.Already++
		case crm.Clearing:
			v.InDoubt++
		}
	}
	return v
}

// Add adds what became of a record.
func (v *CRMPush) Add(item *crm.Item) {
	values := v.Written + v.Cleared
	for _, c := range item.Cells {
		switch {
		case !c.Asked:
		case v.Undo && c.Kept != "" && c.Kept != crm.WhyInDoubt:
			v.Kept = counted(v.Kept, c.Kept)
		case v.DryRun && c.Approved:
			v.Written++
			v.Writes = append(v.Writes, CRMWrite{item.Record, c.Target, c.Text})
		case c.State == crm.Written:
			v.Written++
		case c.State == crm.Returned:
			v.Returned = counted(v.Returned, c.Why)
		case c.State == crm.Cleared:
			v.Cleared++
		case c.State == crm.Sent, c.State == crm.Clearing:
			v.InDoubt++
		}
	}
	if v.Written+v.Cleared > values {
		v.Records++
	}
}

// counted adds one to the values with a reason.
func counted(reasons []CRMReason, reason string) []CRMReason {
	at := slices.IndexFunc(reasons, func(r CRMReason) bool { return r.Reason == reason })
	if at < 0 {
		at, reasons = len(reasons), append(reasons, CRMReason{Reason: reason})
	}
	reasons[at].Values++
	return reasons
}

func (v *CRMPush) Render(p *Page) {
	p.Entryf("run", "%s", v.Run)
	p.Entryf("crm", "%s", v.CRM)
	for _, w := range v.Writes {
		p.Prosef("would write", "%s of %s: %s", w.Field, w.Record, Printable(w.Value))
	}
	if v.Undecided > 0 {
		p.Entryf("to decide", "%d; values without a decision are not written", v.Undecided)
	}
	what := func(n int64) string { return Textf("%s of %s", Counted(n, "value"), Counted(v.Records, "record")) }
	switch {
	case v.Undo:
		p.Prosef("cleared", "%s", what(v.Cleared))
	case v.DryRun:
		p.Prosef("would be written", "%s; nothing was written. The lookups are already paid", what(v.Written))
	default:
		p.Prosef("written", "%s", what(v.Written))
	}
	if v.Already > 0 {
		p.Entryf("written before", "%s", Counted(v.Already, "value"))
	}
	for _, r := range v.Returned {
		p.Alertf("back to review", "%s: %s", Counted(r.Values, "value"), crm.WhyText(r.Reason, ""))
	}
	for _, r := range v.Kept {
		p.Alertf("not cleared", "%s: %s", Counted(r.Values, "value"), crm.WhyText(r.Reason, ""))
	}
	if v.InDoubt > 0 {
		p.Alertf("in doubt", "%s; the same command again reads these records", Counted(v.InDoubt, "value"))
	}
	if v.Left > 0 {
		p.Entryf("not processed", "%s", Counted(v.Left, "record"))
	}
	renderUnclear(p, v.Unclear)
	if v.Stop != nil {
		p.Alertf("stopped", "%s%s", v.Stop.Message, v.Advice)
	}
}
