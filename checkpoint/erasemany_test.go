package checkpoint

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// longRun is a name of a run that makes the records of a few attempts fill a commit.
var longRun = strings.Repeat("r", 8<<10)

// severalProfiles are attempts about one person, who has that many profile URLs. Only the first answer has
// the person's email. All have the phone.
func severalProfiles(r *rig, count int) {
	for n := range count {
		answer := v1.Answer{Status: enrich.Matched, FullName: "Ada Lovelace", BusinessPhone: "+1 555 0100"}
		if n == 0 {
			answer.WorkEmail = "ada@acme.example"
		}
		req := request(person(n), email|phone)
		req.Run = longRun
		r.settle(r.grant(req), answer)
	}
}

// TestForgetOfManyAttemptsIsCommittedInParts, each of which Badger takes. After a crash between two of
// them the same command finds the rest.
func TestForgetOfManyAttemptsIsCommittedInParts(t *testing.T) {
	const count = 100
	for _, failing := range []int{0, 2, 3} { // which commit of the erasure
		r := newRig(t)
		severalProfiles(r, count)
		r.check(r.Close())
		store := &gatedStore{memStore: r.store, gate: make(chan struct{})}
		close(store.gate)
		var err error
		r.Journal, err = New(store, Options{Catalogue: r.catalogue, Rate: r.rate, Now: r.clock.now})
		r.check(err)
		first := store.commits
		store.before = func(commit int) (error, bool) {
			if failing > 0 && commit == first+failing {
				return errors.New("disk"), false
			}
			return nil, true
		}
		erased, err := r.erase(Person{Email: "ada@acme.example"})
		if (err != nil) != (failing > 0) {
			t.Fatalf("commit %d fails: error %v", failing, err)
		}
		if store.longest > 2*maxQueue {
			t.Errorf("a commit had %d bytes, want %d at most", store.longest, 2*maxQueue)
		}
		store.before = nil
		if failing > 0 {
			r.reopen()
			wantSound(t, r.store)
			erased, err = r.erase(Person{Email: "ada@acme.example"})
			r.check(err)
		} else if commits := store.commits - first; commits < 3 {
			t.Errorf("%d commits, want more", commits)
		}
		if failing > 0 && (erased.Attempts == 0 || erased.Attempts == count) {
			t.Errorf("commit %d failed, and %d attempts were left to erase", failing, erased.Attempts)
		}
		for id := range attempt.ID(count) {
			if res, _, err := r.Resolution(id + 1); err != nil || !res.Erased || res.Data != "" {
				t.Fatalf("commit %d fails: attempt %d has %q, error %v", failing, id+1, res.Data, err)
			}
		}
		wantSound(t, r.store)
	}
}

