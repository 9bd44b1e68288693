// Package configs holds the configuration that ships with the program: the rate
// card, embedded, and the reader for a user's own.
package configs

import (
	_ "embed"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v4"

	"payonce/cost"
	"payonce/enrich"
)

const defaultName = "ratecard.yaml"

//go:embed ratecard.yaml
var defaultCard []byte

// RateCard returns the rate card of the service (specification v1, "Allowances
// and rate card").
func RateCard() (cost.RateCard, error) { return ParseRateCard(defaultName, defaultCard) }

// ParseRateCard reads a rate card in YAML; amounts are in USD. A price that is left
// out is unknown, an included balance that is left out is zero. An error names the
// file by name and the line of everything that is wrong.
func ParseRateCard(name string, data []byte) (cost.RateCard, error) {
	var file struct {
		Options []option `yaml:"options"`
	}
	if err := yaml.Load(data, &file, yaml.WithKnownFields()); err != nil {
		return cost.RateCard{}, inFile(name, err)
	}
	if len(file.Options) == 0 {
		return cost.RateCard{}, fmt.Errorf("%s:1: the rate card has no options; list at least one under \"options\"", name)
	}
	var card cost.RateCard
	lines := make(map[string]int, len(file.Options))
	for i, o := range file.Options {
		if o.Name.text == "" {
			return cost.RateCard{}, fmt.Errorf("%s: option %d of the rate card has no name; add one", name, i+1)
		}
		if first, found := lines[o.Name.text]; found {
			return cost.RateCard{}, fmt.Errorf("%s:%d: option %q stands on line %d already; rename or remove one", name, o.Name.line, o.Name.text, first)
		}
		lines[o.Name.text] = o.Name.line
		card.Options = append(card.Options, o.rates())
	}
	return card, nil
}

// option is an option of the rate card as it stands in the file.
type option struct {
	Name            label   `yaml:"name"`
	Title           label   `yaml:"title"`
	MonthlyIncluded *amount `yaml:"monthly_included_usd"`
	WorkEmail       *amount `yaml:"work_email_usd"`
	BusinessPhone   *amount `yaml:"business_phone_usd"`
}

func (o option) rates() cost.Option {
	rates := cost.Option{Name: o.Name.text, Title: o.Title.text, Prices: cost.Prices{}}
	if o.MonthlyIncluded != nil {
		rates.MonthlyIncluded = cost.Money(*o.MonthlyIncluded)
	}
	if o.WorkEmail != nil {
		rates.Prices[enrich.WorkEmail] = cost.Money(*o.WorkEmail)
	}
	if o.BusinessPhone != nil {
		rates.Prices[enrich.BusinessPhone] = cost.Money(*o.BusinessPhone)
	}
	return rates
}

// label is a text and the line that it stands on.
type label struct {
	text string
	line int
}

// UnmarshalYAML takes text only: a number or a date would not come back as it was
// written.
func (l *label) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
		return errors.New(`not a text; write it in quotes, like "core"`)
	}
	*l = label{text: node.Value, line: node.Line}
	return nil
}

// amount is money in the file: a text or a plain number, read from its digits as
// they stand there, so that no binary fraction comes between.
type amount cost.Money

// UnmarshalYAML reads the digits of a scalar.
func (a *amount) UnmarshalYAML(node *yaml.Node) error {
	switch {
	case node.Kind != yaml.ScalarNode:
	case node.Tag == "!!str", node.Tag == "!!int", node.Tag == "!!float":
		money, err := cost.ParseMoney(node.Value)
		*a = amount(money)
		return err
	}
	return fmt.Errorf("%w; write it like \"0.15\"", cost.ErrNotMoney)
}

// inFile returns what the YAML reader found wrong, one line of text for each, with
// the file's name and the line in front.
func inFile(name string, err error) error {
	var several *yaml.LoadErrors
	var one *yaml.LoadError
	switch {
	case errors.As(err, &several):
		var found []error
		for _, e := range several.Errors {
			found = append(found, inLine(name, e))
		}
		return errors.Join(found...)
	case errors.As(err, &one):
		return inLine(name, one)
	default:
		return fmt.Errorf("%s: %w", name, err)
	}
}

func inLine(name string, err *yaml.LoadError) error {
	return fmt.Errorf("%s:%d: %s", name, max(err.Mark.Line, 1), err.Message)
}
