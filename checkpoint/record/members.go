package record

import (
	"maps"
	"slices"

	"payonce/cost"
	"payonce/io/numbered"
)

// The members of the records of sums, the ledger state and runs.

func totalsMembers(m *numbered.Members, t *cost.Totals) {
	amounts(m, 1, &t.Settled)
	amounts(m, 2, &t.Held)
	amounts(m, 3, &t.EverHeld)
	numbered.Int(m, 4, &t.Forfeited)
	numbered.Int(m, 5, &t.Uncharged)
	numbered.Int(m, 6, &t.Lookups)
	numbered.Int(m, 7, &t.Whole)
	numbered.Int(m, 8, &t.Open)
	// By field, in the order of the fields' numbers.
	numbered.Ints(m, 9, t.Charged[:])
	numbered.Ints(m, 10, t.Asked[:])
	numbered.Ints(m, 11, t.Returned[:])
	amounts(m, 12, &t.Exceeded)
}

func spanMembers(m *numbered.Members, s *Span) {
	numbered.Uint(m, 1, &s.First)
	numbered.Uint(m, 2, &s.Last)
}

func stateMembers(m *numbered.Members, s *State) {
	numbered.Uint(m, 1, &s.NextID)
	numbered.Int(m, 2, &s.Resolved)
	numbered.Uints(m, 3, &s.InFlight)
	horizon := s.Horizon
	numbered.Uint(m, 4, &horizon)
	accounts := make([]numberedAccount, 0, 1+len(s.Others))
	accounts = append(accounts, numberedAccount{Account: s.Account})
	for n, a := range s.Others {
		accounts = append(accounts, numberedAccount{uint64(n) + 1, a})
	}
	accounts[0].Horizon = 0 // it is member 4
	numbered.List(m, 5, &accounts, numberedAccountMembers)
	if s.NextID == 0 || len(accounts) == 0 {
		m.Fail() // the first attempt has the number 1
		return
	}
	s.Others = nil
	for n, a := range accounts {
		if a.number != uint64(n) {
			m.Fail() // the accounts are in the order of their numbers
			return
		}
		if n > 0 {
			s.Others = append(s.Others, a.Account)
		}
	}
	s.Account, s.Horizon = accounts[0].Account, horizon
}

// numberedAccount is an account with its number. Programs that know one account do not know that
// number, so they do not continue a journal with several.
type numberedAccount struct {
	number uint64
	Account
}

func numberedAccountMembers(m *numbered.Members, a *numberedAccount) {
	numbered.Uint(m, 1, &a.number)
	accountMembers(m, &a.Account)
	numbered.Uint(m, 14, &a.Horizon)
}

// registrationMembers describes what identifies an account.
func registrationMembers(m *numbered.Members, r *Registration) {
	numbered.Text(m, 1, &r.Interface)
	numbered.Text(m, 2, &r.Service)
	numbered.Bytes(m, 3, &r.Fingerprint)
	numbered.Texts(m, 4, &r.Fields)
	if r.Interface == "" || len(r.Fields) == 0 {
		m.Fail()
	}
}

func firstAccountMembers(m *numbered.Members, f *FirstAccount) { numbered.Text(m, 1, &f.Service) }

func accountMembers(m *numbered.Members, a *Account) {
	numbered.Time(m, 2, &a.PausedAt)
	numbered.Time(m, 3, &a.PausedUntil)
	numbered.Time(m, 4, &a.LastEnded)
	numbered.Value(m, 5, &a.Base, snapshotMembers)
	numbered.Uint(m, 6, &a.BaseFirst)
	numbered.Uint(m, 7, &a.DecidableFrom)
	amounts(m, 8, &a.UsedByOthers)
	numbered.Value(m, 9, &a.Rates, ratesMembers)
	numbered.Flag(m, 10, &a.CreditAdded)
	numbered.List(m, 11, &a.Provisional, provisionalMembers)
	numbered.List(m, 12, &a.Closed, closedPeriodMembers)
	numbered.Flag(m, 13, &a.Strict)
	// 14 is the horizon of a numberedAccount.
	numbered.List(m, 15, &a.Limits, reachedLimitMembers)
	numbered.Int(m, 16, &a.RateSlots)
	numbered.Int(m, 17, &a.RateWindow)
	numbered.Value(m, 18, &a.Seen, seenMembers)
	numbered.List(m, 19, &a.Answered, answeredMembers)
	numbered.List(m, 20, &a.Confirmed, operationMembers)
	numbered.Uint(m, 21, &a.Spans)
	numbered.Uint(m, 22, &a.DrainedBy)
}

