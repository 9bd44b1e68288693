package report

import (
	"maps"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/enrich"
)

// Erasure says what was erased from the journal.
type Erasure struct {
	Persons  int `json:"persons"`
	Attempts int `json:"attempts"`
	Answers  int `json:"answers"`
	// Identities are those of the person, also those that were never asked for.
	Identities int `json:"identities,omitempty"`
	// Mentions were taken out of answers about others.
	Mentions int `json:"mentions,omitempty"`
	// Events are what was decided about values for records of a CRM.
	Events int `json:"events,omitempty"`
	// Observations are changes of watched companies that have lost their content.
	Observations int `json:"observations,omitempty"`
	// Lookups are what was found about the person.
	Lookups []HeldLookup `json:"lookups,omitempty"`
	// Namesakes are what has the person's name, and was not erased.
	Namesakes []HeldLookup `json:"namesakes,omitempty"`
	// NotFound are the chosen records that are not there.
	NotFound []string `json:"not_found,omitempty"`
	// Lists are lists of jobs beside the journal. They were removed.
	Lists []string `json:"lists_removed,omitempty"`
	// Outputs are those of the runs that asked for what was found. They did not change.
	Outputs []string `json:"outputs,omitempty"`
	// NotReached is what else may still name the person.
	NotReached []string `json:"not_reached,omitempty"`

	forgets bool // it is about one person
}

// HeldLookup is a lookup that forget erases, or a part of its answer.
type HeldLookup struct {
	Record   string     `json:"record,omitempty"` // names it for --also
	Attempt  attempt.ID `json:"attempt"`
	Identity string     `json:"identity,omitempty"` // that was asked about
	Name     string     `json:"name,omitempty"`
	Email    string     `json:"email,omitempty"`
	Phone    string     `json:"phone,omitempty"`
	// Mention is a place where an answer about another subject has the person.
	Mention string `json:"mention,omitempty"`
	Text    string `json:"text,omitempty"`
	Company string `json:"company,omitempty"`
	// Profile is an address of the person.
	Profile string    `json:"profile,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Run     string    `json:"run,omitempty"`
	// List is that of the run.
	List string `json:"list,omitempty"`
}

// heldLookupsOf shows what was found about a person: one for each attempt that is about the person, and one for each
// mention in another one.
func heldLookupsOf(matches []checkpoint.PersonMatch) (held []HeldLookup) {
	for _, m := range matches {
		base := HeldLookup{Attempt: m.ID, At: m.At, Run: m.Run}
		if m.Identity != (enrich.Identity{}) {
			base.Identity = m.Identity.String()
		}
		if m.IsWhole() {
			base.Record, base.Name, base.Email, base.Phone, base.Company = m.Record(), m.Facts.Name, m.Facts.Email, m.Facts.Phone, m.Facts.CompanyName
			base.Profile = strings.Join(m.Facts.Pages, " ")
			held = append(held, base)
			continue
		}
		for _, place := range slices.Sorted(maps.Keys(m.Mentions)) {
			one, x := base, m.Facts.Mentions[place]
			one.Record = m.RecordOf(place)
			one.Mention, one.Name, one.Text = x.Path, x.Name, shortened(x.Text)
			one.Email, one.Phone, one.Profile = strings.Join(x.Emails, " "), strings.Join(x.Phones, " "), strings.Join(x.Pages, " ")
			one.Company = strings.TrimSpace(x.CompanyName + " " + x.CompanyDomain)
			held = append(held, one)
		}
	}
	return held
}

// longest is how much of a text is shown.
const longest = 100

func shortened(text string) string {
	if letters := []rune(text); len(letters) > longest {
		return string(letters[:longest]) + "…"
	}
	return text
}

// String describes the lookup in one line.
func (h HeldLookup) String() string {
	parts := []string{h.Identity, h.Name, h.Email, h.Phone}
	if h.Mention != "" {
		parts = []string{h.Identity, "in its answer " + h.Mention, h.Name, h.Text, h.Email, h.Phone, h.Profile, h.Company}
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// Choice describes a namesake in one line, with what names it for --also.
func (h HeldLookup) Choice() string { return h.Record + "  " + h.Whole() }

// Whole describes a namesake in one line: its subject, its time, its run and its list.
func (h HeldLookup) Whole() string {
	parts := []string{h.String()}
	if h.Mention == "" {
		parts = append(parts, h.Company, h.Profile)
	}
	parts = append(parts, Time(h.At), "run "+h.Run)
	if h.List != "" {
		parts = append(parts, "list "+h.List)
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// ErasureOf shows what was erased.
func ErasureOf(erased checkpoint.Erasure) *Erasure {
	v := &Erasure{}
	v.Count(erased)
	return v
}

// ForgottenOf shows what was found about a person before it is erased.
func ForgottenOf(matches, namesakes []checkpoint.PersonMatch) *Erasure {
	return &Erasure{
		forgets: true, Lookups: heldLookupsOf(matches), Namesakes: heldLookupsOf(namesakes),
		NotReached: []string{"backups", "the history of the shell", "lists and other outputs, also their copies"},
	}
}

// Count adds what was erased.
func (v *Erasure) Count(erased checkpoint.Erasure) {
	v.Persons, v.Attempts, v.Answers, v.Identities, v.Mentions = erased.Persons, erased.Attempts, erased.Answers, erased.Identities, erased.Mentions
	v.Events, v.Observations = erased.Events, erased.Observations
}

func (v *Erasure) Render(p *Page) {
	switch {
	case v.Persons > 0 && v.Attempts+v.Mentions == 0:
		p.Entryf("persons forgotten", "0: this journal had no records of this person")
		p.Entryf("not looked up from now on", "%s", people(int64(v.Persons)))
	default:
		for _, held := range v.Lookups {
			p.Linef("%s", held)
		}
		p.Entryf("persons forgotten", "%d", v.Persons)
		p.Entryf("answers erased", "%d", v.Answers)
	}
	if v.Mentions > 0 {
		p.Entryf("taken out of answers about others", "%s", Counted(int64(v.Mentions), "mention"))
	}
	if v.Events > 0 {
		p.Entryf("decisions for a CRM erased", "%s", Counted(int64(v.Events), "record"))
	}
	if v.Observations > 0 {
		p.Entryf("changes of companies erased", "%s", Counted(int64(v.Observations), "record"))
	}
	for _, list := range v.Lists {
		p.Entryf("list of a job removed", "%s", list)
	}
	for _, record := range v.NotFound {
		p.Entryf("not found", "%s: it was erased before, or there is no such record", record)
	}
	for _, output := range v.Outputs {
		p.Entryf("output that did not change", "%s", output)
	}
	if v.forgets && v.Persons > 0 {
		p.Entryf("not reached", "%s", strings.Join(v.NotReached, "; "))
	}
	if len(v.Namesakes) == 0 {
		return
	}
	p.Gap()
	p.Linef("Not erased, because a name alone does not identify a person. %s", p.Hint("namesakes"))
	for _, held := range v.Namesakes {
		p.Linef("%s", held.Choice())
	}
}
