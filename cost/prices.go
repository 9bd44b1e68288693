package cost

import (
	"cmp"
	"errors"
	"fmt"

	"payonce/enrich"
)

// Prices are the rates per returned field. A field without an entry has an unknown price. An
// unknown price never counts as zero.
type Prices map[enrich.Field]Money

// Of returns the price of a field and whether it is known.
func (p Prices) Of(f enrich.Field) (Money, bool) {
	amount, known := p[f]
	return amount, known
}

// Total returns the price of all the given fields. An unknown price is an error.
func (p Prices) Total(fields enrich.Fields) (Money, error) {
	var total Money
	for f := range fields.Each() {
		amount, known := p[f]
		if !known {
			return 0, unknownPrice(f)
		}
		total += amount
	}
	return total, nil
}

// Rates returns rates that consume nothing but money.
func (p Prices) Rates() Rates { return Tariff{}.At(p) }

func unknownPrice(f enrich.Field) error { return &UnknownPriceError{Field: f} }

// UnknownPriceError says that a price is needed and unknown.
type UnknownPriceError struct {
	Field enrich.Field
	Name  string // of the field, where it is known
}

func (e *UnknownPriceError) Error() string {
	return fmt.Sprintf("the price of %s is unknown; name it in the rate card", cmp.Or(e.Name, e.Field.String()))
}

// Named gives an UnknownPriceError among the causes of an error the name of its field.
func Named(err error, c enrich.Catalogue) error {
	if unknown, ok := errors.AsType[*UnknownPriceError](err); ok {
		unknown.Name = c.Name(unknown.Field)
	}
	return err
}

// Option is one way to pay for the service: a row of the rate card.
type Option struct {
	Name            string
	Title           string
	MonthlyIncluded Money // what a month costs and includes; zero for prepaid use
	Prices          Prices
}

// RateCard lists the options that the service offers (specification v1,
// "Allowances and rate card").
type RateCard struct {
	Options []Option
}

// Option returns the option of that name.
func (c RateCard) Option(name string) (Option, error) {
	names := make([]string, len(c.Options))
	for i, option := range c.Options {
		if option.Name == name {
			return option, nil
		}
		names[i] = option.Name
	}
	return Option{}, fmt.Errorf("the rate card has no option %q; it has %q", name, names)
}
