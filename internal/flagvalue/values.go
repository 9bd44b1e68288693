// Package flagvalue holds the types of flags that pflag does not have. Each is a pflag.Value.
package flagvalue

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
	"payonce/service/v1/v1fields"
	"payonce/service/v2/v2fields"
)

// Money is an amount in USD; nil until it is set.
type Money struct{ Amount *cost.Money }

func (v *Money) Set(text string) error {
	if err := refuseGroups(text); err != nil {
		return err
	}
	amount, err := cost.ParseMoney(text)
	v.Amount = &amount
	return err
}

func (v *Money) String() string {
	if v.Amount == nil {
		return ""
	}
	return v.Amount.String()
}
func (*Money) Type() string { return "USD" }

// OrZero returns the amount, zero when it is not set.
func (v *Money) OrZero() cost.Money {
	if v.Amount == nil {
		return 0
	}
	return *v.Amount
}

// Cap is an amount in USD, or none for no cap.
type Cap struct {
	Money
	None bool
}

func (v *Cap) Set(text string) error {
	if v.None = text == "none"; v.None {
		return nil
	}
	return v.Money.Set(text)
}

func (v *Cap) String() string {
	if v.None {
		return "none"
	}
	return v.Money.String()
}
func (*Cap) Type() string { return "USD|none" }

// Count is a number of lookups or persons, at least 1; nil until it is set.
type Count struct{ N *int64 }

func (v *Count) Set(text string) error {
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
func (v *Count) OrZero() int64 {
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

func (v *Count) String() string {
	if v.N == nil {
		return ""
	}
	return strconv.FormatInt(*v.N, 10)
}
func (*Count) Type() string { return "N" }

// Rate is a number of lookups in a window, such as 30/60s.
type Rate struct {
	Slots  int
	Window time.Duration
}

func (v *Rate) Set(text string) error {
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
func (v Rate) Within(other Rate) bool {
	windows := 1 + int((other.Window-1)/v.Window)
	return v.Slots <= other.Slots/windows
}

func (v *Rate) String() string { return fmt.Sprintf("%d/%s", v.Slots, shortDuration(v.Window)) }
func (*Rate) Type() string     { return "N/WINDOW" }

// shortDuration prints whole seconds as seconds, as people write rates.
func shortDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return d.String()
}

// Percent is a share in whole percent, such as 20%.
type Percent int

func (v *Percent) Set(text string) error {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil || n < 0 || n > 90 {
		return errors.New("write it like 20%, from 0% to 90%")
	}
	*v = Percent(n)
	return nil
}

func (v *Percent) String() string { return fmt.Sprintf("%d%%", int(*v)) }
func (*Percent) Type() string     { return "PERCENT" }

// Share is a share from 0% to 100%.
type Share int

func (v *Share) Set(text string) error {
	digits, isPercent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(digits)
	if !isPercent || err != nil || n < 0 || n > 100 {
		return fmt.Errorf("write it like 72%%, from 0%% to 100%%")
	}
	*v = Share(n)
	return nil
}

func (v *Share) String() string { return fmt.Sprintf("%d%%", int(*v)) }
func (*Share) Type() string     { return "PERCENT" }

// Fields are the words for wanted fields, of any interface, in the order of the interfaces.
type Fields []string

// catalogues are those of all interfaces.
func catalogues() []enrich.Catalogue {
	return []enrich.Catalogue{v1fields.Catalogue(), v2fields.Catalogue()}
}

func (v *Fields) Set(text string) error {
	var asked []string
	for name := range strings.SplitSeq(text, ",") {
		word, known := wordOf(strings.TrimSpace(name))
		if !known {
			return fmt.Errorf("%q is not a field; the fields are %s", name, strings.Join(FieldWords(), ", "))
		}
		asked = append(asked, word)
	}
	*v = slices.DeleteFunc(FieldWords(), func(word string) bool { return !slices.Contains(asked, word) })
	return nil
}

// wordOf returns the word for a field with a name.
func wordOf(name string) (string, bool) {
	for _, c := range catalogues() {
		if f, known := c.Lookup(name); known {
			return c.Word(f), true
		}
	}
	return "", false
}

// hidden returns the fields that nobody asks for: a step finds them for others.
func hidden(c enrich.Catalogue) (fields enrich.Fields) {
	if f, has := c.Lookup("match"); has {
		fields = fields.With(f)
	}
	return fields
}

// FieldWords returns the words for the fields of all interfaces.
func FieldWords() (words []string) {
	for _, c := range catalogues() {
		for _, word := range c.WordsOf(c.All() &^ hidden(c)) {
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

func (v *Fields) String() string { return strings.Join(*v, ",") }
func (*Fields) Type() string     { return "FIELDS" }

// Names are names in an order.
type Names []string

func (v *Names) Set(text string) error {
	*v = nil
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			return errors.New("write names with commas between them")
		}
		*v = append(*v, name)
	}
	return nil
}

func (v *Names) String() string { return strings.Join(*v, ",") }
func (*Names) Type() string     { return "NAMES" }

// Choice is one of a few words.
type Choice struct {
	Value   string
	Choices []string
}

func (v *Choice) Set(text string) error {
	if slices.Contains(v.Choices, text) {
		v.Value = text
		return nil
	}
	return fmt.Errorf("write %s", strings.Join(v.Choices, " or "))
}
func (v *Choice) String() string { return v.Value }
func (v *Choice) Type() string   { return strings.Join(v.Choices, "|") }

// FormulasHelp explains a flag for Formulas.
const FormulasHelp = "how CSV holds values of the service that a spreadsheet would take for formulas: text puts an apostrophe before them, keep leaves them as they are"

// keepFormulas is the choice that leaves values as they are.
const keepFormulas = "keep"

// Formulas returns a choice of how delimited text holds values that a spreadsheet would take for formulas.
func Formulas() Choice { return Choice{Value: "text", Choices: []string{"text", keepFormulas}} }

// KeepsFormulas reports whether a choice of Formulas leaves values as they are.
func KeepsFormulas(v Choice) bool { return v.Value == keepFormulas }

// Age is a time span that may be given in days, such as 90d.
type Age struct {
	Span  time.Duration
	Given bool
}

func (v *Age) Set(text string) (err error) {
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

func (v *Age) String() string {
	if !v.Given {
		return ""
	}
	return v.Span.String()
}
func (*Age) Type() string { return "AGE" }

// Before returns the time that lies the span before now, or the zero time when
// no span was set.
func (v *Age) Before(now time.Time) time.Time {
	if !v.Given {
		return time.Time{}
	}
	return now.Add(-v.Span)
}

// Size is an amount of memory, such as 512MB or 2GB; zero until it is set.
type Size struct {
	Bytes int64
	text  string
}

// sizeUnits are the units of sizes, the longer names first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"B", 1}}

func (v *Size) Set(text string) error {
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

func (v *Size) String() string { return v.text }
func (*Size) Type() string     { return "SIZE" }
