package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/sandbox"
	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/sandbox/world"
	"payonce/io/service/v2"
)

var (
	unitKills = flag.Int("unit-kills", 10, "how often each test of units kills the program")
	unitSeed  = flag.Uint64("unit-seed", 1, "what TestKillsUseNoUnitTwice draws its moments from")
)

// insightsCeiling is the limit of units of digital insights, which the list of companies reaches.
const insightsCeiling = 6

// unitCampaign kills commands that use units: runs of companies and contacts, and searches.
type unitCampaign struct {
	t        *testing.T
	dir      string
	baseURL  string // of v1
	draw     *rand.Rand
	programs map[string]*program
	done     map[string]bool // programs that ended by themselves
	rows     int             // of the lists
	flags    []string
}

// newUnitCampaign writes the lists of a campaign against a service. Without flags nobody else uses its account, and
// its rate limit binds nothing.
func newUnitCampaign(t *testing.T, baseURL string, rows int, insights int, flags ...string) *unitCampaign {
	t.Helper()
	c := &unitCampaign{
		t: t, dir: t.TempDir(), baseURL: baseURL, draw: rand.New(rand.NewPCG(*unitSeed, 0)), done: map[string]bool{},
	}
	c.flags = []string{
		"--state", c.in("state"), "--base-url-v2", strings.TrimSuffix(baseURL, "/api/v1") + "/v2",
		"--settle-delay", "100ms",
	}
	if len(flags) == 0 {
		flags = []string{"--rate-v2", "100000/1s", "--exclusive"}
	}
	c.flags = append(c.flags, flags...)
	c.grow(rows)
	c.programs = map[string]*program{
		"companies": c.program("run", c.in("companies.csv"), "--name", "companies", "-o", c.in("companies-out.csv"),
			"--tables", c.in("tables"), "--tables-format", "csv", "--fields", "company,financials,insights,ownership",
			"--max-units", "companies=400", "--max-units", "financials=400",
			"--max-units", fmt.Sprint("digital_insights=", insights), "--max-units", "ownership=400"),
		"ids": c.program("run", c.in("ids.csv"), "--name", "ids", "-o", c.in("ids-out.csv"), "--fields", "company,financials,ownership",
			"--max-units", "companies=1000", "--max-units", "financials=1000", "--max-units", "ownership=1000"),
		"contacts": c.program("run", c.in("list.csv"), "--name", "contacts", "-o", c.in("contacts-out.csv"), "--fields", "contact",
			"--max-units", "contacts=2000", "--max-units", "email_count=2000", "--max-units", "phone_count=2000"),
		"search companies": c.program("search", "companies", "-o", c.in("found.csv"), "--max", "200", "--max-units", "companies=50"),
		"search people":    c.program("search", "people", "--seniority", "vp", "-o", c.in("people-found.csv"), "--max", "150", "--max-units", "contacts=50"),
		"search employees": c.program("search", "employees", c.in("ids.csv"), "-o", c.in("employees.csv"), "--max-units", "contacts=1000"),
		"resolve": c.program("run", c.in("companies.csv"), "--name", "resolve", "-o", c.in("resolve-out.csv"), "--fields", "company",
			"--resolve", "autocomplete", "--max-units", "companies=400"),
		"names": c.program("run", c.in("companies.csv"), "--name", "names", "-o", c.in("names-out.csv"), "--fields", "insights",
			"--max-units", "companies=400", "--max-units", fmt.Sprint("digital_insights=", namesInsights)),
		"owners": c.program("run", c.in("companies.csv"), "--name", "owners", "-o", c.in("owners-out.csv"), "--fields", "ownership",
			"--max-units", "companies=400", "--max-units", "ownership=400"),
		"profiles": c.program("run", c.in("profiles.csv"), "--name", "profiles", "-o", c.in("profiles-out.csv"), "--fields", "company",
			"--max-units", "companies=100"),
		"numbers": c.program("run", c.in("numbers.csv"), "--name", "numbers", "-o", c.in("numbers-out.csv"), "--fields", "company",
			"--max-units", "companies=100"),
		// No limit that the run reaches: which rows get the last units would depend on the lost calls.
		"people": c.program("run", c.in("people.csv"), "--name", "people", "-o", c.in("people-out.csv"), "--fields", "contact",
			"--max-units", "contacts=400", "--max-units", "email_count=400", "--max-units", "phone_count=400"),
	}
	c.writeProfiles()
	return c
}

