package checkpoint

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
)

// noon is a time at which something happened.
var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// openOutbox opens a store in a directory.
func openOutbox(t *testing.T, dir string) record.Store {
	t.Helper()
	s, err := badgerstore.Open(dir, badgerstore.Options{})
	okAlerts(t, err)
	return s
}

func okAlerts(t *testing.T, err error) {
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

// addIn adds alerts, and returns how many were new.
func addIn(t *testing.T, s record.Store, alerts ...record.Alert) int {
	t.Helper()
	writes, err := AddAlerts(s, alerts)
	okAlerts(t, err)
	if len(writes) > 0 {
		okAlerts(t, s.Commit(writes))
	}
	return len(writes)
}

// openedAlerts returns the open alerts of a job: their kinds with the channels that did not accept them.
func openedAlerts(t *testing.T, s record.Store, job string) (found []string) {
	t.Helper()
	alerts, err := OpenAlerts(s, job)
	okAlerts(t, err)
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
	s := openOutbox(t, dir)
	if n := addIn(t, s, alert("nightly", "failure", noon, "ops")); n != 1 {
		t.Fatalf("%d writes", n)
	}
	first, err := OpenAlerts(s, "nightly")
	okAlerts(t, err)
	okAlerts(t, s.Close())
	s = openOutbox(t, dir)
	defer s.Close()
	if n := addIn(t, s, alert("nightly", "failure", noon.Add(time.Hour), "mail")); n != 0 {
		t.Errorf("the same fact is added again: %d writes", n)
	}
	again, err := OpenAlerts(s, "nightly")
	okAlerts(t, err)
	same(t, first, again)
	next := alert("nightly", "failure", noon, "ops")
	next.Start = 2
	if n := addIn(t, s, next, alert("nightly", "doubt", noon, "ops"), alert("weekly", "failure", noon, "ops")); n != 3 {
		t.Errorf("other facts: %d writes", n)
	}
	ids := map[string]bool{}
	all, err := OpenAlerts(s, "")
	okAlerts(t, err)
	for _, a := range all {
		ids[a.ID] = true
	}
	if len(ids) != 4 {
		t.Errorf("4 alerts have %d IDs", len(ids))
	}
}

func TestOpenAlertsOfAJobAreInTimeOrder(t *testing.T) {
	s := openOutbox(t, t.TempDir())
	defer s.Close()
	addIn(t, s, alert("nightly", "failure", noon.Add(time.Minute), "ops"), alert("nightly", "doubt", noon, "ops"), alert("night", "drift", noon, "ops"))
	same(t, []string{"nightly doubt ops:0", "nightly failure ops:0"}, openedAlerts(t, s, "nightly"))
}

func TestEachChannelIsRecordedOnItsOwn(t *testing.T) {
	s := openOutbox(t, t.TempDir())
	defer s.Close()
	addIn(t, s, alert("nightly", "failure", noon, "ops", "mail"))
	alerts, err := OpenAlerts(s, "nightly")
	okAlerts(t, err)
	result := func(channel, failed string, delivered time.Time) AlertResult {
		return AlertResult{Job: "nightly", ID: alerts[0].ID, Delivery: record.Delivery{Channel: channel, Tried: noon, Error: failed, Delivered: delivered}}
	}
	okAlerts(t, RecordResults(s, []AlertResult{result("ops", "", noon), result("mail", "it answered 500", time.Time{})}))
	same(t, []string{"nightly failure mail:1"}, openedAlerts(t, s, "nightly"))
	// Another process that sent it to the same channel had no success. It is delivered all the same.
	okAlerts(t, RecordResults(s, []AlertResult{result("ops", "it answered 500", time.Time{}), result("mail", "it answered 500", time.Time{})}))
	same(t, []string{"nightly failure mail:2"}, openedAlerts(t, s, "nightly"))
	okAlerts(t, RecordResults(s, []AlertResult{result("mail", "", noon)}))
	same(t, []string(nil), openedAlerts(t, s, "nightly"))
	before := s.Version()
	okAlerts(t, RecordResults(s, []AlertResult{{Job: "nightly", ID: "erased", Delivery: record.Delivery{Channel: "ops"}}}))
	okAlerts(t, RecordResults(s, nil))
	if s.Version() != before {
		t.Error("a result of an alert that is not there is written")
	}
}

func TestAlertsThatChannelsAcceptedAreErasedFirst(t *testing.T) {
	s := openOutbox(t, t.TempDir())
	defer s.Close()
	accepted := alert("nightly", "success", noon, "ops")
	accepted.Deliveries[0].Delivered = noon
	oldest := alert("nightly", "drift", noon.AddDate(0, 0, -300), "ops")
	addIn(t, s, accepted, alert("nightly", "failure", noon, "ops"), oldest)
	for _, step := range []struct {
		accepted, all time.Time
		erased        int
		left          []string
	}{
		{noon, noon.AddDate(0, 0, -400), 0, []string{"nightly drift ops:0", "nightly failure ops:0"}},
		{noon.Add(1), noon.AddDate(0, 0, -200), 2, []string{"nightly failure ops:0"}},
	} {
		writes, err := ExpiredAlerts(s, "nightly", step.accepted, step.all)
		okAlerts(t, err)
		if len(writes) != step.erased {
			t.Errorf("%d are erased, want %d", len(writes), step.erased)
		}
		if len(writes) > 0 {
			okAlerts(t, s.Commit(writes))
		}
		same(t, step.left, openedAlerts(t, s, ""))
	}
}

// TestAJobErasesNoAlertsOfOthers which keep theirs for longer.
func TestAJobErasesNoAlertsOfOthers(t *testing.T) {
	s := openOutbox(t, t.TempDir())
	addIn(t, s, alert("hourly", "failure", noon, "ops"), alert("nightly", "failure", noon, "ops"))
	writes, err := ExpiredAlerts(s, "hourly", noon.Add(1), noon.Add(1))
	okAlerts(t, err)
	okAlerts(t, s.Commit(writes))
	same(t, []string{"nightly failure ops:0"}, openedAlerts(t, s, ""))
}
