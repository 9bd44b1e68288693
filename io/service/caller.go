package service

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// What is wrong with a key.
var (
	ErrNoKey  = errors.New("the service key is missing")
	ErrBadKey = errors.New("the service key holds a space, a control character or a character outside ASCII")
)

// Caller is the client as a service sees it.
type Caller struct {
	// Key is sent in a header to the service's addresses alone, and is in no error.
	Key string
	// Scheme is the word before the key in the Authorization header; Bearer when empty.
	Scheme    string
	UserAgent string
	// Timeout bounds one call from the dial to the last byte of its response.
	Timeout time.Duration
	// Now is the clock for waits that a response gives as a date without a date of its own.
	Now func() time.Time
}

// Check says why no request can be sent.
func (c Caller) Check() error {
	switch {
	case c.Key == "":
		return ErrNoKey
	case !isVisible(c.Key): // before it gets near a header
		return ErrBadKey
	case !isVisible(c.Scheme):
		return errors.New("the scheme before the key may only hold visible ASCII characters")
	case c.Timeout < 0:
		return fmt.Errorf("the time-out %s is negative; give a positive one, such as 45s", c.Timeout)
	case !isVisible(strings.ReplaceAll(c.UserAgent, " ", "")):
		return errors.New("the user agent may only hold visible ASCII characters and spaces")
	}
	return nil
}

func isVisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// sign sets the headers that say who asks. Without a key there is no Authorization header.
func (c Caller) sign(header http.Header) {
	header.Set("User-Agent", c.UserAgent)
	if c.Key == "" {
		header.Del("Authorization")
		return
	}
	header.Set("Authorization", cmp.Or(c.Scheme, "Bearer")+" "+c.Key)
}

// shortestSecret is the length from which a key is taken out of texts; a shorter one
// stands in ordinary words and codes.
const shortestSecret = 8

// Plain returns text of the service as it may be shown: without the key, on one line,
// without control and invisible formatting characters, cut to limit bytes.
func (c Caller) Plain(text string, limit int) string {
	text = visible(text)
	if len(c.Key) >= shortestSecret {
		text = strings.ReplaceAll(text, c.Key, "[key]")
	}
	return cut(text, limit)
}