// serviceSeed is the seed of the services. The numbers of companies follow from it.
const serviceSeed = 1

// namesInsights is the limit of units of digital insights of the run that searches for companies by name.
const namesInsights = 4

// writeProfiles writes lists of companies by their profiles and by numbers that are in no other list, and of persons by
// emails and profiles.
func (c *unitCampaign) writeProfiles() {
	c.t.Helper()
	config := sandbox.DefaultConfig()
	w := world.World{People: world.People{Seed: serviceSeed, MatchRates: config.MatchRates, UnknownRate: config.UnknownRate}}
	companies := "Company,Company LinkedIn URL\n"
	numbers := "Country,Registration number\n"
	people := "Email,LinkedIn URL\n"
	number := 0
	for company := range w.Listed() {
		if number++; number > 24 {
			break
		}
		companies += fmt.Sprintf(",%s\n", company.Profile())
		if country := company.Country().Code; country != "US" { // where the state is needed, too
			numbers += fmt.Sprintf("%s,%s\n", country, company.Registration())
		}
		people += fmt.Sprintf(",https://www.linkedin.com/in/person-%d\n", number) // v2 does not know them
		for place := range company.Staff() {
			employee, _ := w.Employee(company, place)
			people += "," + employee.Profile() + "\n"
			if place == 0 && employee.Email() != "" {
				people += employee.Email() + ",\n"
			}
		}
	}
	for name, text := range map[string]string{"profiles.csv": companies, "numbers.csv": numbers, "people.csv": people} {
		if err := os.WriteFile(c.in(name), []byte(text), 0o600); err != nil {
			c.t.Fatal(err)
		}
	}
}

// checkOperations checks that the campaign made calls of every paid operation but those that are left out.
func checkOperations(t *testing.T, records []kit.UnitRecord) {
	t.Helper()
	// No command starts a watch, or asks for a person by an id or with the operation for emails.
	leftOut := []v2.Operation{v2.OpWatchStart, v2.OpGetEmployee, v2.OpEnrichEmail}
	sent := map[v2.Operation]int{}
	for _, r := range records {
		for _, o := range v2.Operations() {
			pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(o.Path("ID")), "ID", "[^/]+") + "$"
			if o.Paid() && r.Units > 0 && regexp.MustCompile(pattern).MatchString(strings.TrimPrefix(strings.TrimPrefix(r.Path, "/v2"), "/")) {
				sent[o]++
				break
			}
		}
	}
	for _, o := range v2.Operations() {
		if isSent := o.Paid() && !slices.Contains(leftOut, o); (sent[o] > 0) != isSent {
			t.Errorf("%d calls of %s were counted, and the campaign sends it: %t", sent[o], o, isSent)
		}
	}
}

func (c *unitCampaign) in(name string) string { return filepath.Join(c.dir, name) }

// program returns a command of the campaign.
func (c *unitCampaign) program(args ...string) *program {
	args = append(append(args, "--yes", "--json", "--concurrency", "3"), c.flags...)
	return &program{t: c.t, dir: c.dir, baseURL: c.baseURL, v2Key: sandboxv2.DefaultKey, args: args}
}

