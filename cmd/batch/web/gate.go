// This file decides which requests are served: under which host names, from which browsers, and with which bodies.

package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"payonce/io/atomicfile"
)

// gate knows which browsers are signed in. The cookie of a browser is signed with a key in a file, so it is also valid
// after a restart of the server.
type gate struct {
	path    string // of the key
	secure  bool
	now     func() time.Time
	mu      sync.Mutex
	key     []byte
	invited map[[sha256.Size]byte]bool // the hashes of one-time tokens that are not used yet
	wrong   int                        // wrong passwords since the last right one
	wait    time.Time                  // until then no password is checked
}

const (
	loginTime = 30 * 24 * time.Hour
	keyBytes  = 32
	// mostInvited is how many one-time tokens can be valid at the same time.
	mostInvited = 20
	// mostWrong is how many wrong passwords there may be before the next one has to wait.
	mostWrong = 5
)

func newGate(path string, o Options) (*gate, error) {
	g := &gate{path: path, secure: o.Secure, now: o.Now, invited: map[[sha256.Size]byte]bool{}}
	key, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return g, g.newKey()
	case err != nil:
		return nil, err
	case len(key) != keyBytes:
		return nil, fmt.Errorf("%s is not the key of logins: remove it, and all browsers have to sign in again", path)
	}
	g.key = key
	return g, nil
}

// newKey replaces the key, which signs all browsers out.
func (g *gate) newKey() error {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // never fails
	if err := atomicfile.Replace(g.path, 0o600, func(w io.Writer) error { _, err := w.Write(key); return err }); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.key = key
	clear(g.invited)
	return nil
}

// invite returns a new token that signs a browser in once.
func (g *gate) invite() string {
	token := rand.Text()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.invited) >= mostInvited {
		clear(g.invited)
	}
	g.invited[sha256.Sum256([]byte(token))] = true
	return token
}

// use reports whether a token is valid, and uses it up.
func (g *gate) use(token string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	hash := sha256.Sum256([]byte(token))
	valid := g.invited[hash]
	delete(g.invited, hash)
	return valid
}

func (g *gate) sign(text string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	mac := hmac.New(sha256.New, g.key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// cookieName returns a name that depends on the path of the key. Browsers send the cookies of a host to all its ports,
// so two servers on one machine need different names.
func (g *gate) cookieName() string {
	sum := sha256.Sum256([]byte(g.path))
	return "batch-" + hex.EncodeToString(sum[:4])
}

// admit signs the browser in.
func (g *gate) admit(w http.ResponseWriter) {
	until := strconv.FormatInt(g.now().Add(loginTime).Unix(), 10)
	http.SetCookie(w, &http.Cookie{
		Name: g.cookieName(), Value: until + "." + g.sign(until), Path: "/", MaxAge: int(loginTime.Seconds()),
		HttpOnly: true, Secure: g.secure, SameSite: http.SameSiteStrictMode,
	})
}

// knows reports whether the browser is signed in.
func (g *gate) knows(r *http.Request) bool {
	cookie, err := r.Cookie(g.cookieName())
	if err != nil {
		return false
	}
	until, proof, _ := strings.Cut(cookie.Value, ".")
	seconds, err := strconv.ParseInt(until, 10, 64)
	return err == nil && hmac.Equal([]byte(proof), []byte(g.sign(until))) && g.now().Before(time.Unix(seconds, 0))
}

// mayTry reports whether a password may be checked now.
func (g *gate) mayTry() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.now().Before(g.wait)
}

// tried counts wrong passwords. After mostWrong of them, each one makes the next one wait.
func (g *gate) tried(right bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if right {
		g.wrong = 0
		return
	}
	if g.wrong++; g.wrong >= mostWrong {
		g.wait = g.now().Add(time.Duration(g.wrong) * time.Second)
	}
}

// open reports whether a path needs no login. Metrics have a token of their own.
func open(path string) bool {
	return path == "/login" || path == "/healthz" || path == "/metrics" || filepath.Dir(path) == "/static"
}

// guarded serves only requests to this server's own host names, from its own pages and from signed-in browsers.
func (s *Server) guarded(next http.Handler) http.Handler {
	signedIn := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !open(r.URL.Path) && !s.gate.knows(r) {
			s.refuseStranger(w, r)
			return
		}
		if r.Method == http.MethodPost && !s.limitBody(w, r) {
			return
		}
		next.ServeHTTP(w, r)
	})
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.show(w, r, http.StatusForbidden, "Refused", "message", "Another site made this request, so it was refused. Nothing was changed.")
	}))
	protected := crossOrigin.Handler(signedIn)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		if !s.Hosts(hostOf(r.Host)) {
			s.show(w, r, http.StatusMisdirectedRequest, "Refused", "message", "This server does not answer under this host name.")
			return
		}
		protected.ServeHTTP(w, r)
	})
}

