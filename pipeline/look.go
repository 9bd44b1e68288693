package pipeline

import (
	"payonce/enrich"
	"payonce/io/table"
)

// none stands for "no column".
const none = -1

// looker looks at rows, as one goroutine does: what is missing and who it is about.
type looker struct {
	wanted enrich.Fields
	prefer enrich.Pattern
	keyOf  func(canonical []byte) enrich.Key

	fields                                                      [enrich.NumFields]int // the columns of the fields
	profileURL, firstName, lastName, companyDomain, companyName int
	cells                                                       enrich.Cells // of the row that was read last
	canonical                                                   []byte       // scratch
}

func (s Scope) looker(keyOf func([]byte) enrich.Key) *looker {
	l := &looker{
		wanted: s.Wanted, prefer: s.Prefer, keyOf: keyOf,
		profileURL: s.Mapping.column(RoleProfileURL), firstName: s.Mapping.column(RoleFirstName),
		lastName:      s.Mapping.column(RoleLastName),
		companyDomain: s.Mapping.column(RoleCompanyDomain), companyName: s.Mapping.column(RoleCompanyName),
	}
	for f := range l.fields {
		l.fields[f] = s.Mapping.columnOf(enrich.Field(f))
	}
	return l
}

// missing returns the wanted fields whose cells in the row are blank.
func (l *looker) missing(row table.Row) enrich.Fields {
	var missing enrich.Fields
	for f, column := range l.fields {
		if l.wanted.Has(enrich.Field(f)) && (column == none || isBlank(row.Cell(column))) {
			missing = missing.With(enrich.Field(f))
		}
	}
	return missing
}

// read reads what the row says about its person. It is valid until the row's visit ends.
func (l *looker) read(row table.Row) *enrich.Cells {
	l.cells = enrich.Cells{
		ProfileURL: cellOf(row, l.profileURL), FirstName: cellOf(row, l.firstName), LastName: cellOf(row, l.lastName),
		CompanyDomain: cellOf(row, l.companyDomain), CompanyName: cellOf(row, l.companyName),
	}
	return &l.cells
}

func cellOf(row table.Row, column int) []byte {
	if column == none {
		return nil
	}
	return row.Cell(column)
}

// key returns the key of the row's person, or why the row names nobody.
func (l *looker) key(row table.Row) (enrich.Key, enrich.Pattern, enrich.Unidentifiable) {
	form, pattern, reason := l.read(row).AppendCanonical(l.canonical[:0], l.prefer)
	l.canonical = form
	if reason != "" {
		return enrich.Key{}, 0, reason
	}
	return l.keyOf(form), pattern, ""
}

// identity returns the row's person, who has a key.
func (l *looker) identity(row table.Row) enrich.Identity {
	id, _ := l.read(row).Contact().Identify(l.prefer)
	return id
}

func isBlank(cell []byte) bool {
	for _, b := range cell {
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return false
		}
	}
	return true
}
