package spool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const secret = "0123456789abcdefghijklmnop"

// receiverOf returns a receiver of bodies that are the identifiers themselves; one with a space names no company.
func receiverOf(t *testing.T, dir string) *Receiver {
	t.Helper()
	return &Receiver{
		Spool: opened(t, dir), Secret: secret, Now: time.Now,
		Company: func(body []byte) (string, bool) { return string(body), !strings.Contains(string(body), " ") },
	}
}

func counted(r *Receiver) map[string]int64 {
	counts := map[string]int64{}
	for _, o := range Outcomes() {
		if n := r.Count(o); n > 0 {
			counts[o.String()] = n
		}
	}
	return counts
}

func TestOnlyANotificationOfACompanyAtTheSecretPathIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := receiverOf(t, dir)
	r.Spool.Limit = 2
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/" + secret, "7", 200},
		{"POST", "/behind/a/proxy/" + secret, "8", 200},
		{"POST", "/" + secret, "7", 200},
		{"POST", "/" + secret, "9", 503},
		{"POST", "/" + secret, "no company", 400},
		{"POST", "/" + secret, "", 400},
		{"POST", "/" + secret, strings.Repeat("9", MaxID+1), 400},
		{"POST", "/" + secret, strings.Repeat("9", maxBody+1), 413},
		{"GET", "/" + secret, "", 405},
		{"GET", "/", "", 404},
		{"POST", "/", "7", 404},
		{"POST", "/" + secret[1:], "7", 404},
		{"POST", "/" + secret + "x", "7", 404},
		{"POST", "/" + strings.ToUpper(secret), "7", 404},
		{"POST", "/" + secret + "/x", "7", 404},
	} {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
		if w.Code != c.status || w.Body.Len() > 0 {
			t.Errorf("%s %s with %.20q: %d %q, want %d", c.method, c.path, c.body, w.Code, w.Body, c.status)
		}
	}
	if diff := cmp.Diff([]string{"8", "7"}, idsOf(waiting(t, r.Spool))); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	want := map[string]int64{"accepted": 3, "full": 1, "no_company": 3, "too_long": 1, "method": 1, "path": 6}
	if diff := cmp.Diff(want, counted(r)); diff != "" || r.Spool.Renewed() != 1 {
		t.Errorf("counts (-want +got), %d renewed:\n%s", r.Spool.Renewed(), diff)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("POST", "/"+secret, strings.NewReader("7")))
	if err := r.Failure(); w.Code != 503 || !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "37-") {
		t.Errorf("without a directory: %d, %v", w.Code, err)
	}
	if err := r.Failure(); err != nil {
		t.Errorf("told twice: %v", err)
	}
}

// pipes is a listener whose connections are in memory.
type pipes struct {
	dialed chan net.Conn
	ended  chan struct{}
	end    sync.Once
}

