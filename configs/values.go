// This file holds the types of flags that pflag does not have. Each is a pflag.Value.

package configs

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// MoneyFlag is an amount in USD; nil until it is set.
type MoneyFlag struct{ Amount *cost.Money }

func (v *MoneyFlag) Set(text string) error {
	if err := refuseGroups(text); err != nil {
		return err
	}
	amount, err := cost.ParseMoney(text)
	v.Amount = &amount
	return err
}

func (v *MoneyFlag) String() string {
	if v.Amount == nil {
		return ""
	}
	return v.Amount.String()
}
func (*MoneyFlag) Type() string { return "USD" }

// OrZero returns the amount, zero when it is not set.
func (v *MoneyFlag) OrZero() cost.Money {
	if v.Amount == nil {
		return 0
	}
	return *v.Amount
}

// CapFlag is an amount in USD, or none for no cap.
type CapFlag struct {
	MoneyFlag
	None bool
}

func (v *CapFlag) Set(text string) error {
	if v.None = text == "none"; v.None {
		return nil
	}
	return v.MoneyFlag.Set(text)
}

func (v *CapFlag) String() string {
	if v.None {
		return "none"
	}
	return v.MoneyFlag.String()
}
func (*CapFlag) Type() string { return "USD|none" }

// CountFlag is a number of lookups or persons, at least 1; nil until it is set.
type CountFlag struct{ N *int64 }

func (v *CountFlag) Set(text string) error {
	if err := refuseGroups(text); err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || n < 0:
		return errors.New("write a whole number, such as 500")
	case n == 0:
		return errors.New("choose 1 or more, or leave it out")
	}
	v.N = &n
	return nil
}

// OrZero returns the number, zero when it is not set.
func (v *CountFlag) OrZero() int64 {
	if v.N == nil {
		return 0
	}
	return *v.N
}

// grouped matches a number whose digits are in groups, such as 1,000 or $12,500.00.
var grouped = regexp.MustCompile(`^\$?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$`)

// refuseGroups says how a number is written whose digits are in groups.
func refuseGroups(text string) error {
	if grouped.MatchString(text) {
		return fmt.Errorf("write %s, without commas", strings.ReplaceAll(text, ",", ""))
	}
	return nil
}

func (v *CountFlag) String() string {
	if v.N == nil {
		return ""
	}
	return strconv.FormatInt(*v.N, 10)
}
func (*CountFlag) Type() string { return "N" }

// RateFlag is a number of lookups in a window, such as 30/60s.
type RateFlag struct {
	Slots  int
	Window time.Duration
}

func (v *RateFlag) Set(text string) error {
	slots, window, ok := strings.Cut(text, "/")
	n, err := strconv.Atoi(slots)
	length, windowErr := time.ParseDuration(window)
	if !ok || err != nil || windowErr != nil || n < 1 || length < time.Millisecond {
		return errors.New("write it like 30/60s: lookups, a slash and the window")
	}
	v.Slots, v.Window = n, length
	return nil
}

// Within reports whether what keeps to the rate keeps to another one too: whether no
// window of the other sees more lookups than that one allows.
func (v RateFlag) Within(other RateFlag) bool {
	windows := 1 + int((other.Window-1)/v.Window)
	return v.Slots <= other.Slots/windows
}

func (v *RateFlag) String() string { return fmt.Sprintf("%d/%s", v.Slots, shortDuration(v.Window)) }
func (*RateFlag) Type() string     { return "N/WINDOW" }

// shortDuration prints whole seconds as seconds, as people write rates.
func shortDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return d.String()
}

// PercentFlag is a share in whole percent, such as 20%.
type PercentFlag int

func (v *PercentFlag) Set(text string) error {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil || n < 0 || n > 90 {
		return errors.New("write it like 20%, from 0% to 90%")
	}
	*v = PercentFlag(n)
	return nil
}

func (v *PercentFlag) String() string { return fmt.Sprintf("%d%%", int(*v)) }
func (*PercentFlag) Type() string     { return "PERCENT" }

