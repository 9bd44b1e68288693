package columns

import (
	"bytes"
	"strings"
	"unicode"

	"payonce/enrich"
)

// Holds reports whether a cell of a further column holds a value that counts as held. The role is that of the
// column to which such values are written.
func Holds(filled Role, cell []byte, held Held) bool {
	if filled == Phone {
		return isPhone(cell)
	}
	if bytes.IndexByte(cell, '@') < 0 || !isEmail(cell) {
		return false
	}
	return held != HeldWork || hasWorkEmail(cell)
}

// hasWorkEmail reports whether one of the addresses in a cell is not that of a private mailbox.
func hasWorkEmail(cell []byte) bool {
	for word := range strings.FieldsFuncSeq(string(cell), isBetweenEmails) {
		_, domain, found := strings.Cut(strings.ToLower(word), "@")
		if found && enrich.SharedHostOf([]byte(strings.Trim(domain, "."))) != enrich.MailHost {
			return true
		}
	}
	return false
}

// isBetweenEmails reports whether a character stands between the addresses of a cell.
func isBetweenEmails(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,;:<>|"()`, r) }