func seenMembers(m *numbered.Members, s *cost.Seen) {
	numbered.Value(m, 1, &s.Last, snapshotMembers)
	numbered.Int(m, 2, &s.Ended)
	numbered.Flag(m, 3, &s.BeganAgain)
	numbered.Flag(m, 4, &s.Renewed)
}

func answeredMembers(m *numbered.Members, a *AnsweredCalls) {
	operationMembers(m, &a.Operation)
	numbered.Int(m, 3, &a.Calls)
}

func operationMembers(m *numbered.Members, o *cost.Operation) {
	numbered.Text(m, 1, &o.Name)
	numbered.Uint(m, 2, &o.Meters)
}

func reachedLimitMembers(m *numbered.Members, l *ReachedLimit) {
	numbered.Uint(m, 1, &l.Meters)
	numbered.Text(m, 2, &l.Module)
	numbered.Text(m, 3, &l.Code)
	numbered.Time(m, 4, &l.At)
	numbered.Time(m, 5, &l.Until)
	optional(m, 6, &l.Total)
	optional(m, 7, &l.Used)
}

func provisionalMembers(m *numbered.Members, p *Provisional) {
	numbered.Uint(m, 1, &p.ID)
	fields(m, 2, &p.Fields)
}

func closedPeriodMembers(m *numbered.Members, p *ClosedPeriod) {
	numbered.Uint(m, 1, &p.First)
	numbered.Uint(m, 2, &p.Next)
	amounts(m, 3, &p.Lost)
	amounts(m, 4, &p.Booked)
	numbered.Value(m, 5, &p.Rates, ratesMembers)
	numbered.List(m, 6, &p.Provisional, provisionalMembers)
	amounts(m, 7, &p.Excess)
	numbered.Time(m, 8, &p.From)
	numbered.Time(m, 9, &p.To)
	numbered.Uint(m, 10, &p.Shown)
	numbered.Text(m, 11, &p.Why)
}

func snapshotMembers(m *numbered.Members, a *cost.Account) {
	numbered.Time(m, 1, &a.ReadAt)
	optionalFlag(m, 2, &a.KeyValid)
	free, freeReserved, most, left, reserved, used := a.Free[:], a.FreeReserved[:], a.Most[:], a.Left[:], a.Reserved[:], a.Used[:]
	numbered.Value(m, 3, &free, optionalsMembers)
	numbered.Value(m, 4, &freeReserved, optionalsMembers)
	numbered.Value(m, 5, &a.Balance, balanceMembers)
	numbered.Value(m, 6, &a.Budget, budgetMembers)
	mapMembers(m, 7, &a.Readiness, readinessMembers)
	numbered.Value(m, 9, &most, optionalsMembers)
	mapMembers(m, 8, &a.Available, func(m *numbered.Members, available *bool) { numbered.Flag(m, 2, available) })
	numbered.Value(m, 10, &left, optionalsMembers)
	numbered.Value(m, 11, &reserved, optionalsMembers)
	numbered.Value(m, 12, &used, optionalsMembers)
	mapMembers(m, 13, &a.OtherUsed, func(m *numbered.Members, used *int64) { numbered.Int(m, 2, used) })
}

// optionalsMembers describes amounts by field or meter: that of a field has the number of the field
// plus one.
func optionalsMembers[N ~int64](m *numbered.Members, amounts *[]cost.Optional[N]) {
	for i := range *amounts {
		optional(m, i+1, &(*amounts)[i])
	}
}

