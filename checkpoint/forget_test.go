package checkpoint

import (
	"fmt"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// TestForgetErasesAnswersOfEveryIdentity buys one person by profile URL and by name, and another
// one of the same name at another company.
func TestForgetErasesAnswersOfEveryIdentity(t *testing.T) {
	byURL := enrich.Identity{ProfileURL: "https://pro.example/in/ada"}
	byName := enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "acme.example"}
	byCompany := enrich.Identity{FirstName: "ADA", LastName: "Lovelace", CompanyName: "Acme"}
	namesake := enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "other.example"}
	ada := v1.Answer{Status: enrich.Matched, FullName: "Ada Lovelace", WorkEmail: "ada@acme.example", BusinessPhone: "+1 555 0100"}
	for name, c := range map[string]struct {
		who  Person
		want Erasure
	}{
		"by profile URL": {Person{Identity: byURL}, Erasure{Persons: 1, Identities: 3, Attempts: 4, Answers: 3}},
		"by name":        {Person{Identity: byName}, Erasure{Persons: 1, Identities: 3, Attempts: 4, Answers: 3}},
		"by company":     {Person{Identity: byCompany}, Erasure{Persons: 1, Identities: 3, Attempts: 4, Answers: 3}},
		"by email":       {Person{Email: "Ada@Acme.example"}, Erasure{Persons: 1, Identities: 3, Attempts: 4, Answers: 3}},
		"by phone":       {Person{Phone: "15550100"}, Erasure{Persons: 1, Identities: 5, Attempts: 5, Answers: 4}},
		"the namesake":   {Person{Email: "lovelace@other.example"}, Erasure{Persons: 1, Identities: 1, Attempts: 1, Answers: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.settle(r.grant(request(byURL, email)), ada)
			r.settle(r.grant(request(byName, email)), ada)
			r.settle(r.grant(request(byCompany, phone)), ada)
			lost := r.grant(request(byCompany, email))
			r.check(r.Release(lost.ID, attempt.Release{Reason: "rate_limited", Sent: true}))
			r.settle(r.grant(request(namesake, email)), v1.Answer{Status: enrich.Matched, FullName: "Ada Lovelace", WorkEmail: "lovelace@other.example"})
			r.settle(r.grant(request(person(7), email)), v1.Answer{Status: enrich.Matched, FullName: "Bob Ray", WorkEmail: "bob@acme.example", BusinessPhone: "+1 555 0100"})
			got, err := r.erase(c.who)
			if err != nil || got != c.want {
				t.Errorf("erased %+v, error %v; want %+v", got, err, c.want)
			}
			wantSound(t, r.store)
			if c.want.Attempts == 1 {
				return
			}
			for _, who := range []enrich.Identity{byURL, byName, byCompany} {
				r.want(r.begin(request(who, email|phone)), attempt.Known{Fields: email | phone})
			}
		})
	}
}

// TestANameInAnswersDoesNotMakeOnePerson of those who have it: with and without emails of one provider of mailboxes,
// and at one company.
func TestANameInAnswersDoesNotMakeOnePerson(t *testing.T) {
	const count = 30
	for name, address := range map[string]string{"no email": "", "private mailboxes": "ann%d@gmail.com", "one company": "ann%d@acme.example"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			for n := range count {
				answer := v1.Answer{Status: enrich.Matched, FullName: "Ann Smith", BusinessPhone: fmt.Sprintf("+1 555 %04d", n)}
				if address != "" {
					answer.WorkEmail = fmt.Sprintf(address, n)
				}
				r.settle(r.grant(request(person(n), email|phone)), answer)
			}
			erased, err := r.erase(Person{Identity: person(7)})
			if err != nil || erased.Attempts != 1 || erased.Answers != 1 {
				t.Errorf("erased %+v, error %v", erased, err)
			}
			for n := range count {
				if res, _, err := r.Resolution(attempt.ID(n + 1)); err != nil || res.Erased != (n == 7) {
					t.Errorf("attempt %d: erased %t, error %v", n+1, res.Erased, err)
				}
			}
			erased, err = r.erase(Person{Name: "Ann Smith", Chosen: []string{"3"}})
			if err != nil || erased.Attempts != 1 {
				t.Errorf("a namesake who was chosen: erased %+v, error %v", erased, err)
			}
			if erased, err = r.erase(Person{Name: "smith, ann"}); err != nil || erased != (Erasure{}) {
				t.Errorf("nobody was chosen: erased %+v, error %v", erased, err)
			}
			if erased, err = r.erase(Person{Name: "smith, ann", AllNamesakes: true}); err != nil || erased.Attempts != count-2 {
				t.Errorf("all namesakes: erased %+v, error %v", erased, err)
			}
			wantSound(t, r.store)
		})
	}
}

// TestForgetByURLForgetsTheNameInTheAnswer: a row that gives the name and company is not looked up.
func TestForgetByURLForgetsTheNameInTheAnswer(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(request(person(1), email)), v1.Answer{Status: enrich.Matched, FullName: "Ada King Lovelace", WorkEmail: "ada@acme.example"})
	if _, err := r.erase(Person{Identity: person(1)}); err != nil {
		t.Fatal(err)
	}
	for first, last := range map[string]string{"Ada": "King Lovelace", "Ada King": "Lovelace"} {
		who := enrich.Identity{FirstName: first, LastName: last, CompanyDomain: "acme.example"}
		r.want(r.begin(request(who, email)), attempt.Known{Fields: email})
		if forgotten, err := r.Forgotten(); err != nil || !forgotten[r.Key(who)] {
			t.Errorf("%s is not forgotten, error %v", who, err)
		}
	}
}

// TestPruneErasesIdentities, those of attempts without an answer too, and none of what is newer
// or in doubt.
func TestPruneErasesIdentities(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(request(person(1), email)), found)
	old := r.grant(request(person(2), email))
	r.check(r.Release(old.ID, attempt.Release{Reason: "invalid_identifiers", Reject: true, Sent: true}))
	doubt := r.grant(request(person(3), email))
	r.check(r.MarkInDoubt(doubt.ID, attempt.LostCall{Cause: "lost"}))
	r.clock.at = start.Add(time.Hour)
	r.settle(r.grant(request(person(4), email)), found)
	got, err := r.Prune(start.Add(time.Minute))
	if err != nil || got != (Erasure{Attempts: 2, Answers: 1}) {
		t.Errorf("erased %+v, error %v", got, err)
	}
	for id, want := range map[attempt.ID]bool{1: false, 2: false, doubt.ID: true, 4: true} {
		known, err := r.Recall(0, true)([]attempt.ID{id}, nil)
		if err != nil || (known[0].Who != enrich.Identity{}) != want {
			t.Errorf("attempt %d is about %q, error %v", id, known[0].Who, err)
		}
	}
	r.want(r.begin(request(person(1), email)), attempt.Known{Fields: email})
	r.want(r.begin(request(person(2), email)), attempt.Known{Fields: email})
	wantSound(t, r.store)
	if again, err := r.Prune(start.Add(time.Minute)); err != nil || again != (Erasure{}) {
		t.Errorf("erased again %+v, error %v", again, err)
	}
}
