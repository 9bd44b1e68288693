package jobs

import (
	"fmt"
	"slices"
	"strings"
)

// words is a list of words as a flag. It may be empty, which is something else than not given.
type words struct {
	list    []string
	choices []string // all that are allowed; nil for any
	given   bool
}

func (v *words) Set(text string) error { return v.Replace([]string{text}) }

// Replace sets the list.
func (v *words) Replace(list []string) error {
	for _, word := range list {
		if v.choices != nil && !slices.Contains(v.choices, word) {
			return fmt.Errorf("%q: write %s", word, strings.Join(v.choices, ", "))
		}
	}
	v.list, v.given = list, true
	return nil
}

// Append adds a word.
func (v *words) Append(word string) error { return v.Replace(append(v.list, word)) }

// GetSlice returns the list.
func (v *words) GetSlice() []string { return v.list }

func (v *words) String() string { return strings.Join(v.list, ",") }
func (*words) Type() string     { return "NAMES" }

// Schema says what the values look like.
func (v *words) Schema() map[string]any {
	word := map[string]any{"type": "string"}
	if v.choices != nil {
		word = map[string]any{"enum": v.choices}
	}
	return map[string]any{"anyOf": []any{map[string]any{"type": "array", "items": word, "uniqueItems": true}, word}}
}
