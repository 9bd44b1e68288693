package enrich

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func isBlank(s string) bool { return cleanText(s) == "" }

// isMangled reports whether s holds bytes that are no UTF-8, or what stands for
// them: their meaning is gone, and two people could look the same without it.
func isMangled(s string) bool { return strings.ContainsRune(s, utf8.RuneError) }

// cleanText returns s as it may be sent: NFC, every run of white space one plain
// space, none at the ends, no control or invisible formatting characters. These
// go first: they can part a letter from its accent.
func cleanText(s string) string {
	if isCleanASCII(s) {
		return s
	}
	s = strings.Map(printable, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(norm.NFC.String(s)), " ")
}

// isCleanASCII reports whether a text consists of ASCII characters that can be seen, with single spaces between
// them. Most texts do, and the forms of Unicode change nothing of them.
func isCleanASCII(s string) bool {
	space := true
	for i := range len(s) {
		switch b := s[i]; {
		case b == ' ' && space, b < ' ', b >= 0x7f:
			return false
		default:
			space = b == ' '
		}
	}
	return !space || s == ""
}

// printable maps white space to a space and drops what cannot be seen.
func printable(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return -1
	}
	return r
}

// foldText returns the form of s in which spellings that differ in case, width
// or composition are equal. Folding can undo the normal form, so the form is
// taken again after it.
func foldText(s string) string {
	if isCleanASCII(s) {
		return strings.ToLower(s)
	}
	folded := cases.Fold().String(norm.NFKC.String(cleanText(s)))
	return cleanText(norm.NFKC.String(folded))
}

// parseURL parses an address that may lack its scheme.
func parseURL(s string) (*url.URL, error) {
	s = cleanText(s)
	scheme, _, found := strings.Cut(s, "://")
	if !found || strings.ContainsAny(scheme, "./?#@") {
		s = "https://" + strings.TrimPrefix(s, "//")
	}
	return url.Parse(s)
}

// cleanDomain returns the domain named by a domain, a URL or an email address:
// lower case, IDNA, without scheme, "www.", port and path, but not cut down to
// the registrable domain. An empty cell gives "" and no reason. A host that many companies share gives a
// reason.
func cleanDomain(s string) (string, Unidentifiable) {
	if isBlank(s) {
		return "", ""
	}
	address, err := parseURL(s)
	if err != nil {
		return "", BadDomain
	}
	host, ok := cleanHost(address.Hostname())
	if !ok {
		return "", BadDomain
	}
	if reason := sharedReason(OfPage([]byte(host), []byte(address.Path)), address.User != nil); reason != "" {
		return "", reason
	}
	return host, ""
}

// WhyNoDomain returns why the address in a cell names no company, because many companies share its host; "" for
// another cell.
func WhyNoDomain(cell string) Unidentifiable {
	if _, reason := cleanDomain(cell); reason != BadDomain {
		return reason
	}
	return ""
}

// cleanEmail returns the first email address of a text as it is sent, with its domain in the form of cleanHost.
func cleanEmail(s string) (string, bool) {
	isBetween := func(r rune) bool { return strings.ContainsRune(` ,;<>|"()`, r) }
	for word := range strings.FieldsFuncSeq(cleanText(norm.NFKC.String(cleanText(s))), isBetween) {
		local, domain, found := strings.Cut(word, "@")
		if !found {
			continue
		}
		if scheme, rest, hasScheme := strings.Cut(local, ":"); hasScheme && strings.EqualFold(scheme, "mailto") {
			local = rest
		}
		host, ok := cleanHost(domain)
		return local + "@" + host, ok && local != "" && !isMangled(word)
	}
	return "", false
}

// foldEmail returns the comparable form of an email made by cleanEmail.
func foldEmail(email string) string {
	local, host, _ := strings.Cut(email, "@")
	return foldText(local) + "@" + host
}

// sharedReason returns why a host of this kind does not name a company, "" when it may.
func sharedReason(kind HostKind, isEmail bool) Unidentifiable {
	switch {
	case kind == MailHost && isEmail:
		return FreeMailDomain
	case kind == MailHost:
		return MailProviderDomain
	case kind == NetworkHost:
		return NetworkDomain
	case kind == DirectoryHost:
		return DirectoryDomain
	case kind == PageHost:
		return PageDomain
	case kind == ParkedHost:
		return ParkedDomain
	}
	return ""
}

// cleanHost returns a host name in its ASCII form, without "www." and a trailing
// dot, and reports whether it is a name with at least two labels.
func cleanHost(host string) (string, bool) {
	if !utf8.ValidString(host) { // escaped bytes that are no text
		return "", false
	}
	if !isPlainHost(host) {
		var err error
		if host, err = idna.Lookup.ToASCII(norm.NFKC.String(host)); err != nil {
			return "", false
		}
		host = strings.TrimSuffix(strings.ToLower(host), ".")
	}
	for {
		bare, found := strings.CutPrefix(host, "www.")
		if !found || !strings.Contains(bare, ".") {
			break
		}
		host = bare
	}
	return host, isDomain(host)
}

// isPlainHost reports whether a host name is known to be in its ASCII form, in small letters, as most are. IDNA decides
// about the others. It takes as long as all the rest.
func isPlainHost(host string) bool {
	before := byte('.')
	for i := range len(host) {
		c := host[i]
		isInside := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !isInside && (c != '.' && c != '-' || before == '.' || before == '-') {
			return false
		}
		before = c
	}
	return before != '.' && before != '-'
}

// isDomain reports whether an ASCII host name is a domain of the public name
// system: at least two labels, none empty or too long, the last one no number
// (an IP address ends in one).
func isDomain(host string) bool {
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(labels) > 1 && len(host) <= 253 && strings.Trim(last, "0123456789") != ""
}
