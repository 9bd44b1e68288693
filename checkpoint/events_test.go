package checkpoint

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/record"
)

// eventsOf returns events of persons, each with its own time.
func eventsOf(r *rig, count int) (events []Event) {
	for n := range count {
		events = append(events, Event{
			Key: r.EventKey("list.csv", string(rune('a'+n%26)), string(rune('a'+n/26))),
			Event: record.Event{
				Run: "run", Person: r.PersonKey(person(n)), Changed: start.Add(time.Duration(n) * time.Hour),
				Fields: []record.EventOutcome{{Field: "work_email", Attempt: 1, RequestID: "r", Decision: "approve", DecidedBy: "person", At: start}},
			},
		})
	}
	return events
}

// has returns which of events are recorded.
func has(r *rig, events []Event) (found []bool) {
	for _, event := range events {
		got, is, err := r.Event(event.Key)
		r.check(err)
		if is && cmp.Diff(event.Event, got) != "" {
			r.t.Errorf("another event is recorded: %+v", got)
		}
		found = append(found, is)
	}
	return found
}

// TestAnEventIsRecordedOnce saves events, and again after the journal was opened again.
func TestAnEventIsRecordedOnce(t *testing.T) {
	r := newRig(t)
	events := eventsOf(r, 3)
	r.check(r.SaveEvents(events[:2]))
	r.reopen()
	if diff := cmp.Diff([]bool{true, true, false}, has(r, events)); diff != "" {
		t.Error(diff)
	}
	events[0].Fields[0].Exports = 1
	r.check(r.SaveEvents(events))
	if diff := cmp.Diff([]bool{true, true, true}, has(r, events)); diff != "" {
		t.Error(diff)
	}
	wantSound(t, r.store)
}

// TestForgetErasesEvents of the person, whichever identity is named, and no others.
func TestForgetErasesEvents(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(request(person(1), email)), found)
	events := eventsOf(r, 3)
	r.check(r.SaveEvents(events))
	erased, err := r.erase(Person{Identity: person(1)})
	if err != nil || erased.Events != 1 {
		t.Errorf("erased %+v, error %v", erased, err)
	}
	if diff := cmp.Diff([]bool{true, false, true}, has(r, events)); diff != "" {
		t.Error(diff)
	}
	wantSound(t, r.store)
}

// TestPruneErasesEvents that changed before the time.
func TestPruneErasesEvents(t *testing.T) {
	r := newRig(t)
	events := eventsOf(r, 3)
	r.check(r.SaveEvents(events))
	erased, err := r.Prune(start.Add(time.Hour))
	if err != nil || erased.Events != 1 {
		t.Errorf("erased %+v, error %v", erased, err)
	}
	if diff := cmp.Diff([]bool{false, true, true}, has(r, events)); diff != "" {
		t.Error(diff)
	}
	wantSound(t, r.store)
}
