package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"payonce/cmd/batch/web"
	"payonce/pipeline"
	"payonce/pipeline/report"
)

// pageInProcess is the page of lists with a clock, without a process of its own.
func pageInProcess(t *testing.T, env environment, lists, state string) (page http.Handler, signIn func(*http.Request)) {
	t.Helper()
	cmd := newServeCommand(env)
	if err := cmd.Flags().Set("state", state); err != nil {
		t.Fatal(err)
	}
	server, err := web.New(web.Options{
		Program: newPageProgram(env, cmd.Flags()), Lists: lists, Executable: "/nonexistent", Hosts: isLoopback, MaxUpload: 1 << 20, Now: env.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+server.Invite(), nil))
	cookies := answer.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("the login sets %d cookies", len(cookies))
	}
	return server, func(r *http.Request) { r.AddCookie(cookies[0]) }
}

// sampleLists returns every list that the tests have, by the fields that a plan of it asks for.
func sampleLists(t *testing.T) map[string]string {
	t.Helper()
	fields := map[string]string{}
	for pattern, asked := range map[string]string{"*.csv": "email,phone", "lists/*": "email,phone", "companies/*.csv": "company"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "testdata", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d lists, error %v", pattern, len(found), err)
		}
		for _, path := range found {
			if !strings.HasSuffix(path, ".plan.txt") && !strings.HasSuffix(path, ".golden") {
				fields[path] = asked
			}
		}
	}
	fields[filepath.Join("..", "..", "testdata", "companies.csv")] = "company,financials"
	return fields
}

var figures = regexp.MustCompile(`\d[\d.,:]*`)

// textOf returns the text of an element of a page, by its class.
func textOf(t *testing.T, page, class string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for node := range root.Descendants() {
		if node.Type != html.ElementNode || len(node.Attr) == 0 || node.Attr[0].Key != "class" || node.Attr[0].Val != class {
			continue
		}
		for inner := range node.Descendants() {
			if inner.Type == html.TextNode {
				text.WriteString(inner.Data + " ")
			}
		}
	}
	return text.String()
}

// TestThePlanOfEverySampleListHasTheSameNumbersOnThePageInTheTerminalAndAsJSON makes the plan of a list three times,
// with the same clock and journal.
func TestThePlanOfEverySampleListHasTheSameNumbersOnThePageInTheTerminalAndAsJSON(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	at := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	env := quietEnvironment(newComparing(t).vars)
	env.now = func() time.Time { return at }
	planned := 0
	for path, fields := range sampleLists(t) {
		dir, state := t.TempDir(), t.TempDir()
		text, err := os.ReadFile(path)
		name := filepath.Base(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		page, signIn := pageInProcess(t, env, dir, state)
		query := url.Values{"list": {"folder/" + name}, "fields": strings.Split(fields, ",")}
		answer := &httptest.ResponseRecorder{}
		for more := true; more; more = answer.Header().Get("Refresh") != "" { // a busy machine takes longer
			request := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/plan?"+query.Encode(), nil)
			signIn(request)
			answer = httptest.NewRecorder()
			page.ServeHTTP(answer, request)
		}
		flags := []string{filepath.Join(dir, name), "--fields", fields, "--state", state}
		if answer.Code == http.StatusUnprocessableEntity {
			if _, _, code := executeIn(t.Context(), env, append([]string{"plan"}, flags...)...); code != exitUsage {
				t.Errorf("%s: the page refuses the list, and the terminal ends with %d:\n%s", path, code, answer.Body)
			}
			continue
		}
		sum := planForms.FindStringSubmatch(answer.Body.String())
		if answer.Code != http.StatusOK || sum == nil {
			t.Errorf("%s: %d\n%s", path, answer.Code, answer.Body)
			continue
		}
		planned++
		found, err := filepath.Glob(filepath.Join(state, "*", "default", "page", "plans", strings.TrimPrefix(sum[1], "/plans/")+".json"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%d kept plans, error %v", len(found), err)
		}
		kept, err := pipeline.ReadPlanFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []string{"max-spend", "max-units"} {
			for _, value := range strings.Split(strings.Trim(kept.Options[limit], "[]"), ",") {
				if value != "" {
					flags = append(flags, "--"+limit, value)
				}
			}
		}
		out := filepath.Join(dir, "terminal.json")
		terminal, messages, code := executeIn(t.Context(), env, slices.Concat([]string{"plan"}, flags, []string{"--out", out})...)
		if code != exitDone {
			t.Errorf("%s: %d\n%s", path, code, messages)
			continue
		}
		printed, _, _ := executeIn(t.Context(), env, "show", out, "--json")
		var own bytes.Buffer
		if err := report.WriteJSON(&own, kept.Plan); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(withoutSample(t, printed), withoutSample(t, own.String())); diff != "" {
			t.Errorf("%s: the plan as JSON and the plan of the page (-JSON +page):\n%s", path, diff)
		}
		terminal, _, _ = strings.Cut(terminal, "\nKept in ")
		terminal = strings.Join(strings.Fields(terminal), " ")
		shown := figures.FindAllString(textOf(t, answer.Body.String(), "report"), -1)
		if len(shown) < 8 {
			t.Errorf("%s: the page shows %d numbers only", path, len(shown))
		}
		rest := terminal
		for _, figure := range shown {
			_, after, has := strings.Cut(rest, figure)
			if !has {
				t.Errorf("%s: %s is on the page, and not at its place in the terminal:\n%s", path, figure, terminal)
				break
			}
			rest = after
		}
		if left := figures.FindAllString(regexp.MustCompile(`add --sample.*?costs|--\S+`).ReplaceAllString(terminal, ""), -1); len(left) != len(shown) {
			t.Errorf("%s: the terminal has %d numbers, the page %d:\n%s\n%s", path, len(left), len(shown), terminal, textOf(t, answer.Body.String(), "report"))
		}
	}
	if planned < 12 {
		t.Errorf("%d lists were planned only", planned)
	}
}

// withoutSample decodes a plan, without the sample that only the terminal proposes.
func withoutSample(t *testing.T, text string) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "sample")
	return members
}
