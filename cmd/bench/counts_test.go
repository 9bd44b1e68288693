package main

import "testing"

func TestPlanCountsAreReadFromJSON(t *testing.T) {
	plan := `{"version": 1, "rows": {"total": 100, "lookup": 60, "answered": 5, "filled": 10, "duplicate": 15, "unidentifiable": 10, "rejected": 0}, "unidentifiable": {"last name missing": 10}}`
	got, err := planCounts([]byte(plan))
	if want := (counts{Rows: 100, Filled: 10, Unidentifiable: 10, Persons: 65}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestWriteCountsAreReadFromJSON(t *testing.T) {
	got, err := writeCounts([]byte(`{"run": "tenth", "output": "out.csv", "rows": {"matched": 7, "partial": 2, "duplicate": 10, "not_attempted": 81}}`))
	if want := (counts{Rows: 100, Answered: 9}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestCountsOfInvalidOutputAreAnError(t *testing.T) {
	for name, parse := range map[string]func([]byte) (counts, error){"plan": planCounts, "output": writeCounts, "peer": countsOf} {
		if got, err := parse([]byte("Killed")); err == nil {
			t.Errorf("%s: no error, but %v", name, got)
		}
	}
}

func TestCountsAreComparedWithoutValuesThatAPlanLacks(t *testing.T) {
	plan := counts{Rows: 10, Filled: 1, Unidentifiable: 2, Persons: 6}
	peer := plan
	peer.Emails, peer.Phones = 3, 2 // which a plan does not tell
	if !plan.same(peer) {
		t.Error("the same counts are different")
	}
	for _, other := range []counts{{Rows: 11, Filled: 1, Unidentifiable: 2, Persons: 6}, {Rows: 10, Filled: 1, Unidentifiable: 2, Persons: 7}, {Rows: 10}} {
		if plan.same(other) {
			t.Errorf("%v is the same as %v", other, plan)
		}
	}
}
