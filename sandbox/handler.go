package sandbox

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"payonce/enrich"
)

// The paths of the REST interface (specification v1, "Endpoints").
const (
	statusPath   = "/api/v1/account/status"
	contactsPath = "/api/v1/contacts/"
)

// maxBody is the longest body that is read, in bytes; a lookup needs far less.
const maxBody = 16 << 10

// operationAt returns the lookup at a path.
func operationAt(path string) (enrich.Operation, bool) {
	for _, operation := range []enrich.Operation{enrich.FindWorkEmail, enrich.FindPhone, enrich.EnrichContact} {
		if path == contactsPath+operation.String() {
			return operation, true
		}
	}
	return 0, false
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Sandbox", "true")
	w.Header().Set("Date", s.config.Now().UTC().Format(http.TimeFormat)) // the service's clock may be skewed
	if s.isClosed() {
		panic(http.ErrAbortHandler)
	}
	operation, isLookup := operationAt(r.URL.Path)
	switch {
	case isLookup && r.Method == http.MethodPost:
		s.serveLookup(w, r, operation)
	case !s.authorized(r) || s.books.keyIsRevoked():
		s.refuseOther(w, InvalidAPIKey)
	case isLookup:
		w.Header().Set("Allow", http.MethodPost)
		s.refuseOther(w, methodNotAllowed)
	case r.URL.Path != statusPath:
		s.refuseOther(w, pathNotFound)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		s.refuseOther(w, methodNotAllowed)
	default:
		writeJSON(w, http.StatusOK, s.books.status())
	}
}

func (s *Server) serveLookup(w http.ResponseWriter, r *http.Request, operation enrich.Operation) {
	q, problem := readQuestion(w, r, operation)
	s.write(w, r, s.ask(r.Context(), s.authorized(r), q, problem))
}

// readQuestion reads a lookup from its request.
func readQuestion(w http.ResponseWriter, r *http.Request, operation enrich.Operation) (question, error) {
	none := question{operation: operation}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return none, errors.New("the Content-Type must be application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return none, fmt.Errorf("the body cannot be read, or is longer than %d bytes", maxBody)
	}
	return parseQuestion(operation, body)
}

// authorized reports whether the request carries the configured key.
func (s *Server) authorized(r *http.Request) bool {
	key, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return bearer && subtle.ConstantTimeCompare([]byte(key), []byte(s.config.Key)) == 1
}

// refuseOther refuses a request that is no lookup; the books do not hear of it.
func (s *Server) refuseOther(w http.ResponseWriter, code ErrorCode) {
	writeRefusal(w, refusal{code: code}, s.requestID("other", s.unnumbered.Add(1)))
}
