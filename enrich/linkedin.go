package enrich

import (
	"bytes"
	"slices"
)

// inLinkedIn names pages of persons and companies in LinkedIn. Below the address of a profile there are only pages of
// that profile: languages, details, activities.
func (p *page) inLinkedIn() naming {
	const network = "linkedin.com"
	if len(p.host) > len(network) {
		if sub := p.below(network); len(sub) != 2 && !isOneOf(sub, "m", "mobile", "touch") {
			return naming{} // "business.linkedin.com" is another site; those of countries have two letters
		}
	}
	path := p.segments()
	first := path.next()
	if is(first, "in") {
		return linkedInProfile(path.next(), p.plain)
	}
	if isAny(first, "mwlite", "comm") && path.rest != nil {
		if !is(path.next(), "in") {
			return naming{}
		}
		return linkedInProfile(path.next(), p.plain)
	}
	switch {
	case is(first, "pub"):
		return linkedInPub(path)
	case is(first, "profile"):
		second := path.next()
		switch {
		case is(second, "view") && path.rest == nil:
			return p.byParam(network, "/profile/view", "id")
		case len(second) == 0:
			return p.byParam(network, "/profile", "key")
		}
	case isAny(first, "sales", "recruiter", "talent"):
		return linkedInTool(first, path)
	}
	for _, prefix := range [...]string{"/company/", "/school/", "/showcase/"} {
		if !is(first, prefix[1:len(prefix)-1]) {
			continue
		}
		id := path.next()
		return naming{network: network, prefix: prefix, id: id, isCompany: true, nobody: len(id) == 0}
	}
	return naming{}
}

// linkedInProfile names the person of /in/ID. Plain says that ID is known to have no escapes.
func linkedInProfile(id []byte, plain bool) naming {
	n := naming{network: "linkedin.com", prefix: "/in/", id: id}
	if !plain && !isPlainSegment(id) {
		id = []byte(foldExact(string(id)))
	}
	switch {
	case len(id) == 0, len(id) == 2 && equalFold(id, "me"), len(id) == 11 && equalFold(id, "unavailable"):
		return nobody() // whoever looks, and everybody who cannot be seen
	case isMemberID(id):
		n.id = id
		n.exact = id[0] == 'A' && id[1] == 'C'
		n.nobody = !n.exact // a program has changed the letters, and it may be that of several persons
	}
	return n
}

// isMemberID reports whether a segment is an id that LinkedIn makes for a member, in any letters. Such ids have 39
// letters, digits, "-" and "_", of which small and capital ones are different.
func isMemberID(id []byte) bool {
	if len(id) != 39 || !equalFold(id[:2], "ac") || lowerPlain(id[2]) != 'o' && lowerPlain(id[2]) != 'w' || !equalFold(id[3:5], "aa") {
		return false
	}
	for _, b := range id {
		if hostBytes[b] == 0 && b != '_' || b == '.' {
			return false
		}
	}
	return true
}

// linkedInPub names the person of an address such as /pub/jane-doe/4/567/89a.
func linkedInPub(path segments) naming {
	all := path.rest
	if is(path.next(), "dir") {
		return nobody() // it lists all persons of a name
	}
	for range 3 {
		number := path.next()
		if len(number) == 0 || len(number) > 3 || slices.ContainsFunc(number, func(b byte) bool { return !isHex(b) }) {
			return naming{}
		}
	}
	id := all[:len(all)-len(path.rest)]
	return naming{network: "linkedin.com", prefix: "/pub/", id: bytes.TrimSuffix(id, []byte{'/'})}
}

// linkedInTool names persons and companies by their ids in the tools for sales and recruiting. What follows an id after
// a comma says how it was found.
func linkedInTool(tool []byte, path segments) naming {
	kind := path.next()
	id, _, _ := bytes.Cut(path.next(), []byte{','})
	n := naming{network: "linkedin.com", id: id, exact: true}
	switch {
	case len(id) == 0:
		return naming{}
	case is(tool, "sales") && isAny(kind, "lead", "people"):
		n.prefix = "/sales/lead/"
	case is(tool, "sales") && is(kind, "profile"):
		n.prefix = "/sales/profile/"
	case is(tool, "recruiter") && is(kind, "profile"):
		n.prefix = "/recruiter/profile/"
	case is(tool, "talent") && is(kind, "profile"):
		n.prefix = "/talent/profile/"
	case is(tool, "sales") && is(kind, "company"):
		n.prefix, n.isCompany = "/sales/company/", true
	default:
		return naming{}
	}
	return n
}
