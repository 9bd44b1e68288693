package checkpoint

import (
	"fmt"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/io/numbered"
)

// RecoverWindow finds the slots that calls of earlier processes still occupy. It reads back
// from the attempt before next to the horizon, and further, because the earlier window may have
// been shorter than this one. Before the horizon it stops when the window is more than full, or
// when horizonStep calls in a row ended before the window. A call before those would have had
// to be slower than all of them. Others says that the journal has calls of other accounts. Open returns the ends of calls
// that are open in the memory of this process, and false for others.
func (a *accountState) RecoverWindow(s record.Store, next attempt.ID, now time.Time, others bool, open func(attempt.ID) (callEnd, bool)) error {
	w, horizon := &a.Window, a.Horizon
	defer w.sort()
	outside := 0 // calls in a row before the horizon that ended before the window
	for step := attempt.ID(horizonStep); next > 1; step = min(2*step, AttemptsTogether) {
		if next <= horizon && (outside >= horizonStep || len(w.Cooling) >= w.Rate.Slots+horizonStep) {
			return nil
		}
		last := next - 1
		next -= min(step, last)
		ends, err := callsEnded(s, w.Rate, next, last, now, open)
		if err == nil && others {
			err = a.dropOthers(s, next, last, ends)
		}
		if err != nil {
			return err
		}
		for i, end := range slices.Backward(ends) {
			id, freeAt := next+attempt.ID(i), end.at.Add(w.Rate.Window)
			if !freeAt.After(now) {
				if id < horizon {
					outside++
				}
				continue
			}
			outside = 0
			if end.sent {
				w.Cooling = append(w.Cooling, Slot{id, freeAt})
			}
		}
	}
	return nil
}

// dropOthers notes that the calls of other accounts have no slot of this one.
func (a *accountState) dropOthers(s record.Store, first, last attempt.ID, ends []callEnd) error {
	var from numbered.Members
	return record.ScanIDs(s, record.IntentPrefix, first, last, func(id attempt.ID, key, value []byte) error {
		var payer record.Payer
		err := record.DecodeFrom(&from, key, string(value), &payer)
		if payer.Account != a.Number {
			ends[id-first].sent = false
		}
		return err
	})
}

// callEnd says when the call of an attempt ended at the latest, and whether it has a slot.
type callEnd struct {
	at    time.Time
	sent  bool
	known bool
}

// callsEnded returns when the calls of the attempts from first to last ended. A call ended when
// it was resolved or came into doubt. A time in the future counts as now, because the clock may
// have been set back since.
func callsEnded(s record.Store, rate decide.Rate, first, last attempt.ID, now time.Time, open func(attempt.ID) (callEnd, bool)) ([]callEnd, error) {
	ends := make([]callEnd, last-first+1)
	var from numbered.Members
	err := record.ScanIDs(s, record.ResolutionPrefix, first, last, func(id attempt.ID, key, value []byte) error {
		var ended record.Ending
		err := record.DecodeFrom(&from, key, string(value), &ended)
		ends[id-first] = callEnd{earlierOf(ended.At, now), ended.Sent, true}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = record.ScanIDs(s, record.DoubtPrefix, first, last, func(id attempt.ID, key, value []byte) error {
		var d record.Doubt
		err := record.Decode(key, value, &d)
		at := earlierOf(d.At, now)
		if d.Crash {
			at = at.Add(rate.OnTheWay())
		}
		ends[id-first] = callEnd{at, true, true}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range ends {
		if end, is := open(first + attempt.ID(i)); is && !ends[i].known {
			ends[i] = end
		}
	}
	if at := slices.IndexFunc(ends, func(end callEnd) bool { return !end.known }); at >= 0 {
		return nil, fmt.Errorf("%w: attempt %d is neither open nor resolved; %s", record.ErrCorrupt, first+attempt.ID(at), record.Restore)
	}
	return ends, nil
}

func earlierOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
