package sandbox

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// write shows the client a reply in the way that its fault wants.
func (s *Server) write(w http.ResponseWriter, r *http.Request, reply reply) {
	switch reply.fault.Answer {
	case Dropped:
		panic(http.ErrAbortHandler)
	case Hanging:
		select {
		case <-r.Context().Done():
		case <-s.closed:
		}
		panic(http.ErrAbortHandler)
	case Truncated:
		writeHalf(w, reply)
	case Garbage:
		writeBody(w, http.StatusOK, "application/json", []byte("{\"object\":\"enrichment_res\x00\xff\x1f\x8b"))
	case ProxyPage:
		writeBody(w, reply.fault.status(), "text/html; charset=utf-8",
			[]byte("<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n"))
	case Bodyless:
		w.WriteHeader(reply.fault.status())
	default:
		writeReply(w, reply)
	}
}

// writeReply shows the client what the service has to say.
func writeReply(w http.ResponseWriter, reply reply) {
	if reply.refusal != nil {
		writeRefusal(w, *reply.refusal, reply.requestID)
		return
	}
	writeJSON(w, http.StatusOK, reply.result)
}

// writeHalf announces the whole body, sends half of it and breaks the connection.
func writeHalf(w http.ResponseWriter, reply reply) {
	status, body := http.StatusOK, any(reply.result)
	if reply.refusal != nil {
		status, body = meanings[reply.refusal.code].status, errorBodyOf(*reply.refusal, reply.requestID)
	}
	whole := encode(body)
	setBodyHeader(w, "application/json", len(whole))
	w.WriteHeader(status)
	_, _ = w.Write(whole[:len(whole)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
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

func writeRefusal(w http.ResponseWriter, r refusal, requestID string) {
	if r.retryAfter != "" {
		w.Header().Set("Retry-After", r.retryAfter)
	}
	writeJSON(w, meanings[r.code].status, errorBodyOf(r, requestID))
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	writeBody(w, status, "application/json", encode(body))
}

// encode writes one of the package's own bodies, which always can be written.
func encode(body any) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return append(text, '\n')
}

// writeBody sends a body. That nobody reads it any more is no concern of the service.
func writeBody(w http.ResponseWriter, status int, contentType string, body []byte) {
	setBodyHeader(w, contentType, len(body))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func setBodyHeader(w http.ResponseWriter, contentType string, length int) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(length))
}
