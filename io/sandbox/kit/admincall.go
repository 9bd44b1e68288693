// This file serves the calls of an admin interface: JSON in and out, a bearer token, and a list of
// the calls.

package kit

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxAdminBody is the longest body that is read, in bytes.
const maxAdminBody = 16 << 10

// AdminCall is one call of the admin interface.
type AdminCall struct {
	Call string          `json:"call"` // method and path
	Does string          `json:"does"`
	Body json.RawMessage `json:"body,omitempty"` // an example
	// Serve returns what is answered as JSON.
	Serve func(*http.Request) (any, error) `json:"-"`
}

// NewAdminCall describes a call that Serve answers, with an example of its body.
func NewAdminCall(name, does, body string, serve func(*http.Request) (any, error)) AdminCall {
	return AdminCall{Call: name, Does: does, Body: json.RawMessage(body), Serve: serve}
}

// AdminInterface are the calls behind a token.
type AdminInterface struct {
	Token string
	Calls []AdminCall
	// NotFound reports whether an error says that there is no such thing, and Invalid
	// whether it says what is wrong with a call. Every other error is the service's own.
	NotFound, Invalid func(error) bool
}

// Handler serves the calls. It needs the token as a bearer. It takes and gives JSON;
// GET / lists the calls. What cannot be done is answered with an error that says why.
func (i AdminInterface) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, call := range i.Calls {
		mux.HandleFunc(call.Call, i.answering(call.Serve))
	}
	mux.HandleFunc("GET /{$}", i.answering(func(*http.Request) (any, error) {
		return map[string]any{
			"sandbox": true, "about": "The admin interface of a sandbox: nothing here is real.", "calls": i.Calls,
		}, nil
	}))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { refuse(mux, w, r) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Sandbox", "true")
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer || i.Token == "" || subtle.ConstantTimeCompare([]byte(given), []byte(i.Token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			writeError(w, http.StatusUnauthorized, "unauthorized", "the admin token is missing or wrong")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// answering answers with what a call returns.
func (i AdminInterface) answering(serve func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxAdminBody)
		body, err := serve(r)
		var wrong BadInput
		switch {
		case err == nil:
			JSONReply(http.StatusOK, body).Write(w)
		case i.NotFound(err):
			writeError(w, http.StatusNotFound, "not_found", err.Error())
		case errors.As(err, &wrong), i.Invalid(err):
			writeError(w, http.StatusBadRequest, "invalid", err.Error())
		default:
			writeError(w, http.StatusInternalServerError, "failed", err.Error())
		}
	}
}

// refuse answers a call that there is none of.
func refuse(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	if allowed == nil {
		writeError(w, http.StatusNotFound, "not_found", "there is no such call; GET / lists them")
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	writeError(w, http.StatusMethodNotAllowed, "method_not_allowed",
		fmt.Sprintf("%s takes %s here; GET / lists the calls", r.URL.Path, strings.Join(allowed, ", ")))
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	JSONReply(status, map[string]any{"error": map[string]string{"code": code, "message": message}}).Write(w)
}

// BadInput is what is wrong with the body of a call.
type BadInput string

// Error says what is wrong.
func (e BadInput) Error() string { return string(e) }

// ReadAdminBody reads the body of a call into a struct whose members it may have.
func ReadAdminBody(r *http.Request, into any) error {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return BadInput(fmt.Sprintf("the body cannot be read, or is longer than %d bytes", maxAdminBody))
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
		return BadInput(fmt.Sprintf("%s cannot be a JSON %s; GET / shows how the body is written", mistyped.Field, mistyped.Value))
	case errors.Is(err, io.EOF):
		return BadInput("the body is empty; GET / shows how it is written")
	}
	return BadInput(fmt.Sprintf("the body: %s; GET / shows how it is written", strings.TrimPrefix(err.Error(), "json: ")))
}

// Member is a member of a body of which it matters whether it was given, and
// whether it is null.
type Member[T any] struct {
	Given bool
	Value *T // nil for null
}

// UnmarshalJSON is called for a member that is given, null as well.
func (m *Member[T]) UnmarshalJSON(text []byte) error {
	m.Given = true
	return json.Unmarshal(text, &m.Value)
}

// Need returns an error for a member that has to be given.
func (m Member[T]) Need(name string) error {
	if m.Given {
		return nil
	}
	return BadInput(fmt.Sprintf("%s is missing; null stands for none", name))
}
