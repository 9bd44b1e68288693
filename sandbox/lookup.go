package sandbox

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"payonce/cost"
)

// reply is what becomes of a lookup, before a transport words it.
type reply struct {
	requestID string
	result    result   // valid when refusal is nil
	refusal   *refusal // the service's no
	fault     Fault    // how the client gets to see it
}

// ask takes a question through the whole service. The problem is what was wrong
// with it, if anything; it counts against the limits all the same.
func (s *Server) ask(ctx context.Context, authorized bool, q question, problem error) reply {
	admitted := s.books.arrive(q, authorized)
	r := reply{requestID: s.requestID("lookup", uint64(admitted.number))}
	switch {
	case admitted.code != "":
		r.refusal = &refusal{code: admitted.code, retryAfter: wholeSeconds(admitted.wait)}
		return r
	case problem != nil:
		r.refusal = s.refused(admitted.number, refusal{code: InvalidIdentifiers, detail: problem.Error()})
		return r
	}
	fault, delay := s.strike(admitted.number, q)
	r.fault = fault
	switch {
	case fault.performs():
		s.perform(ctx, admitted.number, q, delay, &r)
	case !s.pause(nil, delay):
		r.fault = Fault{Answer: Dropped}
	}
	if r.fault.Answer == Refused {
		r.refusal = s.refused(admitted.number, refusal{code: fault.Code, retryAfter: s.retryAfter(fault)})
	}
	return r
}

// perform runs the lookup: reserve, look up, settle. The client's leaving makes
// it shorter but never undoes it, for the service does not look back.
func (s *Server) perform(ctx context.Context, number int, q question, delay time.Duration, r *reply) {
	if code := s.books.reserve(number, q.fields); code != "" {
		r.refusal = s.refused(number, refusal{code: code})
		return
	}
	found, known := s.people.find(q.identity)
	if !s.pause(ctx.Done(), s.latency(number, q)) || !s.pause(nil, delay) {
		s.books.release(number)
		r.fault = Fault{Answer: Dropped}
		return
	}
	if err := s.books.settle(number, r.requestID, found.returned(q.fields)); err != nil {
		r.refusal = &refusal{code: ServiceMisconfigured}
		return
	}
	r.result = answer(q, found, known, r.requestID, s.config.Now())
}

// refused notes a refusal in the books. What they cannot note is refused because
// they cannot.
func (s *Server) refused(number int, r refusal) *refusal {
	if err := s.books.refuse(number, r.code); err != nil {
		return &refusal{code: ServiceMisconfigured}
	}
	return &r
}

// strike applies the effects of the faults that strike the arrival. It returns
// the one that decides the answer, and the sum of their delays.
func (s *Server) strike(number int, q question) (fault Fault, delay time.Duration) {
	for _, f := range s.faults.strike(number, q.canonical()) {
		delay += f.Delay
		if fault.Answer == Truthful {
			fault = f
		}
		if err := s.take(f.Effect, f.Amount); err != nil {
			return Fault{Answer: Refused, Code: ServiceMisconfigured}, delay
		}
	}
	return fault, delay
}

func (s *Server) take(effect Effect, amount cost.Money) (err error) {
	switch effect {
	case KeyRevoked:
		err = s.RevokeKey()
	case CreditSpent:
		_, err = s.SpendCredit(amount)
	case BudgetSet:
		err = s.SetBudgetCap(amount)
	}
	return err
}

// pause lets a span pass, or ends with done. It reports false when the service
// was closed meanwhile.
func (s *Server) pause(done <-chan struct{}, span time.Duration) bool {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-s.closed:
		return false
	case <-done:
	case <-timer.C:
	}
	return !s.isClosed()
}

// latency draws how long the lookup takes.
func (s *Server) latency(number int, q question) time.Duration {
	span := s.config.Latency.Max - s.config.Latency.Min
	drawn := dice(s.config.Seed, "latency", q.canonical(), strconv.Itoa(number)).Float64()
	return s.config.Latency.Min + time.Duration(drawn*float64(span))
}

// requestID returns the name of a request, the same whenever the same seed meets
// the same number.
func (s *Server) requestID(kind string, number uint64) string {
	return fmt.Sprintf("req_%s_%d_%08x", kind, number, dice(s.config.Seed, kind, fmt.Sprint(number)).Uint32())
}

func (s *Server) retryAfter(f Fault) string {
	if !f.RetryDate {
		return wholeSeconds(f.RetryAfter)
	}
	// The format has no fractions: round up, so that nobody comes too early.
	return s.config.Now().Add(f.RetryAfter + time.Second - 1).UTC().Format(http.TimeFormat)
}

// wholeSeconds writes a wait in seconds, rounded up; "" for none.
func wholeSeconds(wait time.Duration) string {
	if wait <= 0 {
		return ""
	}
	return strconv.FormatFloat(math.Ceil(wait.Seconds()), 'f', 0, 64)
}
