package jobs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"payonce/pipeline/report"
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

// commandFlag is a command as a flag: a line for the shell, or a list of a program and its arguments.
type commandFlag struct {
	line  string
	words []string
}

func (v *commandFlag) Set(text string) error { return v.Replace([]string{text}) }

// Replace sets the command. One word is a line.
func (v *commandFlag) Replace(list []string) error {
	if len(list) != 1 {
		return v.ReplaceList(list)
	}
	v.line, v.words = list[0], nil
	return nil
}

// ReplaceList sets the command to a program and its arguments, which can be none.
func (v *commandFlag) ReplaceList(list []string) error {
	if len(list) == 0 {
		return errors.New("write a line for the shell, or a list of a program and its arguments")
	}
	v.line, v.words = report.ShellLine(list...), list
	return nil
}

// Append adds a word.
func (v *commandFlag) Append(word string) error { return v.Replace(append(v.GetSlice(), word)) }

// GetSlice returns the words, or the line.
func (v *commandFlag) GetSlice() []string {
	if v.words == nil && v.line != "" {
		return []string{v.line}
	}
	return v.words
}
func (v *commandFlag) String() string { return v.line }
func (*commandFlag) Type() string     { return "COMMAND" }

// Schema says what the values look like.
func (*commandFlag) Schema() map[string]any {
	word := map[string]any{"type": "string"}
	return map[string]any{"anyOf": []any{map[string]any{"type": "array", "items": word, "minItems": 1}, word}}
}