// TestForgetTakesMentionsOutOfManyAnswersInParts: the answers are about others. They keep their other values, also
// when a commit fails and the same command finds the rest.
func TestForgetTakesMentionsOutOfManyAnswersInParts(t *testing.T) {
	const count = 100
	profile := `{"note":"` + strings.Repeat("x", 8<<10) + `","peers":[{"name":"Cy Lee"},{"name":"Ada Lovelace","email":"ada@acme.example"}]}`
	for _, failing := range []int{0, 1, 2} { // which commit of the erasure
		r := newRig(t)
		for n := range count {
			answer := v1.Answer{Status: enrich.Matched, FullName: "Bob Ray", WorkEmail: fmt.Sprintf("bob%d@acme.example", n), Profile: profile}
			r.settle(r.grant(request(person(n), email|phone)), answer)
		}
		totals := r.Totals(ScopeAll)
		r.check(r.Close())
		store := &gatedStore{memStore: r.store, gate: make(chan struct{})}
		close(store.gate)
		var err error
		r.Journal, err = New(store, Options{Catalogue: r.catalogue, Rate: r.rate, Now: r.clock.now})
		r.check(err)
		first := store.commits
		store.before = func(commit int) (error, bool) {
			if failing > 0 && commit == first+failing {
				return errors.New("disk"), false
			}
			return nil, true
		}
		erased, err := forget(r.Journal, Person{Email: "ada@acme.example"})
		if (err != nil) != (failing > 0) {
			t.Fatalf("commit %d fails: error %v", failing, err)
		}
		if store.longest > 2*maxQueue {
			t.Errorf("a commit had %d bytes, want %d at most", store.longest, 2*maxQueue)
		}
		store.before = nil
		if failing > 0 {
			r.reopen()
			wantSound(t, r.store)
			erased, err = r.erase(Person{Email: "ada@acme.example"})
			r.check(err)
		} else if commits := store.commits - first; commits < 2 {
			t.Errorf("%d commits, want more", commits)
		}
		if erased.Attempts > 0 || erased.Mentions == 0 || (erased.Mentions == count) != (failing < 2) {
			t.Errorf("commit %d failed, and then it erased %+v", failing, erased)
		}
		for id := range attempt.ID(count) {
			res, _, err := r.Resolution(id + 1)
			r.check(err)
			got, err := v1.DecodeAnswer(res.Answer())
			if err != nil || res.Erased || strings.Contains(res.Data, "ada@") || got.FullName != "Bob Ray" || got.WorkEmail == "" || !strings.Contains(got.Profile, `{"name":"Cy Lee"}]`) {
				t.Fatalf("commit %d fails: attempt %d has %q, error %v", failing, id+1, res.Data, err)
			}
		}
		r.want(r.begin(request(person(1), email|phone)), attempt.Known{Fields: email | phone})
		if after := r.Totals(ScopeAll); after != totals {
			t.Errorf("the money record is %+v, was %+v", after, totals)
		}
		wantSound(t, r.store)
	}
}

// TestAForgetThatFailsFindsAllTheNextTime: one answer mentions the person twice. The second mention is found through an
// answer that is found through the first one. After each failed commit the same command finds what is left.
func TestAForgetThatFailsFindsAllTheNextTime(t *testing.T) {
	ada := enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "acme.example"}
	byURL := enrich.Identity{ProfileURL: "https://pro.example/in/ada"}
	note := strings.Repeat("x", maxQueue/2) // so that each answer is a commit
	for failing := range 4 {
		r := newRig(t)
		r.settle(r.grant(request(person(1), email)), v1.Answer{
			Status: enrich.Matched, FullName: "Bob Ray", WorkEmail: "bob@acme.example",
			Profile: `{"note":"` + note + `","peers":[{"name":"Ada Lovelace","company_domain":"acme.example","pro_network":"https://pro.example/in/ada"}],"emails":["ada@other.example"]}`,
		})
		r.settle(r.grant(request(byURL, email)), v1.Answer{Status: enrich.Matched, FullName: "Ada Lovelace", WorkEmail: "ada@other.example", Profile: `{"note":"` + note + `"}`})
		r.check(r.Close())
		store := &gatedStore{memStore: r.store, gate: make(chan struct{})}
		close(store.gate)
		var err error
		r.Journal, err = New(store, Options{Catalogue: r.catalogue, Rate: r.rate, Now: r.clock.now})
		r.check(err)
		first := store.commits
		store.before = func(commit int) (error, bool) {
			if commit == first+failing {
				return errors.New("disk"), false
			}
			return nil, true
		}
		_, err = forget(r.Journal, Person{Identity: ada})
		if (err != nil) != (failing > 0) {
			t.Fatalf("commit %d fails: error %v", failing, err)
		}
		store.before = nil
		if failing > 0 {
			r.reopen()
			_, err = r.erase(Person{Identity: ada})
			r.check(err)
		}
		for id := range attempt.ID(2) {
			if res, _, err := r.Resolution(id + 1); err != nil || strings.Contains(strings.ToLower(res.Data), "ada") || res.Erased != (id == 1) {
				t.Errorf("commit %d fails: attempt %d has %.20q…%q, error %v", failing, id+1, res.Data, res.Data[max(0, len(res.Data)-100):], err)
			}
		}
		wantSound(t, r.store)
	}
}

