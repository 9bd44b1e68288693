package jobs

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/io/notify"
	"payonce/pipeline/workspace"
)

// memory is a store in memory.
type memory struct {
	keys    []string // in order
	records map[string][]byte
	version uint64
}

func newMemory() *memory                         { return &memory{records: map[string][]byte{}} }
func (m *memory) Get(key []byte) ([]byte, error) { return m.records[string(key)], nil }
func (m *memory) Version() uint64                { return m.version }
func (m *memory) Close() error                   { return nil }

// copied returns a store with the same records.
func (m *memory) copied() *memory {
	return &memory{keys: slices.Clone(m.keys), records: maps.Clone(m.records), version: m.version}
}

func (m *memory) Commit(writes []record.Write) error {
	m.version++
	for _, write := range writes {
		key := string(write.Key)
		at, found := slices.BinarySearch(m.keys, key)
		switch {
		case write.Value == nil && found:
			m.keys = slices.Delete(m.keys, at, at+1)
			delete(m.records, key)
		case write.Value != nil:
			if !found {
				m.keys = slices.Insert(m.keys, at, key)
			}
			m.records[key] = slices.Clone(write.Value)
		}
	}
	return nil
}

func (m *memory) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	first, _ := slices.BinarySearch(m.keys, max(string(prefix), string(from)))
	for _, key := range m.keys[first:] {
		if !strings.HasPrefix(key, string(prefix)) {
			return nil
		}
		if more, err := visit([]byte(key), m.records[key]); err != nil || !more {
			return err
		}
	}
	return nil
}

var firstYear = flag.Uint64("year.seed", 0, "the first seed of the simulated years; 0 for another one each time")

// yearSeed returns the seed of the first year of a test. The others follow it.
func yearSeed() uint64 {
	if *firstYear != 0 {
		return *firstYear
	}
	return uint64(time.Now().UnixNano())
}

// year is a job in virtual time, whose machine stops, whose clock is set and whose runs fail and crash.
type year struct {
	t      *testing.T
	random *rand.Rand
	store  *memory
	job    *Job
	now    time.Time
	ran    map[string]int // how often an occurrence came to its end
	told   *listeners
}

// check fails when something went wrong that must not.
func (y *year) check(err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatalf("at %s: %v", y.now, err)
	}
}

// start starts the job as a timer does: it runs what is due. A second scheduler starts it at the same time; it
// has read the state that the first one read.
func (y *year) start() {
	for range 1000 {
		c, second := newClaim(y.job, RunRequest{}, y.now), newClaim(y.job, RunRequest{}, y.now)
		before := y.store.copied()
		was, err := checkpoint.JobRecord(y.store, y.job.Name)
		y.check(err)
		y.check(c.decide(y.store))
		y.told.expectDecided(was, c)
		if y.random.IntN(20) == 0 {
			return // the process is killed
		}
		y.told.send(y.job)
		if c.claimed == nil {
			return
		}
		checkInTime(y.t, y.job, c)
		y.check(second.decide(before)) // decides the same, and is refused by the journal
		if err := checkpoint.ClaimOccurrences(y.store, checkpoint.Claims{Job: second.job, Passed: second.passed, Claim: second.claimed}); !errors.Is(err, checkpoint.ErrClaimed) {
			y.t.Fatalf("at %s a second scheduler claimed %s too: %v", y.now, second.claimed.At, err)
		}
		y.now = y.now.Add(time.Duration(y.random.Int64N(int64(40 * time.Minute))))
		if y.random.IntN(20) == 0 {
			return // the process is killed
		}
		ended := *c.claimed
		ended.Ended = y.now
		switch y.random.IntN(12) {
		case 0:
			ended.Exit, ended.Reason = 4, "service"
		case 1:
			ended.Exit, ended.Reason = exitInterrupted, "interrupted"
		case 2:
			ended.Exit, ended.Reason = exitCeiling, "daily"
		}
		if !goesOn(int(ended.Exit)) {
			y.ran[ended.At]++
		}
		y.told.expect(ended, map[int64][]notify.Kind{
			exitDone: {notify.Success}, exitCeiling: {notify.Ceiling, notify.Success}, 4: {notify.Failure},
		}[ended.Exit]...)
		y.check((&ending{job: y.job, ended: ended, note: func(string) {}}).write(y.store))
		if y.random.IntN(20) == 0 {
			return // the process is killed after the commit
		}
		y.told.send(y.job)
		if goesOn(int(ended.Exit)) {
			return
		}
	}
	y.t.Fatalf("at %s the job starts again and again", y.now)
}

// checkInTime fails when an occurrence starts that is not due yet, or whose catch-up window has passed.
func checkInTime(t *testing.T, job *Job, c *claim) {
	t.Helper()
	at, err := parseLocalTime(c.claimed.At)
	if err != nil {
		t.Fatal(err)
	}
	if late := c.now.Sub(at.In(job.Plan.Zone)); late > job.Plan.CatchUp {
		t.Errorf("%s of %s starts %s after its time, and its catch-up window is %s", at, job.Name, late, job.Plan.CatchUp)
	}
	if early := job.Plan.Due(at).Sub(c.now); early > 0 && c.claimed.Starts == 1 { // later the clock may have been set back
		t.Errorf("%s of %s starts %s before it is due", at, job.Name, early)
	}
}

