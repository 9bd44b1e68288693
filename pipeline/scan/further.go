package scan

import (
	"slices"

	"payonce/enrich"
	"payonce/io/table"
)

// A step can ask by further identities of the rows where the steps before it found nothing: Scope.Fallback. The answers
// of the earlier steps decide which rows that are. For persons they are those of the same interface: it found nobody,
// or what it found contradicts the row. A person whose email alone was not found is not asked for again.

// asked returns the cells that name the person as the step asks for it, and the pattern that is preferred among them.
func (r *RowReader) asked() (*enrich.Cells, enrich.Pattern) {
	if r.fallback == 0 {
		return r.person(), r.prefer
	}
	if !r.isFurther {
		r.isFurther = true
		r.further, r.hasFurther = r.person().Further(r.fallback, r.prefer)
	}
	return &r.further, enrich.ByEmail
}

// leaves reports whether the subject of the row, which misses something, is left to other steps.
func (r *RowReader) leaves() bool {
	if r.companies != nil && r.companies.leaves() {
		return true
	}
	if r.fallback == 0 {
		return false
	}
	answered, follows := r.row.(answeredRow) // not in a scan of the list alone
	if r.companies == nil {
		if r.asked(); !r.hasFurther {
			return true
		}
		if !follows {
			return false
		}
		if found, waits := answered.HasPerson(r.of); found || waits && r.later {
			return true
		}
	}
	return follows && r.isContradicted(answered.Contradicted())
}

// isContradicted reports whether the answer to a further identity of the row is known to contradict it: such an answer
// names that identity. The name of a company is not one of them, because other companies can have it.
func (r *RowReader) isContradicted(contradicted []enrich.Identity) bool {
	if len(contradicted) == 0 {
		return false
	}
	id := r.Identity()
	switch id.Pattern() {
	case enrich.ByName, enrich.ByCompanyName:
		return false
	}
	form := id.Canonical()
	return slices.ContainsFunc(contradicted, func(other enrich.Identity) bool { return other.Canonical() == form })
}

// ownOf returns the row of the list, without answers.
func ownOf(row table.Row) table.Row {
	if answered, is := row.(answeredRow); is {
		return answered.Own()
	}
	return row
}
