package checkpoint

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"payonce/attempt"
)

// mostSlotsRead is of how many of the last attempts opening reads when they ended, which
// takes about a second.
const mostSlotsRead = 1 << 20

// recoverWindow finds the slots that the last processes' lookups still occupy, from the
// last lookup back: to the horizon, and further, because their window may have been
// shorter than this one. There it ends where the window is more than full, or so many
// lookups in a row have ended before it that an earlier one would have had to be slower
// than all of them. It reads so many attempts at most; those before them count by the day.
func (j *Journal) recoverWindow(now time.Time, most attempt.ID) error {
	w, horizon := &j.books.window, j.books.persisted.Horizon
	defer w.sort()
	next := j.books.persisted.NextID
	oldest := next - min(next-1, most)
	outside := 0 // lookups in a row that ended before the window
	for step := attempt.ID(horizonStep); next > oldest; step = min(2*step, chunk) {
		if next <= horizon && (outside >= horizonStep || w.cooled >= w.rate.Slots+horizonStep) {
			return nil
		}
		last := next - 1
		next -= min(step, next-oldest)
		ends, err := j.callsEnded(next, last, now)
		if err != nil {
			return err
		}
		for i, end := range slices.Backward(ends) {
			freeAt := end.at.Add(w.rate.Window)
			if !freeAt.After(now) {
				outside++
				continue
			}
			outside = 0
			if end.sent {
				w.note(slot{next + attempt.ID(i), freeAt, 1})
			}
		}
	}
	return j.recoverDays(now, oldest)
}

// recoverDays notes the slots of the attempts before one. No record tells in which of the
// days each ended, only which attempts ended between the first and the last of a day: so it
// counts for the latest day that it may have ended on, as if that had been at its end.
func (j *Journal) recoverDays(now time.Time, before attempt.ID) error {
	w := &j.books.window
	note := func(id attempt.ID, count int, ended time.Time) {
		freeAt := earlierOf(ended, now).Add(w.rate.onTheWay() + w.rate.Window)
		if freeAt.After(now) {
			w.note(slot{id, freeAt, count})
		}
	}
	for id, a := range j.books.open {
		if id < before {
			note(id, 1, a.doubt.At)
		}
	}
	days := j.books.sums.days
	for _, day := range slices.Backward(slices.Sorted(maps.Keys(days))) {
		ended, err := endOf(day)
		if err != nil {
			return fmt.Errorf("%w: the record of the day %q: %w; %s", ErrCorrupt, day, err, restore)
		}
		if first := days[day].First; first < before {
			note(first, int(before-first), ended)
			before = first
		}
	}
	return nil
}

// callEnd says when the call of an attempt ended at the latest, and whether it took a slot.
type callEnd struct {
	at    time.Time
	sent  bool
	known bool
}

// callsEnded tells when the calls of the attempts from first to last ended: each when it was
// resolved or doubted, but not in the future, for the clock may have been set back since.
func (j *Journal) callsEnded(first, last attempt.ID, now time.Time) ([]callEnd, error) {
	ends := make([]callEnd, last-first+1)
	var from packet
	err := scanIDs(j.store, resolutionPrefix, first, last, func(id attempt.ID, key, value []byte) error {
		var ended ending
		err := decodeFrom(&from, key, string(value), &ended)
		ends[id-first] = callEnd{earlierOf(ended.At, now), ended.Sent, true}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = scanIDs(j.store, doubtPrefix, first, last, func(id attempt.ID, key, value []byte) error {
		var d doubt
		err := decode(key, value, &d)
		at := earlierOf(d.At, now)
		if d.Crash {
			at = at.Add(j.books.window.rate.onTheWay())
		}
		ends[id-first] = callEnd{at, true, true}
		return err
	})
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(ends, func(end callEnd) bool { return !end.known }); at >= 0 {
		return nil, fmt.Errorf("%w: attempt %d is neither open nor resolved; %s", ErrCorrupt, first+attempt.ID(at), restore)
	}
	return ends, nil
}

// maxOnTheWay is how long a request of a process that died may take to arrive.
const maxOnTheWay = 45 * time.Second

// onTheWay returns how long the slot of a call that was in flight at a crash is kept
// besides the window: the system goes on sending what a dead process gave it, and
// no response tells any more. A service that counts in short windows is taken to be
// as near: waiting longer than a window would stop the run and not smooth it.
func (r Rate) onTheWay() time.Duration { return min(r.Window, maxOnTheWay) }
