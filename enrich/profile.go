package enrich

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// page is the address of a page. Its parts are escaped as they stand in the address.
type page struct {
	host     []byte // in small letters, without "www."
	path     []byte // begins with a slash and ends with none
	plain    bool   // the path is known to have no escapes
	query    []byte // without the question mark
	fragment []byte // without the number sign
}

// parsePage parses the address of a page. It reports false for what is not one, and for a host alone.
func parsePage(s string) (p page, ok bool) {
	address, err := parseURL(s)
	if err != nil || isMangled(s) || address.User != nil || address.Scheme != "https" && address.Scheme != "http" {
		return page{}, false
	}
	host, ok := cleanHost(address.Hostname())
	if !ok {
		return page{}, false
	}
	p = page{
		host: []byte(host), path: []byte(address.EscapedPath()),
		query: []byte(escapeInvalid(address.RawQuery)), fragment: []byte(address.EscapedFragment()),
	}
	p.followHashbang()
	p.path = bytes.TrimRight(p.path, "/")
	return p, len(p.path) > 0
}

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

// escapeInvalid escapes the characters of a query that an address cannot hold.
func escapeInvalid(query string) string {
	var b strings.Builder
	for i := range len(query) {
		c := query[i]
		isEscape := c == '%' && i+2 < len(query) && isHex(query[i+1]) && isHex(query[i+2])
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 || c == '%' && !isEscape {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// naming says what in an address names the subject of the page.
type naming struct {
	// network is the host of a network whose addresses the program knows. It is "" for other pages: then all parts of
	// the address may name the subject.
	network string
	prefix  string // of the path in the network
	id      []byte // the rest of the path, escaped
	// exact says that small and capital letters in id are different.
	exact bool
	// dotless says that dots in id do not count.
	dotless bool
	// param is the name of the parameter whose value names the subject, instead of id; "" for none. The value is
	// escaped as in a query.
	param string
	value []byte
	// inPath says that the value of param stands in the path of this address, not in its query.
	inPath    bool
	isCompany bool
	// nobody says that the page is not about one subject.
	nobody bool
}

// nobody is the naming of a page that is not about one subject.
func nobody() naming { return naming{nobody: true} }

// isCertain reports whether the naming has the form that addresses had before there were exact ones: a path without
// regard to small and capital letters.
func (n naming) isCertain() bool { return n.network != "" && !n.exact && n.param == "" }

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

// eachParam yields the parameters of a query that are not empty, each as it stands.
func eachParam(query []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for rest := query; len(rest) > 0; {
			var param []byte
			param, rest, _ = bytes.Cut(rest, []byte{'&'})
			if len(param) > 0 && param[0] != '=' && !yield(param) {
				return
			}
		}
	}
}

// unescapeQuery returns the text of a part of a query; the part itself where it has a wrong escape.
func unescapeQuery(part []byte) string {
	text, err := url.QueryUnescape(string(part))
	if err != nil {
		return string(part)
	}
	return text
}

// isTracking reports whether a parameter says where a visitor came from, on any site, and nothing about the page. It
// needs no memory.
func isTracking(param []byte) bool {
	var buffer [20]byte
	name := buffer[:0]
	for _, b := range param {
		if b == '=' || len(name) == len(buffer) {
			break
		}
		name = append(name, lowerPlain(b))
	}
	if bytes.HasPrefix(name, []byte("utm_")) || bytes.HasPrefix(name, []byte("trk")) {
		return true
	}
	switch string(name) {
	case "_ga", "_gl", "dclid", "fbclid", "gbraid", "gclid", "gclsrc", "igsh", "igshid", "li_fat_id", "lici", "lipi", "mc_cid", "mc_eid",
		"mibextid", "midsig", "midtoken", "mkt_tok", "msclkid", "originalsubdomain", "otptoken", "ttclid", "twclid", "wbraid", "yclid":
		return true
	}
	return false
}

// told returns the part of the query that may name the subject of the page, as it stands, and whether there is one.
func (p *page) told() (query []byte, any bool) {
	for param := range eachParam(p.query) {
		if !isTracking(param) {
			any = true
			query = append(append(query, param...), '&')
		}
	}
	return bytes.TrimSuffix(query, []byte{'&'}), any
}

// hasTold reports whether a part of the query may name the subject of the page. It needs no memory.
func (p *page) hasTold() bool {
	if len(p.query) == 0 {
		return false
	}
	for param := range eachParam(p.query) {
		if !isTracking(param) {
			return true
		}
	}
	return false
}

// toldFragment returns the part of the fragment that may name the subject of the page. What a browser marks on a page
// does not.
func (p *page) toldFragment() []byte {
	text, _, _ := bytes.Cut(p.fragment, []byte(":~:"))
	return text
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
	return !p.hasTold() && len(p.toldFragment()) == 0
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

// cleanProfileURL returns the address of a person's profile as it is sent: https, host in small letters, no "www.",
// port or trailing slash. Of the query and the fragment it keeps what may name the person. It reports false for
// what is not the address of one person's page.
func cleanProfileURL(s string) (string, bool) {
	p, ok := parsePage(s)
	if !ok {
		return "", false
	}
	n := p.naming()
	if n.nobody || n.isCompany {
		return "", false
	}
	return p.clean(n)
}

// cleanCompanyPage returns the address of a company's profile as cleanProfileURL does that of a person's. In a
// network, it reports false for a page that is not a company's.
func cleanCompanyPage(s string) (string, bool) {
	p, ok := parsePage(s)
	if !ok {
		return "", false
	}
	n := p.naming()
	if n.nobody || !n.isCompany && SharedHostOf(p.host) == NetworkHost {
		return "", false
	}
	return p.clean(n)
}

// clean returns the address with those parts that name its subject.
func (p *page) clean(n naming) (string, bool) {
	if _, named := p.appendForm(nil, n); !named {
		return "", false
	}
	address := "https://" + string(p.host) + string(p.path)
	switch {
	case n.param != "" && !n.inPath:
		return address + "?" + n.param + "=" + string(n.value), true
	case n.network != "":
		return address, true
	}
	if query, any := p.told(); any {
		address += "?" + string(query)
	}
	if fragment := p.toldFragment(); len(fragment) > 0 {
		address += "#" + string(fragment)
	}
	return address, true
}

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
	if fragment := p.toldFragment(); len(fragment) > 0 {
		form = append(append(form, '#'), foldExact(string(fragment))...)
	}
	return form, true
}

// foldParam returns the comparable form of a part of a query. Small and capital letters stay.
func foldParam(part []byte) string {
	text := unescapeQuery(part)
	if utf8.ValidString(text) {
		text = cleanID(text)
	}
	return url.QueryEscape(text)
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
