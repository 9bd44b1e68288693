package checkpoint

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// personMemory is a store of records in the order of their keys.
type personMemory []record.Write

func (personMemory) Get([]byte) ([]byte, error)  { return nil, nil }
func (personMemory) Commit([]record.Write) error { return nil }
func (personMemory) Version() uint64             { return 0 }
func (personMemory) Close() error                { return nil }
func keyOf(id enrich.Identity) enrich.Key {
	return record.KeyOf(make([]byte, record.SecretLength), []byte(id.Canonical()))
}

func byURL(name string) enrich.Identity {
	return enrich.Identity{ProfileURL: "https://pro.example/in/" + name}
}
func personsAt(domain string) enrich.Identity { return named("Ada", "Lovelace", domain) }
func named(first, last, domain string) enrich.Identity {
	return enrich.Identity{FirstName: first, LastName: last, CompanyDomain: domain}
}

func (m personMemory) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
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

func journalOf(attempts []bought) PersonReading {
	var m personMemory
	for i, b := range attempts {
		id := attempt.ID(i + 1)
		in := record.Intent{Key: keyOf(b.who), Identity: b.who}
		m = append(m, record.Write{Key: record.IDKey(record.IntentPrefix, id), Value: record.Encode(&in)})
		if b.answer == "" {
			continue
		}
		res := attempt.Resolution{State: attempt.Settled, Status: "matched", Data: b.answer}
		m = append(m, record.Write{Key: record.IDKey(record.ResolutionPrefix, id), Value: record.Encode(&res)})
	}
	slices.SortFunc(m, func(a, b record.Write) int { return bytes.Compare(a.Key, b.Key) })
	return PersonReading{Store: m, Last: attempt.ID(len(attempts)), KeysOf: ownKeyOf, OwnKeysOf: ownKeyOf, Interfaces: []string{""}, Facts: func(_ string, answered enrich.Answered) (f PersonFacts, err error) {
		if list, is := strings.CutPrefix(answered.Data, "list:"); is {
			var mentions []Mention
			for listed := range strings.SplitSeq(list, ";") {
				parts := strings.Split(listed, "|")
				x := Mention{Name: parts[0], Hash: uint32(len(mentions))}
				switch {
				case len(parts) == 1:
					x = Mention{Text: listed, Hash: x.Hash}
				case parts[1] != "":
					x.Pages = []string{parts[1]}
				}
				if len(parts) > 2 {
					x.CompanyDomain = parts[2]
				}
				mentions = append(mentions, x)
			}
			f.Read = func() ([]Mention, error) { return mentions, nil }
			return f, nil
		}
		parts := strings.Split(answered.Data, "|")
		return PersonFacts{Name: parts[0], Email: parts[1], Phone: parts[2]}, nil
	}}
}

func ofCompany(website string) enrich.Identity {
	return enrich.Identity{Company: enrich.Company{Website: website}}
}

// recordsOf returns the names of what was found, with those of mentions one by one.
func recordsOf(matches []PersonMatch) (records []string) {
	for _, m := range matches {
		if m.IsWhole() {
			records = append(records, m.Record())
		}
		for place := range m.Facts.Mentions {
			if m.Mentions[place] {
				records = append(records, m.RecordOf(place))
			}
		}
	}
	return records
}

