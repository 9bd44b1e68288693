package main

import (
	"context"
	"fmt"
	"html"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"payonce/cmd/batch/web"
	"payonce/io/sandbox"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// servedPage is "batch serve" as a separate process, and a browser that is signed in. The browser stays signed in when
// the process is started again.
type servedPage struct {
	t        *testing.T
	dir      string
	flags    []string
	environ  []string
	process  *process
	url      string // without a slash at its end
	invited  string // the address that signs a browser in
	browser  *http.Client
	stranger *http.Client // a browser that is not signed in
}

// newServedPage serves the lists of a new directory. Without the address of a service it is the embedded one.
func newServedPage(t *testing.T, service string, flags ...string) *servedPage {
	t.Helper()
	return newServedPageWith(t, service, func(*servedPage) {}, flags...)
}

// newServedPageWith changes the page before it starts.
func newServedPageWith(t *testing.T, service string, change func(*servedPage), flags ...string) *servedPage {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p := &servedPage{
		t: t, dir: t.TempDir(), browser: &http.Client{Jar: jar, CheckRedirect: stay}, stranger: &http.Client{CheckRedirect: stay},
	}
	t.Cleanup(p.browser.CloseIdleConnections)
	t.Cleanup(p.stranger.CloseIdleConnections)
	p.flags = append([]string{"--listen", "127.0.0.1:0", "--lists", p.lists(), "--state", filepath.Join(p.dir, "state"), "--settle-delay", "100ms"}, flags...)
	if service == "" {
		p.flags = append(p.flags, "--sandbox")
	} else {
		p.flags = append(p.flags, "--rate", "100000/1s")
		p.environ = []string{"SERVICE_BASE_URL=" + service, "SERVICE_API_KEY=" + sandbox.DefaultKey}
	}
	if err := os.Mkdir(p.lists(), 0o700); err != nil {
		t.Fatal(err)
	}
	change(p)
	p.start()
	p.signIn()
	return p
}

// dialLocally connects to this machine, whatever its name is.
func dialLocally(ctx context.Context, network, address string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
}

func (p *servedPage) lists() string { return filepath.Join(p.dir, "lists") }

var invitation = regexp.MustCompile(`(?m)^(https?://[^/\s]+)(/login\?token=\S+)$`)

// start starts the process, and waits until it serves.
func (p *servedPage) start() {
	p.t.Helper()
	command := exec.Command(*programPath, append([]string{"serve"}, p.flags...)...)
	out := &announcer{}
	command.Stdout = out
	command.Env = p.environ
	p.process = (&program{t: p.t}).startAs(command)
	out.await(p.t, "/login?token=")
	found := invitation.FindStringSubmatch(out.String() + "\n")
	for found == nil { // the rest of the line comes with the next write
		out.await(p.t, "\n")
		found = invitation.FindStringSubmatch(out.String())
	}
	p.url, p.invited = found[1], found[1]+found[2]
}

// kill kills the process, as kill -9 does, and starts it again.
func (p *servedPage) kill() {
	p.t.Helper()
	p.process.Process.Kill()
	p.process.end()
	p.start()
}

func (p *servedPage) signIn() {
	p.t.Helper()
	if answer := p.do(p.browser, http.MethodGet, p.invited, "", nil); answer.status != http.StatusOK {
		p.t.Fatalf("the address that was printed answers %d: %s", answer.status, answer.text)
	}
}

// answered is a response.
type answered struct {
	status int
	text   string
	header http.Header
}

// do makes a request.
func (p *servedPage) do(client *http.Client, method, address, body string, change func(*http.Request)) answered {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(request)
	}
	response, err := client.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answered{response.StatusCode, string(text), response.Header}
}

// get loads a screen, which has to be there.
func (p *servedPage) get(path string) string {
	p.t.Helper()
	answer := p.do(p.browser, http.MethodGet, p.url+path, "", nil)
	if answer.status != http.StatusOK {
		p.t.Fatalf("GET %s: %d\n%s", path, answer.status, answer.text)
	}
	return answer.text
}

