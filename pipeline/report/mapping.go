package report

import (
	"fmt"
	"strings"

	"payonce/enrich"
)

// Mapping shows how the columns of a list are read, and what a run would ask for.
type Mapping struct {
	List     string         `json:"list"`
	File     string         `json:"mapping_file,omitempty"` // that was used
	Preset   string         `json:"preset,omitempty"`       // of the program whose export the list is
	Columns  []MappedColumn `json:"columns"`
	Doubts   []string       `json:"doubts"`
	Rows     []MappedRow    `json:"rows"`
	Appended []string       `json:"appended"`
	Saved    string         `json:"saved,omitempty"` // the mapping file that was written
	Default  string         `json:"-"`               // where it would be saved
}

// MappedColumn is one column of the list.
type MappedColumn struct {
	Number  int      `json:"number"` // from 1
	Header  string   `json:"header"`
	ReadAs  []string `json:"read_as"`
	Why     string   `json:"why"`
	Holds   string   `json:"holds"` // what most cells of the first rows hold
	Example string   `json:"example"`
}

// MappedRow is one row as it would be requested.
type MappedRow struct {
	Row      int64            `json:"row"` // from 1
	Identity *enrich.Identity `json:"identity,omitempty"`
	Fields   []string         `json:"fields"`           // that would be asked for
	Reason   string           `json:"reason,omitempty"` // why nothing would be asked
	Note     string           `json:"note,omitempty"`   // which cells of the row do not identify its subject, and why
}

// The widths of the table of columns.
const (
	numberWidth = 4
	headerWidth = 22
	roleWidth   = 15
)

func (m *Mapping) Render(p *Page) {
	p.Titlef("Columns of %s", Printable(m.List))
	if m.Preset != "" {
		p.Linef("read as an export of %s", m.Preset)
	}
	if m.File != "" {
		p.Linef("as %s says", m.File)
	}
	p.Gap()
	row := func(number, header, role, why string) {
		lines := Wrap(strings.Fields(why), LineWidth-numberWidth-headerWidth-roleWidth-3)
		for _, line := range lines {
			p.Fixed(strings.TrimRight(fmt.Sprintf("%-*s %s %-*s %s",
				numberWidth, number, Fit(header, headerWidth), roleWidth, role, line), " "))
			number, header, role = "", "", ""
		}
	}
	row("", "column", "read as", "why")
	for _, c := range m.Columns {
		role := "-"
		if len(c.ReadAs) > 0 {
			role = strings.Join(c.ReadAs, ",")
		}
		row(fmt.Sprintf("#%d", c.Number), Printable(c.Header), role, Printable(c.Why))
	}
	for i, doubt := range m.Doubts {
		if i == 0 {
			p.Gap()
		}
		for j, line := range Wrap(strings.Fields("doubtful: "+Printable(doubt)), LineWidth-2) {
			p.Linef("%s", strings.Repeat(" ", 2*min(j, 1))+line)
		}
	}
	m.renderRows(p)
	p.Sectionf("Appended columns")
	for _, line := range Wrap(strings.Split(strings.Join(m.Appended, ", "), " "), LineWidth-2) {
		p.Linef("  %s", line)
	}
	p.Gap()
	if m.Saved != "" {
		p.Linef("Saved in %s", m.Saved)
		return
	}
	if m.Default != "" {
		p.Linef("%s", p.Hint("save_mapping", m.Default))
	}
}

func (m *Mapping) renderRows(p *Page) {
	p.Sectionf("The first rows, as they would be looked up")
	for _, r := range m.Rows {
		p.Linef("  row %-4d %s", r.Row, Cut(Printable(r.Text()), LineWidth-11))
		if r.Note != "" {
			p.Linef("           %s", Printable(r.Note))
		}
	}
}

// Text says what would be looked up of the row, or why nothing would be.
func (r MappedRow) Text() string {
	if r.Identity == nil {
		return "nothing: " + r.Reason
	}
	return r.Identity.String() + ": asks for " + strings.Join(r.Fields, " and ")
}