func balanceMembers(m *numbered.Members, b *cost.Balance) {
	optional(m, 1, &b.Available)
	optional(m, 2, &b.Included)
	optional(m, 3, &b.Prepaid)
	optional(m, 4, &b.Reserved)
}

func budgetMembers(m *numbered.Members, b *cost.Budget) {
	numbered.Flag(m, 1, &b.Known)
	numbered.Flag(m, 2, &b.Capped)
	optional(m, 3, &b.Cap)
	optional(m, 4, &b.Spent)
	optional(m, 5, &b.Reserved)
	optional(m, 6, &b.Remaining)
	numbered.Time(m, 7, &b.ResetsAt)
}

func readinessMembers(m *numbered.Members, r *cost.Readiness) {
	optionalFlag(m, 2, &r.CanCall)
	numbered.Text(m, 3, &r.Reason)
	optional(m, 4, &r.MaximumCharge)
}

func optional[N ~int64](m *numbered.Members, number int, o *cost.Optional[N]) {
	numbered.OptionalInt(m, number, &o.Value, &o.Known)
}

func optionalFlag(m *numbered.Members, number int, o *cost.Optional[bool]) {
	var value int64
	if o.Value {
		value = 1
	}
	numbered.OptionalInt(m, number, &value, &o.Known)
	o.Value = value != 0
}

// named is an entry of a map.
type named[V any] struct {
	name  string
	value V
}

// mapMembers describes a map as the list of its entries, in the order of their names, which are
// their members 1.
func mapMembers[V any](m *numbered.Members, number int, entries *map[string]V, members func(*numbered.Members, *V)) {
	var list []named[V]
	if m.Writing() {
		for _, name := range slices.Sorted(maps.Keys(*entries)) {
			list = append(list, named[V]{name, (*entries)[name]})
		}
	}
	numbered.List(m, number, &list, func(m *numbered.Members, entry *named[V]) {
		numbered.Text(m, 1, &entry.name)
		members(m, &entry.value)
	})
	if m.Writing() || len(list) == 0 {
		return
	}
	*entries = make(map[string]V, len(list))
	for _, entry := range list {
		(*entries)[entry.name] = entry.value
	}
}

func journalMembers(m *numbered.Members, j *Journal) {
	numbered.Text(m, 1, &j.ID)
	numbered.Bytes(m, 2, &j.Secret)
	if j.ID == "" {
		m.Fail()
	}
}

func prunedMembers(m *numbered.Members, p *Pruned) {
	numbered.Time(m, 1, &p.Before)
	numbered.Uint(m, 2, &p.Next)
}

func runMembers(m *numbered.Members, r *Run) {
	numbered.Text(m, 1, &r.Name)
	numbered.Text(m, 2, &r.List)
	numbered.Texts(m, 3, &r.Files)
	numbered.Text(m, 4, &r.Encoding)
	numbered.Text(m, 5, &r.Sheet)
	numbered.Text(m, 6, &r.Fields)
	numbered.Texts(m, 7, &r.Map)
	numbered.Text(m, 8, &r.Prefer)
	numbered.Int(m, 9, &r.Limit)
	numbered.Flag(m, 10, &r.Profile)
	numbered.Text(m, 11, &r.Priority)
	numbered.Text(m, 12, &r.Job)
	numbered.Text(m, 13, &r.Output)
	numbered.Int(m, 14, &r.MaxSpend)
	numbered.List(m, 15, &r.Ceilings, ceilingMembers)
	numbered.Time(m, 16, &r.Started)
	numbered.Time(m, 17, &r.Restarted)
	numbered.Time(m, 18, &r.Ended)
	numbered.Text(m, 19, &r.Stop)
	mapMembers(m, 20, &r.Rows, func(m *numbered.Members, rows *int64) { numbered.Int(m, 2, rows) })
	numbered.Value(m, 21, &r.Drift, driftMembers)
	numbered.Flag(m, 22, &r.CopyHeld)
	numbered.Texts(m, 23, &r.Columns)
	numbered.Text(m, 24, &r.Header)
	numbered.Text(m, 25, &r.Held)
	numbered.Int(m, 26, &r.HeaderRow)
	numbered.Text(m, 27, &r.Delimiter)
	numbered.Texts(m, 28, &r.From)
	numbered.Value(m, 29, &r.Choice, choiceMembers)
	numbered.List(m, 30, &r.ModuleDrifts, moduleDriftMembers)
	numbered.List(m, 31, &r.Accounts, askedMembers)
	numbered.List(m, 32, &r.Waits, waitedMembers)
	numbered.Value(m, 33, &r.Steps, stepEndsMembers)
	numbered.Texts(m, 34, &r.Users)
	numbered.Flag(m, 35, &r.CompleteFirst)
	numbered.Text(m, 36, &r.People)
	numbered.Value(m, 37, &r.Search, peopleSearchMembers)
}

