package sandbox

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// message is a response before it is sent.
type message struct {
	status      int
	contentType string
	body        []byte
}

// write sends the message. That nobody reads it any more does not concern the
// service.
func (m message) write(w http.ResponseWriter) {
	m.writeHead(w)
	_, _ = w.Write(m.body)
}

// writeHalf announces the whole body, sends half of it and breaks the connection.
func (m message) writeHalf(w http.ResponseWriter) {
	m.writeHead(w)
	_, _ = w.Write(m.body[:len(m.body)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func (m message) writeHead(w http.ResponseWriter) {
	if m.contentType != "" {
		w.Header().Set("Content-Type", m.contentType)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(m.body)))
	w.WriteHeader(m.status)
}

// spoil sends a message in the way that a fault wants.
func (s *Server) spoil(w http.ResponseWriter, r *http.Request, fault Fault, whole message) {
	switch fault.Answer {
	case Dropped:
		panic(http.ErrAbortHandler)
	case Hanging:
		select {
		case <-r.Context().Done():
		case <-s.closed:
		}
		panic(http.ErrAbortHandler)
	case Truncated:
		whole.writeHalf(w)
	case Garbage:
		message{http.StatusOK, "application/json", []byte("{\"object\":\"enrichment_res\x00\xff\x1f\x8b")}.write(w)
	case ProxyPage:
		message{
			fault.status(), "text/html; charset=utf-8",
			[]byte("<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n"),
		}.write(w)
	case Bodyless:
		w.WriteHeader(fault.status())
	default:
		whole.write(w)
	}
}

// write words a reply for REST.
func (s *Server) write(w http.ResponseWriter, r *http.Request, reply reply) {
	s.setRetryAfter(w, reply)
	whole := message{http.StatusOK, "application/json", nil}
	if reply.refusal != nil {
		challenge(w, reply.refusal.code)
		whole.status, whole.body = meanings[reply.refusal.code].status, encode(errorBodyOf(*reply.refusal, reply.requestID))
	} else {
		whole.body = encode(reply.result)
	}
	s.spoil(w, r, reply.fault, whole)
}

// challenge says how to authenticate, where that was missing.
func challenge(w http.ResponseWriter, code ErrorCode) {
	if code == InvalidAPIKey {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
}

// setRetryAfter says when to come again, where the reply says it and the client
// gets to see the reply.
func (s *Server) setRetryAfter(w http.ResponseWriter, reply reply) {
	r := reply.refusal
	switch {
	case r == nil || r.retryAfter <= 0:
	case r.asDate:
		// The format has no fractions: round up, so that nobody comes too early.
		at := s.config.Now().Add(r.retryAfter + time.Second - 1)
		w.Header().Set("Retry-After", at.UTC().Format(http.TimeFormat))
	default:
		w.Header().Set("Retry-After", strconv.FormatInt(wholeSeconds(r.retryAfter), 10))
	}
}

// wholeSeconds returns a wait in seconds, rounded up.
func wholeSeconds(wait time.Duration) int64 {
	return int64((wait + time.Second - 1) / time.Second)
}

// errorBody is the body of every refusal (specification v1, "Error body").
type errorBody struct {
	Error struct {
		Code      ErrorCode `json:"code"`
		Message   string    `json:"message"`
		Retryable bool      `json:"retryable"`
	} `json:"error"`
	RequestID string `json:"request_id"`
}

func errorBodyOf(r refusal, requestID string) errorBody {
	body := errorBody{RequestID: requestID}
	body.Error.Code, body.Error.Message, body.Error.Retryable = r.code, r.message(), meanings[r.code].retryable
	return body
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	message{status, "application/json", encode(body)}.write(w)
}

// encode writes one of the package's own bodies, which always can be written.
func encode(body any) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return append(text, '\n')
}
