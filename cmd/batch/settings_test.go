package main

import (
	"strings"
	"testing"
)

// A name is what a terminal and the journal can take.
func TestIsNameAcceptsOnlyPrintableShortNames(t *testing.T) {
	for name, good := range map[string]bool{
		"": true, "nightly": true, "list-$1 (Köln)": true, strings.Repeat("ü", maxName): true,
		strings.Repeat("n", maxName+1): false, strings.Repeat("n", 70000): false,
		"a\x1b[2J": false, "a\nb": false, "a\xffb": false, "a/2026-11": false,
	} {
		if isName(name) != good {
			t.Errorf("%.20q: %t", name, !good)
		}
	}
}
