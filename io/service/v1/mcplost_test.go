package v1

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/service"
)

// A call that brought a response without an enrichment result.
func TestMCPLostWithoutResult(t *testing.T) {
	for name, body := range notResults() {
		t.Run(name, func(t *testing.T) {
			f := newFakeMCP(t)
			f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
				respondJSON(w, 200, rpcResult(m.ID, `{"content":[],"structuredContent":`+body+`}`))
			})
			err := wantLost(t, find(mcpClient(t, f)))
			if strings.Contains(err.Error(), "ada@") || strings.Contains(err.Error(), "4420") {
				t.Errorf("error %q holds a part of the result", err)
			}
		})
	}
}

// Responses that are no JSON-RPC response to the call.
func TestMCPLostWithoutMessage(t *testing.T) {
	own := func(id string) string { return rpcResult([]byte(id), toolResult(foundBoth)) }
	for name, body := range map[string]string{
		"empty":                 "",
		"page":                  "<!DOCTYPE html><title>Sign in</title>",
		"the result alone":      foundBoth,
		"list":                  "[" + own("3") + "]",
		"cut off":               own("3")[:200],
		"followed by a page":    own("3") + "<html>",
		"no ID":                 `{"jsonrpc":"2.0","result":` + toolResult(foundBoth) + `}`,
		"ID null":               own("null"),
		"other ID":              own("4"),
		"ID in a string":        own(`"3"`),
		"call with the same ID": `{"jsonrpc":"2.0","id":3,"method":"ping"}`,
		"no result":             `{"jsonrpc":"2.0","id":3}`,
		"result null":           `{"jsonrpc":"2.0","id":3,"result":null}`,
		"result is a list":      `{"jsonrpc":"2.0","id":3,"result":[]}`,
		"error is a string":     `{"jsonrpc":"2.0","id":3,"error":"no"}`,
		"over the limit":        own("3") + strings.Repeat(" ", service.MaxBody),
		"failure without cause": `{"jsonrpc":"2.0","id":3,"result":{"isError":true,"content":[]}}`,
		"REST error with a 200": errorBody("credits_exhausted", "false"),
	} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, f *fakeMCP) {
				f.onCall(func(w http.ResponseWriter, _ *http.Request, _ message) { respondJSON(w, 200, body) })
				client := mcpClient(t, f)
				wantLost(t, find(client))
				f.onCall(found)
				wantAnswered(t, find(client))
				if f.paid() != 2 {
					t.Errorf("%d calls arrived for 2 lookups", f.paid())
				}
			})
		})
	}
}

// Connections that end at every stage of a call. Each call arrives at most once, is
// lost, and leaves the client fit for the next.
func TestMCPDroppedAtEveryStage(t *testing.T) {
	whole := rpcResult([]byte("3"), toolResult(strings.ReplaceAll(foundBoth, "\n", " ")))
	event := "data: " + whole + "\n\n"
	head := func(kind string, length int) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", kind, length)
	}
	const stream, plain = "text/event-stream", "application/json"
	for name, response := range map[string]string{
		"after reading":                    "",
		"half a status line":               "HTTP/1.1 20",
		"garbage with a key":               "HTTP/1.1 " + testKey + "\r\n\r\n",
		"garbage":                          "ada@example.com\r\n\r\n",
		"half a header":                    "HTTP/1.1 200 OK\r\nContent-Type: appl",
		"JSON: before the body":            head(plain, len(whole)),
		"JSON: within the body":            head(plain, len(whole)) + whole[:100],
		"JSON: one byte short":             head(plain, len(whole)+1) + whole,
		"stream: before an event":          head(stream, len(event)),
		"stream: within an event":          head(stream, len(event)) + event[:100],
		"stream: after a resumable event":  head(stream, len(event)+20) + "id: 7\nretry: 1\ndata:\n\n",
		"stream: ends without the answer":  head(stream, 16) + "id: 7\ndata: {}\n\n",
		"stream: ends empty":               head(stream, 0),
		"refusal cut off":                  "HTTP/1.1 402 Payment Required\r\nConnection: close\r\nContent-Length: 10\r\n\r\n{",
		"interim response alone":           "HTTP/1.1 103 Early Hints\r\n\r\n",
		"another protocol":                 "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n",
		"compressed":                       "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08",
		"stream: over the limit, no event": head(stream, service.MaxBody+100) + strings.Repeat(":", service.MaxBody+100),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeMCP(t)
			f.onCall(func(w http.ResponseWriter, r *http.Request, _ message) {
				_, _ = io.Copy(io.Discard, r.Body)
				conn := iotest.Hijack(t, w)
				defer conn.Close()
				_, _ = io.WriteString(conn, response)
			})
			checkLostOnce(t, f)
		})
	}
	t.Run("before reading", func(t *testing.T) {
		f := newFakeMCP(t)
		f.onCall(func(w http.ResponseWriter, _ *http.Request, _ message) {
			conn := iotest.Hijack(t, w)
			_ = conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		})
		checkLostOnce(t, f)
	})
}

// checkLostOnce looks up twice: the first is lost, the second works.
func checkLostOnce(t *testing.T, f *fakeMCP) {
	t.Helper()
	client := mcpClient(t, f)
	err := wantLost(t, find(client))
	for _, secret := range []string{testKey, "ada@example.com"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("error %q holds what the service sent", err)
		}
	}
	if f.paid() != 1 {
		t.Errorf("%d calls arrived for a lost lookup, want 1", f.paid())
	}
	f.onCall(found)
	wantAnswered(t, find(client))
	if f.paid() != 2 || f.sessions != 2 {
		t.Errorf("%d calls in %d sessions, want 2 in 2", f.paid(), f.sessions)
	}
}

