package scan

import "testing"

// TestNumbersOfAnswersAreAskedForInDigits has forms of JSON, and texts that are another identity.
func TestNumbersOfAnswersAreAskedForInDigits(t *testing.T) {
	for text, want := range map[string]string{
		"1.03e2": "103", "103.0": "103", "1E2": "100", "103": "103", "007": "007", "1.5": "1.5", "-1e2": "-1e2", "1e400": "1e400",
		"1e20": "1e20", "9007199254740993": "9007199254740993", "0x1p4": "0x1p4", "": "", "e": "e", "LEI1E5": "LEI1E5",
	} {
		if got := plainNumber(text); got != want {
			t.Errorf("%q is asked for as %q, want %q", text, got, want)
		}
	}
}
