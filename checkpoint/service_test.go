package checkpoint

import "testing"

func TestBaseURLsOfOneServiceAreEqual(t *testing.T) {
	const want = "https://api.example/v2"
	for _, same := range []string{
		want, want + "/", want + "//", "HTTPS://API.Example/v2", "https://api.example:443/v2/", "https://user:pass@api.example/v2?a=b#c",
	} {
		if got := serviceOf(same); got != want {
			t.Errorf("%s: %s, want %s", same, got, want)
		}
	}
	for other, want := range map[string]string{
		"http://api.example:443/v2":  "http://api.example:443/v2",
		"http://api.example:80/v2":   "http://api.example/v2",
		"https://api.example:8443/":  "https://api.example:8443",
		"https://api.example/V2":     "https://api.example/V2",
		"https://api.example/a%2Fb/": "https://api.example/a%2Fb",
		"https://[::1]:443/v2":       "https://[::1]/v2",
		"https://[::1]:8443/v2":      "https://[::1]:8443/v2",
		"sandbox":                    "sandbox",
		"":                           "",
	} {
		if got := serviceOf(other); got != want {
			t.Errorf("%s: %s, want %s", other, got, want)
		}
		if got := serviceOf(want); got != want {
			t.Errorf("%s is not a normal form: %s", want, got)
		}
	}
}
