package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/io/notify"
)

// listeners are two channels that hear of jobs for a year. One of them is down for days.
type listeners struct {
	t      *testing.T
	random *rand.Rand
	store  *memory
	now    func() time.Time

	mutex   sync.Mutex
	down    time.Time                 // the channel ops accepts nothing until then
	heard   map[string]map[string]int // by channel and ID: how often a message was accepted
	about   map[string]string         // by ID: the job, the occurrence and the kind
	texts   map[string]string         // by ID
	want    map[string]map[int64]bool // by what it is about: the starts of the occurrence
	dropped int                       // accepted messages whose record was lost with the process
	refused int
	deaf    bool // the job has no channels
}

func newListeners(t *testing.T, random *rand.Rand, store *memory, now func() time.Time) *listeners {
	return &listeners{
		t: t, random: random, store: store, now: now, heard: map[string]map[string]int{"ops": {}, "mail": {}}, about: map[string]string{},
		texts: map[string]string{},
		want:  map[string]map[int64]bool{},
	}
}

// listener is one of them.
type listener struct {
	*listeners
	name string
}

func (l listener) Send(_ context.Context, m notify.Message) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.name == "ops" && l.now().Before(l.down) {
		l.refused++
		return errors.New("the receiver answered 503 Service Unavailable")
	}
	about := fmt.Sprintf("%s/%s/%s", m.Job, m.Occurrence, m.Kind)
	if was, known := l.about[m.ID]; known && was != about {
		l.t.Errorf("%s is about %s and about %s", m.ID, was, about)
	}
	l.about[m.ID], l.texts[m.ID] = about, m.Text
	l.heard[l.name][m.ID]++
	return nil
}

// channels returns the channels for a job.
func (l *listeners) channels() []AlertChannel {
	return []AlertChannel{
		{Name: "ops", Channel: listener{l, "ops"}, Kinds: notify.Alerts()},
		{Name: "mail", Channel: listener{l, "mail"}, Kinds: notify.Alerts()},
	}
}

// expect says that both must hear of something.
func (l *listeners) expect(one record.Occurrence, kinds ...notify.Kind) {
	if l.deaf {
		return
	}
	for _, kind := range kinds {
		about := fmt.Sprintf("%s/%s/%s", one.Job, one.At, kind)
		if l.want[about] == nil {
			l.want[about] = map[int64]bool{}
		}
		l.want[about][one.Starts] = true
	}
}

// expectDecided says what both must hear of a decision, before which the journal knew something of the job.
func (l *listeners) expectDecided(was record.Job, c *claim) {
	for _, one := range c.passed {
		switch {
		case one.Reason == string(Missed) && c.request == (RunRequest{}): // else it was told before: see keepEarlier
			l.expect(one, notify.Missed)
		case one.Reason == record.NotFinished:
			l.expect(one, notify.Failure)
		case one.Starts == 0 && c.request == (RunRequest{}):
			l.expect(one, notify.Skipped)
		}
	}
	if was.PausedAt.IsZero() && !c.job.PausedAt.IsZero() { // too many crashes
		one, _, err := checkpoint.OccurrenceRecord(l.store, c.job.Name, c.job.Unfinished)
		if err != nil {
			l.t.Fatal(err)
		}
		l.expect(one, notify.Failure)
	}
	if c.job.NoRunSince != was.NoRunSince {
		l.expect(record.Occurrence{Job: c.job.Name, At: c.job.NoRunSince}, notify.NoRun)
	}
}

// send sends what is due of a job, as a start does. Sometimes the process is killed before it records that.
func (l *listeners) send(job *Job) {
	open, err := checkpoint.OpenAlerts(l.store, job.Name)
	if err != nil {
		l.t.Fatal(err)
	}
	results := Runner{Now: l.now}.sender(job).Send(l.t.Context(), open)
	if l.random.IntN(10) == 0 {
		for _, result := range results {
			if !result.Delivered.IsZero() {
				l.dropped++
			}
		}
		return
	}
	if err := checkpoint.RecordResults(l.store, results); err != nil {
		l.t.Fatal(err)
	}
}

// goDown makes one channel fail for some days.
func (l *listeners) goDown() {
	l.down = l.now().Add(time.Duration(l.random.IntN(200)) * time.Hour)
}

// verify checks that both heard of everything, of each fact under one ID, and of nothing else.
func (l *listeners) verify() (heard int) {
	open, err := checkpoint.OpenAlerts(l.store, "")
	if err != nil || len(open) > 0 {
		l.t.Errorf("%d alerts have not reached their channels: %v", len(open), err)
	}
	total, distinct := 0, 0
	for channel, messages := range l.heard {
		ids := map[string]int{}
		for id, times := range messages {
			ids[l.about[id]]++
			total, distinct = total+times, distinct+1
		}
		for about, starts := range l.want {
			if ids[about] != len(starts) {
				l.t.Errorf("%s heard of %s under %d IDs, want %d", channel, about, ids[about], len(starts))
			}
		}
		for about := range ids {
			if l.want[about] == nil {
				l.t.Errorf("%s heard of %s", channel, about)
			}
		}
	}
	if total-distinct != l.dropped {
		l.t.Errorf("%d messages came again, and %d records were lost", total-distinct, l.dropped)
	}
	return distinct
}

