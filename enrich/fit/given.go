package fit

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed given.txt
var givenText string

// givenNames returns the given names of the file. They are read once.
var givenNames = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(givenText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.FieldsSeq(line) {
			all[name] = true
		}
	}
	return all
})

// IsGivenName reports whether a word in small letters without accents is a usual given name.
func IsGivenName(word string) bool { return givenNames()[word] }
