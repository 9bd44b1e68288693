package scan

import (
	"bytes"
	"slices"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
)

// RowReader reads rows, as one goroutine does: what is missing and who a row is about. At goes to a row. What the other
// methods return is about that row, and each part of it is made once. It is valid until the row's visit ends.
type RowReader struct {
	row       table.Row
	keyOf     func(canonical []byte) enrich.Key
	prefer    enrich.Pattern
	fields    []FieldColumn
	held      columns.Held
	forgotten map[enrich.Key]bool
	follows   bool // the rows are Answered
	later     bool // they are, and fields that wait are not missing
	whole     func(enrich.Pattern, enrich.Fields) enrich.Fields
	parts     []describedBy  // what the rows say of their subjects
	companies *companyReader // nil where the rows name persons
	known     Known          // nil for none
	isKnown   bool           // as is that of the row
	as        enrich.Identity
	err       error
	header    []headerCell

	profileURL, firstName, lastName, companyDomain, companyName []int
	fullName                                                    []int // where first and last names have no columns
	emails, contactIDs                                          []int // that name persons
	fallback                                                    int   // as Scope.Fallback
	of                                                          string
	further                                                     enrich.Cells // with fallback: those of its identity
	hasFurther, isFurther                                       bool         // that there is one, and that it was looked for
	name                                                        columns.PersonName
	first, last                                                 []byte // scratch
	hasCells                                                    bool
	cells                                                       enrich.Cells
	canonical                                                   []byte    // scratch
	own                                                         OwnValues // as Missing found it
	unasked                                                     enrich.Fields
}

// At goes to a row.
func (r *RowReader) At(row table.Row) {
	r.row, r.hasCells, r.isFurther, r.isKnown, r.err = row, false, false, false, nil
	if r.companies != nil {
		r.companies.at(row)
	}
}

// OwnValues says what a row holds of the wanted fields besides values in their own columns.
type OwnValues struct {
	Held         enrich.Fields // fields with a value in a further column
	Placeholders enrich.Fields // fields whose own cell holds a placeholder
	columns      enrich.ByField[int]
}

// Column returns the further column that holds a field.
func (o *OwnValues) Column(f enrich.Field) int { return o.columns[f] }

// Reader returns a reader of rows, which gets keys from keyOf.
func (s Scope) Reader(keyOf func([]byte) enrich.Key) *RowReader {
	r := &RowReader{
		keyOf: keyOf, prefer: s.Prefer, fields: s.FieldColumns(), held: s.Held, forgotten: s.Forgotten,
		follows: s.Later, later: s.Later && !s.Most, whole: s.whole, fallback: s.Fallback, of: s.Catalogue.Interface,
	}
	r.header, r.parts = s.headerCells(), s.describedBy()
	if s.Subject == enrich.Companies {
		r.companies, r.known = newCompanyReader(s), s.Known
		return r
	}
	if s.patterns().Has(enrich.ByProfile) {
		r.profileURL = s.Mapping[columns.ProfileURL]
	}
	if s.patterns().Has(enrich.ByName) {
		r.firstName, r.lastName = s.Mapping[columns.FirstName], s.Mapping[columns.LastName]
		r.fullName = s.Mapping[columns.FullName]
		r.companyDomain, r.companyName = s.Mapping[columns.CompanyDomain], s.Mapping[columns.CompanyName]
	}
	if s.patterns().Has(enrich.ByEmail) {
		r.emails = slices.Concat(s.Mapping[columns.Email], s.Mapping[columns.HeldEmail])
	}
	if s.patterns().Has(enrich.ByContactID) {
		r.contactIDs = s.Mapping[columns.ContactID]
	}
	return r
}

// Missing returns the wanted fields that the row does not hold: their own cells are empty, no further
// column has a value, and no earlier step may still answer.
func (r *RowReader) Missing() enrich.Fields {
	row := r.row
	var missing enrich.Fields
	r.own.Held, r.own.Placeholders, r.unasked = 0, 0, 0
	for i := range r.fields {
		f := &r.fields[i]
		if f.Column != columns.None {
			cell := row.Cell(f.Column)
			if !columns.IsEmpty(cell) {
				continue
			}
			if r.follows && row.(answeredRow).Erased(f.Column) {
				continue
			}
			if r.later && row.(answeredRow).Waits(f.Column) {
				if row.(answeredRow).Unasked(f.Column) {
					r.unasked = r.unasked.With(f.Field)
				}
				continue
			}
			if len(cell) > 0 && columns.IsPlaceholder(cell) {
				r.own.Placeholders = r.own.Placeholders.With(f.Field)
			}
		}
		if len(f.Held) > 0 {
			if column := r.holds(row, f); column != columns.None {
				r.own.Held = r.own.Held.With(f.Field)
				r.own.columns[f.Field] = column
				continue
			}
		}
		missing = missing.With(f.Field)
	}
	if missing != 0 && r.leaves() {
		return 0
	}
	return missing
}

