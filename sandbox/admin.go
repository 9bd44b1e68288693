package sandbox

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"payonce/sandbox/books"
)

// adminCall is one call of the admin interface.
type adminCall struct {
	Call string          `json:"call"` // method and path
	Does string          `json:"does"`
	Body json.RawMessage `json:"body,omitempty"` // an example
	// serve returns what is answered as JSON.
	serve func(*http.Request) (any, error)
}

// AdminHandler returns an interface for what the workspace's owner does in the
// dashboard, and for letting things go wrong. It needs the token as a bearer and
// belongs on a separate address. It takes and gives JSON; GET / lists the calls.
// What cannot be done is answered with an error that says why.
func (s *Server) AdminHandler(token string) http.Handler {
	mux := http.NewServeMux()
	calls := s.adminCalls()
	for _, call := range calls {
		mux.HandleFunc(call.Call, answering(call.serve))
	}
	mux.HandleFunc("GET /{$}", answering(func(*http.Request) (any, error) {
		return map[string]any{"sandbox": true, "about": "The admin interface of a sandbox: nothing here is real.", "calls": calls}, nil
	}))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { refuseCall(mux, w, r) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Sandbox", "true")
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer || token == "" || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			writeAdminError(w, http.StatusUnauthorized, "unauthorized", "the admin token is missing or wrong")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// answering answers with what a call returns.
func answering(serve func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		body, err := serve(r)
		var wrong badInput
		switch {
		case err == nil:
			writeJSON(w, http.StatusOK, body)
		case errors.Is(err, books.ErrUnknown):
			writeAdminError(w, http.StatusNotFound, "not_found", err.Error())
		case errors.Is(err, books.ErrInvalid), errors.As(err, &wrong):
			writeAdminError(w, http.StatusBadRequest, "invalid", err.Error())
		default:
			writeAdminError(w, http.StatusInternalServerError, "failed", err.Error())
		}
	}
}

// refuseCall answers a call that there is none of.
func refuseCall(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	if allowed == nil {
		writeAdminError(w, http.StatusNotFound, "not_found", "there is no such call; GET / lists them")
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	writeAdminError(w, http.StatusMethodNotAllowed, "method_not_allowed",
		fmt.Sprintf("%s takes %s here; GET / lists the calls", r.URL.Path, strings.Join(allowed, ", ")))
}

func writeAdminError(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
}

// badInput is what is wrong with the body of a call.
type badInput string

func (e badInput) Error() string { return string(e) }

// readInput reads the body of a call into a struct whose members it may have.
func readInput(r *http.Request, into any) error {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return badInput(fmt.Sprintf("the body cannot be read, or is longer than %d bytes", maxBody))
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if err == nil {
		if _, end := decoder.Token(); end != io.EOF {
			err = errors.New("it goes on after its JSON object")
		}
	}
	var mistyped *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return badInput(fmt.Sprintf("%s cannot be a JSON %s; GET / shows how the body is written", mistyped.Field, mistyped.Value))
	case errors.Is(err, io.EOF):
		return badInput("the body is empty; GET / shows how it is written")
	}
	return badInput(fmt.Sprintf("the body: %s; GET / shows how it is written", strings.TrimPrefix(err.Error(), "json: ")))
}

// member is a member of a body of which it matters whether it was given, and
// whether it is null.
type member[T any] struct {
	given bool
	value *T // nil for null
}

// UnmarshalJSON is called for a member that is given, null as well.
func (m *member[T]) UnmarshalJSON(text []byte) error {
	m.given = true
	return json.Unmarshal(text, &m.value)
}

// need returns an error for a member that has to be given.
func (m member[T]) need(name string) error {
	if m.given {
		return nil
	}
	return badInput(fmt.Sprintf("%s is missing; null stands for none", name))
}
