// This file says what the use cases have to know of an interface of the service. Everything else about an interface
// stays in its own package.

package provider

import (
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/io/service/v2"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
)

// Interface is an interface of the service.
type Interface struct {
	Catalogue enrich.Catalogue
	Tariff    cost.Tariff
	// Together are the fields that one call asks for, in the order of the steps that ask for them.
	Together []enrich.Fields
	// Identifying are the fields of companies that can be asked for without the id of the company, and whose
	// answers have the id.
	Identifying enrich.Fields
	// Matching are the fields whose answers find companies that are named by nothing but their names.
	Matching enrich.Fields
	// Patterns returns those by which one call can ask for fields. It may be nil for enrich.UsualPatterns.
	Patterns func(enrich.Fields) enrich.Patterns
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
}

// V1Interface returns the interface v1.
func V1Interface() Interface {
	i := Interface{
		Catalogue: v1.Catalogue(), Tariff: v1.Tariff(), WantsMoney: v1.WantsMoney,
		Together:   []enrich.Fields{v1.AllFields},
		NewDecoder: func() output.Decoder { return new(v1.AnswerDecoder) },
		NewReader:  func() AnswerReader { return new(v1Reader) },
	}
	for _, operation := range v1.Operations() {
		i.Operations = append(i.Operations, operation.Fields())
	}
	return i
}

// V2Interface returns the interface v2. The modules say on what its operations count.
func V2Interface(modules v2.Modules) Interface {
	i := Interface{
		Catalogue: v2.Catalogue(), Tariff: v2.Tariff(modules), WantsMoney: func(string) bool { return false },
		NewDecoder: func() output.Decoder { return v2.Decoder{} },
		NewReader:  func() AnswerReader { return v2Reader{} },
	}
	i.Identifying = enrich.FieldsOf(v2.FieldCompany)
	i.Matching, i.Patterns = enrich.FieldsOf(v2.FieldMatch), v2.Patterns
	i.Together = []enrich.Fields{v2.FieldContactData, i.Matching}
	for f := range v2.AllFields.Without(v2.FieldContactData | i.Matching).Each() {
		i.Together = append(i.Together, enrich.FieldsOf(f))
	}
	i.Operations = i.Together
	i.Searching = enrich.FieldsOf(v2.FieldInsights, v2.FieldOwnership)
	i.With[v2.FieldContact] = v2.FieldContactData
	return i
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
