package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// doubts returns the screen of calls in doubt when it is ready.
func (p *servedPage) doubts() (text string) {
	p.t.Helper()
	p.until("the calls in doubt are shown", func() bool {
		answer := p.do(p.browser, http.MethodGet, p.url+"/doubts", "", nil)
		text = answer.text
		return answer.status == http.StatusOK && answer.header.Get("Refresh") == ""
	})
	return text
}

func TestThePageDecidesCallsInDoubt(t *testing.T) {
	t.Parallel()
	service, tap := newService(t, 5)
	p := newServedPage(t, tap.listen(t), "--concurrency", "1")
	p.demoList("contacts.csv", 40)
	path, after := p.plan("folder/contacts.csv", "fields", "phone")
	reached, release := tap.holdMany(t, 3, 1)
	run := p.post(path, "after", after)
	receive(t, reached, "the run never had a call in flight")
	pid, err := os.ReadFile(p.state("page", "runs", "*", "1.pid"))
	if err == nil {
		err = exec.Command("kill", "-9", string(pid)).Run()
	}
	if err != nil {
		t.Fatal(err)
	}
	close(release) // the service answers nobody, and charges what it finds
	tap.watch.Store(nil)
	p.ended(run)
	before := p.doubts() // nobody has compared it yet
	for _, want := range []string{`value="3" aria-label="Call 3, `, "<td>phone</td>", "Up to 1 free business_phone counts as paid", "The hold of 1 free business_phone ends", `hold at most <strong>1 free business_phone<`} {
		if !strings.Contains(before, want) || strings.Contains(before, `value="2"`) {
			t.Errorf("before a comparison the page does not show %q, or another call:\n%s", want, before)
		}
	}
	about := regexp.MustCompile(`<td>([^<]+)</td><td class="number">(\d+)</td><td><a href="` + run + `"`).FindStringSubmatch(before)
	if about == nil {
		t.Fatalf("the page does not show the person and the row of the call:\n%s", before)
	}
	row, err := strconv.Atoi(about[2])
	if err != nil {
		t.Fatal(err)
	}
	if line := strings.Split(demoRows(t, 40), "\n")[row]; !strings.Contains(line, strings.ReplaceAll(strings.Split(about[1], ",")[0], " ", ",")) {
		t.Errorf("the call is about %q, and row %d is %q", about[1], row, line)
	}
	for _, form := range []string{"assume=charged", "assume=not-charged&attempt=3", "assume=perhaps&attempt=3", "assume=charged&attempt=x", "assume=charged&attempt=0"} {
		if answer := p.do(p.browser, http.MethodPost, p.url+"/doubts", form, nil); answer.status != http.StatusBadRequest {
			t.Errorf("%s: %d", form, answer.status)
		}
	}
	if text := p.doubts(); !strings.Contains(text, `value="3"`) {
		t.Errorf("a decision that was refused has decided:\n%s", text)
	}
	p.post("/doubts", "assume", "charged", "attempt", "3")
	if text := p.doubts(); !strings.Contains(text, "<li>Call 3, ") || !strings.Contains(text, "assumed charged") || !strings.Contains(text, "There are no calls in doubt.") {
		t.Errorf("the decision:\n%s", text)
	}
	p.post(path, "after", "1")
	if text := p.ended(run); !strings.Contains(text, "forfeited") {
		t.Errorf("the run does not count the call as forfeited:\n%s", text)
	}
	if err := chargedOnce(service.Ledger().Charges); err != nil {
		t.Error(err)
	}
}

