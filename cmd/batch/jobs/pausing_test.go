package jobs

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/io/notify"
	"payonce/pipeline/workspace"
)

// paused pauses a job in a store, as a person does.
func paused(t *testing.T, s *memory, job *Job, now time.Time) {
	t.Helper()
	known, err := checkpoint.JobRecord(s, job.Name)
	if err != nil {
		t.Fatal(err)
	}
	known.PausedAt = now
	if err := checkpoint.SaveJob(s, known); err != nil {
		t.Fatal(err)
	}
}

// TestAPausedJobKeepsItsWait pauses and resumes a job whose occurrence waits for its daily ceiling. Meanwhile a timer
// starts the job.
func TestAPausedJobKeepsItsWait(t *testing.T) {
	until := noon.Add(12 * time.Hour) // the end of the ceiling
	for name, c := range map[string]struct {
		pause, resume time.Time
		starts        []time.Time // in the pause
		goesOn        time.Time   // zero for never
		text          string
	}{
		"for a minute": {
			pause: noon.Add(2 * time.Hour), resume: noon.Add(2*time.Hour + time.Minute), starts: []time.Time{noon.Add(2*time.Hour + 30*time.Second)},
			goesOn: until,
			text:   "job starts again\n2026-03-04T12:00 goes on at 2026-03-05 00:00 UTC, as it would have without the pause\n",
		},
		"until after the wait": {
			pause: noon.Add(2 * time.Hour), resume: noon.Add(14 * time.Hour), starts: []time.Time{noon.Add(10 * time.Hour), noon.Add(13 * time.Hour)},
			goesOn: noon.Add(14 * time.Hour), text: "job starts again\n2026-03-04T12:00 goes on with the next start\n",
		},
		"until after its window": {
			pause: noon.Add(2 * time.Hour), resume: noon.Add(30 * time.Hour), starts: []time.Time{noon.Add(10 * time.Hour), noon.Add(25 * time.Hour)},
			text: "job starts again\n2026-03-04T12:00 is given up: it did not come to its end within its catch-up window. To go on with it, run:\n" +
				"batch jobs run job --occurrence 2026-03-04T12:00\n" +
				"2026-03-05T12:00 was due while the job was paused, and does not run. To run it, run:\nbatch jobs run job --occurrence 2026-03-05T12:00\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, plan := newMemory(), planned(t, "daily at 12:00")
			job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000, Alerts: []AlertChannel{{Name: "ops", Kinds: notify.Alerts()}}}
			due, _ := begin(t, s, plan, noon, RunRequest{})
			waits(t, s, job, due, noon.Add(time.Hour), until)
			paused(t, s, job, c.pause)
			for _, at := range c.starts {
				start := newClaim(job, RunRequest{}, at)
				if err := start.decide(s); err != nil || start.claimed != nil {
					t.Fatalf("in the pause %v starts, %v", start.claimed, err)
				}
			}
			r, err := resume(s, job, "", c.resume, workspace.Peers{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.text, r.text(job, c.resume)); diff != "" {
				t.Errorf("resume says (-want +got):\n%s", diff)
			}
			if c.goesOn.IsZero() {
				alerts, err := checkpoint.OpenAlerts(s, "job")
				if err != nil || len(alerts) != 3 || alerts[1].Kind != string(notify.Failure) || alerts[2].Kind != string(notify.Skipped) {
					t.Errorf("alerts %+v, %v", alerts, err)
				}
				return
			}
			if early, _ := chosen(t, s, job, c.goesOn.Add(-time.Second), RunRequest{}); early.claimed != nil && c.goesOn.Equal(until) {
				t.Errorf("%s starts before its time", early.claimed.At)
			}
			if again, err := begin(t, s, plan, c.goesOn, RunRequest{}); err != nil || again != due {
				t.Errorf("%q goes on, want %q, error %v", again, due, err)
			}
		})
	}
}

