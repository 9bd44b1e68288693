package main

import (
	"strings"
	"testing"
)

func TestFittedWrapsTextAtTheTerminalWidth(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("words ", 20)
	for text, want := range map[string]string{
		"one\ntwo\n\nthree":      "one two\n\nthree",
		"  4  " + long:           "  4  " + strings.Repeat("words ", 12)[:71] + "\n     " + strings.Repeat("words ", 8)[:47],
		"a:\n  short one\n  two": "a:\n  short one\n  two",
		"":                       "",
	} {
		if got := fitted(text); got != want {
			t.Errorf("%q:\n%s\nnot\n%s", text, got, want)
		}
	}
}
