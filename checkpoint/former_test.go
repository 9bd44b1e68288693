package checkpoint

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// The journal testdata/former-v7.tsv was written by the version before addresses had a form for each network. Its
// attempts, by the addresses of the rows that they were for:
//
//	 1  es.linkedin.com/in/pruned/es                     email found, then pruned
//	 2  fr.linkedin.com/in/forgotten                     email found, then forgotten
//	 3  de.linkedin.com/in/Jane-Doe/de?trk=a             email found
//	 4  uk.linkedin.com/in/jane-doe                      email found: the same person
//	 5  linkedin.com/profile/view?id=101                 both found; the query was lost
//	 6  linkedin.com/in/joe-roe/overlay/contact-info     both in doubt
//	 7  network.example/in/Kim                           email found
//	 8  network.example/in/kim                           phone found, under the key of 7
//	 9  it.linkedin.com/in/gone                          email forfeited
//	10  m.linkedin.com/in/gone                           nothing found
//	11  de.linkedin.com/company/Acme/about               email found, of a company
//	12  mobile.twitter.com/Ann                           email found, in account 1
//	13  linkedin.com/in/same                             email found; the form is the same now
//	14  twitter.com/zoe                                  email in flight when the process ended
func formerRig(t *testing.T) *rig { return versionRig(t, "testdata/former-v7") }

