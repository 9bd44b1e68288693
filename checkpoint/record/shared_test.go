package record

import (
	"testing"
	"time"
)

// TestAProcessIsSilentFromTheEndOfItsLease compares other processes with the clock of the turn. The process of the turn
// is never silent, and neither is one whose epoch has ended.
func TestAProcessIsSilentFromTheEndOfItsLease(t *testing.T) {
	now := time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC)
	turn := Turn{Now: now, Epoch: 1, Live: []Process{{1, now.Add(-time.Hour)}, {3, now}, {5, now.Add(time.Microsecond)}}}
	for epoch, want := range map[uint64]struct{ live, silent bool }{
		1: {true, false}, 2: {false, false}, 3: {true, true}, 4: {false, false}, 5: {true, false},
	} {
		if live, silent := turn.IsLive(epoch), turn.IsSilent(epoch); live != want.live || silent != want.silent {
			t.Errorf("epoch %d: live %t, silent %t; want %+v", epoch, live, silent, want)
		}
	}
	if p, live := turn.Process(5); !live || !p.LeaseEnds.Equal(now.Add(time.Microsecond)) {
		t.Errorf("the lease of epoch 5 ends at %s, %t", p.LeaseEnds, live)
	}
}
