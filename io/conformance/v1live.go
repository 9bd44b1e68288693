package conformance

import (
	"context"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// FreeV1 is what a client can ask without spending.
type FreeV1 interface {
	Inspect(ctx context.Context) (v1.Inspection, error)
	OpenAPI(ctx context.Context) (v1.Description, error)
	Tools(ctx context.Context) (v1.Description, error)
}

// SenderV1 sends lookups that may be charged: each at most once, ever, and within the
// limits that the user has set.
type SenderV1 interface {
	// Send sends a lookup, or says why it is not sent. The error is the program's own.
	Send(ctx context.Context, lookup enrich.Lookup) (SentV1, error)
}

// SentV1 is what became of a lookup.
type SentV1 struct {
	Lookup  enrich.Lookup  // as it was sent: without the fields that were known already
	Verdict enrich.Verdict // nil when nothing was sent
	Booked  Booked         // of it, by the Sender's own record
	Why     string         // nothing was sent, or nothing more will be
	Last    bool           // nothing more will be sent
}

// Booked is what a record says that lookups have cost.
type Booked struct {
	Money cost.Money
	Free  enrich.ByField[int64] // units of the free allowance
}

// LiveV1 is a service to be compared with the specification. Its free side is asked in any
// case; what may be charged is asked only through the Sender.
type LiveV1 struct {
	Client     FreeV1
	Other      FreeV1 // with the same key over the other transport
	UnknownKey FreeV1 // with a key that the service does not know
	Now        func() time.Time

	Card   cost.RateCard // that the workspace is thought to have
	Prices cost.Prices   // that it is thought to pay
	Tools  int           // that the MCP endpoint has

	Sender  SenderV1 // nil: nothing that may be charged is sent
	Why     string   // there is no Sender
	Lookups []enrich.Lookup
}

// evidenceV1 is everything that a service has shown.
type evidenceV1 struct {
	*LiveV1
	first, second, last v1.Inspection // of the status
	status, again, end  error         // why there is none
	other               v1.Inspection
	otherErr            error
	unknownKey          error
	document, tools     v1.Description
	documentErr         error
	toolsErr            error

	invalid     *Observation // of the lookup that names nobody
	invalidWhy  string
	observed    []Observation
	observedWhy string // why there is none, or no more
}

// Compare asks the service and reports rule by rule. The error is that of ctx or the
// Sender's.
func (l *LiveV1) Compare(ctx context.Context) (Report, error) {
	e := &evidenceV1{LiveV1: l}
	e.askFree(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err := e.askPaid(ctx)
	e.last, e.end = l.Client.Inspect(context.WithoutCancel(ctx))
	return e.report(), err
}

func (e *evidenceV1) askFree(ctx context.Context) {
	e.first, e.status = e.Client.Inspect(ctx)
	e.second, e.again = e.Client.Inspect(ctx)
	_, e.unknownKey = e.UnknownKey.Inspect(ctx)
	e.document, e.documentErr = e.Client.OpenAPI(ctx)
	e.tools, e.toolsErr = e.Client.Tools(ctx)
	e.other, e.otherErr = e.Other.Inspect(ctx)
}

// nobody is an identity that no service can take for one.
func nobody() enrich.Identity { return enrich.Identity{ProfileURL: "ftp://invalid.example/"} }

// askPaid sends what may be charged, one after the other.
func (e *evidenceV1) askPaid(ctx context.Context) error {
	switch {
	case e.Sender == nil:
		e.observedWhy = e.Why
	case e.status != nil:
		e.observedWhy = "without the account status nothing is sent"
	case len(e.Lookups) == 0:
		e.observedWhy = "no lookup was sent: no person was given, or the answers are known already"
	}
	if e.invalidWhy = e.observedWhy; e.Sender == nil || e.status != nil {
		return nil
	}
	e.invalidWhy = ""
	o, sent, err := e.send(ctx, enrich.Lookup{Identity: nobody(), Fields: email})
	if err != nil {
		return err
	}
	if e.invalid, e.invalidWhy = o, sent.Why; sent.Last {
		e.observedWhy = sent.Why
		return nil
	}
	for _, lookup := range e.Lookups {
		o, sent, err := e.send(ctx, lookup)
		if err != nil {
			return err
		}
		if o != nil {
			e.observed = append(e.observed, *o)
		}
		if e.observedWhy = sent.Why; sent.Last || ctx.Err() != nil {
			break
		}
	}
	return nil
}

// send sends a lookup between two looks at the account. The observation is nil when
// nothing was sent.
func (e *evidenceV1) send(ctx context.Context, lookup enrich.Lookup) (*Observation, SentV1, error) {
	before, beforeErr := e.Client.Inspect(ctx)
	sent, err := e.Sender.Send(ctx, lookup)
	if err != nil || sent.Verdict == nil {
		return nil, sent, err
	}
	after, afterErr := e.Client.Inspect(context.WithoutCancel(ctx))
	return &Observation{
		Lookup: sent.Lookup, Verdict: sent.Verdict, Prices: e.Prices,
		Before: before.Account, After: after.Account, Read: beforeErr == nil && afterErr == nil,
		Booked: sent.Booked,
	}, sent, nil
}

// report compares the evidence with every rule.
func (e *evidenceV1) report() Report {
	var report Report
	for _, c := range append(freeChecksV1(), paidChecksV1()...) {
		report = append(report, c.result(c.look(e)))
	}
	for _, i := range invariants() {
		report = append(report, i.result(e.keeps(i)))
	}
	for _, r := range caseRulesV1() {
		report = append(report, r.result(untested("the rule needs a service that is set up for it; the tests try it on the sandbox")))
	}
	return report
}

// keeps reports whether all results keep an invariant.
func (e *evidenceV1) keeps(i invariant) View {
	results := 0
	for _, o := range e.observed {
		if _, answered := o.Verdict.(enrich.Answered); !answered {
			continue
		}
		if results++; i.breach(o) != "" {
			return differ("%s", i.breach(o))
		}
	}
	if results == 0 {
		if e.observedWhy == "" {
			return untested("no lookup was answered")
		}
		return untested("%s", e.observedWhy)
	}
	return agree("in %d of %d results", results, results)
}