// post sends a form, and returns where the answer leads.
func (p *servedPage) post(path string, form ...string) string {
	p.t.Helper()
	values := url.Values{}
	for i := 0; i < len(form); i += 2 {
		values.Add(form[i], form[i+1])
	}
	answer := p.do(p.browser, http.MethodPost, p.url+path, values.Encode(), nil)
	if answer.status != http.StatusSeeOther {
		p.t.Fatalf("POST %s: %d\n%s", path, answer.status, answer.text)
	}
	return answer.header.Get("Location")
}

// upload uploads a list, and returns the answer.
func (p *servedPage) upload(name, text string) answered {
	p.t.Helper()
	var body strings.Builder
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, text)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return p.do(p.browser, http.MethodPost, p.url+"/lists", body.String(), func(r *http.Request) {
		r.Header.Set("Content-Type", form.FormDataContentType())
	})
}

var planForms = regexp.MustCompile(`(?s)<form method="post" action="(/plans/[0-9a-f]{64})".*?name="after" value="(\d+)"`)

// plan plans a list, and returns the address of the approval and the number of starts that it is for.
func (p *servedPage) plan(list string, query ...string) (path, after string) {
	p.t.Helper()
	values := url.Values{"list": {list}}
	for i := 0; i < len(query); i += 2 {
		values.Add(query[i], query[i+1])
	}
	var text string
	p.until("the plan is there", func() bool {
		text = p.get("/plan?" + values.Encode())
		return planForms.MatchString(text)
	})
	found := planForms.FindStringSubmatch(text)
	return found[1], found[2]
}

// until waits until a condition holds. Each look at it is a request that takes its time.
func (p *servedPage) until(what string, holds func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), longWait)
	defer cancel()
	for !holds() {
		if ctx.Err() != nil {
			p.t.Fatalf("waited too long until %s", what)
		}
	}
}

// ended waits until a run of the page has ended, and returns its screen.
func (p *servedPage) ended(run string) (text string) {
	p.t.Helper()
	p.until("the run ends", func() bool {
		text = p.get(run)
		return !strings.Contains(text, `id="live"`)
	})
	return text
}

// state returns a file below the directory of the journal.
func (p *servedPage) state(names ...string) string {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.dir, "state", "*", "default", filepath.Join(names...)))
	if err != nil || len(found) != 1 {
		p.t.Fatalf("%v: %q, error %v", names, found, err)
	}
	return found[0]
}

// starts returns how many starts of runs the page has recorded.
func (p *servedPage) starts() int {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.dir, "state", "*", "default", "page", "runs", "*", "*.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(found)
}

// demoList writes a list with the first rows of the demo.
func (p *servedPage) demoList(name string, rows int) string {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.lists(), name), []byte(demoRows(p.t, rows)), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return "folder/" + name
}

// demoRows returns the header and the first rows of the demo list that miss something.
func demoRows(t *testing.T, rows int) string {
	t.Helper()
	p := newProgram(t, rows, "")
	text, err := os.ReadFile(p.list())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheFirstRunOfThePageTakesThreeClicks(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "", "--rate", "1000/1s")
	p.demoList("contacts.csv", 20)
	lists := p.get("/")
	link := regexp.MustCompile(`href="(/columns\?list=folder%2Fcontacts.csv)"`).FindStringSubmatch(lists)
	if link == nil {
		t.Fatalf("no link to the list:\n%s", lists)
	}
	columns := p.get(link[1]) // the first click
	chosen := regexp.MustCompile(`name="fields" value="(\w+)" checked`).FindStringSubmatch(columns)
	if chosen == nil {
		t.Fatalf("no field is chosen:\n%s", columns)
	}
	path, after := p.plan("folder/contacts.csv", "fields", chosen[1]) // the second one
	run := p.post(path, "after", after)                               // the third one
	screen := p.ended(run)
	for _, want := range []string{"Download the result", "Run contacts-email-", ", done"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the screen of the run does not have %q:\n%s", want, screen)
		}
	}
	result := p.do(p.browser, http.MethodGet, p.url+run+"/download", "", nil)
	own, err := os.ReadFile(filepath.Join(p.lists(), "contacts.enriched.csv"))
	if err != nil || result.text != string(own) || !strings.Contains(result.text, "enrich_status") {
		t.Errorf("the download is not the output, error %v:\n%.200s", err, result.text)
	}
	for _, outcome := range []string{"matched", "not_found"} {
		shown := p.get(run + "/result?outcome=" + outcome)
		if want := strings.Count(result.text, ","+outcome+","); strings.Count(shown, "<td>"+outcome+"</td>") != want || want == 0 {
			t.Errorf("%d rows are shown as %s, want %d", strings.Count(shown, "<td>"+outcome+"</td>"), outcome, want)
		}
	}
	for _, screen := range []string{"/runs", "/budget", "/doubts", "/report", "/report?run=" + strings.TrimPrefix(run, "/runs/"), "/jobs", "/browsers", path} {
		if text := p.get(screen); strings.Count(text, "<h1>") != 1 {
			t.Errorf("%s has %d first headings", screen, strings.Count(text, "<h1>"))
		}
	}
}