// Unasked returns the fields that Missing left out only because an earlier step was not asked for them.
func (r *RowReader) Unasked() enrich.Fields { return r.unasked }

// Own returns what Missing found.
func (r *RowReader) Own() *OwnValues { return &r.own }

// holds returns the first further column with a value of a field, or None.
func (r *RowReader) holds(row table.Row, f *FieldColumn) int {
	for _, column := range f.Held {
		if cell := row.Cell(column); len(cell) > 0 && columns.Holds(f.Role, cell, r.held) {
			return column
		}
	}
	return columns.None
}

// person returns what the row says about its person.
func (r *RowReader) person() *enrich.Cells {
	if r.hasCells {
		return &r.cells
	}
	row := r.row
	r.hasCells, r.cells = true, enrich.Cells{
		ProfileURL: cellOf(row, columns.ProfileURL, r.profileURL),
		FirstName:  cellOf(row, columns.FirstName, r.firstName), LastName: cellOf(row, columns.LastName, r.lastName),
		CompanyDomain: cellOf(row, columns.CompanyDomain, r.companyDomain), CompanyName: cellOf(row, columns.CompanyName, r.companyName),
	}
	if len(r.contactIDs) > 0 {
		r.cells.ContactID = cellOf(row, columns.ContactID, r.contactIDs)
	}
	if len(r.emails) > 0 {
		r.cells.Email = cellOf(ownOf(row), columns.Email, r.emails) // one that was found is no name of the person
	}
	if len(r.fullName) > 0 {
		r.splitName(cellOf(row, columns.FullName, r.fullName))
	}
	return &r.cells
}

// Describe returns what the row says of its subject.
func (r *RowReader) Describe(described *enrich.Described) {
	*described = enrich.Described{}
	for i := range r.parts {
		described[r.parts[i].part] = string(cellOf(r.row, r.parts[i].role, r.parts[i].columns))
	}
}

// IsSelected reports whether somebody chose the company of the row among the results of a search.
func (r *RowReader) IsSelected() bool {
	return r.companies != nil && r.companies.isSelected()
}

// describedBy are the columns with a part of what rows say of their subjects.
type describedBy struct {
	part    enrich.Part
	role    columns.Role // one of those of the columns
	columns []int
}

// describedBy returns the columns that describe the subjects of the rows. Answers of earlier steps are not what the list
// says.
func (s Scope) describedBy() (parts []describedBy) {
	for _, by := range []struct {
		part  enrich.Part
		roles []columns.Role
	}{
		{enrich.PartFullName, []columns.Role{columns.FullName}},
		{enrich.PartFirstName, []columns.Role{columns.FirstName}},
		{enrich.PartLastName, []columns.Role{columns.LastName}},
		{enrich.PartProfile, []columns.Role{columns.ProfileURL}},
		{enrich.PartContactID, []columns.Role{columns.ContactID}},
		{enrich.PartCompanyID, []columns.Role{columns.CompanyID}},
		{enrich.PartCompanyName, []columns.Role{columns.CompanyName}},
		{enrich.PartCountry, []columns.Role{columns.CompanyCountry}},
		{enrich.PartRegistration, []columns.Role{columns.RegistrationNumber}},
		{enrich.PartVAT, []columns.Role{columns.VATNumber}},
		{enrich.PartWebsite, []columns.Role{columns.CompanyWebsite, columns.CompanyDomain}},
		{enrich.PartCompanyProfile, []columns.Role{columns.CompanyProfileURL}},
	} {
		var of []int
		for _, role := range by.roles {
			if columns.Names(role, s.Subject) {
				of = append(of, s.Mapping[role]...)
			}
		}
		if of = slices.DeleteFunc(of, func(column int) bool { return column >= FirstAnswer }); len(of) > 0 {
			parts = append(parts, describedBy{by.part, by.roles[0], of})
		}
	}
	return parts
}

