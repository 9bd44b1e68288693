// Package service is the client of the enrichment service over REST. It is the
// one place that sends HTTP outward.
//
// A lookup is paid for and cannot be repeated, so [Client.Find] sends exactly one
// POST and says what became of it; neither this package nor net/http below it
// tries again or follows a redirect.
package service

import (
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

// Config says where the service is and how it is called.
type Config struct {
	// BaseURL is the address that every path is relative to, with its path prefix:
	// https, or http on the machine itself.
	BaseURL string
	// Key is the workspace key. It is sent to BaseURL alone, in a header, and is in
	// no error.
	Key string
	// Timeout bounds one call from the dial to the last byte of its response;
	// DefaultTimeout when zero.
	Timeout time.Duration
	// MaxConnections bounds the connections that lookups have open at a time; zero
	// is no bound. A lookup that waits for one too long is enrich.NotSent.
	MaxConnections int
	// UserAgent is DefaultUserAgent when empty.
	UserAgent string
	// Now is the clock for waits that the service gives as a date, when its
	// response has no date itself; time.Now when nil.
	Now func() time.Time
	// Dial opens the connections, as net.Dialer.DialContext does, for a service that
	// is reached in another way than over the system's network; nil is that way.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// settings are a Config that has been checked.
type settings struct {
	base      *url.URL
	key       string
	timeout   time.Duration
	userAgent string
	now       func() time.Time
}

func (c Config) check() (settings, error) {
	base, err := checkBaseURL(c.BaseURL)
	if err != nil {
		return settings{}, err
	}
	if err := checkKey(c.Key); err != nil {
		return settings{}, err
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
	s := settings{base: base, key: c.Key, timeout: c.Timeout, userAgent: c.UserAgent, now: c.Now}
	if s.timeout == 0 {
		s.timeout = DefaultTimeout
	}
	if s.userAgent == "" {
		s.userAgent = DefaultUserAgent
	}
	if s.now == nil {
		s.now = time.Now
	}
	return s, nil
}

// checkBaseURL never quotes the address whole: somebody may have put a password
// or the key into it.
func checkBaseURL(address string) (*url.URL, error) {
	base, err := url.Parse(address)
	switch {
	case address == "":
		return nil, errors.New("the base URL is missing; give --base-url or set SERVICE_BASE_URL")
	case err != nil || base.Host == "" || base.Hostname() == "" || base.Scheme != "https" && base.Scheme != "http":
		return nil, errors.New("the base URL is not an absolute http or https address; write it like https://host/api/v1")
	case base.User != nil:
		return nil, errors.New("the base URL holds a user name or password; leave them out, the key goes into SERVICE_API_KEY")
	case strings.ContainsAny(address, "?#"):
		return nil, errors.New("the base URL has a query or a fragment; end it with its path, like https://host/api/v1")
	case base.Scheme == "http" && !isLoopback(base.Hostname()):
		return nil, fmt.Errorf("plain http to %s would send the key in the clear; use https", base.Hostname())
	}
	return base, nil
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

// sign sets the headers that every request carries.
func (s settings) sign(header http.Header) {
	header.Set("Authorization", "Bearer "+s.key)
	header.Set("Accept", "application/json")
	header.Set("User-Agent", s.userAgent)
}
