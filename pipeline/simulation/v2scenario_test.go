package simulation

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/sandbox/kit"
	worlds "payonce/io/sandbox/world"
	v2units "payonce/io/service/v2"
	"payonce/pipeline/provider"
)

// v2Scenario is all that a seed decides beforehand about a run that asks v2, alone or before v1.
type v2Scenario struct {
	Seed    uint64
	Wanted  provider.Wanted
	Subject enrich.Subject // of the list
	Totals  map[kit.Module]int64
	// Used is what others have used of each module before. Resets are how many times the counters begin again, and Eager
	// says that others then use the account as fast as one key can.
	Used   map[kit.Module]int64
	Resets int
	Eager  bool
	// Modules are those that count the calls of routes, where they are not the assumed ones.
	Modules  map[string]kit.Module
	Daily    map[kit.Module]int64
	Window   sandbox.Window // of each interface
	Faults   []string
	Ceilings []cost.Ceiling // on units, until the calm
	MaxSpend cost.Money     // with v1
	Starts   []stepsStart
	Dawn     time.Duration
	// Others are how many times somebody else uses the account of v2. Exclusive declares that nobody does.
	Others      int
	Exclusive   bool
	Concurrency int
	Sparing     bool // no more calls are in flight than the rate needs

	list                []byte
	commitTime, service span
	Fallback            bool // subjects that are not found are asked for by their other identities
	Named               bool // persons have several identities
	Several             bool // companies come several times, under different identities
}

// v2Runs are what the runs of these worlds ask for.
func v2Runs() []v2Scenario {
	wanted := func(subject enrich.Subject, from string, fields ...string) v2Scenario {
		s := v2Scenario{Subject: subject, Wanted: provider.Wanted{Fields: fields}}
		if from != "" {
			s.Wanted.From = strings.Split(from, ",")
		}
		return s
	}
	return []v2Scenario{
		wanted(enrich.Companies, "", "company", "financials", "insights", "ownership"),
		wanted(enrich.Companies, "", "company", "financials"),
		wanted(enrich.Companies, "", "financials", "ownership"),
		wanted(enrich.Persons, "", "contact"),
		wanted(enrich.Persons, "", "contact", "company"),
		wanted(enrich.Persons, "v2,v1", "email", "phone"),
		wanted(enrich.Persons, "v2,v1", "email"),
	}
}

// newV2Scenario draws the world of a seed.
func newV2Scenario(seed uint64) v2Scenario {
	d := draws(seed)
	r := d.of("v2")
	s := v2Runs()[r.IntN(len(v2Runs()))]
	s.Seed, s.Concurrency, s.Sparing, s.Exclusive = seed, 1+r.IntN(6), r.IntN(2) == 0, r.IntN(2) == 0
	s.Window = sandbox.Window{Limit: 2 + r.IntN(10), Per: time.Minute}
	s.commitTime = span{50 * time.Microsecond, time.Duration(1+r.IntN(30)) * time.Millisecond}
	s.service = span{time.Millisecond, time.Duration(10+r.IntN(3000)) * time.Millisecond}
	s.MaxSpend = ample
	s.drawModules(d.of("modules"))
	s.drawCounters(d.of("counters"))
	s.Faults = drawV2Faults(d.of("faults"))
	s.Starts = drawV2Starts(d.of("starts"))
	if r.IntN(3) == 0 { // a day ends in the middle
		s.Dawn = 24*time.Hour - span{0, 5 * time.Minute}.draw(r)
	}
	if !s.Exclusive && r.IntN(3) == 0 {
		s.Others = 1 + r.IntN(6)
	}
	s.Fallback = s.Subject == enrich.Companies && d.of("fallback").IntN(2) == 0
	s.Named = s.Subject == enrich.Persons && d.of("named").IntN(2) == 0
	s.Fallback = s.Fallback || s.Named && d.of("fallback").IntN(4) > 0
	s.Several = s.Subject == enrich.Companies && s.Wanted.Fields[0] == "company" && d.of("several").IntN(2) == 0
	s.list = s.drawList(d.of("list"))
	return s
}

