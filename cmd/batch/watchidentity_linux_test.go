package main

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sandboxv2 "payonce/io/sandbox/v2"
)

// newWatchCampaign starts a service for a few companies.
func newWatchCampaign(t *testing.T) *watchCampaign {
	t.Helper()
	service := startService(t, serviceSeed, "--rate-v2", "100000/1s", "--admin", "127.0.0.1:0")
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return &watchCampaign{
		t: t, dir: t.TempDir(), base: service.listen(t), service: service, draw: rand.New(rand.NewPCG(1, 0)), made: map[string][]string{},
	}
}

// list writes a list and returns its name.
func (c *watchCampaign) list(name, text string) string {
	c.t.Helper()
	if err := os.WriteFile(c.in(name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return c.in(name)
}

// set changes a company.
func (c *watchCampaign) set(id, field, value string) {
	c.t.Helper()
	call(c.t, "PUT", c.service.admin+"/v2/companies/"+id, "Bearer "+adminToken, `{"field":"`+field+`","value":"`+value+`"}`)
}

// lose loses one request whose path ends so: before the service sees it, or else its response.
func (c *watchCampaign) lose(method, path string, before bool) {
	var lost atomic.Bool
	watch := watcher(func(r *http.Request, pass func()) {
		if r.Method != method || !strings.HasSuffix(r.URL.Path, path) || lost.Swap(true) {
			pass()
			return
		}
		if !before {
			c.service.tap.service.ServeHTTP(httptest.NewRecorder(), r)
		}
		panic(http.ErrAbortHandler)
	})
	c.service.tap.watch.Store(&watch)
}

// paid returns how many units of a module the service has counted.
func (c *watchCampaign) paid(module string) (units int64) {
	c.t.Helper()
	books, err := os.ReadFile(c.service.ledger + ".v2")
	if err == nil {
		err = os.WriteFile(c.in("books.v2"), books, 0o600)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	for _, record := range recordsOf(c.t, c.in("books.v2")) {
		if string(record.Module) == module {
			units += record.Units
		}
	}
	return units
}

// websiteOf returns the website of company 1, which it buys.
func (c *watchCampaign) websiteOf(ids string) string {
	c.t.Helper()
	c.spending("run", ids, "--fields", "company", "-o", c.in("first.csv"), "--concurrency", "1").runToEnd(exitDone)
	return csvRows(c.t, c.in("first.csv"))[0]["company_website"]
}

// changed makes a campaign in which company 1 was bought by its id, is watched, and changed. It returns lists of it: by
// the id and by the website. The response to the next call is lost.
func changed(t *testing.T, boughtByWebsite bool) (c *watchCampaign, ids, sites string) {
	t.Helper()
	c = newWatchCampaign(t)
	ids = c.list("ids.csv", "company_id\n1\n")
	website := c.websiteOf(ids)
	sites = c.list("sites.csv", "website\n"+website+"\n")
	want := int64(1)
	if boughtByWebsite { // for a row that the answer contradicts
		other := c.list("other.csv", "company_name,website\nQuite Another Name,"+website+"\n")
		c.spending("run", other, "--fields", "company", "-o", c.in("other-out.csv")).runToEnd(exitDone)
		want++
	}
	if paid := c.paid("companies"); paid != want {
		t.Fatalf("the company was paid for %d times before it changed, want %d", paid, want)
	}
	c.spending("watch", "add", ids).runToEnd(exitDone)
	c.set("1", "company_email", "new@company.example")
	c.program("watch", "poll").runToEnd(exitDone)
	c.lose("GET", "/companies/1", false)
	return c, ids, sites
}

// TestALostCallForAChangeBlocksTheCompanyUnderItsOtherIdentities asks again for a company by its id, and the response
// is lost. Neither a refresh nor a run of a list that names the company by its website pays for it, whether or not it
// was bought by the website before. With --rebuy one call more is paid, and both lists have the new value.
func TestALostCallForAChangeBlocksTheCompanyUnderItsOtherIdentities(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	for name, boughtByWebsite := range map[string]bool{"bought by the id alone": false, "bought by both": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, ids, sites := changed(t, boughtByWebsite)
			c.spending("watch", "refresh", ids).runToEnd(exitDoubt)
			paid := c.paid("companies")
			c.spending("watch", "refresh", sites).runToEnd(exitDoubt)
			c.spending("run", sites, "--fields", "company", "-o", c.in("sites-out.csv")).runToEnd(exitDone, exitDoubt)
			if again := c.paid("companies"); again != paid {
				t.Fatalf("the change was paid for %d times", 1+again-paid)
			}
			c.spending("watch", "refresh", sites, "--rebuy").runToEnd(exitDone)
			if again := c.paid("companies"); again != paid+1 {
				t.Errorf("--rebuy paid for %d calls, want 1", again-paid)
			}
			c.spending("run", sites, "--fields", "company", "-o", c.in("sites-out.csv")).runToEnd(exitDone)
			if email := csvRows(t, c.in("sites-out.csv"))[0]["company_email"]; email != "new@company.example" {
				t.Errorf("after the refresh the list has %q", email)
			}
			if again := c.paid("companies"); again != paid+1 {
				t.Errorf("the run paid for %d companies", again-paid-1)
			}
		})
	}
}

// TestARefreshByIDReachesTheListThatNamesTheCompanyOtherwise: the company was bought by its website, and --company
// names it.
func TestARefreshByIDReachesTheListThatNamesTheCompanyOtherwise(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	same := newWatchCampaign(t)
	website := same.websiteOf(same.list("ids.csv", "company_id\n1\n"))
	c := newWatchCampaign(t)
	sites := c.list("sites.csv", "website\n"+website+"\n")
	run := c.spending("run", sites, "--fields", "company", "-o", c.in("out.csv"))
	run.runToEnd(exitDone)
	c.spending("watch", "add", "--company", "1").runToEnd(exitDone)
	c.set("1", "company_email", "new@company.example")
	c.program("watch", "poll").runToEnd(exitDone)
	c.spending("watch", "refresh", "--company", "1").runToEnd(exitDone)
	run.runToEnd(exitDone)
	if email := csvRows(t, c.in("out.csv"))[0]["company_email"]; email != "new@company.example" {
		t.Errorf("after the refresh the list has %q", email)
	}
	if paid := c.paid("companies"); paid != 2 {
		t.Errorf("%d companies were paid for, want 2", paid)
	}
}

// TestALostStartThatTheServiceDoesNotShowIsSentAgain: watch add does not end as done while a company is not watched.
func TestALostStartThatTheServiceDoesNotShowIsSentAgain(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	c := newWatchCampaign(t)
	c.lose("POST", "/companies/1/watch", true)
	c.spending("watch", "add", "--company", "1").runToEnd(exitDone)
	if started := c.paid("watch"); started != 1 {
		t.Errorf("%d companies are watched, want 1", started)
	}
}

// TestTheCallsForChangesCountInTheLimitsOfTheJob: a run with --changes and a limit for a day, without a name. The calls
// for changes and those of the run share the limit.
func TestTheCallsForChangesCountInTheLimitsOfTheJob(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	c := newWatchCampaign(t)
	list := c.list("ids.csv", "company_id\n1\n2\n")
	args := []string{"run", list, "--fields", "company", "-o", c.in("out.csv"), "--daily-units", "companies=3", "--yes"}
	c.program(args...).runToEnd(exitDone)
	c.spending("watch", "add", list).runToEnd(exitDone)
	c.set("1", "company_email", "new@company.example")
	c.set("2", "company_email", "new@company.example")
	c.program(append(args, "--changes", c.in("changes.csv"))...).runToEnd(exitCeiling)
	if paid := c.paid("companies"); paid != 3 {
		t.Errorf("%d companies were paid for under a limit of 3", paid)
	}
	if rows := csvRows(t, c.in("changes.csv")); len(rows) != 1 {
		t.Errorf("the table has the changes %v, want 1", rows)
	}
}

// TestAJobWithChangesAsksForThemInItsLimitsAndWritesBothFiles starts a job at a change of a watched company: it polls,
// asks again for the company alone, and writes the changes and the list with the new value. A second start pays for
// nothing. At the limit of the day the job ends as a run does at a ceiling.
func TestAJobWithChangesAsksForThemInItsLimitsAndWritesBothFiles(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	c := newWatchCampaign(t)
	list := c.list("accounts.csv", "company_id\n1\n2\n")
	c.list("jobs.yaml", `
jobs:
  accounts:
    list: accounts.csv
    fields: company
    output: out.csv
    changes: changes.csv
    max-units: {companies: 2}
    daily-units: {companies: 3}
    rate-v2: 100000/1s
`)
	job := &program{t: t, dir: c.dir, baseURL: c.base, v2Key: sandboxv2.DefaultKey, args: []string{"jobs", "run", "accounts", "-f", c.in("jobs.yaml")}, environ: []string{
		"BATCH_STATE=" + c.in("state"), "SERVICE_V2_BASE_URL=" + strings.TrimSuffix(c.base, "/api/v1") + "/v2",
	}}
	check := func(paid int64, changes int, email string) {
		t.Helper()
		if got := c.paid("companies"); got != paid {
			t.Errorf("%d companies were paid for, want %d", got, paid)
		}
		if rows := csvRows(t, c.in("changes.csv")); len(rows) != changes {
			t.Errorf("the table has the changes %v, want %d", rows, changes)
		}
		if got := csvRows(t, c.in("out.csv"))[0]["company_email"]; email != "" && got != email {
			t.Errorf("the list has %q, want %q", got, email)
		}
	}
	job.runToEnd(exitDone)
	check(2, 0, "")
	c.spending("watch", "add", list).runToEnd(exitDone)
	c.set("1", "company_email", "new@company.example")
	job.runToEnd(exitDone)
	check(3, 1, "new@company.example")
	job.runToEnd(exitDone)
	check(3, 1, "new@company.example")
	c.set("1", "company_email", "newer@company.example")
	last := job.runToEnd(exitDone)
	check(3, 1, "new@company.example")
	if text := last.stdout.String(); !strings.Contains(text, "daily-units") {
		t.Errorf("the job does not say that it reached the limit of the day: %s", text)
	}
}

// TestAnInterruptedRunWithChangesDoesNotSayThatNothingWasSent interrupts a run at its first call for a change, which it
// waits for. The same command goes on, and each change is paid for once.
func TestAnInterruptedRunWithChangesDoesNotSayThatNothingWasSent(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	c := newWatchCampaign(t)
	list := c.list("ids.csv", "company_id\n1\n2\n3\n")
	run := c.spending("run", list, "--fields", "company", "-o", c.in("out.csv"))
	run.runToEnd(exitDone)
	c.spending("watch", "add", list).runToEnd(exitDone)
	for _, id := range []string{"1", "2", "3"} {
		c.set(id, "company_email", "new@company.example")
	}
	came, goOn := make(chan struct{}), make(chan struct{})
	var first sync.Once
	watch := watcher(func(r *http.Request, pass func()) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/companies/1") {
			first.Do(func() { close(came); <-goOn })
		}
		pass()
	})
	c.service.tap.watch.Store(&watch)
	run.args = append(run.args, "--changes", c.in("changes.csv"), "--concurrency", "1")
	process := run.start()
	<-came
	if err := process.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	process.stderr.await(t, "interrupted: waiting for the calls in flight")
	close(goOn)
	if code := process.end(); code != exitInterrupted || strings.Contains(process.stdout.String(), "nothing was sent") {
		t.Errorf("exit code %d: %s", code, process.stdout.String())
	}
	run.runToEnd(exitDone)
	if paid := c.paid("companies"); paid != 6 {
		t.Errorf("%d companies were paid for, want 6", paid)
	}
	if rows := csvRows(t, c.in("changes.csv")); len(rows) != 3 {
		t.Errorf("the table has the changes %v, want 3", rows)
	}
}
