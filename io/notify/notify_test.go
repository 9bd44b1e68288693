package notify

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// secret signs webhooks in tests.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// certificate is that of the mail servers of tests. TestMain lets this process trust it.
var certificate tls.Certificate

func TestMain(m *testing.M) {
	server := httptest.NewTLSServer(nil) // it has a certificate for 127.0.0.1
	certificate = server.TLS.Certificates[0]
	server.Close()
	dir, err := os.MkdirTemp("", "notify-")
	if err != nil {
		panic(err)
	}
	trusted := filepath.Join(dir, "trusted.pem")
	encoded := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	if err := errors.Join(os.WriteFile(trusted, encoded, 0o600), os.Setenv("SSL_CERT_FILE", trusted)); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir) // in the directory for temporary files
	os.Exit(code)
}

func message(kind Kind) Message {
	return Message{
		ID: "nightly-1", Job: "nightly", Occurrence: "2026-11-23T02:30", Kind: kind, Severity: SeverityOf(kind),
		At: time.Date(2026, 11, 23, 2, 31, 0, 0, time.UTC), Text: "The service refused.", Figures: []Figure{{"spent", "$1.20"}},
	}
}

// got is a request that a receiver got.
type got struct {
	path   string
	header http.Header
	body   []byte
}

// receiver returns a server that answers with a status, and what it got.
func receiver(t *testing.T, status int) (address string, requests *[]got) {
	t.Helper()
	requests = &[]got{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*requests = append(*requests, got{r.URL.Path, r.Header, body})
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// channel returns the channel of settings.
func channel(t *testing.T, s Settings) Channel {
	t.Helper()
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	c, err := NewChannel(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWebhookIsSignedAndKeepsItsIDOnEveryAttempt(t *testing.T) {
	address, requests := receiver(t, http.StatusNoContent)
	c := channel(t, Settings{Type: Webhook, URL: address, Secret: secret})
	for range 2 {
		if err := c.Send(t.Context(), message(Failure)); err != nil {
			t.Fatal(err)
		}
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if len(*requests) != 2 {
		t.Fatalf("%d requests", len(*requests))
	}
	for _, request := range *requests {
		if err := verifier.Verify(request.body, request.header); err != nil {
			t.Error(err)
		}
		var event struct {
			Type string
			Data Message
		}
		if err := json.Unmarshal(request.body, &event); err != nil {
			t.Fatal(err)
		}
		if id := request.header.Get("webhook-id"); id != "nightly-1" || event.Type != "job.failure" {
			t.Errorf("id %s, type %s", id, event.Type)
		}
		if diff := cmp.Diff(message(Failure), event.Data); diff != "" {
			t.Error(diff)
		}
	}
}

func TestSlackAndTeamsGetTheirOwnMessageFormats(t *testing.T) {
	address, requests := receiver(t, http.StatusOK)
	for _, kind := range []string{Slack, Teams} {
		if err := channel(t, Settings{Type: kind, URL: address}).Send(t.Context(), message(Failure)); err != nil {
			t.Fatal(err)
		}
	}
	var toSlack struct {
		Text   string
		Blocks []struct{ Text struct{ Text string } }
	}
	var toTeams struct {
		Type        string
		Attachments []struct {
			ContentType string
			Content     struct {
				Type string
				Body []struct {
					Text  string
					Facts []struct{ Title, Value string }
				}
			}
		}
	}
	for i, into := range []any{&toSlack, &toTeams} {
		if err := json.Unmarshal((*requests)[i].body, into); err != nil {
			t.Fatal(err)
		}
	}
	const title = "[error] nightly: failure 2026-11-23T02:30"
	two := message(Failure)
	two.Text = "It failed. To run it again, run:\nbatch jobs run nightly"
	if err := channel(t, Settings{Type: Teams, URL: address}).Send(t.Context(), two); err != nil {
		t.Fatal(err)
	}
	if body := string((*requests)[2].body); !strings.Contains(body, `"text":"batch jobs run nightly"`) {
		t.Errorf("a command has no block of its own: %s", body)
	}
	if toSlack.Text != title || toSlack.Blocks[1].Text.Text != "The service refused.\nspent: $1.20" {
		t.Errorf("Slack got %+v", toSlack)
	}
	card := toTeams.Attachments[0]
	if toTeams.Type != "message" || card.ContentType != "application/vnd.microsoft.card.adaptive" || card.Content.Type != "AdaptiveCard" ||
		card.Content.Body[0].Text != title || card.Content.Body[2].Facts[0].Value != "$1.20" {
		t.Errorf("Teams got %+v", toTeams)
	}
}

func TestPingSaysWhatBecameOfTheJob(t *testing.T) {
	address, requests := receiver(t, http.StatusOK)
	c := channel(t, Settings{Type: Ping, URL: address + "/uuid/"})
	var paths []string
	for i, kind := range []Kind{Started, Success, Failure, Test, Approval, NoRun, Ceiling} {
		if err := c.Send(t.Context(), message(kind)); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, (*requests)[i].path)
	}
	if diff := cmp.Diff([]string{"/uuid/start", "/uuid", "/uuid/fail", "/uuid/log", "/uuid/fail", "/uuid/fail", "/uuid/log"}, paths); diff != "" {
		t.Error(diff)
	}
}

func TestARefusalIsAnErrorWithoutTheAddress(t *testing.T) {
	for _, status := range []int{http.StatusFound, http.StatusBadRequest, http.StatusServiceUnavailable} {
		address, requests := receiver(t, status)
		err := channel(t, Settings{Type: Slack, URL: address + "/hidden"}).Send(t.Context(), message(Failure))
		if err == nil || !strings.Contains(err.Error(), strconv.Itoa(status)) || strings.Contains(err.Error(), "hidden") || len(*requests) != 1 {
			t.Errorf("%d: %v after %d requests", status, err, len(*requests))
		}
	}
	address, _ := receiver(t, http.StatusGone)
	if err := channel(t, Settings{Type: Slack, URL: address}).Send(t.Context(), message(Failure)); !errors.Is(err, ErrGone) {
		t.Errorf("410: %v", err)
	}
	server := httptest.NewServer(nil)
	server.Close()
	err := channel(t, Settings{Type: Slack, URL: server.URL + "/hidden"}).Send(t.Context(), message(Failure))
	if err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("a receiver that is down: %v", err)
	}
}

func TestAReceiverThatDoesNotAnswerIsGivenUp(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	number, _ := strconv.Atoi(port)
	for name, s := range map[string]Settings{
		"webhook": {Type: Webhook, URL: "http://" + listener.Addr().String(), Secret: secret},
		"email":   {Type: Email, Host: "127.0.0.1", Port: number, TLS: NoTLS, From: "jobs@example.com", To: []string{"ops@example.com"}},
		"command": {Type: Command, Command: CommandLine{Line: "cat /dev/zero >/dev/null"}},
	} {
		s.Timeout = 20 * time.Millisecond
		if err := channel(t, s).Send(t.Context(), message(Failure)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestCommandGetsTheMessageOnStandardInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "got")
	if err := channel(t, Settings{Type: Command, Command: CommandLine{Line: "cat > " + path}}).Send(t.Context(), message(Failure)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m Message
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(message(Failure), m); diff != "" {
		t.Error(diff)
	}
	if err := channel(t, Settings{Type: Command, Command: CommandLine{Line: "exit 3"}}).Send(t.Context(), message(Failure)); err == nil {
		t.Error("a command that fails is no error")
	}
}

// TestACommandThatIsAListRunsWithoutAShell has arguments that a shell would change.
func TestACommandThatIsAListRunsWithoutAShell(t *testing.T) {
	dir := t.TempDir()
	words := []string{"/bin/sh", "-c", `cat > "$0"; echo "$1" > word`, "got it", "$HOME *"}
	err := channel(t, Settings{Type: Command, Command: CommandLine{Words: words, Dir: dir}}).Send(t.Context(), message(Failure))
	if err != nil {
		t.Fatal(err)
	}
	word, err := os.ReadFile(filepath.Join(dir, "word"))
	if err != nil || string(word) != "$HOME *\n" {
		t.Errorf("the argument is %q, %v", word, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "got it")); err != nil || !json.Valid(text) {
		t.Errorf("it got %q, %v", text, err)
	}
}

// mailbox is a session of a mail server that keeps what it gets.
type mailbox struct {
	from string
	to   []string
	text string
	user string
}

func (m *mailbox) Reset()                                      {}
func (m *mailbox) Logout() error                               { return nil }
func (m *mailbox) Mail(from string, _ *smtp.MailOptions) error { m.from = from; return nil }
func (m *mailbox) Rcpt(to string, _ *smtp.RcptOptions) error   { m.to = append(m.to, to); return nil }
func (m *mailbox) AuthMechanisms() []string                    { return []string{sasl.Plain} }

func (m *mailbox) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if password != "right" {
			return smtp.ErrAuthFailed
		}
		m.user = user
		return nil
	}), nil
}

func (m *mailbox) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	m.text = string(text)
	return err
}

// mailServer runs a mail server and returns its port. A server that has TLS refuses a login without it.
func mailServer(t *testing.T, box *mailbox, security string) int {
	t.Helper()
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return box, nil }))
	server.AllowInsecureAuth = security == NoTLS
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}}
	switch security {
	case StartTLS:
		server.TLSConfig = config
	case ImplicitTLS:
		listener = tls.NewListener(listener, config)
	}
	done := make(chan error)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil && !errors.Is(err, smtp.ErrServerClosed) {
			t.Error(err)
		}
	})
	return listener.Addr().(*net.TCPAddr).Port
}

