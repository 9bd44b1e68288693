package scan

import (
	"maps"
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/pipeline/columns"
)

// Scope says which rows ask for what.
type Scope struct {
	Catalogue enrich.Catalogue // of the interface that is asked
	Subject   enrich.Subject   // the kind of subjects that the rows name
	Mapping   columns.Mapping
	// Header has the names of the columns, so that a row that repeats them is known; nil where that does not matter.
	Header []string
	Wanted enrich.Fields
	Held   columns.Held // which values in further columns count
	Prefer enrich.Pattern
	// Patterns are those by which the step asks; zero for enrich.UsualPatterns.
	Patterns enrich.Patterns
	// Whole are the fields that a call by a pattern returns, whichever of them are asked for. A subject that is named by
	// the pattern is asked for all of them or for none.
	Whole map[enrich.Pattern]enrich.Fields
	// Search says which companies the step searches for. Rows of other companies miss nothing in this step.
	Search SearchScope
	// Searched is the search of an earlier step. The rows of its companies miss nothing in this step, unless their
	// ids are known.
	Searched SearchScope
	// WithoutID says that the step leaves companies whose ids are known to other steps.
	WithoutID bool
	// Resolves says that the step asks for the companies of Searched, and only for those whose search could not
	// decide.
	Resolves bool
	// Fallback says that the step asks by another identity of the row's company than the first one: 1 for the second
	// identity, and so on. Rows without it miss nothing in this step.
	Fallback int
	// Selected are the ids of companies that somebody chose, by the canonical forms of the identities by name or
	// number that they are chosen for.
	Selected map[string]string
	Reask    attempt.Reask
	// InFlight reports whether an attempt of unknown outcome is a call of another process that is in flight. Its fields
	// are asked for: the journal waits for the end of that call. Nil where nothing is sent.
	InFlight func(attempt.ID) bool
	// Known says which companies are known by other identities than those of their rows; nil for none.
	Known Known
	// Forgotten are the keys of identities that are never looked up. A row that gives one of them, among
	// others, is about it.
	Forgotten map[enrich.Key]bool
	// Limit keeps the lookups to the first subjects of the list that miss something, answered or
	// not, so that a second run asks for no others; zero for all.
	Limit int64
	// Only says of each row whether it may ask for something in a run with a limit on rows; nil for all. The first
	// occurrence of a subject is its first such row.
	Only []bool
	// Later says that earlier steps of the run have answered. The rows are Answered then.
	Later bool
	// Most takes fields that an earlier step may still answer for missing, as the plan of a run does: that is
	// the most that the step can ask for.
	Most bool
	// Next are later steps of the run that may have been asked first; nil where that does not matter.
	Next []Next
	// Values are the columns of answers that hold values of wanted fields, for those that have no column of
	// their own in the list.
	Values map[enrich.Field]int
	// Priority is the order of the lookups, nil for the list's. The limit keeps the
	// first ones in that order. The output is in the list's order in any case.
	Priority *Priority
	// Memory is how many bytes the entries of the subjects may take before they go on in
	// a temporary file; zero for no limit. A 256th part of the subjects has to fit once
	// for each core.
	Memory int64
	// TempDir is the directory of temporary files, the system's when it is "".
	TempDir string
}

// Columns returns the columns that show who a row is about and which wanted fields it
// misses, in order. What a column of a field holds that nobody wants does not matter: it may
// even be of a kind that cannot be read.
func (s Scope) Columns() []int {
	read := maps.Clone(s.Mapping)
	for role := range read {
		if !columns.Names(role, s.Subject) || role == columns.ContactID && !s.patterns().Has(enrich.ByContactID) {
			delete(read, role)
		}
	}
	for _, role := range columns.Filled() {
		held := columns.HeldRole(role)
		isName := s.Subject == enrich.Persons && role == columns.Email && s.patterns().Has(enrich.ByEmail)
		if isName || s.fills(role) {
			read[role], read[held] = s.Mapping[role], s.Mapping[held]
		}
	}
	wanted := slices.Concat(slices.Collect(maps.Values(read))...)
	for _, part := range s.describedBy() {
		wanted = append(wanted, part.columns...)
	}
	for _, column := range s.Values {
		wanted = append(wanted, column)
	}
	for _, next := range s.Next {
		wanted = append(wanted, next.Scope.Columns()...)
	}
	return slices.Compact(slices.Sorted(slices.Values(wanted)))
}

// FieldsOf returns the wanted fields that a detail is about.
func (s Scope) FieldsOf(detail enrich.Detail) enrich.Fields {
	of := detail.Of
	if s.Search.exists() {
		of |= detail.Searched
	}
	return of & s.Wanted
}

// Searches reports whether the step searches for companies.
func (s Scope) Searches() bool { return s.Search.exists() }

// AsksByIDAlone reports whether the step asks about companies by their ids alone, for what needs the id.
func (s Scope) AsksByIDAlone() bool {
	return s.Patterns == enrich.PatternsOf(enrich.ByID) && s.Fallback == 0 && !s.Resolves && !s.Searches()
}

// patterns returns the patterns by which the account is asked.
func (s Scope) patterns() enrich.Patterns {
	if s.Patterns == 0 {
		return enrich.UsualPatterns()
	}
	return s.Patterns
}

// whole returns the fields that a subject named by a pattern is asked for when it misses some.
func (s Scope) whole(pattern enrich.Pattern, missing enrich.Fields) enrich.Fields {
	if missing == 0 {
		return 0
	}
	return missing | s.Whole[pattern]
}

// Asked returns the fields that calls of the step can ask for: the wanted ones, and those that come with them.
func (s Scope) Asked() enrich.Fields {
	asked := s.Wanted
	for pattern, whole := range s.Whole {
		if patterns := enrich.PatternsOf(pattern); s.patterns().Has(pattern) && s.Mapping.Identifies(patterns) {
			asked |= whole
		}
	}
	return asked
}

// fills reports whether a wanted field is written to the column with a role.
func (s Scope) fills(role columns.Role) bool {
	for f := range s.Wanted.Each() {
		if columns.Role(s.Catalogue.Fields[f].Role) == role {
			return true
		}
	}
	return false
}

// FieldColumn is a wanted field and the column that it is written to.
type FieldColumn struct {
	Field  enrich.Field
	Role   columns.Role // of the column that it fills; "" for a field that has none in any list
	Column int          // columns.None for one that this step appends
	Held   []int        // further columns with values of the field
}

// FieldColumns returns the wanted fields with their columns, in the order of the fields.
func (s Scope) FieldColumns() []FieldColumn {
	var fields []FieldColumn
	for f := range s.Wanted.Each() {
		description := s.Catalogue.Fields[f]
		column, held := s.Mapping.Own(description)
		if answers, found := s.Values[f]; found && column == columns.None {
			column = answers
		}
		fields = append(fields, FieldColumn{f, columns.Role(description.Role), column, held})
	}
	return fields
}
