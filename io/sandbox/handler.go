package sandbox

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"payonce/io/sandbox/crm"
	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/v2"
	"payonce/io/service/v1"
)

// The paths of the REST interface (specification v1, "Endpoints").
const (
	restPath     = "/api/v1"
	statusPath   = restPath + "/account/status"
	contactsPath = restPath + "/contacts/"
	openAPIPath  = restPath + "/openapi.json"
)

// maxBody is the longest body that is read, in bytes; a lookup needs far less.
const maxBody = 16 << 10

// operationAt returns the lookup at a path.
func operationAt(path string) (v1.Operation, bool) {
	for _, operation := range v1.Operations() {
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
	if strings.HasPrefix(r.URL.Path, v2.Path+"/") {
		s.second.Handler().ServeHTTP(w, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, crm.Path) || r.URL.Path == crm.TokenPath {
		s.crm.Handler().ServeHTTP(w, r)
		return
	}
	operation, isLookup := operationAt(r.URL.Path)
	key := s.keyOf(r)
	switch {
	case isLookup && r.Method == http.MethodPost:
		s.serveLookup(w, r, key, operation)
	case r.URL.Path == "/":
		s.serveHome(w, r)
	case r.URL.Path == openAPIPath:
		s.serveOpenAPI(w, r)
	case key == "":
		s.refuseOther(w, InvalidAPIKey)
	case r.URL.Path == mcpPath:
		s.serveMCP(w, r, key)
	case isLookup:
		w.Header().Set("Allow", http.MethodPost)
		s.refuseOther(w, methodNotAllowed)
	case r.URL.Path != statusPath:
		s.refuseOther(w, pathNotFound)
	case s.isRead(w, r):
		s.serveStatus(w, key)
	}
}

// isRead reports whether a request reads, and refuses one that does not.
func (s *Server) isRead(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	s.refuseOther(w, methodNotAllowed)
	return false
}

func (s *Server) serveOpenAPI(w http.ResponseWriter, r *http.Request) {
	if s.isRead(w, r) {
		kit.Reply{Status: http.StatusOK, ContentType: "application/json", Body: OpenAPI(s.terms())}.Write(w)
	}
}

// terms returns what the workspace pays and may use now.
func (s *Server) terms() Terms {
	card, prices := s.ledger.Terms()
	return Terms{Card: card, Prices: prices}
}

func (s *Server) serveStatus(w http.ResponseWriter, key string) {
	status, code := s.ledger.Status(key)
	if code != "" {
		s.refuseOther(w, code)
		return
	}
	writeJSON(w, http.StatusOK, status)
}

func (s *Server) serveLookup(w http.ResponseWriter, r *http.Request, key string, operation v1.Operation) {
	q, problem := readQuestion(w, r, operation)
	s.write(w, r, s.ask(r.Context(), caller{key, "rest"}, q, problem))
}

// readQuestion reads a lookup from its request.
func readQuestion(w http.ResponseWriter, r *http.Request, operation v1.Operation) (question, error) {
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

// keyOf returns the ID of the key that a request carries, "" when it carries no
// valid one.
func (s *Server) keyOf(r *http.Request) string {
	value, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer {
		return ""
	}
	key, _ := s.ledger.Identify(value)
	return key.ID
}

// refuseOther refuses a request that is not a lookup; the ledger does not record it.
func (s *Server) refuseOther(w http.ResponseWriter, code ErrorCode) {
	challenge(w, code)
	writeJSON(w, meanings[code].status, errorBodyOf(refusal{code: code}, s.otherID()))
}

// otherID returns the name of a request that is not a lookup.
func (s *Server) otherID() string { return s.requestID("other", s.unnumbered.Add(1)) }