// grow writes lists of companies and contacts with more rows. The list of companies that are named in every way
// has an end, those of contacts and of identifiers do not.
func (c *unitCampaign) grow(by int) {
	c.t.Helper()
	all := companiesOf(serviceSeed)
	for i := 3; i < len(all); i += 4 { // a name alone, which several companies can share
		all[i] = []string{all[i][0], "", "", "", "", "", all[i][6]}
	}
	before := c.rows
	c.rows += by
	file, err := os.Create(c.in("companies.csv"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer file.Close()
	if err := csv.NewWriter(file).WriteAll(all[:min(c.rows+1, len(all))]); err != nil {
		c.t.Fatal(err)
	}
	(&program{t: c.t, dir: c.dir}).writeList(c.rows)
	ids := "company_id\n"
	for id := range c.rows / 3 {
		ids += fmt.Sprintln(101 + id)
	}
	if err := os.WriteFile(c.in("ids.csv"), []byte(ids), 0o600); err != nil {
		c.t.Fatal(err)
	}
	for name := range c.done {
		switch name {
		case "contacts", "ids", "search employees":
			c.done[name] = false
		case "companies", "resolve", "names", "owners":
			c.done[name] = before >= len(all)-1
		}
	}
}

// strike starts one of the commands that have not ended and kills it at one of its requests. It reports
// whether it was killed.
func (c *unitCampaign) strike(tap *tap) bool {
	c.t.Helper()
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(c.programs)), func(name string) bool { return c.done[name] })
	if len(names) == 0 {
		c.grow(60)
		names = []string{"contacts", "ids"}
	}
	name := names[c.draw.IntN(len(names))]
	p := c.programs[name]
	moment := tap.atRequest(5+c.draw.Int64N(14), c.draw.IntN(2) == 0) // the first ones are free
	code := p.killOn(moment)
	tap.watch.Store(nil)
	switch code {
	case -1:
		return true
	case exitDone, exitCeiling, exitDoubt:
		c.done[name] = true
	default:
		c.t.Fatalf("%s ended with exit code %d", name, code)
	}
	return false
}

// end runs every command to its end.
func (c *unitCampaign) end() {
	c.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(c.programs)) {
		c.programs[name].runToEnd(exitDone, exitCeiling, exitDoubt)
	}
}

// TestKillsUseNoUnitTwice kills runs and searches that use units of v2 at random moments, while the service loses
// two responses in a hundred. No call is counted twice, and no ceiling is passed. The counters of the service
// are those of the journal, and what was found is what an undisturbed run finds.
func TestKillsUseNoUnitTwice(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	rate := []string{"--rate-v2", "100000/1s"}
	service := startService(t, serviceSeed, append(rate, "--fault", "lost-before:p=0.01", "--fault", "lost-after:p=0.01")...)
	settled := service.finishing(t)
	c := newUnitCampaign(t, service.listen(t), 60, insightsCeiling)
	kills, starts := 0, 0
	for ; kills < *unitKills && starts < 3**unitKills; starts++ {
		if c.strike(&service.tap) {
			kills++
		}
		settled()
	}
	c.end()
	service.end(t)
	if kills < *unitKills {
		t.Fatalf("of %d starts %d were killed, want %d", starts, kills, *unitKills)
	}
	records := recordsOf(t, service.ledger+".v2")
	lost := c.checkJournal(records)
	checkOnce(t, records)
	checkOperations(t, records)
	t.Logf("%d kills, lists of %d rows, %d calls, %d of them lost", kills, c.rows, len(records), lost)

	calm := startService(t, serviceSeed, rate...)
	undisturbed := newUnitCampaign(t, calm.listen(t), c.rows, 400)
	undisturbed.end()
	for _, table := range []string{"financials", "shareholders", "insights", "technologies", "visits"} {
		most := lost
		if table != "financials" && table != "shareholders" {
			most = c.rows // the ceiling is reached
		}
		checkTable(t, table, tableOf(t, c.in("tables"), table), tableOf(t, undisturbed.in("tables"), table), most)
	}
	for _, output := range []string{"companies-out.csv", "contacts-out.csv", "ids-out.csv", "resolve-out.csv", "profiles-out.csv", "numbers-out.csv", "people-out.csv"} {
		checkFound(t, output, csvRows(t, c.in(output)), csvRows(t, undisturbed.in(output)), lost)
	}
}

