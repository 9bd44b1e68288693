// This file shows how the columns of one list are read, changes it, and saves it in a mapping file.

package pipeline

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/scan"
)

// shownRows is how many rows are shown as they would be requested.
const shownRows = 10

// Mapping is how the columns of one list are read.
type Mapping struct {
	readList
	first []columnCells
}

// columnCells are those of one row.
type columnCells struct {
	number int64
	values [][]byte
}

// Number returns the number of the row.
func (c columnCells) Number() int64 { return c.number }

// Line returns the number of the row.
func (c columnCells) Line() int64 { return c.number }

// Cell returns one cell.
func (c columnCells) Cell(i int) []byte { return c.values[i] }

// OpenMapping reads the columns of a list and its first rows, for fields of some of the providers.
func OpenMapping(order List, providers []provider.Provider) (*Mapping, error) {
	asked, err := provider.All(providers).Of(provider.Wanted{Fields: order.Fields, From: order.From})
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	list, err := columns.OpenList(order.Options, order.Names...)
	if err != nil {
		return nil, err
	}
	m := &Mapping{readList: readList{order: order, asked: asked, list: list}}
	if err = m.look(); err == nil {
		err = m.readFirst()
	}
	if err == nil {
		_, err = m.recognise()
	}
	if err == nil && order.UsualFields {
		err = m.seeCompanies(providers)
	}
	if err != nil {
		return nil, errors.Join(err, list.Close())
	}
	return m, nil
}

// seeCompanies reads the list as one of companies, for what identifies them, when its rows name companies and no persons.
// Rows with emails and the names of companies alone may be about persons.
func (m *Mapping) seeCompanies(providers []provider.Provider) error {
	persons := *m
	if m.Reading.Mapping.Identifies(provider.PatternsOf(enrich.Persons)) {
		return nil
	}
	for _, p := range providers {
		of := p.Interface()
		if of.Identifying == 0 {
			continue
		}
		m.asked = []provider.Asked{{Interface: of, Fields: of.Identifying}}
		_, err := m.recognise()
		patterns := provider.PatternsOf(enrich.Companies)
		if persons.Reading.Mapping.Column(columns.Email) == columns.None {
			patterns |= enrich.PatternsOf(enrich.ByCompanyName)
		}
		if err == nil && m.Reading.Lists == enrich.Companies && m.Reading.Mapping.Identifies(patterns) {
			m.Notes = append(m.Notes, fmt.Sprintf("the list is one of companies, so it is shown as it is read for %s", of.Catalogue.Words(of.Identifying)))
			return nil
		}
		*m = persons
		if err != nil {
			return err
		}
	}
	return nil
}

// Close closes the list.
func (m *Mapping) Close() error { return m.list.Close() }