func newPipes() *pipes { return &pipes{dialed: make(chan net.Conn), ended: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialed:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.end.Do(func() { close(p.ended) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.dialed <- server
	return client
}

// answer returns the status that a connection answers, 0 when it ends without one.
func answer(c net.Conn) int {
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

func TestSlowSendersEndAndADrainWaitsForNobodyElse(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := receiverOf(t, dir)
		ctx, stop := context.WithCancel(t.Context())
		listener, ended := newPipes(), make(chan error, 1)
		go func() { ended <- r.Serve(ctx, listener, nil) }()
		began := time.Now()

		header, body := listener.dial(), listener.dial()
		_, _ = io.WriteString(header, "POST /"+secret) // and nothing more
		_, _ = io.WriteString(body, strings.TrimSuffix(post("/"+secret, "77"), "7"))
		if status := answer(header); status == 200 || time.Since(began) > headerTime {
			t.Errorf("a slow header: %d after %v", status, time.Since(began))
		}
		if status := answer(body); status != 408 || time.Since(began) != requestTime {
			t.Errorf("a slow body: %d after %v", status, time.Since(began))
		}

		whole := listener.dial()
		_, _ = io.WriteString(whole, strings.TrimSuffix(post("/"+secret, "78"), "8"))
		synctest.Wait()
		stop()
		synctest.Wait() // nothing new is accepted now
		_, _ = io.WriteString(whole, "8")
		if status := answer(whole); status != 200 {
			t.Errorf("a request that had begun: %d", status)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"78"}, idsOf(waiting(t, r.Spool))); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
	})
}

func TestSendersWithoutTheSecretKeepNobodyOut(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("tls=%t", secure), func(t *testing.T) {
			t.Parallel()
			r := receiverOf(t, t.TempDir())
			inner, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			listener := &limitListener{Listener: inner, most: 3}
			server := httptest.NewUnstartedServer(r)
			server.Listener, server.Config.ConnContext = listener, withConnection
			scheme := "http"
			if secure {
				scheme = "https"
				server.StartTLS()
			} else {
				server.Start()
			}
			t.Cleanup(server.Close)
			client := server.Client()
			send := func(body string) int {
				response, err := client.Post(scheme+"://"+inner.Addr().String()+"/"+secret, "", strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return 0
				}
				defer response.Body.Close()
				return response.StatusCode
			}
			if status := send("1"); status != 200 {
				t.Fatalf("the first: %d", status)
			}
			// The client's connection stays open. Many others come and say nothing, or half a request.
			var slow []net.Conn
			for i := range 20 {
				c, err := net.Dial("tcp", inner.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				_, _ = io.WriteString(c, post("/", strings.Repeat("x", i))[:10])
				slow = append(slow, c)
			}
			for _, c := range slow[:18] {
				_, _ = io.Copy(io.Discard, c) // returns, because the receiver has ended the connection
			}
			if status := send("2"); status != 200 {
				t.Errorf("on the earlier connection: %d", status)
			}
			client.CloseIdleConnections()
			client.Transport.(*http.Transport).DisableKeepAlives = true
			if status := send("3"); status != 200 {
				t.Errorf("on another connection: %d", status)
			}
			if got := idsOf(waiting(t, r.Spool)); len(got) != 3 {
				t.Errorf("kept %q", got)
			}
		})
	}
}

func TestWhereAllSendersKnowTheSecretTheNewOneEnds(t *testing.T) {
	t.Parallel()
	l := &limitListener{Listener: newPipes(), most: 1}
	first, second := &connection{of: l, known: true}, &connection{of: l}
	if l.add(first) != nil || l.add(second) != second {
		t.Error("the connection of a known sender ends")
	}
}

func TestTheSecretIsMadeOnceAndForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	var making sync.WaitGroup
	made := make([]string, 8)
	for i := range made {
		making.Go(func() {
			var err error
			if made[i], err = Secret(dir, false); err != nil {
				t.Error(err)
			}
		})
	}
	making.Wait()
	for _, other := range made {
		if other != made[0] || len(other) != 43 {
			t.Errorf("%q and %q", made[0], other)
		}
	}
	info, err := os.Stat(SecretFile(dir))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if files, err := os.ReadDir(dir); len(files) != 1 || err != nil {
		t.Errorf("%v, %v", files, err)
	}
	another, err := Secret(dir, true)
	if again, _ := Secret(dir, false); err != nil || another == made[0] || again != another {
		t.Errorf("another %q, then %q, %v", another, again, err)
	}
	if err := os.Chmod(SecretFile(dir), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Secret(dir, false); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a secret that others can read: %v", err)
	}
	for _, text := range []string{"", "short", strings.Repeat("ä", 30), secret + "/" + secret} {
		if err := errors.Join(os.Remove(SecretFile(dir)), os.WriteFile(SecretFile(dir), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		if got, err := Secret(dir, false); err == nil || strings.Contains(err.Error(), text) && text != "" {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
