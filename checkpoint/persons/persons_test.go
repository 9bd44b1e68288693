package persons

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/store"
	"payonce/enrich"
)

// memory is a store of records in the order of their keys.
type memory []store.Write

func (memory) Get([]byte) ([]byte, error) { return nil, nil }
func (memory) Commit([]store.Write) error { return nil }
func (memory) Version() uint64            { return 0 }
func (memory) Close() error               { return nil }
func keyOf(id enrich.Identity) enrich.Key {
	return record.KeyOf(make([]byte, record.SecretLength), []byte(id.Canonical()))
}

func byURL(name string) enrich.Identity {
	return enrich.Identity{ProfileURL: "https://pro.example/in/" + name}
}
func at(domain string) enrich.Identity { return named("Ada", "Lovelace", domain) }
func named(first, last, domain string) enrich.Identity {
	return enrich.Identity{FirstName: first, LastName: last, CompanyDomain: domain}
}

func (m memory) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	for _, w := range m {
		if !bytes.HasPrefix(w.Key, prefix) || bytes.Compare(w.Key, from) < 0 {
			continue
		}
		if more, err := visit(w.Key, w.Value); err != nil || !more {
			return err
		}
	}
	return nil
}

// bought is an attempt: who was asked for, and the name, email and phone of the answer.
type bought struct {
	who    enrich.Identity
	answer string // with "|" between the three; "" for no answer
}

func journalOf(attempts []bought) Reading {
	var m memory
	for i, b := range attempts {
		id := attempt.ID(i + 1)
		in := record.Intent{Key: keyOf(b.who), Identity: b.who}
		m = append(m, store.Write{Key: record.IDKey(record.IntentPrefix, id), Value: record.Encode(&in)})
		if b.answer == "" {
			continue
		}
		res := attempt.Resolution{State: attempt.Settled, Status: "matched", Data: b.answer}
		m = append(m, store.Write{Key: record.IDKey(record.ResolutionPrefix, id), Value: record.Encode(&res)})
	}
	slices.SortFunc(m, func(a, b store.Write) int { return bytes.Compare(a.Key, b.Key) })
	return Reading{Store: m, Last: attempt.ID(len(attempts)), KeysOf: func(id enrich.Identity) []enrich.Key { return []enrich.Key{keyOf(id)} }, Interfaces: []string{""}, Facts: func(_ string, answered enrich.Answered) (f Facts, err error) {
		if list, is := strings.CutPrefix(answered.Data, "list:"); is {
			for listed := range strings.SplitSeq(list, ";") {
				parts := strings.Split(listed, "|")
				f.Listed = append(f.Listed, Listed{Name: parts[0], ProfileURL: parts[1], CompanyDomain: parts[2]})
			}
			return f, nil
		}
		parts := strings.Split(answered.Data, "|")
		return Facts{Name: parts[0], Email: parts[1], Phone: parts[2]}, nil
	}}
}

