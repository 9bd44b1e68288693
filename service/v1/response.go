package v1

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxBody     = 4 << 20 // bytes of a response that are read; MCP gives a result twice
	maxDocument = 4 << 20 // bytes of the OpenAPI document that are read
	maxMessage  = 300     // bytes of the service's text that are kept
	maxName     = 100     // bytes of a code or an identifier that are kept

	// shortestSecret is the length from which a key is taken out of texts; a
	// shorter one stands in ordinary words and codes.
	shortestSecret = 8
)

// readBody reads a whole response body of at most limit bytes, or says why there
// is none.
func readBody(response *http.Response, limit int64) ([]byte, error) {
	if response.StatusCode == http.StatusSwitchingProtocols {
		// Its body is the connection, which no time-out would end.
		return nil, errors.New("the service switched to another protocol")
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("the response broke off: %w", cause(err))
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("the response is longer than %d bytes", limit)
	}
	return body, nil
}

// cause returns err when it is a fault of the network or of the context, and a
// plain error otherwise: net/http quotes a malformed response in its error, and
// what was sent to us must not get into ours.
func cause(err error) error {
	var network net.Error
	if errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New("the response is not readable as HTTP, or the connection was closed")
}

// redirectTarget returns the host that a redirect points to.
func (s settings) redirectTarget(header http.Header) string {
	location, err := url.Parse(header.Get("Location"))
	if err != nil || location.Host == "" && location.Path == "" {
		return "an unreadable address"
	}
	if location.Host == "" {
		return "another path of the same host"
	}
	return s.plain(location.Host, maxName)
}

// plain returns text of the service as it may be shown: without the key, on one
// line, without control and invisible formatting characters, cut to limit bytes.
func (s settings) plain(text string, limit int) string {
	text = strings.Map(visible, strings.ToValidUTF8(text, "\uFFFD"))
	if len(s.key) >= shortestSecret {
		text = strings.ReplaceAll(text, s.key, "[key]")
	}
	if text = strings.TrimSpace(text); len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.In(r, unicode.Cc, unicode.Cf):
		return -1
	}
	return r
}
