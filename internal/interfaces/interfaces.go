// Package interfaces says what the use cases have to know of an interface of the service. Everything else
// about an interface stays in its own package.
package interfaces

import (
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/output"
	v1 "payonce/service/v1"
	"payonce/service/v1/v1fields"
)

// Interface is an interface of the service.
type Interface struct {
	Catalogue enrich.Catalogue
	Tariff    cost.Tariff
	// Operations are the lookups by the fields that they ask for, in the order in which they are reported.
	Operations []enrich.Fields
	// WantsMoney reports whether a code of the service refuses only what is not free.
	WantsMoney func(code string) bool
	// NewDecoder returns what reads the answers.
	NewDecoder func() output.Decoder
}

// V1 returns the interface v1.
func V1() Interface {
	i := Interface{
		Catalogue: v1fields.Catalogue(), Tariff: v1.Tariff(), WantsMoney: v1.WantsMoney,
		NewDecoder: func() output.Decoder { return new(v1.AnswerDecoder) },
	}
	for _, operation := range v1fields.Operations() {
		i.Operations = append(i.Operations, operation.Fields())
	}
	return i
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
