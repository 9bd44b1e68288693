package jsonobject

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"payonce/cost"
)

// TestWhatCannotBeReadIsUnknown: a member that is missing, null or of another type is never
// taken for zero.
func TestWhatCannotBeReadIsUnknown(t *testing.T) {
	o, ok := Parse([]byte(`{"null":null,"list":[1],"fraction":1.5,"huge":1e300,"words":"many"}`))
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
		if _, ok := Parse([]byte(text)); ok {
			t.Errorf("%q is taken for an object", text)
		}
	}
}

// TestNumbersAndTimesInOtherSpellings: a number may stand in a string, and a time may lack
// its zone.
func TestNumbersAndTimesInOtherSpellings(t *testing.T) {
	o, _ := Parse([]byte(`{"a":4900.0,"b":" 4.9e3 ","c":"0.15","t":"2026-11-20 10:00:00"}`))
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
		o, repeated, ok := ParseRepeated([]byte(text))
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
		one, ok := Parse(text)
		other, _, alsoOK := ParseRepeated(text)
		same := func(a, b json.RawMessage) bool { return string(a) == string(b) }
		if ok != alsoOK || ok && !maps.EqualFunc(one, other, same) {
			t.Errorf("%q is %v (%t) and %v (%t); names %v", text, one, ok, other, alsoOK, slices.Sorted(maps.Keys(one)))
		}
	})
}
