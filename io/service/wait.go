package service

import (
	"sync"
	"time"
)

// Wait keeps paid requests back while a response that was lost asks to wait, such as the page of a
// gateway. Whoever uses a client need not know that this can be. The zero value waits for nothing.
type Wait struct {
	mu    sync.Mutex
	until time.Time
}

// Begin notes how long a response asks to wait.
func (w *Wait) Begin(wait time.Duration, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if until := now.Add(wait); until.After(w.until) {
		w.until = until
	}
}

// Left returns how long nothing is to be sent; not above zero when something may.
func (w *Wait) Left(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.until.Sub(now)
}
