// Package crm is the CRM of the sandbox: contacts and accounts of the made-up world behind the part of the interface of
// Zoho CRM v8 that the program uses. It has access tokens, credits and limits, conditional changes, locks, unique
// values, and a simulated editor who changes records at the same time. It records every write, so that a test can
// detect lost edits, values that were written twice, and changes of mobile numbers.
//
// Conditions compare modified times in whole seconds, as the service does: of two changes within one second a
// condition does not see the second one. What the sandbox assumes of the service is listed in docs/crm.md.
package crm

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/world"
)

// The credentials of DefaultConfig.
const (
	DefaultClientID     = "sandbox-client"
	DefaultClientSecret = "sandbox-client-secret"
	DefaultRefreshToken = "sandbox-refresh-token"
)

// The paths of the interface.
const (
	Path      = "/crm/v8/"
	TokenPath = "/oauth/v2/token"
)

// Config describes the CRM account.
type Config struct {
	ClientID, ClientSecret, RefreshToken string

	Contacts    int           // how many there are at first
	Credits     int64         // API credits that are left; a call without them is refused
	Concurrency int           // the most calls at a time
	TokenLife   time.Duration // of an access token
	// Editing is the share of contacts that the simulated editor changes while a client reads them, once each.
	Editing float64

	World   world.World
	Faults  *kit.FaultRules // nil for none
	Latency struct{ Min, Max time.Duration }
	Now     func() time.Time // nil for time.Now
}

// DefaultConfig returns an account of the smallest size.
func DefaultConfig() Config {
	return Config{
		ClientID: DefaultClientID, ClientSecret: DefaultClientSecret, RefreshToken: DefaultRefreshToken,
		Contacts: 300, Credits: 50_000, Concurrency: 10, TokenLife: time.Hour,
	}
}

// Server is one CRM account. Its methods may be called from any goroutine.
type Server struct {
	config  Config
	mux     *http.ServeMux
	closed  chan struct{}
	closing sync.Once

	mu       sync.Mutex         // guards what follows
	contacts map[string]*record // nil before the first use
	accounts map[string]*record
	emails   map[string]string    // the contacts by their emails, in lower case
	ids      []string             // of the contacts, ascending
	tokens   map[string]time.Time // when each access token ends
	given    kit.RollingWindow    // access tokens
	credits  int64
	active   int // calls
	arrivals int
	writes   []Write
	problems []string
}

// New returns a CRM with its contacts. The caller serves its Handler, on the loopback interface only.
func New(config Config) *Server {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Faults == nil {
		config.Faults = kit.NewFaultRules(config.World.People.Seed, nil)
	}
	s := &Server{
		config: config, closed: make(chan struct{}), tokens: map[string]time.Time{}, credits: config.Credits,
		given: kit.RollingWindow{Window: kit.Window{Limit: 10, Per: 10 * time.Minute}},
	}
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("POST "+TokenPath, s.serveToken)
	for route, serve := range map[string]operation{
		"GET " + Path + "settings/fields":       (*Server).fields,
		"GET " + Path + "settings/custom_views": (*Server).customViews,
		"POST " + Path + "coql":                 (*Server).query,
		"GET " + Path + "{module}":              (*Server).list,
		"PUT " + Path + "Contacts/{id}":         (*Server).update,
	} {
		s.mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, serve) })
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		problem("INVALID_URL_PATTERN", nil).reply.Write(w)
	})
	return s
}

// Handler returns the interface, whose paths begin with Path and TokenPath.
func (s *Server) Handler() http.Handler { return s.mux }

// Close breaks the calls under way.
func (s *Server) Close() { s.closing.Do(func() { close(s.closed) }) }

// operation answers a call. The lock is held.
type operation func(*Server, *http.Request) answer

// answer is the answer to a call, with the contacts that the editor may change after it.
type answer struct {
	reply kit.Reply
	read  []*record // contacts that a client reads again by their ids
}

// statuses are the errors of the interface, with their HTTP status and message.
var statuses = map[kit.Code]struct {
	status  int
	message string
}{
	"INVALID_TOKEN":          {401, "invalid oauth token"},
	"AUTHENTICATION_FAILURE": {401, "Authentication failed"},
	"OAUTH_SCOPE_MISMATCH":   {401, "invalid oauth scope to access this URL"},
	"TOO_MANY_REQUESTS":      {429, "too many requests fired in concurrent"},
	"LIMIT_EXCEEDED":         {429, "the API credits are used up"},
	"INTERNAL_ERROR":         {500, "Internal server error occurred."},
	"INVALID_URL_PATTERN":    {404, "Please check if the URL trying to access is a correct one"},
	"INVALID_MODULE":         {400, "the module name given seems to be invalid"},
	"REQUIRED_PARAM_MISSING": {400, "One of the expected parameter is missing"},
	"INVALID_QUERY":          {400, "invalid query formed"},
	"SYNTAX_ERROR":           {400, "error occurred due to syntax"},
	"INVALID_DATA":           {400, "invalid data"},
	"MANDATORY_NOT_FOUND":    {400, "required field not found"},
	"DUPLICATE_DATA":         {400, "duplicate data"},
	"RECORD_LOCKED":          {400, "the record is locked"},
	"ALREADY_MODIFIED":       {412, "the record was modified after the given time"},
}

