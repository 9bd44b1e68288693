package flagvalue

import (
	"testing"
)

// A rate is within another when no window of the other sees more lookups than it
// allows.
func TestRateWithin(t *testing.T) {
	for _, test := range []struct {
		rate, other string
		within      bool
	}{
		{"30/60s", "30/60s", true},
		{"31/60s", "30/60s", false},
		{"1/2s", "30/60s", true},
		{"1/1s", "30/60s", false},
		{"15/31s", "30/60s", true},
		{"16/31s", "30/60s", false},
		{"30/120s", "30/60s", true},
		{"31/120s", "30/60s", false},
		{"30/2562047h", "30/60s", true},
		{"9223372036854775807/1ms", "30/60s", false},
	} {
		var rate, other Rate
		if err := rate.Set(test.rate); err != nil {
			t.Fatal(err)
		}
		if err := other.Set(test.other); err != nil {
			t.Fatal(err)
		}
		if rate.Within(other) != test.within {
			t.Errorf("%s within %s: %t", test.rate, test.other, !test.within)
		}
	}
}
