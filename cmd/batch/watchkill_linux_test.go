package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
)

var (
	watchCompanies = flag.Int("watch-companies", 24, "how many companies the test of watched companies has")
	watchChanges   = flag.Int("watch-changes", 60, "how many changes of watched companies are made")
	watchKills     = flag.Int("watch-kills", 10, "how often the test of watched companies kills the program")
	watchSeed      = flag.Uint64("watch-seed", 1, "what the test of watched companies draws its moments and changes from")
)

// watchCampaign changes watched companies while commands are killed.
type watchCampaign struct {
	t       *testing.T
	dir     string
	base    string // of v1
	service *serviceProcess
	draw    *rand.Rand
	made    map[string][]string // the values that a field of a company got, in their order, by "id field"
	bought  map[string]int      // how often the list paid for a company before any of it changed
	last    string              // the company that changed last
	count   int
}

func (c *watchCampaign) in(name string) string { return filepath.Join(c.dir, name) }

func (c *watchCampaign) program(args ...string) *program {
	args = append(args, "--json", "--state", c.in("state"), "--base-url-v2", strings.TrimSuffix(c.base, "/api/v1")+"/v2", "--settle-delay", "100ms",
		"--rate-v2", "100000/1s", "--exclusive")
	return &program{t: c.t, dir: c.dir, baseURL: c.base, v2Key: sandboxv2.DefaultKey, args: args}
}

// spending is a command that may use as many units as there are.
func (c *watchCampaign) spending(args ...string) *program {
	return c.program(append(args, "--yes", "--concurrency", "3", "--max-units", "companies=1000000", "--max-units", "watch=1000000")...)
}

// change changes a company, often the one that changed last.
func (c *watchCampaign) change() {
	fields := []string{"company_email", "name", "vat_number"}
	id := strconv.Itoa(1 + c.draw.IntN(*watchCompanies))
	if c.last != "" && c.draw.IntN(3) == 0 {
		id = c.last
	}
	field := fields[c.draw.IntN(len(fields))]
	c.count++
	value := fmt.Sprintf("value-%d", c.count)
	call(c.t, "PUT", c.service.admin+"/v2/companies/"+id, "Bearer "+adminToken, fmt.Sprintf(`{"field":%q,"value":%q}`, field, value))
	c.last, c.made[id+" "+field] = id, append(c.made[id+" "+field], value)
}