// An answer counts when it has come, whatever becomes of the stream it came in.
func TestMCPAnsweredBeforeTheStreamEnds(t *testing.T) {
	f := newFakeMCP(t)
	over := make(chan struct{})
	defer close(over)
	f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\n", rpcResult(m.ID, toolResult(strings.ReplaceAll(foundBoth, "\n", " "))))
		w.(http.Flusher).Flush()
		<-over
	})
	wantAnswered(t, find(mcpClient(t, f)))
}

// What a stream says of no call, or of another one, is not the response to this one.
func TestMCPErrorOfNoCallBeforeTheAnswer(t *testing.T) {
	f := newFakeMCP(t)
	f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, text := range []string{rpcError([]byte("null"), -32600), rpcError([]byte(`"other"`), -32601), rpcResult(m.ID, toolResult(foundBoth))} {
			_, _ = io.WriteString(w, "data: "+strings.ReplaceAll(text, "\n", " ")+"\n\n")
		}
	})
	wantAnswered(t, find(mcpClient(t, f)))
	f.onCall(func(w http.ResponseWriter, _ *http.Request, _ message) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: "+rpcError([]byte("null"), -32600)+"\n\n")
	})
	wantLost(t, find(mcpClient(t, f)))
}

func TestMCPAnsweredWithoutTheLastBlankLine(t *testing.T) {
	f := newFakeMCP(t)
	f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		fmt.Fprintf(w, "data:%s", rpcResult(m.ID, toolResult(strings.ReplaceAll(foundBoth, "\n", " "))))
	})
	wantAnswered(t, find(mcpClient(t, f)))
}

// Whatever goes wrong while a session is begun, the paid call has not left.
func TestMCPNotSentWithoutASession(t *testing.T) {
	drop := func(w http.ResponseWriter, _ *http.Request, _ message) { iotest.Hijack(t, w).Close() }
	answers := map[string]func(http.ResponseWriter, *http.Request, message){
		"dropped":     drop,
		"page":        func(w http.ResponseWriter, _ *http.Request, _ message) { _, _ = io.WriteString(w, "<html>") },
		"not found":   func(w http.ResponseWriter, _ *http.Request, _ message) { http.Error(w, "no", http.StatusNotFound) },
		"bad request": func(w http.ResponseWriter, _ *http.Request, _ message) { http.Error(w, "no", http.StatusBadRequest) },
		"bad gateway": func(w http.ResponseWriter, _ *http.Request, _ message) { http.Error(w, "no", http.StatusBadGateway) },
		"redirect": func(w http.ResponseWriter, r *http.Request, _ message) {
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		},
		"RPC error":     func(w http.ResponseWriter, _ *http.Request, m message) { respondJSON(w, 200, rpcError(m.ID, -32603)) },
		"RPC and 400":   func(w http.ResponseWriter, _ *http.Request, m message) { respondJSON(w, 400, rpcError(m.ID, -32602)) },
		"result null":   func(w http.ResponseWriter, _ *http.Request, m message) { respondRPC(w, m.ID, "null") },
		"result a list": func(w http.ResponseWriter, _ *http.Request, m message) { respondRPC(w, m.ID, "[]") },
	}
	for _, method := range []string{"initialize", "notifications/initialized", "tools/list"} {
		for name, answer := range answers {
			if method == "notifications/initialized" && (name == "page" || strings.HasPrefix(name, "R") || strings.HasPrefix(name, "result")) {
				continue // a notification has no answer that could be wrong
			}
			t.Run(method+" "+name, func(t *testing.T) {
				f := newFakeMCP(t)
				f.on(method, answer)
				client := mcpClient(t, f)
				err := wantNotSent(t, find(client))
				if strings.Contains(err.Error(), testKey) {
					t.Errorf("error %q holds the key", err)
				}
				if f.paid() != 0 {
					t.Errorf("%d calls arrived, want none", f.paid())
				}
				f.on(method, nil)
				wantAnswered(t, find(client))
			})
		}
	}
}

// Who says no to a session says no to the lookup.
func TestMCPRefusedASession(t *testing.T) {
	for _, method := range []string{"initialize", "notifications/initialized", "tools/list"} {
		for status, want := range map[int]enrich.RefusalClass{
			401: enrich.StopRun, 402: enrich.StopRun, 403: enrich.StopRun, 409: enrich.TryAgain, 429: enrich.SlowDown,
		} {
			t.Run(fmt.Sprint(method, " ", status), func(t *testing.T) {
				f := newFakeMCP(t)
				f.on(method, func(w http.ResponseWriter, _ *http.Request, _ message) {
					w.Header().Set("Retry-After", "17")
					http.Error(w, "no", status)
				})
				refused, ok := find(mcpClient(t, f)).(enrich.Refused)
				if !ok || refused.Class != want || !refused.Unsent || refused.HTTPStatus != status || refused.RetryAfter != 17*time.Second {
					t.Errorf("verdict %+v, want %s", refused, want)
				}
				if f.paid() != 0 {
					t.Errorf("%d calls arrived, want none", f.paid())
				}
			})
		}
	}
}

// A session that cannot be had in time is a call that was never written.
func TestMCPNotSentWhileWaitingForASession(t *testing.T) {
	f := newFakeMCP(t)
	f.on("tools/list", func(_ http.ResponseWriter, r *http.Request, _ message) { <-r.Context().Done() })
	inMemory(t, MCP, f, func(client *Client) {
		if err := wantNotSent(t, find(client)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %q is not a time-out", err)
		}
	})
}
