package v1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"payonce/io/service"
)

// Defaults of a Config.
const (
	defaultTimeout   = 45 * time.Second
	defaultUserAgent = "payonce"
)

// Transport is the way in which the service is called. What it does and what it
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
	// 45 s when zero. Over MCP it bounds the opening of a session as well,
	// on its own.
	Timeout time.Duration
	// MaxConnections bounds the connections that lookups have open at a time; zero
	// means no limit. A lookup that waits for one too long is enrich.NotSent.
	MaxConnections int
	// UserAgent is "payonce" when empty. Over MCP it also gives the client's
	// name and version, as in "name/version".
	UserAgent string
	// Now is the clock for waits, those too that the service gives as a date, when its
	// response has no date itself; time.Now when nil.
	Now func() time.Time
	// Dial opens the connections, as net.Dialer.DialContext does, for a service that
	// is reached in another way than over the system's network; nil is that way.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// ErrNoBaseURL says that a Config has no address.
var ErrNoBaseURL = errors.New("the base URL is missing")

// The names of the addresses in errors.
const (
	BaseURL = "base URL"
	MCPURL  = "MCP URL"
)

// settings are a Config that has been checked.
type settings struct {
	service.Caller
	base, mcp      service.Address
	transport      Transport
	names          Names
	includeProfile bool
}

func (c Config) check() (settings, error) {
	s := settings{
		Caller: service.Caller{
			Key: c.Key, UserAgent: cmp.Or(c.UserAgent, defaultUserAgent), Timeout: cmp.Or(c.Timeout, defaultTimeout), Now: c.Now,
		},
		transport: cmp.Or(c.Transport, REST), names: c.Names.orDefaults(), includeProfile: c.IncludeProfile,
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	var err error
	if s.base, s.mcp, err = c.addresses(); err != nil {
		return settings{}, err
	}
	if err := s.Check(); err != nil {
		return settings{}, err
	}
	if s.transport != REST && s.transport != MCP {
		return settings{}, fmt.Errorf("unknown transport %q; the transports are %s and %s", c.Transport, REST, MCP)
	}
	if c.MaxConnections < 0 {
		return settings{}, fmt.Errorf("%d connections are less than none; give 0 for no bound", c.MaxConnections)
	}
	return s, s.names.check()
}

// addresses returns the base URL and the MCP URL.
func (c Config) addresses() (base, mcp service.Address, err error) {
	if c.BaseURL == "" {
		return base, mcp, ErrNoBaseURL
	}
	if base, err = service.ParseAddress(BaseURL, "https://host/api/v1", c.BaseURL); err != nil {
		return base, mcp, err
	}
	if c.MCPURL == "" {
		return base, besideBase(base), nil
	}
	mcp, err = service.ParseAddress(MCPURL, "https://host/mcp", c.MCPURL)
	return base, mcp, err
}

// besideBase returns the address at which the MCP endpoint is assumed.
func besideBase(base service.Address) service.Address {
	prefix, hasVersion := strings.CutSuffix(strings.TrimRight(base.Path, "/"), "/api/v1")
	if !hasVersion {
		prefix = ""
	}
	beside := (&url.URL{Scheme: base.Scheme, Host: base.Host, Path: "/"}).JoinPath(prefix, "mcp")
	return service.Address{URL: beside, Name: MCPURL}
}

// dialer returns the configuration's way to open connections.
func (c Config) dialer() service.Dialer {
	if c.Dial != nil {
		return c.Dial
	}
	return service.SystemDialer()
}

// address returns the address that the transport speaks to.
func (s settings) address() service.Address {
	if s.transport == MCP {
		return s.mcp
	}
	return s.base
}

// The bounds of what is read, in bytes.
const (
	maxDocument = 4 << 20 // of the OpenAPI document
	maxMessage  = 300     // of the service's text that is kept
	maxName     = 100     // of a code or an identifier that is kept
)
