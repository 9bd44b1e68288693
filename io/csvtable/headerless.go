package csvtable

import (
	"fmt"
	"strings"

	"payonce/io/table"
)

// HeaderlessError says that a list begins with data. Header is a line that can be put before it, without
// its byte order mark. The names in it tell what the first cells hold, and quote none of them.
type HeaderlessError struct {
	Header string
	Mark   int // the length of the byte order mark in bytes, 0 for none
}

func (*HeaderlessError) Error() string { return "the list has no header" }

// headerless returns the error of a list whose first line holds data. It returns nil for other lists, and
// where a line of ASCII cannot be put before the bytes of the file.
func (s *scanner) headerless() error {
	mark := len(s.header.lead)
	if mark > 0 && string(s.header.lead) != utf8Mark || s.dialect.Encoding != UTF8 && s.dialect.Encoding != Windows1252 {
		return nil
	}
	names, found, taken := make([]string, len(s.header.columns)), false, map[string]bool{}
	for i, cell := range s.header.columns {
		name := ""
		switch kind := table.KindOfData(cell); {
		case table.IsDomain(cell):
			name = "website"
		case kind == "":
		case kind == "a URL":
			name = "url"
		case kind == "an email address":
			name = "email"
		default:
			name = "phone"
		}
		found = found || name != ""
		if name == "" || taken[name] {
			name = fmt.Sprintf("column_%d", i+1)
		}
		names[i], taken[name] = name, true
	}
	if !found {
		return nil
	}
	return &HeaderlessError{strings.Join(names, string(s.dialect.Delimiter)), mark}
}
