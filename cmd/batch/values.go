package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
)

// The types of flags that pflag does not have. Each is a pflag.Value.

// moneyValue is an amount in USD; nil until it is set.
type moneyValue struct{ amount *cost.Money }

func (v *moneyValue) Set(text string) error {
	amount, err := cost.ParseMoney(text)
	v.amount = &amount
	return err
}

func (v *moneyValue) String() string {
	if v.amount == nil {
		return ""
	}
	return v.amount.String()
}
func (*moneyValue) Type() string { return "USD" }

// orZero returns the amount, zero when it is not set.
func (v *moneyValue) orZero() cost.Money {
	if v.amount == nil {
		return 0
	}
	return *v.amount
}

// capValue is an amount in USD, or none for no cap.
type capValue struct {
	moneyValue
	none bool
}

func (v *capValue) Set(text string) error {
	if v.none = text == "none"; v.none {
		return nil
	}
	return v.moneyValue.Set(text)
}

func (v *capValue) String() string {
	if v.none {
		return "none"
	}
	return v.moneyValue.String()
}
func (*capValue) Type() string { return "USD|none" }

// countValue is a number of lookups; nil until it is set.
type countValue struct{ count *int64 }

func (v *countValue) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return errors.New("write a whole number, such as 500")
	}
	v.count = &n
	return nil
}

func (v *countValue) String() string {
	if v.count == nil {
		return ""
	}
	return strconv.FormatInt(*v.count, 10)
}
func (*countValue) Type() string { return "N" }

// rateValue is a number of lookups in a window, such as 30/60s.
type rateValue checkpoint.Rate

func (v *rateValue) Set(text string) error {
	slots, window, ok := strings.Cut(text, "/")
	n, err := strconv.Atoi(slots)
	length, windowErr := time.ParseDuration(window)
	if !ok || err != nil || windowErr != nil || n < 1 || length < time.Millisecond {
		return errors.New("write it like 30/60s: lookups, a slash and the window")
	}
	v.Slots, v.Window = n, length
	return nil
}

// within reports whether what keeps to the rate keeps to another one too: whether no
// window of the other sees more lookups than that one allows.
func (v rateValue) within(other rateValue) bool {
	windows := 1 + int((other.Window-1)/v.Window)
	return v.Slots <= other.Slots/windows
}

func (v *rateValue) String() string { return fmt.Sprintf("%d/%s", v.Slots, shortDuration(v.Window)) }
func (*rateValue) Type() string     { return "N/WINDOW" }

// shortDuration prints whole seconds as seconds, as people write rates.
func shortDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return d.String()
}

// percentValue is a share in whole percent, such as 20%.
type percentValue int

func (v *percentValue) Set(text string) error {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil || n < 0 || n > 90 {
		return errors.New("write it like 20%, from 0% to 90%")
	}
	*v = percentValue(n)
	return nil
}

func (v *percentValue) String() string { return fmt.Sprintf("%d%%", int(*v)) }
func (*percentValue) Type() string     { return "PERCENT" }

// percentOfAll is a share from 0% to 100%.
type percentOfAll int

func (v *percentOfAll) Set(text string) error {
	digits, isPercent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(digits)
	if !isPercent || err != nil || n < 0 || n > 100 {
		return fmt.Errorf("write it like 72%%, from 0%% to 100%%")
	}
	*v = percentOfAll(n)
	return nil
}

func (v *percentOfAll) String() string { return fmt.Sprintf("%d%%", int(*v)) }
func (*percentOfAll) Type() string     { return "PERCENT" }

// fieldsValue is the set of wanted fields: email, phone or both.
type fieldsValue enrich.Fields

// fieldNames are the short names of fields on the command line.
var fieldNames = map[string]enrich.Field{
	"email": enrich.WorkEmail, "work_email": enrich.WorkEmail,
	"phone": enrich.BusinessPhone, "business_phone": enrich.BusinessPhone,
}

func (v *fieldsValue) Set(text string) error {
	var set enrich.Fields
	for name := range strings.SplitSeq(text, ",") {
		f, known := fieldNames[strings.TrimSpace(name)]
		if !known {
			return fmt.Errorf("%q is no field; write email, phone or email,phone", name)
		}
		set = set.With(f)
	}
	*v = fieldsValue(set)
	return nil
}

func (v *fieldsValue) String() string {
	return strings.NewReplacer("work_email", "email", "business_phone", "phone").Replace(enrich.Fields(*v).String())
}
func (*fieldsValue) Type() string { return "FIELDS" }

// choiceValue is one of a few words.
type choiceValue struct {
	value   string
	choices []string
}

func (v *choiceValue) Set(text string) error {
	if slices.Contains(v.choices, text) {
		v.value = text
		return nil
	}
	return fmt.Errorf("write %s", strings.Join(v.choices, " or "))
}
func (v *choiceValue) String() string { return v.value }
func (v *choiceValue) Type() string   { return strings.Join(v.choices, "|") }

// ageValue is a time span that may be given in days, such as 90d.
type ageValue struct {
	span time.Duration
	set  bool
}

func (v *ageValue) Set(text string) (err error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36500 {
			return errors.New("write it like 90d or 12h")
		}
		v.span, v.set = time.Duration(n)*24*time.Hour, true
		return nil
	}
	v.span, err = time.ParseDuration(text)
	if err != nil || v.span < 0 {
		return errors.New("write it like 90d or 12h")
	}
	v.set = true
	return nil
}

func (v *ageValue) String() string {
	if !v.set {
		return ""
	}
	return v.span.String()
}
func (*ageValue) Type() string { return "AGE" }

// before returns the time that lies the span before now, or the zero time when
// no span was set.
func (v *ageValue) before(now time.Time) time.Time {
	if !v.set {
		return time.Time{}
	}
	return now.Add(-v.span)
}

// sizeValue is an amount of memory, such as 512MB or 2GB; zero until it is set.
type sizeValue struct {
	bytes int64
	text  string
}

// sizeUnits are the units of sizes, the longer names first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"B", 1}}

func (v *sizeValue) Set(text string) error {
	for _, unit := range sizeUnits {
		digits, found := strings.CutSuffix(strings.ToUpper(text), unit.name)
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if found && err == nil && n > 0 && n <= (1<<50)/unit.bytes {
			v.bytes, v.text = n*unit.bytes, text
			return nil
		}
	}
	return errors.New("write it like 512MB or 2GB")
}

func (v *sizeValue) String() string { return v.text }
func (*sizeValue) Type() string     { return "SIZE" }
