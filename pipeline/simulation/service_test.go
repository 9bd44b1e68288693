package simulation_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// call is one POST as the scripted service sees it.
type call struct {
	n      int // from 1, in the order of arrival
	try    int // which of this person, from 1
	who    string
	fields enrich.Fields
	at     time.Time
}

// reply is what the scripted service makes of a call.
type reply struct {
	took    time.Duration
	verdict enrich.Verdict
	// charged are fields charged without an answer; those of an answer are always charged.
	charged enrich.Fields
}

// scripted is the service by a script: a Finder that charges its account, and the
// StatusReader of that account.
type scripted struct {
	script func(call) reply

	mu        sync.Mutex
	calls     []call
	tries     map[string]int
	inFlight  int
	most      int // in flight at the same time
	account   cost.Account
	charged   cost.Money
	reads     []time.Time // of the account status
	takenFree int64       // free emails that somebody else took
	// status replaces what the account status says; nil for the account.
	status func(read int, account cost.Account) (cost.Account, error)
}

func newScripted(script func(call) reply) *scripted {
	account := cost.Account{ReadAt: time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC), Balance: cost.Balance{Available: cost.Known(1000 * cost.Dollar), Included: cost.Known(cost.Money(0)), Reserved: cost.Known(cost.Money(0))}}
	for f := range account.Free {
		account.Free[f], account.FreeReserved[f] = cost.Known(int64(0)), cost.Known(int64(0))
	}
	return &scripted{script: script, tries: map[string]int{}, account: account}
}

// Find answers by the script. An interrupt does not end it: the POST has left.
func (s *scripted) Find(_ context.Context, lookup enrich.Lookup) enrich.Verdict {
	r := s.script(s.arrive(lookup))
	if r.took > 0 {
		<-time.After(r.took)
	}
	s.leave(lookup, r)
	return r.verdict
}

func (s *scripted) arrive(lookup enrich.Lookup) call {
	s.mu.Lock()
	defer s.mu.Unlock()
	who := nameOf(lookup.Identity)
	s.tries[who]++
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	c := call{n: len(s.calls) + 1, try: s.tries[who], who: who, fields: lookup.Fields, at: time.Now()}
	s.calls = append(s.calls, c)
	return c
}

func (s *scripted) leave(lookup enrich.Lookup, r reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	charged := r.charged
	if answered, ok := r.verdict.(enrich.Answered); ok {
		charged = answered.Returned & lookup.Fields
	}
	for f := range charged.Each() {
		if s.account.Free[f].Value > 0 {
			s.account.Free[f].Value--
			continue
		}
		s.charged += prices[f]
		s.account.Balance.Available.Value -= prices[f]
	}
}

// Status reads the account.
func (s *scripted) Status(context.Context) (cost.Account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads = append(s.reads, time.Now())
	if s.status != nil {
		return s.status(len(s.reads), s.account)
	}
	return s.account, nil
}

// asked returns who was asked for, in the order of arrival.
func (s *scripted) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, c := range s.calls {
		names = append(names, c.who)
	}
	return names
}

// triesOf returns how often a person was asked for.
func (s *scripted) triesOf(who string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries[who]
}

// found returns the answer that holds the given fields.
func found(returned enrich.Fields) v1.Answer {
	answer := v1.Answer{Status: enrich.Partial, FullName: "Ada Example", RequestID: "req-1"}
	if returned.Has(v1.WorkEmail) {
		answer.WorkEmail = "ada@co.example"
	}
	if returned.Has(v1.BusinessPhone) {
		answer.BusinessPhone, answer.PhoneType = "+1 555 0100", "office"
	}
	return answer
}

var errReset = errors.New("connection reset")

// The replies that scripts are made of.

func answers(took time.Duration) reply { return answersWith(took, v1.AllFields) }

func answersWith(took time.Duration, returned enrich.Fields) reply {
	return reply{took: took, verdict: v1.EncodeAnswer(found(returned))}
}

func refuses(took time.Duration, class enrich.RefusalClass, code string) reply {
	return reply{took: took, verdict: enrich.Refused{Class: class, Code: code, Message: "no: " + code, RequestID: "req-no"}}
}

func slowsDown(took, retryAfter time.Duration) reply {
	return reply{took: took, verdict: enrich.Refused{Class: enrich.SlowDown, Code: "rate_limited", RetryAfter: retryAfter}}
}

func loses(took time.Duration, charged enrich.Fields) reply {
	return reply{took: took, verdict: enrich.Lost{Err: errReset}, charged: charged}
}

func unsent() reply { return reply{verdict: enrich.NotSent{Err: errReset}} }
