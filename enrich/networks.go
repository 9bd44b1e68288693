package enrich

import (
	"bytes"
	"slices"
	"strings"
)

// followHashbang replaces the path and the query by those in a fragment such as "!/jane", in the networks that had
// such addresses.
func (p *page) followHashbang() {
	if domain := domainOf(p.host); domain != "twitter.com" && domain != "x.com" && domain != "facebook.com" {
		return
	}
	if target, found := bytes.CutPrefix(p.fragment, []byte("!/")); found {
		path, query, _ := bytes.Cut(target, []byte{'?'})
		p.path, p.query, p.fragment = append([]byte{'/'}, path...), query, nil
	}
}

// naming finds out what names the subject of the page.
func (p *page) naming() naming {
	n := naming{}
	switch domain := domainOf(p.host); domain {
	case "linkedin.com":
		n = p.inLinkedIn()
	case "xing.com":
		n = p.inXING()
	case "facebook.com", "fb.com":
		n = p.inFacebook()
	case "x.com", "twitter.com":
		n = p.inX()
	case "instagram.com":
		n = p.inInstagram()
	case "github.com":
		n = p.inGitHub()
	}
	if n.network == "" && !n.nobody {
		n.isCompany = isCompanyPath(p.path) && SharedHostOf(p.host) == NetworkHost
		n.nobody = p.isGeneric()
	}
	return n
}

// domainOf returns the last two labels of a host.
func domainOf(host []byte) string {
	const ending = ".com" // no network below has another one
	rest := len(host) - len(ending)
	if rest < 0 || string(host[rest:]) != ending {
		return ""
	}
	switch string(host[bytes.LastIndexByte(host[:rest], '.')+1:]) {
	case "linkedin.com":
		return "linkedin.com"
	case "xing.com":
		return "xing.com"
	case "facebook.com":
		return "facebook.com"
	case "fb.com":
		return "fb.com"
	case "x.com":
		return "x.com"
	case "twitter.com":
		return "twitter.com"
	case "instagram.com":
		return "instagram.com"
	case "github.com":
		return "github.com"
	}
	return ""
}

// below returns the labels of the host before those of a domain, empty for none.
func (p *page) below(domain string) []byte {
	return bytes.TrimSuffix(p.host[:len(p.host)-len(domain)], []byte{'.'})
}

// isOneOf reports whether a text is one of some words.
func isOneOf(text []byte, words ...string) bool {
	for _, word := range words {
		if string(text) == word {
			return true
		}
	}
	return false
}

// inXING names profiles and companies in XING.
func (p *page) inXING() naming {
	const network = "xing.com"
	if !isOneOf(p.below(network), "", "m", "touch") {
		return naming{}
	}
	path := p.segments()
	first, id := path.next(), path.next()
	switch {
	case len(id) == 0:
	case is(first, "profile"):
		return naming{network: network, prefix: "/profile/", id: id}
	case is(first, "companies"):
		return naming{network: network, prefix: "/companies/", id: id, isCompany: true}
	}
	return naming{}
}

// inFacebook names profiles in Facebook, by number or by name.
func (p *page) inFacebook() naming {
	const network = "facebook.com"
	if domainOf(p.host) == "facebook.com" {
		sub := p.below(network)
		isLanguage := len(sub) == 5 && sub[2] == '-' // as in "de-de.facebook.com"
		if !isLanguage && !isOneOf(sub, "", "m", "mbasic", "touch", "web") {
			return naming{}
		}
	} else if string(p.host) != "fb.com" {
		return naming{}
	}
	path := p.segments()
	first := path.next()
	switch {
	case is(first, "profile.php") && path.rest == nil:
		n := p.byParam(network, "/profile.php", "id")
		n.nobody = n.nobody || !isNumber(n.value)
		return n
	case is(first, "people"):
		path.next()
		if id := path.next(); len(id) > 0 && isNumber(id) {
			return naming{network: network, prefix: "/profile.php", param: "id", value: id, inPath: true}
		}
		return naming{}
	}
	const tabs = "about friends mentions photos posts reels videos"
	ignored := "__tn__ __cft__[0] __xts__[0] _rdc _rdr comment_id eav fref hc_location hc_ref locale paipv pnref rdid ref refid refsrc sk tsid"
	n := p.byName(network, 5, 50, ".", tabs, ignored)
	n.dotless = true
	if bytes.HasSuffix(bytes.ToLower(n.id), []byte(".php")) || isNumber(n.id) {
		return naming{}
	}
	return n
}

