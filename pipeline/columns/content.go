package columns

import (
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/publicsuffix"

	"payonce/enrich"
)

// Kind says what a cell holds.
type Kind uint8

// The kinds of cells.
const (
	Blank        Kind = iota // also a placeholder
	Text                     // anything else
	EmailAddress             // one or several
	PersonPage               // of a network
	SalesPage                // of a person in a network's tool for sales
	CompanyPage              // of a network
	SharedPage               // another page of a host that many share
	WebPage                  // an address with a path
	Website                  // a host
	PhoneNumber              // with a plus or signs between the digits
	Digits                   // seven or more, nothing else
	Number                   // another number
	Date                     // with or without a time
	numKinds
)

// describe says what a column holds most of whose cells are of the kind.
func (k Kind) describe() string {
	return [numKinds]string{
		"nothing", "texts", "email addresses", "profiles of persons", "profiles of persons", "pages of companies in a network",
		"pages of a social network or directory", "web pages", "websites", "phone numbers", "numbers", "numbers", "dates",
	}[k]
}

// maxCell is the longest cell that is looked at, in bytes.
const maxCell = 2048

// KindOf returns the kind of a cell.
func KindOf(cell []byte) Kind {
	if len(cell) > maxCell {
		return Text
	}
	if IsEmpty(cell) {
		return Blank
	}
	text := strings.TrimSpace(strings.ToLower(string(cell)))
	switch {
	case isEmail(cell):
		return EmailAddress
	case isDate(text):
		return Date
	case isPhone(cell):
		if strings.Trim(text, "0123456789") == "" {
			return Digits
		}
		return PhoneNumber
	case isDecimal(text):
		return Number
	}
	return addressKind(text)
}

// personPaths are where networks keep the pages of persons.
var personPaths = [...]string{"/in/", "/pub/", "/profile/", "/profiles/", "/people/", "/mwlite/in/"}

// addressKind returns the kind of an address of the web, and Text for other texts in lower case.
func addressKind(text string) Kind {
	rest, hasScheme := text, false
	for _, scheme := range [...]string{"https://", "http://"} {
		if cut, found := strings.CutPrefix(text, scheme); found {
			rest, hasScheme = cut, true
		}
	}
	end := strings.IndexAny(rest, "/?#:")
	if end < 0 {
		end = len(rest)
	}
	host, path := strings.TrimPrefix(strings.TrimSuffix(rest[:end], "."), "www."), rest[end:]
	known := hasScheme || strings.HasPrefix(rest, "www.") || isTopLevel(host)
	if !known || !isHost(host) {
		return Text
	}
	shared := enrich.OfPage([]byte(host), []byte(path))
	switch {
	case strings.HasPrefix(path, "/sales/lead/"), strings.HasPrefix(path, "/sales/people/"):
		return SalesPage
	case startsWithAny(path, personPaths[:]) && (shared == enrich.NetworkHost || shared == enrich.NotSharedHost):
		return PersonPage
	case shared == enrich.NetworkHost && startsWithAny(path, []string{
		"/company/", "/companies/", "/school/", "/showcase/", "/sales/company/", "/sales/accounts/", "/pages/",
	}):
		return CompanyPage
	case shared != enrich.NotSharedHost:
		return SharedPage
	case strings.Trim(path, "/") != "":
		return WebPage
	}
	return Website
}

func startsWithAny(text string, beginnings []string) bool {
	for _, begin := range beginnings {
		if strings.HasPrefix(text, begin) && len(text) > len(begin) {
			return true
		}
	}
	return false
}

// isHost reports whether a text is the name of a host with two labels or more.
func isHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			return false
		}
	}
	return len(labels) > 1
}

// isTopLevel reports whether a host ends in a domain that is given out, or that is kept for examples. A text
// with a dot, such as "Node.js", does not.
func isTopLevel(host string) bool {
	suffix, managed := publicsuffix.PublicSuffix(host)
	if managed || strings.Contains(suffix, ".") {
		return true
	}
	return suffix == "example" || suffix == "test" || suffix == "invalid"
}