// TestAPauseSkipsOnlyWhatBecomesDueInIt pauses an hourly job that nothing started for some hours.
func TestAPauseSkipsOnlyWhatBecomesDueInIt(t *testing.T) {
	s, plan := newMemory(), planned(t, "0 * * * *")
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000}
	due, _ := begin(t, s, plan, noon, RunRequest{})
	end(t, s, job, due, exitDone)
	paused(t, s, job, noon.Add(5*time.Hour+30*time.Minute)) // 13:00 to 17:00 are due and did not start
	r, err := resume(s, job, "", noon.Add(5*time.Hour+30*time.Minute+time.Second), workspace.Peers{})
	if err != nil || r.passed != 0 {
		t.Errorf("in a second %d occurrences did not run, error %v", r.passed, err)
	}
	paused(t, s, job, noon.Add(6*time.Hour+30*time.Minute))
	if r, err = resume(s, job, "", noon.Add(8*time.Hour+30*time.Minute), workspace.Peers{}); err != nil || r.passed != 2 || r.last.String() != "2026-03-04T20:00" {
		t.Errorf("%d occurrences did not run, the last of them %s, error %v", r.passed, r.last, err)
	}
	now, ran := noon.Add(9*time.Hour+10*time.Minute), []string{}
	for {
		c := newClaim(job, RunRequest{}, now)
		if err := c.decide(s); err != nil {
			t.Fatal(err)
		}
		if c.claimed == nil {
			break
		}
		ran = append(ran, c.claimed.At[11:])
		one := *c.claimed
		one.Ended = now
		if err := (&ending{job: job, ended: one}).write(s); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	if diff := cmp.Diff([]string{"13:00", "14:00", "15:00", "16:00", "17:00", "18:00", "21:00"}, ran); diff != "" {
		t.Errorf("these ran (-want +got):\n%s", diff)
	}
	history, err := checkpoint.JobHistory(s, "job")
	if err != nil {
		t.Fatal(err)
	}
	var did []string
	for _, one := range history {
		if one.Starts == 0 {
			did = append(did, described(one))
		}
	}
	want := []string{"2026-03-04T19:00 to 2026-03-04T20:00 (2): did not run: paused"}
	if diff := cmp.Diff(want, did); diff != "" {
		t.Errorf("these did not run (-want +got):\n%s", diff)
	}
}

// TestOneCauseInOneStartIsOneFailure runs occurrences that are caught up in one start, as Runner does.
func TestOneCauseInOneStartIsOneFailure(t *testing.T) {
	const done, unreachable, list, approval = "", "service:unreachable", "usage/list_missing", "approval_missing"
	for name, c := range map[string]struct {
		starts   [][]string // the causes of the occurrences of each start
		failures int64
		paused   bool
	}{
		"one outage":                      {starts: [][]string{{unreachable, unreachable, unreachable, unreachable}}, failures: 1},
		"two causes":                      {starts: [][]string{{unreachable, list, unreachable}}, failures: 2},
		"an outage that lasts":            {starts: [][]string{{unreachable, unreachable}, {unreachable}, {unreachable}}, failures: 3, paused: true},
		"a list that stays away":          {starts: [][]string{{list}, {list}, {list}}, failures: 3, paused: true},
		"approvals that nobody gives":     {starts: [][]string{{approval, approval}, {approval}, {approval}, {approval}}},
		"an approval among failures":      {starts: [][]string{{unreachable}, {approval}, {unreachable}}, failures: 2},
		"one that runs well in between":   {starts: [][]string{{unreachable, done, unreachable}}, failures: 1},
		"one that runs well, then others": {starts: [][]string{{unreachable}, {unreachable, done}, {unreachable}}, failures: 1},
	} {
		t.Run(name, func(t *testing.T) {
			job := pausing(t, "0 * * * *")
			for i, causes := range c.starts {
				job.start(noon.Add(time.Duration(i*20+len(causes))*time.Hour), causes)
			}
			known, err := checkpoint.JobRecord(job.store, "job")
			if err != nil || known.Failures != c.failures || known.PausedAt.IsZero() == c.paused {
				t.Errorf("%d failures, paused at %s, %v; want %d, paused: %t", known.Failures, known.PausedAt, err, c.failures, c.paused)
			}
		})
	}
}

// pausingJob is a job whose occurrences end for causes.
type pausingJob struct {
	t     *testing.T
	job   *Job
	store *memory
}

func pausing(t *testing.T, times string) *pausingJob {
	t.Helper()
	plan := planned(t, times)
	plan.CatchUp = 5 * time.Hour
	return &pausingJob{t: t, store: newMemory(), job: &Job{Name: "job", Plan: plan, PauseAfter: 3, Retention: time.Hour * 1000}}
}

