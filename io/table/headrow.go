// This file finds the row with the names of the columns among titles, notes and data.

package table

import (
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/publicsuffix"
)

// MaxTitles is how many rows are looked at for a header below titles and notes.
const MaxTitles = 20

// maxName is the longest name of a column below titles, in bytes.
const maxName = 100

// FilledCells returns how many cells have text.
func FilledCells(cells []string) (filled int) {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			filled++
		}
	}
	return filled
}

// HasColumnNames reports whether a row below titles has the names of columns: two cells with text or more, which
// are most of its cells, all different, and none of them is data.
func HasColumnNames(cells []string) bool {
	filled := FilledCells(cells)
	if filled < 2 || 2*filled <= len(cells) {
		return false
	}
	seen := map[string]bool{}
	for _, cell := range cells {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		if seen[cell] || len(cell) > maxName || KindOfData(cell) != "" || isDate(cell) {
			return false
		}
		seen[cell] = true
	}
	return true
}

// KindOfData names the data in a cell that cannot be a column name.
func KindOfData(cell string) string {
	cell = strings.ToLower(strings.TrimSpace(cell))
	switch {
	case strings.HasPrefix(cell, "http://"), strings.HasPrefix(cell, "https://"):
		return "a URL"
	case isEmailAddress(cell):
		return "an email address"
	case isPhoneNumber(cell) && !isDate(cell):
		return "a phone number"
	}
	return ""
}

func isEmailAddress(cell string) bool {
	local, domain, found := strings.Cut(cell, "@")
	return found && local != "" && strings.Contains(strings.Trim(domain, "."), ".") &&
		!strings.ContainsAny(cell, " \t\r\n")
}

// IsDomain reports whether a cell is the domain of a website alone, such as "acme.com". A column name can look so.
func IsDomain(cell string) bool {
	host := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(cell)), "/")
	isLabel := func(r rune) bool { return r == '-' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	if strings.TrimFunc(host, isLabel) != "" || strings.ContainsFunc(host, func(r rune) bool { return !isLabel(r) }) {
		return false
	}
	suffix, managed := publicsuffix.PublicSuffix(host)
	known := managed || strings.Contains(suffix, ".") || suffix == "example" || suffix == "test" // kept for examples
	return known && len(host) > len(suffix)+1
}

// isDate reports whether cell is a date. A column may be named by a date.
func isDate(cell string) bool {
	layouts := []string{"2006-01-02", "2006/01/02", "2006.01.02", "02.01.2006", "02/01/2006", "01/02/2006"}
	for _, layout := range layouts {
		if _, err := time.Parse(layout, cell); err == nil {
			return true
		}
	}
	return false
}

// isPhoneNumber reports whether cell has at least seven digits, and otherwise only characters that
// are usual between the digits of a phone number.
func isPhoneNumber(cell string) bool {
	digits := 0
	for _, char := range cell {
		switch {
		case '0' <= char && char <= '9':
			digits++
		case !strings.ContainsRune("+-()./ \u00a0", char):
			return false
		}
	}
	return digits >= 7
}
