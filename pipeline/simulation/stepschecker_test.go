package simulation

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/service/v1"
)

// arrival checks what has to hold when a call of a step arrives at a service.
func (w *stepsWorld) arrival(f *stepsFinder, s *accountService, lookup enrich.Lookup) {
	person := lookup.Identity.ProfileURL
	w.trace("start %d, step %d: account %d is asked for %s of %s", f.number, f.step, s.number, lookup.Fields, person)
	intents := w.intents(person)
	if !slices.ContainsFunc(intents, func(in intent) bool {
		return int(in.Account) == s.number && in.Hold.Fields == lookup.Fields && !w.disk.has(recordKey('r', in.ID))
	}) {
		w.broken("P1: account %d is asked for %s of %s without an open intent on the disk", s.number, lookup.Fields, person)
	}
	s.mu.Lock()
	for field := range lookup.Fields.Each() {
		if s.paid[thing{person, field}] {
			w.broken("P1: account %d is asked for %s of %s, for which it was paid", s.number, field, person)
		}
	}
	s.mu.Unlock()
	for _, earlier := range w.Steps[:f.step] {
		if earlier.Account != s.number {
			w.inTurn(earlier, s.number, person, lookup.Fields&earlier.Wanted, intents)
		}
	}
	for _, later := range w.Steps[f.step+1:] {
		if later.Account != s.number {
			w.notTaken(later, s.number, person, lookup.Fields&later.Wanted, intents)
		}
	}
	s.inTime(f.number)
	w.withinLimits(f.number, s, lookup.Fields)
	w.underCeilings(f.stepsProcess, s)
}

// inTurn checks that an account is asked for fields of a person only after the account of an earlier step has
// none of them.
func (w *stepsWorld) inTurn(earlier stepScenario, now int, person string, fields enrich.Fields, intents []intent) {
	for f := range fields.Each() {
		asked, where := false, fmt.Sprintf("account %d is asked for %s of %s, and account %d", now, f, person, earlier.Account)
		for _, in := range intents {
			if int(in.Account) != earlier.Account || !in.Hold.Fields.Has(f) {
				continue
			}
			switch res, resolved := w.resolution(in.ID); {
			case !resolved:
				w.broken("P1: %s may still find it by attempt %d", where, in.ID)
				asked = true
			case res.State == attempt.Settled && res.Returned.Has(f):
				w.broken("P1: %s has found it", where)
			case res.State != attempt.Released || res.Rejected:
				asked = true
			}
		}
		switch {
		case asked:
		case w.isLimited(earlier):
			w.mu.Lock()
			w.passed++
			w.mu.Unlock()
		default:
			w.broken("P1: %s was not asked before", where)
		}
	}
}

// notTaken checks that the account of a later step, which may have been asked first because of a limit, neither has
// fields of a person nor may have been charged for them.
func (w *stepsWorld) notTaken(later stepScenario, now int, person string, fields enrich.Fields, intents []intent) {
	for f := range fields.Each() {
		if w.has(later.Account, f, intents) {
			w.broken("P1: account %d is asked for %s of %s, which account %d has or may have been charged for", now, f, person, later.Account)
		}
	}
}

// has reports whether an account has a field of a person, or may have been charged for it.
func (w *stepsWorld) has(account int, f enrich.Field, intents []intent) bool {
	return slices.ContainsFunc(intents, func(in intent) bool {
		if int(in.Account) != account || !in.Hold.Fields.Has(f) {
			return false
		}
		res, resolved := w.resolution(in.ID)
		return !resolved || res.State == attempt.Forfeited && res.Charge.Fields().Has(f) || res.State == attempt.Settled && res.Returned.Has(f)
	})
}

// isLimited reports whether lookups of a step may go to the next one: a limit of its account alone keeps it from asking.
func (w *stepsWorld) isLimited(step stepScenario) bool {
	s, p := w.services[step.Account], w.running()
	if !s.Counts || p == nil {
		return false
	}
	s.mu.Lock()
	told := step.Wanted.Has(v1.BusinessPhone) && len(s.limits) > 0
	s.mu.Unlock()
	most, err := s.rates().Total(step.Wanted)
	return told || err == nil && slices.ContainsFunc(p.ceilings(step.Account), func(c cost.Ceiling) bool {
		of := c.At(time.Now())
		if of.Meter == cost.USD || of.Meter == cost.Lookups {
			return false
		}
		return of.Left(w.totals(attempt.Account(step.Account).Scope(of.Scope))) < most[of.Meter]
	})
}

// inTime checks the window and the pauses of an account at its door. The process knows the pauses that it was
// asked for itself.
func (s *accountService) inTime(process int) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.arrivals); n >= s.Window.Slots {
		if since := now.Sub(s.arrivals[n-s.Window.Slots]); since < s.Window.Window {
			s.world.broken("P4: %d calls reach account %d within %s", s.Window.Slots+1, s.number, since)
		}
	}
	for _, p := range s.pauses {
		if p.start == process && now.After(p.from) && now.Before(p.until) {
			s.world.broken("P4: account %d is asked %s before its pause ends", s.number, p.until.Sub(now))
		}
	}
}

