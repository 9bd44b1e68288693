package service

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

const (
	// MaxBody is how many bytes of a response are read. MCP gives a result twice.
	MaxBody = 4 << 20
	maxHost = 100 // bytes of a redirect's host that are kept
)

// Response is a response that came whole.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Redirects reports whether the response is a redirect.
func (r Response) Redirects() bool { return r.Status >= 300 && r.Status <= 399 }

// readBody reads a whole response body of at most limit bytes, or says why there
// is none. It unpacks a body that was packed with gzip on the way, and leaves out byte order
// marks before it: the answer below them was paid for.
func readBody(response *http.Response, limit int64) ([]byte, error) {
	if response.StatusCode == http.StatusSwitchingProtocols {
		// Its body is the connection, which no time-out would end.
		return nil, errors.New("the service switched to another protocol")
	}
	var read bytes.Buffer
	const most = 1 << 20 // bytes that are reserved because the response says so
	read.Grow(int(min(max(response.ContentLength, 0), limit, most)) + bytes.MinRead)
	_, err := read.ReadFrom(io.LimitReader(response.Body, limit+1))
	body := read.Bytes()
	if err != nil {
		return nil, fmt.Errorf("the response broke off: %w", networkCause(err))
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("the response is longer than %d bytes", limit)
	}
	return bytes.TrimLeft(unpacked(body, response.Header, limit), "\uFEFF"), nil
}

// unpacked returns the text of a body that is packed with gzip. Any other body, and one that cannot be
// unpacked to at most limit bytes, it returns as it is: the status alone can still say no.
func unpacked(body []byte, header http.Header, limit int64) []byte {
	if !strings.EqualFold(strings.TrimSpace(header.Get("Content-Encoding")), "gzip") {
		return body
	}
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return body
	}
	text, err := io.ReadAll(io.LimitReader(reader, limit+1))
	if err != nil || int64(len(text)) > limit {
		return body
	}
	return text
}

// networkCause returns err when it is a fault of the network or of the context, and a
// plain error otherwise: net/http quotes a malformed response in its error, and
// what was sent to us must not get into ours.
func networkCause(err error) error {
	var network net.Error
	if errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New("the response is not readable as HTTP, or the connection was closed")
}

// Redirected describes a redirect, which is not followed.
func (c Caller) Redirected(header http.Header) string {
	return "redirected to " + c.redirectTarget(header) + ", which is not followed"
}

// redirectTarget returns the host that a redirect points to.
func (c Caller) redirectTarget(header http.Header) string {
	location, err := url.Parse(header.Get("Location"))
	if err != nil || location.Host == "" && location.Path == "" {
		return "an unreadable address"
	}
	if location.Host == "" {
		return "another path of the same host"
	}
	return c.Plain(location.Host, maxHost)
}