// inX names accounts of X, which was Twitter.
func (p *page) inX() naming {
	if !isOneOf(p.below(domainOf(p.host)), "", "m", "mobile") {
		return naming{}
	}
	return p.byName("x.com", 1, 15, "_", "articles followers following highlights likes media with_replies", "lang mx ref_src ref_url s t")
}

// inInstagram names accounts of Instagram.
func (p *page) inInstagram() naming {
	if len(p.below("instagram.com")) > 0 {
		return naming{}
	}
	return p.byName("instagram.com", 1, 30, "_.", "channel followers following reels tagged", "hl igsh igshid")
}

// inGitHub names accounts of GitHub.
func (p *page) inGitHub() naming {
	if len(p.below("github.com")) > 0 {
		return naming{}
	}
	return p.byName("github.com", 1, 39, "-", "", "tab")
}

// byName names an account by the only segment of the path, or by the one before a tab of its page. Names consist of
// ASCII letters, digits and signs. Where the query may say more, it is not sure that the segment is a name: "search" is
// none.
func (p *page) byName(network string, shortest, longest int, signs, tabs, ignored string) naming {
	path := p.segments()
	name, tab := path.next(), path.next()
	if path.rest != nil || len(tab) > 0 && !slices.ContainsFunc(strings.Fields(tabs), func(word string) bool { return is(tab, word) }) {
		return naming{}
	}
	if !isPlainSegment(name) {
		name = []byte(foldSegment(string(name)))
	}
	if len(name) < shortest || len(name) > longest {
		return naming{}
	}
	for _, b := range name {
		isLetter := 'a' <= b|0x20 && b|0x20 <= 'z'
		if !isLetter && (b < '0' || b > '9') && strings.IndexByte(signs, b) < 0 {
			return naming{}
		}
	}
	for param := range eachParam(p.query) {
		if !isTracking(param) && !isIgnored(param, ignored) {
			return naming{}
		}
	}
	return naming{network: network, prefix: "/", id: name}
}

// isIgnored reports whether the name of a parameter is one of some words.
func isIgnored(param []byte, ignored string) bool {
	name, _, _ := bytes.Cut(param, []byte{'='})
	plain := unescapeQuery(name)
	return slices.Contains(strings.Fields(ignored), strings.ToLower(plain))
}

// byParam names the subject by one parameter of the query. Without it, and with several, the page is about nobody.
func (p *page) byParam(network, path, param string) naming {
	n := naming{network: network, prefix: path, param: param}
	for other := range eachParam(p.query) {
		name, value, _ := bytes.Cut(other, []byte{'='})
		if !equalName(name, param) || len(value) == 0 {
			continue
		}
		if n.value != nil && !bytes.Equal(n.value, value) {
			return nobody()
		}
		n.value = value
	}
	n.nobody = strings.Trim(cleanID(unescapeQuery(n.value)), " ") == ""
	return n
}

// equalName reports whether the name of a parameter is the given one, in any letters.
func equalName(name []byte, want string) bool { return strings.EqualFold(unescapeQuery(name), want) }

// companyPaths are where networks keep the pages of companies, schools and groups.
var companyPaths = [...]string{
	"/company/", "/companies/", "/school/", "/showcase/", "/sales/company/", "/sales/accounts/", "/jobs/", "/groups/",
}

// isCompanyPath reports whether a page in a network with this path is not about a person.
func isCompanyPath(path []byte) bool {
	if len(path) < len("/jobs/") {
		return false
	}
	switch lowerPlain(path[1]) {
	case 'c', 'g', 'j', 's': // as below
	default:
		return false
	}
	for _, prefix := range companyPaths {
		if len(path) >= len(prefix) && equalFold(path[:len(prefix)], prefix) {
			return true
		}
	}
	return false
}
