// Package provider says what the program knows of an interface of a service, as one value: a Provider. It has what is
// the same for all of them: accounts, the steps of a run, ceilings.
package provider

import (
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
)

// Interface is an interface of the service.
type Interface struct {
	Catalogue enrich.Catalogue
	Tariff    cost.Tariff
	Rate      checkpoint.Rate // the limit that is assumed of a service
	// Together are the fields that one call asks for, in the order of the steps that ask for them.
	Together []enrich.Fields
	// Identifying are the fields of companies that can be asked for without the id of the company, and whose
	// answers have the id.
	Identifying enrich.Fields
	// Matching are the fields whose answers find companies that are named by nothing but their names.
	Matching enrich.Fields
	// Patterns returns those by which one call can ask for fields. It may be nil for enrich.UsualPatterns.
	Patterns func(enrich.Fields) enrich.Patterns
	// Whole are the fields that a call by a pattern returns, whichever of them are asked for; nil for none.
	Whole map[enrich.Pattern]enrich.Fields
	// Searching are the fields of companies that have their own search, by name or number.
	Searching enrich.Fields
	// With are the fields that are asked for together with a field: a call asks for those of them that a row lacks.
	With enrich.ByField[enrich.Fields]
	// Operations are the lookups by the fields that they ask for, in the order in which they are reported.
	Operations []enrich.Fields
	// WantsMoney reports whether a code of the service refuses only what is not free.
	WantsMoney func(code string) bool
	// NewDecoder returns what reads the answers.
	NewDecoder func() output.Decoder
	// NewReader returns what reads the answers when a journal is shown, exported or erased.
	NewReader func() AnswerReader
	// Tables are those that answers are written to, besides the list; nil for none.
	Tables output.TableInterface
	// Figures are those of years that answers about FiguresOf have, by their names; nil for none.
	Figures   []string
	FiguresOf enrich.Fields
	// Showing returns the interface with further details: figures of years. Without years they are those of the latest.
	Showing func(figures []string, years []int) (Interface, error)
	// FallbackOnRequest says that persons are asked for by further identities only when the user wants it.
	FallbackOnRequest bool
	// MailHosts are fields whose values are emails at the company of the person.
	MailHosts enrich.Fields
}

// TakesMoney reports whether the service itself takes money. Units that it counts may cost money elsewhere.
func (i Interface) TakesMoney() bool {
	return len(i.Tariff.Meters) == 0 || !i.Tariff.Meters[cost.USD].Hidden
}

// About returns the kind of subjects that a field is about.
func (i Interface) About(f enrich.Field) enrich.Subject { return i.Catalogue.Fields[f].About }

// Leading returns the fields without those that are asked for only together with another of them.
func (i Interface) Leading(fields enrich.Fields) enrich.Fields {
	leading := fields
	for f := range fields.Each() {
		leading = leading.Without(i.With[f].Without(enrich.FieldsOf(f)))
	}
	return leading
}

// PatternsOf returns the usual patterns by which subjects of a kind are named.
func PatternsOf(subject enrich.Subject) (set enrich.Patterns) {
	for p := range enrich.NumPatterns {
		if pattern := enrich.Pattern(p); pattern.Subject() == subject && enrich.UsualPatterns().Has(pattern) {
			set |= enrich.PatternsOf(pattern)
		}
	}
	return set
}

// naming returns the fields of persons whose answers name the companies of the persons by their ids.
func (i Interface) naming() (fields enrich.Fields) {
	for _, detail := range i.Catalogue.Details {
		if detail.Role == string(columns.CompanyID) {
			fields |= i.Catalogue.About(enrich.Persons, detail.Of)
		}
	}
	return fields
}

// Asked returns the fields with these names or words, or the first that is none.
func (i Interface) Asked(names []string) (fields enrich.Fields, unknown string) {
	for _, name := range names {
		f, known := i.Catalogue.Lookup(name)
		if !known {
			return 0, name
		}
		fields = fields.With(f)
	}
	return fields, ""
}
