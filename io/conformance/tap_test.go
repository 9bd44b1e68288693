package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"payonce/io/service/v1"
)

// tap stands before the service and keeps what goes over the wire.
type tap struct {
	next http.Handler

	mu        sync.Mutex
	exchanges []*exchange
}

// exchange is one request and what of its response has been written.
type exchange struct {
	method, path string
	header       http.Header
	body         []byte

	status       int
	answerHeader http.Header
	answer       []byte
}

// maxRequest bounds the requests that are kept, in bytes.
const maxRequest = 1 << 20

func (t *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	e := &exchange{method: r.Method, path: r.URL.Path, header: r.Header.Clone(), body: body}
	t.mu.Lock()
	t.exchanges = append(t.exchanges, e)
	t.mu.Unlock()
	t.next.ServeHTTP(&tapped{ResponseWriter: w, tap: t, kept: e}, r)
}

// since returns copies of the exchanges from a number on.
func (t *tap) since(number int) []exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	var later []exchange
	for _, e := range t.exchanges[number:] {
		later = append(later, *e)
	}
	return later
}

func (t *tap) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.exchanges)
}

// tapped writes a response and keeps it. It keeps first: what a client has received
// is in the exchange.
type tapped struct {
	http.ResponseWriter
	tap  *tap
	kept *exchange
}

// Unwrap lets http.ResponseController through.
func (w *tapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *tapped) WriteHeader(status int) {
	w.tap.mu.Lock()
	w.kept.status, w.kept.answerHeader = status, w.Header().Clone()
	w.tap.mu.Unlock()
	w.ResponseWriter.WriteHeader(status)
}

func (w *tapped) Write(text []byte) (int, error) {
	w.tap.mu.Lock()
	if w.kept.status == 0 {
		w.kept.status, w.kept.answerHeader = http.StatusOK, w.Header().Clone()
	}
	w.kept.answer = append(w.kept.answer, text...)
	w.tap.mu.Unlock()
	return w.ResponseWriter.Write(text)
}

// The paths and tools of the lookups (specification v1, "Operation choice").
func lookupPaths() map[string]v1.Operation {
	paths := map[string]v1.Operation{}
	for _, o := range v1.Operations() {
		paths["/api/v1/contacts/"+o.String()] = o
	}
	return paths
}

func lookupTools() map[string]v1.Operation {
	return map[string]v1.Operation{
		"service_find_work_email": v1.FindWorkEmail,
		"service_find_phone":      v1.FindPhone,
		"service_enrich_contact":  v1.EnrichContact,
	}
}

const mcpPath = "/mcp"

// sentLookup is a lookup as it went over the wire.
type sentLookup struct {
	exchange
	over      v1.Transport
	operation v1.Operation
	arguments objectV1 // of the person and of what is wanted
}

// lookup returns the lookup that an exchange carries, and false when it carries none.
func (e exchange) lookup() (sentLookup, bool) {
	if e.method != http.MethodPost {
		return sentLookup{}, false
	}
	message := parse(e.body)
	if path.Clean(e.path) != mcpPath {
		operation, is := lookupPaths()[e.path]
		return sentLookup{e, v1.REST, operation, message}, is
	}
	if message.text("method") != "tools/call" {
		return sentLookup{}, false
	}
	operation, is := lookupTools()[message.text("params.name")]
	return sentLookup{e, v1.MCP, operation, message.object("params.arguments")}, is
}

// lookups returns the lookups among exchanges.
func lookups(exchanges []exchange) []sentLookup {
	var found []sentLookup
	for _, e := range exchanges {
		if l, is := e.lookup(); is {
			found = append(found, l)
		}
	}
	return found
}

// said returns the JSON of a response, out of its event when it comes as a stream.
func said(header http.Header, body []byte) objectV1 {
	if kind, _, _ := mime.ParseMediaType(header.Get("Content-Type")); kind != "text/event-stream" {
		return parse(body)
	}
	var last objectV1
	for line := range strings.Lines(string(body)) {
		if data, is := strings.CutPrefix(line, "data:"); is {
			if o := parse([]byte(data)); o != nil {
				last = o
			}
		}
	}
	return last
}

// objectV1 is a JSON object whose numbers are as they were written.
type objectV1 map[string]any

// parse returns nil for what is not a JSON object.
func parse(text []byte) objectV1 {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var o map[string]any
	if decoder.Decode(&o) != nil {
		return nil
	}
	return o
}