// withinLimits checks that a call does not need what the account's limit is reached of. A process knows of the
// limits that it was told itself, and of those that the disk has.
func (w *stepsWorld) withinLimits(process int, s *accountService, fields enrich.Fields) {
	if !s.Counts || !fields.Has(v1.BusinessPhone) {
		return
	}
	now := time.Now()
	s.mu.Lock()
	limits := slices.DeleteFunc(slices.Clone(s.limits), func(l filesLimit) bool { return !now.Before(l.until) || !now.After(l.from) })
	s.mu.Unlock()
	for _, limit := range limits {
		if limit.start == process || w.recorded(limit.code) {
			w.broken("P4: account %d is asked for files %s before its limit ends", s.number, limit.until.Sub(now))
		}
	}
}

// recorded reports whether the disk has an attempt that was refused with a code.
func (w *stepsWorld) recorded(code string) bool {
	return slices.ContainsFunc(w.intents(""), func(in intent) bool {
		res, resolved := w.resolution(in.ID)
		return resolved && res.Reason == code
	})
}

func (s *accountService) pausing(process int, wait time.Duration) {
	// The wait begins when the program has the response.
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pauses = append(s.pauses, pause{from: now.Add(10 * time.Microsecond), until: now.Add(wait), start: process})
}

// underCeilings checks that what all services together have charged, and what each has, is below the ceilings
// of the running process.
func (w *stepsWorld) underCeilings(p *stepsProcess, s *accountService) {
	if p.isDead() {
		return
	}
	for _, ceiling := range p.ceilings(s.number) {
		of := ceiling.At(time.Now())
		scope := of.Scope
		if of.Meter != cost.USD && of.Meter != cost.Lookups {
			scope = attempt.Account(s.number).Scope(scope)
		}
		if left := of.Left(w.totals(scope)); left < 0 {
			w.broken("P2: %s has %s more than the ceiling %q", scope, of.Format(-left), of.Name)
		}
	}
}

// charged checks the money and the units that the services have charged.
func (w *stepsWorld) charged() {
	var money int64
	for _, s := range w.services {
		s.mu.Lock()
		charged, number := s.charged, s.number
		s.mu.Unlock()
		money += charged[cost.USD]
		ledger := w.totals(attempt.Account(number).Scope(checkpoint.ScopeAll))
		known := ledger.Settled.Plus(ledger.Held)
		if number == 0 { // its scope is that of all accounts, with their money
			for _, other := range w.services[1:] {
				theirs := w.totals(attempt.Account(other.number).Scope(checkpoint.ScopeAll))
				known[cost.USD] -= theirs.Settled.Plus(theirs.Held)[cost.USD]
			}
		}
		if !charged.Within(known) {
			w.broken("P2: account %d has charged %v, and the journal has %v settled and %v held", number, charged, ledger.Settled, ledger.Held)
		}
	}
	p := w.running()
	if p == nil || p.calm {
		return
	}
	for _, ceiling := range w.Ceilings {
		if ceiling.Meter == cost.USD && ceiling.Period == cost.Ever && money > ceiling.Limit {
			w.broken("P2: the accounts have charged $%s together, the ceiling %q is $%s", cost.Money(money), ceiling.Name, cost.Money(ceiling.Limit))
		}
	}
}

func (w *stepsWorld) totals(scope string) cost.Totals {
	totals, err := read[cost.Totals](w.disk, "c"+scope)
	if err != nil && !errors.Is(err, errNoRecord) {
		w.broken("P3: the totals of %s cannot be read: %v", scope, err)
	}
	return totals
}

// intents returns the attempts on the disk about a person, or about all when it is "".
func (w *stepsWorld) intents(person string) (found []intent) {
	for _, write := range w.disk.scan("a", "") {
		in := intent{ID: attempt.ID(binary.BigEndian.Uint64(write.Key[1:]))}
		if err := record.Decode(write.Key, write.Value, &in.Intent); err != nil {
			w.broken("P3: the intent of attempt %d cannot be read: %v", in.ID, err)
		} else if person == "" || in.Identity.ProfileURL == person {
			found = append(found, in)
		}
	}
	return found
}

func (w *stepsWorld) resolution(id attempt.ID) (res attempt.Resolution, resolved bool) {
	res, err := read[attempt.Resolution](w.disk, recordKey('r', id))
	if err != nil && !errors.Is(err, errNoRecord) {
		w.broken("P3: the resolution of attempt %d cannot be read: %v", id, err)
	}
	return res, err == nil
}

