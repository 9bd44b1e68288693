package enrich

import (
	"testing"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// TestPlainHostsAreThoseThatIDNALeavesAsTheyAre compares hosts that are taken as they are with what IDNA makes of them.
func TestPlainHostsAreThoseThatIDNALeavesAsTheyAre(t *testing.T) {
	for _, host := range []string{"acme.example", "a-b.c1.example", "1.2.example", "3com.example", "localhost"} {
		if !isPlainHost(host) {
			t.Errorf("IDNA is asked about %q", host)
		}
	}
	for _, host := range []string{
		"", ".", "a.", ".a", "a..b", "-a.example", "a-.example", "a.-", "xn--bcher-kva.example", "ab--cd.example",
		"Acme.example", "büro.example", "a_b.example", "a b.example",
	} {
		if isPlainHost(host) {
			t.Errorf("%q is taken as it is", host)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		host := rapid.StringOfN(rapid.SampledFrom([]rune("abxn019-.A_é")), 0, 80, -1).Draw(t, "host")
		if !isPlainHost(host) {
			return
		}
		if ascii, err := idna.Lookup.ToASCII(norm.NFKC.String(host)); err != nil || ascii != host {
			t.Errorf("%q is taken as it is, and IDNA makes %q of it: %v", host, ascii, err)
		}
	})
}
