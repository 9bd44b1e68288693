package jobs

import (
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
)

// waits records that an occurrence reached a limit that ends at a time.
func waits(t *testing.T, s *memory, job *Job, at string, now, until time.Time) {
	t.Helper()
	one, _, err := checkpoint.OccurrenceRecord(s, job.Name, at)
	if err != nil {
		t.Fatal(err)
	}
	one.Ended, one.Exit, one.Reason, one.Until = now, exitCeiling, "ceiling:daily", until
	if err := (&ending{job: job, ended: one, note: func(text string) { t.Error(text) }}).write(s); err != nil {
		t.Fatal(err)
	}
}

// chosen returns what a start decides, without recording it, and whether there was something to record.
func chosen(t *testing.T, s *memory, job *Job, now time.Time, q RunRequest) (*claim, bool) {
	t.Helper()
	c := &claim{plan: job.Plan, now: now, request: q}
	changes, err := c.choose(s)
	if err != nil {
		t.Fatal(err)
	}
	return c, changes
}

func TestAJobThatWaitsGoesOnWhenTheLimitHasEnded(t *testing.T) {
	s, plan := newMemory(), planned(t, "daily at 12:00")
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000, PauseAfter: 1}
	due, _ := begin(t, s, plan, noon, RunRequest{})
	until := noon.Add(12 * time.Hour)
	waits(t, s, job, due, noon.Add(time.Hour), until)

	before, changes := chosen(t, s, job, noon.Add(2*time.Hour), RunRequest{})
	if before.claimed != nil || changes || !before.waits.Equal(until) || !before.wake.Equal(until) {
		t.Errorf("before its time: starts %v, something to record %t, waits until %s", before.claimed, changes, before.waits)
	}
	known, err := checkpoint.WaitingOccurrences(s)
	if err != nil || len(known) != 1 || known[0].At != due || known[0].Reason != "ceiling:daily" || !known[0].Until.Equal(until) {
		t.Errorf("the journal says that %+v wait, error %v", known, err)
	}
	if again, err := begin(t, s, plan, until, RunRequest{}); err != nil || again != due {
		t.Errorf("at its time %q goes on, want %q, error %v", again, due, err)
	}
	one, _, err := checkpoint.OccurrenceRecord(s, "job", due)
	if err != nil || one.Starts != 2 || !one.Until.IsZero() || !one.Ended.IsZero() {
		t.Errorf("it goes on as %+v, error %v", one, err)
	}
	if state, _ := checkpoint.JobRecord(s, "job"); state.Failures != 0 || !state.PausedAt.IsZero() {
		t.Errorf("to wait counts as a failure: %+v", state)
	}
}

func TestAManualStartResumesAWaitingJobAtOnce(t *testing.T) {
	for name, times := range map[string]string{"with a schedule": "daily at 12:00", "without": ""} {
		t.Run(name, func(t *testing.T) {
			s, plan := newMemory(), planned(t, times)
			job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000}
			q := RunRequest{Once: times == ""}
			at, err := begin(t, s, plan, noon, q)
			if err != nil {
				t.Fatal(err)
			}
			waits(t, s, job, at, noon.Add(time.Hour), noon.Add(12*time.Hour))
			if again, err := begin(t, s, plan, noon.Add(2*time.Hour), RunRequest{Once: true}); err != nil || again != at {
				t.Errorf("%q goes on, want %q, error %v", again, at, err)
			}
		})
	}
}

// A start by hand of a job without a schedule may come from a crontab, which knows nothing of the limit.
func TestAJobWithoutAScheduleWaitsToo(t *testing.T) {
	s, plan := newMemory(), planned(t, "")
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000}
	byHand := RunRequest{Once: true, ByHand: true}
	at, err := begin(t, s, plan, noon, byHand)
	if err != nil {
		t.Fatal(err)
	}
	until := noon.Add(12 * time.Hour)
	waits(t, s, job, at, noon.Add(time.Hour), until)
	if before, _ := chosen(t, s, job, noon.Add(2*time.Hour), byHand); before.claimed != nil || !before.waits.Equal(until) {
		t.Errorf("before its time %v starts, waits until %s", before.claimed, before.waits)
	}
	if due, _ := chosen(t, s, job, until, RunRequest{}); due.claimed == nil || due.claimed.At != at {
		t.Errorf("at its time %v goes on, want %q", due.claimed, at)
	}
	if again, err := begin(t, s, plan, until, byHand); err != nil || again != at {
		t.Errorf("at its time %q goes on, want %q, error %v", again, at, err)
	}
}

// To wait is to run: what became due meanwhile is skipped, also when the occurrence has gone on and ended.
func TestOccurrencesThatAreDueWhileAnotherOneWaitsAreSkipped(t *testing.T) {
	s, plan := newMemory(), planned(t, "0 * * * *")
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000}
	due, _ := begin(t, s, plan, noon, RunRequest{})
	waits(t, s, job, due, noon.Add(time.Minute), noon.Add(5*time.Hour+time.Minute))
	again, err := begin(t, s, plan, noon.Add(5*time.Hour+2*time.Minute), RunRequest{})
	if err != nil || again != due {
		t.Fatalf("%q goes on, want %q, error %v", again, due, err)
	}
	one, _, _ := checkpoint.OccurrenceRecord(s, "job", due)
	one.Ended = noon.Add(5*time.Hour + 3*time.Minute)
	if err := (&ending{job: job, ended: one}).write(s); err != nil {
		t.Fatal(err)
	}
	after, _ := chosen(t, s, job, noon.Add(5*time.Hour+4*time.Minute), RunRequest{})
	if after.claimed != nil || len(after.passed) != 1 || after.passed[0].Count != 5 || after.passed[0].Reason != "overlap" {
		t.Errorf("starts %v, skipped %+v; want the five hours skipped", after.claimed, after.passed)
	}
}

func TestAWaitThatIsOverlookedForLongerThanItsWindowEnds(t *testing.T) {
	s, plan := newMemory(), planned(t, "daily at 12:00")
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000}
	due, _ := begin(t, s, plan, noon, RunRequest{})
	waits(t, s, job, due, noon.Add(time.Hour), noon.Add(12*time.Hour))
	next, err := begin(t, s, plan, noon.Add(30*time.Hour), RunRequest{})
	if err != nil || next == due {
		t.Errorf("%q starts, error %v", next, err)
	}
	one, _, err := checkpoint.OccurrenceRecord(s, "job", due)
	if err != nil || one.Reason != record.NotFinished || !one.Until.IsZero() {
		t.Errorf("the first one is %+v, error %v", one, err)
	}
}

// The history is as long as the retention time says.
func TestOccurrencesAreForgottenAfterTheRetentionTime(t *testing.T) {
	s, plan := newMemory(), planned(t, "daily at 12:00")
	job := &Job{Name: "job", Plan: plan, Retention: 10 * 24 * time.Hour}
	for day := range 30 {
		now := noon.AddDate(0, 0, day)
		at, err := begin(t, s, plan, now, RunRequest{})
		if err != nil {
			t.Fatal(err)
		}
		one, _, _ := checkpoint.OccurrenceRecord(s, "job", at)
		one.Ended = now.Add(time.Hour)
		if err := (&ending{job: job, ended: one}).write(s); err != nil {
			t.Fatal(err)
		}
	}
	history, err := checkpoint.JobHistory(s, "job")
	if err != nil || len(history) != 10 || history[0].At != "2026-03-24T12:00" {
		t.Errorf("%d occurrences are left, the oldest %+v, error %v", len(history), history[0], err)
	}
}