// TestKillsWithCountersThatBeginAgainUseNoUnitTwice does what TestKillsUseNoUnitTwice does, and begins a period of
// the service's counters between kills and starts. Half of the kills are on an exclusive account, and half on a
// shared one that others use after that. Nothing is counted twice, and no ceiling is passed.
func TestKillsWithCountersThatBeginAgainUseNoUnitTwice(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	for name, flags := range map[string][]string{
		"exclusive": {"--rate-v2", "100000/1s", "--exclusive"},
		"shared":    {"--rate-v2", "200/1s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := startService(t, serviceSeed, "--rate-v2", flags[1], "--admin", "127.0.0.1:0", "--fault", "lost-before:p=0.01", "--fault", "lost-after:p=0.01")
			settled := service.finishing(t)
			baseURL := service.listen(t)
			t.Cleanup(http.DefaultClient.CloseIdleConnections)
			admin := func(method, path, body string) {
				t.Helper()
				request, err := http.NewRequestWithContext(t.Context(), method, service.admin+path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Authorization", "Bearer "+adminToken)
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
				if response.StatusCode != http.StatusOK {
					t.Fatalf("%s %s: %s", method, path, response.Status)
				}
			}
			use := func(units int64) {
				for _, module := range []string{"companies", "contacts", "financials", "digital_insights", "ownership"} {
					admin("POST", "/v2/usage", fmt.Sprintf(`{"module":%q,"units":%d}`, module, units))
				}
			}
			if name == "shared" {
				use(50_000) // more than others can use in the time of the campaign
			}
			c := newUnitCampaign(t, baseURL, 60, insightsCeiling, flags...)
			kills, resets, want := 0, 0, (*unitKills+1)/2
			for starts := 0; kills < want && starts < 3*want; starts++ {
				if c.strike(&service.tap) {
					kills++
				}
				settled()
				if c.draw.IntN(2) == 0 && starts >= want/2 {
					admin("DELETE", "/v2/counters", "")
					resets++
					if name == "shared" {
						use(c.draw.Int64N(30))
					}
				}
			}
			c.end()
			service.end(t)
			if kills < want || resets == 0 {
				t.Fatalf("%d kills and %d resets, want %d kills", kills, resets, want)
			}
			records := slices.DeleteFunc(recordsOf(t, service.ledger+".v2"), func(r kit.UnitRecord) bool { return r.Number == 0 })
			lost := c.checkJournal(records)
			checkOnce(t, records)
			t.Logf("%d kills, %d resets, lists of %d rows, %d calls, %d of them lost or in doubt", kills, resets, c.rows, len(records), lost)
		})
	}
}

// finishing lets the service finish each request whose client dies, and returns a function that waits for that. A
// service that takes longer than the settle delay may count a call after the account was compared. The proxy before
// the service takes a new connection for each request: on one that the service drops it would repeat a GET.
func (s *serviceProcess) finishing(t *testing.T) (wait func()) {
	t.Helper()
	var handling sync.WaitGroup
	service, isProxy := s.service.(*httputil.ReverseProxy)
	if !isProxy {
		t.Fatalf("the service is a %T", s.service)
	}
	service.Transport = &http.Transport{DisableKeepAlives: true}
	s.service = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handling.Add(1)
		defer handling.Done()
		// Without a context that can end, the proxy ends its request when the client does.
		ctx, done := context.WithCancel(context.WithoutCancel(r.Context()))
		defer done()
		service.ServeHTTP(w, r.WithContext(ctx))
	})
	return handling.Wait
}

// recordsOf reads the ledger of a sandbox that has ended.
func recordsOf(t *testing.T, path string) []kit.UnitRecord {
	t.Helper()
	config := sandboxv2.DefaultConfig().UnitConfig
	config.Path, config.KeepRecords = path, 1_000_000
	ledger, err := kit.OpenUnitLedger(config)
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	if err := ledger.Audit(); err != nil {
		t.Error(err)
	}
	return ledger.Records()
}

// checkOnce checks that nothing was counted twice, and what was counted against the ceilings of the commands.
func checkOnce(t *testing.T, records []kit.UnitRecord) {
	t.Helper()
	seen, used := map[string]kit.UnitRecord{}, map[kit.Module]int64{}
	for _, r := range records {
		if r.Units == 0 {
			continue
		}
		call := r.Path + " " + r.About
		if first, twice := seen[call]; twice {
			t.Errorf("%s was counted twice: as call %d at %s and as call %d at %s", call, first.Number, first.At, r.Number, r.At)
		}
		seen[call] = r
		used[r.Module] += r.Units
	}
	for module, limit := range map[kit.Module]int64{
		kit.Companies: 2750, kit.Contacts: 3150, kit.Financials: 1400, kit.Insights: insightsCeiling + namesInsights,
		kit.Ownership: 1800,
	} {
		if used[module] > limit || used[module] == 0 {
			t.Errorf("%d units of %s were counted, and the ceilings allow %d", used[module], module, limit)
		}
	}
}

