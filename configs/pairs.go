package configs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// PairsFlag are names with a value each, such as companies=500. The flag may be repeated, and several pairs may
// be joined by commas. A configuration may also write them as a mapping.
type PairsFlag struct {
	Form string // the form of a pair, such as MODULE=N
	// Known says that Check accepts only numbers and names that the program knows.
	Known bool
	// Check refuses a name or its value.
	Check  func(name, value string) error
	Values map[string]string
}

func (v *PairsFlag) Set(text string) error {
	for pair := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(pair, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !found || name == "" || value == "" {
			return fmt.Errorf("write %s", v.Form)
		}
		if err := v.Check(name, value); err != nil {
			return err
		}
		if earlier, twice := v.Values[name]; twice && earlier != value {
			return fmt.Errorf("%s is given twice, as %s and as %s", name, earlier, value)
		}
		if v.Values == nil {
			v.Values = map[string]string{}
		}
		v.Values[name] = value
	}
	return nil
}

func (v *PairsFlag) String() string { return strings.Join(v.GetSlice(), ",") }

func (v *PairsFlag) Type() string { return v.Form }

// Append adds a pair.
func (v *PairsFlag) Append(text string) error { return v.Set(text) }

// Replace replaces all pairs.
func (v *PairsFlag) Replace(texts []string) error {
	v.Values = nil
	for _, text := range texts {
		if err := v.Set(text); err != nil {
			return err
		}
	}
	return nil
}

// GetSlice returns the pairs in the order of their names.
func (v *PairsFlag) GetSlice() (pairs []string) {
	for _, name := range slices.Sorted(maps.Keys(v.Values)) {
		pairs = append(pairs, name+"="+v.Values[name])
	}
	return pairs
}

// Schema returns the JSON Schema of the pairs in a configuration.
func (v *PairsFlag) Schema() map[string]any {
	pair := map[string]any{"type": "string", "pattern": "^[^=]+=[^=]+(,[^=]+=[^=]+)*$"}
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []string{"string", "number"}}},
		map[string]any{"type": "array", "items": pair},
		pair,
	}}
}