// splitName takes the first and the last name from a full name, unless the row has both in their own cells.
func (r *RowReader) splitName(cell []byte) {
	r.name = columns.PersonName{}
	if len(r.cells.FirstName) > 0 && len(r.cells.LastName) > 0 {
		return
	}
	r.name = columns.SplitName(string(cell))
	r.first, r.last = append(r.first[:0], r.name.First...), append(r.last[:0], r.name.Last...)
	r.cells.FirstName, r.cells.LastName = columns.Naming(columns.FirstName, r.first), columns.Naming(columns.LastName, r.last)
}

// HasDoubtfulName reports whether the person, whose canonical form was made, has a full name that could be split in
// another way.
func (r *RowReader) HasDoubtfulName() bool { return r.name.Doubtful }

// cellOf returns the first value by which the cells of a role name a subject; nil when none does.
func cellOf(row table.Row, role columns.Role, of []int) []byte {
	for _, column := range of {
		if cell := columns.Naming(role, row.Cell(column)); cell != nil {
			return cell
		}
	}
	return nil
}

// Canonical returns the canonical form of the row's subject, or why the row names none: an
// identity of the row that was forgotten, if there is one. The form is valid until the next call.
func (r *RowReader) Canonical() ([]byte, enrich.Pattern, enrich.Unidentifiable) {
	if r.repeatsHeader() {
		return nil, 0, repeatsHeader
	}
	if r.companies != nil {
		return r.companyForm()
	}
	cells := r.person()
	if len(r.forgotten) > 0 && r.keyOf != nil {
		forgotten := cells.EachCanonical(r.canonical[:0], func(form []byte) bool {
			r.canonical = form
			return r.forgotten[r.keyOf(form)]
		})
		if forgotten {
			return r.canonical, r.prefer, ""
		}
	}
	cells, prefer := r.asked()
	form, pattern, reason := cells.AppendCanonical(r.canonical[:0], prefer)
	r.canonical = form
	return form, pattern, reason
}

// companyForm is Canonical for a company. Companies are not forgotten.
func (r *RowReader) companyForm() ([]byte, enrich.Pattern, enrich.Unidentifiable) {
	id, reason := r.companies.identify()
	if reason != "" {
		return nil, 0, reason
	}
	id = r.knownAs(id)
	r.canonical = id.AppendCanonical(r.canonical[:0])
	return r.canonical, id.Pattern(), ""
}

// Key returns the key of the row's subject, or why the row names none.
func (r *RowReader) Key() (enrich.Key, enrich.Pattern, enrich.Unidentifiable) {
	form, pattern, reason := r.Canonical()
	if reason != "" {
		return enrich.Key{}, 0, reason
	}
	return r.keyOf(form), pattern, ""
}

// Identity returns the row's subject, which has a key.
func (r *RowReader) Identity() enrich.Identity {
	if r.companies != nil {
		id, _ := r.companies.identify()
		return r.knownAs(id)
	}
	cells, prefer := r.asked()
	id, _ := cells.Contact().Identify(prefer)
	return id
}

// repeatsHeader is why a row names nobody that has the names of the columns in its cells, as each page of a list
// has that was printed.
const repeatsHeader enrich.Unidentifiable = "the row repeats the names of the columns"

// headerCell is a column that names subjects, and its own name.
type headerCell struct {
	column int
	name   []byte
}

// headerCells returns the columns that name subjects, with their names.
func (s Scope) headerCells() (cells []headerCell) {
	for role, of := range s.Mapping {
		for _, column := range of {
			if columns.Names(role, s.Subject) && column < len(s.Header) && s.Header[column] != "" {
				cells = append(cells, headerCell{column, []byte(s.Header[column])})
			}
		}
	}
	return cells
}

// repeatsHeader reports whether the cells that name the row's subject are the names of their columns. A column can
// have one value that is its name.
func (r *RowReader) repeatsHeader() bool {
	for _, cell := range r.header {
		if !bytes.Equal(r.row.Cell(cell.column), cell.name) {
			return false
		}
	}
	return len(r.header) > 1
}

// isBlank reports whether a cell holds nothing but blanks.
func isBlank(cell []byte) bool {
	for _, b := range cell {
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return false
		}
	}
	return true
}
