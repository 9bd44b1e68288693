package ledgertest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// table is the simplest store of a ledger: rows, one for each attempt, and one for the state of each
// account. It keeps no sums. Every view is computed from all rows, so it is slow and easy to
// check.
type table struct {
	attempts []*row
	accounts [accounts]accountRow
}

type row struct {
	id      attempt.ID
	intent  record.Intent
	state   attempt.State
	endedAt time.Time // when its call ended
	slot    bool      // its call reached the service, or may have
	crashed bool      // the process died while the call was in flight
	result  attempt.Resolution
	decided time.Time // when the result was recorded
	names   []enrich.Identity
}

type accountRow struct {
	base        cost.Account
	baseFirst   attempt.ID // the first attempt after the base
	pausedUntil time.Time
	limits      []attempt.Limit
}

// rows is a ledger on a table.
type rows struct {
	*table
	Options
}

// Rows is a New of ledgers that load each view from rows.
func Rows(_ testing.TB, options Options) (open func() Journal) {
	disk := &table{}
	for n := range disk.accounts {
		disk.accounts[n].baseFirst = 1
	}
	return func() Journal {
		for _, a := range disk.attempts {
			if a.state == attempt.Intended {
				a.state, a.endedAt, a.slot, a.crashed = attempt.InDoubt, options.Now(), true, true
			}
		}
		return &rows{disk, options}
	}
}

func (l *rows) Begin(req attempt.Request) (attempt.Decision, error) {
	intent := record.Intent{
		At: l.Now(), Identity: req.Lookup.Identity, Pattern: req.Lookup.Identity.Pattern().String(),
		Account: req.Account, Hold: cost.Hold{Fields: req.Lookup.Fields}, Run: req.Run, Job: req.Job,
	}
	decision, changes, err := decide.Decide(l.view(intent), req)
	if changes == nil || err != nil {
		return decision, err
	}
	intent.Hold, intent.Earlier, intent.Before, intent.UpTo = changes.Hold, changes.Earlier, changes.Before, changes.UpTo
	id := attempt.ID(len(l.attempts) + 1)
	l.attempts = append(l.attempts, &row{id: id, intent: intent, state: attempt.Intended})
	ticket := attempt.Ticket{ID: id, Lookup: req.Lookup, Hold: changes.Hold}
	return attempt.Granted{Ticket: func() (attempt.Ticket, error) { return ticket, nil }}, nil
}

// view loads what a decision about a new attempt is made on.
func (l *rows) view(intent record.Intent) decide.View {
	state := l.accounts[intent.Account]
	view := decide.View{
		Now: intent.At, Subject: l.subject(intent.Account, intent.Identity), Same: l.same(intent.Account, intent.Identity),
	}
	for _, scope := range intent.Scopes(enrich.Catalogue{}) {
		view.Scopes = append(view.Scopes, l.scope(scope))
	}
	account := l.scope(intent.Account.Scope(record.ScopeAccount))
	view.Account = decide.Account{
		Ceilings:    Tariff().Ceilings(state.base, account.Name),
		PausedUntil: state.pausedUntil,
		Limits:      state.limits,
		Window:      l.window(intent.Account, intent.At),
	}
	for f := range (email | phone).Each() {
		m, a := Tariff().Rates[f].Allowance, &view.Account.Allowance
		a.Left[m] = state.base.Free[f].Value - account.Totals.Settled[m]
		a.Held[m] = account.InFlight.Held[m]
		a.Doubted[m] = account.Totals.Held[m] - account.InFlight.Held[m]
	}
	return view
}