// readingStore counts the records that are read.
type readingStore struct {
	*memStore
	read int
}

func (s *readingStore) Get(key []byte) ([]byte, error) {
	s.read++
	return s.memStore.Get(key)
}

func (s *readingStore) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	return s.memStore.Scan(prefix, from, func(key, value []byte) (bool, error) {
		s.read++
		return visit(key, value)
	})
}

// TestPruneReadsOnlyWhatEndedSinceTheLastOne, by the day: so it takes no longer when the journal grows.
func TestPruneReadsOnlyWhatEndedSinceTheLastOne(t *testing.T) {
	r := newRig(t)
	for n := range 300 {
		r.settle(r.grant(request(person(n), email)), found)
	}
	if erased, err := r.Prune(start.AddDate(0, 0, 1)); err != nil || erased.Attempts != 300 {
		t.Fatalf("erased %+v, error %v", erased, err)
	}
	r.clock.at = start.AddDate(0, 0, 3)
	for n := range 5 {
		r.settle(r.grant(request(person(300+n), email)), found)
	}
	r.check(r.Close())
	store := &readingStore{memStore: r.store}
	var err error
	r.Journal, err = New(store, Options{Catalogue: r.catalogue, Rate: r.rate, Now: r.clock.now})
	r.check(err)
	const most = 60
	store.read = 0
	due := 0
	r.check(EachExpired(store, r.clock.at.Add(time.Hour), func(ExpiredAttempt) error { due++; return nil }))
	if due != 5 || store.read > most {
		t.Errorf("%d attempts are due and %d records were read, want 5 and %d at most", due, store.read, most)
	}
	store.read = 0
	if erased, err := r.Prune(r.clock.at.Add(time.Hour)); err != nil || erased.Attempts != 5 || store.read > most {
		t.Errorf("erased %+v, read %d records, want %d at most, error %v", erased, store.read, most, err)
	}
	wantSound(t, r.store)
}

// TestPruneErasesWhatEndedAfterTheClockWasSetBack: the last prune erased everything from before a time,
// and then attempts end before it.
func TestPruneErasesWhatEndedAfterTheClockWasSetBack(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(request(person(1), email)), found)
	_, err := r.Prune(start.Add(time.Hour))
	r.check(err)
	r.clock.at = start.AddDate(0, 0, -2)
	r.settle(r.grant(request(person(2), email)), found)
	if erased, err := r.Prune(start); err != nil || erased.Attempts != 1 {
		t.Errorf("erased %+v, error %v", erased, err)
	}
	pruned, _, err := record.Load[record.Pruned](r.store, record.PrunedKey)
	if err != nil || !pruned.Before.Equal(start.Add(time.Hour)) || pruned.Next != 3 {
		t.Errorf("the mark is %+v, error %v", pruned, err)
	}
}

// TestPruneErasesADoubtOnceItIsDecided, although newer attempts were erased before.
func TestPruneErasesADoubtOnceItIsDecided(t *testing.T) {
	r := newRig(t)
	id := r.lose(1, email, "run")
	r.clock.at = start.AddDate(0, 0, 2)
	r.settle(r.grant(request(person(2), email)), found)
	if erased, err := r.Prune(r.clock.at.Add(time.Hour)); err != nil || erased.Attempts != 1 {
		t.Errorf("erased %+v, error %v", erased, err)
	}
	r.clock.at = start.AddDate(0, 0, 4)
	r.check(r.Assume(true, id))
	if erased, err := r.Prune(r.clock.at.Add(time.Hour)); err != nil || erased.Attempts != 1 {
		t.Errorf("erased %+v of the doubt, error %v", erased, err)
	}
	wantSound(t, r.store)
}