func peopleSearchMembers(m *numbered.Members, s *PeopleSearch) {
	numbered.Int(m, 1, &s.PerCompany)
	numbered.Int(m, 2, &s.PerPage)
	numbered.Text(m, 3, &s.Filters)
	numbered.Text(m, 4, &s.Column)
	numbered.Text(m, 5, &s.Header)
}

func stepEndsMembers(m *numbered.Members, s *StepEnds) {
	numbered.Time(m, 1, &s.Start)
	numbered.List(m, 2, &s.Ends, stepEndMembers)
}

func stepEndMembers(m *numbered.Members, e *StepEnd) {
	numbered.Text(m, 1, &e.Step)
	numbered.Text(m, 2, &e.Stop)
	numbered.List(m, 3, &e.NotSent, notSentMembers)
}

func notSentMembers(m *numbered.Members, n *NotSent) {
	numbered.Text(m, 1, &n.Reason)
	numbered.Text(m, 2, &n.Module)
	numbered.Int(m, 3, &n.Lookups)
}

func waitedMembers(m *numbered.Members, w *Waited) {
	numbered.Text(m, 1, &w.For)
	numbered.Int(m, 2, &w.Milliseconds)
	numbered.Text(m, 3, &w.Month)
}

func askedMembers(m *numbered.Members, a *AskedAccount) {
	numbered.Uint(m, 1, &a.Account)
	numbered.List(m, 2, &a.Ceilings, ceilingMembers)
}

func moduleDriftMembers(m *numbered.Members, d *ModuleDrift) {
	numbered.Uint(m, 1, &d.Account)
	numbered.Text(m, 2, &d.Module)
	numbered.Int(m, 3, &d.Units)
	numbered.Text(m, 4, &d.CountedOn)
}

func choiceMembers(m *numbered.Members, c *Choice) {
	numbered.Text(m, 1, &c.Selected)
	numbered.Flag(m, 2, &c.Resolve)
	numbered.Flag(m, 3, &c.AcceptMismatch)
	numbered.Flag(m, 4, &c.Fallback)
	numbered.Text(m, 5, &c.Figures)
	numbered.Text(m, 6, &c.Years)
	numbered.Flag(m, 7, &c.FallbackOfPersons)
	numbered.Flag(m, 8, &c.FallbackChosen)
}

func ceilingMembers(m *numbered.Members, c *cost.Ceiling) {
	numbered.Text(m, 1, &c.Name)
	numbered.Text(m, 2, &c.Scope)
	numbered.Uint(m, 3, &c.Period)
	numbered.Uint(m, 4, &c.Meter)
	numbered.Int(m, 5, &c.Limit)
}

func driftMembers(m *numbered.Members, d *cost.Drift) {
	amounts(m, 1, &d.Lost)
	numbered.Ints(m, 2, d.Prices[:])
	amounts(m, 3, &d.Misplaced.Units)
	numbered.Text(m, 4, &d.Misplaced.On)
	numbered.Flag(m, 5, &d.Misplaced.Lasting)
}