// subject loads what the attempts of an account say of one identity. A later attempt overrides earlier
// ones.
func (l *rows) subject(account attempt.Account, who enrich.Identity) (s decide.Subject) {
	for _, a := range l.attempts {
		if a.intent.Account != account || a.intent.Identity.Canonical() != who.Canonical() {
			continue
		}
		for f := range a.intent.Hold.Fields.Each() {
			if state := a.stateOf(f); state != attempt.Unasked {
				before := s.FoundBy(f)
				if s.Kept[f] = 0; state == attempt.OutcomeUnknown || state == attempt.PaidAndGone {
					s.Kept[f] = before
				}
				s.States[f], s.Attempts[f], s.At[f], s.Earlier[f] = state, a.id, a.decided, a.intent.Earlier[f]
				if a.state == attempt.Intended {
					s.InFlight = s.InFlight.With(f)
				}
			}
		}
	}
	return s
}

// keyOf stands for an identity.
func keyOf(id enrich.Identity) enrich.Key {
	return record.HashKey(make([]byte, record.SecretLength), id)
}

// same loads what the attempts of an account say of the subject of an identity under others that answers named.
func (l *rows) same(account attempt.Account, who enrich.Identity) (same []decide.Other) {
	var aliases []attempt.Alias
	subjects := map[enrich.Key]enrich.Identity{}
	for _, a := range l.attempts {
		if a.intent.Account != account {
			continue
		}
		subjects[keyOf(a.intent.Identity)] = a.intent.Identity
		for _, name := range a.names {
			subjects[keyOf(name)] = name
		}
		alias, keys := attempt.AsAliases(keyOf(a.intent.Identity), a.id, a.names, keyOf)
		if slices.Contains(keys, keyOf(who)) {
			aliases, _ = attempt.With(aliases, alias)
		}
	}
	for _, key := range attempt.SameSubjects(who, keyOf(who), aliases) {
		same = append(same, decide.Other{Key: key, Subject: l.subject(account, subjects[key])})
	}
	return same
}

// stateOf returns what the attempt says of a field.
func (a *row) stateOf(f enrich.Field) attempt.FieldState {
	switch a.state {
	case attempt.Intended, attempt.InDoubt:
		return attempt.OutcomeUnknown
	case attempt.Settled:
		if a.result.Returned.Has(f) {
			return attempt.Found
		}
		return attempt.Missing
	case attempt.Forfeited:
		if a.result.Charge.Fields().Has(f) {
			return attempt.PaidAndGone
		}
	case attempt.Released:
		if a.result.Rejected {
			return attempt.Rejected
		}
	}
	return attempt.Unasked
}

// scope adds up the attempts of a scope.
func (l *rows) scope(name string) *decide.Scope {
	s := &decide.Scope{Name: name}
	for _, a := range l.attempts {
		scopes := a.intent.Counts(enrich.Catalogue{})
		at := slices.IndexFunc(scopes, func(scope record.Scope) bool { return scope.Name == name })
		if at < 0 || scopes[at].SinceBase && a.id < l.accounts[a.intent.Account].baseFirst {
			continue
		}
		held := scopes[at].Of(a.intent.Hold.Amounts())
		s.Totals.Hold(held)
		switch a.state {
		case attempt.Intended:
			s.InFlight.Hold(held)
		case attempt.InDoubt:
		default:
			scopes[at].Release(&s.Totals, a.intent.Hold, a.intent.Hold.Amounts(), &a.result)
		}
	}
	return s
}

// window counts the slots of an account that are taken at a time.
func (l *rows) window(account attempt.Account, now time.Time) decide.Window {
	rate := l.Rates[account]
	w := decide.Window{Slots: rate.Slots}
	for _, a := range l.attempts {
		freeAt := a.endedAt.Add(rate.Window)
		if a.crashed {
			freeAt = freeAt.Add(rate.OnTheWay())
		}
		switch {
		case a.intent.Account != account:
		case a.state == attempt.Intended:
			w.InFlight++
		case a.slot && freeAt.After(now):
			w.Cooling++
			if w.NextFree.IsZero() || freeAt.Before(w.NextFree) {
				w.NextFree = freeAt
			}
		}
	}
	return w
}

