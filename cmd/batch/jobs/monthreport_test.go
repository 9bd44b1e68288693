package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/io/notify"
	"payonce/pipeline/workspace"
)

// readers are channels that get the report on the month.
type readers struct {
	mutex sync.Mutex
	got   []notify.Message // that were accepted
	down  bool
}

func (r *readers) Send(_ context.Context, m notify.Message) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.down {
		return errors.New("the receiver answered 503 Service Unavailable")
	}
	r.got = append(r.got, m)
	return nil
}

// about says which messages were accepted since the last call.
func (r *readers) about() (about []string) {
	for _, m := range r.got {
		about = append(about, fmt.Sprint(m.Kind, " ", m.Occurrence))
	}
	r.got = nil
	return about
}

// TestAReportOfARemovedJobIsSentOnceByAnotherJob: a process recorded the report and was killed, and its job was removed.
// The job that takes it sends it to its own channels alone.
func TestAReportOfARemovedJobIsSentOnceByAnotherJob(t *testing.T) {
	t.Parallel()
	n, mail := newNights(t), &readers{}
	job := func(name string, channels ...string) *Job {
		j := &Job{
			Name: name, Retention: 24 * time.Hour, Plan: SchedulePlan{Job: name, Zone: time.UTC},
			Run: RunLine{Flags: pflag.NewFlagSet("run", pflag.ContinueOnError), Workspace: func() (workspace.Options, workspace.Environment, error) {
				return n.Workspace, n.Env, nil
			}},
		}
		for _, channel := range channels {
			j.Alerts = append(j.Alerts, AlertChannel{Name: channel, Channel: mail, Report: eachMonth})
		}
		return j
	}
	removed, first, second := job("removed", "ops", "chief", "sales"), job("first", "ops", "chief"), job("second", "ops", "chief", "sales", "new")
	n.persons("removed", 1, 6) // on Saturday, 2026-11-28
	n.now = time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC)
	j, err := findJournal(removed)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.own(t.Context(), "test", func(s record.Store, _ workspace.Peers) error { return newClaim(removed, RunRequest{}, n.now).decide(s) }); err != nil {
		t.Fatal(err)
	}
	start := func(j *Job, want int) {
		t.Helper()
		for _, want := range []int{want, 0} {
			runner := Runner{Load: func() (*Job, error) { return j, nil }, Now: func() time.Time { return n.now }, Note: func(string) {}}
			if _, err := runner.Due(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, m := range mail.got {
				if m.Kind != notify.Report || m.Occurrence != "2026-11" {
					t.Errorf("%s %s was sent", m.Kind, m.Occurrence)
				}
			}
			if got := len(mail.got); got != want {
				t.Errorf("at %s %s sent %d messages, want %d", n.now, j.Name, got, want)
			}
			mail.got = nil
		}
	}
	n.now = n.now.Add(23 * time.Hour)
	start(first, 0) // the job that has it may still send it
	start(second, 1)
	n.now = n.now.Add(2 * time.Hour)
	mail.down = true
	start(first, 0)
	mail.down, n.now = false, n.now.Add(2*time.Minute)
	start(second, 1) // to sales
	start(first, 2)
	n.now = n.now.Add(72 * time.Hour)
	for _, j := range []*Job{removed, first, second} {
		start(j, 0)
	}
}

// TestTheReportOnTheMonthIsSentOncePerPeriod: whichever job of the workspace starts first, after a time without a
// scheduler, after a process that was killed before it sent, and while the channel is down.
func TestTheReportOnTheMonthIsSentOncePerPeriod(t *testing.T) {
	t.Parallel()
	n, mail := newNights(t), &readers{}
	job := func(name, report string) *Job {
		return &Job{
			Name: name, Retention: 24 * time.Hour, Plan: SchedulePlan{Job: name, Zone: time.UTC},
			Alerts: []AlertChannel{{Name: "mail " + report, Channel: mail, Report: report}},
			Run: RunLine{Flags: pflag.NewFlagSet("run", pflag.ContinueOnError), Workspace: func() (workspace.Options, workspace.Environment, error) {
				return n.Workspace, n.Env, nil
			}},
		}
	}
	start := func(j *Job) {
		t.Helper()
		runner := Runner{Load: func() (*Job, error) { return j, nil }, Now: func() time.Time { return n.now }, Note: func(string) {}}
		if _, err := runner.Due(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, messages ...string) {
		t.Helper()
		if diff := cmp.Diff(messages, mail.about()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	month, week := job("night", eachMonth), job("day", eachWeek)
	start(month)
	want("before there is a journal")
	n.persons("night", 1, 6) // on Saturday, 2026-11-28
	start(month)
	want("a month without calls has no report")
	start(week)
	want("before the week has ended", "report 2026-11-22")
	n.now = time.Date(2026, 11, 30, 0, 0, 1, 0, time.UTC)
	start(week)
	want("the week has ended", "report 2026-11-29")
	n.now = time.Date(2026, 12, 9, 3, 0, 0, 0, time.UTC) // nothing started meanwhile
	mail.down = true
	start(month)
	start(week)
	want("the channel is down")
	n.now, mail.down = n.now.Add(2*time.Minute), false
	start(month)
	report := mail.got[0]
	want("the month has ended", "report 2026-11")
	for _, figure := range []notify.Figure{{Name: "workspace", Value: "default"}, {Name: "runs", Value: "1"}} {
		if !strings.Contains(fmt.Sprint(report.Figures), fmt.Sprint(figure)) {
			t.Errorf("the figures are %v without %v", report.Figures, figure)
		}
	}
	if !strings.Contains(report.Page, "Report on 2026-11") || strings.Contains(report.Page+fmt.Sprint(report), "Quimby") || strings.Contains(report.Page, "Zoltan") {
		t.Errorf("the page is not the report, or names somebody:\n%.200s", report.Page)
	}
	other := job("second", eachMonth)
	for range 3 {
		start(month)
		start(other)
	}
	want("it was sent for the workspace")

	// A process that is killed after the decision has recorded what it has to send.
	n.persons("night", 2, 3)
	n.now = time.Date(2027, 1, 20, 3, 0, 0, 0, time.UTC)
	j, err := findJournal(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.own(t.Context(), "test", func(s record.Store, _ workspace.Peers) error { return newClaim(other, RunRequest{}, n.now).decide(s) }); err != nil {
		t.Fatal(err)
	}
	start(month)
	want("the job that was killed sends it", []string(nil)...)
	start(other)
	want("the next start", "report 2026-12")

	// Its record outlives those of other alerts until the next month has ended.
	n.now = time.Date(2027, 1, 31, 23, 0, 0, 0, time.UTC)
	err = j.own(t.Context(), "test", func(s record.Store, _ workspace.Peers) error {
		old, err := checkpoint.ExpiredAlerts(s, other.Name, n.now.Add(-acceptedRetention), n.now.Add(-time.Hour))
		if len(old) > 0 {
			t.Errorf("%d records of reports are erased", len(old))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