// drawModules draws the limits of the account, and the ceilings of the user.
func (s *v2Scenario) drawModules(r *rand.Rand) {
	s.Totals, s.Daily = map[kit.Module]int64{}, map[kit.Module]int64{}
	for _, m := range kit.Modules() {
		s.Totals[m] = 10_000
		if r.IntN(10) == 0 {
			s.Totals[m] = r.Int64N(8)
		}
		if r.IntN(5) == 0 {
			s.Daily[m] = r.Int64N(8)
		}
	}
	tariff := v2units.Modules{}.Tariff()
	for m := range tariff.Meters {
		if meter := cost.Meter(m); meter != cost.USD && r.IntN(4) == 0 {
			scope := []cost.Ceiling{
				{Scope: checkpoint.RunScope(runName)}, {Scope: checkpoint.JobScope(jobName), Period: cost.Day}, {Scope: checkpoint.JobScope(jobName), Period: cost.Month},
			}[r.IntN(3)]
			scope.Name, scope.Meter, scope.Limit = tariff.Meters[m].Name, meter, r.Int64N(10)
			s.Ceilings = append(s.Ceilings, scope)
		}
	}
	if r.IntN(4) == 0 {
		s.MaxSpend = cost.Cents(r.Int64N(300))
	}
}

// drawCounters draws what the counters show at first, how often they begin again, and the modules of a service that
// counts otherwise than is assumed.
func (s *v2Scenario) drawCounters(r *rand.Rand) {
	s.Used = map[kit.Module]int64{}
	if r.IntN(3) > 0 {
		for _, m := range assumedModules() {
			if _, limited := s.Daily[m]; limited {
				continue // what was used counts for the day
			}
			s.Used[m] = []int64{0, r.Int64N(4), r.Int64N(40), 50_000}[r.IntN(4)]
			s.Totals[m] += s.Used[m]
		}
	}
	if r.IntN(3) == 0 {
		s.Resets, s.Eager = 1+r.IntN(4), r.IntN(2) == 0 && !s.Exclusive
	}
	if r.IntN(4) > 0 {
		return
	}
	s.Modules, s.Daily = map[string]kit.Module{}, nil
	for _, m := range assumedModules() {
		s.Totals[m] = 100_000 // limits are those of other modules than the program knows
	}
	for _, route := range slices.Sorted(maps.Keys(routes())) {
		if r.IntN(3) == 0 {
			s.Modules[route] = assumedModules()[r.IntN(len(assumedModules()))]
		}
	}
}

// assumedModules are the modules that the calls of these worlds count on.
func assumedModules() []kit.Module {
	return []kit.Module{kit.Companies, kit.Contacts, kit.Financials, kit.Insights, kit.Ownership}
}

// drawV2Faults chooses what goes wrong, in the words of the sandbox.
func drawV2Faults(r *rand.Rand) []string {
	menu := []string{
		"lost-before:p=%.2f", "lost-after:p=%.2f", "hang:p=%.2f,max=2", "hang:happened=true,p=%.2f,max=2", "truncated:p=%.2f",
		"garbage:happened=true,p=%.2f", "proxy-page:happened=true,p=%.2f", "no-body:happened=true,status=504,p=%.2f",
		"internal_error:p=%.2f", "rate_limited:p=%.2f", "rate_limited:p=%.2f,retry-after=90s", "slow:p=%.2f,delay=30s",
		"lost-after:p=%.2f,delay=20s",
		"gateway-json:p=%.2f,path=/v2/", "gateway-json:happened=true,p=%.2f,path=/v2/", "gateway-json:happened=true,status=400,p=%.2f,path=/v2/",
		"gateway-json:happened=true,status=200,p=%.2f,path=/v2/", "gateway-json:status=404,p=%.2f,path=/v2/",
		"gateway-json:happened=true,status=404,p=%.2f,path=/v2/", "byte-order-mark:p=%.2f",
	}
	var faults []string
	for range r.IntN(5) {
		faults = append(faults, fmt.Sprintf(menu[r.IntN(len(menu))], 0.01+r.Float64()*r.Float64()*0.5))
	}
	return faults
}

