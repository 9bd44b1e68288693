package conformance_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"payonce/io/conformance"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loopback is the stage of the tests: real HTTP on the loopback interface.
type loopback struct {
	// breaks changes the service, for a rule that it is to break; nil leaves it.
	breaks func(*sandbox.Server, http.Handler) http.Handler
}

func (l loopback) Open(config sandbox.Config) (*sandbox.Server, http.Handler, error) {
	server, err := sandbox.New(config)
	if err != nil {
		return nil, nil, err
	}
	handler := server.Handler()
	if l.breaks != nil {
		handler = l.breaks(server, handler)
	}
	return server, handler, nil
}

func (loopback) Listen(handler http.Handler) (address string, stop func()) {
	server := httptest.NewServer(handler)
	return server.URL, server.Close
}

func (loopback) Connect(config v1.Config) (conformance.Subject, func(), error) {
	client, err := v1.NewClient(config)
	if err != nil {
		return nil, nil, err
	}
	return client, client.Close, nil
}

func (loopback) Send(ctx context.Context, r conformance.Request) (conformance.Response, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return conformance.Response{}, err
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return conformance.Response{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return conformance.Response{Status: response.StatusCode, Header: response.Header, Body: body}, err
}
