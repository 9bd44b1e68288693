package main

import "testing"

// A word that is nearly a name is asked about; one that is like none is not.
func TestErrorsSuggestTheNearestWord(t *testing.T) {
	t.Parallel()
	names := []string{"to", "max-spend", "max-lookups", "fields", "approval-threshold", "out"}
	for word, want := range map[string]string{
		"maxspend": "max-spend", "max_spend": "max-spend", "Max-Spend": "max-spend", "feilds": "fields", "approval": "approval-threshold",
		"max-lookup": "max-lookups", "foo": "", "ceiling": "", "o": "", "": "", "api-key": "", "ou": "out",
	} {
		if want != "" {
			want = " (did you mean --" + want + "?)"
		}
		if got := nearestQuestion(word, "--", names); got != want {
			t.Errorf("%s: %q, not %q", word, got, want)
		}
	}
}
