package simulation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// accountService is the service of one account, with a ledger of its own. It sets aside what a call can
// consume when the call arrives, and charges for what it returns.
type accountService struct {
	accountScenario
	world  *stepsWorld
	number int

	mu       sync.Mutex
	left     cost.Amounts          // of every meter but the free units; money in micro-USD
	free     enrich.ByField[int64] // units
	reserved cost.Amounts
	freeHeld enrich.ByField[int64]
	arrivals []time.Time
	charged  cost.Amounts // to our calls; free units are not counted
	paid     map[thing]bool
	pauses   []pause
	limits   []filesLimit
}

// filesLimit is a limit of files that a call was told is reached.
type filesLimit struct {
	code        string // of its own
	start       int    // that was told
	from, until time.Time
}

// limitedUntil returns the end of the limit that a call reaches now, zero for none. Those after the first are
// told of the same limit.
func (s *accountService) limitedUntil(fields enrich.Fields, begins bool, lasts time.Duration) (until time.Time) {
	if !s.Counts || !fields.Has(v1.BusinessPhone) {
		return until
	}
	now := time.Now()
	for _, limit := range s.limits {
		if limit.until.After(now) {
			return limit.until
		}
	}
	if begins {
		return now.Add(lasts)
	}
	return until
}

// limiting notes that a start was told of a limit. The limit begins when the program has the response.
func (s *accountService) limiting(start int, code string, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits = append(s.limits, filesLimit{code, start, time.Now().Add(10 * time.Microsecond), until})
}

func newAccountService(w *stepsWorld, number int) *accountService {
	s := &accountService{accountScenario: w.Accounts[number], world: w, number: number, paid: map[thing]bool{}}
	s.left, s.free = s.Allotted, s.Free
	s.left[cost.USD] = int64(s.Balance)
	if s.Counts {
		s.left[cost.USD] = 0
	} else {
		s.left[meterCalls], s.left[meterFiles] = 0, 0
	}
	return s
}

// Status returns the account.
func (s *accountService) Status(context.Context) (account cost.Account, _ error) {
	s.world.beat("status", s.number)
	s.mu.Lock()
	defer s.mu.Unlock()
	account.ReadAt, account.KeyValid = time.Now(), cost.Known(true)
	if s.Counts {
		for _, m := range []cost.Meter{meterCalls, meterFiles} {
			account.Left[m], account.Reserved[m] = cost.Known(s.left[m]-s.reserved[m]), cost.Known(s.reserved[m])
		}
		return account, nil
	}
	account.Balance = cost.Balance{
		Available: cost.Known(cost.Money(s.left[cost.USD] - s.reserved[cost.USD])), Included: cost.Known(cost.Money(0)),
		Reserved: cost.Known(cost.Money(s.reserved[cost.USD])),
	}
	for f := range account.Free {
		account.Free[f], account.FreeReserved[f] = cost.Known(s.free[f]-s.freeHeld[f]), cost.Known(s.freeHeld[f])
	}
	return account, nil
}

// truth returns the fields of a person that the service has.
func (s *accountService) truth(person string, fields enrich.Fields) (has enrich.Fields) {
	for f := range fields.Each() {
		if s.world.draws.of("truth", s.number, person, f).Float64() < s.Known {
			has = has.With(f)
		}
	}
	return has
}

// value returns the value of a field of a person.
func (s *accountService) value(person string, f enrich.Field) string {
	if f == v1.WorkEmail {
		return fmt.Sprintf("%s@account%d.example", person[len("https://pro.example/in/"):], s.number)
	}
	return fmt.Sprintf("+1 555 %d %s", s.number, person[len("https://pro.example/in/p"):])
}

// invalid reports whether the service refuses a person.
func (s *accountService) invalid(person string) bool {
	return s.world.draws.of("invalid", s.number, person).Float64() < s.Invalid
}

// reserve sets aside what a call can consume at most.
func (s *accountService) reserve(fields enrich.Fields) (set cost.Amounts, free enrich.Fields, enough bool) {
	rates := s.rates()
	for f := range fields.Each() {
		if s.free[f] > s.freeHeld[f] {
			free = free.With(f)
			s.freeHeld[f]++
		} else {
			set = set.Plus(rates[f].Uses)
		}
	}
	if !s.reserved.Plus(set).Within(s.left) {
		s.giveBack(cost.Amounts{}, free)
		return set, free, false
	}
	s.reserved = s.reserved.Plus(set)
	return set, free, true
}

func (s *accountService) giveBack(set cost.Amounts, free enrich.Fields) {
	s.reserved = s.reserved.Minus(set)
	for f := range free.Each() {
		s.freeHeld[f]--
	}
}