// TestAfterSIGTERMThePageShowsTheCallsInFlightUntilTheyEnd signals only the server, as systemd does with
// KillMode=mixed.
func TestAfterSIGTERMThePageShowsTheCallsInFlightUntilTheyEnd(t *testing.T) {
	t.Parallel()
	service, tap := newService(t, 11)
	reached, release := tap.holdMany(t, 4, 3)
	p := newServedPage(t, tap.listen(t), "--concurrency", "3")
	p.demoList("contacts.csv", 60)
	p.demoList("others.csv", 50)
	path, after := p.plan("folder/contacts.csv", "fields", "email")
	other, none := p.plan("folder/others.csv", "fields", "phone")
	run := p.post(path, "after", after)
	receive(t, reached, "the run never had calls in flight")
	if err := p.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.until("the server drains", func() bool {
		return p.do(p.stranger, http.MethodGet, p.url+"/healthz", "", nil).status == http.StatusServiceUnavailable
	})
	p.until("the page tells of the calls in flight", func() bool {
		return strings.Contains(p.get(run), "Calls in flight: 3.")
	})
	if answer := p.do(p.browser, http.MethodPost, p.url+other, "after="+none, nil); answer.status != http.StatusServiceUnavailable || p.starts() != 1 {
		t.Errorf("an approval while the server drains: %d, %d starts", answer.status, p.starts())
	}
	close(release)
	if code := p.process.end(); code != exitDone {
		t.Errorf("after SIGTERM the exit code is %d\n%s", code, p.process.stderr)
	}
	p.start()
	if text := p.get(run); !strings.Contains(text, "stopped: interrupted") || !strings.Contains(text, "0 lookups in doubt") {
		t.Errorf("the run did not drain:\n%s", text)
	}
	if sent := len(service.Ledger().Arrivals); sent != 6 {
		t.Errorf("%d calls were sent, and 6 were begun before the signal", sent)
	}
}

