package service

import (
	"context"
	"net"
	"net/http"
	"time"
)

const (
	dialTimeout         = 15 * time.Second
	tlsHandshakeTimeout = 15 * time.Second
	// paidIdleTimeout is shorter than the time after which common servers close
	// an idle connection: a POST that meets such a close halfway is lost.
	paidIdleTimeout = 4 * time.Second
)

// Dialer opens a network connection, as net.Dialer.DialContext does.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// SystemDialer dials as the system does.
func SystemDialer() Dialer { return (&net.Dialer{Timeout: dialTimeout}).DialContext }

// newTransport returns a transport that speaks HTTP/1.1 alone: HTTP/2 sends a
// request again on its own when a server turns it away.
func newTransport(dial Dialer) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dial,
		Protocols:              &protocols,
		TLSHandshakeTimeout:    tlsHandshakeTimeout,
		DisableCompression:     true, // what the body limit counts is what was sent
		MaxResponseHeaderBytes: MaxBody,
	}
}

// newPaidTransport returns the transport of paid requests. It counts what is
// written to every connection, so that a flight can prove that nothing was.
func newPaidTransport(dial Dialer, maxConnections int) *http.Transport {
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
	transport.IdleConnTimeout = paidIdleTimeout
	return transport
}
