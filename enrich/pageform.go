package enrich

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"
)

// The first values of the canonical forms of pages: of those that are named in a network without regard to small and
// capital letters, and of others.
const (
	profileForm = "profile"
	addressForm = "address"
)

// appendForm appends the canonical form of the page without its first value. It reports false when nothing is left
// that names a subject.
func (p *page) appendForm(form []byte, n naming) ([]byte, bool) {
	if n.network == "" {
		return p.appendAddress(form)
	}
	form = append(append(form, n.network...), n.prefix...)
	start := len(form)
	if n.param != "" {
		form = append(append(append(form, '?'), n.param...), '=')
		return append(form, url.QueryEscape(cleanID(unescapeQuery(n.value)))...), true
	}
	form = appendSegments(form, n.id, n.exact, false)
	if n.dotless {
		kept := form[:start]
		for _, b := range form[start:] {
			if b != '.' {
				kept = append(kept, b)
			}
		}
		form = kept
	}
	return form, len(form) > start
}

// appendAddress appends the host, the path and those parts of the query and the fragment that may name somebody.
func (p *page) appendAddress(form []byte) ([]byte, bool) {
	form = append(form, p.host...)
	start := len(form)
	form = appendSegments(form, p.path, true, p.plain)
	for len(form) > start && form[len(form)-1] == '/' {
		form = form[:len(form)-1]
	}
	if len(form) == start {
		return form, false
	}
	separator := byte('?')
	for param := range eachParam(p.query) {
		if isTracking(param) {
			continue
		}
		name, value, _ := bytes.Cut(param, []byte{'='})
		form = append(append(form, separator), foldParam(name)...)
		form = append(append(form, '='), foldParam(value)...)
		separator = '&'
	}
	if fragment := p.namingFragment(); len(fragment) > 0 {
		form = append(append(form, '#'), foldExact(string(fragment))...)
	}
	return form, true
}

// appendSegments appends the comparable form of a path or a part of one. Segments are compared unescaped but joined
// escaped, so that a slash within one is not taken for the end of it. Plain says that the path is known to have no
// escapes.
func appendSegments(form, path []byte, exact, plain bool) []byte {
	start := len(form)
	switch {
	case exact && plain:
		return append(form, path...)
	case exact:
		plain = bytes.IndexFunc(path, func(r rune) bool { return r >= utf8.RuneSelf || pathBytes[byte(r)] == 0 }) < 0
		form = append(form, path...)
	default:
		var n int
		form, n = appendWhile(&pathBytes, form, path)
		plain = n == len(path)
	}
	if plain {
		return form
	}
	form = form[:start]
	for i, segment := range bytes.Split(path, []byte{'/'}) {
		if i > 0 {
			form = append(form, '/')
		}
		if exact {
			form = append(form, foldExact(string(segment))...)
		} else {
			form = append(form, foldSegment(string(segment))...)
		}
	}
	return form
}

// foldSegment returns the comparable form of a segment of a path without regard to small and capital letters. Escaped
// bytes that are no text stay as they are: taken for text they would all look the same.
func foldSegment(segment string) string {
	plain, err := url.PathUnescape(segment)
	if err != nil || !utf8.ValidString(plain) {
		return strings.ToLower(segment)
	}
	return url.PathEscape(foldText(plain))
}

// foldExact returns the comparable form of a part of a path in which small and capital letters are different.
func foldExact(part string) string {
	plain, err := url.PathUnescape(part)
	switch {
	case err != nil:
		return part
	case utf8.ValidString(plain):
		plain = cleanID(plain)
	}
	return url.PathEscape(plain)
}

// canonicalPage returns the canonical form of an address made by cleanProfileURL or cleanCompanyPage. An address
// that was made by an earlier program and names nobody has a form that no other has.
func canonicalPage(address string) string {
	p, ok := parsePage(address)
	if !ok {
		return "nobody" + unitSeparator + address
	}
	n := p.naming()
	if n.nobody {
		return "nobody" + unitSeparator + address
	}
	form, _ := p.appendForm(nil, n)
	return formOf(n) + unitSeparator + string(form)
}

// formOf returns the first value of the canonical form of a page.
func formOf(n naming) string {
	if n.isCertain() {
		return profileForm
	}
	return addressForm
}

// Former returns the canonical form that the identity had in earlier versions of the program, "" when it was the same
// or when its address lost what names the subject.
func (id Identity) Former() string {
	address := id.ProfileURL + id.Company.ProfileURL
	if address == "" || strings.ContainsAny(address, "?#") {
		return ""
	}
	former := id
	form := profileForm + unitSeparator + formerPage(address)
	if id.Company != (Company{}) {
		form = "company" + unitSeparator + form
	}
	if form == former.Canonical() {
		return ""
	}
	return form
}

// formerPage returns the form in which earlier versions compared an address.
func formerPage(address string) string {
	segments := strings.Split(strings.TrimPrefix(address, "https://"), "/")
	for i, segment := range segments {
		segments[i] = foldSegment(segment)
	}
	return strings.TrimRight(strings.Join(segments, "/"), "/")
}
