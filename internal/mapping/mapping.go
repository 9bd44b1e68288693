// Package mapping shows how the columns of one list are read, changes it, and saves it in a mapping file.
package mapping

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/internal/mapfile"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/internal/userlist"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/row"
	"payonce/service/v1/v1fields"
)

// shownRows is how many rows are shown as they would be requested.
const shownRows = 10

// Options say which list is read, and what decides how.
type Options struct {
	List    userlist.Options
	Mapping []string // overrides
	MapFile string   // "" to find one
	Fields  enrich.Fields
	Prefer  enrich.Pattern
	Held    columns.Held
	Preset  string
}

// Mapping is how the columns of one list are read.
type Mapping struct {
	Schema  table.Schema
	Reading *columns.Reading
	options Options
	list    *userlist.File
	sample  columns.Sample
	file    string // the mapping file that was used; "" for none
	Notes   []string
	first   []cells
}

// cells are those of one row.
type cells struct {
	number int64
	values [][]byte
}

// Number returns the number of the row.
func (c cells) Number() int64 { return c.number }

// Line returns the number of the row.
func (c cells) Line() int64 { return c.number }

// Cell returns one cell.
func (c cells) Cell(i int) []byte { return c.values[i] }

// Open reads the columns of a list and its first rows.
func Open(o Options) (*Mapping, error) {
	list, err := userlist.Open(o.List)
	if err != nil {
		return nil, err
	}
	m := &Mapping{options: o, list: list}
	if m.Schema, m.sample, err = list.Look(); err == nil {
		err = m.readFirst()
	}
	if err == nil {
		err = m.recognise()
	}
	if err != nil {
		return nil, errors.Join(err, list.Close())
	}
	return m, nil
}

// Close closes the list.
func (m *Mapping) Close() error { return m.list.Close() }

// recognise finds the columns by what the user says, a mapping file, the headers and the cells.
func (m *Mapping) recognise() error {
	found := columns.Options{Overrides: m.options.Mapping, Held: m.options.Held, Preset: m.options.Preset, Catalogue: v1fields.Catalogue(), Lenient: true}
	file, notes, err := mapfile.Of(m.options.MapFile, m.list.Paths, m.Schema)
	if err != nil {
		return err
	}
	m.Notes = notes
	if file != nil {
		m.file = file.Path
		if found.Saved, err = file.Overrides(m.Schema); err != nil {
			return err
		}
	}
	if m.Reading, err = columns.Recognise(m.Schema, m.sample, found); err != nil {
		return problem.Usagef("%s: %w", strings.Join(m.options.List.Names, " "), err)
	}
	return nil
}

// readFirst keeps the first rows of the list.
func (m *Mapping) readFirst() error {
	reader, err := m.list.Whole().Open(nil)
	if err != nil {
		return userlist.AsUsage(err)
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
			kept := cells{number: line.Number()}
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
	return userlist.AsUsage(errors.Join(err, reader.Close()))
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
		return mapfile.NameFor(m.list.Names[0])
	}
	return mapfile.NameFor(m.list.Paths[0])
}

// Save writes the mapping to a file with this mode.
func (m *Mapping) Save(path string, mode fs.FileMode) error {
	if err := m.Reading.Mapping.CheckFilled(m.Schema, v1fields.Catalogue(), m.options.Fields); err != nil {
		return problem.AsUsage(err)
	}
	return mapfile.Write(path, strings.Join(m.options.List.Names, " "), m.Schema, m.Reading.Mapping, mode)
}

// View returns the mapping for a report.
func (m *Mapping) View() *report.Mapping {
	view := &report.Mapping{List: strings.Join(m.options.List.Names, " "), File: m.file, Preset: m.Reading.Preset, Default: m.DefaultFile(), Doubts: m.Doubts(), Rows: m.Rows()}
	for i, header := range m.Schema.Columns {
		view.Columns = append(view.Columns, report.MappedColumn{
			Number: i + 1, Header: header, ReadAs: m.rolesOf(i), Why: m.Why(i), Holds: m.sample.Describe(i), Example: m.Example(i),
		})
	}
	for _, column := range (output.Output{Scope: m.scope()}).Columns(m.Schema) {
		view.Appended = append(view.Appended, column.Name)
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
			if holds := m.sample.Describe(column); holds != "" && m.Reading.Why[role] == columns.ByCells {
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
	if err := m.Reading.Mapping.CheckFilled(m.Schema, v1fields.Catalogue(), m.options.Fields); err != nil {
		doubts = append(doubts, err.Error())
	}
	if !m.Reading.Mapping.CanIdentify() {
		doubts = append(doubts, "no columns that identify a person: a profile URL, or first name, last name and company domain or name")
	}
	return doubts
}

func (m *Mapping) scope() row.Scope {
	return row.Scope{Catalogue: v1fields.Catalogue(), Mapping: m.Reading.Mapping, Held: m.options.Held, Wanted: m.options.Fields, Prefer: m.options.Prefer}
}

// Rows returns the first rows as they would be requested.
func (m *Mapping) Rows() []report.MappedRow {
	shown := []report.MappedRow{}
	reader := m.scope().Reader(nil)
	for _, line := range m.first {
		r := report.MappedRow{Row: line.number, Fields: []string{}}
		missing := reader.Missing(line)
		_, _, reason := reader.Canonical(line)
		switch {
		case missing == 0:
			r.Reason = "the row holds it already"
		case reason != "":
			r.Reason = string(reason)
		default:
			identity := reader.Identity(line)
			r.Identity = &identity
			for f := range missing.Each() {
				r.Fields = append(r.Fields, v1fields.Catalogue().Name(f))
			}
		}
		shown = append(shown, r)
	}
	return shown
}
