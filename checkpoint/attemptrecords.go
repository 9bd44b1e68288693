package checkpoint

import (
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/io/numbered"
)

// AttemptsTogether is how many attempts are read at a time.
const AttemptsTogether = 1024

// attemptRecord is an attempt as the records have it.
type attemptRecord struct {
	ID       attempt.ID
	Intent   record.Intent
	Ended    attempt.Resolution
	Resolved bool
}

// eachAttempt visits the attempts from first to last in the order of their Begin.
// Some at a time are joined with their resolutions in two passes over the store,
// which is many times as fast as looking each one up.
func eachAttempt(s record.Store, first, last attempt.ID, visit func(*attemptRecord) error) error {
	attempts := make([]attemptRecord, 0, min(AttemptsTogether, max(0, last-first+1)))
	for ; first <= last; first += AttemptsTogether {
		end := min(first+AttemptsTogether-1, last)
		attempts = attempts[:0]
		var texts record.Texts
		var from numbered.Members
		err := record.ScanIDs(s, record.IntentPrefix, first, end, func(id attempt.ID, key, value []byte) error {
			attempts = append(attempts, attemptRecord{ID: id})
			return record.DecodeFrom(&from, key, texts.Keep(value), &attempts[len(attempts)-1].Intent)
		})
		if err != nil {
			return err
		}
		next := 0
		err = record.ScanIDs(s, record.ResolutionPrefix, first, end, func(id attempt.ID, key, value []byte) error {
			for next < len(attempts) && attempts[next].ID < id {
				next++
			}
			if next == len(attempts) || attempts[next].ID != id {
				return nil // of no attempt that was there a moment ago
			}
			attempts[next].Resolved = true
			return record.DecodeFrom(&from, key, texts.Keep(value), &attempts[next].Ended)
		})
		if err != nil {
			return err
		}
		for i := range attempts {
			if err := visit(&attempts[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
