package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"payonce/io/sandbox"
	"payonce/pipeline/report"
)

// A clock that is set back between two starts neither lets more lookups into a
// window nor anything be paid for twice. The first start is a process that is
// killed; the others run here, because a process takes its time from the system.
func TestClockIsSetBack(t *testing.T) {
	t.Parallel()
	const slots, window = 20, time.Second
	service, tap := newService(t, 9)
	p := newProgram(t, 60, tap.listen(t), "--max-spend", "60", "--concurrency", "1", "--rate", "20/1s")
	if code := killAt(p, tap, 15, false); code != -1 {
		t.Fatalf("it was not killed: exit code %d", code)
	}
	tap.watch.Store(nil)
	steps := []struct {
		back  time.Duration
		limit string // lets the next step begin in a window that is not empty
	}{{time.Hour, "30"}, {25 * time.Hour, "1000"}}
	for _, step := range steps {
		code, stderr := p.executeAt(-step.back, "--limit", step.limit)
		if code != exitDone && code != exitDoubt {
			t.Fatalf("with a clock set back by %s: exit code %d\n%s", step.back, code, stderr)
		}
		p.checkJournal()
	}
	ledger := service.Ledger()
	checkWindow(t, ledger.Arrivals, slots, window)
	p.checkExplained(ledger)
	checkOutput(t, p, ledger)
}

// Every cent of a run is explained, also when the clock was set back by a month
// between its starts.
func TestShowExplainsWithClockSetBack(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), &setClock{at: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	env := askedEnvironment(nil)
	env.now = clock.now
	args := append(askedList(t, dir), "--strict", "--yes", "--name", "back")
	for _, limit := range []string{"1", "2"} {
		if _, stderr, code := executeIn(t.Context(), env, append(slices.Clip(args), "--limit", limit)...); code != exitDone {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		clock.set(time.Date(2026, 10, 21, 10, 0, 0, 0, time.UTC))
	}
	stdout, stderr, code := executeIn(t.Context(), env, "show", "back", "--sandbox", "--state", filepath.Join(dir, "state"), "--json")
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	var shown report.Run
	if err := json.Unmarshal([]byte(stdout), &shown); err != nil {
		t.Fatal(err)
	}
	for by, parts := range map[string]report.SpendParts{
		"operation": shown.Spend.ByOperation, "outcome": shown.Spend.ByOutcome, "day": shown.Spend.ByDay,
	} {
		var sum report.SpendPart
		for _, part := range parts {
			sum.Attempts += part.Attempts
			sum.Charged += part.Charged
		}
		if sum.Attempts != 2 || sum.Charged != shown.Spent || sum.Charged == 0 {
			t.Errorf("by %s: %d attempts, $%s of $%s", by, sum.Attempts, sum.Charged, shown.Spent)
		}
	}
	if len(shown.Spend.ByDay) != 2 {
		t.Errorf("%d days\n%s", len(shown.Spend.ByDay), stdout)
	}
}

// executeAt runs the program in this process with its own clock.
func (p *program) executeAt(ahead time.Duration, flags ...string) (code int, stderr string) {
	vars := map[string]string{"SERVICE_BASE_URL": p.baseURL, "SERVICE_API_KEY": sandbox.DefaultKey}
	env := quietEnvironment(vars)
	env.now = func() time.Time { return time.Now().Add(ahead) }
	_, stderr, code = executeIn(p.t.Context(), env, append(slices.Clip(p.args), flags...)...)
	return code, stderr
}

// checkWindow checks that no span of the window's length saw more lookups than its slots.
func checkWindow(t *testing.T, arrivals []sandbox.Arrival, slots int, window time.Duration) {
	t.Helper()
	for i := slots; i < len(arrivals); i++ {
		if span := arrivals[i].At.Sub(arrivals[i-slots].At); span < window {
			t.Errorf("lookups %d to %d came within %s", i-slots+1, i+1, span)
		}
	}
}
