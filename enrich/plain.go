package enrich

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Most cells are plain: ASCII, and letters beyond it that fold in a simple way. Their
// canonical forms are made here without an allocation; Identify has to look at the
// others.

// appendPlainText appends the folded form of plain text: small letters, single spaces,
// none at the ends. It reports false for text beyond ASCII and plain letters.
func appendPlainText(form, cell []byte) ([]byte, bool) {
	start, space := len(form), false
	for i := 0; i < len(cell); i++ {
		b := cell[i]
		if b == ' ' {
			space = len(form) > start
			continue
		}
		if space {
			form, space = append(form, ' '), false
		}
		switch {
		case ' ' < b && b < 0x7f:
			form = append(form, lowerPlain(b))
		case b < utf8.RuneSelf:
			return form, false
		default:
			r, size := utf8.DecodeRune(cell[i:])
			if !isPlainLetter(r) {
				return form, false
			}
			form = utf8.AppendRune(form, unicode.ToLower(r))
			i += size - 1
		}
	}
	return form, true
}

// folds says of every byte what it is folded to, 0 for those that are not plain.
type folds [256]byte

// The plain bytes of hosts and paths.
var (
	hostBytes = foldsOf("-.0123456789abcdefghijklmnopqrstuvwxyz")
	pathBytes = foldsOf("-./0123456789_abcdefghijklmnopqrstuvwxyz~")
	mailBytes = foldsOf("!#$%&'*+-./0123456789=?^_`abcdefghijklmnopqrstuvwxyz{}~") // before the @
)

// foldsOf returns the folds of some characters, and of the capitals of the letters among
// them.
func foldsOf(plain string) (f folds) {
	for _, b := range []byte(plain) {
		f[b] = b
		if 'a' <= b && b <= 'z' {
			f[b+'A'-'a'] = b
		}
	}
	return f
}

// appendWhile appends the folded bytes of a text up to the first that is not plain, and
// returns their number.
func appendWhile(f *folds, form, text []byte) ([]byte, int) {
	start := len(form)
	form = append(form, text...)
	for i, b := range form[start:] {
		fold := f[b]
		if fold == 0 {
			return form[:start+i], i
		}
		form[start+i] = fold
	}
	return form, len(text)
}

// isPlainLetter reports whether a letter beyond ASCII is of the blocks Latin-1, Latin
// Extended-A, the Vietnamese and Russian alphabets or the common ideographs, and one whose
// normal form is itself and whose folded form is the small letter.
func isPlainLetter(r rune) bool {
	switch {
	case r >= 'À' && r <= 'ž':
		return !strings.ContainsRune("ßİĲĳĿŀŉ", r)
	case r < 'Ѐ':
		return false
	default:
		return r <= 'џ' || r >= 'Ạ' && r <= 'ỹ' || r >= '\u4e00' && r <= '\u9fff'
	}
}

// appendPlainProfile appends the canonical form of a profile's address, when that is
// a plain one: a host, a path of unreserved and escaped characters, and a query that names nobody.
// It reports false for others, and for none.
func appendPlainProfile(form, cell []byte) ([]byte, bool) {
	start := len(form)
	form = append(form, profileForm+unitSeparator...)
	hostStart := len(form)
	form, rest, ok := appendPlainHost(form, trimPlain(cell))
	if !ok {
		return form[:start], false
	}
	n, plain := plainPath(rest)
	p := page{host: form[hostStart:], path: rest, plain: plain}
	if n < len(rest) {
		if !isPlainQuery(rest[n:]) {
			return form[:start], false
		}
		p.path, p.query = rest[:n], rest[n+1:]
	}
	for len(p.path) > 0 && p.path[len(p.path)-1] == '/' {
		p.path = p.path[:len(p.path)-1]
	}
	if len(p.path) == 0 {
		return form[:start], false
	}
	who := p.naming()
	if who.nobody || who.isCompany || who.param != "" || who.network == "" && p.hasNamingQuery() {
		return form[:start], false
	}
	copy(form[start:], formOf(who))            // both have one length
	return p.appendForm(form[:hostStart], who) // the host of the page may be appended over itself
}

