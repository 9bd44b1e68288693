package v2

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"payonce/enrich"
	"payonce/io/service"
)

// Financials are the financial figures of a company, by year (specification v2, "Financial
// figures").
type Financials struct {
	Years []Year // ascending
	enrich.CellProblems
}

// Year has the figures of one year.
type Year struct {
	Year int
	// Figures are in the order of Figures.
	Figures []enrich.Cell
	// Extra are figures that the specification does not name, in the order of their names: numbers,
	// or texts. A name may differ from that of a figure in the case of its letters alone.
	Extra []enrich.ExtraValue
}

// The years that are taken for years.
const (
	firstYear = 1000
	lastYear  = 2999
)

// decodeFinancials reads financial figures. A key that is not a year is a problem. Of a name that repeats, the
// last value counts, and that is a problem too. An error says that the body has no figures at all, not even an
// empty object.
func decodeFinancials(body []byte) (Financials, error) {
	var f Financials
	object, ok := f.parse(body, "")
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
		raw := object[key]
		isYear := len(raw) > 0 && raw[0] == '{'
		if isYear || object.IsNull(key) {
			years++
		}
		number, err := strconv.Atoi(key)
		switch {
		case err != nil || len(key) != 4 || number < firstYear || number > lastYear:
			f.CellProblems.Add(pathName(key), "a year")
		case isYear:
			f.Years = append(f.Years, f.year(number, raw, figures, known))
		case !object.IsNull(key):
			f.CellProblems.Add(key, "an object of figures")
		}
	}
	if years == 0 && len(object) > 0 {
		return Financials{}, errors.New("the body has no financial figures by year")
	}
	f.All = len(object) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(object)), hasDigit)
	return f, nil
}

// hasDigit reports whether the name of a member can be that of a year in some form, such as FY2024.
func hasDigit(name string) bool { return strings.ContainsAny(name, "0123456789") }

// parse reads an object, whose path ends with a dot. It notes the names that repeat.
func (f *Financials) parse(data []byte, path string) (service.Object, bool) {
	object, repeated, ok := service.ParseRepeatedObject(data)
	for _, name := range repeated {
		f.CellProblems.Add(path+pathName(name), "the only one of its name")
	}
	return object, ok
}

// year reads the figures of one year.
func (f *Financials) year(number int, raw []byte, figures []enrich.TableColumn, known map[string]int) Year {
	y := Year{Year: number, Figures: make([]enrich.Cell, len(figures))}
	for i, figure := range figures {
		y.Figures[i].Kind = figure.Kind
	}
	path := strconv.Itoa(number) + "."
	from, _ := f.parse(raw, path)
	m := reader(from, &f.CellProblems)
	m.path = path
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if i, named := known[name]; named {
			y.Figures[i] = m.cell(figures[i])
		} else if !from.IsNull(name) {
			y.Extra = append(y.Extra, enrich.ExtraValue{Name: name, Cell: cellOf(from[name])})
		}
	}
	return y
}

// cellOf returns a value that nothing is known of: a number, or text.
func cellOf(raw json.RawMessage) enrich.Cell {
	if n, ok := parseNumber(raw); ok && isNumber(raw) {
		return enrich.Cell{Kind: enrich.NumberCell, Known: true, Number: n}
	}
	return enrich.Cell{Kind: enrich.TextCell, Known: true, Text: plainValue(raw)}
}

// Figure returns a figure of the year by its name. One that is not known has Known false.
func (y Year) Figure(name string) enrich.Cell {
	i := slices.IndexFunc(Figures(), func(c enrich.TableColumn) bool { return c.Name == name })
	if i < 0 || i >= len(y.Figures) {
		return enrich.Cell{}
	}
	return y.Figures[i]
}

// Headline is what a list shows of a company's latest year.
type Headline struct{ Year, Currency, Turnover, Employees enrich.Cell }

// Headline returns the headline figures of the latest year; false when there is no year. A year without any
// figure does not count as long as another one has some.
func (f Financials) Headline() (Headline, bool) {
	if len(f.Years) == 0 {
		return Headline{}, false
	}
	latest := f.Years[len(f.Years)-1]
	for _, y := range slices.Backward(f.Years) {
		if y.hasFigures() {
			latest = y
			break
		}
	}
	return Headline{
		Year:     enrich.Cell{Kind: enrich.IntegerCell, Known: true, Integer: int64(latest.Year)},
		Currency: latest.Figure(currency), Turnover: latest.Figure(turnover), Employees: latest.Figure(employees),
	}, true
}

// The names of the headline figures.
const (
	currency  = "Currency"
	turnover  = "Turnover"
	employees = "Employee-Numbers"
)

// headlineFigures returns the names of the figures that Headline shows.
func headlineFigures() []string { return []string{currency, turnover, employees} }

// hasFigures reports whether a figure of the year is known.
func (y Year) hasFigures() bool {
	isKnown := func(c enrich.Cell) bool { return c.Known }
	return len(y.Extra) > 0 || slices.ContainsFunc(y.Figures, isKnown)
}
