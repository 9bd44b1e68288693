package checkpoint

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// holds reports in which files under dir one of the texts stands.
func holds(t *testing.T, dir string, texts ...string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, text := range texts {
			if bytes.Contains(data, []byte(text)) {
				files = append(files, filepath.Base(path)+" has "+text)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Badger compresses its tables: only texts without anything that repeats stand in
// them as they are.
const (
	rareEmail = "qzjxkvwpbf@uymhgtcd.nlj"
	rareName  = "fvxqjzw.kpb/ygmhutcd"
)

func TestForgottenValuesAreGoneFromTheDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	j := openDir(t, dir)
	answer(t, j, 0, 7)
	who := enrich.Identity{ProfileURL: "https://" + rareName}
	r := &rig{Journal: j, t: t}
	r.settle(r.grant(request(who, email)), v1.Answer{Status: enrich.Matched, WorkEmail: rareEmail})
	answer(t, j, 8, 20)
	before := j.Totals(ScopeAll)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if len(holds(t, dir, rareEmail)) == 0 || len(holds(t, dir, rareName)) == 0 {
		t.Error("the values are not in the files as they are")
	}
	j = openDir(t, dir)
	erasure, err := forget(j, Person{Email: strings.ToUpper(rareEmail)})
	if err != nil || erasure != (Erasure{Persons: 1, Identities: 1, Attempts: 1, Answers: 1}) {
		t.Fatalf("erased %+v, %v", erasure, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if files := holds(t, dir, rareEmail, rareName); len(files) > 0 {
		t.Errorf("still on the disk: %q", files)
	}
	j = openDir(t, dir)
	defer j.Close()
	r = &rig{Journal: j, t: t}
	r.want(r.begin(request(who, email|phone)), attempt.Known{Fields: email | phone})
	r.want(r.begin(request(person(8), email)), attempt.Known{Fields: email})
	if got := j.Totals(ScopeAll); got != before {
		t.Errorf("the money record is %+v, was %+v", got, before)
	}
	record, err := j.Record(who)
	if err != nil || record.States != (enrich.ByField[attempt.FieldState]{attempt.Forgotten, attempt.Forgotten}) {
		t.Errorf("the record is %+v, %v", record, err)
	}
}

func TestForgetFindsAPerson(t *testing.T) {
	for name, c := range map[string]struct {
		who  Person
		want Erasure
	}{
		"by identity":                    {Person{Identity: person(1)}, Erasure{Persons: 1, Identities: 1, Attempts: 2, Answers: 2}},
		"by email":                       {Person{Email: "A@b.example"}, Erasure{Persons: 1, Identities: 1, Attempts: 2, Answers: 2}},
		"by phone":                       {Person{Phone: "+1 (555) 0100"}, Erasure{Persons: 1, Identities: 1, Attempts: 2, Answers: 2}},
		"not by another email":           {Person{Email: "b@b.example"}, Erasure{}},
		"an identity not known till now": {Person{Identity: person(9)}, Erasure{Persons: 1, Identities: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.settle(r.grant(request(person(1), email)), v1.Answer{Status: enrich.Matched, WorkEmail: "a@b.example", FullName: "Ann"})
			r.settle(r.grant(request(person(1), phone)), v1.Answer{Status: enrich.Matched, BusinessPhone: "+15550100"})
			r.settle(r.grant(request(person(2), email)), v1.Answer{Status: enrich.Matched, WorkEmail: "c@b.example"})
			got, err := r.erase(c.who)
			if err != nil || got != c.want {
				t.Errorf("erased %+v, %v; want %+v", got, err, c.want)
			}
			if c.who.Identity != (enrich.Identity{}) {
				again := request(c.who.Identity, email|phone)
				again.Reask.Before, again.Reask.Forfeited = start.Add(time.Hour), true
				r.want(r.begin(again), attempt.Known{Fields: email | phone})
			}
			if problems := problemsOf(t, r.store); len(problems) > 0 {
				t.Errorf("problems %q", problems)
			}
		})
	}
}

func TestForgetNeedsAPersonAndNoCallInFlight(t *testing.T) {
	r := newRig(t)
	if _, err := r.erase(Person{Phone: "-"}); err == nil {
		t.Error("nobody was forgotten")
	}
	r.grant(request(person(1), email))
	if _, err := r.erase(Person{Identity: person(1)}); err == nil {
		t.Error("a person was forgotten while being asked for")
	}
}

func TestAForgottenDoubtIsNotAskedAgainWhateverItsOutcome(t *testing.T) {
	for _, charged := range []bool{false, true} {
		r := newRig(t)
		ticket := r.grant(request(person(1), email))
		r.check(r.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "lost"}))
		if _, err := r.erase(Person{Identity: person(1)}); err != nil {
			t.Fatal(err)
		}
		r.reopen()
		r.check(r.Assume(charged, ticket.ID))
		r.reopen()
		again := request(person(1), email)
		again.Reask.Forfeited = true
		r.want(r.begin(again), attempt.Known{Fields: email})
		if problems := problemsOf(t, r.store); len(problems) > 0 {
			t.Errorf("problems %q", problems)
		}
	}
}

func TestPruneErasesOldAnswersOnly(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(request(person(1), email)), found)
	r.clock.at = start.Add(time.Hour)
	r.settle(r.grant(request(person(2), email)), v1.Answer{Status: enrich.Matched, WorkEmail: "new@b.example"})
	for _, want := range []int{1, 0} {
		got, err := r.Prune(start.Add(time.Minute))
		if err != nil || got.Answers != want {
			t.Errorf("erased %+v, %v; want %d answers", got, err, want)
		}
	}
	r.want(r.begin(request(person(1), email)), attempt.Known{Fields: email})
	res, _, err := r.Resolution(1)
	if err != nil || !res.Erased || res.Returned != email|phone || res.Data != "" {
		t.Errorf("the old answer is %+v, %v", res, err)
	}
	if res, _, _ = r.Resolution(2); res.Erased || !strings.Contains(res.Data, "new@b.example") {
		t.Errorf("the new answer is %+v", res)
	}
	if problems := problemsOf(t, r.store); len(problems) > 0 {
		t.Errorf("problems %q", problems)
	}
}

func TestDumpMasksValues(t *testing.T) {
	r := soundRig(t)
	secrets := []string{"a@b.example", "+15550100", "pro.example/in/p1"}
	var masked, open bytes.Buffer
	r.check(verify.Dump(r.store, nil, &masked, nil))
	r.check(verify.Dump(r.store, nil, &open, shown))
	if lines := strings.Count(masked.String(), "\n"); lines != len(r.store.records) {
		t.Errorf("%d lines for %d records", lines, len(r.store.records))
	}
	for _, text := range secrets {
		if strings.Contains(masked.String(), text) || !strings.Contains(open.String(), text) {
			t.Errorf("%s: masked %t, shown with values %t", text, !strings.Contains(masked.String(), text), strings.Contains(open.String(), text))
		}
	}
	if strings.Contains(open.String(), string(r.secret)) || !strings.Contains(open.String(), `"secret":"(masked)"`) {
		t.Error("the journal's secret is shown")
	}
	r.store.records["r7"], r.store.records["zz"] = []byte{1}, []byte{1}
	r.store.records[string(record.IDKey(record.IntentPrefix, 1))] = []byte("\x07{")
	var damaged bytes.Buffer
	if err := verify.Dump(r.store, nil, &damaged, nil); err == nil {
		t.Error("a damaged record was dumped without a word")
	}
	for _, want := range []string{`"problem":"has no ID"`, `"problem":"is of no known kind"`, `"problem":"cannot be read"`} {
		if !strings.Contains(damaged.String(), want) {
			t.Errorf("no %s in\n%s", want, damaged.String())
		}
	}
}

// TestPruneErasesInBatches has more answers than one commit takes.
func TestPruneErasesInBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	r := newRig(t)
	r.rate = Rate{Slots: 1 << 20, Window: time.Millisecond}
	r.reopen()
	const answers = 8000
	r.check(r.fill(answers, email))
	r.reopen()
	commits := r.store.commits
	got, err := r.Prune(r.clock.at.Add(time.Hour))
	if err != nil || got.Answers != answers {
		t.Errorf("erased %+v, %v; want %d answers", got, err, answers)
	}
	if commits = r.store.commits - commits; commits < 2 {
		t.Errorf("%d commits, want several", commits)
	}
	wantSound(t, r.store)
}

// erase forgets a person whose answers have the form of the interface v1.
func (r *rig) erase(who Person) (Erasure, error) { return forget(r.Journal, who) }

func forget(j *Journal, who Person) (Erasure, error) {
	decoder := new(v1.AnswerDecoder)
	found, err := j.Find(who, func(_ string, answered enrich.Answered) (facts PersonFacts, err error) {
		facts.Name, facts.Email, facts.Phone, err = decoder.Person(answered)
		if has, _ := decoder.HasProfile(answered); has {
			facts.Read = func() (mentions []Mention, err error) {
				parts, err := decoder.Parts(answered)
				for _, part := range parts {
					mentions = append(mentions, Mention(part))
				}
				return mentions, err
			}
			facts.Without = func(mentions map[int]bool) (string, error) { return v1.WithoutParts(answered, mentions) }
		}
		return facts, err
	})
	if err != nil {
		return Erasure{}, err
	}
	return j.Forget(found)
}

// shown shows an answer of the interface v1.
func shown(_ string, answered enrich.Answered) (any, error) { return v1.DecodeAnswer(answered) }
