package simulation

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// stepsScenario is all that a seed decides beforehand about a run of several steps on several accounts.
type stepsScenario struct {
	Seed        uint64
	Accounts    []accountScenario
	Steps       []stepScenario
	Starts      []stepsStart
	Ceilings    []cost.Ceiling // of all accounts, until the calm
	Concurrency int
	Persons     int

	list       []byte
	commitTime span
}

// accountScenario is one account. The first is that of v1, and those without units are of other services
// with its interface.
type accountScenario struct {
	Counts    bool // calls and files of a made-up interface, and no money
	Window    checkpoint.Rate
	Free      enrich.ByField[int64] // units of the allowance
	Balance   cost.Money
	Allotted  cost.Amounts // of the meters of the made-up interface
	Exclusive bool         // the user declares that nobody else uses it
	Others    int          // how many times somebody else does
	Ceilings  []cost.Ceiling
	Sparing   bool // no more calls are in flight than the rate needs
	Known     float64
	// What goes wrong with a call until the calm.
	LostBefore, LostAfter, Busy, Slow, Invalid float64
	// Limited is how often the limit of files is reached, on an account that counts them.
	Limited float64

	latency span
}

// stepScenario is one step.
type stepScenario struct {
	Account int
	Wanted  enrich.Fields
}

// stepsStart is one start of the program.
type stepsStart struct {
	Ending ending
	At     int
	Down   time.Duration
}

// The meters of the made-up interface.
const (
	meterCalls cost.Meter = 1
	meterFiles cost.Meter = 2
)

// countingTariff is that of the made-up interface. Each value consumes a call, and a phone up to two files,
// which the interface reports.
func countingTariff() (t cost.Tariff) {
	t.Meters = []cost.MeterInfo{{Name: "usd", Hidden: true}, {Name: "calls"}, {Name: "files"}}
	for f := range v1.AllFields.Each() {
		t.Rates[f].Uses[meterCalls] = 1
	}
	t.Rates[v1.BusinessPhone].Uses[meterFiles] = 2
	t.Rates[v1.BusinessPhone].Varies = cost.MetersOf(meterFiles)
	return t
}

// catalogue returns the fields of the account. They have the names of those of v1, so that all accounts fill
// the same columns.
func (a accountScenario) catalogue() enrich.Catalogue {
	c := v1.Catalogue()
	if a.Counts {
		c.Interface = "counting"
	}
	return c
}

func (a accountScenario) tariff() cost.Tariff {
	if a.Counts {
		return countingTariff()
	}
	return v1.Tariff()
}

func (a accountScenario) rates() cost.Rates {
	if a.Counts {
		return a.tariff().At(cost.Prices{v1.WorkEmail: 0, v1.BusinessPhone: 0})
	}
	return a.tariff().At(cost.Prices{v1.WorkEmail: 15 * cost.Cent, v1.BusinessPhone: 25 * cost.Cent})
}

// spacing returns the mean time between two calls at the account's rate, as Little's law needs it.
func (a accountScenario) spacing() time.Duration {
	if !a.Sparing {
		return 0
	}
	return a.Window.Window / time.Duration(a.Window.Slots)
}

// newStepsScenario draws the world of a seed.
func newStepsScenario(seed uint64) stepsScenario {
	d := draws(seed)
	r := d.of("steps")
	s := stepsScenario{
		Seed: seed, Concurrency: 1 + r.IntN(6), Persons: 1 + r.IntN(1<<(2+r.IntN(3))),
		commitTime: span{50 * time.Microsecond, time.Duration(1+r.IntN(30)) * time.Millisecond},
	}
	for n := range 1 + min(2, r.IntN(4)) {
		s.Accounts = append(s.Accounts, drawAccountScenario(d.of("account", n), n))
	}
	for n := range 1 + r.IntN(3) {
		step := stepScenario{Account: r.IntN(len(s.Accounts)), Wanted: v1.AllFields}
		if n < len(s.Accounts) && r.IntN(4) > 0 {
			step.Account = n // a waterfall
		}
		if r.IntN(3) == 0 {
			step.Wanted = enrich.FieldsOf(enrich.Field(r.IntN(2)))
		}
		s.Steps = append(s.Steps, step)
	}
	s.Ceilings = drawCommonCeilings(d.of("ceilings"))
	for range r.IntN(5) {
		s.Starts = append(s.Starts, stepsStart{
			Ending: []ending{toTheEnd, crash, crash, crash, interrupt, diskFailure}[r.IntN(6)],
			At:     1 + r.IntN(1<<(2+r.IntN(7))),
			Down:   span{time.Millisecond, []time.Duration{10 * time.Millisecond, time.Second, 90 * time.Second}[r.IntN(3)]}.draw(r),
		})
	}
	s.list = drawStepsList(d.of("list"), s.Persons)
	return s
}

