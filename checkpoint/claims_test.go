package checkpoint

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
)

// openClaims opens a store in a directory.
func openClaims(t *testing.T, dir string) record.Store {
	t.Helper()
	s, err := badgerstore.Open(dir, badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// okClaims fails the test on an error.
func okClaims(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// occurrence returns an occurrence of the job "nightly" on a day of March.
func occurrence(day int, starts int64) record.Occurrence {
	return record.Occurrence{Job: "nightly", At: fmt.Sprintf("2026-03-%02dT02:30", day), Count: 1, Zone: "UTC", Starts: starts}
}

// claimed records the claim of an occurrence.
func claimed(s record.Store, one record.Occurrence) error {
	return ClaimOccurrences(s, Claims{Job: record.Job{Name: one.Job, Unfinished: one.At}, Claim: &one})
}

func TestAnOccurrenceIsClaimedOnce(t *testing.T) {
	s := openClaims(t, t.TempDir())
	defer s.Close()
	okClaims(t, claimed(s, occurrence(4, 1)))
	if err := claimed(s, occurrence(4, 1)); !errors.Is(err, ErrClaimed) {
		t.Errorf("a second start that read the same state: %v", err)
	}
	okClaims(t, claimed(s, occurrence(4, 2))) // a start that has seen the first one
	if one, found, err := OccurrenceRecord(s, "nightly", "2026-03-04T02:30"); err != nil || !found || one.Starts != 2 {
		t.Errorf("%+v, found %t, %v", one, found, err)
	}
}

func TestARefusedClaimChangesNothing(t *testing.T) {
	s := openClaims(t, t.TempDir())
	defer s.Close()
	okClaims(t, claimed(s, occurrence(4, 1)))
	before := s.Version()
	late := occurrence(4, 1)
	err := ClaimOccurrences(s, Claims{
		Job: record.Job{Name: "nightly", Decided: "2026-03-05T02:30"}, Passed: []record.Occurrence{occurrence(5, 0)}, Claim: &late,
	})
	if !errors.Is(err, ErrClaimed) || s.Version() != before {
		t.Errorf("error %v, version %d after %d", err, s.Version(), before)
	}
}

func TestClaimsOutliveTheProcess(t *testing.T) {
	dir := t.TempDir()
	s := openClaims(t, dir)
	okClaims(t, claimed(s, occurrence(4, 1)))
	okClaims(t, s.Close())
	s = openClaims(t, dir)
	defer s.Close()
	if err := claimed(s, occurrence(4, 1)); !errors.Is(err, ErrClaimed) {
		t.Errorf("after a restart the occurrence is claimed again: %v", err)
	}
	if job, err := JobRecord(s, "nightly"); err != nil || job.Unfinished != "2026-03-04T02:30" {
		t.Errorf("%+v, %v", job, err)
	}
}

func TestAClaimAndTheOccurrencesItPassesAreOneCommit(t *testing.T) {
	s := openClaims(t, t.TempDir())
	defer s.Close()
	before := s.Version()
	one := occurrence(6, 1)
	okClaims(t, ClaimOccurrences(s, Claims{
		Job: record.Job{Name: "nightly", Decided: one.At}, Passed: []record.Occurrence{occurrence(4, 0), occurrence(5, 0)}, Claim: &one,
	}))
	if s.Version() != before+1 {
		t.Errorf("%d commits", s.Version()-before)
	}
	history, err := JobHistory(s, "nightly")
	okClaims(t, err)
	want := []record.Occurrence{occurrence(4, 0), occurrence(5, 0), one}
	if diff := cmp.Diff(want, history, cmp.Comparer(sameOccurrence)); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func sameOccurrence(a, b record.Occurrence) bool {
	return a.Job == b.Job && a.At == b.At && a.Starts == b.Starts
}

func TestJobHistoryExcludesJobsWithSimilarNames(t *testing.T) {
	s := openClaims(t, t.TempDir())
	defer s.Close()
	for _, name := range []string{"night", "nightly", "nightly-2"} {
		one := occurrence(4, 1)
		one.Job = name
		okClaims(t, claimed(s, one))
	}
	history, err := JobHistory(s, "nightly")
	if err != nil || len(history) != 1 || history[0].Job != "nightly" {
		t.Errorf("%+v, %v", history, err)
	}
}

func TestOccurrenceStartedAfterIgnoresEarlierAndSkippedOccurrences(t *testing.T) {
	s := openClaims(t, t.TempDir())
	defer s.Close()
	okClaims(t, claimed(s, occurrence(4, 1)))
	okClaims(t, ClaimOccurrences(s, Claims{Job: record.Job{Name: "nightly"}, Passed: []record.Occurrence{occurrence(5, 0)}})) // did not start
	for at, want := range map[string]bool{"2026-03-03T02:30": true, "2026-03-04T02:30": false} {
		if started, err := OccurrenceStartedAfter(s, "nightly", at); err != nil || started != want {
			t.Errorf("after %s: %t, %v", at, started, err)
		}
	}
}

func TestWaitingOccurrencesReturnsOnlyJobsThatWait(t *testing.T) {
	s := openClaims(t, t.TempDir())
	defer s.Close()
	until := time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)
	for name, waits := range map[string]bool{"daily": true, "other": false, "monthly": true} {
		one := occurrence(4, 1)
		one.Job = name
		okClaims(t, claimed(s, one))
		if waits {
			one.Until = until
		}
		okClaims(t, EndOccurrence(s, record.Job{Name: name, Unfinished: one.At}, one, ""))
	}
	waiting, err := WaitingOccurrences(s)
	if err != nil || len(waiting) != 2 || waiting[0].Job != "daily" || waiting[1].Job != "monthly" || !waiting[0].Until.Equal(until) {
		t.Errorf("%+v, %v", waiting, err)
	}
}

// The occurrence that ended stays, however old it is: its record says how it ended.
func TestEndOccurrenceRemovesOccurrencesBeforeTheRetentionTime(t *testing.T) {
	s := openClaims(t, t.TempDir())
	defer s.Close()
	for day := 1; day <= 9; day++ {
		okClaims(t, claimed(s, occurrence(day, 1)))
	}
	okClaims(t, EndOccurrence(s, record.Job{Name: "nightly"}, occurrence(2, 1), "2026-03-07T00:00"))
	history, err := JobHistory(s, "nightly")
	okClaims(t, err)
	var left []string
	for _, one := range history {
		left = append(left, one.At[8:10])
	}
	if diff := cmp.Diff([]string{"02", "07", "08", "09"}, left); diff != "" {
		t.Errorf("days that are left (-want +got):\n%s", diff)
	}
}

func TestNewestOccurrencesReadsOnlyTheDaysItNeeds(t *testing.T) {
	s := openClaims(t, t.TempDir())
	defer s.Close()
	for day := 1; day <= 30; day++ {
		okClaims(t, claimed(s, occurrence(day, 1)))
	}
	now := time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)
	for least, want := range map[int]string{1: "2026-03-21T02:30", 10: "2026-03-21T02:30", 11: "2026-03-01T02:30", 100: "2026-03-01T02:30"} {
		newest, err := NewestOccurrences(s, "nightly", now, least)
		if err != nil || newest[0].At != want || newest[len(newest)-1].At != "2026-03-30T02:30" {
			t.Errorf("at least %d: from %s to %s, error %v", least, newest[0].At, newest[len(newest)-1].At, err)
		}
	}
	if newest, err := NewestOccurrences(s, "weekly", now, 1); err != nil || len(newest) != 0 {
		t.Errorf("another job has %+v, %v", newest, err)
	}
}