// charge ends a call that returns some fields, and returns what it consumed.
func (s *accountService) charge(person string, returned enrich.Fields, set cost.Amounts, free enrich.Fields, files int64) (consumed cost.Amounts) {
	s.giveBack(set, free)
	rates := s.rates()
	for f := range returned.Each() {
		s.paid[thing{person, f}] = true
		if free.Has(f) {
			s.free[f]--
			continue
		}
		uses := rates[f].Uses
		if uses[meterFiles] > 0 && s.Counts {
			uses[meterFiles] = files
		}
		consumed = consumed.Plus(uses)
	}
	s.left = s.left.Minus(consumed)
	s.charged = s.charged.Plus(consumed)
	return consumed
}

// find answers a call.
func (s *accountService) find(lookup enrich.Lookup, calm bool) enrich.Verdict {
	person := lookup.Identity.ProfileURL
	s.mu.Lock()
	s.arrivals = append(s.arrivals, time.Now())
	number := len(s.arrivals)
	s.mu.Unlock()
	r := s.world.draws.of("call", s.number, number)
	took, chance := s.latency.draw(r), r.Float64()
	fault := func(p float64) bool {
		chance -= p
		return chance < 0 && chance >= -p && !calm
	}
	refuse := func(class enrich.RefusalClass, code string, after time.Duration) enrich.Verdict {
		s.world.clock.pass(took)
		return enrich.Refused{Class: class, HTTPStatus: 400, Code: code, RetryAfter: after}
	}
	begins := s.Limited > 0 && !calm && s.world.draws.of("limit", s.number, number).Float64() < s.Limited
	s.mu.Lock()
	limitedUntil := s.limitedUntil(lookup.Fields, begins, span{time.Second, 10 * time.Minute}.draw(s.world.draws.of("limit lasts", s.number, number)))
	s.mu.Unlock()
	switch {
	case fault(s.Slow):
		return refuse(enrich.SlowDown, "rate_limited", span{time.Second, 90 * time.Second}.draw(r))
	case fault(s.Busy):
		return refuse(enrich.TryAgain, "temporarily_unavailable", 0)
	case s.invalid(person):
		return refuse(enrich.InvalidInput, fmt.Sprint("invalid ", person), 0)
	case !limitedUntil.IsZero():
		s.world.clock.pass(took)
		return enrich.Refused{
			Class: enrich.StopRun, HTTPStatus: 429, Code: fmt.Sprintf("limit %d %d", s.number, number),
			Limit: enrich.Limit{Meter: "files", Module: "files", Until: limitedUntil},
		}
	case fault(s.LostBefore):
		s.world.clock.pass(took)
		return enrich.Lost{Err: errors.New("the connection broke")}
	}
	s.mu.Lock()
	set, free, enough := s.reserve(lookup.Fields)
	s.mu.Unlock()
	if !enough {
		s.world.noMoney(s)
		return refuse(enrich.StopRun, "credits_exhausted", 0)
	}
	s.world.clock.pass(took)
	returned := s.truth(person, lookup.Fields)
	s.mu.Lock()
	consumed := s.charge(person, returned, set, free, r.Int64N(3))
	s.mu.Unlock()
	s.world.charged()
	if fault(s.LostAfter) {
		s.world.clock.pass(took)
		return enrich.Lost{Err: errors.New("the connection broke")}
	}
	return s.answer(person, returned, consumed, number)
}

func (s *accountService) answer(person string, returned enrich.Fields, consumed cost.Amounts, number int) enrich.Answered {
	answer := v1.Answer{Status: enrich.NotFound, RequestID: fmt.Sprintf("r-%d-%d", s.number, number)}
	for f := range returned.Each() {
		answer.Status = enrich.Matched
		if f == v1.WorkEmail {
			answer.WorkEmail = s.value(person, f)
		} else {
			answer.BusinessPhone = s.value(person, f)
		}
	}
	answered := v1.EncodeAnswer(answer)
	if s.Counts {
		answered.Consumed = consumed[:]
	}
	return answered
}

// spendElsewhere is somebody else who uses the account.
func (s *accountService) spendElsewhere() {
	for n := range s.Others {
		r := s.world.draws.of("others", s.number, n)
		s.world.clock.pass(span{time.Second, 2 * time.Minute}.draw(r))
		s.mu.Lock()
		spent := s.rates()[enrich.Field(r.IntN(2))].Uses
		if s.reserved.Plus(spent).Within(s.left) {
			s.left = s.left.Minus(spent)
		}
		s.mu.Unlock()
	}
}