func TestStopDrainsAndSaysHowManyCallsAreInFlight(t *testing.T) {
	t.Parallel()
	service, tap := newService(t, 1)
	reached, release := tap.holdMany(t, 4, 3)
	p := newServedPage(t, tap.listen(t), "--concurrency", "3")
	p.demoList("contacts.csv", 60)
	path, after := p.plan("folder/contacts.csv", "fields", "email")
	run := p.post(path, "after", after)
	receive(t, reached, "the run never had calls in flight")
	p.post(run + "/stop")
	p.post(run + "/stop") // a second signal would end it at once
	p.until("the page tells of the calls in flight", func() bool {
		return strings.Contains(p.get(run), "Calls in flight: 3.")
	})
	close(release)
	screen := p.ended(run)
	if !strings.Contains(screen, "stopped: interrupted") || !strings.Contains(screen, "0 lookups in doubt") {
		t.Errorf("the run did not drain:\n%s", screen)
	}
	sent := len(service.Ledger().Arrivals)
	if sent < 6 || sent > 8 {
		t.Errorf("%d calls were sent, and 6 were begun before the stop", sent)
	}
	_, after = p.plan("folder/contacts.csv", "fields", "email")
	if run = p.post(path, "after", after); !strings.Contains(p.ended(run), ", done") {
		t.Errorf("the run did not go on:\n%s", p.get(run))
	}
	if err := chargedOnce(service.Ledger().Charges); err != nil {
		t.Error(err)
	}
}

func TestARunOfATerminalIsShownAndStopped(t *testing.T) {
	t.Parallel()
	service, tap := newService(t, 6)
	reached, release := tap.holdMany(t, 2, 1)
	p := newServedPage(t, tap.listen(t))
	p.demoList("contacts.csv", 40)
	command := exec.Command(*programPath, "run", filepath.Join(p.lists(), "contacts.csv"), "--state", filepath.Join(p.dir, "state"), "--name", "elsewhere",
		"--concurrency", "1", "--rate", "100000/1s", "--yes", "--max-spend", "20", "--settle-delay", "100ms")
	command.Env = p.environ
	started := (&program{t: t}).startAs(command)
	receive(t, reached, "the run never had a call in flight")
	const run = "/runs/elsewhere"
	if text := p.get(run); !strings.Contains(text, "The run sends nothing more") || strings.Contains(text, "Stopping.") {
		t.Errorf("the run cannot be stopped:\n%s", text)
	}
	p.post(run + "/stop")
	if text := p.get(run); !strings.Contains(text, "Stopping.") || strings.Contains(text, run+"/stop") {
		t.Errorf("the page does not say that the run stops:\n%s", text)
	}
	p.post(run + "/stop") // a second signal would end it at once
	close(release)
	if code := started.end(); code != exitInterrupted {
		t.Errorf("the run ends with %d:\n%s", code, started.stderr)
	}
	if text := p.ended(run); !strings.Contains(text, "stopped: interrupted") || !strings.Contains(text, "0 lookups in doubt") {
		t.Errorf("the run did not drain:\n%s", text)
	}
	if err := chargedOnce(service.Ledger().Charges); err != nil {
		t.Error(err)
	}
}

