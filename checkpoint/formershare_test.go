package checkpoint

import (
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// TestForgetKeepsAnotherPersonWithTheSameFormerKey: two persons had one key in the version before. Who is forgotten
// takes neither the lookup nor the answer of the other one.
func TestForgetKeepsAnotherPersonWithTheSameFormerKey(t *testing.T) {
	for _, reopened := range []bool{false, true} {
		r := formerRig(t)
		erased, err := r.erase(Person{Identity: at(t, "network.example/in/Kim")}) // asked for the email; kim for the phone
		r.check(err)
		if erased.Attempts != 1 || erased.Answers != 1 {
			t.Errorf("erased %+v, want one attempt and one answer", erased)
		}
		if reopened {
			r.reopen()
		}
		wantSound(t, r.store)
		r.want(r.begin(request(at(t, "network.example/in/Kim"), email|phone)), attempt.Known{Fields: email | phone})
		known, err := r.Record(at(t, "network.example/in/kim"))
		r.check(err)
		if known.Attempts[v1.BusinessPhone] != 8 {
			t.Errorf("of the other person, %+v is known, want the phone of attempt 8", known)
		}
		if answer, found, err := r.Resolution(8); err != nil || !found || answer.Erased {
			t.Errorf("the answer of the other person: found %t, erased %t, %v", found, answer.Erased, err)
		}
	}
}

// TestForgetOfAnUnknownPersonLeavesThoseOfTheFormerKey forgets a person whose former key others had.
func TestForgetOfAnUnknownPersonLeavesThoseOfTheFormerKey(t *testing.T) {
	r := formerRig(t)
	erased, err := r.erase(Person{Identity: at(t, "network.example/in/KIM")})
	r.check(err)
	if erased.Attempts != 0 || erased.Answers != 0 {
		t.Errorf("erased %+v, want nothing of others", erased)
	}
	wantAttempts(t, r, map[string][2]attempt.ID{"network.example/in/Kim": {7, 0}, "network.example/in/kim": {0, 8}})
	r.want(r.begin(request(at(t, "network.example/in/KIM"), email|phone)), attempt.Known{Fields: email | phone})
}

// ownKeyOf returns the only key of an identity that never had another form.
func ownKeyOf(id enrich.Identity) []enrich.Key { return []enrich.Key{keyOf(id)} }

// TestNamesFindsProfilesInAnySpelling looks for a person in texts such as the rows of spooled lists.
func TestNamesFindsProfilesInAnySpelling(t *testing.T) {
	for address, texts := range map[string][]string{
		"linkedin.com/in/jane-doe": {
			"https://www.linkedin.com/in/jane-doe", "4 uk.linkedin.com/in/Jane-Doe/ x", `{"url":"https://m.linkedin.com/in/jane-doe?trk=x"}`,
			"1;https://de.linkedin.com/in/jane-doe/de;2", "see linkedin.com/in/jane-doe.",
		},
		"https://network.example/in/Kim":           {"https://network.example/in/Kim", "a,https://www.network.example/in/Kim/,b"},
		"https://facebook.com/jane.m.doe":          {"https://www.facebook.com/jane.m.doe", "https://m.facebook.com/janemdoe"},
		"https://linkedin.com/in/j%C3%BCrgen":      {"https://www.linkedin.com/in/jürgen"},
		"https://linkedin.com/profile/view?id=101": {"https://www.linkedin.com/profile/view?id=101&trk=x"},
	} {
		r := newRig(t)
		found, err := r.Find(Person{Identity: at(t, address)}, nil)
		r.check(err)
		for _, text := range texts {
			if !found.Names(text) {
				t.Errorf("%s is not found in %q", address, text)
			}
		}
		for _, text := range []string{"https://www.linkedin.com/in/jane-doe-2", "linkedin.com/profile/view?id=1012", "network.example/in/kim", "facebook.com/jane", "a/b/c"} {
			if found.Names(text) {
				t.Errorf("%s is found in %q", address, text)
			}
		}
	}
}

// TestFoundPersonIsRecognisedInARowByThePhone: a list can have the phone alone.
func TestFoundPersonIsRecognisedInARowByThePhone(t *testing.T) {
	r := newRig(t)
	found, err := r.Find(Person{Phone: "+49 30 1234567"}, nil)
	r.check(err)
	if !found.Names("Acme;+49 (30) 12345-67;x") || found.Names("Acme;+49 (30) 12345-77;x") {
		t.Error("the phone is not found in a row, or another one is")
	}
}

// TestAForfeitedFieldIsBoughtAgainOnlyOnce: an email was paid and lost under a former key. Buying it again is one
// decision of the user: the same command, as it resumes, does not buy what came back empty.
func TestAForfeitedFieldIsBoughtAgainOnlyOnce(t *testing.T) {
	r := formerRig(t)
	ask := request(at(t, "linkedin.com/in/gone"), email)
	ask.Reask.Forfeited = true
	r.settle(r.grant(ask), v1.Answer{Status: enrich.NotFound})
	for range 2 {
		r.want(r.begin(ask), attempt.Known{Fields: email})
		r.reopen()
		wantSound(t, r.store)
	}
}

// TestAnErasureUnderASharedFormerKeyKeepsTheOtherPersonsAnswer: Kim and kim had one former key. Under it, only Kim's
// email is known. Whether it is forgotten or erased by its age, kim's own answer stays.
func TestAnErasureUnderASharedFormerKeyKeepsTheOtherPersonsAnswer(t *testing.T) {
	for name, erase := range map[string]func(r *rig, began time.Time) (Erasure, error){
		"forgotten": func(r *rig, _ time.Time) (Erasure, error) {
			return r.erase(Person{Identity: at(r.t, "network.example/in/Kim")})
		},
		"erased by age": func(r *rig, began time.Time) (Erasure, error) { return r.Prune(began) },
	} {
		r := formerRig(t)
		r.clock.at = r.clock.at.Add(time.Hour)
		began := r.clock.at
		ticket := r.grant(request(at(t, "network.example/in/kim"), email))
		r.settle(ticket, v1.Answer{Status: enrich.Matched, WorkEmail: "kim@acme.example"})
		erased, err := erase(r, began)
		if r.check(err); erased.Attempts == 0 {
			t.Errorf("%s: nothing is erased", name)
		}
		for range 2 {
			known, err := r.Record(at(t, "network.example/in/kim"))
			r.check(err)
			if known.States[v1.WorkEmail] != attempt.Found || known.Attempts[v1.WorkEmail] != ticket.ID {
				t.Errorf("%s: of kim's email, state %d by attempt %d is known, want attempt %d", name, known.States[v1.WorkEmail], known.Attempts[v1.WorkEmail], ticket.ID)
			}
			forgotten, err := r.Forgotten()
			r.check(err)
			cells := enrich.Cells{ProfileURL: []byte("https://network.example/in/kim")}
			if cells.EachCanonical(nil, func(form []byte) bool { return forgotten[r.KeyOf(form)] }) {
				t.Errorf("%s: kim's rows are taken for those of somebody who was forgotten", name)
			}
			r.want(r.begin(request(at(t, "network.example/in/Kim"), email)), attempt.Known{Fields: email})
			r.reopen()
			wantSound(t, r.store)
		}
	}
}

// TestAPersonForgottenByAnEarlierVersionStaysForgotten: it marked the former key alone, and knew nothing of later
// lookups under the present one.
func TestAPersonForgottenByAnEarlierVersionStaysForgotten(t *testing.T) {
	r := formerRig(t)
	jane := at(t, "uk.linkedin.com/in/jane-doe")
	r.settle(r.grant(request(jane, phone)), v1.Answer{Status: enrich.Matched, BusinessPhone: "+49 30 1"})
	r.reopen()
	former := enrich.Key([]byte(formerKeyOf(t, r, "https://uk.linkedin.com/in/jane-doe")))
	forgotten := record.Encode(&record.FieldEntry{State: attempt.Forgotten, At: start})
	for _, f := range []enrich.Field{v1.WorkEmail, v1.BusinessPhone} {
		r.store.records[string(record.FieldKey(former, f))] = forgotten
	}
	r.store.records[string(record.ForgottenKey(former))] = record.Encode(&record.OpenMark{})
	r.reopen()
	known, err := r.Record(jane)
	if r.check(err); known.States[v1.BusinessPhone] != attempt.Forgotten || known.States[v1.WorkEmail] != attempt.Forgotten {
		t.Errorf("%+v is known", known.States[:2])
	}
}
