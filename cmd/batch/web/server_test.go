package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"payonce/pipeline/report"
)

// clock is a clock that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
}

func newClock() *clock { return &clock{at: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)} }

// slowProgram plans until it is stopped.
type slowProgram struct {
	Program
	dir string
}

func (p slowProgram) Dir() (string, error) { return p.dir, nil }
func (slowProgram) Choices() Choices       { return Choices{Fields: []string{"email"}} }
func (slowProgram) Plan(ctx context.Context, _ string, _ []Flag, _ string) (*report.Plan, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestAPlanOfALargeListIsMadeInTheBackground(t *testing.T) {
	t.Parallel()
	lists, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(lists, "large.csv"), []byte("email\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s, err := New(Options{Program: slowProgram{dir: state}, Lists: lists, Hosts: func(string) bool { return true }, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		began, loads := time.Now(), 3
		for range loads {
			r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/plan?list=folder/large.csv", nil)
			answer := httptest.NewRecorder()
			if err := s.showPlan(answer, r); err != nil {
				t.Fatal(err)
			}
			if answer.Header().Get("Refresh") == "" || !strings.Contains(answer.Body.String(), "The list is being read") {
				t.Errorf("the screen does not load itself again:\n%s", answer.Body)
			}
		}
		if took := time.Since(began); took > time.Duration(loads)*patience || len(s.tasks.all) != 1 {
			t.Errorf("%d loads took %s, and there are %d plans in the making", loads, took, len(s.tasks.all))
		}
		s.end()
		s.tasks.working.Wait()
	})
}

func TestATaskThatTakesLongIsShownOnce(t *testing.T) {
	t.Parallel()
	at, made := newClock(), make(chan int)
	all := newTasks(at.now, t.Context())
	begin := func() (*task, bool) {
		return all.begin("plan", func(context.Context) (any, error) { return <-made, nil })
	}
	first, began := begin()
	at.move(10 * taskTime) // a million rows on a slow disk
	made <- 1
	<-first.done
	if again, more := begin(); again != first || !began || more || again.value != 1 {
		t.Fatal("a task that took longer than its result is kept is begun again")
	}
	at.move(2 * taskTime)
	again, _ := begin()
	if again == first {
		t.Error("the result of a task that nobody looked at is kept")
	}
	made <- 2
	<-again.done
	s := &Server{Options: Options{Now: at.now}, tasks: all}
	if ready, err := s.await(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil), again, "", ""); !ready || err != nil {
		t.Errorf("a result that is there is not shown: %v", err)
	}
	if all.find("plan") != nil {
		t.Error("a result that was shown is kept")
	}
}

func TestWrongPasswordsAtTheSameTimeAreCountedBeforeTheNextIsLookedAt(t *testing.T) {
	t.Parallel()
	at := newClock()
	g, err := newGate(filepath.Join(t.TempDir(), "key"), Options{Now: at.now})
	if err != nil {
		t.Fatal(err)
	}
	const own = "correct horse battery"
	var mu sync.Mutex
	found := map[passwordAnswer]int{}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			answer := g.try("wrong", own)
			mu.Lock()
			defer mu.Unlock()
			found[answer]++
		})
	}
	all.Wait()
	if found[passwordWrong] != mostWrong || found[passwordNotRead] != 100-mostWrong {
		t.Errorf("of 100 wrong passwords %d were looked at, want %d", found[passwordWrong], mostWrong)
	}
	if g.try(own, own) != passwordNotRead {
		t.Error("the right password is looked at during the wait")
	}
	for range 1000 { // somebody who tries all day cannot lock its owner out for longer
		at.move(longestWait)
		if answer := g.try("wrong", own); answer != passwordWrong {
			t.Fatalf("after the longest wait a password is answered with %d", answer)
		}
	}
	at.move(longestWait)
	if g.try(own, own) != passwordRight {
		t.Error("the right password is refused after the longest wait")
	}
}

func TestTwoUploadsOfOneNameGetNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := &Server{files: files{uploads: t.TempDir()}}
	first, second := s.takeName("list.csv.gz"), s.takeName("list.csv.gz")
	if filepath.Base(first) != "list.csv.gz" || filepath.Base(second) != "list-2.csv.gz" {
		t.Errorf("two uploads at the same time are written to %s and %s", first, second)
	}
	s.taken.Delete(first) // it failed
	if again := s.takeName("list.csv.gz"); again != first {
		t.Errorf("after a failed upload the next is written to %s", again)
	}
}

// unread is the body of a request that nobody may read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body of a request that is refused is read")
	return 0, errors.New("read")
}

func (unread) Close() error { return nil }

func TestAnUploadThatIsRefusedIsNotRead(t *testing.T) {
	t.Parallel()
	g, err := newGate(filepath.Join(t.TempDir(), "key"), Options{Now: newClock().now})
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{gate: g, Options: Options{Hosts: func(string) bool { return true }}}
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/lists", unread{t})
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	answer := httptest.NewRecorder()
	s.fail(answer, r, noRoom(errors.New("full")))
	if answer.Code != http.StatusInsufficientStorage {
		t.Errorf("it answers %d", answer.Code)
	}
}
