package v2

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"payonce/enrich"
)

// Chosen are figures of years that a list shows in columns of their own.
type Chosen struct {
	Figures []string // as Figures names them
	Years   []int    // ascending; none for the latest year, which Headline shows
}

// MaxChosen is the most columns that Chosen can have.
const MaxChosen = 1000

// chosenColumn is a column of a figure.
type chosenColumn struct {
	name   string
	figure int // its place among Figures
	year   int // 0 for the latest
}

// Check returns an error when a figure is not known, or when there are too many columns.
func (c Chosen) Check() error {
	for _, name := range c.Figures {
		if _, named := figures().places[name]; !named {
			return fmt.Errorf("%q is not a figure of the service", name)
		}
	}
	if columns := len(c.Figures) * len(c.Years); columns > MaxChosen {
		return fmt.Errorf("%d figures of %d years are %d columns, and a list gets at most %d; choose fewer",
			len(c.Figures), len(c.Years), columns, MaxChosen)
	}
	return nil
}

// columns returns the columns year by year. Those of a year begin with its currency, because figures in different
// currencies cannot be compared. That of the latest year, and its turnover, are among headlineMembers.
func (c Chosen) columns() (all []chosenColumn) {
	if len(c.Figures) == 0 {
		return nil
	}
	years, names := c.Years, c.Figures
	if len(years) == 0 {
		years = []int{0}
	}
	if !slices.Contains(names, currency) {
		names = append([]string{currency}, names...)
	}
	for _, year := range years {
		for _, name := range names {
			column := chosenColumn{strings.ToLower(strings.ReplaceAll(name, "-", "_")), figures().places[name], year}
			switch {
			case year != 0:
				column.name += "_" + strconv.Itoa(year)
			case slices.Contains(headlineMembers(), column.name):
				continue
			}
			all = append(all, column)
		}
	}
	return all
}

// Decoder returns a decoder of answers with the details of Catalogue.
func (c Chosen) Decoder() Decoder { return Decoder{c.columns()} }

// isYearOf reports whether a column shows a figure of the year.
func isYearOf(columns []chosenColumn, year int) bool {
	return slices.ContainsFunc(columns, func(c chosenColumn) bool { return c.year == year })
}

// take keeps the figures of a year that columns show. The last call with isLatest is about the latest year.
func (h *headlines) take(columns []chosenColumn, y Year, isLatest bool) {
	if h.chosen == nil {
		h.chosen = make([]enrich.Cell, len(columns))
	}
	for i, column := range columns {
		if column.year == y.Year || column.year == 0 && isLatest {
			h.chosen[i] = y.Figures[column.figure]
		}
	}
}

// shows reports whether a list shows a figure by its path in the answer.
func (h *headlines) shows(columns []chosenColumn, path string) bool {
	latest := h.latest.Year.String()
	for _, name := range headlineFigures() {
		if path == latest+"."+name {
			return true
		}
	}
	return slices.ContainsFunc(columns, func(c chosenColumn) bool {
		year := latest
		if c.year != 0 {
			year = strconv.Itoa(c.year)
		}
		return path == year+"."+figures().columns[c.figure].Name
	})
}