// TestFindFollowsIdentifiersSharedByAttempts: what was found is in the order in which it was found, so that each shares
// something with the person or with what was found before it. A name alone is not shared.
func TestFindFollowsIdentifiersSharedByAttempts(t *testing.T) {
	page := enrich.Identity{Search: "page one"}
	for name, c := range map[string]struct {
		attempts  []bought
		who       Person
		want      []string
		namesakes []string
	}{
		"by the identity": {
			attempts: []bought{{byURL("a"), ""}, {byURL("b"), ""}, {byURL("a"), ""}}, who: Person{Identity: byURL("a")}, want: []string{"1", "3"},
		},
		"by the email, whatever its case": {attempts: []bought{{byURL("a"), "Ada|ADA@x.example|"}}, who: Person{Email: " ada@X.example "}, want: []string{"1"}},
		"by the digits of the phone":      {attempts: []bought{{byURL("a"), "Ada||+1 (555) 01"}}, who: Person{Phone: "1-555-01"}, want: []string{"1"}},
		"another name with the phone asked for": {
			attempts: []bought{{byURL("a"), "Ada||1"}, {byURL("b"), "Bob||1"}}, who: Person{Phone: "1"}, want: []string{"1", "2"},
		},
		"not another name with a phone that was learned": {
			attempts: []bought{{byURL("a"), "Ada Lee|a@x.example|1"}, {byURL("b"), "Bob Ray|b@x.example|1"}}, who: Person{Email: "a@x.example"},
			want: []string{"1"},
		},
		"through what a later attempt tells": {
			attempts: []bought{{enrich.Identity{ProfileURL: "https://net.example/ada"}, "Ada Lovelace|a.l@y.example|"}, {byURL("c"), "|ada@x.example|"}, {personsAt("y.example"), "Ada Lovelace|ada@x.example|"}},
			who:      Person{Email: "ada@x.example"}, want: []string{"2", "3", "1"},
		},
		"not the name alone in an answer": {
			attempts: []bought{{byURL("b"), "Ada Lovelace||"}, {byURL("c"), "Ada Lovelace|ada@x.example|"}},
			who:      Person{Identity: byURL("c")}, want: []string{"2"}, namesakes: []string{"1"},
		},
		"not the same name and a mailbox of the same provider": {
			attempts: []bought{{byURL("b"), "Ada Lovelace|ada1@gmail.com|"}, {named("Ada", "Lovelace", "x.example"), "Ada Lovelace|ada2@gmail.com|"}},
			who:      Person{Identity: personsAt("x.example")}, want: []string{"2"}, namesakes: []string{"1"},
		},
		"not another profile of the same name and company": {
			attempts: []bought{{byURL("b"), "Ada Lovelace|a.lovelace@x.example|"}, {byURL("c"), "Ada Lovelace|ada@x.example|"}},
			who:      Person{Identity: byURL("c")}, want: []string{"2"}, namesakes: []string{"1"},
		},
		"not the same name elsewhere": {
			attempts: []bought{{personsAt("x.example"), "Ada Lovelace|ada@x.example|"}, {personsAt("y.example"), "Ada Lovelace|ada@y.example|"}},
			who:      Person{Identity: personsAt("x.example")}, want: []string{"1"}, namesakes: []string{"2"},
		},
		"in a page of a search, by the profile URL": {
			attempts: []bought{{page, "list:Bob Ray||x.example;Ada Lovelace|https://PRO.example/in/a/|"}, {byURL("b"), ""}},
			who:      Person{Identity: byURL("a")}, want: []string{"1-00000001"},
		},
		"in a page of a search, by name and company": {
			attempts: []bought{
				{page, "list:Bob Ray||x.example;ada LOVELACE|https://pro.example/in/a|https://www.x.example/"},
				{byURL("a"), ""},
				{page, "list:Ada Lovelace||y.example"},
			},
			who:  Person{Identity: personsAt("x.example")},
			want: []string{"1-00000001", "2"}, namesakes: []string{"3-00000000"}, // and what the page tells
		},
		"not others of a page": {
			attempts: []bought{{page, "list:Ada Lovelace||x.example;Bob Ray||x.example"}, {named("Bob", "Ray", "x.example"), ""}},
			who:      Person{Identity: personsAt("x.example")}, want: []string{"1-00000000"},
		},
		"a shareholder of the company that was asked for": {
			attempts: []bought{{ofCompany("x.example"), "list:Lovelace, Ada||;Ada Lovelace Ltd||"}, {ofCompany("y.example"), "list:Ada Lovelace||"}},
			who:      Person{Identity: personsAt("x.example")}, want: []string{"1-00000000"}, namesakes: []string{"2-00000000"},
		},
		"texts": {
			attempts: []bought{{ofCompany("y.example"), "list:ada@x.example;joada@x.example;mary.ada@x.example;write to ADA@x.example.;ada@x.example.org;Ada Lovelace-King"}},
			who:      Person{Identity: enrich.Identity{Email: "ada@x.example"}}, want: []string{"1-00000000", "1-00000003"},
		},
		"texts with the name": {
			attempts: []bought{{ofCompany("x.example"), "list:Ada Lovelace;Ada Lovelace-King;ada.lovelace@x.example;ada.lovelace@y.example;Adam Lovelace"}},
			who:      Person{Identity: personsAt("x.example")}, want: []string{"1-00000000", "1-00000002"}, namesakes: []string{"1-00000001", "1-00000003"},
		},
		"a search for the person": {
			attempts: []bought{
				{enrich.Identity{Search: `{"full_name":"ada lovelace"}`}, ""},
				{enrich.Identity{Search: `{"url":"https://pro.example/in/ada"}`}, ""},
				{enrich.Identity{Search: `{"url":"https://pro.example/in/ada-2"}`}, ""},
			},
			who: Person{Identity: byURL("ada")}, want: []string{"2"},
		},
		"by the name, which is not an identity": {
			attempts: []bought{
				{personsAt("x.example"), ""},
				{byURL("b"), "Ada Lovelace|ada@y.example|"},
				{page, "list:Bob Ray||;Ada Lovelace||"},
				{enrich.Identity{Search: `{"full_name":"ada lovelace"}`}, ""},
				{enrich.Identity{Company: enrich.Company{Name: "Ada Lovelace Ltd", Country: "GB"}}, ""},
			},
			who: Person{Name: "ada  LOVELACE"}, namesakes: []string{"1", "2", "3-00000001", "4", "5"},
		},
		"a namesake who was chosen, and what is certainly of the same person": {
			attempts: []bought{{personsAt("x.example"), "Ada Lovelace|ada@x.example|"}, {byURL("b"), "Ada Lovelace|ada@y.example|"}, {page, "list:Bob Ray||;Ada Lovelace||"}, {byURL("c"), "Ada|ada@y.example|"}, {byURL("b"), ""}},
			who:      Person{Name: "Ada Lovelace", Chosen: []string{"2", "9"}}, want: []string{"2", "5"}, namesakes: []string{"1", "3-00000001"},
		},
		"a mention that is found later than another one of its answer": {
			attempts: []bought{
				{page, "list:Ada Lovelace|https://pro.example/in/a|x.example;ada@y.example"}, {byURL("a"), "Ada Lovelace|ada@y.example|"},
			},
			who: Person{Identity: personsAt("x.example")}, want: []string{"1-00000000", "2", "1-00000001"},
		},
		"all namesakes": {
			attempts: []bought{{personsAt("x.example"), ""}, {byURL("b"), "Ada Lovelace|ada@y.example|"}, {page, "list:Bob Ray||;Ada Lovelace||"}},
			who:      Person{Name: "Ada Lovelace", AllNamesakes: true}, want: []string{"1", "2", "3-00000001"},
		},
		"a name in other letters": {attempts: []bought{{named("ADA", "lovelace", "x.example"), ""}}, who: Person{Identity: personsAt("x.example")}, want: []string{"1"}},
		"nobody":                  {attempts: []bought{{byURL("a"), "Ada|a@x.example|1"}}, who: Person{Email: "b@x.example"}},
		"an answer without facts": {attempts: []bought{{byURL("a"), "||"}}, who: Person{Identity: byURL("b")}},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := journalOf(c.attempts).Find(c.who)
			if err != nil {
				t.Fatal(err)
			}
			if got := recordsOf(found.Matches); !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
			if got := recordsOf(found.Namesakes); !slices.Equal(got, c.namesakes) {
				t.Errorf("the namesakes are %q, want %q", got, c.namesakes)
			}
		})
	}
}

