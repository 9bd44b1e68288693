package service

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MaxRetryAfter is how long a service can ask to wait: a century, which is never, and
// the end of which can still be written down. What it asks for is believed, however
// long; somebody who knows better can end the wait.
const MaxRetryAfter = 100 * 365 * 24 * time.Hour

// RetryAfter returns the wait that a response asks for, in seconds or as a date,
// which is relative to the response's own date where it has one. It is zero when
// the response asks for none, and the longest when it asks for several.
func (c Caller) RetryAfter(header http.Header) time.Duration {
	now := c.Now()
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	var longest time.Duration
	for _, value := range header.Values("Retry-After") {
		longest = max(longest, waitOf(strings.TrimSpace(value), now))
	}
	return longest
}

func waitOf(value string, now time.Time) time.Duration {
	if value != "" && strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(MaxRetryAfter/time.Second) {
			return MaxRetryAfter
		}
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(until.Sub(now), 0), MaxRetryAfter)
}
