package scan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
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

func TestPackedRecordsSurviveUnpacking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := drawRecord(t)
		wanted := enrich.Fields(rapid.IntRange(1, int(v1.AllFields)).Draw(t, "wanted"))
		want, tooMuch, asked := attempt.Record{}, false, false
		for f := range wanted.Each() {
			want.States[f], want.Attempts[f] = record.States[f], record.Attempts[f]
			tooMuch = tooMuch || record.Attempts[f] >= 1<<attemptBits || len(record.Earlier[f]) > 0
			asked = asked || record.States[f] != attempt.Unasked
		}
		packed := newSubjectRecords(wanted, 2).Of(1)
		if known := packed.Pack(wanted, &record); known != asked || packed.IsComplete() == tooMuch {
			t.Fatalf("%+v became %x, known %t", record, packed, known)
		}
		if tooMuch {
			return
		}
		if diff := cmp.Diff(want, packed.Unpack(wanted)); diff != "" {
			t.Fatalf("record (-want +got):\n%s", diff)
		}
	})
}
