package jsonobject

import (
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
