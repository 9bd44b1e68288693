package configs

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v4"

	"payonce/cost"
	"payonce/io/service/v1"
)

// The most that a rate card may say. What is beyond is a slip: an amount in cents, a
// point that was lost.
const (
	maxPrice   = 100 * cost.Dollar       // per returned field
	maxMonthly = 1_000_000 * cost.Dollar // of an option
)

// ParseRateCard reads a rate card in YAML; amounts are in USD. A missing
// price is unknown, a missing included balance is zero. An error names the
// file by name and the line of everything that is wrong.
func ParseRateCard(name string, data []byte) (cost.RateCard, error) {
	var file cardFile
	if err := yaml.Load(data, &file); err != nil {
		return cost.RateCard{}, problemsOf(err).in(name)
	}
	found := file.problems
	if len(found) == 0 && len(file.options) == 0 {
		found.add(file.line, `the rate card has no options; list at least one under "options"`)
	}
	var card cost.RateCard
	lines := make(map[string]int, len(file.options))
	for _, o := range file.options {
		found = append(found, o.problems...)
		o.check(lines, &found)
		card.Options = append(card.Options, o.rates())
	}
	if len(found) > 0 {
		return cost.RateCard{}, found.in(name)
	}
	return card, nil
}

// cardFile is a rate card as written in the file.
type cardFile struct {
	line     int
	options  []option
	problems problems
}

// UnmarshalYAML keeps what is wrong with the card, so that all of it can be reported.
func (c *cardFile) UnmarshalYAML(node *yaml.Node) error {
	c.line = node.Line
	var fields struct {
		Options []option `yaml:"options"`
	}
	c.problems = wrongKeys(node, "a rate card", "options")
	if len(c.problems) > 0 {
		return nil
	}
	if c.problems = wrongOptions(valueOf(node, "options")); len(c.problems) == 0 {
		c.problems = problemsOf(node.Load(&fields))
	}
	c.options = fields.Options
	return nil
}

// wrongOptions finds what the reader would ignore or report in its own
// words: options that are not a list, and an empty list.
func wrongOptions(options *yaml.Node) problems {
	var found problems
	if options == nil || options.Tag == "!!null" {
		return nil
	}
	if options.Kind != yaml.SequenceNode {
		found.add(options.Line, "options are a list: each begins with a dash and a name")
		return found
	}
	for _, option := range options.Content {
		if option.Tag == "!!null" {
			found.add(option.Line, "the option is empty; write its name and prices, or remove the dash")
		}
	}
	return found
}

// option is an option of the rate card as written in the file.
type option struct {
	optionFields
	line     int
	problems problems
}

type optionFields struct {
	Name            label   `yaml:"name"`
	Title           label   `yaml:"title"`
	MonthlyIncluded *amount `yaml:"monthly_included_usd"`
	WorkEmail       *amount `yaml:"work_email_usd"`
	BusinessPhone   *amount `yaml:"business_phone_usd"`
}

// UnmarshalYAML keeps what is wrong with the option, so that all of it can be reported.
func (o *option) UnmarshalYAML(node *yaml.Node) error {
	o.line = node.Line
	o.problems = wrongKeys(node, "an option", "name", "title", "monthly_included_usd", "work_email_usd", "business_phone_usd")
	if node.Kind == yaml.MappingNode {
		o.problems = append(o.problems, problemsOf(node.Load(&o.optionFields))...)
	}
	return nil
}

// check finds what is wrong with an option that could be read; lines are those of the
// names before it.
func (o option) check(lines map[string]int, found *problems) {
	switch first, taken := lines[o.Name.text]; {
	case o.Name.line == 0 && len(o.problems) == 0:
		found.add(o.line, "the option has no name; add one")
	case o.Name.line > 0 && o.Name.text == "" && !o.Name.wrong:
		found.add(o.Name.line, "the option's name is empty; write one")
	case taken && o.Name.text != "":
		found.add(o.Name.line, "option %q is on line %d already; rename or remove one", o.Name.text, first)
	default:
		lines[o.Name.text] = o.Name.line
	}
	for _, price := range []*amount{o.WorkEmail, o.BusinessPhone} {
		if price != nil && price.money > maxPrice {
			found.add(price.line, "$%s for one field is more than $%s; prices are in USD per returned field", price.money, maxPrice)
		}
	}
	if monthly := o.MonthlyIncluded; monthly != nil && monthly.money > maxMonthly {
		found.add(monthly.line, "$%s a month is more than $%s; the included balance is in USD", monthly.money, maxMonthly)
	}
}

func (o option) rates() cost.Option {
	rates := cost.Option{Name: o.Name.text, Title: o.Title.text, Prices: cost.Prices{}}
	if o.MonthlyIncluded != nil {
		rates.MonthlyIncluded = o.MonthlyIncluded.money
	}
	if o.WorkEmail != nil {
		rates.Prices[v1.WorkEmail] = o.WorkEmail.money
	}
	if o.BusinessPhone != nil {
		rates.Prices[v1.BusinessPhone] = o.BusinessPhone.money
	}
	return rates
}

// label is a text and its line.
type label struct {
	text  string
	line  int // 0 when the text is missing
	wrong bool
}

// UnmarshalYAML takes text only: a number or a date would not come back as it was
// written.
func (l *label) UnmarshalYAML(node *yaml.Node) error {
	l.line = node.Line
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
		l.wrong = true
		return errors.New(`not a text; write it in quotes, like "core"`)
	}
	l.text = node.Value
	return nil
}

// amount is money in the file: a text or a plain number, read from its digits as
// they stand there, so that no binary fraction comes between.
type amount struct {
	money cost.Money
	line  int
}

// UnmarshalYAML reads the digits of a scalar.
func (a *amount) UnmarshalYAML(node *yaml.Node) (err error) {
	a.line = node.Line
	switch {
	case node.Kind != yaml.ScalarNode:
	case node.Tag == "!!str", node.Tag == "!!int", node.Tag == "!!float":
		a.money, err = cost.ParseMoney(node.Value)
		return err
	}
	return fmt.Errorf("%w; write it like \"0.15\"", cost.ErrNotMoney)
}
