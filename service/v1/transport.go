package v1

import (
	"context"
	"net"
	"net/http"
	"time"
)

const (
	dialTimeout         = 15 * time.Second
	tlsHandshakeTimeout = 15 * time.Second
	// lookupIdleTimeout is shorter than the time after which common servers close
	// an idle connection: a POST that meets such a close halfway is lost.
	lookupIdleTimeout = 4 * time.Second
)

// dialer opens a network connection, as net.Dialer.DialContext does.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// systemDialer dials as the system does.
func systemDialer() dialer { return (&net.Dialer{Timeout: dialTimeout}).DialContext }

// dialer returns the configuration's way to open connections.
func (c Config) dialer() dialer {
	if c.Dial != nil {
		return c.Dial
	}
	return systemDialer()
}

// newTransport returns a transport that speaks HTTP/1.1 alone: HTTP/2 sends a
// request again on its own when a server turns it away.
func newTransport(dial dialer) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dial,
		Protocols:              &protocols,
		TLSHandshakeTimeout:    tlsHandshakeTimeout,
		DisableCompression:     true, // what the body limit counts is what was sent
		MaxResponseHeaderBytes: maxBody,
	}
}

// newLookupTransport returns the transport of paid requests. It counts what is
// written to every connection, so that a flight can prove that nothing was.
func newLookupTransport(dial dialer, maxConnections int) *http.Transport {
	counted := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countedConn{Conn: conn}, nil
	}
	transport := newTransport(counted)
	transport.MaxConnsPerHost = maxConnections
	transport.MaxIdleConnsPerHost = maxConnections
	transport.IdleConnTimeout = lookupIdleTimeout
	return transport
}

// newHTTPClient returns a client that hands out redirects instead of following
// them: the key and a paid request go to the configured address only.
func newHTTPClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
