package v1

import (
	"strings"
	"testing"
	"time"
)

func TestConfigIsChecked(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		want   string // part of the error, "" for none
	}{
		{"https", Config{BaseURL: "https://api.example.com/api/v1", Key: testKey}, ""},
		{"trailing slash", Config{BaseURL: "https://api.example.com/api/v1/", Key: testKey}, ""},
		{"no path", Config{BaseURL: "https://api.example.com", Key: testKey}, ""},
		{"http to an IPv4 loopback", Config{BaseURL: "http://127.0.0.1:8080/api/v1", Key: testKey}, ""},
		{"http to an IPv6 loopback", Config{BaseURL: "http://[::1]:8080/api/v1", Key: testKey}, ""},
		{"http to localhost", Config{BaseURL: "http://LocalHost:8080", Key: testKey}, ""},
		{"http elsewhere", Config{BaseURL: "http://api.example.com/api/v1", Key: testKey}, "in the clear"},
		{"http to a private address", Config{BaseURL: "http://10.0.0.1/", Key: testKey}, "in the clear"},
		{"http to a host called like localhost", Config{BaseURL: "http://localhost.example.com", Key: testKey}, "in the clear"},
		{"no base URL", Config{Key: testKey}, "the base URL is missing"},
		{"relative", Config{BaseURL: "api.example.com/api/v1", Key: testKey}, "not an absolute"},
		{"path alone", Config{BaseURL: "/api/v1", Key: testKey}, "not an absolute"},
		{"other scheme", Config{BaseURL: "ftp://api.example.com", Key: testKey}, "not an absolute"},
		{"no host", Config{BaseURL: "https:///api/v1", Key: testKey}, "not an absolute"},
		{"port alone", Config{BaseURL: "https://:443/api/v1", Key: testKey}, "not an absolute"},
		{"opaque", Config{BaseURL: "https:api.example.com", Key: testKey}, "not an absolute"},
		{"no URL", Config{BaseURL: "https://a b/" + testKey, Key: testKey}, "not an absolute"},
		{"query", Config{BaseURL: "https://api.example.com/?key=" + testKey, Key: testKey}, "query"},
		{"empty query", Config{BaseURL: "https://api.example.com/?", Key: testKey}, "query"},
		{"fragment", Config{BaseURL: "https://api.example.com/#a", Key: testKey}, "fragment"},
		{"empty fragment", Config{BaseURL: "https://api.example.com/#", Key: testKey}, "fragment"},
		{"user info", Config{BaseURL: "https://ada:" + testKey + "@api.example.com", Key: testKey}, "user name or password"},
		{"no key", Config{BaseURL: "https://api.example.com"}, "the service key is missing"},
		{"key with a space", Config{BaseURL: "https://api.example.com", Key: testKey + " "}, "the service key holds"},
		{"key with a line end", Config{BaseURL: "https://api.example.com", Key: testKey + "\n"}, "the service key holds"},
		{"key with a control character", Config{BaseURL: "https://api.example.com", Key: testKey + "\x7f"}, "the service key holds"},
		{"key outside ASCII", Config{BaseURL: "https://api.example.com", Key: testKey + "\u00a0"}, "the service key holds"},
		{"negative time-out", Config{BaseURL: "https://api.example.com", Key: testKey, Timeout: -time.Second}, "negative"},
		{"negative connections", Config{BaseURL: "https://api.example.com", Key: testKey, MaxConnections: -1}, "less than none"},
		{"user agent", Config{BaseURL: "https://api.example.com", Key: testKey, UserAgent: "payonce/1 (batch)"}, ""},
		{"REST", Config{BaseURL: "https://api.example.com", Key: testKey, Transport: REST}, ""},
		{"MCP", Config{BaseURL: "https://api.example.com", Key: testKey, Transport: MCP, MCPURL: "https://mcp.example.com/"}, ""},
		{"other transport", Config{BaseURL: "https://api.example.com", Key: testKey, Transport: "grpc"}, "unknown transport"},
		{"MCP in the clear", Config{BaseURL: "https://api.example.com", Key: testKey, MCPURL: "http://api.example.com/mcp"}, "in the clear"},
		{"MCP with a password", Config{BaseURL: "https://api.example.com", Key: testKey, MCPURL: "https://a:" + testKey + "@api.example.com/mcp"}, "the MCP URL holds a user name"},
		{"MCP without a scheme", Config{BaseURL: "https://api.example.com", Key: testKey, MCPURL: "/mcp"}, "the MCP URL is not an absolute"},
		{"MCP with the key", Config{BaseURL: "https://api.example.com", Key: testKey, MCPURL: "https://api.example.com/mcp?key=" + testKey}, "query"},
		{"user agent with a line end", Config{BaseURL: "https://api.example.com", Key: testKey, UserAgent: "a\r\nb: c"}, "user agent"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, statusErr := NewStatusClient(test.config)
			_, err := NewClient(test.config)
			if (err == nil) != (statusErr == nil) {
				t.Errorf("NewClient: %v, but NewStatusClient: %v", err, statusErr)
			}
			switch {
			case test.want == "" && err != nil:
				t.Errorf("error %v, want none", err)
			case test.want != "" && err == nil:
				t.Errorf("no error, want one with %q", test.want)
			case err != nil && !strings.Contains(err.Error(), test.want):
				t.Errorf("error %q does not say %q", err, test.want)
			case err != nil && strings.Contains(err.Error(), testKey):
				t.Errorf("error %q holds the key", err)
			}
		})
	}
}

func TestConfigDefaults(t *testing.T) {
	s, err := Config{BaseURL: "https://api.example.com/api/v1/", Key: testKey}.check()
	if err != nil {
		t.Fatal(err)
	}
	if s.Timeout != 45*time.Second || s.UserAgent != "payonce" || s.Now == nil {
		t.Errorf("time-out %s, user agent %q, has a clock: %t", s.Timeout, s.UserAgent, s.Now != nil)
	}
	if got, want := s.base.Endpoint("account/status"), "https://api.example.com/api/v1/account/status"; got != want {
		t.Errorf("endpoint %q, want %q", got, want)
	}
}

func TestMCPURLBesideTheBaseURL(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.example.com/api/v1":        "https://api.example.com/mcp",
		"https://api.example.com/api/v1/":       "https://api.example.com/mcp",
		"https://api.example.com/people/api/v1": "https://api.example.com/people/mcp",
		"https://api.example.com/people":        "https://api.example.com/mcp",
		"http://127.0.0.1:8080":                 "http://127.0.0.1:8080/mcp",
	} {
		s, err := Config{BaseURL: base, Key: testKey}.check()
		if err != nil || s.mcp.String() != want {
			t.Errorf("%s: MCP at %v (%v), want %s", base, s.mcp, err, want)
		}
	}
}
