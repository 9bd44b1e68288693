package jobs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/io/atomicfile"
	"payonce/io/notify"
)

// noon is a time at which no test job is due.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// planned returns the plan of a job that is due at times, or has no schedule.
func planned(t *testing.T, times string) SchedulePlan {
	t.Helper()
	plan := SchedulePlan{Job: "job", Zone: time.UTC, CatchUp: 24 * time.Hour}
	if times != "" {
		parsed, err := parseTimes(times)
		if err != nil {
			t.Fatal(err)
		}
		plan.Times = parsed
	}
	return plan
}

// begin claims an occurrence and returns its name.
func begin(t *testing.T, s *memory, plan SchedulePlan, now time.Time, q RunRequest) (string, error) {
	t.Helper()
	c := claim{plan: plan, now: now, request: q}
	if err := c.decide(s); err != nil {
		return "", err
	}
	if c.claimed == nil {
		t.Fatal("nothing starts")
	}
	return c.claimed.At, nil
}

// end records how an occurrence ended.
func end(t *testing.T, s *memory, job *Job, at string, exit int64, outputs ...string) {
	t.Helper()
	one, _, err := checkpoint.OccurrenceRecord(s, job.Name, at)
	if err != nil {
		t.Fatal(err)
	}
	one.Ended, one.Exit, one.Outputs = noon.Add(time.Hour), exit, outputs
	if err := (&ending{job: job, ended: one, note: func(text string) { t.Error(text) }}).write(s); err != nil {
		t.Fatal(err)
	}
}

func TestTwoStartsInOneSecondAreTwoOccurrences(t *testing.T) {
	s, plan := newMemory(), planned(t, "")
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000}
	first, _ := begin(t, s, plan, noon, RunRequest{Once: true})
	end(t, s, job, first, exitCeiling)
	second, err := begin(t, s, plan, noon, RunRequest{Once: true})
	if err != nil || second == first {
		t.Errorf("the second start is %q after %q, error %v", second, first, err)
	}
}

func TestAnInterruptedJobWithoutAScheduleGoesOn(t *testing.T) {
	s, plan := newMemory(), planned(t, "")
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000}
	first, _ := begin(t, s, plan, noon, RunRequest{Once: true})
	end(t, s, job, first, exitInterrupted)
	if second, err := begin(t, s, plan, noon.Add(time.Minute), RunRequest{Once: true}); err != nil || second != first {
		t.Errorf("after an interrupt of %q begins %q, error %v", first, second, err)
	}
	if third, err := begin(t, s, plan, noon.Add(time.Hour), RunRequest{Once: true}); err != nil || third != first {
		t.Errorf("after a kill of %q begins %q, error %v", first, third, err)
	}
}

func TestAnInterruptedOccurrenceGoesOnBeforeAnother(t *testing.T) {
	s, plan := newMemory(), planned(t, "daily at 12:00")
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000}
	due, _ := begin(t, s, plan, noon, RunRequest{})
	end(t, s, job, due, exitInterrupted)
	now := noon.Add(time.Hour)
	if _, err := begin(t, s, plan, now, RunRequest{Once: true}); err == nil || !strings.Contains(err.Error(), due) {
		t.Errorf("an occurrence that was interrupted is given up: %v", err)
	}
	if again, err := begin(t, s, plan, now, RunRequest{}); err != nil || again != due {
		t.Errorf("%q goes on, want %q, error %v", again, due, err)
	}
	end(t, s, job, due, exitDone)
	if _, err := begin(t, s, plan, now, RunRequest{Once: true}); err != nil {
		t.Errorf("after its end: %v", err)
	}
}

// A person pauses the job and lets it start again while its list is being made.
func TestAnOccurrenceGoesOnThoughTheJobWasPausedMeanwhile(t *testing.T) {
	s, plan := newMemory(), planned(t, "daily at 12:00")
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000}
	due, _ := begin(t, s, plan, noon, RunRequest{})
	known, err := checkpoint.JobRecord(s, "job")
	known.Unfinished = ""
	if err != nil || checkpoint.SaveJob(s, known) != nil {
		t.Fatal(err)
	}
	end(t, s, job, due, exitInterrupted)
	if again, err := begin(t, s, plan, noon.Add(time.Hour), RunRequest{}); err != nil || again != due {
		t.Errorf("%q goes on, want %q, error %v", again, due, err)
	}
}

func TestAStartByHandDoesNotTakeATimeOfTheSchedule(t *testing.T) {
	s, plan := newMemory(), planned(t, "daily at 12:00")
	at, err := begin(t, s, plan, noon, RunRequest{Once: true})
	if err != nil || at != "2026-03-04T12:00:01" {
		t.Errorf("the occurrence is %q, error %v", at, err)
	}
}

