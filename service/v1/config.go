package v1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Defaults of a Config.
const (
	DefaultTimeout   = 45 * time.Second
	DefaultUserAgent = "payonce"
)

// Transport is the way in which the service is spoken to. What it does and what it
// charges is the same over both.
type Transport string

// The transports of specification v1.
const (
	REST Transport = "rest"
	MCP  Transport = "mcp"
)

// Config says where the service is and how it is called.
type Config struct {
	// BaseURL is the address that every path is relative to, with its path prefix:
	// https, or http on the machine itself.
	BaseURL string
	// Transport is REST when empty.
	Transport Transport
	// MCPURL is the address of the MCP endpoint. When empty it is BaseURL with /mcp in
	// place of its ending /api/v1, or /mcp on BaseURL's host when it ends otherwise.
	MCPURL string
	// Key is the workspace key. It is sent to BaseURL and MCPURL alone, in a header,
	// and is in no error.
	Key string
	// Names are the names that requests use; empty ones are those of DefaultNames.
	Names Names
	// IncludeProfile asks for the profile too, which makes every lookup an enrich.
	IncludeProfile bool
	// Timeout bounds one call from the dial to the last byte of its response;
	// DefaultTimeout when zero. Over MCP it bounds the opening of a session as well,
	// on its own.
	Timeout time.Duration
	// MaxConnections bounds the connections that lookups have open at a time; zero
	// is no bound. A lookup that waits for one too long is enrich.NotSent.
	MaxConnections int
	// UserAgent is DefaultUserAgent when empty. Over MCP it also gives the client's
	// name and version, as in "name/version".
	UserAgent string
	// Now is the clock for waits, those too that the service gives as a date, when its
	// response has no date itself; time.Now when nil.
	Now func() time.Time
	// Dial opens the connections, as net.Dialer.DialContext does, for a service that
	// is reached in another way than over the system's network; nil is that way.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// settings are a Config that has been checked.
type settings struct {
	base, mcp      *url.URL
	transport      Transport
	key            string
	names          Names
	includeProfile bool
	timeout        time.Duration
	userAgent      string
	now            func() time.Time
}

func (c Config) check() (settings, error) {
	s := settings{
		transport: cmp.Or(c.Transport, REST), key: c.Key, names: c.Names.orDefaults(), includeProfile: c.IncludeProfile,
		timeout: cmp.Or(c.Timeout, DefaultTimeout), userAgent: cmp.Or(c.UserAgent, DefaultUserAgent), now: c.Now,
	}
	if s.now == nil {
		s.now = time.Now
	}
	var err error
	if s.base, s.mcp, err = c.addresses(); err != nil {
		return settings{}, err
	}
	if err := checkKey(c.Key); err != nil {
		return settings{}, err
	}
	if s.transport != REST && s.transport != MCP {
		return settings{}, fmt.Errorf("there is no transport %q; the transports are %s and %s", c.Transport, REST, MCP)
	}
	if c.Timeout < 0 {
		return settings{}, fmt.Errorf("the time-out %s is negative; give a positive one, such as 45s", c.Timeout)
	}
	if c.MaxConnections < 0 {
		return settings{}, fmt.Errorf("%d connections are less than none; give 0 for no bound", c.MaxConnections)
	}
	if !isVisible(strings.ReplaceAll(c.UserAgent, " ", "")) {
		return settings{}, errors.New("the user agent may only hold visible ASCII characters and spaces")
	}
	return s, s.names.check()
}

// addresses returns the base URL and the MCP URL.
func (c Config) addresses() (base, mcp *url.URL, err error) {
	if c.BaseURL == "" {
		return nil, nil, errors.New("the base URL is missing; give --base-url or set SERVICE_BASE_URL")
	}
	if base, err = checkURL("base URL", "https://host/api/v1", c.BaseURL); err != nil {
		return nil, nil, err
	}
	if c.MCPURL == "" {
		return base, besideBase(base), nil
	}
	mcp, err = checkURL("MCP URL", "https://host/mcp", c.MCPURL)
	return base, mcp, err
}

// besideBase returns the address at which the MCP endpoint is assumed.
func besideBase(base *url.URL) *url.URL {
	prefix, hasVersion := strings.CutSuffix(strings.TrimRight(base.Path, "/"), "/api/v1")
	if !hasVersion {
		prefix = ""
	}
	return (&url.URL{Scheme: base.Scheme, Host: base.Host, Path: "/"}).JoinPath(prefix, "mcp")
}

// checkURL never quotes the address whole: somebody may have put a password or the
// key into it.
func checkURL(what, example, address string) (*url.URL, error) {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Host == "" || parsed.Hostname() == "" || parsed.Scheme != "https" && parsed.Scheme != "http":
		return nil, fmt.Errorf("the %s is not an absolute http or https address; write it like %s", what, example)
	case parsed.User != nil:
		return nil, fmt.Errorf("the %s holds a user name or password; leave them out, the key goes into SERVICE_API_KEY", what)
	case strings.ContainsAny(address, "?#"):
		return nil, fmt.Errorf("the %s has a query or a fragment; end it with its path, like %s", what, example)
	case parsed.Scheme == "http" && !isLoopback(parsed.Hostname()):
		return nil, fmt.Errorf("plain http to %s would send the key in the clear; use https", parsed.Hostname())
	}
	return parsed, nil
}

func isLoopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// checkKey refuses what a bearer token cannot hold before it gets near a header.
func checkKey(key string) error {
	if key == "" {
		return errors.New("the service key is missing; set SERVICE_API_KEY")
	}
	if !isVisible(key) {
		return errors.New("the service key holds a space, a control character or a character outside ASCII; " +
			"set SERVICE_API_KEY to exactly what the dashboard showed")
	}
	return nil
}

func isVisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// endpoint returns the address of a path below the base URL.
func (s settings) endpoint(path string) string { return s.base.JoinPath(path).String() }

// sign sets the headers that say who asks.
func (s settings) sign(header http.Header) {
	header.Set("Authorization", "Bearer "+s.key)
	header.Set("User-Agent", s.userAgent)
}

// place names a part of the service for messages: its host, and the flag that
// says where it is.
type place struct{ host, flag string }

func (s settings) restPlace() place { return place{s.base.Host, "--base-url"} }
func (s settings) mcpPlace() place  { return place{s.mcp.Host, "--mcp-url"} }

// place returns the part that the transport speaks to.
func (s settings) place() place {
	if s.transport == MCP {
		return s.mcpPlace()
	}
	return s.restPlace()
}
