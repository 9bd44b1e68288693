package v2

import (
	"bytes"
	"encoding/json"
	"errors"
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
func decodeFinancials(body []byte) (f Financials, err error) {
	err = eachYear(body, &f.CellProblems, func(y Year) {
		y.Figures, y.Extra = slices.Clone(y.Figures), slices.Clone(y.Extra)
		f.Years = append(f.Years, y)
	})
	if err != nil {
		return Financials{}, err
	}
	return f, nil
}

// headlines are the years of financial figures, with what a list shows of them.
type headlines struct {
	years  []int // ascending
	latest Headline
	chosen []enrich.Cell // of the columns of Chosen; nil for none
	enrich.CellProblems
}

// headlines reads what a list shows of financial figures as decodeFinancials does. It reads the figures of the latest
// year that has some and of chosen years, and notes the problems of no other year.
func (d Decoder) headlines(body []byte) (h headlines, err error) {
	r := newFigureReader(&h.CellProblems)
	defer r.borrow()()
	var years []figuresOf
	err = r.eachYear(body, func(year figuresOf) {
		h.years, years = append(h.years, year.number), append(years, year)
	})
	if err != nil {
		return headlines{}, err
	}
	known := false
	for i, year := range slices.Backward(years) {
		if known && !isYearOf(d.chosen, year.number) {
			continue
		}
		r.cells = r.cells[:0]
		y := r.year(year)
		has := y.hasFigures()
		isLatest := !known && (has || i == len(years)-1)
		if isLatest {
			h.latest = y.headline()
		}
		known = known || has
		h.take(d.chosen, y, isLatest)
	}
	return h, nil
}

// countYears counts the years of financial figures without reading them. It finds the same errors as decodeFinancials.
func countYears(body []byte) (count int, problems enrich.CellProblems, err error) {
	err = newFigureReader(&problems).eachYear(body, func(figuresOf) { count++ })
	return count, problems, err
}

// eachYear reads financial figures as decodeFinancials says. It calls visit for each year in their order. The lists of
// the year are valid until visit returns.
func eachYear(body []byte, problems *enrich.CellProblems, visit func(Year)) error {
	r := newFigureReader(problems)
	defer r.borrow()()
	return r.eachYear(body, func(year figuresOf) {
		r.cells = r.cells[:0]
		visit(r.year(year))
	})
}

// figureReader reads the figures of one year after the other. It uses its memory again for each year, but for the cells.
type figureReader struct {
	members
	cells []enrich.Cell
	extra []enrich.ExtraValue // of the year that was read last
}

func newFigureReader(problems *enrich.CellProblems) *figureReader {
	return &figureReader{members: members{reading: true, problems: problems}}
}

// figuresOf are the figures of a year as they are written.
type figuresOf struct {
	number int
	data   []byte
}

// eachYear calls visit for each year of financial figures in their order.
func (r *figureReader) eachYear(body []byte, visit func(figuresOf)) error {
	keys, ok := r.sorted(body, make([]member, 0, 16))
	if !ok {
		return errors.New("the body is not a JSON object, so it is not financial figures by year")
	}
	objects, withDigits := 0, 0
	for _, key := range keys {
		name := string(key.name)
		isYear, isNull := len(key.value) > 0 && key.value[0] == '{', string(key.value) == "null"
		if isYear || isNull {
			objects++
		}
		if hasDigit(name) {
			withDigits++
		}
		number, err := strconv.Atoi(name)
		switch {
		case err != nil || len(name) != 4 || number < firstYear || number > lastYear:
			r.problems.Add(pathName(name), "a year")
		case isYear:
			visit(figuresOf{number, key.value})
		case !isNull:
			r.problems.Add(name, "an object of figures")
		}
	}
	if objects == 0 && len(keys) > 0 {
		return errors.New("the body has no financial figures by year")
	}
	r.problems.All = len(keys) > 0 && withDigits == 0
	return nil
}

// sorted returns the members of an object in the order of their names. It notes the names that repeat, whose paths
// begin with that of the object. The list before it gives its memory.
func (r *figureReader) sorted(data []byte, before []member) (all []member, ok bool) {
	all = before[:0]
	isSorted := true // each name behind the one before, so no name repeats
	ok = service.EachMember(data, func(name, value []byte) bool {
		isSorted = isSorted && (len(all) == 0 || bytes.Compare(all[len(all)-1].name, name) < 0)
		all = append(all, member{name, value})
		return true
	})
	if !ok || isSorted {
		return all, ok
	}
	slices.SortStableFunc(all, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	kept := all[:0]
	for i, one := range all {
		isLast := i+1 == len(all) || !bytes.Equal(one.name, all[i+1].name)
		isFirst := i == 0 || !bytes.Equal(one.name, all[i-1].name)
		switch {
		case isLast && !isFirst:
			r.problems.Add(r.pathOf(string(one.name)), "the only one of its name")
			kept = append(kept, one)
		case isLast:
			kept = append(kept, one)
		}
	}
	return kept, true
}

// hasDigit reports whether the name of a member can be that of a year in some form, such as FY2024.
func hasDigit(name string) bool { return strings.ContainsAny(name, "0123456789") }

// year reads the figures of one year, and adds them to the cells.
func (r *figureReader) year(of figuresOf) Year {
	first := len(r.cells)
	r.cells = append(r.cells, figures().unknown...)
	y := Year{Year: of.number, Figures: r.cells[first:]}
	r.extras(of, func(i int, figure member) {
		y.Figures[i] = r.cellOf(figures().columns[i], figure.value, string(figure.value) != "null")
	})
	if len(r.extra) > 0 {
		y.Extra = r.extra
	}
	return y
}

// extras reads the figures of one year that have no column. It calls visit for the others, with their place, unless it is
// nil.
func (r *figureReader) extras(of figuresOf, visit func(i int, figure member)) {
	table := figures()
	r.extra = r.extra[:0]
	r.above = func() string { return strconv.Itoa(of.number) }
	r.from, _ = r.sorted(of.data, withRoom(r.from, of.data))
	for _, figure := range r.from {
		i, named := table.places[string(figure.name)]
		switch {
		case named && visit != nil:
			visit(i, figure)
		case !named && string(figure.value) != "null":
			r.extra = append(r.extra, enrich.ExtraValue{Name: string(figure.name), Cell: cellOf(figure.value)})
		}
	}
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
	i, named := figures().places[name]
	if !named || i >= len(y.Figures) {
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
	return latest.headline(), true
}

// headline returns the headline figures of the year.
func (y Year) headline() Headline {
	return Headline{
		Year:     enrich.Cell{Kind: enrich.IntegerCell, Known: true, Integer: int64(y.Year)},
		Currency: y.Figure(currency), Turnover: y.Figure(turnover), Employees: y.Figure(employees),
	}
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
