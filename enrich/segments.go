package enrich

import "bytes"

// segments are the parts of a path between slashes. Most paths have few, so that no memory is needed for them.
type segments struct {
	rest []byte // behind the next slash; nil at the end
}

func (p *page) segments() segments { return segments{p.path[1:]} }

// next returns the next segment, empty at the end.
func (s *segments) next() []byte {
	all := s.rest
	slash := bytes.IndexByte(all, '/')
	if slash < 0 {
		s.rest = nil
		return all
	}
	s.rest = all[slash+1:]
	return all[:slash]
}

// is reports whether a segment is a word, which is in small ASCII letters.
func is(segment []byte, word string) bool {
	if len(segment) == len(word) {
		return equalFold(segment, word)
	}
	return len(segment) > len(word) && !isPlainSegment(segment) && foldSegment(string(segment)) == word
}

// isPlainSegment reports whether a segment has no escape.
func isPlainSegment(segment []byte) bool { return bytes.IndexByte(segment, '%') < 0 }

// isAny reports whether a segment is one of some words.
func isAny(segment []byte, words ...string) bool {
	for _, word := range words {
		if is(segment, word) {
			return true
		}
	}
	return false
}

// isGeneric reports whether only a query or a fragment could say who the page is about, and there is none, as in
// "/profile/view" and "/profile.php".
func (p *page) isGeneric() bool {
	for rest := p.path; len(rest) > 0; { // the last segment is mostly a name
		slash := bytes.LastIndexByte(rest, '/')
		if !isGenericSegment(rest[slash+1:]) {
			return false
		}
		rest = rest[:slash]
	}
	return !p.hasNamingQuery() && len(p.namingFragment()) == 0
}

// isGenericSegment reports whether a segment of a path is the name of a page or of a part of a site that names nobody.
func isGenericSegment(segment []byte) bool {
	const longest = 16
	if len(segment) > longest {
		return false
	}
	for _, b := range segment {
		if lower := b | 0x20; (lower < 'a' || lower > 'z') && b != '.' {
			return false
		}
	}
	word := appendLower(make([]byte, 0, longest), segment)
	if dot := bytes.LastIndexByte(word, '.'); dot >= 0 && isPageEnding(word[dot+1:]) {
		word = word[:dot]
	}
	switch string(word) {
	case "", "account", "card", "contact", "contacts", "default", "details", "employee", "employees", "home", "in", "index", "main", "me",
		"member", "members", "overview", "page", "pages", "people", "person", "persons", "profil", "profile", "profiles", "profileview",
		"pub", "public", "redirect", "search", "show", "showuser", "team", "user", "userinfo", "users", "view", "viewprofile", "viewuser":
		return true
	}
	return false
}

// isPageEnding reports whether the name of a page may end so.
func isPageEnding(ending []byte) bool {
	switch string(ending) {
	case "asp", "aspx", "cfm", "cgi", "do", "htm", "html", "jsp", "jspx", "php", "phtml":
		return true
	}
	return false
}
