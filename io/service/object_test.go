package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"payonce/cost"
)

// TestMembersThatCannotBeReadAreUnknownAndNotZero: a member that is missing, null or of another type is never
// taken for zero.
func TestMembersThatCannotBeReadAreUnknownAndNotZero(t *testing.T) {
	o, ok := ParseObject([]byte(`{"null":null,"list":[1],"fraction":1.5,"huge":1e300,"words":"many"}`))
	if !ok {
		t.Fatal("the object cannot be read")
	}
	for _, name := range []string{"missing", "null", "list", "fraction", "huge", "words"} {
		if o.Bool(name).Known || o.Integer(name).Known || o.Cents(name).Known || !o.Time(name).IsZero() {
			t.Errorf("%s is taken for a value", name)
		}
		if _, found := o.Object(name); found || o.Compact(name, 100) != "" {
			t.Errorf("%s is taken for an object", name)
		}
	}
	if !o.IsNull("null") || o.IsNull("missing") {
		t.Error("null and missing are not told apart")
	}
	for _, text := range []string{"", "null", "7", `"{}"`, "[]", "{} {}"} {
		if _, ok := ParseObject([]byte(text)); ok {
			t.Errorf("%q is taken for an object", text)
		}
	}
}

// TestNumbersAndTimesInOtherSpellings: a number may stand in a string, and a time may lack
// its zone.
func TestNumbersAndTimesInOtherSpellings(t *testing.T) {
	o, _ := ParseObject([]byte(`{"a":4900.0,"b":" 4.9e3 ","c":"0.15","t":"2026-11-20 10:00:00"}`))
	for _, name := range []string{"a", "b"} {
		if got := o.Cents(name); got != cost.Known(49*cost.Dollar) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := o.Dollars("c"); got != cost.Known(15*cost.Cent) {
		t.Errorf("dollars: %v", got)
	}
	if got, want := o.Time("t"), time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("time %s, want %s", got, want)
	}
}

// TestNamesThatRepeatAreReturned reads objects with one member of each name, and with several.
func TestNamesThatRepeatAreReturned(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "map[] []", `{"a": 1, "b": {"c": 1, "c": 2}}`: `map[a:1 b:{"c": 1, "c": 2}] []`,
		`{"b":1,"a":2,"b":3,"a":[4],"b":5}`: "map[a:[4] b:5] [a b]",
	} {
		o, repeated, ok := ParseRepeatedObject([]byte(text))
		shown := map[string]string{}
		for name, value := range o {
			shown[name] = string(value)
		}
		if got := fmt.Sprint(shown, repeated); !ok || got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// FuzzParseRepeated compares the two ways to read an object.
func FuzzParseRepeated(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"a":1,"a":2}`, `{"a" 1}`, `{"a":1,}`, `{"a":1} x`, `{"a":1}}`, `{,}`, `[1]`, `null`, ``, `{"\ud800":"\u0000"}`, "{\"\xff\":1}", ` {"a":{}} `,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		one, ok := ParseObject(text)
		other, _, alsoOK := ParseRepeatedObject(text)
		same := func(a, b json.RawMessage) bool { return string(a) == string(b) }
		if ok != alsoOK || ok && !maps.EqualFunc(one, other, same) {
			t.Errorf("%q is %v (%t) and %v (%t); names %v", text, one, ok, other, alsoOK, slices.Sorted(maps.Keys(one)))
		}
	})
}

// FuzzParse compares objects and strings with those of encoding/json.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { "a" : "b" , "n":null} `, `{"a":1,"a":"2"}`, `{"\u0061":"\ud800 \n\"","b":[{"a":"}"}]}`, `{"a":tru}`, `{"a":"b"}x`, `{"a":"b",}`,
		`null`, `[]`, `{"a":"\x01"}`, "{\"\xff\":\"\xff\"}", `{"t":true,"f":false,"x":"true"}`, `{"a":01}`, `{"deep":[[[[[]]]]]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want map[string]json.RawMessage
		valid := json.Unmarshal(data, &want) == nil && want != nil
		o, ok := ParseObject(data)
		if ok != valid {
			t.Fatalf("%q: an object: %v; by encoding/json %v", data, ok, valid)
		}
		if !valid {
			return
		}
		if len(o) != len(want) {
			t.Errorf("%q: %d members; by encoding/json %d", data, len(o), len(want))
		}
		for name, literal := range want {
			if string(o[name]) != string(literal) {
				t.Errorf("%q: %q is %q; by encoding/json %q", data, name, o[name], literal)
			}
			var text *string
			if err := json.Unmarshal(literal, &text); err != nil {
				text = nil
			}
			if got := o.String(name); got.Known != (text != nil) || text != nil && got.Value != *text {
				t.Errorf("%q: the string %q is %+v; by encoding/json %v", data, name, got, text)
			}
			var truth *bool
			if err := json.Unmarshal(literal, &truth); err != nil {
				truth = nil
			}
			if got := o.Bool(name); got.Known != (truth != nil) || truth != nil && got.Value != *truth {
				t.Errorf("%q: the truth of %q is %+v; by encoding/json %v", data, name, got, truth)
			}
		}
	})
}

// BenchmarkParse reads an answer with its strings, and with encoding/json as the peer.
func BenchmarkParse(b *testing.B) {
	body := []byte(`{"object":"enrichment_result","operation":"contact.enrich","status":"found","request_id":"req_0123456789abcdef",` +
		`"data":{"full_name":"Ada Lovelace","work_email":"ada@example.com","business_phone":null,"phone_type":"mobile"},` +
		`"unresolved_fields":[],"grounding":{"retrieved_at":"2026-01-02T03:04:05Z","source_provenance":"directory"}}`)
	b.Run("jsonobject", func(b *testing.B) {
		for b.Loop() {
			o, _ := ParseObject(body)
			data, _ := o.Object("data")
			if o.String("status").Value != "found" || data.String("work_email").Value != "ada@example.com" {
				b.Fatal("read otherwise")
			}
		}
	})
	b.Run("encoding", func(b *testing.B) {
		for b.Loop() {
			var o, data map[string]json.RawMessage
			var status, email string
			err := errors.Join(json.Unmarshal(body, &o), json.Unmarshal(o["data"], &data), json.Unmarshal(o["status"], &status), json.Unmarshal(data["work_email"], &email))
			if err != nil || status != "found" || email != "ada@example.com" {
				b.Fatal("read otherwise", err)
			}
		}
	})
}
