package conformance_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/badgerstore"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/conformance"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// crash is an end in the middle of a paid call: how far the call had come, and what has
// to become of it.
type crash struct {
	name  string
	fault sandbox.Fault // of the lookup; the zero value is none
	// How far it came: sent, and then resolved.
	sent, resolved bool

	then     attempt.Decision // what the journal decides about the same lookup afterwards
	result   cost.Result
	arrivals int // of the person's lookups, when all is over
	charges  int
}

func crashes() []crash {
	dropped := sandbox.Fault{Answer: sandbox.Dropped, Max: 1}
	truncated := sandbox.Fault{Answer: sandbox.Truncated, Happened: true, Max: 1}
	return []crash{
		{name: "before it is sent", then: attempt.Unsettled{}, result: cost.NotCharged, arrivals: 1, charges: 1},
		{name: "after the answer came, before it is durable", sent: true, then: attempt.Unsettled{}, result: cost.Charged, arrivals: 1, charges: 1},
		{name: "after the answer is durable", sent: true, resolved: true, then: attempt.Known{}, arrivals: 1, charges: 1},
		{name: "after the connection broke, not charged", fault: dropped, sent: true, then: attempt.Unsettled{}, result: cost.NotCharged, arrivals: 2, charges: 1},
		{name: "after the answer broke off, charged", fault: truncated, sent: true, then: attempt.Unsettled{}, result: cost.Charged, arrivals: 1, charges: 1},
		{name: "after the loss is on record, not charged", fault: dropped, sent: true, resolved: true, then: attempt.Unsettled{}, result: cost.NotCharged, arrivals: 2, charges: 1},
		{name: "after the loss is on record, charged", fault: truncated, sent: true, resolved: true, then: attempt.Unsettled{}, result: cost.Charged, arrivals: 1, charges: 1},
	}
}

// crashRig is a journal, a client and a service, of which the journal is opened again.
type crashRig struct {
	*testing.T
	dir     string
	journal *checkpoint.Journal
	client  *v1.Client
	server  *sandbox.Server
}

func newCrashRig(t *testing.T, way conformance.Way) *crashRig {
	config := conformance.Workspace()
	config.MCP, config.Free = way.MCP, enrich.ByField[int64]{}
	server, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(server.Handler())
	t.Cleanup(listening.Close)
	t.Cleanup(func() { server.Close() })
	client, err := v1.NewClient(v1.Config{BaseURL: listening.URL + "/api/v1", Transport: way.Transport, Key: sandbox.DefaultKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	r := &crashRig{T: t, dir: t.TempDir(), client: client, server: server}
	r.open()
	t.Cleanup(func() {
		if err := r.journal.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := r.journal.Rebase(r.account()); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *crashRig) open() {
	r.Helper()
	store, err := badgerstore.Open(r.dir, badgerstore.Options{})
	if err != nil {
		r.Fatal(err)
	}
	r.journal, err = checkpoint.New(store, checkpoint.Options{Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 100, Window: time.Minute}, Now: time.Now})
	if err != nil {
		r.Fatal(err)
	}
}

func (r *crashRig) account() cost.Account {
	r.Helper()
	account, err := r.client.Status(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	return account
}

func (r *crashRig) begin() attempt.Decision {
	r.Helper()
	who := enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "acme.example"}
	decision, err := r.journal.Begin(attempt.Request{
		Lookup: enrich.Lookup{Identity: who, Fields: enrich.FieldsOf(v1.WorkEmail)}, Run: "crash",
		Rates:    v1.Tariff().At(cost.Prices{v1.WorkEmail: 15 * cost.Cent}),
		Ceilings: []cost.Ceiling{cost.SpendCeiling("max-spend", checkpoint.RunScope("crash"), cost.Dollar)},
	})
	if err != nil {
		r.Fatal(err)
	}
	return decision
}

// call takes a granted lookup as far as the crash lets it.
func (r *crashRig) call(c crash) {
	r.Helper()
	granted, ok := r.begin().(attempt.Granted)
	if !ok {
		r.Fatal("not granted")
	}
	ticket, err := granted.Ticket()
	if err != nil {
		r.Fatal(err)
	}
	if !c.sent {
		return
	}
	verdict := r.client.Find(r.Context(), ticket.Lookup)
	if !c.resolved {
		return
	}
	switch v := verdict.(type) {
	case enrich.Answered:
		_, err = r.journal.Settle(ticket.ID, v)
	case enrich.Lost:
		err = r.journal.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: v.Err.Error()})
	default:
		r.Fatalf("%T", verdict)
	}
	if err != nil {
		r.Fatal(err)
	}
}

// reconcile lets the account decide what is in doubt.
func (r *crashRig) reconcile(want cost.Result) {
	r.Helper()
	results, err := r.journal.Reconcile(r.account(), true)
	if err != nil || len(results.Cases) != 1 || results.Cases[0].Result != want {
		r.Fatalf("%+v %v, want it %s", results, err, want)
	}
}

// TestCrashes: what a crash leaves in doubt is not sent again before the account has
// decided, over either transport; what was charged is never sent again.
func TestCrashes(t *testing.T) {
	for _, way := range conformance.Ways() {
		for _, c := range crashes() {
			t.Run(way.Name+"/"+c.name, func(t *testing.T) {
				r := newCrashRig(t, way)
				if c.fault.Answer != sandbox.Truthful {
					if err := r.server.AddFault(c.fault); err != nil {
						t.Fatal(err)
					}
				}
				r.call(c)
				if err := r.journal.Close(); err != nil { // what is on the disk is what a crash leaves
					t.Fatal(err)
				}
				r.open()
				r.wants(c.then)
				if _, doubted := c.then.(attempt.Unsettled); doubted {
					r.reconcile(c.result)
				}
				if c.result == cost.NotCharged {
					r.call(crash{sent: true, resolved: true})
				}
				if _, again := r.begin().(attempt.Granted); again {
					t.Error("granted once more")
				}
				r.counts(c)
			})
		}
	}
}

// wants checks the kind of the journal's decision.
func (r *crashRig) wants(kind attempt.Decision) {
	r.Helper()
	decision := r.begin()
	_, isKnown := decision.(attempt.Known)
	_, isUnsettled := decision.(attempt.Unsettled)
	_, wantsKnown := kind.(attempt.Known)
	if isKnown != wantsKnown || isUnsettled == wantsKnown {
		r.Errorf("the journal decides %T, want %T", decision, kind)
	}
}

// counts checks what the service counted.
func (r *crashRig) counts(c crash) {
	r.Helper()
	ledger := r.server.Ledger()
	if len(ledger.Arrivals) != c.arrivals || len(ledger.Charges) != c.charges {
		r.Errorf("%d lookups arrived and %d were charged, want %d and %d", len(ledger.Arrivals), len(ledger.Charges), c.arrivals, c.charges)
	}
	if err := r.server.Audit(); err != nil {
		r.Error(err)
	}
}
