package jobs

import "testing"

// TestJobsThatWriteAnAddressDifferentlyUseOneAccount: they must not run at the same time.
func TestJobsThatWriteAnAddressDifferentlyUseOneAccount(t *testing.T) {
	t.Parallel()
	want := accountAt("https://service.example/v2")
	for _, address := range []string{"https://SERVICE.example:443/v2/", "HTTPS://service.example/v2", " https://service.example/v2 "} {
		if got := accountAt(address); got != want {
			t.Errorf("%q is %q, want %q", address, got, want)
		}
	}
	for _, address := range []string{"https://service.example/v3", "http://service.example/v2", "https://service.example:8443/v2", "not an address"} {
		if got := accountAt(address); got == want {
			t.Errorf("%q is %q, too", address, got)
		}
	}
}
