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

// TestAWriteToARecordIsKeptWithItsEvent, and no spelling of a value is in it.
func TestAWriteToARecordIsKeptWithItsEvent(t *testing.T) {
	r := newRig(t)
	events := eventsOf(r, 2)
	events[1].CRM, events[1].Event.Record = "zoho eu", "4876"
	events[1].Fields[0].Write = record.RecordWrite{
		State: "written", At: start, Run: "run", Target: "Email", Value: r.ValueKey("Ann@acme.example"), Modified: "2026-11-28T10:00:00+01:00",
	}
	r.check(r.SaveEvents(events))
	r.reopen()
	if diff := cmp.Diff([]bool{true, true}, has(r, events)); diff != "" {
		t.Error(diff)
	}
	if written := events[1].Fields[0].Write.Value; r.ValueKey("Ann@acme.example") != written || r.ValueKey("ann@acme.example") == written {
		t.Error("the hash of a value is not that of the value, or it is also that of another spelling")
	}
	visited := 0
	r.check(r.Events(func(event Event) error {
		if visited++; event.Key != events[0].Key && event.Key != events[1].Key {
			t.Errorf("the event %x was not saved", event.Key)
		}
		return nil
	}))
	if visited != 2 {
		t.Errorf("%d events are visited", visited)
	}
	wantSound(t, r.store)
}