// TestThePageSaysWhatIsWrongInItsOwnWords looks at failures as somebody who knows no terminal.
func TestThePageSaysWhatIsWrongInItsOwnWords(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "")
	p.demoList("contacts.csv", 5)
	for name, text := range map[string]string{"numbers.csv": "a,b\n1,2\n", "empty.csv": "", "broken.xlsx": "no workbook"} {
		if err := os.WriteFile(filepath.Join(p.lists(), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"list=folder/contacts.csv&fields=email&max-spend=10,50":           "cannot be used in the field &#34;Spend at most, in US dollars&#34;: &#34;10,50&#34;: not an amount in USD; write it like 3.00",
		"list=folder/contacts.csv&fields=email&limit=-3":                  "cannot be used in the field &#34;Look up only the first, number&#34;: write a whole number",
		"list=folder/contacts.csv&fields=company&max-units.companies=ten": "cannot be used in the field &#34;Units of modules&#34;",
		"list=folder/contacts.csv&fields=nothing":                         "is not a field; the fields are email, phone",
		"list=folder/contacts.csv&fields=email&priority=size":             "size",
		"list=folder/numbers.csv&fields=email":                            "Choose how the columns are read",
		"list=folder/empty.csv&fields=email":                              "the file is empty",
		"list=folder/broken.xlsx&fields=email":                            "save it again as .xlsx",
	} {
		var answer answered
		p.until("there is an answer", func() bool {
			answer = p.do(p.browser, http.MethodGet, p.url+"/plan?"+query, "", nil)
			return answer.header.Get("Refresh") == ""
		})
		if answer.status != http.StatusUnprocessableEntity || !strings.Contains(answer.text, want) {
			t.Errorf("%s: %d, without %q:\n%s", query, answer.status, want, answer.text)
		}
		if found := regexp.MustCompile(`--[a-z]|batch plan|<p>[;:.]`).FindString(answer.text); found != "" {
			t.Errorf("%s: the page says %q:\n%s", query, found, answer.text)
		}
	}
}

// TestAHintOnThePageNamesFieldsInPlaceOfFlags looks at every hint of the program.
func TestAHintOnThePageNamesFieldsInPlaceOfFlags(t *testing.T) {
	t.Parallel()
	p, inTerminal := &pageProgram{}, 0
	for code, text := range texts {
		hint := p.Hint(report.Failure{Code: code, Hint: text})
		if strings.HasPrefix(hint, elsewhere) {
			inTerminal++
		} else if named := namesCommand.FindString(hint); named != "" {
			t.Errorf("%s: the page says %q", code, hint)
		}
		for _, flag := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(hint, -1) {
			if label := web.LabelOf(flag[1]); label != "" {
				t.Errorf("%s: the page says %q, and has the field %q", code, hint, label)
			}
		}
	}
	if inTerminal == 0 {
		t.Error("no hint is about a terminal")
	}
	failure := p.Failure(problem.Usagef("--limit 0: choose 1 or more"))
	if want := `"Look up only the first, number" 0: choose 1 or more`; failure.Message != want {
		t.Errorf("the page says %q, want %q", failure.Message, want)
	}
}

// TestColumnsThatSayNothingCanBeReadAsThoseOfCompanies follows the links from a plan that failed.
func TestColumnsThatSayNothingCanBeReadAsThoseOfCompanies(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "")
	if err := os.WriteFile(filepath.Join(p.lists(), "numbers.csv"), []byte("a,b\nAcme,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var failed answered
	p.until("the plan fails", func() bool {
		failed = p.do(p.browser, http.MethodGet, p.url+"/plan?list=folder/numbers.csv&fields=company", "", nil)
		return failed.header.Get("Refresh") == ""
	})
	link := regexp.MustCompile(`href="(/columns[^"]*)"`).FindStringSubmatch(failed.text)
	if link == nil {
		t.Fatalf("no link to the columns:\n%s", failed.text)
	}
	screen := p.get(html.UnescapeString(link[1]))
	if !strings.Contains(screen, "<option>company_website</option>") || !strings.Contains(screen, `type="hidden" name="fields" value="company"`) {
		t.Fatalf("no column can be read as that of a company:\n%s", screen)
	}
	back := p.post("/columns", "list", "folder/numbers.csv", "fields", "company", "role-1", "company_name", "role-2", "company_id")
	if text := p.get(back); !strings.Contains(text, "<option selected>company_name</option>") {
		t.Errorf("the mapping was not saved:\n%s", text)
	}
	p.plan("folder/numbers.csv", "fields", "company")
}

func TestAllThatARunCanUseStandsBeforeTheButton(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "")
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "companies.csv"))
	if err == nil {
		err = os.WriteFile(filepath.Join(p.lists(), "companies.csv"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	standsBefore := func(list string, wanted []string, query ...string) {
		path, _ := p.plan("folder/"+list, query...)
		before, _, _ := strings.Cut(p.get(path), "Approve and start")
		for _, want := range wanted {
			if !strings.Contains(before, want) {
				t.Errorf("%q does not stand before the button:\n%s", want, before)
			}
		}
	}
	const spends = "spends at most <strong class=\"figure\">"
	standsBefore("companies.csv", []string{spends + "$0.00", "20 units of companies", "300 units of financials"}, "fields", "company", "fields", "financials", "max-units.companies", "20")
	p.demoList("contacts.csv", 30)
	standsBefore("contacts.csv", []string{spends + "$4.00", "7 units of contacts", "46 units of phone_count"}, "fields", "email", "fields", "phone", "fields", "contact", "max-units.contacts", "7")
	config := filepath.Join(t.TempDir(), "batch.yaml")
	if err := os.WriteFile(config, []byte("unit-prices: companies=0.05\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.flags = append(p.flags, "--config", config)
	p.kill()
	standsBefore("companies.csv", []string{spends + "$1.00", "20 units of companies"}, "fields", "company", "max-units.companies", "20")
}

// TestThePageDoesNotWaitForALargeList has a list whose end nobody reads in the time of a test: 8 TB, of which the file
// system stores the beginning.
func TestThePageDoesNotWaitForALargeList(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "")
	p.demoList("large.csv", 20)
	if err := os.Truncate(filepath.Join(p.lists(), "large.csv"), 8<<40); err != nil {
		t.Skipf("the file system has no files of 8 TB: %v", err)
	}
	for _, screen := range []string{"/", "/columns?list=folder/large.csv", "/runs", "/budget", "/doubts", "/report"} {
		p.get(screen)
	}
}

func TestTwoTabsApproveOnePlanAndOneRunStarts(t *testing.T) {
	t.Parallel()
	service, tap := newService(t, 2)
	p := newServedPage(t, tap.listen(t))
	p.demoList("contacts.csv", 30)
	first, after := p.plan("folder/contacts.csv", "fields", "email")
	second, also := p.plan("folder/contacts.csv", "fields", "email")
	if after != "0" || also != "0" {
		t.Fatalf("there were %s and %s starts before the first", after, also)
	}
	answers := make(chan string, 8)
	for i := range cap(answers) {
		path := []string{first, second}[i%2]
		go func() {
			request, _ := http.NewRequest(http.MethodPost, p.url+path, strings.NewReader("after=0"))
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			response, err := p.browser.Do(request)
			if err != nil {
				answers <- err.Error()
				return
			}
			response.Body.Close()
			answers <- fmt.Sprint(response.StatusCode, response.Header.Get("Location"))
		}()
	}
	var all []string
	for range cap(answers) {
		all = append(all, receive(t, answers, "no answer"))
	}
	if slices.Sort(all); len(slices.Compact(all)) != 1 || !strings.HasPrefix(all[0], "303/runs/") {
		t.Fatalf("the answers differ: %q", all)
	}
	p.ended(strings.TrimPrefix(all[0], "303"))
	if n := p.starts(); n != 1 {
		t.Errorf("%d runs started", n)
	}
	if err := chargedOnce(service.Ledger().Charges); err != nil || len(service.Ledger().Charges) == 0 {
		t.Errorf("%d charges, error %v", len(service.Ledger().Charges), err)
	}
}

func TestAnApprovedPlanThatIsNotTrueAnyMoreSendsNothing(t *testing.T) {
	t.Parallel()
	service, tap := newService(t, 3)
	p := newServedPage(t, tap.listen(t))
	p.demoList("contacts.csv", 80)
	path, after := p.plan("folder/contacts.csv", "fields", "email")
	p.demoList("contacts.csv", 160)
	screen := p.ended(p.post(path, "after", after))
	for _, want := range []string{"The run did not begin", "the list&#39;s content: planned SHA-256", ", now SHA-256", "maximum spend: planned $", "nothing was sent"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the page does not say %q:\n%s", want, screen)
		}
	}
	if n := len(service.Ledger().Arrivals); n != 0 {
		t.Errorf("%d calls were sent", n)
	}
	if answer := p.do(p.browser, http.MethodPost, p.url+path, "after=7", nil); answer.status != http.StatusSeeOther || p.starts() != 1 {
		t.Errorf("an approval after another number of starts: %d, %d starts", answer.status, p.starts())
	}
}

// TestThePageIsKilledAtEveryStep kills the server after each step from an upload to the download. The next one knows
// what happened, the browser stays signed in, and nothing is paid twice.
func TestThePageIsKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	service, tap := newService(t, 4)
	p := newServedPage(t, tap.listen(t), "--concurrency", "2")
	p.kill()
	if answer := p.upload("contacts.csv", demoRows(t, 40)); answer.status != http.StatusSeeOther {
		t.Fatalf("the upload: %d %s", answer.status, answer.text)
	}
	p.kill()
	columns := p.get("/columns?list=upload/contacts.csv")
	form := []string{"list", "upload/contacts.csv"}
	for _, column := range regexp.MustCompile(`(?s)<select name="(role-\d+)".*?</select>`).FindAllStringSubmatch(columns, -1) {
		if role := regexp.MustCompile(`<option selected>(\w+)`).FindStringSubmatch(column[0]); role != nil {
			form = append(form, column[1], role[1])
		}
	}
	p.post("/columns", form...)
	p.kill()
	if text := p.get("/columns?list=upload/contacts.csv"); !strings.Contains(text, "As the mapping file") {
		t.Errorf("the saved mapping is not used:\n%s", text)
	}
	path, after := p.plan("upload/contacts.csv", "fields", "email")
	p.kill()
	reached, release := tap.holdMany(t, 3, 2)
	run := p.post(path, "after", after)
	receive(t, reached, "the run never had calls in flight")
	p.kill() // the run goes on
	if text := p.get(run); !strings.Contains(text, `id="live"`) {
		t.Errorf("the run is not found again:\n%s", text)
	}
	if back := p.post(path, "after", after); back != run || p.starts() != 1 {
		t.Errorf("a second approval leads to %s, and there are %d starts", back, p.starts())
	}
	p.post(run + "/stop")
	p.kill()
	if text := p.get(run); !strings.Contains(text, "Stopping.") {
		t.Errorf("the stop is forgotten:\n%s", text)
	}
	close(release)
	if text := p.ended(run); !strings.Contains(text, "stopped: interrupted") {
		t.Errorf("the run did not drain:\n%s", text)
	}
	p.kill()

	// A server that is killed between the record of a start and its process leaves a start that never began.
	record := filepath.Join(filepath.Dir(p.state("page", "runs", "*", "1.json")), "2.json")
	text, err := os.ReadFile(p.state("page", "runs", "*", "1.json"))
	if err == nil {
		err = os.WriteFile(record, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if text := p.get(run); !strings.Contains(text, "ended unexpectedly") || !strings.Contains(text, "Go on with this run") {
		t.Errorf("the page does not tell of the start that did not begin:\n%s", text)
	}

	// The process of a run is killed, too.
	reached, release = tap.holdMany(t, 2, 1)
	p.post(path, "after", "2")
	receive(t, reached, "the run did not go on")
	pid, err := os.ReadFile(p.state("page", "runs", "*", "3.pid"))
	if err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("kill", "-9", string(pid)).Run(); err != nil {
		t.Fatal(err)
	}
	close(release)
	if text := p.ended(run); !strings.Contains(text, "ended unexpectedly") {
		t.Errorf("the page does not tell that the process was killed:\n%s", text)
	}
	p.post(path, "after", "3")
	screen := p.ended(run)
	if !strings.Contains(screen, ", done") {
		t.Errorf("the run did not come to its end:\n%s", screen)
	}
	p.kill()
	if answer := p.do(p.browser, http.MethodGet, p.url+run+"/download", "", nil); answer.status != http.StatusOK || strings.Count(answer.text, "\n") < 40 {
		t.Errorf("the download: %d\n%.300s", answer.status, answer.text)
	}
	if err := chargedOnce(service.Ledger().Charges); err != nil || len(service.Ledger().Charges) == 0 {
		t.Errorf("%d charges, error %v", len(service.Ledger().Charges), err)
	}
}
