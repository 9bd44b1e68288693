package report

import (
	"cmp"
	"slices"
	"strings"

	"payonce/cost"
)

// ReportUnits are those that calls used and hold of one meter of an interface.
type ReportUnits struct {
	Interface string `json:"interface"`
	Meter     string `json:"meter"`
	Used      int64  `json:"used"`
	Held      int64  `json:"held,omitempty"` // by calls without an outcome, together
	// Spent is what the calls that used the meter cost, where its units have prices. The money of a call that used
	// several meters, such as one for a contact with an email, counts for the first of them, which is its module.
	Spent cost.Money `json:"spent_usd,omitempty"`
}

// AllUnits are units of several meters, in the order of the accounts and of their meters.
type AllUnits []ReportUnits

// String writes the units that were used.
func (a AllUnits) String() string {
	var parts []string
	for _, u := range a {
		if u.Used > 0 {
			parts = append(parts, Textf("%s %d", u.Meter, u.Used))
		}
	}
	return strings.Join(parts, ", ")
}

// note says which units a number of units is made of.
func (a AllUnits) note() string {
	used := slices.DeleteFunc(slices.Clone(a), func(u ReportUnits) bool { return u.Used == 0 })
	switch len(used) {
	case 0:
		return ""
	case 1:
		return "of " + used[0].Meter
	}
	return "in all: " + used.String()
}

// held writes the units that are held, each after a comma.
func (a AllUnits) held() (text string) {
	for _, u := range a {
		if u.Held > 0 {
			text += Textf(", %s %d", u.Meter, u.Held)
		}
	}
	return text
}

// renderUnits writes what was used of each module.
func (v *RunReport) renderUnits(page *Page) {
	if len(v.Units) == 0 {
		return
	}
	page.Sectionf("Units of modules")
	rows := [][]string{}
	header := []string{"interface", "module", "used", "held"}
	priced := slices.ContainsFunc(v.Units, func(u ReportUnits) bool { return u.Spent > 0 })
	if priced {
		header = append(header, "spent")
	}
	for _, u := range v.Units {
		row := []string{u.Interface, u.Meter, Number(u.Used), Number(u.Held)}
		if priced {
			row = append(row, "$"+u.Spent.String())
		}
		rows = append(rows, row)
	}
	page.Table(header, rows)
}

// withUnits adds a column of units to a table, where the report has units.
func (v *RunReport) withUnits(header []string, rows [][]string, units func(i int) AllUnits) ([]string, [][]string) {
	if len(v.Units) == 0 {
		return header, rows
	}
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i] = append(slices.Clone(rows[i]), cmp.Or(units(i).String(), "-"))
	}
	return append(slices.Clone(header), "units"), rows
}