func TestEmailReachesAMailServerOverTLS(t *testing.T) {
	for _, security := range []string{StartTLS, ImplicitTLS} {
		t.Run(security, func(t *testing.T) {
			box := &mailbox{}
			s := Settings{
				Type: Email, Host: "127.0.0.1", Port: mailServer(t, box, security), TLS: security, User: "jobs", Password: "right",
				From: "jobs@example.com", To: []string{"ops@example.com"},
			}
			if err := channel(t, s).Send(t.Context(), message(Failure)); err != nil {
				t.Fatal(err)
			}
			if box.user != "jobs" || cmp.Diff(s.To, box.to) != "" || !strings.Contains(box.text, "The service refused.") {
				t.Errorf("%+v", box)
			}
			*box = mailbox{}
			s.Host = "localhost" // a name that the certificate does not have
			if err := channel(t, s).Send(t.Context(), message(Failure)); err == nil || box.text != "" || box.user != "" {
				t.Errorf("an email was sent to another server than the certificate names: %+v, %v", box, err)
			}
		})
	}
}

func TestEmailReachesAMailServer(t *testing.T) {
	box := &mailbox{}
	s := Settings{
		Type: Email, Host: "127.0.0.1", Port: mailServer(t, box, NoTLS), TLS: NoTLS, User: "jobs", Password: "right",
		From: "jobs@example.com", To: []string{"ops@example.com", "night@example.com"},
	}
	if err := channel(t, s).Send(t.Context(), message(Failure)); err != nil {
		t.Fatal(err)
	}
	if box.user != "jobs" || box.from != "jobs@example.com" || cmp.Diff(s.To, box.to) != "" {
		t.Errorf("%+v", box)
	}
	for _, want := range []string{
		"Subject: [error] nightly: failure 2026-11-23T02:30", "Message-ID: <nightly-1@payonce.invalid>", "The service refused.", "spent: $1.20",
	} {
		if !strings.Contains(box.text, want) {
			t.Errorf("%q is not in %s", want, box.text)
		}
	}
	s.Password = "wrong"
	if err := channel(t, s).Send(t.Context(), message(Failure)); err == nil || strings.Contains(err.Error(), "wrong") {
		t.Errorf("a wrong password: %v", err)
	}
	s.Password, s.TLS = "right", StartTLS
	if err := channel(t, s).Send(t.Context(), message(Failure)); err == nil {
		t.Error("without TLS, which is asked for, the email is sent")
	}
}

