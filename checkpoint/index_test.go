package checkpoint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// TestFindReadsAnswersOfManyAttempts finds one email in a journal with enough attempts for several parts of
// an index. Each answer is read as one of the interface of its account.
func TestFindReadsAnswersOfManyAttempts(t *testing.T) {
	interfaces := []string{"one", "two"}
	last := attempt.ID(2*batchSize + 2)
	want := []attempt.ID{1, 2, batchSize, batchSize + 1, 2 * batchSize, 2*batchSize + 1, last}
	var m personMemory
	for id := attempt.ID(1); id <= last; id++ {
		who, email := byURL(fmt.Sprint(id)), fmt.Sprintf("%d@b.example", id)
		if slices.Contains(want, id) {
			email = " Ada@B.example"
		}
		account := attempt.Account(id % 2)
		in := record.Intent{Key: keyOf(who), Identity: who, Account: account}
		res := attempt.Resolution{State: attempt.Settled, Status: "matched", Data: interfaces[account] + "|" + email}
		m = append(m,
			record.Write{Key: record.IDKey(record.IntentPrefix, id), Value: record.Encode(&in)},
			record.Write{Key: record.IDKey(record.ResolutionPrefix, id), Value: record.Encode(&res)})
	}
	slices.SortFunc(m, func(a, b record.Write) int { return bytes.Compare(a.Key, b.Key) })
	reading := PersonReading{
		Store: m, Last: last, KeysOf: ownKeyOf, OwnKeysOf: ownKeyOf, Interfaces: interfaces,
		Facts: func(of string, answered enrich.Answered) (PersonFacts, error) {
			was, email, _ := strings.Cut(answered.Data, "|")
			if was != of {
				return PersonFacts{}, fmt.Errorf("an answer of %s is read as one of %s", was, of)
			}
			return PersonFacts{Email: email}, nil
		},
	}
	found, err := reading.Find(Person{Email: "ada@b.example"})
	if err != nil {
		t.Fatal(err)
	}
	var ids []attempt.ID
	for _, m := range found.Matches {
		ids = append(ids, m.ID)
	}
	if !slices.Equal(ids, want) {
		t.Errorf("found %v, want %v", ids, want)
	}
}

// FuzzFormsAreEqual compares the forms that are hashed with those that are compared.
func FuzzFormsAreEqual(f *testing.F) {
	for _, text := range []string{"", " Ada.Lovelace@B.example ", "ÄDA@b.example", "İ@x", "+1 (555) 0100", "\xff@B"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := string(appendEmail([]byte("x"), text)); got != "x"+foldEmail(text) {
			t.Errorf("email %q: %q, want %q", text, got, "x"+foldEmail(text))
		}
		kept := strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, text)
		if got := digits(text); got != kept {
			t.Errorf("digits of %q: %q, want %q", text, got, kept)
		}
	})
}
