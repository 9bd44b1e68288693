package sandbox

import (
	"net/http"

	"payonce/io/sandbox/kit"
)

// write words an outcome for REST.
func (s *Server) write(w http.ResponseWriter, r *http.Request, said outcome) {
	s.setRetryAfter(w, said)
	whole := kit.JSONReply(http.StatusOK, said.result)
	if said.refusal != nil {
		challenge(w, said.refusal.code)
		whole = kit.JSONReply(meanings[said.refusal.code].status, errorBodyOf(*said.refusal, said.requestID))
	}
	whole.Spoil(w, r, s.closed, said.fault)
}

// challenge says how to authenticate, where that was missing.
func challenge(w http.ResponseWriter, code ErrorCode) {
	if code == InvalidAPIKey {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
}

// setRetryAfter says when to come again, where the outcome says it and the client
// gets to see it.
func (s *Server) setRetryAfter(w http.ResponseWriter, said outcome) {
	if r := said.refusal; r != nil {
		kit.SetRetryAfter(w, s.config.Now(), r.retryAfter, r.asDate)
	}
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

func writeJSON(w http.ResponseWriter, status int, body any) { kit.JSONReply(status, body).Write(w) }
