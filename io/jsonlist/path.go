package jsonlist

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// step leads from a value to one below it.
type step struct {
	name  string // of a member
	index int    // of an element; isMember for a member
}

// isMember is the index of a step to a member.
const isMember = -1

// appendStep returns the path of a value below one with this path.
func appendStep(path string, s step) string {
	switch {
	case s.index != isMember:
		return path + "[" + strconv.Itoa(s.index) + "]"
	case s.name == "" || strings.ContainsAny(s.name, ".[]\"") || strings.ContainsFunc(s.name, isControl):
		quoted, _ := jsontext.AppendQuote(nil, s.name) // a name that was read is UTF-8
		return path + "[" + string(quoted) + "]"
	case path == "":
		return s.name
	}
	return path + "." + s.name
}

func isControl(r rune) bool { return r < ' ' }
