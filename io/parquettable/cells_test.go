package parquettable

import (
	"testing"

	"payonce/io/table"
)

func TestAppendedValues(t *testing.T) {
	for value, want := range map[string]int64{
		"0": 0, "0.15": 150_000, "-1.5": -1_500_000, "12.000001": 12_000_001, "999999999999.999999": 999_999_999_999_999_999, ".5": 500_000, "3.": 3_000_000,
	} {
		if got, err := parseMoney(value); got != want || err != nil {
			t.Errorf("%s is %d micro-dollars, %v", value, got, err)
		}
	}
	for _, value := range []string{"", "-", "1,5", "1e5", "+1", "--1", "0.0000001", "1000000000000", "1.-5", "0x1", "1_0", "."} {
		if got, err := parseMoney(value); err == nil {
			t.Errorf("%q is %d micro-dollars", value, got)
		}
	}
	c := Cells{Kind: table.Time}
	if err := c.Add("yesterday"); err == nil {
		t.Error("a time that is none was taken")
	}
}

// TestDiscardWaits: when a writer is discarded, nothing runs behind it any more.
