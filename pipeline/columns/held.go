package columns

import (
	"bytes"
	"strings"
	"unicode"

	"payonce/enrich"
	"payonce/enrich/sharedhost"
)

// Holds reports whether a cell of a further column holds a value of a field that counts as held.
func Holds(f enrich.Field, cell []byte, held Held) bool {
	if f == enrich.BusinessPhone {
		return IsPhone(cell)
	}
	if bytes.IndexByte(cell, '@') < 0 || !IsEmail(cell) {
		return false
	}
	return held != HeldWork || hasWorkEmail(cell)
}

// hasWorkEmail reports whether one of the addresses in a cell is not that of a private mailbox.
func hasWorkEmail(cell []byte) bool {
	for word := range strings.FieldsFuncSeq(string(cell), isBetweenEmails) {
		_, domain, found := strings.Cut(strings.ToLower(word), "@")
		if found && sharedhost.Of([]byte(strings.Trim(domain, "."))) != sharedhost.Mail {
			return true
		}
	}
	return false
}

// isBetweenEmails reports whether a character stands between the addresses of a cell.
func isBetweenEmails(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,;:<>|"()`, r) }