func TestSettingsThatCannotBeUsedAreRefused(t *testing.T) {
	mailing := Settings{Type: Email, Host: "mail", From: "a@example.com", To: []string{"b@example.com"}}
	with := func(change func(*Settings)) Settings { s := mailing; change(&s); return s }
	for setting, cases := range map[string][]Settings{
		"type":    {{Type: "fax", URL: "https://example.com"}},
		"url":     {{Type: Slack}, {Type: Ping, URL: "ftp://example.com"}, {Type: Teams, URL: "https://"}},
		"secret":  {{Type: Webhook, URL: "https://example.com"}, {Type: Webhook, URL: "https://example.com", Secret: "***"}},
		"command": {{Type: Command}},
		"host":    {with(func(s *Settings) { s.Host = "" })},
		"from":    {with(func(s *Settings) { s.From = "" }), with(func(s *Settings) { s.From = "nobody" })},
		"to":      {with(func(s *Settings) { s.To = nil }), with(func(s *Settings) { s.To = []string{"x y"} })},
		"user":    {with(func(s *Settings) { s.User = "a" })},
		"port":    {with(func(s *Settings) { s.Port = 70000 })},
		"timeout": {with(func(s *Settings) { s.Timeout = -1 })},
	} {
		for _, s := range cases {
			if s.Timeout == 0 {
				s.Timeout = time.Second
			}
			if _, err := NewChannel(s); err == nil {
				t.Errorf("%+v is accepted", s)
			} else if wrong, ok := errors.AsType[*SettingError](err); !ok || wrong.Setting != setting {
				t.Errorf("%+v: %v, want one about %s", s, err, setting)
			}
		}
	}
}

func TestSendReturnsTheErrorOfItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := channel(t, Settings{Type: Command, Command: CommandLine{Line: "true"}}).Send(ctx, message(Test)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAReportIsAPageInAnEmail: the sums are the text, and the page is the alternative to it.
func TestAReportIsAPageInAnEmail(t *testing.T) {
	box := &mailbox{}
	s := Settings{
		Type: Email, Host: "127.0.0.1", Port: mailServer(t, box, NoTLS), TLS: NoTLS, From: "jobs@example.com", To: []string{"ops@example.com"},
	}
	m := message(Report)
	m.Page = "<!DOCTYPE html><h1>Report on 2026-11</h1>"
	if err := channel(t, s).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	text, page := strings.Index(box.text, "spent: $1.20"), strings.Index(box.text, "<h1>Report on 2026-11</h1>")
	if !strings.Contains(box.text, "multipart/alternative") || text < 0 || page < text {
		t.Errorf("the email is\n%s", box.text)
	}
}

func TestTextsHaveThousandsSeparatorsAndJSONDoesNot(t *testing.T) {
	m := Message{Text: "It ended.", Figures: []Figure{
		{FigureWorkspace, "20261"}, {FigureReason, "40001"}, {"found", "12345"}, {"spent", "$1234.50"}, {"cost per value", "not known"},
	}}
	if got, want := m.body(), "It ended.\nworkspace: 20261\nreason: 40001\nfound: 12,345\nspent: $1,234.50\ncost per value: not known"; got != want {
		t.Errorf("the text is\n%s\nwant\n%s", got, want)
	}
	text, err := json.Marshal(m)
	if err != nil || !strings.Contains(string(text), `"value":"12345"`) || !strings.Contains(string(text), `"value":"$1234.50"`) {
		t.Errorf("the JSON is %s, %v", text, err)
	}
}
