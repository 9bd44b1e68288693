package configs

import (
	"strings"
	"testing"
)

// A rate is within another when no window of the other sees more lookups than it
// allows.
func TestARateIsWithinAnotherWhenNoWindowExceedsIt(t *testing.T) {
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
		var rate, other RateFlag
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

func TestNumbersWithCommasSayHowTheyAreWritten(t *testing.T) {
	for text, want := range map[string]string{
		"1,000": "write 1000, without commas", "12,345,678": "write 12345678, without commas", "1,00": "write a whole number, such as 500",
	} {
		if err := new(CountFlag).Set(text); err == nil || err.Error() != want {
			t.Errorf("count %s: %v, want %s", text, err, want)
		}
	}
	if err := new(MoneyFlag).Set("$1,250.50"); err == nil || err.Error() != "write $1250.50, without commas" {
		t.Errorf("%v", err)
	}
	if err := new(MoneyFlag).Set("1,5"); err == nil || strings.Contains(err.Error(), "15") {
		t.Errorf("a decimal comma is read as groups: %v", err)
	}
}

func TestCountsAreAtLeastOne(t *testing.T) {
	var count CountFlag
	if err := count.Set("0"); err == nil || count.N != nil || count.OrZero() != 0 {
		t.Errorf("0 is taken: %v", err)
	}
	if err := count.Set("1"); err != nil || count.OrZero() != 1 || count.String() != "1" {
		t.Errorf("%s, %v", count.String(), err)
	}
}
