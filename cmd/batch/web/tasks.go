// This file has work that can take longer than a browser waits.

package web

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// tasks work in the background. Each has a key, under which its result is kept until a browser has shown it.
type tasks struct {
	now     func() time.Time
	ending  context.Context
	mu      sync.Mutex
	all     map[string]*task
	slots   chan struct{} // limits how many work at the same time
	working sync.WaitGroup
}

// mostTasks is how many tasks work at the same time. taskTime is how long a result is kept that no browser fetches.
const (
	mostTasks = 2
	taskTime  = time.Minute
)

// task is one of them. Its result, and when it was ready, may be read when done is closed.
type task struct {
	key   string
	done  chan struct{}
	began time.Time
	over  time.Time
	value any
	err   error
}

func newTasks(now func() time.Time, ending context.Context) *tasks {
	return &tasks{now: now, ending: ending, all: map[string]*task{}, slots: make(chan struct{}, mostTasks)}
}

// isOver reports whether the result is ready.
func (t *task) isOver() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// find returns the task of a key whose result no browser has shown; nil for none.
func (t *tasks) find(key string) *task {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, one := range t.all {
		if one.isOver() && t.now().Sub(one.over) > taskTime {
			delete(t.all, key) // the journal may have changed since
		}
	}
	return t.all[key]
}

// begin begins the task of a key, and reports whether it did. It returns the present one when there is one.
func (t *tasks) begin(key string, do func(context.Context) (any, error)) (_ *task, began bool) {
	if present := t.find(key); present != nil {
		return present, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if present := t.all[key]; present != nil {
		return present, false
	}
	begun := &task{key: key, done: make(chan struct{}), began: t.now()}
	t.all[key] = begun
	t.working.Go(func() {
		defer close(begun.done)
		t.slots <- struct{}{}
		defer func() { <-t.slots }()
		begun.value, begun.err = do(t.ending)
		begun.over = t.now()
	})
	return begun, true
}

// patience is how long a request waits for a task before it answers that the task is at work.
const patience = 2 * time.Second

// await waits for a task. When that takes longer, it shows a screen that loads itself again and says what is done, and
// returns false.
func (s *Server) await(w http.ResponseWriter, r *http.Request, of *task, title, what string) (bool, error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-of.done:
	case <-r.Context().Done():
		return false, r.Context().Err()
	case <-late.C:
		w.Header().Set("Refresh", "1")
		s.show(w, r, http.StatusOK, title, "working", struct {
			What    string
			Seconds int
		}{what, int(s.Now().Sub(of.began).Seconds())})
		return false, nil
	}
	s.tasks.mu.Lock()
	defer s.tasks.mu.Unlock()
	if s.tasks.all[of.key] == of {
		delete(s.tasks.all, of.key) // so that the next request does the work again
	}
	return true, of.err
}
