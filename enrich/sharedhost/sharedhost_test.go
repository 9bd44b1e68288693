package sharedhost

import (
	"strings"
	"testing"
)

func TestOfFindsSharedHostsAndTheHostsBelowThem(t *testing.T) {
	for host, want := range map[string]Kind{
		"linkedin.com": Network, "de.linkedin.com": Network, "a.b.linkedin.com": Network, "notlinkedin.com": None,
		"linkedin.com.example": None, "com": None, "": None, "acme.example": None, "mail.acme.example": None,
		"crunchbase.com": Directory, "maps.google.com": Directory, "google.com": None, "bit.ly": Page, "gmail.com": Mail,
		"yahoo.co.uk": Mail, "sedo.com": Parked, "wixsite.com": Page, "acme.wixsite.com": None, ".": None,
	} {
		if got := Of([]byte(host)); got != want {
			t.Errorf("%s is of kind %d, want %d", host, got, want)
		}
	}
}

// TestTheListIsWellFormed guards the file that people edit.
func TestTheListIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if len(words) < 2 || len(words) > 3 || len(words) == 3 && words[2] != "only" {
			t.Errorf("the line %q is not a kind and a host", line)
			continue
		}
		host := words[1]
		if Of([]byte(host)) == None {
			t.Errorf("%q is not a kind", words[0])
		}
		if seen[host] || host != strings.ToLower(host) || strings.HasPrefix(host, "www.") || !strings.Contains(host, ".") {
			t.Errorf("%q is not a host in lower case that is named once", host)
		}
		seen[host] = true
	}
	if len(seen) < 300 {
		t.Errorf("the list has %d hosts", len(seen))
	}
}

func TestOfAllocatesNothing(t *testing.T) {
	host := []byte("mail.acme.example")
	if n := testing.AllocsPerRun(100, func() { Of(host) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkOf(b *testing.B) {
	host := []byte("acme-industries.example")
	for b.Loop() {
		Of(host)
	}
}
