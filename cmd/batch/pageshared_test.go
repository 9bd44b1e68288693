package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"payonce/io/iotest"
)

var attemptBoxes = regexp.MustCompile(`name="attempt" value="(\d+)"`)

// newSharedPage serves a page on a journal in a database.
func newSharedPage(t *testing.T, server *iotest.PostgresServer, service string, flags ...string) *servedPage {
	t.Helper()
	return newServedPageWith(t, service, func(p *servedPage) {
		p.environ = append(p.environ, "BATCH_JOURNAL="+server.URL(), "BATCH_STATE="+filepath.Join(p.dir, "state"))
	}, flags...)
}

// command starts a command on the page's journal, with a state directory below that of the page's lists.
func (p *servedPage) command(state string, args ...string) *process {
	p.t.Helper()
	command := exec.Command(*programPath, append(args, "--state", filepath.Join(p.dir, state))...)
	command.Env = p.environ
	return (&program{t: p.t}).startAs(command)
}

func TestThePageWorksOnASharedJournal(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	server := iotest.StartPostgres(t, "fsync=on")
	arriveSoon(t, server)
	service, tap := newService(t, 8)
	jobs := filepath.Join(t.TempDir(), "jobs.yaml")
	if err := os.WriteFile(jobs, []byte("jobs:\n  nightly: {list: contacts.csv, output: out.csv, fields: [email], max-spend: 40, schedule: \"0 3 * * *\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newSharedPage(t, server, tap.listen(t), "--concurrency", "2", "--file", jobs)
	for _, screen := range []string{"/", "/runs", "/budget", "/doubts", "/report", "/jobs"} { // before the first run
		p.get(screen)
	}
	p.demoList("contacts.csv", 40)
	path, after := p.plan("folder/contacts.csv", "fields", "email")
	reached, release := tap.holdMany(t, 4, 2)
	run := p.post(path, "after", after)
	if p.post(path, "after", after) != run || p.starts() != 1 {
		t.Errorf("%d runs started", p.starts())
	}
	receive(t, reached, "the run never had calls in flight")
	p.until("the page shows how the run proceeds", func() bool {
		text := p.get(run)
		return strings.Contains(text, ">done<") && strings.Contains(text, ">waiting<") && strings.Contains(text, "2 calls")
	})
	name := strings.TrimPrefix(run, "/runs/")
	for screen, want := range map[string]string{
		"/runs": "running", "/budget": "spent", "/doubts": "no calls in doubt", "/report?run=" + name: "It runs now", "/jobs": "Pause nightly", "/plan?list=folder/contacts.csv&fields=email": "",
	} {
		if text := p.get(screen); !strings.Contains(text, want) {
			t.Errorf("%s does not say %q:\n%s", screen, want, text)
		}
	}
	p.kill() // the run goes on
	p.post(run + "/stop")
	if text := p.get(run); !strings.Contains(text, "Stopping.") {
		t.Errorf("the page does not say that the run stops:\n%s", text)
	}
	close(release)
	if text := p.ended(run); !strings.Contains(text, "stopped: interrupted") || !strings.Contains(text, "0 lookups in doubt") {
		t.Errorf("the run did not drain:\n%s", text)
	}

	// The process of a run is killed: its calls are in doubt when its lease has ended.
	reached, release = tap.holdMany(t, 2, 1)
	p.post(path, "after", "1")
	receive(t, reached, "the run did not go on")
	pid, err := os.ReadFile(p.state("page", "runs", "*", "2.pid"))
	if err == nil {
		err = exec.Command("kill", "-9", string(pid)).Run()
	}
	if err != nil {
		t.Fatal(err)
	}
	close(release)
	p.until("the page tells that the process was killed", func() bool { return strings.Contains(p.get(run), "ended unexpectedly") })
	server.Exec(fmt.Sprintf("UPDATE payonce_process SET started = started - interval '1 day', seen = seen - interval '1 hour' "+
		"WHERE ended IS NULL AND holder LIKE '%%(process %s on %%'", pid))
	if code := p.command("state", "reconcile", "--settle-delay", "100ms").end(); code != exitDone && code != exitDoubt {
		t.Errorf("batch reconcile ends with %d", code)
	}
	text := p.doubts()
	if !strings.Contains(text, `name="attempt"`) {
		t.Fatalf("no call is in doubt:\n%s", text)
	}
	form := []string{"assume", "charged"}
	for _, found := range attemptBoxes.FindAllStringSubmatch(text, -1) {
		form = append(form, "attempt", found[1])
	}
	p.post("/doubts", form...)
	if text := p.doubts(); !strings.Contains(text, "There are no calls in doubt.") {
		t.Errorf("the decision:\n%s", text)
	}
	p.post(path, "after", "2")
	if text := p.ended(run); !strings.Contains(text, "forfeited") || !strings.Contains(text, "Download the result") {
		t.Errorf("the run did not come to its end:\n%s", text)
	}
	if err := chargedOnce(service.Ledger().Charges); err != nil {
		t.Error(err)
	}
	noPassword(t, filepath.Join(p.dir, "state"))
}

// TestThePageShowsRunsThatItDidNotStartOnASharedJournal has one run in a terminal of the page's machine, and one on
// another machine.
func TestThePageShowsRunsThatItDidNotStartOnASharedJournal(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	server := iotest.StartPostgres(t, "fsync=on")
	service, tap := newService(t, 9)
	p := newSharedPage(t, server, tap.listen(t))
	reached, release := tap.holdMany(t, 1, 2)
	lines := strings.SplitAfter(demoRows(t, 60), "\n")
	rows := map[string][]string{"here": lines[1:31], "elsewhere": lines[31:]}
	var started []*process
	for name, state := range map[string]string{"here": "state", "elsewhere": "state of another machine"} {
		list := filepath.Join(p.lists(), name+".csv")
		if err := os.WriteFile(list, []byte(lines[0]+strings.Join(rows[name], "")), 0o600); err != nil {
			t.Fatal(err)
		}
		started = append(started, p.command(state, "run", list, "--name", name, "--concurrency", "1", "--rate", "100000/1s", "--yes", "--max-spend", "20", "--settle-delay", "100ms"))
	}
	receive(t, reached, "the runs never had calls in flight")
	if text := p.get("/runs/elsewhere"); !strings.Contains(text, "on another machine works on this run") || strings.Contains(text, "/stop") {
		t.Errorf("a run of another machine:\n%s", text)
	}
	if text := p.get("/runs/here"); !strings.Contains(text, ">done<") || !strings.Contains(text, "/runs/here/stop") {
		t.Errorf("a run of a terminal:\n%s", text)
	}
	for _, name := range []string{"here", "elsewhere"} {
		p.post("/runs/" + name + "/stop") // that of another machine goes on
	}
	close(release)
	ended := map[int]bool{}
	for _, process := range started {
		ended[process.end()] = true
	}
	if !ended[exitInterrupted] || !ended[exitDone] {
		t.Errorf("the runs ended with %v", ended)
	}
	if text := p.get("/runs/here"); !strings.Contains(text, "stopped: interrupted") {
		t.Errorf("the run did not drain:\n%s", text)
	}
	p.until("the other run has ended", func() bool { return strings.Contains(p.get("/runs/elsewhere"), ", done") })
	if err := chargedOnce(service.Ledger().Charges); err != nil {
		t.Error(err)
	}
}
