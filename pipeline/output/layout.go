package output

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
)

// layout says which positions the values and details of a sequence have. A value that several steps can find
// has one position.
type layout struct {
	columns []int // of each position: a column of the list, or one of answers
	// before and after are the positions of appended columns: those that stand before the columns of what became
	// of a row, and the optional ones, which stand behind.
	before, after []int
	names         []string // of the positions
	kinds         []string // what a later step recognises a value by: the role or the name of its field
	cells         []enrich.CellKind
	values        []int // the positions of values
	steps         []positions
	units         []unitColumn
}

// unitColumn is a column with the units of one meter of an interface.
type unitColumn struct {
	of     string // the interface
	name   string
	meters []cost.Meter // of each step; cost.USD for one that cannot use it
}

// positions are those of one step.
type positions struct {
	fields  enrich.ByField[int]
	details []int
	// acceptedIDs are those of ids, by detail, that only steps without other ids ask by; 0 for none.
	acceptedIDs []int
}

// layout returns the layout of the sequence.
func (s Sequence) layout() *layout {
	l := &layout{}
	var details []int
	for _, step := range s { // the places of a step do not depend on later steps
		p := positions{}
		for _, f := range step.Scope.FieldColumns() {
			p.fields[f.Field] = l.positionOf(f, step.Scope.Catalogue.Fields[f.Field])
		}
		for _, detail := range step.Scope.Catalogue.Details {
			position := l.positionOfDetail(detail)
			p.details = append(p.details, position)
			p.acceptedIDs = append(p.acceptedIDs, l.positionOfAccepted(step, detail))
			switch {
			case slices.Contains(details, position) || slices.Contains(l.after, position):
			case detail.Apart && step.Scope.FieldsOf(detail) == 0:
			case !detail.Optional:
				details = append(details, position)
			case step.Optional:
				l.after = append(l.after, position)
			}
		}
		l.steps = append(l.steps, p)
	}
	l.before = append(l.before, details...)
	for i, step := range s {
		for _, unit := range step.Units {
			l.unitColumn(step.Scope.Catalogue.Interface, unit.Name, len(s)).meters[i] = unit.Meter
		}
	}
	return l
}

// unitColumn returns the column of a meter of an interface, which is added when there is none.
func (l *layout) unitColumn(of, name string, steps int) *unitColumn {
	at := slices.IndexFunc(l.units, func(c unitColumn) bool { return c.of == of && c.name == name })
	if at < 0 {
		at = len(l.units)
		l.units = append(l.units, unitColumn{of, name, make([]cost.Meter, steps)})
	}
	return &l.units[at]
}

// positionOf returns the position of a field.
func (l *layout) positionOf(f scan.FieldColumn, d enrich.Description) int {
	kind := kindOf(d)
	if f.Column != columns.None {
		for _, position := range l.values {
			if l.columns[position] == f.Column {
				return position
			}
		}
		return l.add(f.Column, d.Name, kind, d.Kind, true)
	}
	position := l.add(scan.FirstAnswer+len(l.columns), d.Name, kind, d.Kind, true)
	l.before = append(l.before, position)
	return position
}

// positionOfDetail returns the position of a detail. Details with one name have one position.
func (l *layout) positionOfDetail(d enrich.Detail) int {
	kind := "detail " + d.Name
	if position := slices.Index(l.kinds, kind); position >= 0 {
		return position
	}
	return l.add(scan.FirstAnswer+len(l.columns), d.Name, kind, d.Kind, false)
}

// positionOfAccepted returns a position of no output for the accepted ids of a step, 0 where there are none.
func (l *layout) positionOfAccepted(step StepOutput, d enrich.Detail) int {
	if !step.AcceptMismatch || d.Role == "" {
		return 0
	}
	return l.add(scan.FirstAnswer+len(l.columns), "accepted "+d.Name, "accepted", d.Kind, false)
}

func (l *layout) add(column int, name, kind string, cells enrich.CellKind, value bool) int {
	l.columns, l.names, l.kinds = append(l.columns, column), append(l.names, name), append(l.kinds, kind)
	l.cells = append(l.cells, cells)
	position := len(l.columns) - 1
	if value {
		l.values = append(l.values, position)
	}
	return position
}

// kindOf returns what makes values of two steps the same: the column of a list that they fill, or else the
// name.
func kindOf(d enrich.Description) string {
	if d.Role != "" {
		return "role " + d.Role
	}
	return "name " + d.Name
}

