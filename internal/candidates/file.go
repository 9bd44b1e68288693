// Package candidates writes the companies among which somebody has to choose to a file, and reads the choices.
//
// The file has a line for each candidate of each company that a search by name left ambiguous. Somebody marks the
// right ones in the column "selected". Runs that are given the file ask for these companies by their ids.
package candidates

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/service/v2/match"
)

// Ambiguous is a company that several candidates may be.
type Ambiguous struct {
	Row    int64 // the first row of the list that names it
	Sought enrich.Company
	Found  []match.Candidate
}

// The columns of a file. The file may have others.
const (
	rowColumn          = "row"
	nameColumn         = "name"
	countryColumn      = "country"
	stateColumn        = "state"
	registrationColumn = "registration_number"
	idColumn           = "candidate_id"
	selectedColumn     = "selected"
)

// header returns the names of the columns.
func header() []string {
	return []string{
		rowColumn, nameColumn, countryColumn, stateColumn, registrationColumn, idColumn, "candidate_name", "candidate_status",
		"candidate_country", "candidate_registration_number", selectedColumn,
	}
}

// Writer writes candidates as CSV.
type Writer struct {
	csv  *csv.Writer
	rows int64
}

// NewWriter returns a writer that has written the header.
func NewWriter(w io.Writer) (*Writer, error) {
	out := &Writer{csv: csv.NewWriter(w)}
	return out, out.csv.Write(header())
}

// Write writes a line for each candidate. One without an id cannot be chosen and gets none.
func (w *Writer) Write(a Ambiguous) error {
	s := a.Sought
	for _, c := range a.Found {
		if c.ID == "" {
			continue
		}
		line := []string{
			strconv.FormatInt(a.Row, 10), s.Name, s.Country, s.State, s.RegistrationNumber, c.ID, c.Name, c.Status, c.Country,
			c.Registration, "",
		}
		for i, text := range line {
			line[i] = plain(text)
		}
		if err := w.csv.Write(line); err != nil {
			return err
		}
		w.rows++
	}
	return nil
}

// Lines returns how many candidates were written.
func (w *Writer) Lines() int64 { return w.rows }

// Flush writes what is left.
func (w *Writer) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}

// plain returns a text on one line.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// LineError says what is wrong with a line of a file.
type LineError struct {
	Line int64
	Text string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// List opens a file for one pass, as row.List does.
type List interface {
	Open(columns []int) (table.Reader, error)
}

// Read returns the ids that somebody chose, by the canonical forms of the companies that were sought. A file
// without a choice gives none.
func Read(ctx context.Context, list List) (selected map[string]string, err error) {
	reader, err := list.Open(nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	places := map[string]int{}
	for _, name := range header() {
		places[name] = slices.IndexFunc(reader.Schema().Columns, func(column string) bool {
			return strings.EqualFold(strings.TrimSpace(column), name)
		})
	}
	for _, name := range []string{nameColumn, countryColumn, idColumn, selectedColumn} {
		if places[name] < 0 {
			return nil, fmt.Errorf("there is no column %q; give a file of candidates with its header", name)
		}
	}
	r := reading{places: places, selected: map[string]string{}, lines: map[string]int64{}}
	for {
		block, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return r.selected, nil
		}
		if err == nil {
			err = block.Each(r.take)
			block.Release()
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
	}
}

// reading is a Read under way.
type reading struct {
	places   map[string]int
	selected map[string]string
	lines    map[string]int64 // of the choices
}

// take reads one line.
func (r reading) take(line table.Row) error {
	cell := func(name string) string {
		if place := r.places[name]; place >= 0 {
			return strings.TrimSpace(string(line.Cell(place)))
		}
		return ""
	}
	chosen, err := isChosen(cell(selectedColumn))
	if err != nil {
		return &LineError{line.Line(), err.Error()}
	}
	if !chosen {
		return nil
	}
	sought, reason := enrich.Company{
		Name: cell(nameColumn), Country: cell(countryColumn), State: cell(stateColumn), RegistrationNumber: cell(registrationColumn),
	}.Identify(enrich.ByRegistration)
	if reason != "" {
		return &LineError{line.Line(), string(reason)}
	}
	found, reason := enrich.Company{ID: cell(idColumn)}.Identify(enrich.ByID)
	if reason != "" {
		return &LineError{line.Line(), "the id of the candidate is missing or damaged"}
	}
	form := sought.Canonical()
	if other, twice := r.selected[form]; twice && other != found.Company.ID {
		return &LineError{line.Line(), fmt.Sprintf("%s is selected twice, in line %d as %s; select one candidate", sought, r.lines[form], other)}
	}
	r.selected[form], r.lines[form] = found.Company.ID, line.Line()
	return nil
}

// isChosen reads a cell of the column "selected".
func isChosen(text string) (bool, error) {
	const yes = "x 1 y yes true ja oui si sí sim j o s ✓ ✔ selected"
	const no = "0 n no false nein non nee não nao -"
	switch text = strings.ToLower(text); {
	case text == "" || slices.Contains(strings.Fields(no), text):
		return false, nil
	case slices.Contains(strings.Fields(yes), text):
		return true, nil
	}
	return false, fmt.Errorf("%q in the column %s: write x, or nothing", text, selectedColumn)
}
