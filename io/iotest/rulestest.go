// This file has what the tests of the rules of both interfaces share.

package iotest

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
)

// EditResponses returns a service whose responses are changed. It calls change with each request, the body of the
// request, and the response. Change may change the status and the header of the response, and returns its new body.
func EditResponses(
	service http.Handler, change func(r *http.Request, asked string, response *httptest.ResponseRecorder) string,
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(asked))
		recorded := httptest.NewRecorder()
		service.ServeHTTP(recorded, r)
		body := change(r, string(asked), recorded)
		maps.Copy(w.Header(), recorded.Header())
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(recorded.Code)
		_, _ = io.WriteString(w, body)
	})
}