// Follow returns the scope of a step that follows the sequence: its rows are those of Answered. A value that
// an earlier step finds is not asked for, and a subject can be named by answers.
func (s Sequence) Follow(scope scan.Scope) scan.Scope {
	l := s.layout()
	scope.Later, scope.Mapping, scope.Values = true, maps.Clone(scope.Mapping), map[enrich.Field]int{}
	for f := range scope.Wanted.Each() {
		description := scope.Catalogue.Fields[f]
		for _, position := range l.values {
			if l.kinds[position] == kindOf(description) && l.columns[position] >= scan.FirstAnswer {
				scope.Values[f] = l.columns[position]
			}
		}
	}
	var asked []int
	for i, step := range s {
		for d, detail := range step.Scope.Catalogue.Details {
			role := columns.Role(detail.Role)
			column := l.columns[l.steps[i].details[d]]
			if role != "" && !slices.Contains(scope.Mapping[role], column) {
				scope.Mapping[role] = append(slices.Clone(scope.Mapping[role]), column)
			}
			if role == columns.CompanyID && step.Scope.Subject == enrich.Companies && !slices.Contains(asked, column) {
				asked = append(asked, column)
			}
		}
	}
	if scope.AsksByIDAlone() { // the id of an answer, which was compared with the row, comes before that of the list
		ids := slices.DeleteFunc(slices.Clone(scope.Mapping[columns.CompanyID]), func(column int) bool { return slices.Contains(asked, column) })
		scope.Mapping[columns.CompanyID] = append(asked, ids...)
	}
	if asksByAccepted(scope) {
		for i, step := range s {
			for d, position := range l.steps[i].acceptedIDs {
				if role := columns.Role(step.Scope.Catalogue.Details[d].Role); position != 0 {
					scope.Mapping[role] = append(slices.Clone(scope.Mapping[role]), l.columns[position])
				}
			}
		}
	}
	return scope
}

// asksByAccepted reports whether a step asks for nothing in rows without an id that name a company otherwise. Other
// steps ask by the same identities whether answers that contradict rows are accepted or not.
func asksByAccepted(scope scan.Scope) bool {
	return scope.AsksByIDAlone() || scope.Fallback == 0 && !scope.Resolves && !scope.Searches() && scope.Searched.Patterns != 0
}

// Columns returns the appended columns. A name that the list has already gets a number, so that
// every name is unique.
func (s Sequence) Columns(schema table.Schema) []table.Column {
	l := s.layout()
	var appended []table.Column
	for _, position := range l.before {
		appended = append(appended, table.Column{Name: l.names[position], Kind: l.cells[position]})
	}
	appended = append(appended, columns.Outcomes()...)
	appended = append(appended, s.chargeColumns()...)
	for _, column := range l.units {
		appended = append(appended, table.Column{Name: "enrich_units_" + column.name, Kind: enrich.IntegerCell})
	}
	if s.hasSameCompany() {
		appended = append(appended, table.Column{Name: sameCompanyColumn, Kind: enrich.IntegerCell})
	}
	for _, position := range l.after {
		appended = append(appended, table.Column{Name: l.names[position], Kind: l.cells[position]})
	}
	taken := func(i int) bool {
		return slices.ContainsFunc(schema.Columns, func(c string) bool { return strings.EqualFold(c, appended[i].Name) }) ||
			slices.ContainsFunc(appended[:i], func(c table.Column) bool { return strings.EqualFold(c.Name, appended[i].Name) })
	}
	for i, column := range appended {
		for n := 2; taken(i); n++ {
			appended[i].Name = fmt.Sprintf("%s_%d", column.Name, n)
		}
	}
	return appended
}

// chargeColumns returns the columns with what each of several steps was charged. One step has the column of
// what the whole run was charged.
func (s Sequence) chargeColumns() (charges []table.Column) {
	if len(s) == 1 {
		return nil
	}
	for _, step := range s {
		charges = append(charges, table.Column{Name: "enrich_charge_usd_" + step.Name, Kind: enrich.MoneyCell})
	}
	return charges
}

// Filled returns the columns of the list in which empty cells are filled.
func (s Sequence) Filled() []int {
	var filled []int
	for _, column := range s.layout().columns {
		if column < scan.FirstAnswer {
			filled = append(filled, column)
		}
	}
	slices.Sort(filled)
	return filled
}

// ValueColumns returns the names of the columns that hold the wanted values, filled or appended.
func (s Sequence) ValueColumns(schema table.Schema) (names []string) {
	l := s.layout()
	appended := s.Columns(schema) // those of l.before come first
	for _, position := range l.values {
		if column := l.columns[position]; column < scan.FirstAnswer {
			names = append(names, schema.Columns[column])
			continue
		}
		names = append(names, appended[slices.Index(l.before, position)].Name)
	}
	return names
}
