package decide

import (
	"fmt"
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// Decide decides about a request. The changes are nil unless the decision is attempt.Granted,
// whose Ticket the store adds. A granted call takes a slot of the window.
//
// The limits are checked in a fixed order: what is known of the subject, the free allowance, the
// limits of the account that are reached, the ceilings, the pause, a drain, the window. So a call that fits under no
// ceiling is refused at once and does not wait for a slot first.
func Decide(view View, req attempt.Request) (attempt.Decision, *Changes, error) {
	if _, err := req.Rates.Total(req.Lookup.Fields); err != nil {
		return nil, nil, err
	}
	if decision := view.Subject.decided(req, enrich.Key{}); decision != nil {
		return decision, nil, nil
	}
	for _, other := range view.Same {
		if decision := other.charged().decided(req, other.Key); decision != nil {
			return decision, nil, nil
		}
	}
	hold, decision := view.Account.hold(req)
	if decision != nil {
		return decision, nil, nil
	}
	if decision := view.limited(hold); decision != nil {
		return decision, nil, nil
	}
	if decision, err := view.underCeilings(req, hold); decision != nil || err != nil {
		return decision, nil, err
	}
	if decision := view.wait(); decision != nil {
		return decision, nil, nil
	}
	return attempt.Granted{}, &Changes{
		Hold: hold, Earlier: view.Subject.earlier(req.Lookup.Fields), Strict: req.Strict,
		Before: view.Subject.before(req.Lookup.Fields), UpTo: view.Subject.reasked(req),
	}, nil
}

// decided returns the decision that follows from earlier calls for the fields, nil when the
// fields may be asked for. Under is the key under which they were asked, zero for that of the request.
func (s Subject) decided(req attempt.Request, under enrich.Key) attempt.Decision {
	var answered, doubted enrich.Fields
	for f := range req.Lookup.Fields.Each() {
		switch {
		case s.States[f] == attempt.OutcomeUnknown && s.InFlight.Has(f):
			return attempt.Blocked{}
		case s.States[f] == attempt.OutcomeUnknown:
			doubted = doubted.With(f)
		case !s.Askable(f, req.Reask.Of(req.Lookup.Identity)):
			answered = answered.With(f)
		}
	}
	switch {
	case doubted != 0:
		return attempt.Unsettled{Fields: doubted, Under: under}
	case answered != 0:
		return attempt.Known{Fields: answered, Under: under}
	}
	return nil
}

// charged returns what was found under another identity or may have been charged there. A field that came back empty
// may be asked for by this one: a search by a number that found no record is another operation than a call by the id.
func (o Other) charged() Subject {
	s := o.Subject
	for f, state := range s.States {
		if state == attempt.Missing || state == attempt.Rejected {
			s.States[f] = attempt.Unasked
		}
	}
	return s
}

// earlier returns the forfeited attempts of the fields.
func (s Subject) earlier(fields enrich.Fields) map[enrich.Field][]attempt.ID {
	var forfeited map[enrich.Field][]attempt.ID
	for f := range fields.Each() {
		ids := slices.Clone(s.Earlier[f])
		if s.States[f] == attempt.PaidAndGone {
			ids = append(ids, s.Attempts[f])
		}
		if len(ids) > 0 {
			if forfeited == nil {
				forfeited = map[enrich.Field][]attempt.ID{}
			}
			forfeited[f] = ids
		}
	}
	return forfeited
}

// before returns the last attempt that decided each of the fields.
func (s Subject) before(fields enrich.Fields) map[enrich.Field][]attempt.ID {
	var before map[enrich.Field][]attempt.ID
	for f := range fields.Each() {
		if s.Attempts[f] == 0 {
			continue
		}
		if before == nil {
			before = map[enrich.Field][]attempt.ID{}
		}
		before[f] = []attempt.ID{s.Attempts[f]}
	}
	return before
}

// reasked returns Reask.UpTo of a request that asks for a field again because of it, else 0.
func (s Subject) reasked(req attempt.Request) attempt.ID {
	without := req.Reask.Of(req.Lookup.Identity)
	without.UpTo = 0
	for f := range req.Lookup.Fields.Each() {
		if !s.Askable(f, without) {
			return req.Reask.UpTo
		}
	}
	return 0
}

// hold returns what the call holds. It returns a decision instead when the free allowance
// depends on a call in flight, or when a field would hold money that must be free.
func (a Account) hold(req attempt.Request) (cost.Hold, attempt.Decision) {
	hold := cost.Hold{Fields: req.Lookup.Fields, Rates: req.Rates}
	if !req.Strict {
		free, ok := a.Allowance.Take(hold.Fields, hold.Rates)
		if !ok {
			return hold, attempt.Blocked{}
		}
		hold.Free = free
	}
	if paid := (hold.Fields & req.OnlyFree).Without(hold.Free); paid != 0 {
		return hold, attempt.Paid{Fields: paid}
	}
	return hold, nil
}

// underCeilings returns nil when the hold fits under every ceiling. The decision is Over when
// the hold would not fit even if the calls in flight released everything that they hold. Else it
// depends on them.
func (v View) underCeilings(req attempt.Request, hold cost.Hold) (attempt.Decision, error) {
	ceilings := slices.Concat(v.Account.Ceilings, req.Ceilings)
	now := make([]cost.Ceiling, len(ceilings))
	for i, ceiling := range ceilings {
		now[i] = ceiling.At(v.Now)
		if m := ceiling.Meter; i >= len(v.Account.Ceilings) && m != cost.USD && m != cost.Lookups {
			now[i].Scope = req.Account.Scope(now[i].Scope)
		}
		if v.scope(now[i].Scope) == nil {
			return nil, fmt.Errorf("the ceiling %q is on %q, in which no lookup of run %q counts",
				ceiling.Name, now[i].Scope, req.Run)
		}
	}
	held := hold.Amounts()
	totals := func(name string) cost.Totals { return v.scope(name).Totals }
	if _, refused := cost.Refusing(now, held, totals); !refused {
		return nil, nil
	}
	withoutFlight := func(name string) cost.Totals { return v.scope(name).withoutFlight() }
	refusing, over := cost.Refusing(now, held, withoutFlight)
	if !over {
		return attempt.Blocked{}, nil
	}
	return attempt.Over{
		Ceiling: ceilings[slices.Index(now, refusing)],
		Need:    refusing.Need(held), Left: refusing.Left(totals(refusing.Scope)),
	}, nil
}

// scope returns the scope of that name, nil when the call does not count in it.
func (v View) scope(name string) *Scope {
	for _, s := range v.Scopes {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// wait returns nil when the call may be sent now.
func (v View) wait() attempt.Decision {
	if paused := v.Account.PausedUntil; paused.After(v.Now) {
		return attempt.Later{Until: paused, Asked: true}
	}
	if v.Account.Drained {
		return attempt.Blocked{Drained: true}
	}
	switch w := v.Account.Window; {
	case w.InFlight+w.Cooling < w.Slots:
		return nil
	case w.Cooling == 0:
		return attempt.Blocked{}
	default:
		return attempt.Later{Until: w.NextFree}
	}
}
