package simulation

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	sandboxworld "payonce/io/sandbox/world"
	"payonce/io/service/v1"
)

// scenario is all that a seed decides beforehand.
type scenario struct {
	Seed        uint64
	Wanted      enrich.Fields
	Concurrency int
	// Sparing says that no more calls are in flight than the rate needs.
	Sparing   bool
	Strict    bool
	Window    sandbox.Window
	Free      enrich.ByField[int64]
	Prepaid   int64  // cents
	Budget    *int64 // cents
	Faults    []string
	Starts    []start
	Elsewhere []cost.Money // what somebody else spends, one minute after the other
	Askers    int          // how many lookups somebody else sends
	Followers []follower   // who use the account after one of our lookups
	Deposits  []deposit
	Included  int64         // cents of a plan's balance that is renewed with the month; 0 for no plan
	Dawn      time.Duration // how long after midnight UTC all begins
	Shared    bool          // several machines work at the same time, with a database
	Strikes   []strike      // what happens to the database

	lists       [][]byte
	travel      span    // a request or a response on its way
	stalls      float64 // how many of them take up to maxStall
	service     span    // a lookup in the service
	commitTime  span
	unreachable float64
}

// spacing returns the mean time between two lookups at the service's rate, if the program
// keeps no more in flight than that needs.
func (s scenario) spacing() time.Duration {
	if !s.Sparing {
		return 0
	}
	return s.Window.Per / time.Duration(s.Window.Limit)
}

// ample is a ceiling that no list of these reaches.
const ample = 1000 * cost.Dollar

// maxStall is how long the network can keep what it was given. It is less than the
// delay after which the account counts as settled.
const maxStall = 20 * time.Second

// transfer draws how long one write takes to the other end.
func (s scenario) transfer(r *rand.Rand) time.Duration {
	if r.Float64() < s.stalls {
		return span{s.travel.least, maxStall}.draw(r)
	}
	return s.travel.draw(r)
}

func newScenario(seed uint64) scenario {
	d := draws(seed)
	r := d.of("scenario")
	free := func() int64 { return max(0, r.Int64N(10)-3) }
	s := scenario{
		Seed:        seed,
		Wanted:      []enrich.Fields{v1.AllFields, v1.AllFields, enrich.FieldsOf(v1.WorkEmail), enrich.FieldsOf(v1.BusinessPhone)}[r.IntN(4)],
		Concurrency: 1 + r.IntN(8),
		Strict:      r.IntN(6) == 0,
		Window:      sandbox.Window{Limit: 2 + r.IntN(12), Per: time.Minute},
		Free:        enrich.ByField[int64]{free(), free()},
		Prepaid:     100_000,
		travel:      span{100 * time.Microsecond, time.Duration(1+r.IntN(400)) * time.Millisecond},
		service:     span{time.Millisecond, time.Duration(10+r.IntN(3000)) * time.Millisecond},
		commitTime:  span{50 * time.Microsecond, time.Duration(1+r.IntN(30)) * time.Millisecond},
	}
	if r.IntN(4) == 0 {
		s.travel.most = 3 * time.Second
	}
	if r.IntN(3) == 0 {
		s.stalls = 0.2 * r.Float64()
	}
	if r.IntN(5) == 0 {
		s.unreachable = 0.1
	}
	if r.IntN(5) == 0 {
		s.Prepaid = r.Int64N(400)
	}
	if r.IntN(5) == 0 {
		budget := r.Int64N(500)
		s.Budget = &budget
	}
	s.Faults = drawFaults(r)
	s.lists = drawLists(r, seed)
	s.Starts = drawStarts(r, len(s.lists))
	if r.IntN(6) == 0 {
		for range 1 + r.IntN(4) {
			s.Elsewhere = append(s.Elsewhere, cost.Cents(1+r.Int64N(40)))
		}
	}
	// What follows draws for itself, so that what is above stays as it is.
	s.Sparing = d.of("sparing").IntN(2) == 0
	r = d.of("limits")
	s.Dawn = drawDawn(r, s.Budget != nil)
	for i := range s.Starts {
		if r.IntN(2) == 0 {
			s.Starts[i].Limits = drawLimits(r)
		}
	}
	if r = d.of("others"); r.IntN(4) == 0 {
		s.Askers = 1 + r.IntN(40)
		s.Free = enrich.ByField[int64]{1 + r.Int64N(7), 1 + r.Int64N(7)}
		s.Window.Limit += 10
	}
	s.drawAccount(d.of("account"))
	return s
}

