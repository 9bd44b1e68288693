package zoho_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"payonce/io/crm"
	"payonce/io/crm/crmtest"
	"payonce/io/crm/zoho"
	sandbox "payonce/io/sandbox/crm"
	"payonce/io/sandbox/kit"
)

var seeds = flag.Int("seeds", 4, "how many seeds TestNoEditIsLostUnderFaults plays")

func TestTheConnectorConforms(t *testing.T) {
	crmtest.Run(t, func(t *testing.T) crmtest.CRM { return open(t, nil) })
}

// bubble plays a test on the clock of package synctest.
func bubble(t *testing.T, change func(*sandbox.Config), play func(*account)) {
	synctest.Test(t, func(t *testing.T) { play(open(t, change)) })
}

func (a *account) first(fits func(crmtest.Contact) bool) crmtest.Contact {
	for _, c := range a.Contacts() {
		if fits(c) {
			return c
		}
	}
	a.Fatal("there is no such contact")
	return crmtest.Contact{}
}

func withoutEmail(c crmtest.Contact) bool { return c.Values["Email"] == "" }

// TestProcessesShareOneToken starts processes at the same time with one file for the token.
func TestProcessesShareOneToken(t *testing.T) {
	if address := os.Getenv("TEST_ZOHO_ADDRESS"); address != "" {
		c, err := zoho.New(zoho.Config{
			ClientID: sandbox.DefaultClientID, ClientSecret: sandbox.DefaultClientSecret, RefreshToken: sandbox.DefaultRefreshToken,
			AccountsURL: address, APIURL: address, TokenFile: os.Getenv("TEST_ZOHO_TOKEN"),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Fields(t.Context()); err != nil {
			t.Fatal(err)
		}
		return
	}
	crm := sandbox.New(sandbox.DefaultConfig())
	var mu sync.Mutex
	asked, called := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if called++; r.URL.Path == sandbox.TokenPath {
			asked++
		}
		mu.Unlock()
		crm.Handler().ServeHTTP(w, r)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "token.json")
	var all sync.WaitGroup
	const processes = 6
	for range processes {
		all.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestProcessesShareOneToken$")
			cmd.Env = append(os.Environ(), "TEST_ZOHO_ADDRESS="+server.URL, "TEST_ZOHO_TOKEN="+file)
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
	all.Wait()
	if asked != 1 || called != processes+1 {
		t.Errorf("%d processes asked for %d tokens in %d calls", processes, asked, called)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the token: %v, %v", info.Mode(), err)
	}
}

// TestTenTokensInTenMinutesAlsoAcrossRestarts ends the token before each process.
func TestTenTokensInTenMinutesAlsoAcrossRestarts(t *testing.T) {
	bubble(t, nil, func(a *account) {
		begin := time.Now()
		for i := range 10 {
			if _, err := a.connect(nil).Fields(a.Context()); err != nil {
				a.Fatalf("process %d: %v", i+1, err)
			}
			a.EndTokens()
			<-time.After(10 * time.Second)
		}
		_, err := a.connect(nil).Fields(a.Context())
		var e *crm.Error
		if !errors.As(err, &e) || e.Problem != crm.Exhausted || !e.Until.Equal(begin.Add(10*time.Minute)) || a.requests("POST "+sandbox.TokenPath) != 10 {
			a.Errorf("the eleventh token: %v, until %v, after %d requests", err, e.Until, a.requests("POST "+sandbox.TokenPath))
		}
		<-time.After(time.Until(e.Until))
		if _, err := a.connect(nil).Fields(a.Context()); err != nil {
			a.Errorf("after ten minutes: %v", err)
		}
	})
}

// TestARequestForATokenCountsBeforeItIsSent gets no answer from the accounts server.
func TestARequestForATokenCountsBeforeItIsSent(t *testing.T) {
	bubble(t, nil, func(a *account) {
		dials := 0
		away := func(c *zoho.Config) {
			c.Dial = func(context.Context, string, string) (net.Conn, error) { dials++; return nil, errors.New("away") }
		}
		for range 10 {
			if _, err := a.connect(away).Fields(a.Context()); crm.ProblemOf(err) != crm.Unreachable {
				a.Fatal(err)
			}
		}
		if _, err := a.connect(away).Fields(a.Context()); crm.ProblemOf(err) != crm.Exhausted || dials != 10 {
			a.Errorf("%v after %d dials", err, dials)
		}
	})
}

// TestTheAccountsServerSaysThatThereWereTooManyTokens uses no file, so the connector cannot know of the others.
func TestTheAccountsServerSaysThatThereWereTooManyTokens(t *testing.T) {
	bubble(t, nil, func(a *account) {
		var err error
		for range 11 {
			_, err = a.connect(func(c *zoho.Config) { c.TokenFile = "" }).Fields(a.Context())
		}
		var e *crm.Error
		if !errors.As(err, &e) || e.Problem != crm.Exhausted || e.Until.IsZero() {
			a.Errorf("the eleventh token: %v", err)
		}
	})
}

// TestAFileOfOtherCredentialsIsNotUsed also has a file that others may read, and one that is not JSON.
func TestAFileOfOtherCredentialsIsNotUsed(t *testing.T) {
	bubble(t, nil, func(a *account) {
		for _, text := range []string{`{"client":"other","access_token":"1000.stolen","expires":"2999-01-01T00:00:00Z"}`, "\x00", ""} {
			if err := errors.Join(os.WriteFile(a.config.TokenFile, []byte(text), 0o644), os.Chmod(a.config.TokenFile, 0o644)); err != nil {
				a.Fatal(err)
			}
			if _, err := a.connect(nil).Fields(a.Context()); err != nil {
				a.Errorf("%q: %v", text, err)
			}
			if info, err := os.Stat(a.config.TokenFile); err != nil || info.Mode().Perm() != 0o600 {
				a.Errorf("%q: the mode is %v, %v", text, info.Mode(), err)
			}
		}
		text, err := os.ReadFile(a.config.TokenFile)
		if err != nil || strings.Contains(string(text), sandbox.DefaultClientSecret) || strings.Contains(string(text), sandbox.DefaultRefreshToken) {
			a.Errorf("the file has the credentials, or %v", err)
		}
	})
}

// TestAnExpiredTokenIsRenewedOnce lets calls of many goroutines meet the end of the token.
func TestAnExpiredTokenIsRenewedOnce(t *testing.T) {
	bubble(t, nil, func(a *account) {
		c := a.connect(nil)
		id := a.first(withoutEmail).ID
		if _, err := c.Read(a.Context(), []string{id}); err != nil {
			a.Fatal(err)
		}
		for _, end := range []func(){a.EndTokens, func() { <-time.After(time.Hour) }} {
			before := a.requests("POST " + sandbox.TokenPath)
			end()
			var all sync.WaitGroup
			for range 12 {
				all.Go(func() {
					if records, err := c.Read(a.Context(), []string{id}); err != nil || len(records) != 1 {
						a.Error(err)
					}
				})
			}
			all.Wait()
			if asked := a.requests("POST "+sandbox.TokenPath) - before; asked != 1 {
				a.Errorf("%d tokens were asked for", asked)
			}
		}
	})
}

// TestATokenThatIsRefusedTwiceStops also shows that a change is not sent a third time.
func TestATokenThatIsRefusedTwiceStops(t *testing.T) {
	bubble(t, nil, func(a *account) {
		c := a.connect(nil)
		contact := a.first(withoutEmail)
		records, err := c.Read(a.Context(), []string{contact.ID})
		if err != nil {
			a.Fatal(err)
		}
		a.faults.Add(kit.Fault{Answer: kit.Refused, Code: "INVALID_TOKEN"})
		outcome, err := c.Update(a.Context(), crm.Change{ID: contact.ID, Modified: records[0].Modified, Values: map[string]string{"Email": "found@refused.example"}})
		if crm.ProblemOf(err) != crm.Refused || a.requests("PUT") != 2 || len(a.Writes()) > 0 {
			a.Errorf("%+v, %v after %d requests", outcome, err, a.requests("PUT"))
		}
		a.faults.Clear()
		a.faults.Add(kit.Fault{Answer: kit.Refused, Code: "OAUTH_SCOPE_MISMATCH"})
		if _, err := c.Read(a.Context(), []string{contact.ID}); crm.ProblemOf(err) != crm.Refused {
			a.Errorf("a missing scope: %v", err)
		}
	})
}

// TestAChangeIsOneRequestOnAReusedConnection loses the answer on a connection that carried others before, which
// net/http takes for one that the server had closed.
func TestAChangeIsOneRequestOnAReusedConnection(t *testing.T) {
	for _, answer := range []kit.AnswerKind{kit.Dropped, kit.Truncated, kit.Garbage, kit.ProxyPage, kit.Bodyless, kit.GatewayJSON} {
		bubble(t, nil, func(a *account) {
			c := a.connect(nil)
			contact := a.first(withoutEmail)
			records, err := c.Read(a.Context(), []string{contact.ID})
			if err != nil {
				a.Fatal(err)
			}
			a.faults.Add(kit.Fault{Answer: answer, Happened: true})
			outcome, err := c.Update(a.Context(), crm.Change{ID: contact.ID, Modified: records[0].Modified, Values: map[string]string{"Email": "found@once.example"}})
			if err != nil || outcome.Result != crm.Unknown || a.requests("PUT") != 1 || len(a.Writes()) != 1 {
				a.Errorf("answer %d: %+v, %v, %d requests, %d writes", answer, outcome, err, a.requests("PUT"), len(a.Writes()))
			}
		})
	}
}

func TestTheReserveOfCreditsIsKept(t *testing.T) {
	bubble(t, nil, func(a *account) {
		c := a.connect(func(c *zoho.Config) { c.CreditReserve = 100 })
		id := a.first(withoutEmail).ID
		a.SetCredits(130)
		var err error
		calls := 0
		for ; err == nil && calls < 200; calls++ {
			_, err = c.Read(a.Context(), []string{id})
		}
		var e *crm.Error
		if !errors.As(err, &e) || e.Problem != crm.Exhausted || !e.Until.After(time.Now()) || calls < 3 {
			a.Errorf("after %d calls: %v", calls, err)
		}
		sent := len(a.seen)
		if _, err := c.Read(a.Context(), []string{id}); crm.ProblemOf(err) != crm.Exhausted || len(a.seen) != sent {
			a.Errorf("it goes on: %v", err)
		}
		a.SetCredits(5000)
		<-time.After(time.Until(e.Until))
		if _, err := c.Read(a.Context(), []string{id}); err != nil {
			a.Errorf("when there are credits again: %v", err)
		}
		a.SetCredits(0)
		if _, err := a.connect(func(c *zoho.Config) { c.CreditReserve = -1 }).Read(a.Context(), []string{id}); crm.ProblemOf(err) != crm.Exhausted {
			a.Errorf("without credits: %v", err)
		}
	})
}

func TestNoMoreCallsAtATimeThanAllowed(t *testing.T) {
	bubble(t, func(c *sandbox.Config) {
		c.Latency.Min, c.Latency.Max, c.Concurrency = 50*time.Millisecond, 90*time.Millisecond, 3
	}, func(a *account) {
		c := a.connect(func(c *zoho.Config) { c.Concurrency = 3 })
		var all sync.WaitGroup
		for _, contact := range a.Contacts()[:40] {
			all.Go(func() {
				if _, err := c.Read(a.Context(), []string{contact.ID}); err != nil {
					a.Error(err)
				}
			})
		}
		all.Wait()
		if a.peak != 3 {
			a.Errorf("there were %d calls at a time", a.peak)
		}
	})
}

// TestALongWaitIsAnError asks to wait longer than the connector does.
func TestALongWaitIsAnError(t *testing.T) {
	bubble(t, nil, func(a *account) {
		c := a.connect(func(c *zoho.Config) { c.MaxWait = time.Minute })
		id := a.first(withoutEmail).ID
		a.faults.Add(kit.Fault{Answer: kit.Refused, Code: "TOO_MANY_REQUESTS", RetryAfter: time.Hour, Max: 1})
		begin := time.Now()
		_, err := c.Read(a.Context(), []string{id})
		var e *crm.Error
		if !errors.As(err, &e) || e.Problem != crm.Exhausted || e.Until.Before(begin.Add(time.Hour)) || time.Since(begin) > time.Second {
			a.Errorf("%v after %s", err, time.Since(begin))
		}
		<-time.After(time.Until(e.Until))
		if _, err := c.Read(a.Context(), []string{id}); err != nil {
			a.Errorf("after the wait: %v", err)
		}
	})
}

// TestAQueryGoesOnAfterItsLastRecord has three pages, and somebody fills emails between them.
func TestAQueryGoesOnAfterItsLastRecord(t *testing.T) {
	bubble(t, func(c *sandbox.Config) { c.Contacts = 6500 }, func(a *account) {
		want := 0
		for _, c := range a.Contacts() {
			if withoutEmail(c) {
				want++
			}
		}
		c := a.connect(nil)
		seen := map[string]bool{}
		err := c.Find(a.Context(), crm.Selection{Condition: "Email is null or Email = 'nobody@nowhere.example'"}, func(r crm.Record) error {
			if len(seen) == 100 {
				for id := range seen { // those before the end of the page no longer fit
					a.Edit(id, map[string]string{"Email": "by-hand-" + id + "@editor.example"})
				}
			}
			seen[r.ID] = true
			return nil
		})
		if pages := a.requests("POST /crm/v8/coql"); err != nil || len(seen) != want || pages != want/2000+1 {
			a.Errorf("%d of %d records in %d pages, %v", len(seen), want, pages, err)
		}
	})
}

// TestWhatTheCRMDoesNotSelectIsInvalid has a query with an error, and views that there are none of.
func TestWhatTheCRMDoesNotSelectIsInvalid(t *testing.T) {
	bubble(t, nil, func(a *account) {
		for _, s := range []crm.Selection{{Condition: "Email is is"}, {Condition: "Nowhere = '1'"}, {View: "1"}, {View: "Nothing"}} {
			err := a.connect(nil).Find(a.Context(), s, func(crm.Record) error { return nil })
			if crm.ProblemOf(err) != crm.Invalid {
				a.Errorf("%+v: %v", s, err)
			}
		}
	})
}

// TestIDsOfExportedListsAreKnown has the prefix that the CRM puts before ids in files.
func TestIDsOfExportedListsAreKnown(t *testing.T) {
	bubble(t, nil, func(a *account) {
		c := a.connect(nil)
		id := "zcrm_" + a.first(withoutEmail).ID
		records, err := c.Read(a.Context(), []string{id})
		if err != nil || len(records) != 1 || records[0].ID != id {
			a.Fatalf("%+v, %v", records, err)
		}
		outcome, err := c.Update(a.Context(), crm.Change{ID: id, Modified: records[0].Modified, Values: map[string]string{"Email": "found@zcrm.example"}})
		if err != nil || outcome.Result != crm.Written {
			a.Errorf("%+v, %v", outcome, err)
		}
	})
}

// TestAnInterruptEndsNoChangeThatIsUnderWay interrupts a change after it was sent.
func TestAnInterruptEndsNoChangeThatIsUnderWay(t *testing.T) {
	slow := func(c *sandbox.Config) { c.Latency.Min, c.Latency.Max = 10*time.Second, 10*time.Second }
	bubble(t, slow, func(a *account) {
		contact, c := a.first(withoutEmail), a.connect(nil)
		records, err := c.Read(a.Context(), []string{contact.ID})
		if err != nil {
			a.Fatal(err)
		}
		ctx, cancel := context.WithCancel(a.Context())
		time.AfterFunc(5*time.Second, cancel)
		outcome, err := c.Update(ctx, crm.Change{ID: contact.ID, Modified: records[0].Modified, Values: map[string]string{"Email": "found@way.example"}})
		if outcome.Result != crm.Written || err != nil || ctx.Err() == nil || len(a.Writes()) != 1 {
			a.Errorf("%+v, %v; the writes are %v", outcome, err, a.Writes())
		}
	})
}

// TestARecordThatSomebodyGoesOnEditingCannotBeChanged edits it every second.
func TestARecordThatSomebodyGoesOnEditingCannotBeChanged(t *testing.T) {
	bubble(t, nil, func(a *account) {
		id := a.first(withoutEmail).ID
		ctx, cancel := context.WithCancel(a.Context())
		var editor sync.WaitGroup
		a.Edit(id, map[string]string{"Title": "0"})
		editor.Go(func() {
			for i := 1; ctx.Err() == nil; i++ {
				<-time.After(time.Second)
				a.Edit(id, map[string]string{"Title": fmt.Sprint(i)})
			}
		})
		c := a.connect(nil)
		records, err := c.Read(a.Context(), []string{id})
		cancel()
		editor.Wait()
		if err != nil || len(records) != 1 || records[0].Modified != "" {
			a.Fatalf("%+v, %v", records, err)
		}
		_, err = c.Update(a.Context(), crm.Change{ID: id, Values: map[string]string{"Email": "found@busy.example"}})
		if crm.ProblemOf(err) != crm.Invalid || len(a.Writes()) > 0 {
			a.Errorf("it is changed: %v", err)
		}
	})
}

// TestNoEditIsLostUnderFaults fills emails of all contacts while an editor works and answers are lost, as a push does:
// it reads, changes if the field is empty, and reads again to decide after an unknown outcome.
func TestNoEditIsLostUnderFaults(t *testing.T) {
	for seed := range *seeds {
		bubble(t, func(c *sandbox.Config) {
			c.World.People.Seed, c.Editing, c.Contacts = uint64(seed), 0.5, 150
			c.Latency.Max = 5 * time.Second
			c.Faults = kit.NewFaultRules(uint64(seed), []kit.Fault{
				{Answer: kit.Dropped, Happened: true, Probability: 0.06, Path: "/crm/v8/Contacts"},
				{Answer: kit.Dropped, Probability: 0.06, Path: "/crm/v8/Contacts"},
				{Answer: kit.ProxyPage, Happened: true, Probability: 0.04, Path: "/crm/v8/Contacts"},
				{Answer: kit.Refused, Code: "INTERNAL_ERROR", Happened: true, Probability: 0.04, Path: "/crm/v8/Contacts"},
				{Answer: kit.Refused, Code: "TOO_MANY_REQUESTS", Probability: 0.04, Path: "/crm/v8/Contacts"},
				{Answer: kit.Refused, Code: "INVALID_TOKEN", Probability: 0.01, Path: "/crm/v8/Contacts"},
			})
		}, func(a *account) {
			c := a.connect(func(c *zoho.Config) { c.MaxWait = time.Hour })
			a.push(c)
			audit := a.Audit()
			text, _ := json.Marshal(audit.Problems)
			filled := map[string]int{}
			for _, w := range audit.Writes {
				if w.Field == "Email" && w.By == "client" {
					filled[w.Record]++
				}
			}
			if len(audit.Problems) > 0 || len(filled) < 30 {
				a.Errorf("seed %d: %d emails were filled; %s", seed, len(filled), text)
			}
			for _, contact := range a.Contacts() {
				if withoutEmail(contact) || filled[contact.ID] > 1 {
					a.Errorf("seed %d: contact %s has the email %q after %d writes", seed, contact.ID, contact.Values["Email"], filled[contact.ID])
				}
			}
		})
	}
}

// push gives every contact an email, unless it has one.
func (a *account) push(c *zoho.Connector) {
	queue := make(chan string)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for id := range queue {
				for range 40 {
					records, err := c.Read(a.Context(), []string{id})
					if err != nil || len(records) == 1 && records[0].Modified == "" {
						continue // the credentials, the limits and the CRM are disturbed at random
					}
					if len(records) != 1 || records[0].Values["Email"] != "" {
						break
					}
					_, _ = c.Update(a.Context(), crm.Change{ID: id, Modified: records[0].Modified, Values: map[string]string{"Email": "found-" + id + "@push.example"}})
				}
			}
		})
	}
	for _, contact := range a.Contacts() {
		queue <- contact.ID
	}
	close(queue)
	all.Wait()
}

func TestAConfigurationIsChecked(t *testing.T) {
	good := zoho.Config{ClientID: "id", ClientSecret: "secret-text", RefreshToken: "refresh-text"}
	for name, spoil := range map[string]func(*zoho.Config){
		"no client":       func(c *zoho.Config) { c.ClientID = "" },
		"no secret":       func(c *zoho.Config) { c.ClientSecret = "" },
		"no token":        func(c *zoho.Config) { c.RefreshToken = "" },
		"no data center":  func(c *zoho.Config) { c.DataCenter = "moon" },
		"plain http":      func(c *zoho.Config) { c.AccountsURL = "http://accounts.zoho.example" },
		"no address":      func(c *zoho.Config) { c.APIURL = "zoho" },
		"a negative wait": func(c *zoho.Config) { c.MaxWait = -1 },
	} {
		config := good
		spoil(&config)
		if _, err := zoho.New(config); err == nil || strings.Contains(err.Error(), "secret-text") || strings.Contains(err.Error(), "refresh-text") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, center := range append(zoho.DataCenters(), "", "EU") {
		good.DataCenter = center
		if _, err := zoho.New(good); err != nil {
			t.Errorf("%q: %v", center, err)
		}
	}
}
