package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	"payonce/enrich"
)

// countedConn counts the bytes written to a connection.
type countedConn struct {
	net.Conn
	written atomic.Int64
	// permit is asked before the next write, which is the first of a request; nil when it may be written.
	permit atomic.Pointer[func() error]
}

// Write counts before it writes and takes back afterwards what was not written,
// so that the count is never less than what has left.
func (c *countedConn) Write(b []byte) (int, error) {
	if permit := c.permit.Swap(nil); permit != nil {
		if err := (*permit)(); err != nil {
			c.permit.Store(permit) // nothing else of the request leaves either
			return 0, err
		}
	}
	c.written.Add(int64(len(b)))
	n, err := c.Conn.Write(b)
	c.written.Add(int64(n - len(b)))
	return n, err
}

// counted returns the counted connection below conn, nil when there is none.
func counted(conn net.Conn) *countedConn {
	for {
		switch c := conn.(type) {
		case *countedConn:
			return c
		case interface{ NetConn() net.Conn }: // a *tls.Conn
			conn = c.NetConn()
		default:
			return nil
		}
	}
}

// Flight follows one request to the connections that it was given. It belongs
// to the goroutine that sends the request.
type Flight struct {
	legs []leg
	// ended is why the permission to send the request had ended when it was about to leave.
	ended atomic.Pointer[error]
}

type leg struct {
	conn   *countedConn // nil when the connection is not counted
	before int64        // bytes written before the request got the connection
}

// watch returns a context for the request to run on.
func (f *Flight) watch(ctx context.Context) context.Context {
	permit := f.permit(ctx)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			next := leg{conn: counted(info.Conn)}
			if next.conn != nil {
				next.before = next.conn.written.Load()
				next.conn.permit.Store(nil)
				if permit != nil {
					next.conn.permit.Store(&permit)
				}
			}
			f.legs = append(f.legs, next)
		},
	})
}

// permit returns the permit of a request, nil when its permission does not end. It notes why it refuses.
func (f *Flight) permit(ctx context.Context) func() error {
	permit := enrich.PermitOf(ctx)
	if permit == nil {
		return nil
	}
	return func() error {
		err := permit()
		if err != nil {
			f.ended.Store(&err)
		}
		return err
	}
}

// Connected reports whether the request was given a connection at all.
func (f *Flight) Connected() bool { return len(f.legs) > 0 }

// Cause returns the fault below the error that the request ended with, without
// anything that the service sent.
func (f *Flight) Cause(err error) error {
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		err = withURL.Err // the method and the address say nothing new
	}
	if !f.Connected() {
		return err
	}
	return networkCause(err)
}

// sentNothing reports whether provably no byte of the request left. It is asked
// after the request has failed. It closes the connections first: what is not
// counted by then can no longer be written.
func (f *Flight) sentNothing() bool {
	for _, l := range f.legs {
		if l.conn == nil {
			return false
		}
		l.conn.Close()
		if l.conn.written.Load() != l.before {
			return false
		}
	}
	return true
}

// Unanswered is the verdict on a request that brought no response.
func (f *Flight) Unanswered(to Address, err error) enrich.Verdict {
	switch {
	case !f.Connected():
		return enrich.NotSent{Err: &UnreachableError{to, f.Cause(err)}}
	case f.sentNothing() && f.ended.Load() != nil:
		return enrich.NotSent{Err: *f.ended.Load()}
	case f.sentNothing():
		return enrich.NotSent{Err: fmt.Errorf("%s closed the connection before anything was sent: %w", to.Host, f.Cause(err))}
	default:
		return enrich.Lost{Err: fmt.Errorf("no response from %s: %w", to.Host, f.Cause(err))}
	}
}
