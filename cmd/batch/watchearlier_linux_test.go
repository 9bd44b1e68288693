package main

import (
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// rowOf runs a command that writes the list of a company, and returns its row.
func (c *watchCampaign) rowOf(p *program, out string, code int) map[string]string {
	c.t.Helper()
	p.runToEnd(code)
	rows := csvRows(c.t, c.in(out))
	if len(rows) != 1 {
		c.t.Fatalf("%s has %d rows, want 1", out, len(rows))
	}
	return rows[0]
}

// write is the command that writes the output of the run "first" to another file.
func (c *watchCampaign) write(out string) *program {
	p := c.program()
	p.args = []string{"write", "first", "-o", c.in(out), "--state", c.in("state"), "--base-url-v2", strings.TrimSuffix(c.base, "/api/v1") + "/v2"}
	return p
}

// notExclusive removes --exclusive from a command. Others may then spend on the account, so a lost call stays in doubt.
func notExclusive(p *program) *program {
	p.args = slices.DeleteFunc(p.args, func(arg string) bool { return arg == "--exclusive" })
	return p
}

// valuesOf returns the values of an answer in a row: all cells except those about its outcome.
func valuesOf(row map[string]string) map[string]string {
	values := maps.Clone(row)
	maps.DeleteFunc(values, func(column, _ string) bool {
		return strings.HasPrefix(column, "enrich_") && column != "enrich_retrieved_at" && column != "enrich_confidence"
	})
	return values
}

// checkKept checks that a row has the values of an earlier answer, and that its status is that of the later call.
func checkKept(t *testing.T, row, earlier map[string]string, status string) {
	t.Helper()
	if !maps.Equal(valuesOf(row), valuesOf(earlier)) {
		t.Errorf("%s: the row has the values %v, want those of the earlier answer: %v", status, valuesOf(row), valuesOf(earlier))
	}
	if row["enrich_status"] != status || !strings.Contains(row["enrich_reason"], "the values are from the earlier answer") {
		t.Errorf("the row is %q because of %q, want %q", row["enrich_status"], row["enrich_reason"], status)
	}
}

// TestARowKeepsItsAnswerWhileALaterOneIsInDoubt asks again for a changed company, and the response is lost. Its row has
// the earlier answer while the later call is in doubt or forfeited, until the earlier answer is erased. The exit code
// and the status are those of the later call, and no other call is sent. The later answer replaces the earlier one.
func TestARowKeepsItsAnswerWhileALaterOneIsInDoubt(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	const changed = "new@company.example"
	for _, assume := range []string{"charged", "not-charged", "erased"} {
		t.Run(assume, func(t *testing.T) {
			t.Parallel()
			c := newWatchCampaign(t)
			ids := c.list("ids.csv", "company_id\n1\n")
			run := notExclusive(c.spending("run", ids, "--fields", "company", "--name", "first", "-o", c.in("out.csv")))
			first := c.rowOf(run, "out.csv", exitDone)
			if first["company_email"] == "" || first["enrich_status"] != "matched" {
				t.Fatalf("the company was not found: %v", first)
			}
			c.spending("watch", "add", ids).runToEnd(exitDone)
			c.set("1", "company_email", changed)
			c.program("watch", "poll").runToEnd(exitDone)
			c.lose("GET", "/companies/1", false)
			refresh := notExclusive(c.spending("watch", "refresh", ids))
			refresh.runToEnd(exitDoubt)
			paid := c.paid("companies")

			checkKept(t, c.rowOf(run, "out.csv", exitDoubt), first, "in_doubt")
			checkKept(t, c.rowOf(c.write("again.csv"), "again.csv", exitDoubt), first, "in_doubt")
			refresh.runToEnd(exitDoubt)

			switch assume {
			case "charged":
				notExclusive(c.program("reconcile", "--assume", "charged")).runToEnd(exitDone, exitDoubt)
				checkKept(t, c.rowOf(run, "out.csv", exitDoubt), first, "forfeited")
				refresh.runToEnd(exitDoubt)
				if again := c.paid("companies"); again != paid {
					t.Errorf("%d calls were paid while the last one was charged and lost", again-paid)
				}
				c.lose("GET", "/companies/1", false)
				rebuy := notExclusive(c.spending("watch", "refresh", ids, "--rebuy"))
				rebuy.runToEnd(exitDoubt)
				checkKept(t, c.rowOf(run, "out.csv", exitDoubt), first, "in_doubt")
				notExclusive(c.program("reconcile", "--assume", "charged")).runToEnd(exitDone, exitDoubt)
				checkKept(t, c.rowOf(run, "out.csv", exitDoubt), first, "forfeited")
				rebuy.runToEnd(exitDone)
				paid += 2
			case "not-charged":
				notExclusive(c.program("reconcile", "--assume", "not-charged")).runToEnd(exitDone)
				if row := c.rowOf(run, "out.csv", exitDone); !maps.Equal(row, first) {
					t.Errorf("after the call was released the row is %v, want %v", row, first)
				}
				refresh.runToEnd(exitDone)
				paid++
			case "erased":
				prune := c.program()
				prune.args = []string{"journal", "prune", "--keep-answers", "0s", "--yes", "--state", c.in("state"), "--base-url-v2", strings.TrimSuffix(c.base, "/api/v1") + "/v2"}
				prune.runToEnd(exitDone)
				row := c.rowOf(run, "out.csv", exitDoubt)
				if row["company_email"] != "" || row["company"] != "" || row["enrich_status"] != "in_doubt" || strings.Contains(row["enrich_reason"], "earlier answer") {
					t.Errorf("after the answer was erased the row is %v", row)
				}
			}
			if again := c.paid("companies"); again != paid {
				t.Errorf("%d companies were paid for, want %d", again, paid)
			}
			if assume == "erased" {
				return
			}
			if row := c.rowOf(run, "out.csv", exitDone); row["company_email"] != changed || row["enrich_status"] != "matched" {
				t.Errorf("after the later answer the row has %q and is %q", row["company_email"], row["enrich_status"])
			}
			if out, err := os.ReadFile(c.in("out.csv")); err != nil || strings.Contains(string(out), "earlier answer") {
				t.Errorf("the output is still in doubt: %s, %v", out, err)
			}
		})
	}
}

// TestARowKeepsItsAnswerWhileALaterCallIsInFlight writes the output of a run while a refresh waits for the response about
// its company.
func TestARowKeepsItsAnswerWhileALaterCallIsInFlight(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	c := newWatchCampaign(t)
	ids := c.list("ids.csv", "company_id\n1\n")
	first := c.rowOf(c.spending("run", ids, "--fields", "company", "--name", "first", "-o", c.in("out.csv")), "out.csv", exitDone)
	c.spending("watch", "add", ids).runToEnd(exitDone)
	c.set("1", "company_email", "new@company.example")
	c.program("watch", "poll").runToEnd(exitDone)
	came, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	watch := watcher(func(r *http.Request, pass func()) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/companies/1") {
			once.Do(func() { close(came); <-goOn })
		}
		pass()
	})
	c.service.tap.watch.Store(&watch)
	refresh := c.spending("watch", "refresh", ids).start()
	<-came
	checkKept(t, c.rowOf(c.write("during.csv"), "during.csv", exitDoubt), first, "in_doubt")
	close(goOn)
	if code := refresh.end(); code != exitDone {
		t.Errorf("the refresh ended with exit code %d", code)
	}
	if row := c.rowOf(c.write("after.csv"), "after.csv", exitDone); row["company_email"] != "new@company.example" || row["enrich_status"] != "matched" {
		t.Errorf("after the refresh the row is %v", row)
	}
}

