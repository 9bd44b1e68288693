package enrich

import "bytes"

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
	if query, any := p.namingQuery(); any {
		address += "?" + string(query)
	}
	if fragment := p.namingFragment(); len(fragment) > 0 {
		address += "#" + string(fragment)
	}
	return address, true
}