func TestServeRunsTheJobsOfAFileAndDrainsAtSIGTERM(t *testing.T) {
	t.Parallel()
	jobs := filepath.Join(t.TempDir(), "jobs.yaml")
	if err := os.WriteFile(jobs, []byte(`
defaults: {sandbox: true, time-zone: UTC, rate: 1000/1s}
jobs:
  nightly: {list: contacts.csv, output: 'out-{date}-{time}.csv', fields: [email], max-spend: 40, schedule: "0 3 * * *"}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newServedPageWith(t, "", func(p *servedPage) { p.environ = []string{"BATCH_STATE=" + filepath.Join(p.dir, "state")} }, "--file", jobs, "--rate", "2/1s")
	p.demoList("contacts.csv", 200)
	path, after := p.plan("folder/contacts.csv", "fields", "email")
	run := p.post(path, "after", after)
	p.until("the run is in progress", func() bool { return strings.Contains(p.get(run), ">done<") })
	if text := p.get("/jobs"); !strings.Contains(text, "Pause nightly") || !strings.Contains(text, "03:00:00 UTC") {
		t.Errorf("the jobs are not shown:\n%s", text)
	}
	if answer := p.do(p.stranger, http.MethodGet, p.url+"/metrics", "", nil); answer.status != http.StatusOK || !strings.Contains(answer.text, "payonce_build_info") {
		t.Errorf("metrics on loopback: %d", answer.status)
	}
	if answer := p.do(p.stranger, http.MethodGet, p.url+"/healthz", "", nil); answer.text != "ok\n" {
		t.Errorf("the health: %d %q", answer.status, answer.text)
	}
	if err := p.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.process.end(); code != exitDone {
		t.Errorf("after SIGTERM the exit code is %d\n%s", code, p.process.stderr)
	}
	p.start()
	if text := p.get(run); !strings.Contains(text, "stopped: interrupted") || !strings.Contains(text, "0 lookups in doubt") {
		t.Errorf("the run did not drain:\n%s", text)
	}
	p.post("/jobs/nightly/pause", "note", "the export is rebuilt")
	if text := p.get("/jobs"); !strings.Contains(text, "paused: the export is rebuilt") {
		t.Errorf("the job is not paused:\n%s", text)
	}
	if answer := p.do(p.browser, http.MethodPost, p.url+"/jobs/nightly/resume", "note=", nil); !strings.Contains(answer.text, "nightly starts again") {
		t.Errorf("the job is not resumed: %d\n%s", answer.status, answer.text)
	}
	for _, job := range []string{"/jobs/other/pause", "/jobs/nightly/remove"} {
		if answer := p.do(p.browser, http.MethodPost, p.url+job, "", nil); answer.status < 400 || answer.status >= 500 {
			t.Errorf("%s: %d", job, answer.status)
		}
	}
}

func TestCommandsWorkBesideAnIdlePage(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "")
	p.demoList("contacts.csv", 20)
	for _, args := range [][]string{
		{"run", filepath.Join(p.lists(), "contacts.csv"), "--yes", "--max-spend", "20", "--name", "beside", "--rate", "1000/1s"}, {"status"}, {"runs"}, {"budget"}, {"reconcile"},
	} {
		command := exec.Command(*programPath, append(args, "--sandbox", "--state", filepath.Join(p.dir, "state"))...)
		if text, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, text)
		}
		p.get("/runs")
	}
	screen := p.get("/runs/beside")
	if !strings.Contains(screen, "Download the result") || strings.Contains(screen, "Go on with this run") {
		t.Errorf("a run from a terminal:\n%s", screen)
	}
}

func TestOnlyAnAddressThatWasGivenHasToBeFree(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", usualAddress)
	if err == nil { // else another program has it, which is the same
		defer taken.Close()
	}
	p := newServedPageWith(t, "", func(p *servedPage) { p.flags = p.flags[2:] })
	if strings.HasSuffix(p.url, usualAddress) {
		t.Errorf("the page is at %s", p.url)
	}
	command := exec.Command(*programPath, "serve", "--sandbox", "--state", p.dir, "--listen", strings.TrimPrefix(p.url, "http://"))
	if text, err := command.CombinedOutput(); command.ProcessState.ExitCode() != exitUsage {
		t.Errorf("an address in use: %v\n%s", err, text)
	}
}

func TestABrowserOpensOnlyForSomebodyAtThisMachine(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		vars     map[string]string
		terminal bool
		never    bool
		opens    bool
	}{
		{map[string]string{"DISPLAY": ":0"}, true, false, true},
		{map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, true, false, true},
		{map[string]string{"DISPLAY": ":0"}, true, true, false},
		{map[string]string{"DISPLAY": ":0"}, false, false, false},
		{map[string]string{"DISPLAY": ":0", "INVOCATION_ID": "x"}, true, false, false},
		{map[string]string{"DISPLAY": ":0", "NOTIFY_SOCKET": "x"}, true, false, false},
		{map[string]string{"DISPLAY": ":0", "SSH_CONNECTION": "x"}, true, false, false},
	} {
		env := quietEnvironment(one.vars)
		env.canAsk = one.terminal
		c := &pageCommand{options: newOptions(env), noBrowser: one.never}
		if got := c.opensBrowser(); got != one.opens {
			t.Errorf("%v, terminal %t, --no-browser %t: %t", one.vars, one.terminal, one.never, got)
		}
	}
}

// TestSystemdAcceptsTheDocumentedUnitOfThePage runs systemd-analyze, and looks for what makes runs drain.
func TestSystemdAcceptsTheDocumentedUnitOfThePage(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "serve.md"))
	if err != nil {
		t.Fatal(err)
	}
	unit := regexp.MustCompile("(?s)```\n(\\[Service\\]\n.*?)```").FindStringSubmatch(string(docs))
	if unit == nil {
		t.Fatal("docs/serve.md has no unit")
	}
	for _, want := range []string{"Type=notify\n", "KillMode=mixed\n", "TimeoutStopSec="} {
		if !strings.Contains(unit[1], want) {
			t.Errorf("the unit has no %q", want)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "batch-serve.service")
	text := strings.Replace(unit[1], "/usr/local/bin/batch", "/bin/true", 1)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(analyze, "verify", "--system", "--man=no", "--recursive-errors=no", path)
	command.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "SYSTEMD_LOG_LEVEL=warning")
	output, err := command.CombinedOutput()
	if err != nil || strings.Contains(string(output), "Unknown") || strings.Contains(string(output), "ignoring") {
		t.Errorf("%v\n%s", err, output)
	}
}