// TestFindFollowsWhatAttemptsShare: the attempts are in the order in which they were found, so that
// each shares something with the person or with those before it.
func TestFindFollowsWhatAttemptsShare(t *testing.T) {
	for name, c := range map[string]struct {
		attempts []bought
		who      Person
		want     []attempt.ID
	}{
		"by the identity":                       {[]bought{{byURL("a"), ""}, {byURL("b"), ""}, {byURL("a"), ""}}, Person{Identity: byURL("a")}, []attempt.ID{1, 3}},
		"by the email, whatever its case":       {[]bought{{byURL("a"), "Ada|ADA@x.example|"}}, Person{Email: " ada@X.example "}, []attempt.ID{1}},
		"by the digits of the phone":            {[]bought{{byURL("a"), "Ada||+1 (555) 01"}}, Person{Phone: "1-555-01"}, []attempt.ID{1}},
		"another name with the phone asked for": {[]bought{{byURL("a"), "Ada||1"}, {byURL("b"), "Bob||1"}}, Person{Phone: "1"}, []attempt.ID{1, 2}},
		"not another name with a phone that was learned": {
			[]bought{{byURL("a"), "Ada Lee|a@x.example|1"}, {byURL("b"), "Bob Ray|b@x.example|1"}}, Person{Email: "a@x.example"}, []attempt.ID{1},
		},
		"through what a later attempt tells": {
			[]bought{{byURL("b"), "Ada Lovelace||"}, {byURL("c"), "|ada@x.example|"}, {at("x.example"), "Ada Lovelace|ada@x.example|"}},
			Person{Email: "ada@x.example"},
			[]attempt.ID{2, 3, 1},
		},
		"not the same name elsewhere": {
			[]bought{{at("x.example"), "Ada Lovelace|ada@x.example|"}, {at("y.example"), "Ada Lovelace|ada@y.example|"}},
			Person{Identity: at("x.example")},
			[]attempt.ID{1},
		},
		"in a page of a search, by the profile URL": {
			[]bought{{named("page", "one", ""), "list:Bob Ray||x.example;Ada Lovelace|https://PRO.example/in/a/|"}, {byURL("b"), ""}},
			Person{Identity: byURL("a")},
			[]attempt.ID{1},
		},
		"in a page of a search, by the name": {
			[]bought{
				{named("page", "one", ""), "list:Bob Ray||x.example;ada LOVELACE|https://pro.example/in/a|https://www.x.example/"},
				{byURL("a"), ""},
				{named("page", "two", ""), "list:Ada Lovelace||y.example"},
			},
			Person{Identity: at("x.example")},
			[]attempt.ID{1, 2}, // and what the page tells
		},
		"not others of a page": {
			[]bought{{named("page", "one", ""), "list:Ada Lovelace||x.example;Bob Ray||x.example"}, {named("Bob", "Ray", "x.example"), ""}},
			Person{Identity: at("x.example")},
			[]attempt.ID{1},
		},
		"a name in other letters": {[]bought{{named("ADA", "lovelace", "x.example"), ""}}, Person{Identity: at("x.example")}, []attempt.ID{1}},
		"nobody":                  {[]bought{{byURL("a"), "Ada|a@x.example|1"}}, Person{Email: "b@x.example"}, nil},
		"an answer without facts": {[]bought{{byURL("a"), "||"}}, Person{Identity: byURL("b")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			matches, _, err := journalOf(c.attempts).Find(c.who)
			var found []attempt.ID
			for _, m := range matches {
				found = append(found, m.ID)
			}
			if err != nil || !slices.Equal(found, c.want) {
				t.Errorf("found %v, want %v, error %v", found, c.want, err)
			}
		})
	}
}

// TestFindReturnsTheNamesOfAnswersAsIdentities, parted at each space.
func TestFindReturnsTheNamesOfAnswersAsIdentities(t *testing.T) {
	_, others, err := journalOf([]bought{{byURL("a"), "Ada King Lovelace|ada@x.example|"}}).Find(Person{Identity: byURL("a")})
	var keys []enrich.Key
	for _, id := range others {
		keys = append(keys, keyOf(id))
	}
	for _, want := range []enrich.Identity{named("Ada", "King Lovelace", "x.example"), named("Ada King", "Lovelace", "x.example")} {
		if !slices.Contains(keys, keyOf(want)) {
			t.Errorf("%v is not among %v, error %v", want, others, err)
		}
	}
}

func TestFindWantsSomebody(t *testing.T) {
	for _, who := range []Person{{}, {Phone: "-"}} {
		if _, _, err := journalOf(nil).Find(who); err == nil {
			t.Errorf("%+v is somebody", who)
		}
	}
}

// TestAnIdentityByEmailIsFoundByTheEmail names the person by an email that was asked about, and by a name whose
// answer has that email.
func TestAnIdentityByEmailIsFoundByTheEmail(t *testing.T) {
	byEmail := enrich.Identity{Email: "ada@engines.example"}
	r := journalOf([]bought{
		{byEmail, ""}, {at("engines.example"), "Ada Lovelace|Ada@Engines.example|"}, {enrich.Identity{Email: "other@engines.example"}, ""},
	})
	r.Interfaces = []string{"", "v2"}
	for _, who := range []Person{{Email: "ADA@engines.example"}, {Identity: byEmail}, {Identity: at("engines.example")}} {
		matches, others, err := r.Find(who)
		var ids []attempt.ID
		for _, m := range matches {
			ids = append(ids, m.ID)
		}
		slices.Sort(ids)
		if err != nil || !slices.Equal(ids, []attempt.ID{1, 2}) {
			t.Errorf("%+v: attempts %d, %v", who, ids, err)
		}
		if !slices.ContainsFunc(others, func(id enrich.Identity) bool { return id.Canonical() == byEmail.Canonical() }) {
			t.Errorf("%+v: the email is not forgotten: %v", who, others)
		}
	}
}
