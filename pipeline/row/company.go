package row

import (
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
)

// companyReader reads which company a row names.
type companyReader struct {
	id, country, state, registration, vat, website, profileURL []int
}

func newCompanyReader(m columns.Mapping) *companyReader {
	return &companyReader{
		id: m[columns.CompanyID], country: m[columns.CompanyCountry], state: m[columns.CompanyState],
		registration: m[columns.RegistrationNumber], vat: m[columns.VATNumber],
		website: m[columns.CompanyWebsite], profileURL: m[columns.CompanyProfileURL],
	}
}

// company returns what the cells of a row say of its company.
func (r *companyReader) company(row table.Row) enrich.Company {
	text := func(of []int) string { return string(cellOf(row, of)) }
	return enrich.Company{
		ID: text(r.id), Country: text(r.country), State: text(r.state),
		RegistrationNumber: text(r.registration), VATNumber: text(r.vat),
		Website: text(r.website), ProfileURL: text(r.profileURL),
	}
}
