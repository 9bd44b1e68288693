package inspect

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	sandboxunits "payonce/io/sandbox/kit"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/workspace"
)

// spender buys companies and contacts through the journal of a workspace. Responses are lost, and it is
// killed at any moment.
type spender struct {
	t         *testing.T
	w         *pipeline.Work
	service   *workspace.Embedded
	draw      *rand.Rand
	exclusive bool
	ceilings  []cost.Ceiling

	s       *workspace.Session
	client  *v2.Client
	journal *checkpoint.Journal
	over    int // calls that a ceiling refused
}

// start opens the journal and settles what an earlier start lost, as a run does.
func (p *spender) start() {
	p.t.Helper()
	p.s = &workspace.Session{Options: p.w.Workspace, Env: p.w.Env}
	must := func(err error) {
		p.t.Helper()
		if err != nil {
			p.t.Fatal(err)
		}
	}
	var err error
	must(p.s.OpenJournal(p.t.Context(), "run"))
	p.client, err = openSecond(p.s)
	must(err)
	p.journal, err = registerSecond(p.s)
	must(err)
	if p.journal.AwaitsAccount() {
		p.reconcile()
		return
	}
	base, err := p.client.Status(p.t.Context())
	must(err)
	must(p.journal.Rebase(base))
}

// reconcile lets the counters decide what they can.
func (p *spender) reconcile() {
	p.t.Helper()
	reconciler := dispatch.Reconciler{Arbiter: p.journal, Status: p.client, Exclusive: p.exclusive, Now: p.w.Env.Now}
	if _, err := reconciler.Reconcile(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// end closes everything. What was in flight stays so, as when the process was killed.
func (p *spender) end() {
	p.t.Helper()
	p.client.Close()
	if err := p.s.Close(); err != nil {
		p.t.Fatal(err)
	}
}

// prices returns what units cost the user.
func (p *spender) prices() v2.Prices {
	_, second, _ := provider.Of[providerv2.Provider](p.w.Workspace.Services)
	return second.Prices
}

// ask asks for one subject. It reports whether the process was killed.
func (p *spender) ask(lookup enrich.Lookup) (killed bool) {
	p.t.Helper()
	prices := p.prices()
	free := cost.Prices{}
	for f := range lookup.Fields.Each() {
		free[f] = 0
	}
	decision, err := p.journal.Begin(attempt.Request{
		Lookup: lookup, Run: "run", Job: "job", Ceilings: p.ceilings,
		Rates: prices.Rates(v2.Modules{}.Tariff().At(free)),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	granted, ok := decision.(attempt.Granted)
	if !ok {
		if _, over := decision.(attempt.Over); over {
			p.over++
		}
		return false
	}
	ticket, err := granted.Ticket()
	if err != nil {
		p.t.Fatal(err)
	}
	if p.draw.IntN(25) == 0 {
		return true // before anything was sent
	}
	finder := v2.Finder{Client: p.client, Prices: prices}
	verdict := finder.Find(p.t.Context(), lookup)
	if p.draw.IntN(25) == 0 {
		return true // before the answer was recorded
	}
	switch verdict := verdict.(type) {
	case enrich.Answered:
		_, err = p.journal.Settle(ticket.ID, verdict)
	case enrich.Lost:
		err = p.journal.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: verdict.Err.Error()})
	default:
		p.t.Fatalf("%+v", verdict)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return false
}

// lookups returns companies and contacts of the sandbox's world.
func lookups(n int) (all []enrich.Lookup) {
	for i := range n {
		all = append(all, enrich.Lookup{
			Identity: enrich.Identity{Company: enrich.Company{ID: fmt.Sprint(i + 1)}}, Fields: enrich.FieldsOf(v2.FieldCompany),
		}, enrich.Lookup{
			Identity: enrich.Identity{ProfileURL: fmt.Sprintf("https://pro.example/in/p%d", i)}, Fields: enrich.FieldsOf(v2.FieldEmail, v2.FieldPhone),
		})
	}
	return all
}

// used returns what the sandbox counted, by meter.
func used(service *workspace.Embedded) (amounts cost.Amounts) {
	for _, usage := range service.Service.Second().Units().Usage() {
		if meter, found := v2.MeterNamed(string(usage.Module)); found {
			amounts[meter] = usage.Used
		}
	}
	return amounts
}

// chargedTwice returns what the sandbox charged for more often than once.
func chargedTwice(service *workspace.Embedded) (twice []string) {
	charged := map[string]int{}
	for _, record := range service.Service.Second().Units().Records() {
		if record.Units > 0 && record.Number > 0 { // the others are of somebody else
			charged[record.Path+" "+record.About]++
		}
	}
	for about, times := range charged {
		if times > 1 {
			twice = append(twice, fmt.Sprintf("%s: %d times", about, times))
		}
	}
	return twice
}

// Calls are lost and the process is killed at any moment. Nobody pays twice for a subject, no ceiling in
// units or in converted money is passed, and on an exclusive account the ledger equals the counters.
func TestLostCallsOfV2AreSettledByItsCounters(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		for _, exclusive := range []bool{true, false} {
			t.Run(fmt.Sprintf("seed %d, exclusive %t", seed, exclusive), func(t *testing.T) {
				t.Parallel()
				settleLost(t, seed, exclusive)
			})
		}
	}
}

func settleLost(t *testing.T, seed uint64, exclusive bool) {
	w, service := served(t)
	for _, lost := range []sandbox.Fault{
		{Answer: sandbox.Dropped, Happened: true, Probability: 0.1, Path: "/v2"},
		{Answer: sandbox.Dropped, Probability: 0.1, Path: "/v2"},
	} {
		if err := service.Service.AddFault(lost); err != nil {
			t.Fatal(err)
		}
	}
	const limit, money = 20, 4 * cost.Dollar
	provider.Change(w.Workspace.Services, func(p *providerv2.Provider) {
		p.Prices = v2.Prices{v2.MeterCompanies: 5 * cost.Cent, v2.MeterContacts: 20 * cost.Cent, v2.MeterEmails: cost.Cent}
	})
	p := &spender{
		t: t, w: w, service: service, exclusive: exclusive, draw: rand.New(rand.NewPCG(seed, 2)),
		ceilings: []cost.Ceiling{
			{Name: "max-units companies", Scope: checkpoint.RunScope("run"), Meter: v2.MeterCompanies, Limit: limit},
			{Name: "monthly-units contacts", Scope: checkpoint.JobScope("job"), Period: cost.Month, Meter: v2.MeterContacts, Limit: limit},
			cost.SpendCeiling("max-spend", checkpoint.RunScope("run"), money),
		},
	}
	var others cost.Amounts
	p.start()
	for range 2 { // what was proved not to be charged is asked again
		for _, lookup := range lookups(25) {
			if p.ask(lookup) {
				p.end()
				p.start()
			}
			if !exclusive && p.draw.IntN(10) == 0 {
				if err := service.Service.Second().Units().UseElsewhere(sandboxunits.UnitCharge{Module: sandboxunits.Companies, Units: 1}); err != nil {
					t.Fatal(err)
				}
				others[v2.MeterCompanies]++
			}
			if len(p.journal.Doubts()) > 2 {
				p.reconcile()
			}
			p.check(others)
		}
		p.reconcile()
	}
	p.check(others)
	if twice := chargedTwice(service); len(twice) > 0 {
		t.Errorf("charged twice: %v", twice)
	}
	ours := used(service).Minus(others)
	totals := p.journal.Totals(p.journal.Number().Scope(checkpoint.RunScope("run")))
	for _, meter := range []cost.Meter{v2.MeterCompanies, v2.MeterContacts} {
		if booked := totals.Settled[meter]; exclusive && booked+totals.Held[meter] < ours[meter] || booked > ours[meter] {
			t.Errorf("%s: the counter has %d of this journal, and %d are booked, %d held", v2.MeterName(meter), ours[meter], booked, totals.Held[meter])
		}
	}
	if p.over == 0 {
		t.Error("no ceiling was reached")
	}
	p.end()
}

// check compares what was used with the ceilings.
func (p *spender) check(others cost.Amounts) {
	p.t.Helper()
	ours := used(p.service).Minus(others)
	for _, ceiling := range p.ceilings {
		spent := ours[ceiling.Meter]
		if ceiling.Meter == cost.USD {
			emails, _ := p.service.Service.Second().Units().Found(time.Time{}, time.Now().Add(time.Hour))
			ours[v2.MeterEmails] = emails
			spent = int64(p.prices().Of(ours))
		}
		if spent > ceiling.Limit {
			p.t.Fatalf("%s of %d is passed: %d", ceiling.Name, ceiling.Limit, spent)
		}
	}
}
