package spool

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path"
	"sync/atomic"
	"time"
)

// Outcome is the outcome of a request.
type Outcome int

// The outcomes. All but Accepted are refusals, after which nothing is stored.
const (
	Accepted   Outcome = iota // 200: the company is in the spool
	OtherPath                 // 404: the path does not end in the secret
	NotPosted                 // 405
	TooLong                   // 413
	TooSlow                   // 408
	Incomplete                // 400: the connection ended within the body
	NoCompany                 // 400: the body names no company
	Full                      // 503, so that the sender sends it again later
	NotKept                   // 503: the file system has failed
	outcomes
)

var outcomeNames = [outcomes]string{
	"accepted", "path", "method", "too_long", "too_slow", "incomplete", "no_company", "full", "not_kept",
}

var statuses = [outcomes]int{200, 404, 405, 413, 408, 400, 400, 503, 503}

// Outcomes returns all outcomes.
func Outcomes() (all []Outcome) {
	for o := range outcomes {
		all = append(all, o)
	}
	return all
}

// String returns the name in counts, such as too_long.
func (o Outcome) String() string { return outcomeNames[o] }

// The limits of a request and of all connections. A notification has about 300 bytes, and the service waits ten seconds
// for the answer.
const (
	maxBody        = 64 << 10
	maxHeader      = 8 << 10
	headerTime     = 5 * time.Second
	requestTime    = 10 * time.Second
	answerTime     = 20 * time.Second
	idleTime       = 30 * time.Second
	maxConnections = 256
)

// Receiver adds the companies of notifications to a spool. It accepts only requests whose path ends in a secret, and
// answers all others alike. Set the exported fields before the first use. Its methods may be called from any goroutine.
type Receiver struct {
	Spool   *Spool
	Secret  string                                 // the last part of the path; not empty
	Company func(body []byte) (id string, ok bool) // the company of a notification
	Now     func() time.Time

	counts  [outcomes]atomic.Int64
	failure atomic.Pointer[error]
}

// Count returns how many requests had an outcome.
func (r *Receiver) Count(o Outcome) int64 { return r.counts[o].Load() }

// Failure returns the last error of the file system because of which a notification was not stored; nil for none since
// the last call.
func (r *Receiver) Failure() error {
	if err := r.failure.Swap(nil); err != nil {
		return *err
	}
	return nil
}

// ServeHTTP accepts one notification. It sends the answer, which has no body, after the entry is durable.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	outcome := r.take(w, request)
	r.counts[outcome].Add(1)
	if outcome != Accepted {
		w.Header().Set("Connection", "close") // the rest of the body is not read
	}
	w.WriteHeader(statuses[outcome])
}

func (r *Receiver) take(w http.ResponseWriter, request *http.Request) Outcome {
	// Hashes have one length, so that the comparison takes the same time for every path.
	given, want := sha256.Sum256([]byte(path.Base(request.URL.Path))), sha256.Sum256([]byte(r.Secret))
	if subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
		return OtherPath
	}
	showedSecret(request)
	if request.Method != http.MethodPost {
		return NotPosted
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return TooLong
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return TooSlow
	case err != nil:
		return Incomplete
	}
	id, ok := r.Company(body)
	if !ok {
		return NoCompany
	}
	switch err := r.Spool.Add(id, r.Now()); {
	case err == nil:
		return Accepted
	case errors.Is(err, ErrID):
		return NoCompany
	case errors.Is(err, ErrFull):
		return Full
	default:
		r.failure.Store(&err)
		return NotKept
	}
}

// Serve accepts notifications until the context ends. Then it lets requests in progress finish, and closes the listener.
// With a certificate it uses TLS.
func (r *Receiver) Serve(ctx context.Context, listener net.Listener, certificate func() *tls.Certificate) error {
	// One request at a time on each connection, so that the number of connections limits the memory. The errors that
	// net/http logs are about connections of any sender, so they are discarded.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	server := &http.Server{
		Handler: r, Protocols: &protocols, ErrorLog: log.New(io.Discard, "", 0), MaxHeaderBytes: maxHeader,
		ConnContext: withConnection, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
	}
	listener = &limitListener{Listener: listener, most: maxConnections}
	ended := make(chan error, 1)
	go func() {
		if certificate == nil {
			ended <- server.Serve(listener)
			return
		}
		server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return certificate(), nil
		}}
		ended <- server.ServeTLS(listener, "", "")
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTime)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		_ = server.Close() // the other senders are slower than the limit
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