// ShareFlag is a share from 0% to 100%.
type ShareFlag int

func (v *ShareFlag) Set(text string) error {
	digits, isPercent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(digits)
	if !isPercent || err != nil || n < 0 || n > 100 {
		return fmt.Errorf("write it like 72%%, from 0%% to 100%%")
	}
	*v = ShareFlag(n)
	return nil
}

func (v *ShareFlag) String() string { return fmt.Sprintf("%d%%", int(*v)) }
func (*ShareFlag) Type() string     { return "PERCENT" }

// FieldsFlag are the words for wanted fields, of any interface, in the order of the interfaces.
type FieldsFlag struct {
	Words      []string
	Given      bool               // the user chose them
	Catalogues []enrich.Catalogue // of the interfaces
}

func (v *FieldsFlag) Set(text string) error {
	var asked []string
	for name := range strings.SplitSeq(text, ",") {
		word, known := v.wordOf(strings.TrimSpace(name))
		if !known {
			return fmt.Errorf("%q is not a field; the fields are %s", name, strings.Join(v.All(), ", "))
		}
		asked = append(asked, word)
	}
	v.Given = true
	v.Words = slices.DeleteFunc(v.All(), func(word string) bool { return !slices.Contains(asked, word) })
	return nil
}

// wordOf returns the word for a field with a name.
func (v *FieldsFlag) wordOf(name string) (string, bool) {
	for _, c := range v.Catalogues {
		if f, known := c.Lookup(name); known {
			return c.Word(f), true
		}
	}
	return "", false
}

// hidden returns the fields that a user cannot ask for: a step finds them for other fields.
func hidden(c enrich.Catalogue) (fields enrich.Fields) {
	if f, has := c.Lookup("match"); has {
		fields = fields.With(f)
	}
	return fields
}

// All returns the words for the fields of all interfaces.
func (v *FieldsFlag) All() (words []string) {
	for _, c := range v.Catalogues {
		for _, word := range c.WordsOf(c.All() &^ hidden(c)) {
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

func (v *FieldsFlag) String() string { return strings.Join(v.Words, ",") }
func (*FieldsFlag) Type() string     { return "FIELDS" }

// NamesFlag are names in an order.
type NamesFlag []string

func (v *NamesFlag) Set(text string) error {
	*v = nil
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			return errors.New("write names with commas between them")
		}
		*v = append(*v, name)
	}
	return nil
}

func (v *NamesFlag) String() string { return strings.Join(*v, ",") }
func (*NamesFlag) Type() string     { return "NAMES" }

// FiguresFlag are names of figures.
type FiguresFlag struct {
	Names []string
	Known []string
	// Suggest asks about the known name that is most like a word; "" when none is like it.
	Suggest func(name string, known []string) string
}

func (v *FiguresFlag) Set(text string) error {
	v.Names = nil
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(v.Known, func(known string) bool { return figureWord(known) == figureWord(name) })
		if at < 0 {
			meant := v.Suggest(name, v.Known)
			if meant == "" {
				meant = "; the figures are named as in the columns of the table financials"
			}
			return fmt.Errorf("%q is not a figure%s", name, meant)
		}
		if !slices.Contains(v.Names, v.Known[at]) {
			v.Names = append(v.Names, v.Known[at])
		}
	}
	return nil
}

// figureWord returns the name of a figure without case and the signs between its words.
func figureWord(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(name))
}

func (v *FiguresFlag) String() string { return strings.Join(v.Names, ",") }
func (*FiguresFlag) Type() string     { return "FIGURES" }

// YearsFlag are years, ascending.
type YearsFlag []int

// The years that can be given, and the most of them.
const (
	firstYear = 1900
	lastYear  = 2999
	mostYears = 100
)

