package kit

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/cost"
)

// namedFault is a word for a fault in its text form.
type namedFault struct {
	name  string
	fault Fault
}

// namedFaults lists the words. Every code of a refusal is one too.
var namedFaults = []namedFault{
	{"lost-before", Fault{Answer: Dropped}},
	{"lost-after", Fault{Answer: Dropped, Happened: true}},
	{"hang", Fault{Answer: Hanging}},
	{"truncated", Fault{Answer: Truncated, Happened: true}},
	{"garbage", Fault{Answer: Garbage, Happened: true}},
	{"proxy-page", Fault{Answer: ProxyPage}},
	{"no-body", Fault{Answer: Bodyless}},
	{"gateway-json", Fault{Answer: GatewayJSON}},
	{"byte-order-mark", Fault{Answer: Marked, Happened: true}},
	{"slow", Fault{Answer: Truthful}},
	{"revoke-key", Fault{Effect: KeyRevoked}},
	{"spend-credit", Fault{Effect: CreditSpent}},
	{"set-budget", Fault{Effect: BudgetSet}},
}

// ParseFault reads a fault such as "lost-after:p=0.02" or "hang:at=3+9,max=1": a
// name, and after a colon options separated by commas. The names are lost-before,
// lost-after, hang, truncated, garbage, proxy-page, no-body, gateway-json, byte-order-mark, slow, revoke-key,
// spend-credit, set-budget and the codes with which calls are refused, such as
// rate_limited.
//
// The options of every fault are p (probability), at (arrival numbers joined by
// "+"), who (parts of canonical identities joined by "|", escaped as in a URL's
// path), path (how the path begins), max (times), happened (true or false) and delay (a duration). Besides,
// proxy-page, no-body and gateway-json have status, error codes have retry-after and retry-date
// (durations), spend-credit and set-budget have usd.
func ParseFault(text string, codes []Code) (Fault, error) {
	name, options, _ := strings.Cut(text, ":")
	fault, err := faultNamed(name, codes)
	if err != nil {
		return Fault{}, fmt.Errorf("fault %q: %w", text, err)
	}
	for option := range strings.SplitSeq(options, ",") {
		if options == "" {
			break
		}
		if err := fault.setOption(option); err != nil {
			return Fault{}, fmt.Errorf("fault %q: %w", text, err)
		}
	}
	if err := fault.Validate(codes); err != nil {
		return Fault{}, fmt.Errorf("fault %q: %w", text, err)
	}
	return fault, nil
}

func faultNamed(name string, codes []Code) (Fault, error) {
	var names []string
	for _, known := range namedFaults {
		if known.name == name {
			return known.fault, nil
		}
		names = append(names, known.name)
	}
	if code := Code(name); slices.Contains(codes, code) {
		return Fault{Answer: Refused, Code: code}, nil
	}
	return Fault{}, fmt.Errorf("there is no fault %q; there are %s and the codes of refusals", name, strings.Join(names, ", "))
}

func (f *Fault) setOption(option string) (err error) {
	name, value, given := strings.Cut(option, "=")
	if !given {
		return fmt.Errorf("%q is not an option; write it like max=1", option)
	}
	switch name {
	case "p":
		if f.Probability, err = strconv.ParseFloat(value, 64); f.Probability == 0 && err == nil {
			err = errors.New("it would never strike")
		}
	case "at":
		f.At, err = parseArrivals(value)
	case "who":
		f.Identities, err = parseIdentities(value)
	case "path":
		f.Path, err = url.PathUnescape(value)
	case "max":
		f.Max, err = strconv.Atoi(value)
	case "happened":
		f.Happened, err = strconv.ParseBool(value)
	case "delay":
		f.Delay, err = time.ParseDuration(value)
	case "status":
		f.Status, err = strconv.Atoi(value)
	case "retry-after", "retry-date":
		f.RetryDate = name == "retry-date"
		f.RetryAfter, err = time.ParseDuration(value)
	case "usd":
		f.Amount, err = cost.ParseMoney(value)
	default:
		err = errors.New("there is no such option; there are p, at, who, path, max, happened, delay, status, retry-after, retry-date and usd")
	}
	if err != nil {
		return fmt.Errorf("option %q: %w", option, err)
	}
	return nil
}

func parseArrivals(text string) ([]int, error) {
	var numbers []int
	for part := range strings.SplitSeq(text, "+") {
		number, err := strconv.Atoi(part)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

func parseIdentities(text string) ([]string, error) {
	var parts []string
	for escaped := range strings.SplitSeq(text, "|") {
		part, err := url.PathUnescape(escaped)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// String returns the fault as ParseFault reads it.
func (f Fault) String() string {
	name, named := f.name()
	var options []string
	add := func(set bool, option string, value any) {
		if set {
			options = append(options, fmt.Sprint(option, "=", value))
		}
	}
	add(f.Probability != 0, "p", f.Probability)
	add(len(f.At) > 0, "at", joined(f.At, "+", strconv.Itoa))
	add(len(f.Identities) > 0, "who", joined(f.Identities, "|", url.PathEscape))
	add(f.Path != "", "path", escapedPath(f.Path))
	add(f.Max != 0, "max", f.Max)
	add(f.Happened != named.Happened, "happened", f.Happened)
	add(f.Delay != 0, "delay", f.Delay)
	add(f.Status != 0, "status", f.Status)
	add(f.RetryAfter != 0 && !f.RetryDate, "retry-after", f.RetryAfter)
	add(f.RetryDate, "retry-date", f.RetryAfter)
	add(f.Effect == CreditSpent || f.Effect == BudgetSet, "usd", f.Amount)
	if len(options) == 0 {
		return name
	}
	return name + ":" + strings.Join(options, ",")
}

// name returns the word for the fault, preferably one that also says whether the
// lookup happened, and what the word alone means.
func (f Fault) name() (string, Fault) {
	if f.Answer == Refused {
		return string(f.Code), Fault{}
	}
	same := func(known namedFault) bool {
		return known.fault.Answer == f.Answer && known.fault.Effect == f.Effect
	}
	exact := func(known namedFault) bool { return same(known) && known.fault.Happened == f.Happened }
	i := cmp.Or(1+slices.IndexFunc(namedFaults, exact), 1+slices.IndexFunc(namedFaults, same)) - 1
	if i < 0 {
		return fmt.Sprintf("answer %d with effect %d", f.Answer, f.Effect), Fault{}
	}
	return namedFaults[i].name, namedFaults[i].fault
}

func joined[T any](values []T, separator string, text func(T) string) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = text(value)
	}
	return strings.Join(texts, separator)
}

// escapedPath returns a path in which no comma and no escape ends an option.
func escapedPath(path string) string {
	return strings.NewReplacer("%", "%25", ",", "%2C").Replace(path)
}