// plainPath returns how many bytes of what follows the host of an address are a path of unreserved and escaped
// characters, and whether none is escaped.
func plainPath(rest []byte) (n int, plain bool) {
	for n < len(rest) && pathBytes[rest[n]] != 0 {
		n++
	}
	if n == len(rest) || rest[n] != '%' {
		return n, true
	}
	for n < len(rest) && (pathBytes[rest[n]] != 0 || rest[n] == '%' && n+2 < len(rest) && isHex(rest[n+1]) && isHex(rest[n+2])) {
		n++
	}
	return n, false
}

// appendPlainEmail appends the canonical form of a plain email address. It reports false for other texts.
func appendPlainEmail(form, cell []byte) ([]byte, bool) {
	start := len(form)
	form, n := appendWhile(&mailBytes, append(form, "email"+unitSeparator...), trimPlain(cell))
	rest := trimPlain(cell)[n:]
	if n == 0 || len(rest) == 0 || rest[0] != '@' || bytes.IndexByte(rest, ':') >= 0 {
		return form[:start], false
	}
	form, rest, ok := appendPlainHost(append(form, '@'), rest[1:])
	return form, ok && len(rest) == 0
}

// isPlainQuery reports whether what follows a path is a query and no fragment, which is
// looked at.
func isPlainQuery(rest []byte) bool {
	for _, b := range rest {
		if b <= ' ' || b >= 0x7f || b == '#' {
			return false
		}
	}
	return rest[0] == '?'
}

// appendPlainHost appends the host of an address, in small letters and without
// "www.", and returns what follows it. The address may lack its scheme. It reports
// false where the host is not a plain one: something else than a domain of ASCII labels,
// or with a port, a user, or labels that IDNA has rules for.
func appendPlainHost(form, address []byte) (withHost, rest []byte, ok bool) {
	address = trimScheme(address)
	start := len(form)
	form, n := appendWhile(&hostBytes, form, address)
	rest = address[n:]
	if len(rest) > 0 && rest[0] != '/' && rest[0] != '?' || n > 253 {
		return form, nil, false
	}
	dots, label := 0, form[start:]
	for {
		dot := bytes.IndexByte(label, '.')
		if dot < 0 {
			break
		}
		if !isPlainLabel(label[:dot]) {
			return form, nil, false
		}
		dots++
		label = label[dot+1:]
	}
	if dots == 0 || !isPlainLabel(label) || isNumber(label) {
		return form, nil, false
	}
	for dots > 1 && string(form[start:start+4]) == "www." {
		form = append(form[:start], form[start+4:]...)
		dots--
	}
	return form, rest, true
}

// isNumber reports whether a label is one, as at the end of an IP address.
func isNumber(label []byte) bool {
	for _, b := range label {
		if b < '0' || b > '9' {
			return false
		}
	}
	return true
}

// isPlainLabel reports whether a label of a host is one that IDNA leaves as it is.
func isPlainLabel(label []byte) bool {
	n := len(label)
	return n > 0 && n <= 63 && label[0] != '-' && label[n-1] != '-' &&
		(n < 4 || label[2] != '-' || label[3] != '-')
}

func appendLower(form, text []byte) []byte {
	for _, b := range text {
		form = append(form, lowerPlain(b))
	}
	return form
}

// trimPlain returns the cell without the spaces around it.
func trimPlain(cell []byte) []byte {
	for len(cell) > 0 && cell[0] == ' ' {
		cell = cell[1:]
	}
	for len(cell) > 0 && cell[len(cell)-1] == ' ' {
		cell = cell[:len(cell)-1]
	}
	return cell
}

// trimScheme returns an address without the scheme of a web page.
func trimScheme(address []byte) []byte {
	for _, scheme := range [...]string{"https://", "http://"} {
		if len(address) >= len(scheme) && equalFold(address[:len(scheme)], scheme) {
			return address[len(scheme):]
		}
	}
	return address
}

// equalFold reports whether b is the text, which is in small letters, in any case.
func equalFold(b []byte, text string) bool {
	for i, c := range b {
		if lowerPlain(c) != text[i] {
			return false
		}
	}
	return true
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}

func lowerPlain(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
