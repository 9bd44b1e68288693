package jobs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// world records what jobs do in virtual time.
type world struct {
	mu     sync.Mutex
	began  map[string][]time.Duration // since the beginning, by job
	active []string
	pairs  []string // of jobs that ran at the same time
	notes  []string
	states []ServerState
	start  time.Time
}

func newWorld() *world { return &world{began: map[string][]time.Duration{}, start: time.Now()} }

// job returns a job that is due at the times, and takes some time.
func (w *world) job(name string, takes time.Duration, uses []string, due ...time.Duration) ServedJob {
	return ServedJob{Name: name, Uses: uses, Run: func(ctx context.Context) (time.Time, error) {
		now := time.Since(w.start)
		isDue := false
		for len(due) > 0 && due[0] <= now {
			due, isDue = due[1:], true
		}
		if isDue {
			w.begin(name, now)
			<-time.After(takes)
			w.end(name)
		}
		if len(due) == 0 {
			return time.Time{}, nil
		}
		return w.start.Add(due[0]), nil
	}}
}

func (w *world) begin(name string, at time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began[name] = append(w.began[name], at)
	for _, other := range w.active {
		pair := []string{name, other}
		slices.Sort(pair)
		w.pairs = append(w.pairs, strings.Join(pair, "+"))
	}
	w.active = append(w.active, name)
}

func (w *world) end(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = slices.DeleteFunc(w.active, func(active string) bool { return active == name })
}

// server returns a server of jobs that are loaded.
func (w *world) server(load func() ([]ServedJob, error)) *Server {
	return &Server{
		Load: load, Now: time.Now, After: time.After,
		Note:  func(text string) { w.notes = append(w.notes, text) },
		State: func(state ServerState) { w.states = append(w.states, state) },
	}
}

func loaded(jobs ...ServedJob) func() ([]ServedJob, error) {
	return func() ([]ServedJob, error) { return jobs, nil }
}

// serve runs a server for a time, and until it has drained.
func serve(t *testing.T, s *Server, span time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), span)
	defer cancel()
	if err := s.Run(ctx); err != nil {
		t.Error(err)
	}
}

func TestJobsStartWhenTheyAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		day, hour := w.job("day", time.Minute, nil, 26*time.Hour), w.job("hour", time.Minute, nil, 0, time.Hour, 2*time.Hour)
		serve(t, w.server(loaded(day, hour)), 48*time.Hour)
		if want := []time.Duration{0, time.Hour, 2 * time.Hour}; !slices.Equal(w.began["hour"], want) {
			t.Errorf("hour began after %v, want %v", w.began["hour"], want)
		}
		if want := []time.Duration{26 * time.Hour}; !slices.Equal(w.began["day"], want) {
			t.Errorf("day began after %v, want %v", w.began["day"], want)
		}
		if want := []ServerState{ready, stopping}; !slices.Equal(w.states, want) {
			t.Errorf("states %v, want %v", w.states, want)
		}
	})
}

func TestJobsThatUseTheSameRunOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		serve(t, w.server(loaded(
			w.job("a", 10*time.Minute, []string{"journal 1", "account 1"}, time.Hour),
			w.job("b", 10*time.Minute, []string{"journal 1", "account 2"}, time.Hour+time.Second),
			w.job("c", 9*time.Minute, []string{"journal 3", "account 3"}, time.Hour),
			w.job("d", 10*time.Minute, []string{"journal 4", "account 1"}, time.Hour+2*time.Second),
		)), 24*time.Hour)
		slices.Sort(w.pairs)
		if got, want := strings.Join(w.pairs, " "), "a+c b+d"; got != want {
			t.Errorf("these ran at the same time: %s; want %s", got, want)
		}
		if got := w.began["b"]; len(got) != 1 || got[0] < time.Hour+10*time.Minute {
			t.Errorf("b began after %v", got)
		}
	})
}

func TestTheServerEndsWhenWhatRunsHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		serve(t, w.server(loaded(w.job("a", time.Hour, nil, 0))), time.Minute)
		if took := time.Since(w.start); took != time.Hour || len(w.active) > 0 {
			t.Errorf("it ended after %s, and %v run", took, w.active)
		}
	})
}

func TestABrokenFileKeepsTheEarlierJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		reload := make(chan struct{})
		loads := 0
		s := w.server(func() ([]ServedJob, error) {
			loads++
			switch loads {
			case 1:
				return []ServedJob{w.job("old", time.Minute, nil, 0, 2*time.Hour)}, nil
			case 2:
				return nil, errors.New("jobs.yaml:3:1: unknown key")
			}
			return []ServedJob{w.job("new", time.Minute, nil, 3*time.Hour)}, nil
		})
		s.Reload = reload
		go func() {
			<-time.After(time.Hour)
			reload <- struct{}{}
			<-time.After(90 * time.Minute)
			reload <- struct{}{}
		}()
		serve(t, s, 24*time.Hour)
		if len(w.began["old"]) != 2 || len(w.began["new"]) != 1 {
			t.Errorf("jobs began after %v", w.began)
		}
		if len(w.notes) != 2 || !strings.Contains(w.notes[0], "stay as they were") || !strings.Contains(w.notes[0], "jobs.yaml:3:1") {
			t.Errorf("notes %q", w.notes)
		}
		if want := []ServerState{ready, reloading, ready, reloading, ready, stopping}; !slices.Equal(w.states, want) {
			t.Errorf("states %v, want %v", w.states, want)
		}
	})
}

func TestAJobThatCannotStartIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		tries := 0
		serve(t, w.server(loaded(ServedJob{Name: "a", Run: func(context.Context) (time.Time, error) {
			tries++
			return time.Time{}, errors.New("the journal is held")
		}})), 5*time.Minute+time.Second)
		if tries != 6 || len(w.notes) != 6 || !strings.Contains(w.notes[0], "a could not start") {
			t.Errorf("%d tries, notes %q", tries, w.notes)
		}
	})
}

// Another process may have changed what is due, so each job is asked from time to time.
func TestServerChecksEachJobEveryTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		asked := 0
		serve(t, w.server(loaded(ServedJob{Name: "a", Run: func(context.Context) (time.Time, error) {
			asked++
			return time.Time{}, nil
		}})), time.Hour+time.Second)
		if asked != 7 {
			t.Errorf("it was asked %d times in an hour, want 7", asked)
		}
	})
}

// TestServerChecksAResumedJobWithinSeconds: the next start would be minutes later.
func TestServerChecksAResumedJobWithinSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		const resumed, again = 3*time.Minute + 500*time.Millisecond, 6 * time.Minute
		asked := []time.Duration{}
		job := ServedJob{Name: "a", Run: func(context.Context) (time.Time, error) {
			asked = append(asked, time.Since(w.start))
			<-time.After(time.Minute)
			return time.Time{}, nil
		}, Stamp: func() (n int64) {
			for _, at := range []time.Duration{resumed, again} {
				if time.Since(w.start) >= at {
					n++
				}
			}
			return n
		}}
		serve(t, w.server(loaded(job)), 9*time.Minute)
		if len(asked) != 3 || asked[1]-resumed > 3*time.Second || asked[2]-again > 3*time.Second {
			t.Errorf("it was asked after %v", asked)
		}
	})
}

// TestResumingAJobChangesItsStamp, which a scheduler of another process reads.
func TestResumingAJobChangesItsStamp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	seen := map[int64]bool{stampOf(dir, "a"): true}
	for range 3 {
		if err := touch(dir, "a"); err != nil {
			t.Fatal(err)
		}
		seen[stampOf(dir, "a")] = true
	}
	release, err := lock(t.Context(), dir, "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = release() }()
	if seen[stampOf(dir, "a")] = true; len(seen) != 4 || stampOf(dir, "b") != 0 {
		t.Errorf("the stamps are %v", seen)
	}
}

// A clock that is set forward, as after the sleep of a machine, is seen within a short time.
func TestServerNoticesAClockThatIsSetForward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		var ahead time.Duration
		asked := []time.Duration{}
		s := w.server(loaded(ServedJob{Name: "a", Run: func(context.Context) (time.Time, error) {
			asked = append(asked, time.Since(w.start))
			return time.Time{}, nil
		}}))
		s.Now = func() time.Time {
			if time.Since(w.start) > time.Minute {
				ahead = time.Hour
			}
			return time.Now().Add(ahead)
		}
		serve(t, s, 2*time.Minute)
		if len(asked) < 2 || asked[1] > time.Minute+lookTime {
			t.Errorf("it was asked after %v", asked)
		}
	})
}

func TestServerChecksAJobAtMostOncePerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		asked := 0
		serve(t, w.server(loaded(ServedJob{Name: "a", Run: func(context.Context) (time.Time, error) {
			asked++
			return w.start, nil
		}})), 10*time.Second+time.Millisecond)
		if asked != 11 {
			t.Errorf("it was asked %d times in ten seconds", asked)
		}
	})
}
