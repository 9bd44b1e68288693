package service

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	caller := Caller{Now: func() time.Time { return now }}
	inTwoMinutes := now.Add(2 * time.Minute).Format(http.TimeFormat)
	tests := []struct {
		name, value, date string
		want              time.Duration
	}{
		{"absent", "", "", 0},
		{"seconds", "60", "", time.Minute},
		{"spaces", " 60 ", "", time.Minute},
		{"zero", "0", "", 0},
		{"negative", "-5", "", 0},
		{"sign", "+5", "", 0},
		{"fraction", "1.5", "", 0},
		{"words", "soon", "", 0},
		{"a day", "86400", "", 24 * time.Hour},
		{"a month", "2592000", "", 30 * 24 * time.Hour},
		{"more than a duration holds", "9223372036854775807", "", MaxRetryAfter},
		{"more than an integer holds", "99999999999999999999999", "", MaxRetryAfter},
		{"date by the clock", inTwoMinutes, "", 2 * time.Minute},
		{"date by the response's date", inTwoMinutes, now.Add(time.Minute).Format(http.TimeFormat), time.Minute},
		{"date with an unreadable response's date", inTwoMinutes, "today", 2 * time.Minute},
		{"date in the past", inTwoMinutes, now.Add(time.Hour).Format(http.TimeFormat), 0},
		{"date in the far future", "Fri, 31 Dec 9999 23:59:59 GMT", "", MaxRetryAfter},
		{"unreadable date", "Fri, 32 Dec 2026 23:59:59 GMT", "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			header := http.Header{}
			header.Set("Retry-After", test.value)
			header.Set("Date", test.date)
			if got := caller.RetryAfter(header); got != test.want {
				t.Errorf("waits %s, want %s", got, test.want)
			}
			// A gateway adds its own to that of the service: the longer one counts.
			header.Add("Retry-After", "2")
			if got, want := caller.RetryAfter(header), max(test.want, 2*time.Second); got != want {
				t.Errorf("with a second one it waits %s, want %s", got, want)
			}
		})
	}
}

// What the service says is shown on one line, cut, and without the key.
func TestRefusalTextIsPlain(t *testing.T) {
	s := testCaller()
	tests := []struct {
		name, text string
		limit      int
		want       string
	}{
		{"plain", "No credit.", 20, "No credit."},
		{"lines", "No\r\ncredit.\t", 20, "No  credit."},
		{"terminal escapes", "\x1b[31mNo\x07 \u202ecredit.\u0000", 20, "[31mNo credit."},
		{"cut", "0123456789", 4, "0123"},
		{"cut before a character", "012é", 4, "012"},
		{"invalid UTF-8", "a\xffb", 20, "a\uFFFDb"},
		{"key", "key " + testKey + " is bad", 40, "key [key] is bad"},
		{"key in parts", "key sk_test_\x002f6c\u200b1e9a", 40, "key [key]"},
		{"key at the cut", "0123 " + testKey, 8, "0123 [ke"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := s.Plain(test.text, test.limit); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A key that is not a secret does not change the service's codes.
func TestAShortKeyIsNotMaskedInErrorCodes(t *testing.T) {
	const code = "invalid_api_key"
	if got := (Caller{Key: "key"}).Plain(code, maxHost); got != code {
		t.Errorf("got %q, want %q", got, code)
	}
}
