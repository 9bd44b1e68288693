package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// Find asks for a person through a client, and says what has to come of it.
type Find struct {
	Who    enrich.Identity // ada when it is nobody
	Fields enrich.Fields   // the work email when there are none

	As      string       // the name of the key
	Over    v1.Transport // another one than the case is played over
	Profile bool
	Want    Verdict
	Charge  Charged
}

// found is what a Find has brought about.
type found struct {
	Observation
	step          Find
	way           v1.Transport
	key           string // its value
	sent          []sentLookup
	before, after look
}

// Verdict is what has to come of a lookup.
type Verdict interface {
	check(f found) error
	// arrivals is how many lookups the ledger has to count, by the transport.
	arrivals(over v1.Transport) int
}

func (f Find) play(ctx context.Context, p *play) error {
	if f.Who == (enrich.Identity{}) {
		f.Who = ada()
	}
	f.Fields = cmp.Or(f.Fields, email)
	got, err := f.ask(ctx, p)
	if err != nil {
		return err
	}
	p.arrived += f.Want.arrivals(got.way)
	err = errors.Join(f.Want.check(got), got.checkSent(), got.checkArrivals(), f.Charge.check(got))
	if err != nil {
		return fmt.Errorf("looking up %s of %s: %w", f.Fields, f.Who, err)
	}
	return nil
}

// ask sends the lookup between two looks at the workspace.
func (f Find) ask(ctx context.Context, p *play) (found, error) {
	subject, err := p.client(access{key: f.As, over: f.Over, profile: f.Profile})
	if err != nil {
		return found{}, err
	}
	got := found{step: f, way: cmp.Or(f.Over, p.way.Transport), key: p.keys[f.As], before: p.look(ctx)}
	wired := p.tap.count()
	got.Lookup = enrich.Lookup{Identity: f.Who, Fields: f.Fields}
	got.Verdict = subject.Find(ctx, got.Lookup)
	got.sent = lookups(p.tap.since(wired))
	got.after = p.look(ctx)
	got.Prices = got.before.ledger.Prices
	got.Before, got.After = got.before.account, got.after.account
	got.Read = got.before.err == nil && got.after.err == nil
	return got, nil
}

// checkSent checks the requests of the lookup as they went over the wire
// (specification v1, "Authentication" and "Endpoints").
func (f found) checkSent() error {
	if len(f.sent) > 1 {
		return fmt.Errorf("%d requests on the wire, want 1", len(f.sent))
	}
	var problems []error
	for _, sent := range f.sent {
		want := map[string]string{
			"Authorization": "Bearer " + f.key, "Content-Type": "application/json",
			"Idempotency-Key": "", "X-Idempotency-Key": "",
		}
		if f.way == v1.MCP {
			want["Accept"], want["Mcp-Protocol-Version"] = "application/json, text/event-stream", "2025-11-25"
		}
		for name, value := range want {
			if got := sent.header.Get(name); got != value {
				problems = append(problems, fmt.Errorf("the request's %s is %q, want %q", name, got, value))
			}
		}
		problems = append(problems, f.checkArguments(sent))
	}
	return errors.Join(problems...)
}

// checkArguments checks that the request names the person by exactly one pattern and
// says what is wanted.
func (f found) checkArguments(sent sentLookup) error {
	who := f.Lookup.Identity
	want := members{}
	for name, value := range map[string]string{
		"pro_network_url": who.ProfileURL, "first_name": who.FirstName, "last_name": who.LastName,
		"company_domain": who.CompanyDomain, "company_name": who.CompanyName,
	} {
		if want[name] = value; value == "" {
			want[name] = absent{}
		}
	}
	operation := v1.OperationOf(f.Lookup.Fields)
	if f.step.Profile {
		operation = v1.EnrichContact
	}
	if operation == v1.EnrichContact {
		want["include_email"], want["include_phone"] = f.Lookup.Fields.Has(v1.WorkEmail), f.Lookup.Fields.Has(v1.BusinessPhone)
		want["include_profile"] = f.step.Profile
	}
	err := want.check(sent.arguments)
	if sent.operation != operation || sent.over != f.way {
		err = errors.Join(err, fmt.Errorf("sent as %s over %s, want %s over %s", sent.operation, sent.over, operation, f.way))
	}
	return err
}

// checkArrivals checks what the ledger has counted of the lookup.
func (f found) checkArrivals() error {
	earlier := len(f.before.ledger.Arrivals)
	arrived := f.after.ledger.Arrivals[earlier:]
	if want := f.step.Want.arrivals(f.way); len(arrived) != want {
		return fmt.Errorf("%d lookups arrived, want %d", len(arrived), want)
	}
	for _, a := range arrived {
		if a.Code == sandbox.InvalidIdentifiers {
			continue // it named nobody
		}
		if a.Transport != string(f.way) || a.Identity != f.Lookup.Identity.Canonical() || a.Fields != f.Lookup.Fields {
			return fmt.Errorf("what arrived is %+v, want %s of %s over %s", a, f.Lookup.Fields, f.Lookup.Identity, f.way)
		}
	}
	return nil
}