// kinds counts what was heard by kind.
func (l *listeners) kinds() map[string]int {
	kinds := map[string]int{}
	for id := range l.heard["mail"] {
		kinds[l.about[id][strings.LastIndex(l.about[id], "/")+1:]]++
	}
	return kinds
}

// end ends an occurrence with facts, and returns the alerts in the journal.
func alertsAfter(t *testing.T, s *memory, job *Job, at string, exit int64, facts notify.RunFacts) []record.Alert {
	t.Helper()
	one, _, err := checkpoint.OccurrenceRecord(s, job.Name, at)
	if err != nil {
		t.Fatal(err)
	}
	before := s.Version()
	one.Ended, one.Exit, one.Fields = noon.Add(time.Hour), exit, facts.Fields
	e := ending{job: job, ended: one, facts: facts, note: func(text string) { t.Error(text) }}
	if err := e.write(s); err != nil {
		t.Fatal(err)
	}
	if s.Version() != before+1 {
		t.Errorf("the end and its alerts are %d commits", s.Version()-before)
	}
	return e.open
}

func TestAlertsAreWrittenWithTheEndOfTheOccurrence(t *testing.T) {
	s, plan := newMemory(), planned(t, "")
	told := AlertChannel{Name: "ops", Kinds: notify.Alerts()}
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 1000, Alerts: []AlertChannel{told}}
	at, _ := begin(t, s, plan, noon, RunRequest{Once: true})
	var kinds []string
	for _, alert := range alertsAfter(t, s, job, at, 4, notify.RunFacts{InDoubt: 2, LostUnits: 1}) {
		kinds = append(kinds, alert.Kind)
	}
	slices.Sort(kinds)
	if got := strings.Join(kinds, " "); got != "doubt drift failure" {
		t.Errorf("alerts: %s", got)
	}
	silent := *job
	silent.Alerts = nil
	at, _ = begin(t, s, plan, noon.Add(time.Hour), RunRequest{Once: true})
	if open := alertsAfter(t, s, &silent, at, 4, notify.RunFacts{}); len(open) != 3 {
		t.Errorf("a job without channels wrote %d alerts", len(open)-3)
	}
}

func TestOldAlertsAreErasedWithTheEndOfALaterOccurrence(t *testing.T) {
	s, plan := newMemory(), planned(t, "")
	job := &Job{Name: "job", Plan: plan, Retention: time.Hour * 10000, Alerts: []AlertChannel{{Name: "ops", Kinds: notify.Alerts()}}}
	old := record.Alert{Job: "job", Kind: "drift", At: noon.AddDate(0, 0, -40), Deliveries: []record.Delivery{{Channel: "ops", Delivered: noon}}}
	writes, err := checkpoint.AddAlerts(s, []record.Alert{old})
	if err != nil || s.Commit(writes) != nil {
		t.Fatal(err)
	}
	at, _ := begin(t, s, plan, noon, RunRequest{Once: true})
	alertsAfter(t, s, job, at, 0, notify.RunFacts{})
	if value, err := s.Get(writes[0].Key); value != nil || err != nil {
		t.Errorf("it is still there: %v", err)
	}
}

func TestAStartWithNothingDueAlertsOfMissingRuns(t *testing.T) {
	s, plan := newMemory(), planned(t, "daily at 12:00")
	job := &Job{
		Name: "job", Plan: plan, Retention: time.Hour * 1000, NoRunAfter: 3 * time.Hour,
		Alerts: []AlertChannel{{Name: "ops", Kinds: notify.Alerts()}},
	}
	due, _ := begin(t, s, plan, noon, RunRequest{})
	end(t, s, job, due, 4)
	for _, step := range []struct {
		after  time.Duration
		alerts int
	}{{2 * time.Hour, 1}, {4 * time.Hour, 2}, {20 * time.Hour, 2}} {
		c := newClaim(job, RunRequest{}, noon.Add(step.after))
		changes, err := c.choose(s)
		if err != nil || changes != (step.after == 4*time.Hour) {
			t.Fatalf("after %s there is something to record: %t, %v", step.after, changes, err)
		}
		if changes {
			if err := newClaim(job, RunRequest{}, c.now).decide(s); err != nil {
				t.Fatal(err)
			}
		}
		if open, err := checkpoint.OpenAlerts(s, "job"); err != nil || len(open) != step.alerts {
			t.Errorf("after %s there are %d alerts, want %d; %v", step.after, len(open), step.alerts, err)
		}
	}
}

func TestTheLastPricesAreThoseOfTheLastAttempts(t *testing.T) {
	y := newSpending(t, 1)
	zone := y.jobs[2]
	y.lists["utc/2026-01-01T01:30"] = nil
	for at := range 5 {
		y.now = y.now.Add(time.Duration(at) * 24 * time.Hour)
		y.start(zone)
	}
	prices, err := record.LastPrices(y.store)
	if err != nil || prices["work_email"] != price {
		t.Errorf("prices %v, %v", prices, err)
	}
	counts := []record.FieldCount{{Name: "work_email", Asked: 3}, {Name: "other", Asked: 1}}
	got, err := priced(y.store, counts, counts[:1])
	if err != nil || got[0].Price != price || got[1].Price != 0 || counts[0].Price != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
