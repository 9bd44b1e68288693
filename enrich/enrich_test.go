package enrich_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

func TestFieldsText(t *testing.T) {
	tests := []struct {
		set  enrich.Fields
		text string
	}{
		{0, ""},
		{enrich.FieldsOf(enrich.Field(0)), "work_email"},
		{enrich.FieldsOf(enrich.Field(1)), "business_phone"},
		{enrich.FieldsOf(enrich.Field(1), enrich.Field(0)), "work_email,business_phone"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if got := tt.set.String(); got != tt.text {
				t.Errorf("text %q, want %q", got, tt.text)
			}
			read := enrich.Fields(3)
			if err := read.UnmarshalText([]byte(tt.text)); err != nil || read != tt.set {
				t.Errorf("read back as %q, error %v", read, err)
			}
		})
	}
}

func TestFieldsTextErrors(t *testing.T) {
	for _, text := range []string{"email", "work_email,", ",", "work_email, business_phone", "WORK_EMAIL"} {
		var set enrich.Fields
		if err := set.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %q", text, set)
		}
	}
}

// TestFieldsAlgebra goes through every pair of sets.
func TestFieldsAlgebra(t *testing.T) {
	for a := range enrich.Fields(3) + 1 {
		members := slices.Collect(a.Each())
		if enrich.FieldsOf(members...) != a || !slices.IsSorted(members) {
			t.Errorf("%q has the members %v", a, members)
		}
		for b := range enrich.Fields(3) + 1 {
			for f := range enrich.Field(enrich.MaxFields) {
				if got, want := a.Without(b).Has(f), a.Has(f) && !b.Has(f); got != want {
					t.Errorf("%q without %q: has %s is %t", a, b, f, got)
				}
			}
		}
		for f := range enrich.Field(enrich.MaxFields) {
			if got := a.With(f); !got.Has(f) || got.Without(enrich.FieldsOf(f)) != a.Without(enrich.FieldsOf(f)) {
				t.Errorf("%q with %s is %q", a, f, got)
			}
		}
	}
}

func TestFieldsEachStops(t *testing.T) {
	for f := range enrich.Fields(3).Each() {
		if f != enrich.Field(0) {
			t.Errorf("the first field is %s", f)
		}
		break
	}
}

// TestWordsInJSON guards the form in which the words are stored and shown.
func TestWordsInJSON(t *testing.T) {
	type words struct {
		Field  enrich.Field
		Fields enrich.Fields
		Key    enrich.Key
		Status enrich.Status
	}
	want := words{enrich.Field(1), enrich.Fields(3), enrich.Key{0: 0xab, 15: 0x01}, enrich.Partial}
	const text = `{"Field":"business_phone","Fields":"work_email,business_phone",` +
		`"Key":"ab000000000000000000000000000001","Status":"partial"}`
	encoded, err := json.Marshal(want)
	if err != nil || string(encoded) != text {
		t.Errorf("%s, error %v", encoded, err)
	}
	var got words
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestKeyTextErrors(t *testing.T) {
	for _, text := range []string{"", "ab", "zz000000000000000000000000000001", "ab00000000000000000000000000000100"} {
		var key enrich.Key
		if err := key.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %s", text, key)
		}
	}
}

func TestStatusValid(t *testing.T) {
	for status, want := range map[enrich.Status]bool{
		enrich.Matched: true, enrich.Partial: true, enrich.NotFound: true, "": false, "MATCHED": false, "found": false,
	} {
		if status.Valid() != want {
			t.Errorf("%q: valid is %t", status, !want)
		}
	}
}

// TestByFieldIsWrittenUpToItsLastField shows that the members of v1 stay as they are and that
// later fields are not lost.
func TestByFieldIsWrittenUpToItsLastField(t *testing.T) {
	for want, counts := range map[string]enrich.ByField[int64]{
		"[0,0]":             {},
		"[3,0]":             {3},
		"[0,0,0,0,7]":       {4: 7},
		"[1,2,0,0,0,0,0,8]": {0: 1, 1: 2, 7: 8},
	} {
		text, err := json.Marshal(counts)
		if err != nil || string(text) != want {
			t.Errorf("%v is written as %s, %v; want %s", counts, text, err, want)
		}
		var read enrich.ByField[int64]
		if err := json.Unmarshal(text, &read); err != nil || read != counts {
			t.Errorf("%s is read as %v, %v", text, read, err)
		}
	}
}