// hostOf returns the host of an address, without the port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}

// formBytes is the largest form without files.
const formBytes = 1 << 20

// limitBody limits the size of the request's body, and reports whether its type is that of a form of this page.
func (s *Server) limitBody(w http.ResponseWriter, r *http.Request) bool {
	wanted, most := "application/x-www-form-urlencoded", int64(formBytes)
	if r.URL.Path == "/lists" {
		wanted, most = "multipart/form-data", s.MaxUpload+formBytes
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != wanted {
		s.show(w, r, http.StatusUnsupportedMediaType, "Refused", "message", "This is not a form of this page. Nothing was changed.")
		return false
	}
	if r.ContentLength > most {
		s.show(w, r, http.StatusRequestEntityTooLarge, "Too large", "message", s.tooLarge())
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	return true
}

// refuseStranger answers a browser that is not signed in.
func (s *Server) refuseStranger(w http.ResponseWriter, r *http.Request) {
	if s.Password != "" && r.Method == http.MethodGet {
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	s.show(w, r, http.StatusForbidden, "Sign in", "message",
		"This browser is not signed in. Open the address that the program printed when it started. It works once. For a new one, start the program again, or use a browser that is signed in.")
}

// logIn signs a browser in by a one-time token, or asks for the password.
func (s *Server) logIn(w http.ResponseWriter, r *http.Request) error {
	token := r.URL.Query().Get("token")
	switch {
	case token == "" && s.Password != "":
		s.show(w, r, http.StatusOK, "Sign in", "password", "")
	case r.Method == http.MethodGet && s.gate.use(token):
		s.gate.admit(w)
		// After a redirect the browser would still count the request as one of the site with the link, and would not
		// send the new cookie, which is SameSite=Strict.
		w.Header().Set("Refresh", "0; url=/")
		s.show(w, r, http.StatusOK, "Signed in", "signed-in", nil)
	case s.gate.knows(r):
		http.Redirect(w, r, "/", http.StatusSeeOther)
	default:
		s.show(w, r, http.StatusForbidden, "Sign in", "message",
			"This address was used already, or it is from an earlier start. For a new one, start the program again, or use a browser that is signed in.")
	}
	return nil
}

func (s *Server) checkPassword(w http.ResponseWriter, r *http.Request) error {
	if s.Password == "" {
		return notFound("There is no password.")
	}
	if !s.gate.mayTry() {
		return &refusal{http.StatusTooManyRequests, "There were too many wrong passwords. Wait a minute and try again."}
	}
	given, own := sha256.Sum256([]byte(r.PostFormValue("password"))), sha256.Sum256([]byte(s.Password))
	right := subtle.ConstantTimeCompare(given[:], own[:]) == 1
	s.gate.tried(right)
	if !right {
		s.show(w, r, http.StatusForbidden, "Sign in", "password", "This is not the password.")
		return nil
	}
	s.gate.admit(w)
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

func (s *Server) showBrowsers(w http.ResponseWriter, r *http.Request) error {
	s.show(w, r, http.StatusOK, "Browsers", "browsers", "")
	return nil
}

// changeBrowsers makes an address for another browser, or signs all of them out.
func (s *Server) changeBrowsers(w http.ResponseWriter, r *http.Request) error {
	if r.PostFormValue("do") == "sign-out" {
		if err := s.gate.newKey(); err != nil {
			return err
		}
		s.show(w, r, http.StatusOK, "Signed out", "message", "All browsers are signed out.")
		return nil
	}
	scheme := "http://"
	if s.Secure {
		scheme = "https://"
	}
	s.show(w, r, http.StatusOK, "Browsers", "browsers", scheme+r.Host+s.Invite())
	return nil
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	text := "ok\n"
	if s.starts.isDraining() {
		w.WriteHeader(http.StatusServiceUnavailable)
		text = "stopping\n"
	}
	_, _ = io.WriteString(w, text) // it fails when the client has closed the connection
	return nil
}

func (s *Server) sendMetrics(w http.ResponseWriter, r *http.Request) error {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case s.Metrics == nil:
		return notFound("Metrics are not served.")
	case s.MetricsToken != "" && subtle.ConstantTimeCompare([]byte(token), []byte(s.MetricsToken)) != 1:
		w.Header().Set("WWW-Authenticate", "Bearer")
		return &refusal{http.StatusUnauthorized, "The metrics need their token."}
	}
	s.Metrics.ServeHTTP(w, r)
	return nil
}
