package enrich

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

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

// namingQuery returns the part of the query that may name the subject of the page, as it stands, and whether there is one.
func (p *page) namingQuery() (query []byte, any bool) {
	for param := range eachParam(p.query) {
		if !isTracking(param) {
			any = true
			query = append(append(query, param...), '&')
		}
	}
	return bytes.TrimSuffix(query, []byte{'&'}), any
}

// hasNamingQuery reports whether a part of the query may name the subject of the page. It needs no memory.
func (p *page) hasNamingQuery() bool {
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

// namingFragment returns the part of the fragment that may name the subject of the page. What a browser marks on a page
// does not.
func (p *page) namingFragment() []byte {
	text, _, _ := bytes.Cut(p.fragment, []byte(":~:"))
	return text
}

// foldParam returns the comparable form of a part of a query. Small and capital letters stay.
func foldParam(part []byte) string {
	text := unescapeQuery(part)
	if utf8.ValidString(text) {
		text = cleanID(text)
	}
	return url.QueryEscape(text)
}
