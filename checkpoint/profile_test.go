package checkpoint

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/verify"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// The longest profiles that the client keeps, in as many answers at once as there can be
// calls in flight, fit into the commits. "<" is what takes the most room in a record.
func TestTheLongestProfilesOfAllCallsInFlightFitIntoCommits(t *testing.T) {
	const calls = 64
	j := openDir(t, filepath.Join(t.TempDir(), "journal"))
	defer j.Close()
	r := &rig{Journal: j, t: t}
	profile := `{"about":"` + strings.Repeat("<", 128<<10-12) + `"}`
	var tickets []attempt.Ticket
	for n := range calls {
		tickets = append(tickets, r.grant(request(person(n), email)))
	}
	failures := make([]error, calls)
	var all sync.WaitGroup
	for n, ticket := range tickets {
		all.Go(func() {
			_, failures[n] = j.Settle(ticket.ID, v1.EncodeAnswer(v1.Answer{Status: enrich.Matched, WorkEmail: "a@b.example", Profile: profile}))
		})
	}
	all.Wait()
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
	for _, ticket := range tickets {
		res, _, err := j.Resolution(ticket.ID)
		if answer, decodeErr := v1.DecodeAnswer(res.Answer()); err != nil || decodeErr != nil || answer.Profile != profile {
			t.Fatalf("attempt %d: the profile is not there, error %v", ticket.ID, err)
		}
	}
}

// A profile is a part of the answer: it goes with it, and is masked with it.
func TestProfileIsErasedAndMasked(t *testing.T) {
	r := newRig(t)
	ticket := r.grant(request(person(1), email))
	r.settle(ticket, v1.Answer{Status: enrich.Matched, WorkEmail: "a@b.example", Profile: `{"about":"secret"}`})
	var dump strings.Builder
	if err := verify.Dump(r.store, nil, &dump, nil); err != nil || strings.Contains(dump.String(), "about") {
		t.Errorf("error %v, not masked: %s", err, dump.String())
	}
	if _, err := r.erase(Person{Identity: person(1)}); err != nil {
		t.Fatal(err)
	}
	res, _, err := r.Resolution(ticket.ID)
	if err != nil || res.Data != "" {
		t.Errorf("forgotten: %+v, error %v", res, err)
	}
	ticket = r.grant(request(person(2), email))
	r.settle(ticket, v1.Answer{Status: enrich.Matched, WorkEmail: "a@b.example", Profile: `{"about":"secret"}`})
	if _, err := r.Prune(r.clock.now().Add(1)); err != nil {
		t.Fatal(err)
	}
	if res, _, err = r.Resolution(ticket.ID); err != nil || res.Data != "" {
		t.Errorf("pruned: %+v, error %v", res, err)
	}
}
