package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"payonce/checkpoint/record"
)

// receiver is a webhook that keeps what it gets.
type receiver struct {
	t      *testing.T
	mutex  sync.Mutex
	got    []receivedAlert
	answer func(n int) int // the status of the nth request, from 1 on; nil for 204
	came   chan receivedAlert
}

// receivedAlert is an alert that came.
type receivedAlert struct {
	id, body         string
	Job, Kind, Where string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the sender was killed
	}
	var event struct {
		Data struct{ Job, Kind, Occurrence string }
	}
	if err := json.Unmarshal(body, &event); err != nil {
		r.t.Error(err)
	}
	one := receivedAlert{request.Header.Get("webhook-id"), string(body), event.Data.Job, event.Data.Kind, event.Data.Occurrence}
	r.mutex.Lock()
	r.got = append(r.got, one)
	status, n := http.StatusNoContent, len(r.got)
	r.mutex.Unlock()
	if r.came != nil {
		r.came <- one
	}
	if r.answer != nil {
		status = r.answer(n)
	}
	w.WriteHeader(status)
}

// all returns what came.
func (r *receiver) all() []receivedAlert {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append([]receivedAlert(nil), r.got...)
}

// listen serves the receiver, and returns the variables with its address and its secret.
func (r *receiver) listen() (address string) {
	server := httptest.NewServer(r)
	r.t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// alerting is a night with a job that fails, and whose alerts go to an address. The job is due every ten minutes.
type alerting struct {
	*night
	hook string
}

func newAlerting(t *testing.T, address string, more string) *alerting {
	t.Helper()
	n := newNight(t, 1, 8)
	n.write("jobs.yaml", `
defaults: {time-zone: UTC, max-spend: 60, rate: 100000/1s, settle-delay: 100ms, pause-after: 10000, catch-up: 24h}
jobs:
  bad: {list-command: exit 7, output: out-bad.csv, schedule: "*/10 * * * *"}
  good: {list: `+n.first()+`, output: out-good.csv}
alerts:
  hook: {type: webhook, url: "${HOOK}", secret: "${HOOK_SECRET}"`+more+`}
`)
	a := &alerting{night: n, hook: address}
	a.step()
	return a
}

// first returns the name of the list of the first step.
func (n *night) first() string {
	for name := range n.lists {
		return name + ".csv"
	}
	return ""
}

// start starts a command with the variables of the channel.
func (a *alerting) start(args ...string) *process {
	a.t.Helper()
	a.t.Setenv("HOOK", a.hook)
	a.t.Setenv("HOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	return a.batch(args...)
}

// run runs a command to its end.
func (a *alerting) run(code int, args ...string) *process {
	a.t.Helper()
	run := a.start(args...)
	if got := run.end(); got != code {
		a.t.Fatalf("%v ended with %d, want %d\n%s%s", args, got, code, run.stdout.String(), run.stderr)
	}
	return run
}

// deliveries returns the deliveries of the alerts in the journal.
func (a *alerting) deliveries() (all []record.Delivery) {
	a.t.Helper()
	for line := range strings.Lines(a.run(exitDone, "journal", "dump").stdout.String()) {
		var one struct {
			Record string
			Value  json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			a.t.Fatal(err)
		}
		if one.Record == "alert" {
			var alert record.Alert
			if err := json.Unmarshal(one.Value, &alert); err != nil {
				a.t.Fatal(err)
			}
			all = append(all, alert.Deliveries...)
		}
	}
	return all
}

// firstUnread is a listener that reads nothing from its first connection.
type firstUnread struct {
	net.Listener
	connected, release chan struct{}
	once               sync.Once
}

func (l *firstUnread) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	l.once.Do(func() {
		close(l.connected)
		<-l.release
		if err == nil {
			_ = connection.Close() // with all that came
			connection, err = l.Listener.Accept()
		}
	})
	return connection, err
}

// TestAKillAfterTheCommitLosesNoAlert kills the process when it connects to the channel, before that has read anything.
func TestAKillAfterTheCommitLosesNoAlert(t *testing.T) {
	hook := &receiver{t: t}
	connected := make(chan struct{})
	server := httptest.NewUnstartedServer(hook)
	release := make(chan struct{})
	server.Listener = &firstUnread{Listener: server.Listener, connected: connected, release: release}
	server.Start()
	t.Cleanup(server.Close)
	a := newAlerting(t, server.URL, "")
	run := a.start("jobs", "run", "bad")
	receive(t, connected, "nothing connects to the channel")
	killProcess(run)
	run.end()
	close(release)
	if history := a.history(); len(history) != 1 || history[0].Ended.IsZero() {
		t.Fatalf("the end of the occurrence is not recorded: %+v", history)
	}
	a.run(exitDone, "jobs", "run", "bad") // nothing is due
	a.run(exitDone, "jobs", "run", "bad")
	got := hook.all()
	if len(got) != 1 || got[0].Kind != "failure" || got[0].Job != "bad" || !strings.HasPrefix(got[0].id, "alert-") {
		t.Errorf("%+v", got)
	}
	if d := a.deliveries(); len(d) != 1 || d[0].Delivered.IsZero() {
		t.Errorf("%+v", d)
	}
}

// TestAKillBeforeTheRecordOfADeliveryRepeatsIt kills the process when the channel has the alert.
func TestAKillBeforeTheRecordOfADeliveryRepeatsIt(t *testing.T) {
	release := make(chan struct{})
	hook := &receiver{t: t, came: make(chan receivedAlert, 10)}
	hook.answer = func(n int) int {
		if n == 1 {
			<-release
		}
		return http.StatusNoContent
	}
	a := newAlerting(t, hook.listen(), "")
	run := a.start("jobs", "run", "bad")
	select {
	case <-hook.came:
	case <-time.After(time.Minute):
		t.Fatal("no alert came")
	}
	killProcess(run)
	run.end()
	close(release)
	for range 3 {
		a.run(exitDone, "jobs", "run", "bad")
	}
	got := hook.all()
	if len(got) != 2 || got[0].id != got[1].id || got[0].body != got[1].body {
		t.Errorf("%+v", got)
	}
	a.run(exitDone, "journal", "check")
}

// TestAChannelThatFailsIsTriedAgainLater has a channel that answers 500, then 410, and then accepts.
func TestAChannelThatFailsIsTriedAgainLater(t *testing.T) {
	hook := &receiver{t: t}
	hook.answer = func(n int) int { return []int{500, 410, 204}[min(n, 3)-1] }
	a := newAlerting(t, hook.listen(), "")
	daily := time.Now().UTC().Add(a.ahead).Format("4 15 * * *")
	a.write("jobs.yaml", strings.ReplaceAll(a.read("jobs.yaml"), "*/10 * * * *", daily))
	run := a.run(exitUsage, "jobs", "run", "bad")
	for attempts := 1; attempts <= 2; attempts++ {
		if text := run.stderr.String(); !strings.Contains(text, "did not reach the channel hook") || strings.Contains(text, a.hook) {
			t.Errorf("it says %s", text)
		}
		a.run(exitDone, "jobs", "run", "bad")
		if got := hook.all(); len(got) != attempts {
			t.Fatalf("%d attempts, want %d", len(got), attempts)
		}
		a.set(a.ahead + 2*time.Minute)
		if attempts == 1 {
			run = a.run(exitDone, "jobs", "run", "bad")
		}
	}
	a.set(a.ahead + 25*time.Hour)
	a.run(exitUsage, "jobs", "run", "bad") // the next occurrence
	ids := map[string]int{}
	for _, one := range hook.all() {
		ids[one.id]++
	}
	if first := hook.all()[0]; len(ids) != 2 || ids[first.id] != 3 {
		t.Errorf("two alerts came as %v", ids)
	}
	for _, d := range a.deliveries() {
		if d.Delivered.IsZero() || d.Error != "" {
			t.Errorf("%+v", d)
		}
	}
}

// read returns the text of a file.
func (n *night) read(name string) string {
	n.t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, name))
	if err != nil {
		n.t.Fatal(err)
	}
	return string(text)
}