// readFirst keeps the first rows of the list.
func (m *Mapping) readFirst() error {
	reader, err := m.list.Whole().Open(nil)
	if err != nil {
		return columns.AsListUsage(err)
	}
	for len(m.first) < shownRows && err == nil {
		var block table.Block
		if block, err = reader.Next(); err != nil {
			break
		}
		err = block.Each(func(line table.Row) error {
			if len(m.first) == shownRows {
				return nil
			}
			kept := columnCells{number: line.Number()}
			for i := range m.Schema.Columns {
				kept.values = append(kept.values, slices.Clone(line.Cell(i)))
			}
			m.first = append(m.first, kept)
			return nil
		})
		block.Release()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return columns.AsListUsage(errors.Join(err, reader.Close()))
}

// Set gives a role to some columns, none for no column. The columns lose the role that they had.
func (m *Mapping) Set(role columns.Role, numbers ...int) {
	for other, of := range m.Reading.Mapping {
		of = slices.DeleteFunc(slices.Clone(of), func(column int) bool { return slices.Contains(numbers, column) })
		m.Reading.Mapping[other] = of
		if len(of) == 0 {
			delete(m.Reading.Mapping, other)
		}
	}
	delete(m.Reading.Mapping, role)
	if len(numbers) > 0 {
		m.Reading.Mapping[role], m.Reading.Why[role] = numbers, columns.Given
	}
	m.Reading.Doubts = slices.DeleteFunc(m.Reading.Doubts, func(e *columns.AmbiguousError) bool { return e.Role == role })
}

// Roles returns the roles that columns of the list can have.
func (m *Mapping) Roles() []columns.Role { return columns.RolesOf(m.Reading.Lists) }

// RoleOf returns the role of a column, "" for none.
func (m *Mapping) RoleOf(column int) columns.Role {
	for _, role := range m.Roles() {
		if slices.Contains(m.Reading.Mapping[role], column) {
			return role
		}
	}
	return ""
}

// Example returns the first cell of a column that is not blank.
func (m *Mapping) Example(column int) string {
	for _, row := range m.first {
		if text := strings.TrimSpace(string(row.Cell(column))); text != "" {
			return text
		}
	}
	return ""
}

// DefaultFile returns the name of the mapping file of the list, "" where the list has no name of its own.
func (m *Mapping) DefaultFile() string {
	if len(m.list.Paths) == 0 {
		return ""
	}
	if m.list.Names[0] != "" && len(m.list.Paths) == 1 && filepath.Base(m.list.Names[0]) == filepath.Base(m.list.Paths[0]) {
		return columns.MappingNameFor(m.list.Names[0])
	}
	return columns.MappingNameFor(m.list.Paths[0])
}

// Save writes the mapping to a file with this mode.
func (m *Mapping) Save(path string, mode fs.FileMode) error {
	if err := m.checkFilled(); err != nil {
		return problem.AsUsage(err)
	}
	return columns.WriteMappingFile(path, strings.Join(m.order.Names, " "), m.Schema, m.Reading.Mapping, mode)
}

// steps returns the steps in which a run would ask for the rows. Without columns that name what it asks about
// there may be none.
func (m *Mapping) steps() []provider.Step {
	steps, err := provider.ListOf(m.Reading.Lists, m.Reading.Mapping).Steps(m.asked)
	if err != nil {
		return nil // Doubts says why
	}
	return steps
}

// View returns the mapping for a report.
func (m *Mapping) View() *report.Mapping {
	view := &report.Mapping{List: strings.Join(m.order.Names, " "), File: m.mapFile, Preset: m.Reading.Preset, Default: m.DefaultFile(), Doubts: m.Doubts(), Rows: m.Rows()}
	for i, header := range m.Schema.Columns {
		view.Columns = append(view.Columns, report.MappedColumn{
			Number: i + 1, Header: header, ReadAs: m.rolesOf(i), Why: m.Why(i), Holds: m.sample.Describe(i), Example: m.Example(i),
		})
	}
	steps := m.steps()
	names := provider.StepNames(steps)
	var sequence output.Sequence
	for i, step := range steps {
		scope := m.scope(step)
		if i > 0 {
			scope = sequence.Follow(scope)
		}
		sequence = append(sequence, output.StepOutput{Output: output.Output{Scope: scope}, Name: names[i]})
	}
	if len(sequence) > 0 {
		for _, column := range sequence.Columns(m.Schema) {
			view.Appended = append(view.Appended, column.Name)
		}
	}
	return view
}

func (m *Mapping) rolesOf(column int) []string {
	roles := []string{}
	for _, role := range m.Roles() {
		if slices.Contains(m.Reading.Mapping[role], column) {
			roles = append(roles, string(role))
		}
	}
	return roles
}

// Why says why a column is read as it is.
func (m *Mapping) Why(column int) string {
	if role := m.RoleOf(column); role != "" {
		why := m.Reading.Why[role].String()
		if role == columns.HeldEmail || role == columns.HeldPhone {
			switch holds := m.sample.Describe(column); {
			case m.Reading.Why[role] != columns.ByCells:
			case holds == "":
				why = columns.ByHeader.String()
			default:
				why = "it holds " + holds
			}
			why += "; its values are not bought"
		}
		return why
	}
	for _, doubt := range m.Reading.Doubts {
		if slices.Contains(doubt.All, column) {
			return "it could be " + string(doubt.Role) + ", as another column"
		}
	}
	for _, unused := range m.Reading.Unused {
		if unused.Column == column {
			return fmt.Sprintf("its header says %s, but it holds %s", unused.Role, unused.Holds)
		}
	}
	if holds := m.sample.Describe(column); holds != "" {
		return "not needed; it holds " + holds
	}
	return "not needed; it is blank"
}

// Doubts says what a person should look at.
func (m *Mapping) Doubts() []string {
	doubts := []string{}
	for _, doubt := range m.Reading.Doubts {
		doubts = append(doubts, doubt.Error()+"; the first one is taken")
	}
	for _, unused := range m.Reading.Unused {
		if m.RoleOf(unused.Column) == "" && len(m.Reading.Mapping[unused.Role]) == 0 {
			doubts = append(doubts, unused.Text(m.Schema))
		}
	}
	if err := m.checkFilled(); err != nil {
		doubts = append(doubts, err.Error())
	}
	if _, err := provider.ListOf(m.Reading.Lists, m.Reading.Mapping).Steps(m.asked); err != nil {
		doubts = append(doubts, err.Error())
	}
	if subject := m.Reading.Lists; !m.identifies() {
		doubts = append(doubts, fmt.Sprintf("no columns that identify a %s: %s", subject, columns.Needed(subject)))
	}
	return doubts
}

// identifies reports whether the columns name what a step asks about.
func (m *Mapping) identifies() bool {
	for _, step := range m.steps() {
		if !step.ByID && m.Reading.Mapping.Identifies(step.Patterns()) {
			return true
		}
	}
	return m.Reading.Mapping.Identifies(provider.PatternsOf(m.Reading.Lists))
}

// sharedHost says of a row why its domain or website names no company, "" when it names one.
func (m *Mapping) sharedHost(line table.Row) string {
	reason := ""
	for _, role := range []columns.Role{columns.CompanyWebsite, columns.CompanyDomain} {
		for _, column := range m.Reading.Mapping[role] {
			cell := string(line.Cell(column))
			if strings.TrimSpace(cell) == "" {
				continue
			}
			found := enrich.WhyNoDomain(cell)
			if found == "" {
				return ""
			}
			reason = fmt.Sprintf("not by %q: %s", m.Schema.Columns[column], found)
		}
	}
	return reason
}

// Rows returns the first rows as they would be requested first.
func (m *Mapping) Rows() []report.MappedRow {
	shown := []report.MappedRow{}
	steps := m.steps()
	var readers []*scan.RowReader
	for _, step := range steps {
		readers = append(readers, m.scope(step).Reader(nil))
	}
	for _, line := range m.first {
		r := report.MappedRow{Row: line.number, Fields: []string{}, Reason: "the row holds it already"}
		for i, reader := range readers {
			if steps[i].Resolves {
				continue
			}
			reader.At(line)
			missing := reader.Missing()
			_, _, reason := reader.Canonical()
			if missing != 0 && reason != "" && i == 0 {
				r.Reason = string(reason)
			}
			if missing == 0 || reason != "" {
				continue
			}
			identity := reader.Identity()
			r.Identity, r.Reason, r.Fields = &identity, "", steps[i].Interface.Catalogue.NamesOf(missing)
			r.Note = m.sharedHost(line)
			break
		}
		shown = append(shown, r)
	}
	return shown
}