// TestAKeptAnswerThatContradictsItsRowStaysWithheld runs a list whose row has an answer about another company. The row
// gets its values only with --accept-mismatch, also while a later call is in doubt.
func TestAKeptAnswerThatContradictsItsRowStaysWithheld(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	same := newWatchCampaign(t)
	website := same.websiteOf(same.list("ids.csv", "company_id\n1\n"))
	c := newWatchCampaign(t)
	list := c.list("other.csv", "company_name,website\nQuite Another Name,"+website+"\n")
	run := notExclusive(c.spending("run", list, "--fields", "company", "--name", "first", "-o", c.in("out.csv")))
	accepting := notExclusive(c.spending("run", list, "--fields", "company", "--name", "first", "-o", c.in("accepted.csv"), "--accept-mismatch"))
	first, accepted := c.rowOf(run, "out.csv", exitDone), c.rowOf(accepting, "accepted.csv", exitDone)
	if first["enrich_status"] != "mismatch" || first["company_email"] != "" || accepted["company_email"] == "" {
		t.Fatalf("the row is %v, and accepted %v", first, accepted)
	}
	c.spending("watch", "add", "--company", "1").runToEnd(exitDone)
	c.set("1", "company_email", "new@company.example")
	c.program("watch", "poll").runToEnd(exitDone)
	c.lose("POST", "/enrichment/url", false)
	notExclusive(c.spending("watch", "refresh", "--company", "1")).runToEnd(exitDoubt)
	row := c.rowOf(run, "out.csv", exitDoubt)
	if !maps.Equal(valuesOf(row), valuesOf(first)) || row["enrich_status"] != "in_doubt" || strings.Contains(row["enrich_reason"], "earlier answer") {
		t.Errorf("the row is %v, want the values of %v", row, first)
	}
	checkKept(t, c.rowOf(accepting, "accepted.csv", exitDoubt), accepted, "in_doubt")
}

// TestTablesKeepTheirRowsWhileALaterAnswerIsInDoubt loses the call for a changed shareholder.
func TestTablesKeepTheirRowsWhileALaterAnswerIsInDoubt(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	c := newWatchCampaign(t)
	ids := c.list("ids.csv", "company_id\n1\n2\n3\n")
	args := []string{"run", ids, "--fields", "company,ownership", "-o", c.in("out.csv"), "--tables", c.in("tables"), "--tables-format", "csv", "--max-units", "ownership=100"}
	run := notExclusive(c.spending(args...))
	run.runToEnd(exitDone)
	read := func() string {
		table, err := os.ReadFile(c.in("tables/shareholders.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return string(table)
	}
	first := read()
	if strings.Count(first, "\n") < 3 {
		t.Fatalf("the table of shareholders: %s", first)
	}
	c.spending("watch", "add", ids, "--fields", "shareholder_name").runToEnd(exitDone)
	c.set("1", "shareholder_name", "Somebody Else")
	c.program("watch", "poll").runToEnd(exitDone)
	c.lose("GET", "/ownership/1", false)
	notExclusive(c.spending("watch", "refresh", ids, "--max-units", "ownership=100")).runToEnd(exitDoubt)
	if run.runToEnd(exitDoubt); read() != first {
		t.Errorf("while the call is in doubt the table is %s, want %s", read(), first)
	}
	notExclusive(c.program("reconcile", "--assume", "not-charged")).runToEnd(exitDone)
	notExclusive(c.spending("watch", "refresh", ids, "--max-units", "ownership=100")).runToEnd(exitDone)
	if run.runToEnd(exitDone); !strings.Contains(read(), "Somebody Else") {
		t.Errorf("after the refresh the table is %s", read())
	}
}