func (l *rows) inFlight(id attempt.ID) (*row, error) {
	if id < 1 || int(id) > len(l.attempts) || l.attempts[id-1].state != attempt.Intended {
		return nil, fmt.Errorf("attempt %d is not in flight", id)
	}
	return l.attempts[id-1], nil
}

// resolve records how an attempt ended.
func (l *rows) resolve(a *row, res attempt.Resolution) {
	if a.state == attempt.Intended {
		a.endedAt, a.slot = l.Now(), res.Sent
	}
	a.state, a.result, a.decided = res.State, res, l.Now()
}

func (l *rows) Settle(id attempt.ID, answer enrich.Answered) (cost.Charge, error) {
	a, err := l.inFlight(id)
	if err != nil {
		return cost.Charge{}, err
	}
	charge := a.intent.Hold.Answered(answer)
	a.names = answer.Names
	l.resolve(a, attempt.Resolution{State: attempt.Settled, Charge: charge, Status: answer.Status, Returned: answer.Returned, Data: answer.Data, Sent: true})
	return charge, nil
}

func (l *rows) Release(id attempt.ID, why attempt.Release) error {
	a, err := l.inFlight(id)
	if err != nil {
		return err
	}
	l.pause(a, why.PauseUntil)
	if of := &l.accounts[a.intent.Account]; why.Limit != (enrich.Limit{}) {
		of.limits = append(of.limits, attempt.Limit{
			Meters: Tariff().Limited(a.intent.Hold, why.Limit), Module: why.Limit.Module, Code: why.Reason, At: l.Now(), Until: why.Limit.Until,
		})
	}
	l.resolve(a, attempt.Resolution{State: attempt.Released, Rejected: why.Reject, Sent: why.Sent})
	return nil
}

func (l *rows) MarkInDoubt(id attempt.ID, why attempt.LostCall) error {
	a, err := l.inFlight(id)
	if err != nil {
		return err
	}
	l.pause(a, why.PauseUntil)
	a.state, a.endedAt, a.slot = attempt.InDoubt, l.Now(), true
	return nil
}

// pause pauses the account of an attempt.
func (l *rows) pause(a *row, until time.Time) {
	if of := &l.accounts[a.intent.Account]; until.After(of.pausedUntil) {
		of.pausedUntil = until
	}
}

func (l *rows) Assume(charged bool, ids ...attempt.ID) error {
	for _, id := range ids {
		if id < 1 || int(id) > len(l.attempts) || l.attempts[id-1].state != attempt.InDoubt {
			return fmt.Errorf("attempt %d is not in doubt", id)
		}
	}
	for _, id := range ids {
		a := l.attempts[id-1]
		res := attempt.Resolution{State: attempt.Released, Sent: true}
		if charged {
			res.State, res.Charge = attempt.Forfeited, a.intent.Hold.Settle(a.intent.Hold.Fields)
		}
		l.resolve(a, res)
	}
	return nil
}

func (l *rows) RebaseAccount(account attempt.Account, snapshot cost.Account) error {
	inFlight := func(a *row) bool { return a.state == attempt.Intended && a.intent.Account == account }
	if slices.ContainsFunc(l.attempts, inFlight) {
		return errors.New("the snapshot was taken while calls were in flight")
	}
	of := &l.accounts[account]
	of.limits = slices.DeleteFunc(of.limits, func(limit attempt.Limit) bool {
		before, after := of.base.Used[units], snapshot.Used[units]
		raised := snapshot.Left[units].Value+after.Value > of.base.Left[units].Value+before.Value
		return limit.Until.IsZero() && before.Known && after.Known && (raised || after.Value < before.Value) && snapshot.Left[units].Value > 0
	})
	of.base, of.baseFirst = snapshot, attempt.ID(len(l.attempts)+1)
	return nil
}

func (l *rows) RecordIn(account attempt.Account, who enrich.Identity) (attempt.Record, error) {
	return l.subject(account, who).Record, nil
}

func (l *rows) Totals(scope string) cost.Totals { return l.scope(scope).Totals }