// TestTheNewestOutputsAreKept has occurrences that write the same output, that fail, and that run late.
func TestTheNewestOutputsAreKept(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, c := range map[string]struct {
		keep  int64
		steps []string // day of March, exit and output, in the order of their end
		left  []string
	}{
		"one a day":         {2, []string{"1 0 a", "2 0 b", "3 0 c"}, []string{"b", "c"}},
		"one file of a day": {2, []string{"1 0 a", "2 0 b", "3 0 b", "4 0 b", "5 0 b"}, []string{"a", "b"}},
		"failures":          {2, []string{"1 0 a", "2 2 x", "3 2 y", "4 2 z", "5 0 b"}, []string{"a", "b"}},
		"a late one":        {1, []string{"2 0 b", "3 0 c", "1 0 a"}, []string{"a", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, plan := newMemory(), planned(t, "")
			job := &Job{Name: "job", Plan: plan, Keep: c.keep, Retention: time.Hour * 10000}
			for _, step := range c.steps {
				var day int
				var exit int64
				var output string
				if _, err := fmt.Sscan(step, &day, &exit, &output); err != nil {
					t.Fatal(err)
				}
				at, err := begin(t, s, plan, time.Date(2026, 3, day, 1, 0, 0, 0, time.UTC), RunRequest{Once: true})
				if err != nil {
					t.Fatal(err)
				}
				if exit == exitDone {
					written(t, s, path(output))
				}
				end(t, s, job, at, exit, path(output))
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, entry := range entries {
				left = append(left, entry.Name())
				if err := os.Remove(path(entry.Name())); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(left, c.left) {
				t.Errorf("%q are left, want %q", left, c.left)
			}
		})
	}
}

// TestKeepRemovesNoEditThatKeepsSizeAndTime edits an output that is too old. An output whose record has no hash is
// known by its size and its time alone.
func TestKeepRemovesNoEditThatKeepsSizeAndTime(t *testing.T) {
	s, dir := newMemory(), t.TempDir()
	for name, stays := range map[string]bool{"edited": true, "as it was": false, "without a hash": false} {
		path := filepath.Join(dir, name)
		written(t, s, path)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if name == "without a hash" {
			saveFile(t, s, path, record.File{Size: info.Size(), Changed: info.ModTime()})
		}
		if name != "as it was" {
			err := errors.Join(os.WriteFile(path, []byte("x,y\n"), 0o600), os.Chtimes(path, info.ModTime(), info.ModTime()))
			if err != nil {
				t.Fatal(err)
			}
		}
		err = removeUnchanged(s, path)
		if (err != nil) != stays || exists(path) != stays {
			t.Errorf("%s: it stays: %t, error %v", name, exists(path), err)
		}
	}
}

// written writes an output as a run does: its size, its time and its hash are in the journal.
func written(t *testing.T, s *memory, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("a,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := atomicfile.SumOf(path)
	if err != nil {
		t.Fatal(err)
	}
	saveFile(t, s, path, record.File{Size: info.Size(), Changed: info.ModTime(), Hash: hash})
}

// saveFile records an output.
func saveFile(t *testing.T, s *memory, path string, file record.File) {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit([]record.Write{{Key: record.NameKey(record.FilePrefix, real), Value: record.Encode(&file)}}); err != nil {
		t.Fatal(err)
	}
}

// A process that is killed records nothing. The next start counts that, and the third one pauses the job.
func TestCrashesInARowPauseTheJob(t *testing.T) {
	s, plan := newMemory(), planned(t, "daily at 12:00")
	job := &Job{Name: "job", Plan: plan, PauseAfter: 3, Alerts: []AlertChannel{{Name: "ops", Kinds: notify.Alerts()}}}
	for start := range 4 {
		c := newClaim(job, RunRequest{}, noon.Add(time.Duration(start)*time.Minute))
		if err := c.decide(s); err != nil {
			t.Fatal(err)
		}
		if began, paused := c.claimed != nil, !c.job.PausedAt.IsZero(); began == (start == 3) || paused != (start == 3) || c.job.Failures != int64(start) {
			t.Errorf("start %d: it begins: %t, the job is paused: %t after %d failures", start, began, paused, c.job.Failures)
		}
	}
	open, err := checkpoint.OpenAlerts(s, "job")
	if err != nil || len(open) != 1 || open[0].Kind != string(notify.Failure) {
		t.Errorf("alerts %+v, %v", open, err)
	}
	c := newClaim(job, RunRequest{}, noon.Add(time.Hour))
	if changes, err := c.choose(s); changes && c.claimed != nil || err != nil {
		t.Errorf("a paused job starts: %v", err)
	}
}
