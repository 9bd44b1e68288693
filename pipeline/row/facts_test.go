package row

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/attempt"
	"payonce/enrich"
)

// drawRecord draws what a journal may know of a person.
func drawRecord(t *rapid.T) (record attempt.Record) {
	for f := range record.States {
		record.States[f] = attempt.FieldState(rapid.IntRange(0, int(attempt.Forgotten)).Draw(t, "state"))
		record.Attempts[f] = attempt.ID(rapid.OneOf(rapid.Uint64Range(0, 3), rapid.Uint64Range(1<<attemptBits-2, 1<<attemptBits+1)).Draw(t, "attempt"))
	}
	if rapid.IntRange(0, 3).Draw(t, "earlier") == 0 {
		record.Earlier[0] = []attempt.ID{7}
	}
	return record
}

func TestAPackedRecordIsTheRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := drawRecord(t)
		packed := PackRecord(&record)
		tooMuch := len(record.Earlier[0]) > 0
		for _, id := range record.Attempts {
			tooMuch = tooMuch || id >= 1<<attemptBits
		}
		if tooMuch != (packed == TooLarge) {
			t.Fatalf("%+v became %x", record, packed)
		}
		if tooMuch {
			return
		}
		if diff := cmp.Diff(record, packed.Unpack()); diff != "" {
			t.Fatalf("record (-want +got):\n%s", diff)
		}
		if packed == 0 && record.States != [enrich.NumFields]attempt.FieldState{} {
			t.Fatalf("%+v became nothing", record)
		}
	})
}