// TestFindReturnsTheNamesOfAnswersAsIdentities, parted at each space.
func TestFindReturnsTheNamesOfAnswersAsIdentities(t *testing.T) {
	for name, c := range map[string]struct {
		attempts []bought
		who      Person
	}{
		"of the person": {[]bought{{byURL("a"), "Ada King Lovelace|ada@x.example|"}}, Person{Identity: byURL("a")}},
		"of a shareholder": {
			[]bought{{ofCompany("x.example"), "list:Bob Ray||;Ada King Lovelace||"}}, Person{Name: "Ada King Lovelace", AllNamesakes: true},
		},
	} {
		found, err := journalOf(c.attempts).Find(c.who)
		var keys []enrich.Key
		for _, id := range found.Others {
			keys = append(keys, keyOf(id))
		}
		for _, want := range []enrich.Identity{named("Ada", "King Lovelace", "x.example"), named("Ada King", "Lovelace", "x.example")} {
			if !slices.Contains(keys, keyOf(want)) {
				t.Errorf("%s: %v is not among %v, error %v", name, want, found.Others, err)
			}
		}
	}
}

func TestFindRefusesAPersonWithoutAnyIdentifier(t *testing.T) {
	for _, who := range []Person{{}, {Phone: "-"}, {Name: " - "}} {
		if _, err := journalOf(nil).Find(who); err == nil {
			t.Errorf("%+v is somebody", who)
		}
	}
}

// TestAnIdentityByEmailIsFoundByTheEmail names the person by an email that was asked about, and by a name whose
// answer has that email.
func TestAnIdentityByEmailIsFoundByTheEmail(t *testing.T) {
	byEmail := enrich.Identity{Email: "ada@engines.example"}
	r := journalOf([]bought{
		{byEmail, ""}, {personsAt("engines.example"), "Ada Lovelace|Ada@Engines.example|"}, {enrich.Identity{Email: "other@engines.example"}, ""},
	})
	r.Interfaces = []string{"", "v2"}
	for _, who := range []Person{{Email: "ADA@engines.example"}, {Identity: byEmail}, {Identity: personsAt("engines.example")}} {
		found, err := r.Find(who)
		var ids []attempt.ID
		for _, m := range found.Matches {
			ids = append(ids, m.ID)
		}
		slices.Sort(ids)
		if err != nil || !slices.Equal(ids, []attempt.ID{1, 2}) {
			t.Errorf("%+v: attempts %d, %v", who, ids, err)
		}
		if !slices.ContainsFunc(found.Others, func(id enrich.Identity) bool { return id.Canonical() == byEmail.Canonical() }) {
			t.Errorf("%+v: the email is not forgotten: %v", who, found.Others)
		}
	}
}
