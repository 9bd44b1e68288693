package v2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"payonce/enrich"
	"payonce/io/iotest"
)

// ways are a paid GET and a paid POST, which get the same verdicts.
func ways() map[string]Call {
	return map[string]Call{
		"GET": CompanyCall("4711"), "POST": CompanyByURLCall("https://acme.example"),
	}
}

// TestResponsesThatBreakOnTheWayAreLost breaks responses in many places.
func TestResponsesThatBreakOnTheWayAreLost(t *testing.T) {
	raw := func(response string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			conn := iotest.Hijack(t, w)
			defer conn.Close()
			_, _ = io.WriteString(conn, response)
		}
	}
	reset := func(w http.ResponseWriter, _ *http.Request) {
		conn := iotest.Hijack(t, w)
		_ = conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}
	longer := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(companyBody)+1, companyBody)
	for name, handler := range map[string]http.HandlerFunc{
		"no response":             raw(""),
		"reset":                   reset,
		"half a status line":      raw("HTTP/1.1 20"),
		"half a header":           raw("HTTP/1.1 200 OK\r\nContent-Le"),
		"garbage with a key":      raw("HTTP/1.1 " + testKey + "\r\n\r\n"),
		"shorter than its length": raw("HTTP/1.1 200 OK\r\n" + longer),
		"refusal cut off":         raw("HTTP/1.1 400 Bad Request\r\nContent-Length: 900\r\n\r\n" + invalidBody),
		"no last chunk":           raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"),
		"interim response alone":  raw("HTTP/1.1 103 Early Hints\r\n\r\n"),
		"compressed":              respond(http.StatusOK, "\x1f\x8b\x08", "Content-Encoding", "gzip"),
		"garbage":                 respond(http.StatusOK, "Acme Ltd +44 1"),
		"half an answer":          respond(http.StatusOK, companyBody[:len(companyBody)-1]),
		"followed by a page":      respond(http.StatusOK, companyBody+"<html>"),
	} {
		for way, call := range ways() {
			t.Run(way+" "+name, func(t *testing.T) {
				stand := newStand(t, handler)
				err := wantLost(t, stand.client().Send(t.Context(), call))
				if n := len(stand.arrived()); n != 1 {
					t.Errorf("%d requests arrived, want 1", n)
				}
				for _, secret := range []string{testKey, "Acme"} {
					if strings.Contains(err.Error(), secret) {
						t.Errorf("error %q holds what the service sent", err)
					}
				}
			})
		}
	}
}

// TestALostCallIsNotSentAgain drops the second call on a connection that was kept, after the server
// has read it. net/http sends a GET again in this case unless it is kept from it.
func TestALostCallIsNotSentAgain(t *testing.T) {
	for way, call := range ways() {
		t.Run(way, func(t *testing.T) {
			var seen iotest.Arrivals
			stand := newStand(t, func(w http.ResponseWriter, r *http.Request) {
				if seen.Add(r) == 2 {
					iotest.Hijack(t, w).Close()
					return
				}
				_, _ = io.WriteString(w, companyBody)
			})
			client := stand.client()
			wantAnswered(t, client.Send(t.Context(), call))
			wantLost(t, client.Send(t.Context(), call))
			from := seen.Seen()
			if len(from) != 2 {
				t.Fatalf("%d requests arrived for 2 calls", len(from))
			}
			if from[0] != from[1] {
				t.Error("the second call did not reuse the connection, so this test proves nothing")
			}
		})
	}
}

// TestRedirectsAreNotFollowed redirects calls to another host.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := newStand(t, respond(http.StatusOK, companyBody))
	for _, status := range []int{301, 302, 303, 307, 308} {
		for way, call := range ways() {
			stand := newStand(t, respond(status, "", "Location", elsewhere.url+"/v2/companies/4711"))
			err := wantLost(t, stand.client().Send(t.Context(), call))
			if !strings.Contains(err.Error(), "which is not followed") || len(stand.arrived()) != 1 {
				t.Errorf("%s, HTTP %d: %v", way, status, err)
			}
		}
	}
	if n := len(elsewhere.arrived()); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

// TestACallWithoutAConnectionIsNotSent asks where nobody listens.
func TestACallWithoutAConnectionIsNotSent(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	client, err := NewClient(Config{BaseURL: closed.URL + "/v2", Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for way, call := range ways() {
		if verdict, ok := client.Send(t.Context(), call).(enrich.NotSent); !ok {
			t.Errorf("%s: verdict %+v, want NotSent", way, verdict)
		}
	}
	if _, err := client.Usage(t.Context()); err == nil || strings.Contains(err.Error(), testKey) {
		t.Errorf("usage: %v", err)
	}
}

// TestACallGoesOnWhenItsCallerStops cancels the context of a call that is under way, and lets another
// time out.
func TestACallGoesOnWhenItsCallerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		network := iotest.NewMemoryNetwork()
		server := &http.Server{ReadHeaderTimeout: time.Hour, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
				_, _ = io.WriteString(w, companyBody)
			case <-r.Context().Done():
			}
		})}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = server.Serve(network)
		}()
		client, err := NewClient(Config{BaseURL: "http://localhost/v2", Key: testKey, Dial: network.Dial})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		verdict := make(chan enrich.Verdict)
		go func() { verdict <- client.Send(ctx, CompanyCall("1")) }()
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(release)
		wantAnswered(t, <-verdict)

		release = make(chan struct{})
		start := time.Now()
		if err := wantLost(t, companyJSON(client)); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != defaultTimeout {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		client.Close()
		_ = network.Close()
		<-served
		_ = server.Shutdown(context.Background())
	})
}

// TestARecordOf10MBIsAnswered sends a record that is longer than v1 ever reads.
func TestARecordOf10MBIsAnswered(t *testing.T) {
	stand := newStand(t, respond(http.StatusOK, `{"id": 1, "name": "Acme", "brands": "`+strings.Repeat("x", 10<<20)+`"}`))
	record, verdict := stand.client().Company(t.Context(), "1")
	wantAnswered(t, verdict)
	if len(record.Brands.Value) != 10<<20 {
		t.Errorf("the brands have %d bytes", len(record.Brands.Value))
	}
}
