package v2

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"payonce/io/service"
)

// Defaults of a Config.
const (
	defaultTimeout   = 45 * time.Second
	defaultUserAgent = "payonce"
)

// maxBody is how many bytes of a response are read. Records of 10 MB are possible.
const maxBody = 32 << 20

// BaseURL is the name of the address in errors.
const BaseURL = "v2 base URL"

// Config says where the service is and how it is called.
type Config struct {
	// BaseURL is the address that every path is relative to, with its path prefix /v2: https, or
	// http on the machine itself.
	BaseURL string
	// Key is sent to BaseURL alone, in a header, and is in no error.
	Key string
	// Modules corrects what is assumed of the modules of operations.
	Modules Modules
	// NotFound is the detail with which the service says that it found nothing; DefaultNotFound when empty.
	NotFound string
	// Timeout bounds one call from the dial to the last byte of its response; 45 s when zero.
	Timeout time.Duration
	// MaxConnections bounds the connections that paid calls have open at a time; zero means no
	// limit. A call that waits for one too long is enrich.NotSent.
	MaxConnections int
	// UserAgent is "payonce" when empty.
	UserAgent string
	// Now is the clock for waits and for the ends of daily limits; time.Now when nil.
	Now func() time.Time
	// Dial opens the connections, as net.Dialer.DialContext does; nil for the system's network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// ErrNoBaseURL says that a Config has no address.
var ErrNoBaseURL = errors.New("the v2 base URL is missing")

// ErrNoKey says that a Config has no key.
var ErrNoKey = fmt.Errorf("v2 interface: %w", service.ErrNoKey)

// ErrBadKey says that a Config has a key that cannot be one.
var ErrBadKey = fmt.Errorf("v2 interface: %w", service.ErrBadKey)

// settings are a Config that has been checked.
type settings struct {
	service.Caller
	base     service.Address
	modules  Modules
	notFound string
}

func (c Config) check() (settings, error) {
	s := settings{modules: c.Modules, notFound: cmp.Or(c.NotFound, DefaultNotFound), Caller: service.Caller{
		Key: c.Key, Scheme: "Token", UserAgent: cmp.Or(c.UserAgent, defaultUserAgent),
		Timeout: cmp.Or(c.Timeout, defaultTimeout), Now: c.Now,
	}}
	if s.Now == nil {
		s.Now = time.Now
	}
	if c.BaseURL == "" {
		return settings{}, ErrNoBaseURL
	}
	var err error
	if s.base, err = service.ParseAddress(BaseURL, "https://host/v2", c.BaseURL); err != nil {
		return settings{}, err
	}
	if err := s.Check(); err != nil {
		switch {
		case errors.Is(err, service.ErrNoKey):
			err = ErrNoKey
		case errors.Is(err, service.ErrBadKey):
			err = ErrBadKey
		}
		return settings{}, err
	}
	if c.MaxConnections < 0 {
		return settings{}, fmt.Errorf("%d connections are less than none; give 0 for no bound", c.MaxConnections)
	}
	if err := CheckNotFound(s.notFound); err != nil {
		return settings{}, fmt.Errorf("what the service says when it finds nothing: %w", err)
	}
	return s, s.modules.Check()
}

// dialer returns the configuration's way to open connections.
func (c Config) dialer() service.Dialer {
	if c.Dial != nil {
		return c.Dial
	}
	return service.SystemDialer()
}

// The bounds of what is kept of the service's texts, in bytes.
const (
	maxMessage = 300
	maxName    = 100
	maxQuoted  = 100 // of a text in a cause
)

// sentAt returns the time of a response by the service's clock, which does not depend on this
// machine's; asked is this machine's time of the request, for a response without.
func sentAt(r service.Response, asked time.Time) time.Time {
	if date, err := http.ParseTime(r.Header.Get("Date")); err == nil {
		return date.UTC()
	}
	return asked.UTC()
}