// walk checks the journal after a start, and that its ledger is that of the services where nothing is open.
func (w *stepsWorld) walk() {
	if len(w.disk.scan("", "")) == 0 {
		return
	}
	store := &stepsStore{stepsProcess: &stepsProcess{world: w}}
	_, err := verify.Check(store, w.Accounts[0].catalogue(), nil, func(p verify.Problem) {
		w.broken("P2: the journal's check finds: %s %s", p.Record, p.Text)
	})
	if err != nil {
		w.broken("P3: the journal cannot be checked: %v", err)
	}
	w.charged()
	booked := make([]cost.Amounts, len(w.services))
	open := make([]bool, len(w.services))
	for _, in := range w.intents("") {
		res, resolved := w.resolution(in.ID)
		if int(in.Account) >= len(booked) {
			w.broken("P2: attempt %d is of account %d", in.ID, in.Account)
			continue
		}
		booked[in.Account] = booked[in.Account].Plus(res.Charge.Amounts)
		open[in.Account] = open[in.Account] || !resolved
	}
	for n, s := range w.services {
		if !s.Counts { // free units are no charge of the service
			booked[n] = cost.OfMoney(booked[n].Money())
		}
		s.mu.Lock()
		charged, free := s.charged, s.Free != (enrich.ByField[int64]{})
		s.mu.Unlock()
		if !open[n] && (charged != booked[n] && !free || !charged.Within(booked[n])) {
			w.broken("P2: account %d has charged %v, and the journal has booked %v", n, charged, booked[n])
		}
	}
}

// checkEnd checks the output of a run that has nothing left to do, and that every step did what it had to.
func (w *stepsWorld) checkEnd() {
	if w.stopped != nil {
		return // what is missing could not be paid for
	}
	p := &stepsProcess{world: w}
	if err := p.write(); err != nil {
		w.broken("P3: the output cannot be written: %v", err)
	}
}

// write writes the output and compares each row with what the services have.
func (p *stepsProcess) write() (err error) {
	w := p.world
	if p.journals, err = w.openToRead(p); err != nil {
		return err
	}
	all := p.listSteps()
	rows, err := all.After(csvList(w.list), len(all))
	if err != nil {
		return err
	}
	reader, err := csvList(w.list).Open(nil)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	out := csvtable.NewWriter(&text, reader.(*csvtable.Reader), all.Outputs().Columns(reader.Schema()))
	_, err = rows.Write(context.Background(), csvList(w.list), out, nil)
	if err = errors.Join(err, out.Close(), rows.Close(), reader.Close()); err != nil {
		return err
	}
	got, err := csv.NewReader(bytes.NewReader(text.Bytes())).ReadAll()
	if err != nil {
		return err
	}
	list := readRows(w.list)
	if len(got) != len(list) {
		w.broken("P3: the output has %d rows, the list has %d", len(got), len(list))
		return nil
	}
	for n := range list[1:] {
		w.checkRow(list[n+1], got[n+1])
	}
	return nil
}

func (w *stepsWorld) openToRead(p *stepsProcess) ([]*checkpoint.Journal, error) {
	first := w.Accounts[0]
	journal, err := checkpoint.Read(&stepsStore{stepsProcess: p}, checkpoint.Options{
		Catalogue: first.catalogue(), Tariff: first.tariff(), Rate: first.Window, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	journals := []*checkpoint.Journal{journal}
	for n := 1; n < len(w.Accounts); n++ {
		of, err := journal.For(attempt.Account(n))
		if err != nil {
			return nil, err
		}
		journals = append(journals, of)
	}
	return journals, nil
}

// checkRow compares the values of a row with those of the first step that finds each. What is in doubt or
// was charged and lost has no value.
func (w *stepsWorld) checkRow(list, got []string) {
	person := list[0]
	intents := w.intents(person)
	for f := range v1.AllFields.Each() {
		column := 1 + int(f)
		want, certain := list[column], true
		for n, step := range w.Steps {
			s := w.services[step.Account]
			if want != "" || !certain || !step.Wanted.Has(f) {
				continue
			}
			asked := false
			for _, in := range intents {
				if int(in.Account) != s.number || !in.Hold.Fields.Has(f) {
					continue
				}
				res, resolved := w.resolution(in.ID)
				asked = asked || res.State != attempt.Released || res.Rejected
				certain = certain && resolved && res.State != attempt.Forfeited
				if certain && res.State == attempt.Settled && s.truth(person, enrich.FieldsOf(f)) != 0 {
					want = s.value(person, f)
				}
			}
			taken := slices.ContainsFunc(w.Steps[n+1:], func(later stepScenario) bool {
				return later.Account != step.Account && later.Wanted.Has(f) && w.has(later.Account, f, intents)
			})
			if !asked && !taken {
				w.broken("P3: account %d was not asked for %s of %s", s.number, f, person)
			}
		}
		if certain && got[column] != want {
			w.broken("P3: the output has %q as %s of %s, want %q", got[column], f, person, want)
		}
	}
}