// openedFormer returns the store after it was opened and closed.
func openedFormer(t *testing.T) *memStore {
	t.Helper()
	s := readVersion(t, "testdata/former-v7")
	j, err := New(s, Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1000, Window: time.Minute}, Now: (&clock{start}).now})
	if err == nil {
		err = j.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// at returns the identity of an address.
func at(t *testing.T, address string) enrich.Identity {
	t.Helper()
	id, reason := enrich.Contact{ProfileURL: address}.Identify(enrich.ByProfile)
	if reason != "" {
		t.Fatalf("%s: %s", address, reason)
	}
	return id
}

// TestWhatWasPaidUnderAFormerFormIsNotBoughtAgain asks for persons of a journal of the version before, in other
// spellings.
func TestWhatWasPaidUnderAFormerFormIsNotBoughtAgain(t *testing.T) {
	both := email | phone
	for range 2 { // the journal is opened again after the former keys are recorded
		r := formerRig(t)
		wantSound(t, r.store)
		r.reopen()
		for _, tt := range []struct {
			address string
			fields  enrich.Fields
			want    attempt.Decision // nil for Granted
		}{
			{"linkedin.com/in/jane-doe", email, attempt.Known{Fields: email}},
			{"https://www.linkedin.com/in/Jane-Doe/details/experience/", email, attempt.Known{Fields: email}},
			{"de.linkedin.com/in/Jane-Doe/de", email, attempt.Known{Fields: email}},
			{"at.linkedin.com/in/jane-doe", both, attempt.Known{Fields: email}},
			{"linkedin.com/in/joe-roe", email, attempt.Unsettled{Fields: email}},
			{"m.linkedin.com/in/joe-roe", both, attempt.Unsettled{Fields: both}},
			{"x.com/Zoe", email, attempt.Unsettled{Fields: email}},
			{"twitter.com/zoe", email, attempt.Unsettled{Fields: email}},
			{"linkedin.com/in/gone", email, attempt.Known{Fields: email}},
			{"linkedin.com/in/same", both, attempt.Known{Fields: email}},
			{"https://es.linkedin.com/in/pruned/es", email, attempt.Known{Fields: email}},
			{"https://fr.linkedin.com/in/forgotten", email, attempt.Known{Fields: email}},
			{"network.example/in/Kim", email, attempt.Known{Fields: email}},
			{"network.example/in/kim", phone, attempt.Known{Fields: phone}},
			{"network.example/in/kim", email, nil},
			{"network.example/in/Kim", phone, nil},
			{"linkedin.com/profile/view?id=101", email, nil},
			{"linkedin.com/profile/view?id=202", email, nil},
			{"x.com/ann", email, nil}, // another account has it
			{"linkedin.com/in/jane-doe", phone, nil},
		} {
			decision := r.begin(request(at(t, tt.address), tt.fields))
			if _, granted := decision.(attempt.Granted); granted != (tt.want == nil) || !granted && !cmp.Equal(decision, tt.want) {
				t.Errorf("%s, %s: decision %#v, want %#v", tt.address, tt.fields, decision, tt.want)
			}
		}
		acme, _ := enrich.Company{ProfileURL: "www.linkedin.com/company/acme/"}.Identify(enrich.ByCompanyProfile)
		r.want(r.begin(request(acme, email)), attempt.Known{Fields: email})
		second := r.account(secondID)
		r.want(second.begin(request(at(t, "https://x.com/ann"), email)), attempt.Known{Fields: email})
		// The first call for these persons in this account blocks the next one in any spelling.
		r.want(r.begin(request(at(t, "twitter.com/Ann/media"), email)), attempt.Blocked{})
		r.want(r.begin(request(at(t, "linkedin.com/profile/view?trk=x&id=101"), email)), attempt.Blocked{})
	}
}

// TestAnErasedFormerFormIsFoundInOtherSpellings: nothing says what an erased attempt was about. A row with its spelling
// leads to it, and from then on every spelling does.
func TestAnErasedFormerFormIsFoundInOtherSpellings(t *testing.T) {
	r := formerRig(t)
	r.want(r.begin(request(at(t, "es.linkedin.com/in/pruned/es"), email)), attempt.Known{Fields: email})
	for range 2 {
		r.want(r.begin(request(at(t, "linkedin.com/in/pruned"), email)), attempt.Known{Fields: email})
		known, err := r.RecordOf(r.Key(at(t, "linkedin.com/in/pruned")), enrich.PossibleFields)
		r.check(err)
		if known.Attempts[v1.WorkEmail] != 1 {
			t.Errorf("the email is of attempt %d, want 1", known.Attempts[v1.WorkEmail])
		}
		r.reopen()
		wantSound(t, r.store)
	}
}

// wantAttempts compares the attempts that are known of identities, by all ways of reading them.
func wantAttempts(t *testing.T, r *rig, want map[string][2]attempt.ID) {
	t.Helper()
	byKey := map[enrich.Key]attempt.Record{}
	first, last := enrich.Key{}, enrich.Key{}
	for i := range last {
		last[i] = 0xff
	}
	r.check(r.Records(first, last, func(key enrich.Key, recall func() (attempt.Record, error)) error {
		known, err := recall()
		if before, found := byKey[key]; found && !cmp.Equal(before, known) {
			t.Errorf("key %s comes with different records: %+v and %+v", key, before, known)
		}
		byKey[key] = known
		return err
	}))
	for address, ids := range want {
		id := at(t, address)
		known, err := r.Record(id)
		r.check(err)
		of, err := r.RecordOf(r.Key(id), enrich.PossibleFields)
		r.check(err)
		for name, got := range map[string]attempt.Record{"Record": known, "RecordOf": of, "Records": byKey[r.Key(id)]} {
			if got := [2]attempt.ID{got.Attempts[v1.WorkEmail], got.Attempts[v1.BusinessPhone]}; got != ids {
				t.Errorf("%s of %s has the attempts %d, want %d", name, address, got, ids)
			}
		}
	}
}

var formerAttempts = map[string][2]attempt.ID{
	"linkedin.com/in/jane-doe":         {3, 0}, // the first answer, not that of attempt 4
	"linkedin.com/in/joe-roe":          {6, 6},
	"linkedin.com/in/gone":             {9, 0},
	"linkedin.com/in/same":             {13, 0},
	"x.com/zoe":                        {14, 0},
	"x.com/ann":                        {0, 0},
	"network.example/in/Kim":           {7, 0},
	"network.example/in/kim":           {0, 8},
	"linkedin.com/profile/view?id=101": {0, 0},
}

func TestEveryReaderFindsFormerForms(t *testing.T) {
	r := formerRig(t)
	wantAttempts(t, r, formerAttempts)
	wantAttempts(t, r.account(secondID), map[string][2]attempt.ID{"x.com/ann": {12, 0}, "linkedin.com/in/jane-doe": {0, 0}})
	r.reopen()
	wantAttempts(t, r, formerAttempts)
	known, err := r.Record(at(t, "linkedin.com/in/gone"))
	r.check(err)
	if known.States[v1.WorkEmail] != attempt.PaidAndGone {
		t.Errorf("the state is %d, want that it is paid and gone", known.States[v1.WorkEmail])
	}
}

// TestChargesUnderBothFormsOfAPersonStayBooked: the person was paid under two forms.
func TestChargesUnderBothFormsOfAPersonStayBooked(t *testing.T) {
	r := formerRig(t)
	var charged cost.Money
	var ids []attempt.ID
	r.check(r.Attempts(time.Time{}, time.Time{}, func(e attempt.Entry) error {
		if e.State != attempt.InDoubt {
			charged += e.Charge.Money()
			ids = append(ids, e.ID)
		}
		return nil
	}))
	if got := r.Totals(ScopeAll).Settled.Money(); got != charged || len(ids) != 12 {
		t.Errorf("booked are $%s in %d attempts, which were charged $%s", got, len(ids), charged)
	}
}

// TestAReaderOfAnOlderJournalFindsFormerForms reads a journal that no owner with this form has opened. It writes
// nothing.
func TestAReaderOfAnOlderJournalFindsFormerForms(t *testing.T) {
	s := readVersion(t, "testdata/former-v7")
	before := maps.Clone(s.records)
	j, err := Read(s, Options{Catalogue: v1.Catalogue(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Journal: j, t: t, store: s}
	want := maps.Clone(formerAttempts)
	wantAttempts(t, r, want)
	if diff := cmp.Diff(before, s.records); diff != "" {
		t.Errorf("the reader wrote:\n%s", diff)
	}
}

// TestAnOlderProgramMayGoOnWithTheJournal: it records attempts under former keys, which the next opening finds.
func TestAnOlderProgramMayGoOnWithTheJournal(t *testing.T) {
	r := &rig{t: t, store: openedFormer(t), clock: &clock{start}, rate: Rate{Slots: 1000, Window: time.Minute}}
	r.reopen()
	r.check(r.Close())
	for key := range r.store.records {
		if key[0] == record.FormerPrefix && strings.HasSuffix(key, string(formerKeyOf(t, r, "https://uk.linkedin.com/in/jane-doe"))) {
			delete(r.store.records, key)
		}
	}
	forms := record.Forms{Next: 4} // attempt 4 and the others are as if they had been recorded since
	r.store.records[string(record.FormsKey)] = record.Encode(&forms)
	r.Journal = nil
	r.reopen()
	t.Cleanup(func() { r.Close() })
	wantSound(t, r.store)
	if keys := r.keysWith(r.Key(at(t, "linkedin.com/in/jane-doe")), nil); len(keys) != 3 {
		t.Errorf("%d keys lead to the person, want 3", len(keys))
	}
}

// formerKeyOf returns the key that the address had in the version before.
func formerKeyOf(t *testing.T, r *rig, address string) []byte {
	key := r.KeyOf([]byte(enrich.Identity{ProfileURL: address}.Former()))
	return key[:]
}

// TestFormerFormsAreFoundAfterACrash fails each commit of an opening in turn, once before and once after it is durable.
func TestFormerFormsAreFoundAfterACrash(t *testing.T) {
	for _, done := range []bool{false, true} {
		for fail := 1; ; fail++ {
			s := readVersion(t, "testdata/former-v7")
			s.before = func(commit int) (error, bool) {
				if commit == fail {
					return errors.New("power is gone"), done
				}
				return nil, true
			}
			options := Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1000, Window: time.Minute}, Now: (&clock{start}).now}
			j, err := New(s, options)
			if err == nil {
				if j.Close(); fail < 3 {
					t.Errorf("an opening has %d commits", fail-1)
				}
				break
			}
			s.before = nil
			if j, err = New(s, options); err != nil {
				t.Fatal(err)
			}
			r := &rig{Journal: j, t: t, store: s}
			wantAttempts(t, r, formerAttempts)
			wantSound(t, s)
			r.check(r.Close())
		}
	}
}

// TestForgetErasesFormerForms forgets a person in a spelling that was never asked for.
func TestForgetErasesFormerForms(t *testing.T) {
	r := formerRig(t)
	erased, err := r.erase(Person{Identity: at(t, "https://www.linkedin.com/in/jane-doe?x")})
	r.check(err)
	if want := (Erasure{Persons: 1, Identities: 3, Attempts: 2, Answers: 2}); erased != want { // the profile and two emails
		t.Errorf("erased %+v, want %+v", erased, want)
	}
	for range 2 {
		for _, address := range []string{"de.linkedin.com/in/jane-doe/de", "uk.linkedin.com/in/jane-doe", "linkedin.com/in/jane-doe", "fi.linkedin.com/in/jane-doe"} {
			r.want(r.begin(request(at(t, address), email|phone)), attempt.Known{Fields: email | phone})
		}
		r.reopen()
		wantSound(t, r.store)
	}
	forgotten, err := r.Forgotten()
	r.check(err)
	cells := enrich.Cells{ProfileURL: []byte("https://fr.linkedin.com/in/forgotten/")} // by the version before
	if !cells.EachCanonical(nil, func(form []byte) bool { return forgotten[r.KeyOf(form)] }) {
		t.Error("a row with the spelling of somebody who was forgotten is not known")
	}
}

// TestAFormerKeyThatNothingLeadsToIsAProblem removes a record of a former key.
func TestAFormerKeyThatNothingLeadsToIsAProblem(t *testing.T) {
	s := openedFormer(t)
	wantSound(t, s)
	keys := slices.Sorted(maps.Keys(s.records))
	at := slices.IndexFunc(keys, func(key string) bool { return key[0] == record.FormerPrefix })
	delete(s.records, keys[at])
	problems := problemsOf(t, s)
	if len(problems) == 0 || !strings.Contains(problems[0], "has a former key of its identity, and there is no record of that key") {
		t.Errorf("problems %q", problems)
	}
	s.records[string(record.FormerPrefix)+"x"] = record.Encode(&record.OpenMark{})
	if problems := problemsOf(t, s); !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, "names no former key") }) {
		t.Errorf("problems %q", problems)
	}
}

