package checkpoint

import (
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/io/service/v1"
)

// TestAChangeIsAskedForOnceUnderAFormerKey asks again for a person who was bought under a key of an earlier version.
// The call under the present key blocks the next one, and its answer counts.
func TestAChangeIsAskedForOnceUnderAFormerKey(t *testing.T) {
	for _, address := range []string{"linkedin.com/in/jane-doe", "network.example/in/Kim"} {
		t.Run(address, func(t *testing.T) {
			r := formerRig(t)
			who := at(t, address)
			before, err := r.Record(who)
			r.check(err)
			change := request(who, email)
			change.Reask.UpTo = before.Attempts[v1.WorkEmail]
			lost := r.grant(change)
			r.want(r.begin(change), attempt.Blocked{})
			r.check(r.MarkInDoubt(lost.ID, attempt.LostCall{Cause: "lost"}))
			r.want(r.begin(change), attempt.Unsettled{Fields: email})
			r.reopen()
			r.want(r.begin(change), attempt.Unsettled{Fields: email})
			r.check(r.Assume(true, lost.ID))
			r.want(r.begin(change), attempt.Known{Fields: email})
			kept, err := r.Record(who)
			r.check(err)
			if got := kept.FoundBy(v1.WorkEmail); got != change.Reask.UpTo {
				t.Errorf("the value is that of attempt %d, want %d", got, change.Reask.UpTo)
			}
			change.Reask.Forfeited = true
			r.settle(r.grant(change), found)
			r.want(r.begin(change), attempt.Known{Fields: email})
			after, err := r.Record(who)
			r.check(err)
			if after.Attempts[v1.WorkEmail] <= before.Attempts[v1.WorkEmail] {
				t.Errorf("the record is still %+v", after)
			}
		})
	}
}

// TestForgetAndPruneEraseAKeptAnswer erases the earlier answer while a later call for a change is in doubt, and when
// that call is forfeited.
func TestForgetAndPruneEraseAKeptAnswer(t *testing.T) {
	for name, erase := range map[string]func(*rig) (Erasure, error){
		"forget": func(r *rig) (Erasure, error) { return r.erase(Person{Identity: person(1)}) },
		"prune":  func(r *rig) (Erasure, error) { return r.Prune(start.Add(time.Hour)) },
	} {
		for _, charged := range []bool{false, true} {
			r := newRig(t)
			first := r.grant(request(person(1), email))
			r.settle(first, found)
			r.observe(1, Observed{"7", []byte(`{"event_type":"name"}`)})
			change := request(person(1), email)
			change.Reask.UpTo = first.ID
			lost := r.grant(change)
			r.check(r.MarkInDoubt(lost.ID, attempt.LostCall{Cause: "lost"}))
			if charged {
				r.check(r.Assume(true, lost.ID))
			}
			if known, err := r.Record(person(1)); err != nil || known.FoundBy(v1.WorkEmail) != first.ID {
				t.Errorf("%s: before, the value is that of attempt %d, error %v", name, known.FoundBy(v1.WorkEmail), err)
			}
			r.clock.at = start.Add(2 * time.Hour)
			if erased, err := erase(r); err != nil || erased.Answers != 1 {
				t.Errorf("%s: erased %+v, error %v", name, erased, err)
			}
			r.reopen()
			known, err := r.RecordOf(r.Key(person(1)), v1.AllFields)
			r.check(err)
			if id := known.FoundBy(v1.WorkEmail); id != 0 {
				if ended, _, err := r.Resolution(id); err != nil || !ended.Erased || ended.Data != "" {
					t.Errorf("%s: the value is still there: %+v, error %v", name, ended, err)
				}
			}
			r.want(r.begin(change), map[bool]attempt.Decision{true: attempt.Known{Fields: email}, false: attempt.Unsettled{Fields: email}}[charged])
			wantSound(t, r.store)
		}
	}
}
