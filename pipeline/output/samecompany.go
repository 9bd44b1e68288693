package output

import (
	"context"
	"hash/maphash"
	"math"
	"slices"
	"sync"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
)

// sameCompanyColumn is the name of the column that shows which rows are about one company. It is empty in the first of
// them, and has the number of that row in the others. So a sum over the rows in which it is empty counts each company once.
const sameCompanyColumn = "same_company_as"

// hasSameCompany reports whether the output has the column sameCompanyColumn: the list is one of companies, and its columns
// name them in several ways. Where they name them in one way, the reason of a duplicate has the number of the first row.
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
	// charged are the rows and steps whose charge an earlier row or step shows: a fallback found a company that was bought
	// for another row.
	charged map[rowStep]bool
}

type rowStep struct {
	row  int64
	step int
}

// rowCompany is what the pass finds in a row.
type rowCompany struct {
	company uint64 // a hash of its id, 0 for none
	shown   []shownCharge
}

// shownCharge is an attempt whose charge a step shows in a row.
type shownCharge struct {
	step int
	id   attempt.ID
}

// sameCompanies reads the list and compares the companies of its rows by the ids in their answers. Answers that contradict
// rows do not count, unless they are accepted.
func (r *reading) sameCompanies(ctx context.Context, list scan.List) (same *sameCompanies, err error) {
	seed, first, shown := maphash.MakeSeed(), map[uint64]uint32{}, map[attempt.ID]bool{}
	same = &sameCompanies{charged: map[rowStep]bool{}}
	rows := sync.Pool{New: func() any { return r.newThrough(nil, true) }}
	err = scan.Pass(ctx, list, r.steps.with(nil), func(block table.Block) (found []rowCompany, err error) {
		t := rows.Get().(*through)
		defer rows.Put(t)
		if err := t.load(block); err != nil {
			return nil, err
		}
		t.rewind()
		found = make([]rowCompany, 0, block.Len())
		err = block.Each(func(row table.Row) error {
			if err := t.evaluate(row); err != nil {
				return err
			}
			of := rowCompany{shown: t.shownCharges()}
			if id := t.companyID(); id != "" {
				of.company = max(1, maphash.String(seed, id))
			}
			found = append(found, of)
			return nil
		})
		return found, err
	}, func(block table.Block, found []rowCompany) error {
		for i, of := range found {
			row := block.First() + int64(i)
			same.first = append(same.first, first[of.company])
			if _, known := first[of.company]; of.company != 0 && !known && row <= math.MaxUint32 {
				first[of.company] = uint32(row)
			}
			for _, charge := range of.shown {
				if shown[charge.id] {
					same.charged[rowStep{row, charge.step}] = true
				}
				shown[charge.id] = true
			}
		}
		return nil
	})
	return same, err
}

// shownCharges returns the attempts whose charges several steps may show: those about fields that fallbacks ask for too.
func (t *through) shownCharges() (shown []shownCharge) {
	if !slices.ContainsFunc(t.steps, func(s StepOutput) bool { return s.Scope.Fallback > 0 }) {
		return nil
	}
	for i, e := range t.evaluators {
		if !e.hasResult || !e.result.charged || e.row.Record == nil {
			continue
		}
		record := &e.records[e.known-1]
		for f := range e.Scope.Wanted.Each() {
			if id := record.Attempts[f]; id != 0 {
				shown = append(shown, shownCharge{i, id})
			}
		}
	}
	return shown
}

// showOnce removes from the results of a row the charges that an earlier row or step shows.
func (p *formatter) showOnce(row int64) {
	if p.same == nil || len(p.same.charged) == 0 {
		return
	}
	for i, e := range p.evaluators {
		if p.same.charged[rowStep{row, i}] {
			e.result.charged, e.result.charge = false, cost.Amounts{}
		}
	}
}

// companyID returns the id of the company of the row, as the answers say it; "" for none.
func (t *through) companyID() string {
	for i, step := range t.steps {
		for d, detail := range step.Scope.Catalogue.Details {
			if columns.Role(detail.Role) != columns.CompanyID {
				continue
			}
			if id := t.found.values[t.layout.steps[i].details[d]]; id != "" {
				return id
			}
		}
	}
	return ""
}

// cell returns the cell of a row.
func (s *sameCompanies) cell(row int64) enrich.Cell {
	first := uint32(0)
	if row <= int64(len(s.first)) {
		first = s.first[row-1]
	}
	return enrich.Cell{Kind: enrich.IntegerCell, Known: first > 0, Integer: int64(first)}
}