func drawV2Starts(r *rand.Rand) (starts []stepsStart) {
	for range r.IntN(5) {
		starts = append(starts, stepsStart{
			Ending: []ending{toTheEnd, crash, crash, crash, interrupt, diskFailure}[r.IntN(6)],
			At:     1 + r.IntN(1<<(2+r.IntN(7))),
			Down:   span{time.Millisecond, []time.Duration{10 * time.Millisecond, time.Second, 90 * time.Second}[r.IntN(3)]}.draw(r),
		})
	}
	return starts
}

// drawList returns a list of companies or of persons. Some are unknown, some come twice, and some persons have an
// email already.
func (s *v2Scenario) drawList(r *rand.Rand) []byte {
	config := s.sandboxConfig()
	w := worlds.World{People: worlds.People{Seed: config.Seed, MatchRates: config.MatchRates, UnknownRate: config.UnknownRate}}
	header, rows := "company id,website\n", []string{}
	most := 1 + r.IntN(1<<(2+r.IntN(3)))
	byID := r.IntN(2) == 0 || len(s.Wanted.Fields) > 0 && s.Wanted.Fields[0] != "company"
	if s.Named {
		return s.drawNamed(w, most)
	}
	if s.Subject == enrich.Persons {
		header = "profile url,email,phone\n"
		for n := range most {
			profile := fmt.Sprintf("https://pro.example/in/person-%d", n)
			if company, _ := w.ByID(fmt.Sprint(n + 1)); n%8 != 7 { // v2 does not know the others
				employee, _ := w.Employee(company, n%company.Staff())
				profile = employee.Profile()
			}
			row := fmt.Sprintf("%s,%s,\n", profile, []string{"", "", "", "own@list.example"}[r.IntN(4)])
			rows = append(rows, strings.Repeat(row, 1+r.IntN(8)/7))
		}
		return []byte(header + strings.Join(rows, ""))
	}
	for company := range w.Listed() {
		if len(rows) >= most {
			break
		}
		row := fmt.Sprintf(",%s\n", company.Website())
		if byID {
			row = fmt.Sprintf("%s,\n", company.ID())
		}
		if s.Fallback {
			row = s.drawIdentities(draws(s.Seed).of(fmt.Sprint("identities ", len(rows))), company.ID(), company.Website())
		}
		if s.Several {
			rows = append(rows, s.drawSeveral(draws(s.Seed).of(fmt.Sprint("several ", len(rows))), company)...)
			continue
		}
		rows = append(rows, strings.Repeat(row, 1+r.IntN(8)/7))
	}
	if s.Several {
		draws(s.Seed).of("shuffle").Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		return []byte("company id,website,country,number,vat number\n" + strings.Join(rows, ""))
	}
	return []byte(header + strings.Join(rows, "") + []string{"", "99999,\n"}[r.IntN(2)]) // one by its id
}

// drawNamed returns a list of persons with profiles, emails, names and companies, of which some are unknown or those of
// others.
func (s *v2Scenario) drawNamed(w worlds.World, most int) []byte {
	rows := []string{"profile url,email,phone,first name,last name,domain,company\n"}
	person := func(n int) worlds.Employee {
		company, _ := w.ByID(fmt.Sprint(n + 1))
		employee, _ := w.Employee(company, n%company.Staff())
		return employee
	}
	for n := range most {
		r := draws(s.Seed).of(fmt.Sprint("named ", n))
		e, other := person(n), person(r.IntN(most+1))
		profile := []string{"", e.Profile(), e.Profile(), e.Profile() + "7", other.Profile(), "https://pro.example/in/nobody"}[r.IntN(6)]
		email := []string{"", "", e.Email(), other.Email(), fmt.Sprintf("nobody-%d@list.example", n)}[r.IntN(5)]
		domain := []string{"", e.Company.Domain(), e.Company.Domain(), other.Company.Domain(), fmt.Sprintf("unknown-%d.example", n)}[r.IntN(5)]
		first, last := e.First, e.Last
		if r.IntN(6) == 0 {
			first, last = "", ""
		}
		row := fmt.Sprintf("%s,%s,,%s,%s,%s,%s\n", profile, email, first, last, domain, e.Company.Name())
		rows = append(rows, strings.Repeat(row, 1+r.IntN(8)/7))
	}
	return []byte(strings.Join(rows, ""))
}

