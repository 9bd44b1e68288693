package checkpoint

import "testing"

func TestSpellingsOfABaseURLHaveOneCanonicalForm(t *testing.T) {
	t.Parallel()
	for want, written := range map[string][]string{
		"https://api.example/api/v1": {
			"https://api.example/api/v1", "https://api.example/api/v1/", "https://api.example/api/v1//", "HTTPS://API.Example/api/v1",
			"https://api.example:443/api/v1", "https://api.example:/api/v1", " https://api.example/api/v1\n", "https://name:secret@api.example/api/v1?key=secret#top",
		},
		"https://api.example/API/v1":      {"https://api.example/API/v1"}, // paths have cases
		"https://api.example:8443/api/v1": {"https://api.example:8443/api/v1"},
		"https://api.example:80/v2":       {"https://api.example:80/v2"},
		"http://api.example/v2":           {"http://api.example:80/v2/"},
		"http://[::1]:8080/v2":            {"http://[::1]:8080/v2"},
		"http://[::1]/v2":                 {"http://[::1]:80/v2", "http://[::1]/v2"},
		"https://api.example":             {"https://api.example", "https://api.example/"},
		"https://api.example/a%2Fb":       {"https://api.example/a%2Fb"},
	} {
		for _, address := range written {
			if got, ok := CanonicalBaseURL(address); got != want || !ok {
				t.Errorf("%q is %q, %t, want %q", address, got, ok, want)
			}
		}
	}
	for _, wrong := range []string{"", "api.example", "/api/v1", "https://", "https://:443/v1", "://", "%"} {
		if got, ok := CanonicalBaseURL(wrong); ok {
			t.Errorf("%q is taken for %q", wrong, got)
		}
	}
}
