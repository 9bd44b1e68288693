package service

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"payonce/io/iotest"
)

// tunnels is a proxy that passes TLS on. It keeps every byte that it could have read.
type tunnels struct {
	t       *testing.T
	refuses int  // the status that it refuses tunnels with; 0 for none
	drops   bool // it drops a tunnel after the request for it

	mu    sync.Mutex
	open  []net.Conn
	heard strings.Builder
}

func (p *tunnels) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	_ = r.Header.Write(&p.heard)
	p.heard.WriteString(r.Method + " " + r.RequestURI + "\n")
	p.mu.Unlock()
	if p.refuses != 0 {
		http.Error(w, "not through here", p.refuses)
		return
	}
	far, err := net.Dial("tcp", r.Host)
	if err != nil {
		p.t.Errorf("the proxy reaches nobody: %v", err)
		return
	}
	near := iotest.Hijack(p.t, w)
	if p.drops {
		near.Close()
		far.Close()
		return
	}
	_, _ = io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n")
	p.mu.Lock()
	p.open = append(p.open, near, far)
	p.mu.Unlock()
	go p.pass(near, far)
	p.pass(far, near)
}

// pass copies what comes, and keeps it.
func (p *tunnels) pass(to io.WriteCloser, from io.Reader) {
	defer to.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		p.heard.Write(buffer[:n])
		p.mu.Unlock()
		if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
			return
		}
	}
}

// cut ends every tunnel.
func (p *tunnels) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.open {
		conn.Close()
	}
	p.open = nil
}

func (p *tunnels) mustNotHear(secret string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.Contains(p.heard.String(), secret) {
		p.t.Errorf("the proxy heard %q", secret)
	}
}

// throughProxy returns a client that reaches a service over TLS through the proxy, which
// speaks TLS itself when it is asked to.
func throughProxy(t *testing.T, p *tunnels, secure bool, handler http.HandlerFunc) client {
	c := overTLS(t, handler, SystemDialer())
	server := httptest.NewUnstartedServer(p)
	server.Config.ErrorLog = iotest.QuietLogger()
	if secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	t.Cleanup(p.cut)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := c.transport.(*http.Transport)
	transport.Proxy = http.ProxyURL(address)
	if secure {
		transport.TLSClientConfig.RootCAs.AddCert(server.Certificate())
	}
	return c
}

// Through a proxy a request arrives once, and the proxy learns neither the key nor the
// body.
func TestThroughAProxy(t *testing.T) {
	for name, secure := range map[string]bool{"plain proxy": false, "proxy over TLS": true} {
		t.Run(name, func(t *testing.T) {
			p := &tunnels{t: t}
			var seen iotest.Arrivals
			c := throughProxy(t, p, secure, func(w http.ResponseWriter, r *http.Request) {
				if seen.Add(r) == 2 {
					p.cut()
					return
				}
				_, _ = io.WriteString(w, "{}")
			})
			c.wantResponse(t)
			c.wantLost(t) // the tunnel breaks after the request
			if n := len(seen.Seen()); n != 2 {
				t.Errorf("%d requests arrived for 2 that were sent", n)
			}
			c.wantResponse(t)
			p.cut() // while nothing is under way
			before := len(seen.Seen())
			_, verdict := c.post(t)
			switch answered := verdict == nil; {
			case answered && len(seen.Seen()) != before+1, !answered && len(seen.Seen()) != before:
				t.Errorf("%T after %d arrivals", verdict, len(seen.Seen())-before)
			}
			p.mustNotHear(testKey)
			p.mustNotHear("Lovelace")
		})
	}
}

// A proxy that lets nothing through proves that nothing was sent.
func TestRefusedByAProxy(t *testing.T) {
	for _, p := range []*tunnels{{t: t, refuses: 407}, {t: t, refuses: 502}, {t: t, drops: true}} {
		c := throughProxy(t, p, false, func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") })
		err := c.wantNotSent(t)
		if strings.Contains(err.Error(), testKey) {
			t.Errorf("error %q holds the key", err)
		}
		p.mustNotHear(testKey)
	}
}