func drawAccountScenario(r *rand.Rand, n int) accountScenario {
	often := func(p float64) float64 {
		if r.IntN(2) == 0 {
			return 0
		}
		return p * r.Float64()
	}
	a := accountScenario{
		Counts:  n > 0 && r.IntN(2) == 0,
		Window:  checkpoint.Rate{Slots: 1 + r.IntN(8), Window: time.Minute},
		Balance: 1000 * cost.Dollar, Allotted: cost.Amounts{meterCalls: 10_000, meterFiles: 10_000},
		Sparing: r.IntN(2) == 0, Known: r.Float64(),
		LostBefore: often(0.4), LostAfter: often(0.4), Busy: often(0.2), Slow: often(0.1), Invalid: often(0.1),
		latency: span{time.Millisecond, time.Duration(10+r.IntN(4000)) * time.Millisecond},
	}
	if a.Exclusive = r.IntN(2) == 0; !a.Exclusive && r.IntN(2) == 0 {
		a.Others = 1 + r.IntN(6)
	}
	if !a.Counts && r.IntN(3) == 0 {
		a.Free = enrich.ByField[int64]{r.Int64N(6), r.Int64N(6)}
	}
	if r.IntN(6) == 0 {
		a.Balance = cost.Cents(r.Int64N(300))
		a.Allotted = cost.Amounts{meterCalls: r.Int64N(12), meterFiles: r.Int64N(12)}
	}
	if a.Counts {
		a.Limited = often(0.1)
	}
	if a.Counts && r.IntN(2) == 0 {
		a.Ceilings = []cost.Ceiling{
			{Name: "calls", Scope: checkpoint.RunScope(runName), Meter: meterCalls, Limit: r.Int64N(20)},
			{Name: "files", Scope: checkpoint.WorkspaceScope, Period: cost.Month, Meter: meterFiles, Limit: r.Int64N(20)},
		}
	}
	return a
}

// drawCommonCeilings returns the ceilings that apply to the calls of all accounts.
func drawCommonCeilings(r *rand.Rand) (ceilings []cost.Ceiling) {
	if r.IntN(3) > 0 {
		ceilings = append(ceilings, cost.SpendCeiling("max-spend", checkpoint.RunScope(runName), cost.Cents(r.Int64N(400))))
	}
	if r.IntN(4) == 0 {
		ceilings = append(ceilings, cost.Ceiling{
			Name: "workspace's day", Scope: checkpoint.WorkspaceScope, Period: cost.Day, Limit: int64(cost.Cents(r.Int64N(500))),
		})
	}
	if r.IntN(3) == 0 {
		ceilings = append(ceilings, cost.Ceiling{
			Name: "lookups", Scope: checkpoint.RunScope(runName), Meter: cost.Lookups, Limit: r.Int64N(40),
		})
	}
	return ceilings
}

// stepsPerson returns the profile URL of a person of the list.
func stepsPerson(n int) string { return fmt.Sprintf("https://pro.example/in/p%d", n) }

// drawStepsList returns a list of persons. Some have a value already, and some come twice.
func drawStepsList(r *rand.Rand, persons int) []byte {
	var b bytes.Buffer
	b.WriteString("profile url,email,phone\n")
	for n := range persons {
		email, phone := "", ""
		if r.IntN(6) == 0 {
			email = "own@list.example"
		}
		if r.IntN(6) == 0 {
			phone = "+1 555 9999"
		}
		row := fmt.Sprintf("%s,%s,%s\n", stepsPerson(n), email, phone)
		b.WriteString(strings.Repeat(row, 1+r.IntN(8)/7))
	}
	return b.Bytes()
}
