package main

import (
	"encoding/csv"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"payonce/io/sandbox"
)

// bodies keeps what channels of alerts get, as web server and as mail server.
type bodies struct {
	mutex sync.Mutex
	texts map[string]string // by channel
}

func (b *bodies) add(channel, text string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.texts[channel] += text + "\n"
}

func (b *bodies) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		text = []byte(err.Error())
	}
	b.add(strings.Split(r.URL.Path, "/")[1], string(text))
}

func (b *bodies) NewSession(*smtp.Conn) (smtp.Session, error) { return b, nil }
func (b *bodies) Reset()                                      {}
func (b *bodies) Logout() error                               { return nil }
func (b *bodies) Mail(string, *smtp.MailOptions) error        { return nil }
func (b *bodies) Rcpt(string, *smtp.RcptOptions) error        { return nil }

func (b *bodies) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	b.add("email", string(text))
	return err
}

// mailServer serves the mail server, and returns its port.
func (b *bodies) mailServer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, done := smtp.NewServer(b), make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }() // its end is not an error
	t.Cleanup(func() { server.Close(); <-done })
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// TestAlertsHaveNothingOfTheListInAnyChannel has jobs that succeed, reach a ceiling, need approval and fail, with a
// person in the names of files, also in that of the jobs file, and in the messages of a command. It looks for every cell
// of the list and of the answers, for the API key, and for names of files and directories. Only the jobs file of a
// command that is pasted, and the name of a list that does not exist, as the jobs file has it, may be there.
func TestAlertsHaveNothingOfTheListInAnyChannel(t *testing.T) {
	n := newNight(t, 2, 30)
	got := &bodies{texts: map[string]string{}}
	server := httptest.NewServer(got)
	t.Cleanup(server.Close)
	list := n.first()
	n.write("ann-example.csv", n.read(list))
	n.write("ann-jobs.yaml", `
defaults: {time-zone: UTC, workspace: team, max-spend: 60, rate: 100000/1s, settle-delay: 100ms}
jobs:
  good: {list: ann-example.csv, output: ann-good.csv}
  poor: {list: ann-example.csv, output: ann-poor.csv, max-spend: 0.30, reask-missing: 1ms, fields: phone}
  asks: {list: ann-example.csv, output: ann-asks.csv, approval-threshold: 0.01, fields: phone, pause-after: 1}
  bad: {list-command: "cat ann-example.csv >&2; exit 7", output: ann-bad.csv, pause-after: 1}
  gone: {list: "lists/2026-*.csv", output: ann-gone.csv}
alerts:
  webhook: {type: webhook, url: "${HOOK_WEBHOOK}", secret: "${HOOK_SECRET}", on: [`+everyAlert+`]}
  slack: {type: slack, url: "${HOOK_SLACK}", on: [`+everyAlert+`]}
  teams: {type: teams, url: "${HOOK_TEAMS}", on: [`+everyAlert+`]}
  ping: {type: ping, url: "${HOOK_PING}"}
  command: {type: command, command: cat >> command.json, on: [`+everyAlert+`]}
  email: {type: email, host: 127.0.0.1, port: `+got.mailServer(t)+`, tls: none, from: jobs@payonce.example, to: [ops@payonce.example], on: [`+everyAlert+`]}
`)
	for _, channel := range []string{"webhook", "slack", "teams", "ping"} {
		t.Setenv("HOOK_"+strings.ToUpper(channel), server.URL+"/"+channel)
	}
	a := &alerting{night: n}
	a.run(exitApproval, "jobs", "run", "asks", "--file", "ann-jobs.yaml")
	a.run(exitDone, "jobs", "run", "poor", "--file", "ann-jobs.yaml")
	a.run(exitDone, "jobs", "run", "good", "--file", "ann-jobs.yaml")
	a.run(exitUsage, "jobs", "run", "bad", "--file", "ann-jobs.yaml")
	a.run(exitUsage, "jobs", "run", "gone", "--file", "ann-jobs.yaml")
	got.add("command", n.read("command.json"))
	jobsFile := " --file " + filepath.Join(n.dir, "ann-jobs.yaml")
	allowed := strings.NewReplacer(jobsFile, "", "there is no list lists/2026-*.csv", "")
	secrets := map[string]bool{
		sandbox.DefaultKey: true, "ann-": true, ".csv": true, ".yaml": true, "--file": true, n.dir: true, filepath.Base(n.dir) + "/": true,
	}
	for _, name := range []string{"ann-example.csv", "ann-good.csv", "ann-poor.csv"} {
		records, err := csv.NewReader(strings.NewReader(n.read(name))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range records[1:] {
			for i, cell := range row {
				if len(cell) > 5 && !strings.HasPrefix(records[0][i], "enrich_") {
					secrets[cell] = true
				}
			}
		}
	}
	if len(secrets) < 60 {
		t.Errorf("only %d cells are looked for", len(secrets))
	}
	for _, channel := range []string{"webhook", "slack", "teams", "ping", "command", "email"} {
		text := strings.ReplaceAll(got.texts[channel], "=\r\n", "") // where emails wrap long lines
		for _, told := range []string{
			"batch jobs resume bad" + jobsFile, "there is no list lists/2026-*.csv", "list-command failed: exit status 7",
		} {
			if !strings.Contains(text, told) {
				t.Errorf("%s does not say %q: %s", channel, told, text)
			}
		}
		if strings.Contains(text, "batch jobs resume asks") {
			t.Errorf("an approval that nobody gave paused the job, and %s says so: %s", channel, text)
		}
		text = allowed.Replace(text)
		for _, kind := range []string{"success", "ceiling", "failure", "approval"} {
			if !strings.Contains(text, kind) {
				t.Errorf("%s was not told of a %s: %s", channel, kind, text)
			}
		}
		if command := "batch jobs run asks --occurrence "; !strings.Contains(text, command) {
			t.Errorf("%s does not say %q: %s", channel, command, text)
		}
		for secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %q: %s", channel, secret, text)
			}
		}
	}
	dump := allowed.Replace(n.alertLines("--workspace", "team"))
	for secret := range secrets {
		if strings.Contains(dump, secret) {
			t.Errorf("the dump of alerts has %q", secret)
		}
	}
}

// everyAlert are the kinds of alerts.
const everyAlert = "failure, ceiling, doubt, approval, drift, price, match_rate, missed, no_run, success"

// alertLines returns the lines of a dump of the journal that are about alerts.
func (n *night) alertLines(flags ...string) (text string) {
	n.t.Helper()
	dump := n.batch(append([]string{"journal", "dump"}, flags...)...)
	if code := dump.end(); code != exitDone {
		n.t.Fatalf("exit code %d\n%s", code, dump.stderr)
	}
	for line := range strings.Lines(dump.stdout.String()) {
		if strings.HasPrefix(line, `{"record":"alert"`) {
			text += line
		}
	}
	return text
}
