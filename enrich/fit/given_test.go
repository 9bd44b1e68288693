package fit

import "testing"

func TestGivenNamesAreKnown(t *testing.T) {
	if n := len(givenNames()); n < 2000 {
		t.Errorf("%d given names", n)
	}
	for name, want := range map[string]bool{"anna": true, "jurgen": true, "jordan": false, "acme": false, "": false} {
		if IsGivenName(name) != want {
			t.Errorf("%q is a given name: %t", name, !want)
		}
	}
}
