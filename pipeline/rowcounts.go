package pipeline

import (
	"maps"

	"payonce/pipeline/scan"
)

// RowCounts returns the outcomes of the rows as a plan shows them: those in the step that asks about the most
// rows. In a list of which some companies have to be searched for, the search has these rows and the step
// after it the others.
func (r *RunSteps) RowCounts() scan.Counts {
	search, other := r.searched()
	if other == nil {
		return r.Largest().Counts
	}
	counts := search.Counts
	certain := other.Counts
	counts.Lookup += certain.Lookup - other.UpTo
	// A company that the search has found is in the other step, too.
	counts.Answered += certain.Answered - scan.InBoth(search.Scan, other.Scan)
	counts.Rejected += certain.Rejected
	counts.InDoubt += certain.InDoubt
	counts.Forfeited += certain.Forfeited
	counts.Forgotten += certain.Forgotten
	counts.Skipped += certain.Skipped
	counts.Duplicates += certain.Duplicates
	counts.Unidentifiable = maps.Clone(counts.Unidentifiable)
	for reason, rows := range certain.Unidentifiable {
		counts.Unidentifiable[reason] = max(counts.Unidentifiable[reason], rows)
	}
	rest := counts.Rows - counts.Lookup - counts.Answered - counts.Rejected - counts.InDoubt - counts.Forfeited -
		counts.Forgotten - counts.Skipped
	for _, rows := range counts.Unidentifiable {
		rest -= rows
	}
	rest = max(rest, 0)
	counts.Duplicates = min(counts.Duplicates, rest) // other rows of what the search has found are in both steps
	counts.Filled = rest - counts.Duplicates
	return counts
}

// searched returns the step that searches for companies, and the first one that asks for the others; nil for
// none.
func (r *RunSteps) searched() (search, other *RunStep) {
	for _, s := range r.Steps {
		switch {
		case search == nil && s.Searches:
			search = s
		case search != nil && s.Scope.Searched.Patterns != 0 && !s.Scope.Resolves:
			return search, s
		}
	}
	return search, nil
}
