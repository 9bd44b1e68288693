package row

import (
	"payonce/enrich"
	"payonce/io/table"
)

// Reader reads rows, as one goroutine does: what is missing and who a row is about.
type Reader struct {
	keyOf  func(canonical []byte) enrich.Key
	prefer enrich.Pattern
	fields []FieldColumn

	profileURL, firstName, lastName, companyDomain, companyName int
	cells                                                       enrich.Cells // of the row that was read last
	canonical                                                   []byte       // scratch
}

// Reader returns a reader of rows, which gets keys from keyOf.
func (s Scope) Reader(keyOf func([]byte) enrich.Key) *Reader {
	return &Reader{
		keyOf: keyOf, prefer: s.Prefer, fields: s.FieldColumns(),
		profileURL: s.Mapping.Column(RoleProfileURL), firstName: s.Mapping.Column(RoleFirstName),
		lastName:      s.Mapping.Column(RoleLastName),
		companyDomain: s.Mapping.Column(RoleCompanyDomain), companyName: s.Mapping.Column(RoleCompanyName),
	}
}

// Missing returns the wanted fields whose cells in the row are blank.
func (r *Reader) Missing(row table.Row) enrich.Fields {
	var missing enrich.Fields
	for _, f := range r.fields {
		if f.Column == None || IsBlank(row.Cell(f.Column)) {
			missing = missing.With(f.Field)
		}
	}
	return missing
}

// read reads what the row says about its person. It is valid until the row's visit ends.
func (r *Reader) read(row table.Row) *enrich.Cells {
	r.cells = enrich.Cells{
		ProfileURL: cellOf(row, r.profileURL), FirstName: cellOf(row, r.firstName), LastName: cellOf(row, r.lastName),
		CompanyDomain: cellOf(row, r.companyDomain), CompanyName: cellOf(row, r.companyName),
	}
	return &r.cells
}

func cellOf(row table.Row, column int) []byte {
	if column == None {
		return nil
	}
	return row.Cell(column)
}

// Canonical returns the canonical form of the row's person, or why the row names nobody. The
// form is valid until the next call.
func (r *Reader) Canonical(row table.Row) ([]byte, enrich.Pattern, enrich.Unidentifiable) {
	form, pattern, reason := r.read(row).AppendCanonical(r.canonical[:0], r.prefer)
	r.canonical = form
	return form, pattern, reason
}

// Key returns the key of the row's person, or why the row names nobody.
func (r *Reader) Key(row table.Row) (enrich.Key, enrich.Pattern, enrich.Unidentifiable) {
	form, pattern, reason := r.Canonical(row)
	if reason != "" {
		return enrich.Key{}, 0, reason
	}
	return r.keyOf(form), pattern, ""
}

// Identity returns the row's person, who has a key.
func (r *Reader) Identity(row table.Row) enrich.Identity {
	id, _ := r.read(row).Contact().Identify(r.prefer)
	return id
}

// IsBlank reports whether a cell holds nothing but blanks.
func IsBlank(cell []byte) bool {
	for _, b := range cell {
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return false
		}
	}
	return true
}
