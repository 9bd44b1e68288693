package registry

import (
	"net"
	"net/url"
	"strings"
)

// Service returns the form of a base URL in which base URLs of the same service are equal: without the case
// of the scheme and the host, the scheme's own port, a slash at the end, and what is not part of the
// address, such as a password. A text that is not an absolute URL is a name, and stays as it is.
func Service(name string) string {
	u, err := url.Parse(name)
	if err != nil || u.Host == "" {
		return name
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname())
	switch port := u.Port(); {
	case port != "" && port != portOf(scheme):
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/")
}

// portOf returns the port of a scheme's URLs that name none, "" when it is not known.
func portOf(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}
