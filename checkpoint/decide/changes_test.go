package decide_test

import (
	"testing"

	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// TestAnObservedChangeAllowsTheAnswersBeforeIt asks for one field of a subject that is known by two identities, when
// nothing else limits the call. It is granted exactly when no answer is later than the change and nothing may have been
// charged since. The states of both identities are drawn.
func TestAnObservedChangeAllowsTheAnswersBeforeIt(t *testing.T) {
	granted := 0
	rapid.Check(t, func(t *rapid.T) {
		f := v1.WorkEmail
		own, other := drawSubject(t), drawSubject(t)
		upTo := attempt.ID(rapid.IntRange(0, 5).Draw(t, "up to"))
		view := decide.View{
			Now: now, Subject: own, Same: []decide.Other{{Key: enrich.Key{1}, Subject: other}},
			Scopes: []*decide.Scope{{Name: "run"}}, Account: decide.Account{Window: decide.Window{Slots: 1}},
		}
		req := attempt.Request{Lookup: enrich.Lookup{Fields: enrich.FieldsOf(f)}, Run: "run", Rates: cost.Rates{f: {}}, Strict: true}
		req.Reask.UpTo = upTo
		want := true
		for i, s := range []decide.Subject{own, other} {
			switch s.States[f] {
			case attempt.Unasked:
			case attempt.Found:
				want = want && s.Attempts[f] <= upTo
			case attempt.Missing: // under another identity it is no answer to this one
				want = want && (i == 1 || s.Attempts[f] <= upTo)
			case attempt.Rejected:
				want = want && i == 1
			default:
				want = false
			}
		}
		decision, changes, err := decide.Decide(view, req)
		if err != nil {
			t.Fatal(err)
		}
		if _, is := decision.(attempt.Granted); is != want {
			t.Fatalf("up to %d: %#v; own state %d of attempt %d, other %d of %d", upTo, decision,
				own.States[f], own.Attempts[f], other.States[f], other.Attempts[f])
		}
		if want {
			granted++
			renewed := own.States[f] == attempt.Found || own.States[f] == attempt.Missing
			if renewed && changes.UpTo != upTo || !renewed && changes.UpTo != 0 {
				t.Fatalf("the intent says %d, want %d: own state %d", changes.UpTo, upTo, own.States[f])
			}
		}
	})
	if granted == 0 {
		t.Error("nothing was granted")
	}
}
