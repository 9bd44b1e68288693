// This file sends the responses of a sandbox, whole or in the way that a fault wants.

package kit

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Reply is a response before it is sent.
type Reply struct {
	Status      int
	ContentType string
	Body        []byte
}

// JSONReply returns a response with a body of the package's caller, which always can be written.
func JSONReply(status int, body any) Reply {
	return Reply{status, "application/json", EncodeBody(body)}
}

// EncodeBody writes a body of the package's caller, which always can be written.
func EncodeBody(body any) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return append(text, '\n')
}

// Write sends the message. That nobody reads it any more does not concern the
// service.
func (m Reply) Write(w http.ResponseWriter) {
	m.writeHead(w)
	_, _ = w.Write(m.Body)
}

// writeHalf announces the whole body, sends half of it and breaks the connection.
func (m Reply) writeHalf(w http.ResponseWriter) {
	m.writeHead(w)
	_, _ = w.Write(m.Body[:len(m.Body)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func (m Reply) writeHead(w http.ResponseWriter) {
	if m.ContentType != "" {
		w.Header().Set("Content-Type", m.ContentType)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(m.Body)))
	w.WriteHeader(m.Status)
}

// Spoil sends the message in the way that a fault wants. The end of a service that is
// closed meanwhile breaks the connection.
func (m Reply) Spoil(w http.ResponseWriter, r *http.Request, closed <-chan struct{}, f Fault) {
	switch f.Answer {
	case Dropped:
		panic(http.ErrAbortHandler)
	case Hanging:
		select {
		case <-r.Context().Done():
		case <-closed:
		}
		panic(http.ErrAbortHandler)
	case Truncated:
		m.writeHalf(w)
	case Garbage:
		Reply{http.StatusOK, "application/json", []byte("{\"object\":\"enrichment_res\x00\xff\x1f\x8b")}.Write(w)
	case ProxyPage:
		Reply{
			gatewayStatus(f), "text/html; charset=utf-8",
			[]byte("<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n"),
		}.Write(w)
	case GatewayJSON:
		gatewayError(cmp.Or(f.Status, http.StatusGatewayTimeout)).Write(w)
	case Marked:
		m.Body = append([]byte("\uFEFF"), m.Body...)
		m.Write(w)
	case Bodyless:
		w.WriteHeader(gatewayStatus(f))
	default:
		m.Write(w)
	}
}

// gatewayStatus returns the status of a gateway's answer.
func gatewayStatus(f Fault) int { return cmp.Or(f.Status, http.StatusBadGateway) }

// gatewayError returns an error in JSON as gateways, firewalls and frameworks send it. It has a shape of the service's
// own errors.
func gatewayError(status int) Reply {
	said := "upstream request timeout"
	switch status {
	case http.StatusOK:
		return JSONReply(status, map[string][]string{"warnings": {said}})
	case http.StatusNotFound:
		return JSONReply(status, map[string]string{"detail": "Not Found"})
	case http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity:
		said = "request blocked"
	}
	return JSONReply(status, map[string][]string{"errors": {said}})
}

// SetRetryAfter says when to come again, as a date that counts from now when asDate is
// set. A wait of zero says nothing.
func SetRetryAfter(w http.ResponseWriter, now time.Time, wait time.Duration, asDate bool) {
	switch {
	case wait <= 0:
	case asDate:
		// The format has no fractions: round up, so that nobody comes too early.
		at := now.Add(wait + time.Second - 1)
		w.Header().Set("Retry-After", at.UTC().Format(http.TimeFormat))
	default:
		w.Header().Set("Retry-After", strconv.FormatInt(WholeSeconds(wait), 10))
	}
}

// WholeSeconds returns a wait in seconds, rounded up.
func WholeSeconds(wait time.Duration) int64 {
	return int64((wait + time.Second - 1) / time.Second)
}

// Pause lets a span pass, or ends with done. It reports false when the service was
// closed meanwhile.
func Pause(closed, done <-chan struct{}, span time.Duration) bool {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-closed:
		return false
	case <-done:
	case <-timer.C:
	}
	select {
	case <-closed:
		return false
	default:
		return true
	}
}