// drawFaults chooses what goes wrong, in the words of the sandbox. No fault both
// charges and refuses: a service that does cannot be used at all.
func drawFaults(r *rand.Rand) []string {
	menu := []string{
		"lost-before:p=%.2f", "lost-after:p=%.2f", "hang:p=%.2f,max=3", "hang:happened=true,p=%.2f,max=3",
		"truncated:p=%.2f", "truncated:happened=false,p=%.2f", "garbage:p=%.2f", "garbage:happened=true,p=%.2f",
		"proxy-page:p=%.2f", "proxy-page:happened=true,p=%.2f", "no-body:p=%.2f", "no-body:happened=true,status=504,p=%.2f",
		"reservation_conflict:p=%.2f", "temporarily_unavailable:p=%.2f", "temporarily_unavailable:p=%.2f,retry-after=7s",
		"rate_limited:p=%.2f", "rate_limited:p=%.2f,retry-after=90s", "rate_limited:p=%.2f,retry-date=75s",
		"attempt_limit_reached:p=%.2f,max=1", "service_misconfigured:p=%.2f,max=1",
		"slow:p=%.2f,delay=30s", "slow:p=%.2f,delay=70s,max=2", "slow:p=%.2f,delay=140s,max=1",
		"lost-after:p=%.2f,delay=20s",
	}
	var faults []string
	for range r.IntN(6) {
		faults = append(faults, fmt.Sprintf(menu[r.IntN(len(menu))], 0.01+r.Float64()*r.Float64()*0.5))
	}
	return faults
}

func drawStarts(r *rand.Rand, lists int) []start {
	setBack := r.IntN(4) == 0
	tight := r.IntN(2) == 0
	var starts []start
	for range 1 + r.IntN(5) {
		s := start{
			Ending: []ending{toTheEnd, crash, crash, crash, crash, crash, interrupt, diskFailure}[r.IntN(8)],
			At:     1 + r.IntN(1<<(1+r.IntN(9))),
			Down:   span{time.Millisecond, []time.Duration{10 * time.Millisecond, time.Second, 90 * time.Second}[r.IntN(3)]}.draw(r),
			List:   r.IntN(lists), MaxSpend: ample,
		}
		if setBack && r.IntN(2) == 0 {
			s.SetBack = span{time.Second, 5 * time.Minute}.draw(r)
		}
		if tight {
			s.MaxSpend = cost.Cents(r.Int64N(300))
		}
		starts = append(starts, s)
	}
	return starts
}

// drawLists returns versions of one list: the whole, and some with rows missing.
func drawLists(r *rand.Rand, seed uint64) [][]byte {
	spec := sandboxworld.ListSpec{
		Seed: seed, Rows: 1 + r.IntN(1<<(3+r.IntN(4))), DuplicateShare: 0.15,
		ProfileShare: 0.4, WebsiteShare: 0.3, UnidentifiableShare: 0.05,
		FilledEmailShare: 0.2, FilledPhoneShare: 0.2, UnicodeShare: 0.2, QuotedNewlineShare: 0.05,
	}
	var whole bytes.Buffer
	if err := sandboxworld.WriteListCSV(&whole, spec); err != nil {
		panic(err)
	}
	versions := [][]byte{whole.Bytes()}
	for range r.IntN(3) {
		versions = append(versions, thin(r, whole.Bytes()))
	}
	return versions
}

// thin returns the list with some rows missing and the others in another order.
func thin(r *rand.Rand, list []byte) []byte {
	rows := readRows(list)
	header, rows := rows[0], rows[1:]
	r.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.WriteAll(append([][]string{header}, rows[:len(rows)-r.IntN(len(rows))]...)) // to memory
	return out.Bytes()
}

func readRows(list []byte) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(list)).ReadAll()
	if err != nil {
		panic(err)
	}
	return rows
}

func (s scenario) others() bool {
	return len(s.Elsewhere) > 0 || s.Askers > 0 || len(s.Followers) > 0
}

// takers reports whether somebody else uses free units.
func (s scenario) takers() bool {
	return s.Askers > 0 || slices.ContainsFunc(s.Followers, func(f follower) bool { return f.Asks })
}

// hides reports whether something other than spending moves the balance, so that it can
// hide what was spent.
func (s scenario) hides() bool { return len(s.Deposits) > 0 || s.Included > 0 }

// renews reports whether a month ends, with which a free allowance may be renewed.
func (s scenario) renews() bool { return s.Dawn > 30*24*time.Hour }

// exclusive reports whether the user declares the account exclusive: only of one that
// nobody else uses.
func (s scenario) exclusive() bool { return !s.others() && s.Seed%2 == 0 }

func (s scenario) prices() cost.Prices {
	return cost.Prices{v1.WorkEmail: 15 * cost.Cent, v1.BusinessPhone: 25 * cost.Cent}
}

func (s scenario) sandboxConfig() sandbox.Config {
	config := sandbox.DefaultConfig()
	config.Seed = s.Seed
	config.Latency = sandbox.Latency{Min: s.service.least, Max: s.service.most}
	config.Window = s.Window
	config.Prices = s.prices()
	config.Free = s.Free
	config.Plan = "payg"
	if s.Included > 0 {
		config.Plan = "core"
	}
	config.IncludedCents, config.PrepaidCents = s.Included, s.Prepaid
	config.BudgetCapCents = s.Budget
	for _, text := range s.Faults {
		fault, err := sandbox.ParseFault(text)
		if err != nil {
			panic(err)
		}
		config.Faults = append(config.Faults, fault)
	}
	return config
}
