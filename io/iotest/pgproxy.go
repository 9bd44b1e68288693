package iotest

import (
	"bytes"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// CommitFault is what a PostgresProxy does with a COMMIT.
type CommitFault string

// The faults.
const (
	CommitPasses  CommitFault = ""
	CommitUnsent  CommitFault = "the commit does not arrive"
	CommitCut     CommitFault = "half of the commit arrives"
	CommitUnheard CommitFault = "the reply to the commit is lost"
)

// PostgresProxy stands between clients and a server, delays what they send, and breaks connections at commits.
type PostgresProxy struct {
	// Fault returns what happens to the next commit. It may be nil. Several goroutines may call it.
	fault func() CommitFault
	delay time.Duration          // in each direction
	to    atomic.Pointer[string] // the socket of the server
	hit   atomic.Int64
}

// postgresSocket is the name of the socket of a server in its directory.
const postgresSocket = ".s.PGSQL.5432"

// StartPostgresProxy starts a proxy before a server, and returns it with the URL of the database behind it. Each message
// takes delay longer, in each direction. Fault returns what happens to the next commit; it may be nil.
func StartPostgresProxy(t testing.TB, serverURL string, delay time.Duration, fault func() CommitFault) (*PostgresProxy, string) {
	t.Helper()
	at, err := url.Parse(serverURL)
	if err != nil {
		t.Fatal(err)
	}
	dir := UserDir(t)
	p := &PostgresProxy{fault: fault, delay: delay}
	p.connect(at)
	listener, err := net.Listen("unix", filepath.Join(dir, postgresSocket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	if err := os.Chmod(filepath.Join(dir, postgresSocket), 0o777); err != nil { // a pooler is another user
		t.Fatal(err)
	}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	at.RawQuery = url.Values{"host": {dir}}.Encode()
	return p, at.String()
}

func (p *PostgresProxy) connect(with *url.URL) {
	socket := filepath.Join(with.Query().Get("host"), postgresSocket)
	p.to.Store(&socket)
}

// MoveTo connects new clients with another server.
func (p *PostgresProxy) MoveTo(t testing.TB, server *PostgresServer) {
	t.Helper()
	at, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	p.connect(at)
}

// Hit returns how many connections were broken at a commit.
func (p *PostgresProxy) Hit() int64 { return p.hit.Load() }

// part is what one side has sent at once.
type part struct {
	bytes []byte
	due   time.Time // when the other side gets it
}

// maxParts is how many parts are on the way in one direction at most.
const maxParts = 1024

// serve passes what the sides send, until one of them ends or a fault breaks the connection.
func (p *PostgresProxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", *p.to.Load())
	if err != nil {
		return
	}
	defer server.Close()
	var unheard atomic.Bool // the client does not get what the server sends
	replies := make(chan struct{})
	go func() {
		defer close(replies)
		defer client.Close()
		p.pass(server, client, func(text []byte) (pass []byte, more bool) {
			if unheard.Load() {
				return nil, !bytes.Contains(text, []byte("COMMIT\x00"))
			}
			return text, true
		})
	}()
	p.pass(client, server, func(text []byte) (pass []byte, more bool) {
		if !bytes.Contains(text, []byte("COMMIT\x00")) || p.fault == nil {
			return text, true
		}
		fault := p.fault()
		if fault != CommitPasses {
			p.hit.Add(1)
		}
		switch fault {
		case CommitUnsent:
			return nil, false
		case CommitCut:
			return text[:len(text)/2], false
		case CommitUnheard:
			unheard.Store(true)
		}
		return text, true
	})
	if unheard.Load() {
		<-replies // the server has got the commit, and has answered or died
	}
}

// pass passes what one side sends, as change says, until a side ends or change returns false.
func (p *PostgresProxy) pass(from, to net.Conn, change func([]byte) (pass []byte, more bool)) {
	parts, written := make(chan part, maxParts), make(chan struct{})
	go func() {
		defer close(written)
		for one := range parts {
			if left := time.Until(one.due); left > 0 {
				<-time.After(left)
			}
			if _, err := to.Write(one.bytes); err != nil {
				from.Close()
			}
		}
	}()
	buffer := make([]byte, 1<<16)
	for more := true; more; {
		n, err := from.Read(buffer)
		if err != nil {
			break
		}
		var text []byte
		if text, more = change(buffer[:n]); len(text) > 0 {
			parts <- part{bytes.Clone(text), time.Now().Add(p.delay)}
		}
	}
	close(parts)
	<-written
}