// isEmail reports whether a cell holds email addresses: one, or several with signs between them.
func isEmail(cell []byte) bool {
	found := false
	for word := range strings.FieldsFuncSeq(string(cell), isBetweenEmails) {
		local, domain, hasAt := strings.Cut(word, "@")
		if !hasAt {
			continue
		}
		if local == "" || strings.Contains(domain, "@") || !isHost(strings.ToLower(strings.Trim(domain, "."))) {
			return false
		}
		found = true
	}
	return found
}

// isPhone reports whether a cell holds a phone number: seven to twenty digits with the usual signs
// between them, and perhaps an extension.
func isPhone(cell []byte) bool {
	number := strings.ToLower(string(cell))
	number = strings.TrimLeft(number, "'\u200e\u202a ")
	for _, mark := range [...]string{"ext", "x", "durchwahl", "poste", "int"} {
		if before, extension, found := strings.Cut(number, mark); found &&
			strings.Trim(extension, " .:0123456789") == "" {
			number = before
		}
	}
	digits := 0
	for _, r := range number {
		switch {
		case '0' <= r && r <= '9':
			digits++
		case !strings.ContainsRune("+-()./\u2011\u2013\u202c\u00a0\u202f ", r):
			return false
		}
	}
	return digits >= 7 && digits <= 20
}

// isDecimal reports whether a text is a number, perhaps with a currency, a percent sign or grouped digits.
func isDecimal(text string) bool {
	text = strings.Trim(text, "$€£%~+- \u00a0")
	text = strings.NewReplacer(",", "", "'", "", "\u00a0", "", " ", "").Replace(text)
	if text == "" {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && strings.ContainsAny(text, "0123456789")
}

// maxDate is the longest date with a time, in bytes.
const maxDate = 40

// isDate reports whether a text in lower case begins with a date.
func isDate(text string) bool {
	digits := 0
	for i := range len(text) {
		if '0' <= text[i] && text[i] <= '9' {
			digits++
		}
	}
	if digits < 5 || len(text) < 8 || len(text) > maxDate {
		return false
	}
	for _, layout := range [...]string{
		"2006-01-02", "2006/01/02", "2006.01.02", "02.01.2006", "2.1.2006", "02/01/2006", "01/02/2006", "1/2/2006", "2/1/2006",
		"02-01-2006", "02 Jan 2006", "2 Jan 2006", "Jan 2, 2006", "20060102",
	} {
		if isLayout(text, layout) {
			return true
		}
	}
	return false
}

// isLayout reports whether a text is a date of this layout, alone or with a time behind it.
func isLayout(text, layout string) bool {
	if _, err := time.Parse(layout, text); err == nil {
		return true
	}
	date, clock, found := strings.Cut(text, "t")
	if !found || strings.Contains(layout, " ") {
		date, clock, found = strings.Cut(text, " ")
	}
	if !found || !strings.Contains(clock, ":") || strings.Contains(layout, " ") {
		return false
	}
	_, err := time.Parse(layout, date)
	return err == nil
}

// IsEmpty reports whether a cell holds nothing: blanks, or a placeholder.
func IsEmpty(cell []byte) bool {
	switch {
	case len(cell) == 0:
		return true
	case len(cell) > longestPlaceholder && cell[0] > ' ' && cell[len(cell)-1] > ' ':
		return false
	}
	return len(trim(cell)) == 0 || IsPlaceholder(cell)
}

// trim returns the cell without the blanks around it.
func trim(cell []byte) []byte {
	isBlank := func(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }
	for len(cell) > 0 && isBlank(cell[0]) {
		cell = cell[1:]
	}
	for len(cell) > 0 && isBlank(cell[len(cell)-1]) {
		cell = cell[:len(cell)-1]
	}
	return cell
}
