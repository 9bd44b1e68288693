package records

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"payonce/cost"
	"payonce/service/jsonobject"
)

// Financials are the financial figures of a company, by year (specification v2, "Financial
// figures").
type Financials struct {
	Years []Year // ascending
	Problems
}

// Year has the figures of one year.
type Year struct {
	Year int
	// Figures are in the order of Figures.
	Figures []Cell
	// Extra are figures that the specification does not name, in the order of their names.
	Extra []Extra
}

// Extra is a figure that the specification does not name: a number, or text. Its name may differ
// from that of a figure in the case of its letters alone.
type Extra struct {
	Name string
	Cell Cell
}

// The years that are taken for years.
const (
	firstYear = 1000
	lastYear  = 2999
)

// DecodeFinancials reads financial figures. A key that is not a year is a problem. An error says
// that the body has no figures at all, not even an empty object.
func DecodeFinancials(body []byte) (Financials, error) {
	var f Financials
	object, ok := jsonobject.Parse(body)
	if !ok {
		return f, errors.New("the body is not a JSON object, so it is not financial figures by year")
	}
	known := map[string]int{}
	figures := Figures()
	for i, figure := range figures {
		known[figure.Name] = i
	}
	years := 0
	for _, key := range slices.Sorted(maps.Keys(object)) {
		year, isYear := object.Object(key)
		if isYear || object.IsNull(key) {
			years++
		}
		number, err := strconv.Atoi(key)
		switch {
		case err != nil || len(key) != 4 || number < firstYear || number > lastYear:
			f.Problems.Add(pathName(key), "a year")
		case isYear:
			f.Years = append(f.Years, f.year(number, year, figures, known))
		case !object.IsNull(key):
			f.Problems.Add(key, "an object of figures")
		}
	}
	if years == 0 && len(object) > 0 {
		return Financials{}, errors.New("the body has no financial figures by year")
	}
	return f, nil
}

// year reads the figures of one year.
func (f *Financials) year(number int, from jsonobject.Object, figures []Column, known map[string]int) Year {
	y := Year{Year: number, Figures: make([]Cell, len(figures))}
	m := reader(from, &f.Problems)
	m.path = strconv.Itoa(number) + "."
	for i, figure := range figures {
		y.Figures[i] = m.cell(figure)
	}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if _, named := known[name]; !named && !from.IsNull(name) {
			y.Extra = append(y.Extra, Extra{name, cellOf(from[name])})
		}
	}
	return y
}

// cell reads a member of the kind of a column.
func (m *members) cell(column Column) Cell {
	one := &members{reading: true, from: m.from, path: m.path, problems: m.problems}
	back := &members{}
	switch column.Kind {
	case Integer:
		return readCell(one, back, column.Name, (*members).integer)
	case Number:
		return readCell(one, back, column.Name, (*members).number)
	case Date:
		return readCell(one, back, column.Name, (*members).date)
	default:
		return readCell(one, back, column.Name, (*members).text)
	}
}

func readCell[T any](
	from, to *members, name string, describe func(*members, string, *cost.Optional[T]),
) Cell {
	var value cost.Optional[T]
	describe(from, name, &value)
	describe(to, name, &value)
	return to.cells[0]
}

// cellOf returns a value that nothing is known of: a number, or text.
func cellOf(raw json.RawMessage) Cell {
	if n, ok := parseNumber(raw); ok && isNumber(raw) {
		return Cell{Kind: Number, Known: true, Number: n}
	}
	return Cell{Kind: Text, Known: true, Text: plainValue(raw)}
}

// Figure returns a figure of the year by its name. One that is not known has Known false.
func (y Year) Figure(name string) Cell {
	i := slices.IndexFunc(Figures(), func(c Column) bool { return c.Name == name })
	if i < 0 || i >= len(y.Figures) {
		return Cell{}
	}
	return y.Figures[i]
}

// Headline is what a list shows of a company's latest year.
type Headline struct{ Year, Currency, Turnover, Employees Cell }

// Headline returns the headline figures of the latest year; false when there is no year.
func (f Financials) Headline() (Headline, bool) {
	if len(f.Years) == 0 {
		return Headline{}, false
	}
	y := f.Years[len(f.Years)-1]
	return Headline{
		Year:     Cell{Kind: Integer, Known: true, Integer: int64(y.Year)},
		Currency: y.Figure("Currency"), Turnover: y.Figure("Turnover"), Employees: y.Figure("Employee-Numbers"),
	}, true
}