// start runs what is due in one start. The last occurrences end for causes, earlier ones do not begin.
func (p *pausingJob) start(now time.Time, causes []string) {
	p.t.Helper()
	known, err := checkpoint.JobRecord(p.store, "job")
	if err != nil {
		p.t.Fatal(err)
	}
	first := now.Add(-time.Duration(len(causes)) * time.Hour)
	known.Decided = localTimeOf(first).String()
	if err := checkpoint.SaveJob(p.store, known); err != nil {
		p.t.Fatal(err)
	}
	result := &StartResult{causes: map[string]bool{}}
	for _, cause := range causes {
		c := newClaim(p.job, RunRequest{}, now)
		if err := c.decide(p.store); err != nil || c.claimed == nil {
			p.t.Fatalf("at %s nothing starts for %q: %v", now, cause, err)
		}
		outcome := RunOutcome{}
		switch cause {
		case "":
		case "approval_missing":
			outcome = RunOutcome{Exit: exitApproval, Reason: cause}
		default:
			outcome = RunOutcome{Exit: 4, Reason: cause, CauseKind: cause}
		}
		e := ending{job: p.job, note: func(text string) { p.t.Error(text) }}
		at, _ := parseLocalTime(c.claimed.At)
		e.ended, e.noFailure = conclude(p.job.Plan, *c.claimed, at, outcome, now)
		if err := result.record(p.store, &e, outcome); err != nil {
			p.t.Fatal(err)
		}
	}
	if c := newClaim(p.job, RunRequest{}, now); c.decide(p.store) != nil || c.claimed != nil {
		p.t.Fatalf("more is due at %s: %+v", now, c.claimed)
	}
}

