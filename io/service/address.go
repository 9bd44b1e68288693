package service

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Address is where a part of a service is.
type Address struct {
	*url.URL
	// Name is what errors call the address, such as "base URL".
	Name string
}

// ParseAddress reads an absolute address: https, or http on the machine itself. An error
// gives the example, and never quotes the address: somebody may have put a password or
// the key into it.
func ParseAddress(name, example, text string) (Address, error) {
	parsed, err := url.Parse(text)
	switch {
	case err != nil || parsed.Host == "" || parsed.Hostname() == "" || parsed.Scheme != "https" && parsed.Scheme != "http":
		return Address{}, fmt.Errorf("the %s is not an absolute http or https address; write it like %s", name, example)
	case parsed.User != nil:
		return Address{}, fmt.Errorf("the %s holds a user name or password; leave them out, the key is sent in a header", name)
	case strings.ContainsAny(text, "?#"):
		return Address{}, fmt.Errorf("the %s has a query or a fragment; end it with its path, like %s", name, example)
	case parsed.Scheme == "http" && !isLoopback(parsed.Hostname()):
		return Address{}, fmt.Errorf("plain http to %s would send the key in the clear; use https", parsed.Hostname())
	}
	return Address{parsed, name}, nil
}

func isLoopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// Endpoint returns the address of a path below this one.
func (a Address) Endpoint(path string) string { return a.JoinPath(path).String() }

// UnreachableError says that there was no connection to an address.
type UnreachableError struct {
	Address Address
	Err     error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s cannot be reached: %v", e.Address.Host, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }
