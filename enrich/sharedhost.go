// This file knows hosts that many people or companies share: social networks, registers and directories of
// companies, marketplaces, link pages, mail providers and parked pages. Such a host never names one company.
//
// The list is hosts.txt. A company that runs such a host, as a mail provider does, is named by its company
// name instead of its domain.

package enrich

import (
	"bytes"
	_ "embed"
	"strings"
	"sync"
)

// HostKind says what a shared host is.
type HostKind uint8

// The kinds of hosts.
const (
	NotSharedHost HostKind = iota // not a shared host
	NetworkHost                   // a social network
	DirectoryHost                 // a register or directory of companies
	PageHost                      // a link page, a link shortener, a document or a marketplace
	MailHost                      // a provider of private mailboxes
	ParkedHost                    // a seller of domains
)

//go:embed hosts.txt
var text string

// entry is a line of the list.
type entry struct {
	kind  HostKind
	only  bool         // the hosts below it are not shared
	paths []sharedPage // pages of it, when the host itself is not shared
}

// sharedPage is where a host has pages about many companies.
type sharedPage struct {
	path string
	kind HostKind
}

// hostList is the list of shared hosts.
type hostList struct {
	hosts map[string]entry
	// sieve has a bit for each host, by a sum of its bytes. Most hosts of companies have none, so that the map
	// is not asked.
	sieve [sieveBits / 64]uint64
}

const sieveBits = 1 << 14

// sieveBit returns the bit of a host with two bytes or more.
func sieveBit(host []byte) uint {
	n := len(host)
	return (uint(n)*1031 + uint(host[0])*7 + uint(host[1])*131 + uint(host[n/2])*31) % sieveBits
}

// hosts returns the list. It is read once.
var hosts = sync.OnceValue(func() *hostList {
	kinds := map[string]HostKind{"network": NetworkHost, "directory": DirectoryHost, "page": PageHost, "mail": MailHost, "parked": ParkedHost}
	l := &hostList{hosts: map[string]entry{}}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		host, path, _ := strings.Cut(words[1], "/")
		found := l.hosts[host]
		if path == "" {
			found.kind, found.only = kinds[words[0]], len(words) > 2
		} else {
			found.paths = append(found.paths, sharedPage{"/" + path, kinds[words[0]]})
		}
		l.hosts[host] = found
		bit := sieveBit([]byte(host))
		l.sieve[bit/64] |= 1 << (bit % 64)
	}
	return l
})

// find returns the line of a host.
func (l *hostList) find(host []byte) (entry, bool) {
	if len(host) < 2 {
		return entry{}, false
	}
	if bit := sieveBit(host); l.sieve[bit/64]&(1<<(bit%64)) == 0 {
		return entry{}, false
	}
	found, ok := l.hosts[string(host)]
	return found, ok
}

// SharedHostOf returns the kind of a host in lower case ASCII, without "www.".
func SharedHostOf(host []byte) HostKind { return OfPage(host, nil) }

// OfPage returns the kind of a page by its host and the rest of its address, which begins with the path. A host may
// be a company's although some of its pages are about others.
func OfPage(host, path []byte) HostKind {
	all := hosts()
	for below := false; ; below = true {
		if found, ok := all.find(host); ok {
			if found.kind != NotSharedHost && !(below && found.only) {
				return found.kind
			}
			for _, page := range found.paths {
				if isUnder(path, page.path) {
					return page.kind
				}
			}
		}
		dot := bytes.IndexByte(host, '.')
		if dot < 0 {
			return NotSharedHost
		}
		if host = host[dot+1:]; bytes.IndexByte(host, '.') < 0 {
			return NotSharedHost
		}
	}
}

// isUnder reports whether a path is that of a page or below it.
func isUnder(path []byte, page string) bool {
	if len(path) < len(page) || !bytes.EqualFold(path[:len(page)], []byte(page)) {
		return false
	}
	return len(path) == len(page) || bytes.IndexByte([]byte("/?#"), path[len(page)]) >= 0
}
