package spool

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
)

// limitListener limits the number of open connections. A further one closes the oldest connection whose sender has not
// sent the secret. So open connections of other senders cannot block senders who know the path.
type limitListener struct {
	net.Listener
	most int

	mu   sync.Mutex
	open []*connection // in the order in which they were accepted
}

// connection is an accepted connection.
type connection struct {
	net.Conn
	of    *limitListener
	known bool // the sender has sent the secret; guarded by the listener's mutex
}

func (l *limitListener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &connection{Conn: accepted, of: l}
		if ended := l.add(c); ended != nil {
			_ = ended.Close() // its sender notices
			if ended == c {
				continue
			}
		}
		return c, nil
	}
}

// add counts a connection. When there are too many, it returns the one to close: an older one, or the new one when the
// senders of all others have sent the secret.
func (l *limitListener) add(c *connection) (ended *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, c)
	if len(l.open) <= l.most {
		return nil
	}
	return l.open[slices.IndexFunc(l.open, func(c *connection) bool { return !c.known })]
}

func (c *connection) Close() error {
	c.of.mu.Lock()
	if i := slices.Index(c.of.open, c); i >= 0 {
		c.of.open = slices.Delete(c.of.open, i, i+1)
	}
	c.of.mu.Unlock()
	return c.Conn.Close()
}

type connectionKey struct{}

// withConnection adds the connection to the context of its requests.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	if secure, is := c.(*tls.Conn); is {
		c = secure.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, c)
}

// showedSecret notes that the sender of a request has sent the secret, so that its connection is not closed for others.
func showedSecret(request *http.Request) {
	if c, is := request.Context().Value(connectionKey{}).(*connection); is {
		c.of.mu.Lock()
		c.known = true
		c.of.mu.Unlock()
	}
}