// TestAnAlertIsSentWhileAnotherProcessOwnsTheJournal has an alert that waits for its channel, and a run of another job.
func TestAnAlertIsSentWhileAnotherProcessOwnsTheJournal(t *testing.T) {
	hook := &receiver{t: t, came: make(chan receivedAlert, 10)}
	hook.answer = func(n int) int { return []int{500, 204}[min(n, 2)-1] }
	a := newAlerting(t, hook.listen(), "")
	a.run(exitUsage, "jobs", "run", "bad")
	<-hook.came
	a.set(a.ahead + 2*time.Minute)
	reached, release := a.service.hold(t, 1)
	owner := a.start("jobs", "run", "good")
	receive(t, reached, "the other job sends nothing")
	sender := a.start("jobs", "run", "bad")
	select {
	case <-hook.came:
	case <-time.After(time.Minute):
		t.Fatalf("no alert came while another process owns the journal\n%s", sender.stderr)
	}
	close(release)
	if owner.end() != exitDone || sender.end() != exitDone {
		t.Errorf("exit codes %d and %d\n%s%s", owner.ProcessState.ExitCode(), sender.ProcessState.ExitCode(), owner.stderr, sender.stderr)
	}
	if d := a.deliveries(); len(d) != 1 || d[0].Delivered.IsZero() || d[0].Tries != 2 {
		t.Errorf("%+v", d)
	}
}

// TestTwoSchedulersSendEachAlertOnce serves a job that fails from two processes, one of which is killed.
func TestTwoSchedulersSendEachAlertOnce(t *testing.T) {
	hook := &receiver{t: t, came: make(chan receivedAlert, 100)}
	a := newAlerting(t, hook.listen(), "")
	schedulers := []*process{a.start("jobs", "serve"), a.start("jobs", "serve")}
	const steps = 4
	seen := map[string]bool{}
	for i := range steps {
		for len(seen) == i {
			select {
			case one := <-hook.came:
				seen[one.id] = true
			case <-time.After(time.Minute):
				t.Fatalf("step %d: no alert came\n%s%s", i, schedulers[0].stderr, schedulers[1].stderr)
			}
		}
		if i == 1 {
			killProcess(schedulers[0])
			schedulers[0].end()
		}
		a.step()
		a.step()
	}
	if err := schedulers[1].Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if code := schedulers[1].end(); code != exitDone {
		t.Errorf("exit code %d\n%s", code, schedulers[1].stderr)
	}
	occurrences, ids := map[string]string{}, map[string]int{}
	for _, one := range hook.all() {
		ids[one.id]++
		if other, known := occurrences[one.Where]; known && other != one.id {
			t.Errorf("%s has the alerts %s and %s", one.Where, other, one.id)
		}
		occurrences[one.Where] = one.id
	}
	again := 0
	for _, n := range ids {
		again += n - 1
	}
	if len(ids) < steps || again > 1 { // the killed one may have sent one that it did not record
		t.Errorf("%d alerts, %d of them again: %v", len(ids), again, ids)
	}
}