// checkJournal compares the journal with the ledger of the service. It returns how many calls were lost for good.
func (c *unitCampaign) checkJournal(records []kit.UnitRecord) (lost int) {
	c.t.Helper()
	counted := map[string]int64{}
	for _, r := range records {
		counted[string(r.Module)] += r.Units
		counted["email_count"] += r.Emails
		counted["phone_count"] += r.Phones
	}
	delete(counted, "")
	stdout, stderr, code := runHere(c.t, "journal", "check", "--json", "--state", c.in("state"), "--base-url-v2", c.flags[3])
	var check struct {
		Attempts map[string]int
		Problems int
	}
	if err := json.Unmarshal([]byte(stdout), &check); err != nil || code != exitDone || check.Problems > 0 {
		c.t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	dump, stderr, code := runHere(c.t, "journal", "dump", "--state", c.in("state"), "--base-url-v2", c.flags[3])
	if code != exitDone {
		c.t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for line := range strings.Lines(dump) {
		var record struct {
			Record string
			Value  struct {
				Used []int64 `json:"free_used"`
				Held []int64 `json:"free_held"`
			}
		}
		if !strings.Contains(line, `"account/1/all"`) {
			continue
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil || record.Record != "totals" {
			c.t.Fatalf("%v: %s", err, line)
		}
		for i, meter := range (v2.Modules{}).Tariff().Meters[1:] {
			var used, held int64
			if i < len(record.Value.Used) {
				used = record.Value.Used[i]
			}
			if i < len(record.Value.Held) {
				held = record.Value.Held[i]
			}
			if n := counted[meter.Name]; n < used || n > used+held {
				c.t.Errorf("%s: the service counted %d, and the journal has %d and holds %d", meter.Name, n, used, held)
			}
			delete(counted, meter.Name)
		}
	}
	if len(counted) > 0 {
		c.t.Errorf("the journal does not have %v", counted)
	}
	return check.Attempts["forfeited"] + check.Attempts["in_doubt"]
}

// tableOf returns the rows of a table by company.
func tableOf(t *testing.T, dir, name string) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	for _, row := range csvRows(t, filepath.Join(dir, name+".csv")) {
		rows[row["company_id"]] = append(rows[row["company_id"]], fmt.Sprint(row))
	}
	for _, of := range rows {
		slices.Sort(of)
	}
	return rows
}

// checkTable checks that each company has the rows of the undisturbed run, and that only companies lack them whose
// calls were lost.
func checkTable(t *testing.T, name string, got, want map[string][]string, lost int) {
	t.Helper()
	missing := 0
	for id, rows := range want {
		if len(got[id]) == 0 {
			missing++
			continue
		}
		if diff := cmp.Diff(rows, got[id]); diff != "" {
			t.Errorf("%s of company %s (-undisturbed +killed):\n%s", name, id, diff)
		}
		delete(got, id)
	}
	if len(got) > 0 || missing > lost || len(want) == 0 {
		t.Errorf("%s has %d companies that the undisturbed run has not, and lacks %d of %d; %d calls were lost", name, len(got), missing, len(want), lost)
	}
}

// checkFound checks that each row has the values of the undisturbed run, or none.
func checkFound(t *testing.T, output string, got, want []map[string]string, lost int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", output, len(got), len(want))
	}
	missing, found := 0, 0
	for i, row := range want {
		for _, column := range []string{"company_id", "company_name", "contact_id", "contact_email", "contact_phone"} {
			switch value, is := got[i][column]; {
			case !is || row[column] == "" && value == "":
			case value == "":
				missing++
			case value != row[column]:
				t.Errorf("%s: row %d: %s is %q, want %q", output, i+1, column, value, row[column])
			default:
				found++
			}
		}
	}
	if missing > 8*lost || found < len(want)/3 {
		t.Errorf("%s: %d values of %d rows are there and %d are missing, and %d calls were lost", output, found, len(want), missing, lost)
	}
}
