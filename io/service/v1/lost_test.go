package v1

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/service"
)

// notResults are JSON values that are no enrichment result.
func notResults() map[string]string {
	const result = `{"object":"enrichment_result",`
	return map[string]string{
		"null":                    "null",
		"array":                   "[" + foundBoth + "]",
		"error body":              errorBody("credits_exhausted", "false"),
		"error in a result":       `{"error":{"code":"credits_exhausted"},"object":"enrichment_result"}`,
		"no object":               `{"status":"not_found","data":null}`,
		"other object":            `{"object":"company_result","status":"not_found","data":null}`,
		"object is not a string":  `{"object":["enrichment_result"],"status":"not_found"}`,
		"no status":               result + `"data":{"work_email":"ada@example.com"}}`,
		"other status":            result + `"status":"pending","data":{}}`,
		"status in other case":    result + `"status":"Matched","data":{}}`,
		"matched without data":    result + `"status":"matched"}`,
		"matched with null":       result + `"status":"matched","data":null}`,
		"partial with an array":   result + `"status":"partial","data":[]}`,
		"email is not a string":   result + `"status":"matched","data":{"work_email":{"value":"ada@example.com"}}}`,
		"phone is not a string":   result + `"status":"partial","data":{"work_email":"ada@example.com","business_phone":442079460000}}`,
		"email of none no string": result + `"status":"not_found","data":{"work_email":true}}`,
	}
}

// HTTP 200 says that the lookup completed only when its body does.
func TestFindLostWithoutResult(t *testing.T) {
	bodies := notResults()
	bodies["empty"] = ""
	bodies["page"] = "<!DOCTYPE html><title>Sign in</title>"
	bodies["cut off"] = foundBoth[:len(foundBoth)-1]
	bodies["followed by a page"] = foundBoth + "<html>"
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			err := wantLost(t, find(clientOf(t, serve(t, respond(http.StatusOK, body)))))
			if strings.Contains(err.Error(), "ada@") || strings.Contains(err.Error(), "4420") {
				t.Errorf("error %q holds a part of the result", err)
			}
		})
	}
}

// Responses that break on the way.
func TestFindLostOnTheWay(t *testing.T) {
	raw := func(response string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			conn := iotest.Hijack(t, w)
			defer conn.Close()
			_, _ = io.WriteString(conn, response)
		}
	}
	whole := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(foundBoth), foundBoth)
	longer := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(foundBoth)+1, foundBoth)
	for name, handler := range map[string]http.HandlerFunc{
		"no response":             raw(""),
		"reset":                   reset(t),
		"half a status line":      raw("HTTP/1.1 20"),
		"half a header":           raw("HTTP/1.1 200 OK\r\nContent-Le"),
		"garbage":                 raw("ada@example.com\r\n\r\n"),
		"garbage with a key":      raw("HTTP/1.1 " + testKey + "\r\n\r\n"),
		"bad header":              raw("HTTP/1.1 200 OK\r\nada@example.com\r\n" + whole),
		"shorter than its length": raw("HTTP/1.1 200 OK\r\n" + longer),
		"refusal cut off":         raw("HTTP/1.1 402 Payment Required\r\n" + longer),
		"no last chunk":           raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"),
		"bad chunk":               raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nada@example.com\r\n"),
		"HTTP/2":                  raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
		"interim response alone":  raw("HTTP/1.1 103 Early Hints\r\n\r\n"),
		"compressed":              respond(http.StatusOK, "\x1f\x8b\x08", "Content-Encoding", "gzip"),
		"over the limit":          respond(http.StatusOK, foundBoth+strings.Repeat(" ", service.MaxBody)),
		"refusal over the limit":  respond(http.StatusPaymentRequired, strings.Repeat(" ", service.MaxBody+1)),
	} {
		t.Run(name, func(t *testing.T) {
			err := wantLost(t, find(clientOf(t, serve(t, handler))))
			for _, secret := range []string{testKey, "ada@example.com"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("error %q holds what the service sent", err)
				}
			}
		})
	}
}

// reset returns a handler that ends the connection with a reset.
func reset(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn := iotest.Hijack(t, w)
		_ = conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}
}

func TestFindAnsweredAtTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	body := foundBoth + strings.Repeat(" ", service.MaxBody-len(foundBoth))
	wantAnswered(t, find(clientOf(t, serve(t, respond(http.StatusOK, body)))))
}

// The body of a protocol switch is the connection: reading it would never end.
func TestFindLostOnSwitchedProtocol(t *testing.T) {
	over := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn := iotest.Hijack(t, w)
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n")
		<-over
	})
	defer close(over)
	wantLost(t, find(clientOf(t, server)))
}

