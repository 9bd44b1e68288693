// This file gives the address of a service one canonical form.

package checkpoint

import (
	"net/url"
	"strings"
)

// CanonicalBaseURL returns the one form of an absolute address: scheme and host in lower case, without the default
// port of the scheme, a slash at the end, a user, a query and a fragment. It returns false when the address
// is not absolute.
func CanonicalBaseURL(address string) (string, bool) {
	base, err := url.Parse(strings.TrimRight(strings.TrimSpace(address), "/"))
	if err != nil || base.Scheme == "" || base.Hostname() == "" {
		return "", false
	}
	scheme, host := strings.ToLower(base.Scheme), strings.ToLower(base.Host)
	if base.Port() == "" || base.Port() == defaultPorts()[scheme] {
		host = strings.TrimSuffix(strings.TrimSuffix(host, base.Port()), ":")
	}
	return scheme + "://" + host + strings.TrimRight(base.EscapedPath(), "/"), true
}

func defaultPorts() map[string]string { return map[string]string{"http": "80", "https": "443"} }