// FaultCodes are the codes with which a fault can refuse a call.
func FaultCodes() []kit.Code {
	return []kit.Code{"INVALID_TOKEN", "OAUTH_SCOPE_MISMATCH", "TOO_MANY_REQUESTS", "LIMIT_EXCEEDED", "INTERNAL_ERROR"}
}

type errorBody struct {
	Code    kit.Code       `json:"code"`
	Details map[string]any `json:"details"`
	Message string         `json:"message"`
	Status  string         `json:"status"`
}

func errorOf(code kit.Code, details map[string]any) errorBody {
	if details == nil {
		details = map[string]any{}
	}
	return errorBody{code, details, statuses[code].message, "error"}
}

// problem refuses a call.
func problem(code kit.Code, details map[string]any) answer {
	return answer{reply: kit.JSONReply(statuses[code].status, errorOf(code, details))}
}

// serveToken gives an access token ("Token Validity": ten in ten minutes).
func (s *Server) serveToken(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.config.Now()
	deny := func(status int, code string) { kit.JSONReply(status, map[string]string{"error": code}).Write(w) }
	switch {
	case r.FormValue("grant_type") != "refresh_token":
		deny(http.StatusOK, "unsupported_grant_type")
	case r.FormValue("client_id") != s.config.ClientID:
		deny(http.StatusOK, "invalid_client")
	case r.FormValue("client_secret") != s.config.ClientSecret:
		deny(http.StatusOK, "invalid_client_secret")
	case r.FormValue("refresh_token") != s.config.RefreshToken:
		deny(http.StatusOK, "invalid_code")
	case s.given.Wait(now) > 0:
		kit.JSONReply(http.StatusBadRequest, map[string]string{
			"error": "Access Denied", "status": "failure",
			"error_description": "You have made too many requests continuously. Please try again after some time.",
		}).Write(w)
	default:
		s.given.Count(now)
		token := "1000." + rand.Text()
		s.tokens[token] = now.Add(s.config.TokenLife)
		kit.JSONReply(http.StatusOK, map[string]any{
			"access_token": token, "api_domain": "http://" + r.Host, "token_type": "Bearer",
			"expires_in": int64(s.config.TokenLife / time.Second),
		}).Write(w)
	}
}

// costOf returns the credits of a call.
func costOf(r *http.Request) int64 {
	if strings.HasSuffix(r.URL.Path, "/coql") {
		return 3
	}
	return 1
}

// admit accepts a call, or says why not. The number counts the accepted calls.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (number int, refused kit.Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Zoho-oauthtoken ")
	ends, known := s.tokens[token]
	switch {
	case token == "":
		return 0, "AUTHENTICATION_FAILURE"
	case !known || !s.config.Now().Before(ends):
		return 0, "INVALID_TOKEN"
	case s.active >= s.config.Concurrency:
		return 0, "TOO_MANY_REQUESTS"
	case s.credits < costOf(r):
		return 0, "LIMIT_EXCEEDED"
	}
	s.credits -= costOf(r)
	s.active++
	s.arrivals++
	w.Header().Set("X-API-CREDITS-REMAINING", strconv.FormatInt(s.credits, 10))
	w.Header().Set("X-Request-Id", fmt.Sprintf("crm-%06d", s.arrivals))
	return s.arrivals, ""
}

// serve admits, performs and answers a call, and applies a fault.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, perform operation) {
	number, refused := s.admit(w, r)
	if refused != "" {
		problem(refused, nil).reply.Write(w)
		return
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.active--
	}()
	var struck kit.Fault
	delay := s.latency(number)
	arrival := kit.Arrival{Series: "crm", Number: number, Path: r.URL.Path, About: r.URL.RequestURI(), Fits: fits}
	for _, f := range s.config.Faults.Strike(arrival) {
		delay += f.Delay
		if struck.Answer == kit.Truthful {
			struck = f
		}
	}
	if !kit.Pause(s.closed, nil, delay/2) {
		panic(http.ErrAbortHandler)
	}
	said := problem(cmp.Or(struck.Code, "INTERNAL_ERROR"), nil)
	if struck.Performs() {
		done := s.perform(r, perform)
		if struck.Answer != kit.Refused {
			said = done
		}
	}
	if !kit.Pause(s.closed, nil, delay-delay/2) {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Date", s.config.Now().UTC().Format(http.TimeFormat))
	kit.SetRetryAfter(w, s.config.Now(), struck.RetryAfter, struck.RetryDate)
	said.reply.Spoil(w, r, s.closed, struck)
}

func (s *Server) perform(r *http.Request, perform operation) answer {
	defer s.open()()
	said := perform(s, r)
	s.edit(said.read)
	return said
}

// open locks the records, and makes them when they are used first. It returns what unlocks.
func (s *Server) open() (unlock func()) {
	s.mu.Lock()
	if s.contacts == nil {
		s.fill()
	}
	return s.mu.Unlock
}

// fits reports whether a fault can happen in the CRM, which has neither money nor a key.
func fits(f kit.Fault) bool {
	return f.Effect == kit.NoEffect && (f.Answer != kit.Refused || slices.Contains(FaultCodes(), f.Code))
}

func (s *Server) latency(number int) time.Duration {
	span := s.config.Latency.Max - s.config.Latency.Min
	return s.config.Latency.Min + time.Duration(s.roll("latency", strconv.Itoa(number))*float64(span))
}

// roll draws a number from 0 to 1.
func (s *Server) roll(words ...string) float64 {
	return kit.Roll(s.config.World.People.Seed, append([]string{"crm"}, words...)...).Float64()
}