func (v *YearsFlag) Set(text string) error {
	*v = nil
	for part := range strings.SplitSeq(text, ",") {
		first, last, isSpan := strings.Cut(strings.TrimSpace(part), "-")
		if !isSpan {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, lastErr := strconv.Atoi(last)
		if err != nil || lastErr != nil || from < firstYear || to > lastYear || to < from || to-from >= mostYears {
			return errors.New("write years like 2024, 2022,2024 or 2022-2024")
		}
		for year := from; year <= to; year++ {
			*v = append(*v, year)
		}
	}
	slices.Sort(*v)
	if *v = slices.Compact(*v); len(*v) > mostYears {
		return fmt.Errorf("choose at most %d years", mostYears)
	}
	return nil
}

func (v *YearsFlag) String() string {
	var texts []string
	for i, year := range *v {
		follows := i > 0 && (*v)[i-1] == year-1
		switch {
		case !follows:
			texts = append(texts, strconv.Itoa(year))
		case i+1 == len(*v) || (*v)[i+1] != year+1: // the last of a span
			texts[len(texts)-1] += "-" + strconv.Itoa(year)
		}
	}
	return strings.Join(texts, ",")
}
func (*YearsFlag) Type() string { return "YEARS" }

// ChoiceFlag is one of a few words.
type ChoiceFlag struct {
	Value   string
	Choices []string
}

func (v *ChoiceFlag) Set(text string) error {
	if slices.Contains(v.Choices, text) {
		v.Value = text
		return nil
	}
	return fmt.Errorf("write %s", strings.Join(v.Choices, " or "))
}
func (v *ChoiceFlag) String() string { return v.Value }
func (v *ChoiceFlag) Type() string   { return strings.Join(v.Choices, "|") }

// FormulasHelp explains a flag for Formulas.
const FormulasHelp = "how CSV holds values of the service that a spreadsheet would take for formulas: text puts an apostrophe before them, keep leaves them as they are"

// keepFormulas is the choice that leaves values as they are.
const keepFormulas = "keep"

// Formulas returns a choice of how delimited text holds values that a spreadsheet would take for formulas.
func Formulas() ChoiceFlag { return ChoiceFlag{Value: "text", Choices: []string{"text", keepFormulas}} }

// KeepsFormulas reports whether a choice of Formulas leaves values as they are.
func KeepsFormulas(v ChoiceFlag) bool { return v.Value == keepFormulas }

// AgeFlag is a time span that may be given in days, such as 90d.
type AgeFlag struct {
	Span  time.Duration
	Given bool
}

func (v *AgeFlag) Set(text string) (err error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36500 {
			return errors.New("write it like 90d or 12h")
		}
		v.Span, v.Given = time.Duration(n)*24*time.Hour, true
		return nil
	}
	v.Span, err = time.ParseDuration(text)
	if err != nil || v.Span < 0 {
		return errors.New("write it like 90d or 12h")
	}
	v.Given = true
	return nil
}

func (v *AgeFlag) String() string {
	if !v.Given {
		return ""
	}
	return v.Span.String()
}
func (*AgeFlag) Type() string { return "AGE" }

// Before returns the time that lies the span before now, or the zero time when
// no span was set.
func (v *AgeFlag) Before(now time.Time) time.Time {
	if !v.Given {
		return time.Time{}
	}
	return now.Add(-v.Span)
}

// SizeFlag is an amount of memory, such as 512MB or 2GB; zero until it is set.
type SizeFlag struct {
	Bytes int64
	text  string
}

// sizeUnits are the units of sizes, the longer names first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"B", 1}}

func (v *SizeFlag) Set(text string) error {
	for _, unit := range sizeUnits {
		digits, found := strings.CutSuffix(strings.ToUpper(text), unit.name)
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if found && err == nil && n > 0 && n <= (1<<50)/unit.bytes {
			v.Bytes, v.text = n*unit.bytes, text
			return nil
		}
	}
	return errors.New("write it like 512MB or 2GB")
}

func (v *SizeFlag) String() string { return v.text }
func (*SizeFlag) Type() string     { return "SIZE" }