// TestAnAlertOfAPauseNamesTheCauseAndTheCommands ends an occurrence without a list, so that the job pauses itself.
func TestAnAlertOfAPauseNamesTheCauseAndTheCommands(t *testing.T) {
	s, plan := newMemory(), planned(t, "daily at 12:00")
	job := &Job{
		Name: "job", File: "/srv/my lists/night.yaml", Plan: plan, Retention: time.Hour * 1000, PauseAfter: 1,
		Alerts: []AlertChannel{{Name: "ops", Kinds: notify.Alerts()}},
	}
	at, _ := begin(t, s, plan, noon, RunRequest{})
	one, _, err := checkpoint.OccurrenceRecord(s, "job", at)
	if err != nil {
		t.Fatal(err)
	}
	one.Ended, one.Exit, one.Reason, one.Cause = noon.Add(time.Minute), exitUsageCode, "usage", "there is no list lists/2026-*.csv"
	e := ending{job: job, ended: one}
	if err := e.write(s); err != nil {
		t.Fatal(err)
	}
	const want = `The run failed: there is no list lists/2026-*.csv.
To run it again, run:
batch jobs run job --occurrence 2026-03-04T12:00 --file '/srv/my lists/night.yaml'
The job is paused. Occurrences that become due meanwhile do not run.
To let it start again, run:
batch jobs resume job --file '/srv/my lists/night.yaml'`
	if len(e.open) != 1 {
		t.Fatalf("alerts %+v", e.open)
	}
	if diff := cmp.Diff(want, e.open[0].Text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// exitUsageCode is the exit code of a list that is wrong.
const exitUsageCode = 2

// TestAnOccurrenceGoesOnBeforeAnotherAlsoWhenTheJobIsPaused: nothing is given up without a word.
func TestAnOccurrenceGoesOnBeforeAnotherAlsoWhenTheJobIsPaused(t *testing.T) {
	s, plan := newMemory(), planned(t, "daily at 12:00")
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000}
	due, _ := begin(t, s, plan, noon, RunRequest{})
	end(t, s, job, due, exitInterrupted)
	paused(t, s, job, noon.Add(2*time.Hour))
	now := noon.Add(3 * time.Hour)
	_, err := begin(t, s, plan, now, RunRequest{At: localTimeOf(noon.AddDate(0, 0, -1))})
	const want = "the occurrence 2026-03-04T12:00 of job has not come to its end and goes on first; to go on with it now, run batch jobs run job --occurrence 2026-03-04T12:00"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if at, err := begin(t, s, plan, now, RunRequest{Once: true}); err != nil || at != due {
		t.Errorf("by hand %s starts, want %s; %v", at, due, err)
	}
}

// TestMetricsCountOccurrencesByWhatBecameOfThem counts each of several that have one record.
func TestMetricsCountOccurrencesByWhatBecameOfThem(t *testing.T) {
	one := record.Occurrence{Job: "job", Count: 1, Starts: 1, Ended: noon}
	ended := func(exit int64) record.Occurrence { o := one; o.Exit = exit; return o }
	passed := func(reason string, n int64) record.Occurrence {
		return record.Occurrence{Job: "job", Count: n, Reason: reason}
	}
	waits, runs, given := ended(exitCeiling), one, ended(exitInterrupted)
	waits.Until, runs.Ended, given.Reason = noon, time.Time{}, record.NotFinished
	known := Known{History: []record.Occurrence{
		ended(exitDone), ended(exitCeiling), ended(4), ended(exitApproval), waits, runs, given, ended(exitInterrupted),
		passed("missed", 3), passed("overlap", 2), passed("paused: the export is rebuilt", 5),
	}}
	want := map[string]int64{
		"done": 2, "failed": 2, "approval": 1, "waiting": 1, "running": 2, "missed": 3, "skipped": 2, "paused": 5,
	}
	if diff := cmp.Diff(want, known.Occurrences()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTheHistoryHasTheCauseAndTheCommandOfEachOccurrence also in the words of commands and pages.
func TestTheHistoryHasTheCauseAndTheCommandOfEachOccurrence(t *testing.T) {
	job := &Job{Name: "job", Plan: planned(t, "daily at 12:00")}
	failed := record.Occurrence{Job: "job", At: "2026-03-04T12:00", Count: 1, Starts: 1, Ended: noon, Exit: 2, Reason: "usage", Cause: "there is no list a.csv"}
	well, waiting, missed := failed, failed, failed
	well.Exit, well.Reason, well.Cause = 0, "", ""
	waiting.Exit, waiting.Reason, waiting.Cause, waiting.Until = 3, "ceiling:daily", "", noon
	missed.Starts, missed.Exit, missed.Reason, missed.Cause = 0, 0, "missed", ""
	given := failed
	given.Reason, given.Cause = record.NotFinished, ""
	const again = "batch jobs run job --occurrence 2026-03-04T12:00"
	want := [][3]string{
		{"there is no list a.csv", "To run it again", again},
		{"", "", ""},
		{"the run reached the ceiling daily", "", ""},
		{"its catch-up window had passed", "To run it", again},
		{"it did not come to its end within its catch-up window", "To go on with it", again},
	}
	var got [][3]string
	for _, one := range advised([]record.Occurrence{failed, well, waiting, missed, given}, []*Job{job}) {
		got = append(got, [3]string{one.Cause, one.doing, one.Command})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestACrashThatPausedTheJobDoesNotCountAfterTheResume kills the process of a run until the job is paused. After a
// person let the job start again, its occurrence goes on, and the crash from before does not pause it again.
func TestACrashThatPausedTheJobDoesNotCountAfterTheResume(t *testing.T) {
	for name, times := range map[string]string{"with a schedule": "daily at 12:00", "without one": ""} {
		t.Run(name, func(t *testing.T) {
			s, plan := newMemory(), planned(t, times)
			job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000, PauseAfter: 1}
			due, err := begin(t, s, plan, noon, RunRequest{Once: times == ""})
			if err != nil {
				t.Fatal(err)
			}
			// The process is killed. The next start counts that and pauses the job.
			killed := newClaim(job, RunRequest{}, noon.Add(time.Hour))
			if err := killed.decide(s); err != nil || killed.claimed != nil || killed.job.PausedAt.IsZero() {
				t.Fatalf("after the crash %v starts in the state %+v, error %v", killed.claimed, killed.job, err)
			}
			if r, err := resume(s, job, "", noon.Add(2*time.Hour), workspace.Peers{}); err != nil || r.goesOn.At != due {
				t.Fatalf("resume says that %q goes on, want %q, error %v", r.goesOn.At, due, err)
			}
			c := newClaim(job, RunRequest{}, noon.Add(3*time.Hour))
			if err := c.decide(s); err != nil {
				t.Fatal(err)
			}
			if c.claimed == nil || c.claimed.At != due || !c.job.PausedAt.IsZero() || c.job.Failures != 0 {
				t.Fatalf("after the resume %+v starts, want %s, in the state %+v", c.claimed, due, c.job)
			}
			// A crash after the resume counts.
			if err := checkpoint.SaveJob(s, c.job); err != nil {
				t.Fatal(err)
			}
			again := newClaim(job, RunRequest{}, noon.Add(4*time.Hour))
			if err := again.decide(s); err != nil || again.claimed != nil || again.job.PausedAt.IsZero() {
				t.Errorf("after another crash %v starts in the state %+v, error %v", again.claimed, again.job, err)
			}
		})
	}
}