// drawSeveral returns rows that name a company in different ways. A number of the US is that of a state, which answers
// do not name. A website with a wrong id is not among them: it may be that of another company, and is asked.
func (s *v2Scenario) drawSeveral(r *rand.Rand, company worlds.Company) (rows []string) {
	country, wrong := company.Country().Code, ""
	if s.Fallback && r.IntN(4) == 0 {
		wrong = fmt.Sprintf("9999%d", r.IntN(3))
	}
	rows = []string{company.ID() + ",,,,\n", "," + company.Website() + ",,,\n"}
	if country != "US" {
		rows = append(rows, fmt.Sprintf("%s,,%s,%s,\n", wrong, country, company.Registration()))
		if company.VAT() != "" {
			rows = append(rows, fmt.Sprintf(",,%s,,%s\n", country, company.VAT()))
		}
	}
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows[:1+r.IntN(len(rows))]
}

// drawIdentities returns a row with two identities of a company, of which some are unknown.
func (s *v2Scenario) drawIdentities(r *rand.Rand, id, website string) string {
	switch r.IntN(6) {
	case 0:
		return fmt.Sprintf(",%s\n", website)
	case 1:
		return fmt.Sprintf("%s,%s\n", id, website)
	case 2:
		return fmt.Sprintf("9999%d,%s\n", r.IntN(3), website)
	case 3:
		return fmt.Sprintf("9999%d,unknown-%d.example\n", r.IntN(3), r.IntN(3))
	default: // the website is asked first
		return fmt.Sprintf("%s,unknown-%d.example\n", id, r.IntN(3))
	}
}

// listOf returns a list of companies: some have an id, then some a website, then some a website that nobody has and an
// id.
func (s *v2Scenario) listOf(ids, websites, both int) []byte {
	config := s.sandboxConfig()
	w := worlds.World{People: worlds.People{Seed: config.Seed, MatchRates: config.MatchRates, UnknownRate: config.UnknownRate}}
	list, rows := "company id,website\n", 0
	for company := range w.Listed() {
		switch rows++; {
		case rows <= ids:
			list += company.ID() + ",\n"
		case rows <= ids+websites:
			list += "," + company.Website() + "\n"
		case rows <= ids+websites+both:
			list += fmt.Sprintf("%s,unknown-%d.example\n", company.ID(), rows)
		default:
			return []byte(list)
		}
	}
	return []byte(list)
}

// sandboxConfig returns the service of the world.
func (s *v2Scenario) sandboxConfig() sandbox.Config {
	config := sandbox.DefaultConfig()
	config.Seed, config.Window, config.Prices, config.PrepaidCents = s.Seed, s.Window, v1Prices(), 100_000
	config.Plan, config.IncludedCents, config.Free = "payg", 0, enrich.ByField[int64]{}
	config.Latency = sandbox.Latency{Min: s.service.least, Max: s.service.most}
	config.V2.Window.Limit, config.V2.Window.Per = s.Window.Limit, s.Window.Per
	config.V2.Totals, config.V2.Daily, config.V2.Modules = s.Totals, s.Daily, s.Modules
	for _, text := range s.Faults {
		fault, err := sandbox.ParseFault(text)
		if err != nil {
			panic(err)
		}
		config.Faults = append(config.Faults, fault)
	}
	return config
}

func v1Prices() cost.Prices { return scenario{}.prices() }

// undisturbed returns the scenario with nothing that goes wrong and without limits.
func (s v2Scenario) undisturbed() v2Scenario {
	s.Faults, s.Starts, s.Ceilings, s.Daily, s.Others, s.Dawn, s.MaxSpend = nil, nil, nil, nil, 0, 0, ample
	s.Used, s.Resets, s.Modules = nil, 0, nil
	s.Totals = map[kit.Module]int64{}
	for _, m := range kit.Modules() {
		s.Totals[m] = 10_000
	}
	return s
}