// resume lets the job start again when it is paused, as a person would do after a while.
func (y *year) resume() {
	known, err := checkpoint.JobRecord(y.store, y.job.Name)
	y.check(err)
	if known.PausedAt.IsZero() || y.random.IntN(3) > 0 {
		return
	}
	c := newClaim(y.job, RunRequest{}, y.now)
	y.check(c.decide(y.store))
	y.told.expectDecided(known, c)
	_, err = resume(y.store, y.job, "", y.now, workspace.Peers{})
	y.check(err)
}

// live lets a year pass.
func (y *year) live(end time.Time) {
	for y.now.Before(end) {
		_, due := y.job.Plan.NextAfter(y.now)
		y.now = due.Add(time.Duration(y.random.IntN(3)) * time.Second)
		switch y.random.IntN(40) {
		case 0: // the machine is off for some days
			y.now = y.now.Add(time.Duration(y.random.IntN(100)) * time.Hour)
		case 1: // the clock is set forward
			y.now = y.now.Add(time.Duration(y.random.IntN(180)) * time.Minute)
		case 2: // the clock is set back
			y.now = y.now.Add(-time.Duration(y.random.IntN(180)) * time.Minute)
		case 3:
			y.resume()
		case 4:
			y.told.goDown()
		}
		y.resume()
		y.start()
	}
	// In the end the machine runs, so that what was interrupted comes to its end.
	for range 50 {
		_, y.now = y.job.Plan.NextAfter(y.now)
		y.resume()
		y.start()
	}
	for range 100 {
		y.now = y.now.Add(6 * time.Hour)
		y.told.send(y.job)
	}
}

// verify checks that every occurrence ran once or has a reason.
func (y *year) verify() (ran, passed int) {
	history, err := checkpoint.JobHistory(y.store, y.job.Name)
	y.check(err)
	known, err := checkpoint.JobRecord(y.store, y.job.Name)
	y.check(err)
	has := map[string]bool{}
	for _, one := range history {
		first, last := one.At, one.At
		if one.Count > 1 {
			first = one.First
		}
		if one.Starts == 0 && one.Reason == "" || one.Starts > 0 && one.Ended.IsZero() && one.Reason == "" && one.At != known.Unfinished {
			y.t.Errorf("%s has not ended and has no reason: %+v", one.At, one)
		}
		from, err := parseLocalTime(first)
		y.check(err)
		for at := from; at.String() <= last; at = y.job.Plan.Times.Next(at) {
			has[at.String()] = true
		}
	}
	from, err := parseLocalTime(history[0].At)
	y.check(err)
	for at := from; at.String() <= known.Decided; at = y.job.Plan.Times.Next(at) {
		switch runs := y.ran[at.String()]; {
		case runs > 1:
			y.t.Errorf("%s ran %d times", at, runs)
		case runs == 1:
			ran++
		case has[at.String()]:
			passed++
		default:
			y.t.Errorf("%s did not run, and there is no reason", at)
		}
	}
	return ran, passed
}

// TestInAYearEveryOccurrenceRanOnceOrHasAReason lives through a year in several zones, with missed nights, crashes,
// failures, pauses, two schedulers and a clock that is set. Every alert reaches its channels, one of which is down at
// times; one that comes again has the same ID; and nothing that ran well has an alert but success.
func TestInAYearEveryOccurrenceRanOnceOrHasAReason(t *testing.T) {
	t.Parallel()
	begin := yearSeed()
	first := begin
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"} {
		for _, times := range []string{"daily at 02:30", "*/30 2-3 * * *", "30 1 1,15 * 0"} {
			first++
			seed := first
			t.Run(fmt.Sprintf("%s %s", zone, times), func(t *testing.T) {
				t.Parallel()
				t.Logf("seed %d; repeat all with -year.seed=%d", seed, begin)
				location, err := time.LoadLocation(zone)
				if err != nil {
					t.Fatal(err)
				}
				parsed, err := parseTimes(times)
				if err != nil {
					t.Fatal(err)
				}
				random := rand.New(rand.NewPCG(seed, 1))
				y := &year{
					t: t, random: random, store: newMemory(), ran: map[string]int{},
					now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC),
					job: &Job{
						Name: "nightly", Retention: 1000 * 24 * time.Hour, PauseAfter: 3,
						Plan: SchedulePlan{
							Job: "nightly", Times: parsed, Zone: location, CatchUp: 24 * time.Hour,
							Jitter: time.Duration(random.IntN(2)) * 10 * time.Minute, Overlaps: random.IntN(2) == 0,
						},
					},
				}
				y.told = newListeners(t, random, y.store, func() time.Time { return y.now })
				if times != "*/30 2-3 * * *" { // thousands of alerts take the test long
					y.job.Alerts, y.job.NoRunAfter = y.told.channels(), 60*time.Hour
				} else {
					y.told.deaf = true
				}
				y.live(y.now.AddDate(1, 0, 0))
				heard := y.told.verify()
				t.Logf("%d alerts reached their channels, %d again, after %d refusals: %v", heard, y.told.dropped, y.told.refused, y.told.kinds())
				if ran, passed := y.verify(); ran < passed/4 || ran < 20 {
					t.Errorf("%d ran and %d did not", ran, passed)
				}
			})
		}
	}
}
