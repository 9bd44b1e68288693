package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the session with curl sends is answered as its text says. The requests are
// read out of it and sent without curl.
func TestTheCurlSessionOfTheDocsGetsTheStatedAnswers(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "curl.md"))
	if err != nil {
		t.Fatal(err)
	}
	vars := serveHere(t, "--admin", "127.0.0.1:0", "--match-email", "100%", "--match-phone", "100%", "--unknown", "0%")
	wants := []struct {
		status int
		text   string
	}{
		{200, `"key_valid":true`},
		{200, `"x-service-billing"`},
		{200, `"work_email":"`},
		{200, `"business_phone":"`},
		{200, `"profile":{`},
		{200, `"protocolVersion":"2025-11-25"`},
		{202, ""},
		{200, `"service_enrich_contact"`},
		{200, `"structuredContent":{"key_valid":true`},
		{200, `"work_email":"`},
		{200, `"PUT /budget"`},
		{200, `"credits_exhausted`},
		{402, `"code":"credits_exhausted"`},
		{200, `"balanced":true`},
		{200, `"charged_usd":"0.00"`},
	}
	requests := curlRequests(t, string(text), vars)
	if len(requests) != len(wants) {
		t.Fatalf("the session has %d requests, want %d", len(requests), len(wants))
	}
	for i, request := range requests {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		plain := strings.NewReplacer(" ", "", "\n", "").Replace(string(body))
		want := strings.ReplaceAll(wants[i].text, " ", "")
		if err != nil || response.StatusCode != wants[i].status || !strings.Contains(plain, want) {
			t.Errorf("request %d, %s %s: HTTP %d, want %d and %s; error %v in\n%s",
				i+1, request.Method, request.URL, response.StatusCode, wants[i].status, want, err, body)
		}
		if response.Header.Get("X-Sandbox") != "true" {
			t.Errorf("request %d: the response does not say that it comes from a sandbox", i+1)
		}
	}
}

// serveHere runs "batch sandbox" in this process until the test ends, and returns the
// variables that it prints.
func serveHere(t *testing.T, flags ...string) map[string]string {
	t.Helper()
	out, stdout := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	env := quietEnvironment(nil)
	env.stdout = stdout
	ended := make(chan int, 1)
	go func() {
		ended <- execute(ctx, env, append([]string{"sandbox", "--listen", "127.0.0.1:0"}, flags...))
		stdout.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != exitDone {
			t.Errorf("the sandbox ended with exit code %d", code)
		}
	})
	vars := map[string]string{}
	for lines := bufio.NewScanner(out); vars["SANDBOX_ADMIN_TOKEN"] == "" && lines.Scan(); {
		name, value, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "sandbox: "), "=")
		vars[name] = value
	}
	return vars
}

// curlRequests reads the calls of curl out of a text.
func curlRequests(t *testing.T, text string, vars map[string]string) []*http.Request {
	t.Helper()
	var requests []*http.Request
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", ""), "\n") {
		if !strings.HasPrefix(line, "curl ") {
			continue
		}
		words, err := shellWords(line, vars)
		if err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		requests = append(requests, curlRequest(t, words[1:]))
	}
	return requests
}

// curlRequest makes the request of a call of curl.
func curlRequest(t *testing.T, words []string) *http.Request {
	t.Helper()
	var address, body string
	header := http.Header{}
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "-s":
		case slices.Contains([]string{"-H", "-d"}, words[i]) && i+1 < len(words):
			i++
			if words[i-1] == "-d" {
				body = words[i]
				break
			}
			name, value, _ := strings.Cut(words[i], ": ")
			header.Set(name, value)
		case address == "":
			address = words[i]
		default:
			t.Fatalf("%q is not understood", words[i])
		}
	}
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	return request
}

// shellWords splits a line as a shell does, as far as the session needs it: single and
// double quotes, and variables.
func shellWords(line string, vars map[string]string) ([]string, error) {
	var words []string
	for rest := strings.TrimLeft(line, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		word, quote := "", rest[0]
		if quote == '\'' || quote == '"' {
			end := strings.IndexByte(rest[1:], quote)
			if end < 0 {
				return nil, errors.New("a quote is not closed")
			}
			word, rest = rest[1:1+end], rest[2+end:]
		} else {
			word, rest, _ = strings.Cut(rest, " ")
		}
		if quote != '\'' {
			word = os.Expand(word, func(name string) string { return vars[name] })
		}
		words = append(words, word)
	}
	return words, nil
}
