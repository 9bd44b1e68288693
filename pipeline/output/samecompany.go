package output

import (
	"context"
	"hash/maphash"
	"math"
	"slices"
	"sync"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
)

// sameCompanyColumn is the name of the column that shows which rows are about one company. It is empty in the first of
// them, and has the number of that row in the others. So a sum over the rows in which it is empty counts each company
// once.
const sameCompanyColumn = "same_company_as"

// hasSameCompany reports whether the output has the column sameCompanyColumn: the list is one of companies, and its
// columns name them in several ways. Where they name them in one way, the reason of a duplicate has the number of the
// first row.
func (s Sequence) hasSameCompany() bool {
	scope := s[0].Scope
	if scope.Subject != enrich.Companies {
		return false
	}
	ways := 0
	for _, pattern := range []enrich.Pattern{
		enrich.ByID, enrich.ByRegistration, enrich.ByWebsite, enrich.ByCompanyProfile, enrich.ByCompanyName,
	} {
		if scope.Mapping.Identifies(enrich.PatternsOf(pattern)) {
			ways++
		}
	}
	if len(scope.Mapping[columns.RegistrationNumber]) > 0 && len(scope.Mapping[columns.VATNumber]) > 0 {
		ways++
	}
	return ways > 1
}

// sameCompanies says which rows are about one company.
type sameCompanies struct {
	// first has for each row the number of the first row of its company, 0 for that row itself and where the company is not
	// known: four bytes for each row.
	first []uint32
}

// sameCompanies reads the list and compares the companies of its rows by the ids in their answers. Answers that
// contradict rows do not count, unless they are accepted. Answers of steps that name no company are not read.
func (r *reading) sameCompanies(ctx context.Context, list scan.List) (same *sameCompanies, err error) {
	seed, first := maphash.MakeSeed(), map[uint64]uint32{}
	same = &sameCompanies{}
	ids := r.companyIDs()
	var naming []int // the columns of the ids
	for _, position := range ids {
		naming = append(naming, r.layout.columns[position])
	}
	feeding := r.steps.feeding(naming)
	rows := sync.Pool{New: func() any { return r.newThrough(feeding, true) }}
	err = scan.Pass(ctx, list, r.steps.with(nil), func(block table.Block) (companies []uint64, err error) {
		t := rows.Get().(*through)
		defer rows.Put(t)
		if err := t.load(block); err != nil {
			return nil, err
		}
		t.rewind()
		companies = make([]uint64, 0, block.Len())
		err = block.Each(func(row table.Row) error {
			if err := t.evaluate(row); err != nil {
				return err
			}
			company := uint64(0) // none
			for _, position := range ids {
				if id := t.found.values[position]; id != "" {
					company = max(1, maphash.String(seed, id))
					break
				}
			}
			companies = append(companies, company)
			return nil
		})
		return companies, err
	}, func(block table.Block, companies []uint64) error {
		for i, company := range companies {
			row := block.First() + int64(i)
			same.first = append(same.first, first[company])
			if _, known := first[company]; company != 0 && !known && row <= math.MaxUint32 {
				first[company] = uint32(row)
			}
		}
		return nil
	})
	return same, err
}

// companyIDs returns the positions of the ids of companies in answers.
func (r *reading) companyIDs() (ids []int) {
	for i, step := range r.steps {
		for d, detail := range step.Scope.Catalogue.Details {
			position := r.layout.steps[i].details[d]
			if columns.Role(detail.Role) == columns.CompanyID && !slices.Contains(ids, position) {
				ids = append(ids, position)
			}
		}
	}
	return ids
}

// cell returns the cell of a row.
func (s *sameCompanies) cell(row int64) enrich.Cell {
	first := uint32(0)
	if row <= int64(len(s.first)) {
		first = s.first[row-1]
	}
	return enrich.Cell{Kind: enrich.IntegerCell, Known: first > 0, Integer: int64(first)}
}