func TestFindTimesOut(t *testing.T) {
	begin := func(w http.ResponseWriter, r *http.Request, kind, text string) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, text)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	overBoth(t, func(t *testing.T, e *endpoint) {
		for name, answer := range map[string]lookupHandler{
			"before the response": func(_ http.ResponseWriter, r *http.Request, _ message) { <-r.Context().Done() },
			"within the body": func(w http.ResponseWriter, r *http.Request, m message) {
				begin(w, r, "application/json", e.body(m)[:100])
			},
			"within a stream": func(w http.ResponseWriter, r *http.Request, _ message) {
				begin(w, r, "text/event-stream", "id: 1\ndata:\n\n")
			},
		} {
			t.Run(name, func(t *testing.T) { testFindTimesOut(t, e, answer) })
		}
	})
}

func testFindTimesOut(t *testing.T, e *endpoint, answer lookupHandler) {
	before := e.lookups()
	e.onLookup(answer)
	inMemory(t, e.transport, e, func(client *Client) {
		start := time.Now()
		err := wantLost(t, find(client))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %q is not a time-out", err)
		}
		if took := time.Since(start); took != defaultTimeout {
			t.Errorf("took %s, want %s", took, defaultTimeout)
		}
		e.onLookup(e.found)
		wantAnswered(t, find(client))
	})
	if slices.Contains(e.mcp.seen(), "notifications/cancelled") {
		t.Error("the service was told that nobody waits")
	}
	if n := e.lookups() - before; n != 2 {
		t.Errorf("%d requests arrived for 2 lookups", n)
	}
}

func TestFindGoesOnWhenTheCallerStops(t *testing.T) {
	overBoth(t, func(t *testing.T, e *endpoint) {
		inMemory(t, e.transport, e, func(client *Client) {
			release := make(chan struct{})
			e.onLookup(func(w http.ResponseWriter, r *http.Request, m message) {
				<-release
				e.found(w, r, m)
			})
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			verdict := make(chan enrich.Verdict)
			go func() { verdict <- client.Find(ctx, ada()) }()
			<-time.After(2 * time.Second) // past the deadline, on the bubble's clock
			cancel()
			synctest.Wait()
			close(release)
			wantAnswered(t, <-verdict)
		})
	})
}

func TestFindNotSent(t *testing.T) {
	arrived := func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") }
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	unknown := httptest.NewUnstartedServer(http.HandlerFunc(arrived))
	unknown.Config.ErrorLog = iotest.QuietLogger()
	unknown.StartTLS()
	defer unknown.Close()
	plain := serve(t, arrived)

	for fault, address := range map[string]string{
		"closed port":         closed.URL,
		"unresolvable host":   "https://payonce.invalid",
		"unknown certificate": unknown.URL,
		"TLS to a plain port": "https" + strings.TrimPrefix(plain.URL, "http"),
	} {
		for transport, name := range map[Transport]string{REST: BaseURL, MCP: MCPURL} {
			t.Run(fault+" "+string(transport), func(t *testing.T) {
				err := wantNotSent(t, find(dialOver(t, transport, address+"/api/v1", service.SystemDialer())))
				var unreachable *service.UnreachableError
				if !errors.As(err, &unreachable) || unreachable.Address.Name != name {
					t.Errorf("error %q does not say that the %s cannot be reached", err, name)
				}
				if says := strings.Contains(err.Error(), "x509"); says != (fault == "unknown certificate") {
					t.Errorf("error %q says that the certificate is at fault: %t", err, says)
				}
			})
		}
	}
}

// A connection that cannot be had in time is a request that was never written.
func TestFindNotSentWhileWaitingForAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		err := wantNotSent(t, find(dialClient(t, "http://localhost/api/v1", never)))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %q is not a time-out", err)
		}
	})
}

func TestMaxConnections(t *testing.T) {
	var seen iotest.Arrivals
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen.Add(r)
		_, _ = io.WriteString(w, foundBoth)
	})
	client, err := NewClient(Config{BaseURL: server.URL, Key: testKey, MaxConnections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var lookups sync.WaitGroup
	for range 8 {
		lookups.Go(func() {
			if verdict, ok := find(client).(enrich.Answered); !ok {
				t.Errorf("verdict %+v, want Answered", verdict)
			}
		})
	}
	lookups.Wait()
	from := seen.Seen()
	if connections := len(slices.Compact(slices.Clone(from))); len(from) != 8 || connections != 1 {
		t.Errorf("%d requests arrived over %d connections, want 8 over 1", len(from), connections)
	}
}
