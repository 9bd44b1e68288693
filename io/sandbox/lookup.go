package sandbox

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"payonce/io/sandbox/kit"
)

// outcome is what becomes of a lookup, before a transport words it.
type outcome struct {
	requestID string
	result    result   // valid when refusal is nil
	refusal   *refusal // the service's no
	fault     Fault    // how the client gets to see it
}

// caller is who asks, and how.
type caller struct {
	key       string // the ID of its key; empty when it has no valid one
	transport string // "rest" or "mcp"
}

// ask takes a question through the whole service. The problem is what was wrong
// with it, if anything; it counts against the limits all the same.
func (s *Server) ask(ctx context.Context, from caller, q question, problem error) outcome {
	admitted := s.ledger.Arrive(LookupRequest{
		Path: q.path(), Transport: from.transport, Key: from.key, Identity: q.canonical(), Fields: q.fields,
	})
	number := admitted.Number
	r := outcome{requestID: s.requestID("lookup", uint64(number))}
	if problem == nil {
		problem = s.meets(q)
	}
	switch {
	case admitted.Code != "":
		r.refusal = &refusal{code: admitted.Code, detail: admitted.Why, retryAfter: admitted.Wait}
		return r
	case problem != nil:
		r.refusal = s.refused(number, refusal{code: InvalidIdentifiers, detail: problem.Error()})
		return r
	}
	struck, delay := s.strike(from, number, q)
	r.fault = struck
	switch {
	case struck.Performs():
		s.perform(ctx, number, q, delay, &r)
	case !s.pause(nil, delay):
		r.fault = Fault{Answer: Dropped}
	}
	if r.fault.Answer == Refused {
		r.refusal = s.refused(number, refusal{code: struck.Code, retryAfter: struck.RetryAfter, asDate: struck.RetryDate})
	}
	return r
}

// perform runs the lookup: reserve, look up, settle. The client's leaving makes
// it shorter but never undoes it, for the service does not look back.
func (s *Server) perform(ctx context.Context, number int, q question, delay time.Duration, r *outcome) {
	if code := s.ledger.Reserve(number, q.fields); code != "" {
		r.refusal = s.refused(number, refusal{code: code})
		return
	}
	found, known := s.people.Find(q.identity)
	if !s.pause(ctx.Done(), s.latency(number, q)) || !s.pause(nil, delay) {
		s.ledger.Release(number)
		r.fault = Fault{Answer: Dropped}
		return
	}
	if err := s.ledger.Settle(number, r.requestID, found.Returned(q.fields)); err != nil {
		r.refusal = &refusal{code: ServiceMisconfigured, detail: err.Error()}
		return
	}
	r.result = answer(q, found, known, r.requestID, s.config.Now())
}

// refused notes a refusal in the ledger. What it cannot note is refused because
// it cannot.
func (s *Server) refused(number int, r refusal) *refusal {
	if err := s.ledger.Refuse(number, r.code); err != nil {
		return &refusal{code: ServiceMisconfigured, detail: err.Error()}
	}
	return &r
}

// strike applies the effects of the faults that strike the arrival. It returns
// the one that decides the answer, and the sum of their delays.
func (s *Server) strike(from caller, number int, q question) (decisive Fault, delay time.Duration) {
	for _, f := range s.faults.Strike(kit.Arrival{Number: number, Path: q.path(), About: q.canonical(), Fits: fitsLookups}) {
		delay += f.Delay
		if decisive.Answer == Truthful {
			decisive = f
		}
		if err := s.take(from, f); err != nil {
			return Fault{Answer: Refused, Code: ServiceMisconfigured}, delay
		}
	}
	return decisive, delay
}

// take lets the effect of a fault come about.
func (s *Server) take(from caller, f Fault) (err error) {
	switch f.Effect {
	case KeyRevoked:
		err = s.ledger.RevokeKey(from.key)
	case CreditSpent:
		_, err = s.ledger.SpendElsewhere(f.Amount)
	case BudgetSet:
		err = s.ledger.SetBudget(&f.Amount)
	}
	return err
}

// pause lets a span pass, or ends with done. It reports false when the service
// was closed meanwhile.
func (s *Server) pause(done <-chan struct{}, span time.Duration) bool {
	return kit.Pause(s.closed, done, span)
}

// latency draws how long the lookup takes.
func (s *Server) latency(number int, q question) time.Duration {
	span := s.config.Latency.Max - s.config.Latency.Min
	drawn := kit.Roll(s.config.Seed, "latency", q.canonical(), strconv.Itoa(number)).Float64()
	return s.config.Latency.Min + time.Duration(drawn*float64(span))
}

// requestID returns the name of a request, the same whenever the same seed meets
// the same number.
func (s *Server) requestID(kind string, number uint64) string {
	return fmt.Sprintf("req_%s_%d_%08x", kind, number, kit.Roll(s.config.Seed, kind, fmt.Sprint(number)).Uint32())
}
