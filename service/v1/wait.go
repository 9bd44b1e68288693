package v1

import (
	"sync"
	"time"

	"payonce/enrich"
)

// wait keeps lookups back while a response that was lost asks to wait, such as the page
// of a gateway: whoever uses the client need not know that this can be.
type wait struct {
	mu    sync.Mutex
	until time.Time
}

// begin notes how long a response asks to wait.
func (w *wait) begin(wait time.Duration, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if until := now.Add(wait); until.After(w.until) {
		w.until = until
	}
}

// left returns how long nothing is to be sent; not above zero when something may.
func (w *wait) left(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.until.Sub(now)
}

// askedToWait is the verdict on a lookup that is not sent before a wait is over.
func askedToWait(code string, wait time.Duration) enrich.Refused {
	return enrich.Refused{
		Class: enrich.SlowDown, Unsent: true, Code: code, RetryAfter: wait,
		Message: "a gateway of the service asks to wait",
	}
}
