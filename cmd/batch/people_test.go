package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
)

var (
	peopleKills = flag.Int("people-kills", 10, "how often TestKillsOfARunForPeopleBuyNothingTwice kills the program")
	peopleSeed  = flag.Uint64("people-seed", 1, "what TestKillsOfARunForPeopleBuyNothingTwice draws its moments from")
)

// peopleCampaign is a run for people of the companies of a list.
type peopleCampaign struct {
	*unitCampaign
	companies int
}

// newPeopleCampaign writes a list of companies: some have few people or none, one is there twice, one has no identifier.
func newPeopleCampaign(t *testing.T, baseURL string, companies int) *peopleCampaign {
	t.Helper()
	c := &peopleCampaign{&unitCampaign{t: t, dir: t.TempDir(), baseURL: baseURL}, companies}
	c.flags = []string{
		"--state", c.in("state"), "--base-url-v2", strings.TrimSuffix(baseURL, "/api/v1") + "/v2",
		"--settle-delay", "100ms", "--rate-v2", "100000/1s", "--exclusive",
	}
	list := "Place,company_id,Phone\n"
	for i := range companies {
		list += fmt.Sprintf("\"row, %d\",%d,+1-555-%04d\n", i, 101+i, i)
	}
	list += "without,,\nagain,101,\nunknown,99999999,\n"
	if err := os.WriteFile(c.in("list.csv"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// run returns the run with a limit on the units of contacts.
func (c *peopleCampaign) run(contacts int64) *program {
	return c.program("run", c.in("list.csv"), "--name", "people", "--people", "3", "--fields", "contact", "-o", c.in("out.csv"),
		"--max-units", fmt.Sprint("contacts=", contacts), "--max-units", "email_count=1000", "--max-units", "phone_count=1000")
}

// peopleView is what the summary of a run for people says of units.
type peopleView struct {
	Search struct {
		Calls int64
		Units []struct {
			Module string
			Used   int64
		}
	} `json:"people_search"`
	Posts int64
	Stop  *string
}

// view returns the summary of a run.
func (c *peopleCampaign) view(run *process) (view peopleView) {
	c.t.Helper()
	if err := json.Unmarshal(run.stdout.Bytes(), &view); err != nil {
		c.t.Fatalf("%v\n%s%s", err, run.stdout.String(), run.stderr.String())
	}
	return view
}

// planned returns how many units of each module the plan allows at most.
func (c *peopleCampaign) planned(stdout []byte) map[string]int64 {
	c.t.Helper()
	var plan struct {
		Together []struct {
			Module string
			Most   int64
		} `json:"units_at_most"`
	}
	if err := json.Unmarshal(stdout, &plan); err != nil {
		c.t.Fatalf("%v\n%s", err, stdout)
	}
	most := map[string]int64{}
	for _, one := range plan.Together {
		most[one.Module] = one.Most
	}
	return most
}

// plan plans the run.
func (c *peopleCampaign) plan() map[string]int64 {
	c.t.Helper()
	p := c.program("plan", c.in("list.csv"), "--name", "people", "--people", "3", "--fields", "contact")
	p.args = slices.DeleteFunc(p.args, func(arg string) bool { return arg == "--yes" })
	return c.planned(p.runToEnd(exitDone).stdout.Bytes())
}

// write writes the output of the run to again.csv, from the journal.
func (c *peopleCampaign) write() {
	c.t.Helper()
	write := &program{t: c.t, dir: c.dir, baseURL: c.baseURL, v2Key: sandboxv2.DefaultKey, args: []string{
		"write", "people", "-o", c.in("again.csv"), "--state", c.in("state"), "--base-url-v2", strings.TrimSuffix(c.baseURL, "/api/v1") + "/v2",
	}}
	write.runToEnd(exitDone, exitDoubt)
}

// checkWritten writes the output of the run again. It is the same, byte for byte.
func (c *peopleCampaign) checkWritten() {
	c.t.Helper()
	c.write()
	want, err := os.ReadFile(c.in("out.csv"))
	if err != nil {
		c.t.Fatal(err)
	}
	if again, err := os.ReadFile(c.in("again.csv")); err != nil || !bytes.Equal(again, want) {
		c.t.Errorf("write made another output (%v):\n%s\nwant\n%s", err, again, want)
	}
}

// rows returns the rows of the output. Every row of the list is in it, in its order, with its own cells.
func (c *peopleCampaign) rows() []map[string]string {
	c.t.Helper()
	rows, places := csvRows(c.t, c.in("out.csv")), []string{}
	for _, row := range rows {
		if len(places) == 0 || places[len(places)-1] != row["Place"] {
			places = append(places, row["Place"])
		}
	}
	var want []string
	for i := range c.companies {
		want = append(want, fmt.Sprint("row, ", i))
	}
	if want = append(want, "without", "again", "unknown"); !slices.Equal(places, want) {
		c.t.Errorf("the output has the rows %q of the list, want %q", places, want)
	}
	return rows
}

// checkPeopleOnce checks that nothing was counted twice, and returns what was counted.
func checkPeopleOnce(t *testing.T, records []kit.UnitRecord) map[string]int64 {
	t.Helper()
	seen, used := map[string]bool{}, map[string]int64{}
	for _, r := range records {
		used[string(r.Module)] += r.Units
		used["email_count"] += r.Emails
		used["phone_count"] += r.Phones
		if call := r.Path + " " + r.About; r.Units > 0 && seen[call] {
			t.Errorf("%s was counted twice", call)
		} else if r.Units > 0 {
			seen[call] = true
		}
	}
	return used
}

// TestKillsOfARunForPeopleBuyNothingTwice kills a run for people of companies at random moments of both its parts, while
// the service loses responses. The same command again buys no page and no contact twice, all rows are as in an undisturbed
// run but for what was lost, and the plan allowed what was used.
func TestKillsOfARunForPeopleBuyNothingTwice(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	const companies, limit = 24, 400
	service := startService(t, serviceSeed, "--rate-v2", "100000/1s", "--fault", "lost-before:p=0.02", "--fault", "lost-after:p=0.02")
	settled := service.finishing(t)
	c := newPeopleCampaign(t, service.listen(t), companies)
	most := c.plan()
	draw := rand.New(rand.NewPCG(*peopleSeed, 0))
	kills := 0
	for ; kills < *peopleKills; kills++ {
		if code := c.run(limit).killOn(service.atRequest(4+draw.Int64N(20), draw.IntN(2) == 0)); code != -1 {
			break
		}
		settled()
	}
	service.watch.Store(nil)
	c.run(limit).runToEnd(exitDone, exitDoubt)
	last := c.view(c.run(limit).runToEnd(exitDone, exitDoubt))
	c.checkWritten()
	service.end(t)
	if kills < min(5, *peopleKills) {
		t.Fatalf("seed %d: it was killed %d times only", *peopleSeed, kills)
	}
	records := recordsOf(t, service.ledger+".v2")
	lost := c.checkJournal(records)
	used := checkPeopleOnce(t, records)
	t.Logf("seed %d: %d kills, %d calls, %d of them lost, %v of %v", *peopleSeed, kills, len(records), lost, used, most)
	for module, n := range used {
		if n > most[module] {
			t.Errorf("%d units of %s were counted, and the plan said at most %d", n, module, most[module])
		}
	}
	if last.Posts != 0 || last.Search.Calls != 0 {
		t.Errorf("a run with nothing left sent %d lookups and %d pages", last.Posts, last.Search.Calls)
	}

	calm := startService(t, serviceSeed, "--rate-v2", "100000/1s")
	undisturbed := newPeopleCampaign(t, calm.listen(t), companies)
	undisturbed.run(limit).runToEnd(exitDone)
	want, got := map[string]map[string]string{}, c.rows()
	for _, row := range undisturbed.rows() {
		want[row["Place"]+" "+row["contact_id"]] = row
	}
	missing := len(want)
	for _, row := range got {
		other, known := want[row["Place"]+" "+row["contact_id"]]
		if !known {
			if state := row["people_search"]; row["contact_id"] != "" || state != "in_doubt" && state != "forfeited" {
				t.Errorf("row %v is not in the undisturbed run", row)
			}
			continue
		}
		missing--
		lacks := []string{"in_doubt", "forfeited"}
		if status := row["enrich_status"]; slices.Contains(lacks, status) || status == "duplicate" || slices.Contains(lacks, row["people_search"]) {
			continue
		}
		for _, column := range []string{"full_name", "company_Phone", "email", "phone", "enrich_status", "people_search"} {
			if row[column] != other[column] {
				t.Errorf("%s %s: %s is %q, want %q", row["Place"], row["contact_id"], column, row[column], other[column])
			}
		}
	}
	if missing > 3*lost+3 {
		t.Errorf("%d rows of %d are missing, and %d calls were lost", missing, len(want), lost)
	}
}

// TestARunForPeopleHasOneCeiling gives a run for people of companies a limit that ends it among the pages, then one that ends
// it among the contacts, then one that it does not reach. No limit is passed by both parts together, nothing is bought twice,
// and the columns of units add up to what the run has used.
func TestARunForPeopleHasOneCeiling(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	const companies = 12
	service := startService(t, serviceSeed, "--rate-v2", "100000/1s")
	c := newPeopleCampaign(t, service.listen(t), companies)
	most := c.plan()
	if want := int64(companies+1) * (1 + 3); most["contacts"] != want {
		t.Errorf("the plan says at most %d units of contacts, want %d", most["contacts"], want)
	}
	for _, step := range []struct {
		limit    int64
		code     int
		used     int64 // 0 for less than the limit
		searched bool
	}{
		{5, exitCeiling, 5, false},
		{20, exitCeiling, 20, true},
		{most["contacts"], exitDone, 0, true},
	} {
		view := c.view(c.run(step.limit).runToEnd(step.code))
		c.checkWritten()
		sum, open := int64(0), 0
		for _, row := range c.rows() {
			for _, column := range []string{"enrich_units_search", "enrich_units_contacts"} {
				units, _ := strconv.ParseInt(row[column], 10, 64)
				sum += units
			}
			if row["people_search"] == "not_attempted" {
				open++
			}
		}
		if sum > step.limit || step.used > 0 && sum != step.used {
			t.Errorf("limit %d: the rows have %d units, want %d", step.limit, sum, step.used)
		}
		if open == 0 != step.searched || (view.Stop == nil) != (step.code == exitDone) {
			t.Errorf("limit %d: %d companies were not searched, stop %v", step.limit, open, view.Stop)
		}
		if after := c.plan(); step.code == exitDone && len(after) > 0 && after["contacts"] > 0 {
			t.Errorf("limit %d: the plan still has %v", step.limit, after)
		} else if step.code == exitCeiling && after["contacts"]+sum > most["contacts"] {
			t.Errorf("limit %d: after %d units the plan has %d, and it had %d before", step.limit, sum, after["contacts"], most["contacts"])
		}
		if step.code == exitDone {
			service.end(t)
			records := recordsOf(t, service.ledger+".v2")
			c.checkJournal(records)
			used := checkPeopleOnce(t, records)
			if used["contacts"] != sum || used["contacts"] > most["contacts"] || used["email_count"] > most["email_count"] {
				t.Errorf("the service counted %v, the rows have %d, and the plan said %v", used, sum, most)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(c.dir, "out.csv.~1")); err == nil {
		t.Error("an output was kept, as if the next one had lost values")
	}
}

// TestKillsOfARunForPeoplePassNoCeiling kills a run for people of companies whose limit both parts reach together. The units
// of all starts stay within the limit, those of lost responses too.
func TestKillsOfARunForPeoplePassNoCeiling(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	const companies, limit = 16, 30 // 17 pages, and more than 13 people
	service := startService(t, serviceSeed, "--rate-v2", "100000/1s", "--fault", "lost-before:p=0.02", "--fault", "lost-after:p=0.02")
	settled := service.finishing(t)
	c := newPeopleCampaign(t, service.listen(t), companies)
	draw := rand.New(rand.NewPCG(*peopleSeed, 1))
	kills := 0
	for ; kills < *peopleKills; kills++ {
		if code := c.run(limit).killOn(service.atRequest(4+draw.Int64N(16), draw.IntN(2) == 0)); code != -1 {
			break
		}
		settled()
	}
	service.watch.Store(nil)
	c.run(limit).runToEnd(exitCeiling)
	c.checkWritten()
	c.rows()
	service.end(t)
	records := recordsOf(t, service.ledger+".v2")
	lost := c.checkJournal(records)
	used := checkPeopleOnce(t, records)
	t.Logf("seed %d: %d kills, %d calls, %d of them lost, %v", *peopleSeed, kills, len(records), lost, used)
	if kills < min(3, *peopleKills) || used["contacts"] > limit || used["contacts"] < limit-int64(lost) {
		t.Errorf("seed %d: %d kills, %d units of contacts were counted, and the limit is %d", *peopleSeed, kills, used["contacts"], limit)
	}
}

// TestAnInterruptWhilePagesAreSentSaysWhatWasSent interrupts a run for people of companies while it asks for pages. The
// message says that calls were sent, write writes what is known, and the same command resumes the run.
func TestAnInterruptWhilePagesAreSentSaysWhatWasSent(t *testing.T) {
	t.Parallel()
	service := startService(t, serviceSeed, "--rate-v2", "100000/1s")
	c := newPeopleCampaign(t, service.listen(t), 24)
	reached, release := service.hold(t, 12)
	run := c.run(400).start()
	receive(t, reached, "no twelfth request")
	run.Process.Signal(os.Interrupt)
	run.stderr.await(t, "interrupted: waiting for the calls in flight")
	close(release)
	if code, said := run.end(), run.stdout.String(); code != exitInterrupted ||
		!strings.Contains(said, "for pages of the search; their answers are in the journal") {
		t.Errorf("exit code %d: %s", code, said)
	}
	service.watch.Store(nil)
	c.write()
	known := 0
	for _, row := range csvRows(t, c.in("again.csv")) {
		if row["people_search"] == "found" {
			known++
		}
	}
	if known == 0 {
		t.Error("write shows none of the people on the pages")
	}
	c.run(400).runToEnd(exitDone)
	c.checkWritten()
}
