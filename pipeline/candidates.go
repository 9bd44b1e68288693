// This file writes the candidates of ambiguous companies to a file, and reads which ones were chosen.
//
// The file has a line for each candidate of each company that a search left ambiguous. Somebody marks the right
// ones in the column "selected". Runs that are given the file ask for these companies by their ids.

package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// Ambiguous is a company that several candidates may be.
type Ambiguous struct {
	Row    int64 // the first row of the list that names it
	Rows   int64 // how many name it
	Sought enrich.Company
	Found  []v2.Candidate
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
		rowColumn, nameColumn, countryColumn, stateColumn, registrationColumn, idColumn, "candidate_name",
		"candidate_status", "candidate_country", "candidate_registration_number", selectedColumn,
	}
}

// lines returns the cells of the line of each candidate, with a mark for the one that was selected. A candidate
// without an id cannot be selected and has none.
func (a Ambiguous) lines(selected string) (lines [][]string) {
	for _, c := range a.Found {
		switch c.ID {
		case "":
		case selected:
			lines = append(lines, lineOf(a.Row, a.Sought, c, chosenMark))
		default:
			lines = append(lines, lineOf(a.Row, a.Sought, c, ""))
		}
	}
	return lines
}

// chosenMark is what stands in the column "selected" of a candidate that was selected.
const chosenMark = "x"

// lineOf returns the cells of a line. A row of zero is left out.
func lineOf(row int64, s enrich.Company, c v2.Candidate, mark string) []string {
	cells := []string{
		"", s.Name, s.Country, s.State, s.RegistrationNumber, c.ID, c.Name, c.Status, c.Country, c.Registration, mark,
	}
	if row > 0 {
		cells[0] = strconv.FormatInt(row, 10)
	}
	for i, text := range cells {
		cells[i] = plain(text)
	}
	return cells
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

// checkWriteCandidates returns the error that Write would return before it writes a line. It leaves no file.
func checkWriteCandidates(to output.Request) error {
	return output.CheckNew(to, table.Schema{Columns: header()})
}

// writeCandidates writes the candidates of companies, in the format that the name of the file says. Those that were
// selected keep their marks, so the file can be the one that they were read from. A file that somebody edited is
// kept.
func writeCandidates(
	ctx context.Context, all []Ambiguous, choices Choices, to output.Request, protection output.Protection,
) ([]output.KeptVersion, error) {
	var lines [][]string
	written := map[string]bool{}
	for _, a := range all {
		form := a.form()
		lines = append(lines, a.lines(choices[form].ID)...)
		written[form] = true
	}
	for _, form := range slices.Sorted(maps.Keys(choices)) { // without a search that the journal knows
		if choice := choices[form]; !written[form] {
			found := v2.Candidate{ID: choice.ID}
			lines = append(lines, lineOf(0, choice.Sought.Company, found, chosenMark))
		}
	}
	to.Remade, protection.Rows = true, int64(len(lines))
	return output.WriteNew(ctx, to, table.NewMemory(header(), lines), protection)
}

// form returns the canonical form of the company that was sought.
func (a Ambiguous) form() string { return enrich.Identity{Company: a.Sought}.Canonical() }

// Left returns how many companies nothing was selected for, and how many rows name them.
func (c Choices) Left(all []Ambiguous) (companies, rows int64) {
	for _, a := range all {
		if _, chosen := c[a.form()]; !chosen {
			companies, rows = companies+1, rows+a.Rows
		}
	}
	return companies, rows
}

// LineError says what is wrong with a line of a file.
type LineError struct {
	Line   int64
	Column string // "" for several
	Text   string
}

func (e *LineError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Text)
	}
	return fmt.Sprintf("line %d, column %s: %s", e.Line, e.Column, e.Text)
}

// Choice is a candidate that somebody selected.
type Choice struct {
	ID     string
	Sought enrich.Identity // the company that it was selected for
	Line   int64           // of the file
}

// Choices are the candidates that somebody selected, by the canonical forms of the companies that were sought.
type Choices map[string]Choice

// IDs returns the ids of the candidates, for scan.Scope.
func (c Choices) IDs() map[string]string {
	ids := make(map[string]string, len(c))
	for form, choice := range c {
		ids[form] = choice.ID
	}
	return ids
}

// readChoicesFile reads the choices of a file in any format of lists.
func readChoicesFile(ctx context.Context, path string) (choices Choices, err error) {
	list, err := listfile.New(listfile.Options{}, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	return readChoices(ctx, list)
}

// readChoices reads the choices of a file. A file without a choice gives none.
func readChoices(ctx context.Context, list scan.List) (choices Choices, err error) {
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
	r := reading{places: places, choices: Choices{}}
	if err := table.Each(ctx, reader, r.take); err != nil {
		return nil, err
	}
	return r.choices, nil
}

// reading is a Read under way.
type reading struct {
	places  map[string]int
	choices Choices
}

// take reads one line.
func (r reading) take(line table.Row) error {
	cell := func(name string) string {
		if place := r.places[name]; place >= 0 {
			return strings.TrimSpace(string(table.UnescapeFormula(line.Cell(place))))
		}
		return ""
	}
	chosen, err := isChosen(cell(selectedColumn))
	if err != nil {
		return &LineError{line.Line(), selectedColumn, err.Error()}
	}
	if !chosen {
		return nil
	}
	sought, reason := enrich.Company{
		Name: cell(nameColumn), Country: cell(countryColumn), State: cell(stateColumn),
		RegistrationNumber: cell(registrationColumn),
	}.Identify(enrich.ByRegistration)
	if reason != "" {
		return &LineError{Line: line.Line(), Text: string(reason)}
	}
	found, reason := enrich.Company{ID: cell(idColumn)}.Identify(enrich.ByID)
	if reason != "" {
		return &LineError{line.Line(), idColumn, "the id of the candidate is missing or damaged"}
	}
	form := sought.Canonical()
	if other, twice := r.choices[form]; twice && other.ID != found.Company.ID {
		return &LineError{line.Line(), selectedColumn, fmt.Sprintf(
			"%s is selected twice, in line %d as %s; select one candidate", sought, other.Line, other.ID)}
	}
	r.choices[form] = Choice{found.Company.ID, sought, line.Line()}
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
	return false, fmt.Errorf("%q is neither x nor empty", text)
}
