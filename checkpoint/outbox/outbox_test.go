package outbox

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
	"payonce/checkpoint/store"
)

// noon is a time at which something happened.
var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// open opens a store in a directory.
func open(t *testing.T, dir string) store.Store {
	t.Helper()
	s, err := badgerstore.Open(dir, badgerstore.Options{})
	ok(t, err)
	return s
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// alert returns an alert to channels.
func alert(job, kind string, at time.Time, channels ...string) record.Alert {
	a := record.Alert{Job: job, Occurrence: "2026-11-23T02:30", Start: 1, Kind: kind, At: at, Text: "It failed."}
	for _, channel := range channels {
		a.Deliveries = append(a.Deliveries, record.Delivery{Channel: channel})
	}
	return a
}

// add adds alerts, and returns how many were new.
func add(t *testing.T, s store.Store, alerts ...record.Alert) int {
	t.Helper()
	writes, err := Add(s, alerts)
	ok(t, err)
	if len(writes) > 0 {
		ok(t, s.Commit(writes))
	}
	return len(writes)
}

// opened returns the open alerts of a job: their kinds with the channels that did not accept them.
func opened(t *testing.T, s store.Store, job string) (found []string) {
	t.Helper()
	alerts, err := Open(s, job)
	ok(t, err)
	for _, a := range alerts {
		text := a.Job + " " + a.Kind
		for _, d := range a.Deliveries {
			if d.Delivered.IsZero() {
				text += fmt.Sprintf(" %s:%d", d.Channel, d.Tries)
			}
		}
		found = append(found, text)
	}
	return found
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFactThatIsFoundTwiceHasOneAlertWithOneID(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if n := add(t, s, alert("nightly", "failure", noon, "ops")); n != 1 {
		t.Fatalf("%d writes", n)
	}
	first, err := Open(s, "nightly")
	ok(t, err)
	ok(t, s.Close())
	s = open(t, dir)
	defer s.Close()
	if n := add(t, s, alert("nightly", "failure", noon.Add(time.Hour), "mail")); n != 0 {
		t.Errorf("the same fact is added again: %d writes", n)
	}
	again, err := Open(s, "nightly")
	ok(t, err)
	same(t, first, again)
	next := alert("nightly", "failure", noon, "ops")
	next.Start = 2
	if n := add(t, s, next, alert("nightly", "doubt", noon, "ops"), alert("weekly", "failure", noon, "ops")); n != 3 {
		t.Errorf("other facts: %d writes", n)
	}
	ids := map[string]bool{}
	all, err := Open(s, "")
	ok(t, err)
	for _, a := range all {
		ids[a.ID] = true
	}
	if len(ids) != 4 {
		t.Errorf("4 alerts have %d IDs", len(ids))
	}
}

func TestOpenHasTheAlertsOfAJobInTheirOrder(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	add(t, s, alert("nightly", "failure", noon.Add(time.Minute), "ops"), alert("nightly", "doubt", noon, "ops"), alert("night", "drift", noon, "ops"))
	same(t, []string{"nightly doubt ops:0", "nightly failure ops:0"}, opened(t, s, "nightly"))
}

func TestEachChannelIsRecordedOnItsOwn(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	add(t, s, alert("nightly", "failure", noon, "ops", "mail"))
	alerts, err := Open(s, "nightly")
	ok(t, err)
	result := func(channel, failed string, delivered time.Time) Result {
		return Result{Job: "nightly", ID: alerts[0].ID, Delivery: record.Delivery{Channel: channel, Tried: noon, Error: failed, Delivered: delivered}}
	}
	ok(t, Record(s, []Result{result("ops", "", noon), result("mail", "it answered 500", time.Time{})}))
	same(t, []string{"nightly failure mail:1"}, opened(t, s, "nightly"))
	// Another process that sent it to the same channel had no success. It is delivered all the same.
	ok(t, Record(s, []Result{result("ops", "it answered 500", time.Time{}), result("mail", "it answered 500", time.Time{})}))
	same(t, []string{"nightly failure mail:2"}, opened(t, s, "nightly"))
	ok(t, Record(s, []Result{result("mail", "", noon)}))
	same(t, []string(nil), opened(t, s, "nightly"))
	before := s.Version()
	ok(t, Record(s, []Result{{Job: "nightly", ID: "erased", Delivery: record.Delivery{Channel: "ops"}}}))
	ok(t, Record(s, nil))
	if s.Version() != before {
		t.Error("a result of an alert that is not there is written")
	}
}

func TestAlertsThatChannelsAcceptedAreErasedFirst(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	accepted := alert("nightly", "success", noon, "ops")
	accepted.Deliveries[0].Delivered = noon
	oldest := alert("nightly", "drift", noon.AddDate(0, 0, -300), "ops")
	add(t, s, accepted, alert("nightly", "failure", noon, "ops"), oldest)
	for _, step := range []struct {
		accepted, all time.Time
		erased        int
		left          []string
	}{
		{noon, noon.AddDate(0, 0, -400), 0, []string{"nightly drift ops:0", "nightly failure ops:0"}},
		{noon.Add(1), noon.AddDate(0, 0, -200), 2, []string{"nightly failure ops:0"}},
	} {
		writes, err := Expired(s, "nightly", step.accepted, step.all)
		ok(t, err)
		if len(writes) != step.erased {
			t.Errorf("%d are erased, want %d", len(writes), step.erased)
		}
		if len(writes) > 0 {
			ok(t, s.Commit(writes))
		}
		same(t, step.left, opened(t, s, ""))
	}
}

// TestAJobErasesNoAlertsOfOthers which keep theirs for longer.
func TestAJobErasesNoAlertsOfOthers(t *testing.T) {
	s := open(t, t.TempDir())
	add(t, s, alert("hourly", "failure", noon, "ops"), alert("nightly", "failure", noon, "ops"))
	writes, err := Expired(s, "hourly", noon.Add(1), noon.Add(1))
	ok(t, err)
	ok(t, s.Commit(writes))
	same(t, []string{"nightly failure ops:0"}, opened(t, s, ""))
}