// TestFormerAttemptsAreReadOnce: the attempts of a journal that grew are not read again by every opening.
func TestFormerAttemptsAreReadOnce(t *testing.T) {
	r := newRig(t)
	for n := range formsStep + 10 {
		r.clock.at = r.clock.at.Add(time.Second)
		r.settle(r.grant(request(person(n), email)), v1.Answer{Status: enrich.NotFound})
	}
	forms, found, err := record.Load[record.Forms](r.store, record.FormsKey)
	if r.check(err); !found || forms.Next <= 1 || forms.Next > formsStep+11 {
		t.Errorf("attempts before %d are counted", forms.Next)
	}
	commits := r.store.commits
	r.reopen()
	if r.store.commits != commits {
		t.Errorf("an opening without new attempts commits %d times", r.store.commits-commits)
	}
	wantSound(t, r.store)
}

func TestRecordsOfSeveralKeysAreMerged(t *testing.T) {
	const again = 100 // the attempt that asked again
	of := func(state attempt.FieldState, id attempt.ID, hours int, earlier ...attempt.ID) attempt.Record {
		var r attempt.Record
		r.States[0], r.Attempts[0], r.At[0], r.Earlier[0] = state, id, start.Add(time.Duration(hours)*time.Hour), earlier
		return r
	}
	for _, tt := range []struct {
		name string
		a, b attempt.Record
		want attempt.Record
	}{
		{"an answer that was asked for again", of(attempt.Found, 1, 1), of(attempt.Found, again, 2), of(attempt.Found, again, 2)},
		{"an answer and a doubt about a later one", of(attempt.Found, 1, 1), of(attempt.OutcomeUnknown, again, 2), of(attempt.OutcomeUnknown, again, 2)},
		{"an answer and a later one that is lost", of(attempt.Found, 1, 1), of(attempt.PaidAndGone, again, 2), of(attempt.PaidAndGone, again, 2)},
		{"an answer and a later one without the value", of(attempt.Found, 1, 1), of(attempt.Missing, again, 2), of(attempt.Missing, again, 2)},
		{"asked for again and forgotten", of(attempt.Forgotten, 1, 1), of(attempt.Found, again, 2), of(attempt.Forgotten, 1, 1)},
		{"nothing", of(attempt.Found, 1, 1), attempt.Record{}, of(attempt.Found, 1, 1)},
		{"two answers", of(attempt.Found, 2, 1), of(attempt.Found, 1, 2), of(attempt.Found, 1, 2)},
		{"an answer and a doubt", of(attempt.OutcomeUnknown, 1, 1), of(attempt.Found, 2, 2), of(attempt.Found, 2, 2)},
		{"a doubt and nothing found", of(attempt.Missing, 1, 1), of(attempt.OutcomeUnknown, 2, 2), of(attempt.OutcomeUnknown, 2, 2)},
		{"forfeited and nothing found", of(attempt.Missing, 1, 1), of(attempt.PaidAndGone, 2, 2), of(attempt.PaidAndGone, 2, 2)},
		{"an answer after one that was forfeited", of(attempt.PaidAndGone, 1, 1), of(attempt.Found, 2, 2), of(attempt.Found, 2, 2, 1)},
		{"forfeited twice", of(attempt.PaidAndGone, 3, 1, 1), of(attempt.PaidAndGone, 2, 2), of(attempt.PaidAndGone, 2, 2, 1, 3)},
		{"nothing found twice", of(attempt.Missing, 1, 1), of(attempt.Rejected, 2, 2), of(attempt.Rejected, 2, 2)},
		{"forgotten", of(attempt.Found, 1, 1), of(attempt.Forgotten, 0, 2), of(attempt.Forgotten, 0, 2)},
		{"forgotten twice", of(attempt.Forgotten, 0, 1), of(attempt.Forgotten, 7, 2), of(attempt.Forgotten, 7, 2)},
	} {
		for _, records := range [][]attempt.Record{{tt.a, tt.b}, {tt.b, tt.a}} {
			got, err := asOne(slices.Clone(records), func(id attempt.ID, _ enrich.Field) (bool, error) { return id == again, nil })
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Earlier[0]) == 0 {
				got.Earlier[0] = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	}
}
