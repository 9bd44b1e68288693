package scan

import "payonce/enrich"

// An answer about one identity of a company can show that lookups by its other identities are not needed. So the list is
// read once for each kind of identity, the most exact kind first. The dispatcher does not begin with one kind while lookups
// by another are in flight. A list whose rows name companies in one way is read once, and so is a list of persons. With a
// priority, the lookups are in its order.

// pass is a reading of the list for the lookups by identities of one order, or of all of them.
type pass struct {
	all     bool
	order   int // of enrich.Identity
	pattern enrich.Pattern
}

// mayHave reports whether the pass may have the lookup of a row, which asks for something.
func (p pass) mayHave(state RowState) bool {
	return state.HasFields() && (p.all || state.Pattern() == p.pattern)
}

// has reports whether the pass has a lookup about an identity.
func (p pass) has(id enrich.Identity) bool { return p.all || id.Order() == p.order }

// passes returns the passes that have the lookups of the scan, in their order.
func (s *Scan) passes() (passes []pass) {
	if s.scope.Known == nil {
		return []pass{{all: true}}
	}
	var has [enrich.NumPatterns]bool
	for _, state := range s.rows {
		if state.HasFields() {
			has[state.Pattern()] = true
		}
	}
	for order := range enrich.NumOrders {
		for _, pattern := range []enrich.Pattern{
			enrich.ByID, enrich.ByRegistration, enrich.ByWebsite, enrich.ByCompanyProfile, enrich.ByCompanyName,
		} {
			if has[pattern] && enrich.HasOrder(pattern, order) {
				passes = append(passes, pass{order: order, pattern: pattern})
			}
		}
	}
	return passes
}
