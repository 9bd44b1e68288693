package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// absent stands for a member that must not be there.
type absent struct{}

// present stands for a member that has to be there, whatever it is.
type present struct{}

// at returns the member at a dotted path, such as "result.tools.0.name".
func (o objectV1) at(path string) (any, bool) {
	var value any = map[string]any(o)
	for name := range strings.SplitSeq(path, ".") {
		switch inner := value.(type) {
		case map[string]any:
			member, found := inner[name]
			if !found {
				return nil, false
			}
			value = member
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(inner) {
				return nil, false
			}
			value = inner[i]
		default:
			return nil, false
		}
	}
	return value, true
}

func (o objectV1) text(path string) string {
	value, _ := o.at(path)
	text, _ := value.(string)
	return text
}

func (o objectV1) object(path string) objectV1 {
	value, _ := o.at(path)
	inner, _ := value.(map[string]any)
	return inner
}

// members is what a JSON object has to show, by dotted paths. What it says nothing of
// may be anything.
type members map[string]any

// check returns where the object differs.
func (m members) check(o objectV1) error {
	var problems []error
	for _, path := range slices.Sorted(maps.Keys(m)) {
		got, found := o.at(path)
		switch want := m[path].(type) {
		case absent:
			if found {
				problems = append(problems, fmt.Errorf("%s is %v, want none", path, got))
			}
		case present:
			if !found {
				problems = append(problems, fmt.Errorf("%s is missing", path))
			}
		default:
			if !found {
				problems = append(problems, fmt.Errorf("%s is missing, want %v", path, want))
			} else if !equal(want, got) {
				problems = append(problems, fmt.Errorf("%s is %v, want %v", path, got, want))
			}
		}
	}
	return errors.Join(problems...)
}

// equal compares a value that a case wants with one that came as JSON. A number is
// never equal to its text.
func equal(want, got any) bool {
	_, wantsText := want.(string)
	_, isText := got.(string)
	return wantsText == isText && fmt.Sprint(want) == fmt.Sprint(got)
}
