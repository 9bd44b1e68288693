package spool

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
)

// limitListener accepts connections of which at most a number are open. The next one ends the oldest whose sender has
// not shown the secret. So senders that hold connections keep nobody out who knows the path.
type limitListener struct {
	net.Listener
	most int

	mu   sync.Mutex
	open []*connection // in the order in which they were accepted
}

// connection is one that the listener has accepted.
type connection struct {
	net.Conn
	of    *limitListener
	known bool // the sender has shown the secret; guarded by the listener's mutex
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

// add counts a connection, and returns one that has to end: an older one, or the new one where all others are of senders
// who have shown the secret.
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

// withConnection lets a request know its connection.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	if secure, is := c.(*tls.Conn); is {
		c = secure.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, c)
}

// showedSecret keeps the connection of a request when others have to end.
func showedSecret(request *http.Request) {
	if c, is := request.Context().Value(connectionKey{}).(*connection); is {
		c.of.mu.Lock()
		c.known = true
		c.of.mu.Unlock()
	}
}