// TestKillsPayOnceForEachObservedChange changes watched companies many times. The service notifies a receiver of each
// change, and somebody repeats notifications in another order. Polls and refreshes are killed at any of their requests,
// and the service loses responses. Each company was watched once. No company was paid for more often than once and once
// more for each of its changes. Each change of a field is in the table once, and the values in the table lead from the
// first answer to what the service has now.
func TestKillsPayOnceForEachObservedChange(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	service := startService(t, serviceSeed, "--rate-v2", "100000/1s", "--admin", "127.0.0.1:0", "--fault", "lost-before:p=0.005", "--fault", "lost-after:p=0.005")
	settled := service.finishing(t)
	c := &watchCampaign{
		t: t, dir: t.TempDir(), base: service.listen(t), service: service, draw: rand.New(rand.NewPCG(*watchSeed, 0)), made: map[string][]string{},
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	ids := "company_id\n"
	for id := range *watchCompanies {
		ids += fmt.Sprintln(1 + id)
	}
	if err := os.WriteFile(c.in("ids.csv"), []byte(ids), 0o600); err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(c.base, "/api/v1") + "/v2"
	receiver := startReceiving(t, c.in("state"), base)
	if out, err := watchOf(c.in("state"), base, "callback", "set", receiver.address, "--secret-path").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.settle(c.spending("run", c.in("ids.csv"), "--fields", "company", "--rebuy", "-o", c.in("out.csv")))
	c.bought, _ = c.charged()
	add := c.spending("watch", "add", c.in("ids.csv"), "--fields", "company_email,name,vat_number")
	refresh := c.spending("watch", "refresh", c.in("ids.csv"), "-o", c.in("changes.csv"))
	commands := []*program{c.program("watch", "poll"), c.program("watch", "poll", "--notified"), refresh, refresh}
	kills := 0
	kill := func(p *program, within int64) {
		if p.killOn(service.tap.atRequest(1+c.draw.Int64N(within), c.draw.IntN(2) == 0)) == -1 {
			kills++
		}
		service.tap.watch.Store(nil)
		settled()
	}
	for range 2 {
		kill(add, int64(2**watchCompanies))
	}
	c.settle(add)
	for starts := 0; c.count < *watchChanges || kills < *watchKills && starts < 6**watchKills; starts++ {
		for range 1 + 2*c.draw.IntN(1 + *watchChanges / *watchKills) {
			if c.count < *watchChanges {
				c.change()
			}
		}
		for range c.draw.IntN(3) { // notifications that were accepted before come again
			receiver.post(http.DefaultClient, receiver.secret, fmt.Sprintf(`{"company_data":{"id":%d},"field":"name","status":"UPDATE"}`, 1+c.draw.IntN(*watchCompanies)))
		}
		p := commands[c.draw.IntN(len(commands))]
		if kills < *watchKills {
			kill(p, int64(4+*watchCompanies))
		} else {
			p.runToEnd(exitDone, exitDoubt)
		}
	}
	c.program("watch", "poll").runToEnd(exitDone)
	refresh.runToEnd(exitDone, exitDoubt)
	c.checkPaidOnce(kills)

	// What was charged and lost is asked for again, so that the table has every change.
	c.program("reconcile", "--assume", "charged").runToEnd(exitDone, exitDoubt)
	c.settle(c.spending("watch", "refresh", c.in("ids.csv"), "--rebuy", "-o", c.in("changes.csv")))
	c.checkTable()
	before, _ := os.ReadFile(c.in("changes.csv"))
	refresh.runToEnd(exitDone)
	if after, _ := os.ReadFile(c.in("changes.csv")); string(before) != string(after) {
		t.Error("another start writes another table")
	}
	c.spending("run", c.in("ids.csv"), "--fields", "company", "-o", c.in("out.csv")).runToEnd(exitDone)
	for _, row := range csvRows(t, c.in("out.csv")) {
		if made := c.made[row["company_id"]+" name"]; len(made) > 0 && row["company"] != made[len(made)-1] {
			t.Errorf("the list says that company %s is %s, and it is %s", row["company_id"], row["company"], made[len(made)-1])
		}
	}
	if kills < *watchKills {
		t.Errorf("%d kills, want %d", kills, *watchKills)
	}
	if counts := receiver.stop(); counts.Accepted == 0 {
		t.Errorf("no notification arrived: %+v", counts)
	}
	t.Logf("%d kills, %d companies, %d changes", kills, *watchCompanies, c.count)
}

// settle runs a command until nothing is left for it. When several calls were lost together, the account does not tell
// which of them were charged: then somebody says that all were.
func (c *watchCampaign) settle(p *program) {
	var last *process
	for range 8 {
		last = p.runToEnd(exitDone, exitDoubt)
		var summary map[string]any
		if err := json.Unmarshal(last.stdout.Bytes(), &summary); err != nil {
			c.t.Fatal(err)
		}
		lost, _ := summary["charged_and_lost"].(float64)
		if last.ProcessState.ExitCode() == exitDone && lost == 0 {
			return
		}
		c.program("reconcile", "--assume", "charged").runToEnd(exitDone, exitDoubt)
	}
	c.t.Fatalf("%v does not come to an end: %s", p.args, last.stdout.String())
}

// records returns what the service has counted so far.
func (c *watchCampaign) records() []kit.UnitRecord {
	books, err := os.ReadFile(c.service.ledger + ".v2") // which the service goes on writing
	if err == nil {
		err = os.WriteFile(c.in("books.v2"), books, 0o600)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return recordsOf(c.t, c.in("books.v2"))
}

// charged returns how often each company was paid for, and how often each watch was started.
func (c *watchCampaign) charged() (companies, watches map[string]int) {
	companies, watches = map[string]int{}, map[string]int{}
	for _, record := range c.records() {
		switch {
		case record.Units <= 0:
		case record.Module == "companies":
			companies[record.About]++
		case record.Module == "watch":
			watches[record.Path]++
		}
	}
	return companies, watches
}

// checkPaidOnce compares what the service counted with the changes that were made.
func (c *watchCampaign) checkPaidOnce(kills int) {
	changes, calls := map[string]int{}, 0
	for field, values := range c.made {
		id, _, _ := strings.Cut(field, " ")
		changes[id] += len(values)
	}
	paid, started := c.charged()
	for id, n := range paid {
		if n > c.bought[id]+changes[id] {
			c.t.Errorf("company %s was paid for %d times, %d times before it changed %d times", id, n, c.bought[id], changes[id])
		}
		calls += n
	}
	for path, n := range started {
		if n > 1 {
			c.t.Errorf("%s was counted %d times", path, n)
		}
	}
	if len(started) != *watchCompanies {
		c.t.Errorf("%d companies are watched, want %d", len(started), *watchCompanies)
	}
	c.t.Logf("%d kills, %d paid calls for %d companies with %d changes", kills, calls, *watchCompanies, c.count)
}

// checkTable checks that each change is in the table once.
func (c *watchCampaign) checkTable() {
	counted, value := map[string]int{}, map[string]string{}
	for _, row := range csvRows(c.t, c.in("changes.csv")) {
		field := row["company_id"] + " " + row["field"]
		n, err := strconv.Atoi(row["changes"])
		if err != nil {
			c.t.Fatal(err)
		}
		if before, known := value[field]; known && before != row["old"] {
			c.t.Errorf("%s: %q is followed by a change from %q", field, before, row["old"])
		}
		if _, err := time.Parse(time.RFC3339, row["observed_at"]); err != nil {
			c.t.Error(err)
		}
		counted[field], value[field] = counted[field]+n, row["new"]
	}
	for field, made := range c.made {
		last := made[len(made)-1]
		if strings.HasSuffix(field, "email") {
			last = fmt.Sprintf("[%q]", last)
		}
		if counted[field] != len(made) || value[field] != last {
			c.t.Errorf("%s changed %d times, at last to %s; the table has %d changes, at last to %s", field, len(made), last, counted[field], value[field])
		}
	}
	for field := range counted {
		if len(c.made[field]) == 0 {
			c.t.Errorf("%s is in the table, and did not change", field)
		}
	}
}

// TestTheOldValueOfAChangeIsFromBeforeIt changes the email of a company after its changed name was observed. So the
// refresh gets the new email before that change is observed, and the next one gets it again.
func TestTheOldValueOfAChangeIsFromBeforeIt(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	service := startService(t, serviceSeed, "--rate-v2", "100000/1s", "--admin", "127.0.0.1:0")
	c := &watchCampaign{t: t, dir: t.TempDir(), base: service.listen(t), service: service}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	if err := os.WriteFile(c.in("ids.csv"), []byte("company_id\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	change := func(field, value string) {
		call(t, "PUT", c.service.admin+"/v2/companies/1", "Bearer "+adminToken, fmt.Sprintf(`{"field":%q,"value":%q}`, field, value))
	}
	refresh := c.spending("watch", "refresh", c.in("ids.csv"), "-o", c.in("changes.csv"))
	change("company_email", "first@firm.example")
	change("name", "First")
	c.spending("run", c.in("ids.csv"), "--fields", "company", "-o", c.in("out.csv")).runToEnd(exitDone)
	c.spending("watch", "add", c.in("ids.csv"), "--fields", "company_email,name").runToEnd(exitDone)
	for n := range 3 {
		change("name", fmt.Sprint("Name ", n))
		c.program("watch", "poll").runToEnd(exitDone)
		change("company_email", fmt.Sprintf("mail-%d@firm.example", n))
		refresh.runToEnd(exitDone)
		c.program("watch", "poll").runToEnd(exitDone)
		refresh.runToEnd(exitDone)
	}
	old := map[string]string{"company_email": `["first@firm.example"]`, "name": "First"}
	for _, row := range csvRows(t, c.in("changes.csv")) {
		if field := row["field"]; row["old"] != old[field] || row["new"] == row["old"] || row["changes"] != "1" {
			t.Errorf("%s was %s; the table has %v", field, old[field], row)
		}
		old[row["field"]] = row["new"]
	}
	if old["company_email"] != `["mail-2@firm.example"]` || old["name"] != "Name 2" {
		t.Errorf("the table ends with %v", old)
	}
}

// TestTheLimitOfARunIncludesItsRefresh runs a list of six known companies, of which four have changed, and of three new
// ones, with a limit of five units. The refresh uses four of them, and the run gets one more, in however many starts.
func TestTheLimitOfARunIncludesItsRefresh(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	service := startService(t, serviceSeed, "--rate-v2", "100000/1s", "--admin", "127.0.0.1:0")
	c := &watchCampaign{t: t, dir: t.TempDir(), base: service.listen(t), service: service}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	list := func(most int) {
		ids := "company_id\n"
		for id := range most {
			ids += fmt.Sprintln(1 + id)
		}
		if err := os.WriteFile(c.in("ids.csv"), []byte(ids), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	companies := func() (n int) {
		for _, record := range c.records() {
			if record.Module == "companies" && record.Units > 0 {
				n++
			}
		}
		return n
	}
	list(6)
	c.spending("run", c.in("ids.csv"), "--fields", "company", "--name", "first", "-o", c.in("first.csv")).runToEnd(exitDone)
	c.spending("watch", "add", c.in("ids.csv"), "--fields", "name").runToEnd(exitDone)
	for id := range 4 {
		address := fmt.Sprintf("%s/v2/companies/%d", service.admin, 1+id)
		call(t, "PUT", address, "Bearer "+adminToken, `{"field":"name","value":"New name"}`)
	}
	list(9)
	for start := range 2 {
		c.program("run", c.in("ids.csv"), "--fields", "company", "--name", "nightly", "-o", c.in("out.csv"), "--changes", c.in("changes.csv"),
			"--yes", "--max-units", "companies=5").runToEnd(exitCeiling)
		if got := companies(); got != 6+5 {
			t.Fatalf("after start %d, %d units were used; want 6 of the first run and 5 of the second", 1+start, got)
		}
	}
	if rows := csvRows(t, c.in("changes.csv")); len(rows) != 4 {
		t.Errorf("the table has %d changes, want 4", len(rows))
	}
	c.program("run", c.in("ids.csv"), "--fields", "company", "--name", "nightly", "-o", c.in("out.csv"), "--changes", c.in("changes.csv"),
		"--yes", "--max-units", "companies=7").runToEnd(exitDone)
	if got := companies(); got != 6+7 {
		t.Errorf("%d units were used, want 13", got)
	}
}
