package checkpoint

import (
	"errors"
	"flag"
	"fmt"
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/ledgertest"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/service/v1"
)

var pairSeeds = flag.Int("pair.seeds", 3, "how many random histories two journals on one database go through")

// pair is two journals on one database, as two processes have them. The steps of a test go to one and the other in turn.
type pair struct {
	journals [2]*Journal
	steps    int
	begun    map[attempt.ID]int // which of them began an attempt
}

// next returns the journal of the next step, and its place.
func (p *pair) next() (*Journal, int) {
	p.steps++
	at := p.steps % 2
	return p.journals[at], at
}

func (p *pair) Begin(req attempt.Request) (attempt.Decision, error) {
	j, at := p.next()
	decision, err := j.Begin(req)
	switch d := decision.(type) {
	case attempt.Granted:
		ticket, err := d.Ticket()
		p.begun[ticket.ID] = at
		return attempt.Granted{Ticket: func() (attempt.Ticket, error) { return ticket, err }}, err
	case attempt.Blocked:
		return attempt.Blocked{}, err // when to ask again is not compared
	}
	return decision, err
}

func (p *pair) Settle(id attempt.ID, answer enrich.Answered) (cost.Charge, error) {
	return p.journals[p.begun[id]].Settle(id, answer)
}

func (p *pair) Release(id attempt.ID, why attempt.Release) error {
	return p.journals[p.begun[id]].Release(id, why)
}

func (p *pair) MarkInDoubt(id attempt.ID, why attempt.LostCall) error {
	return p.journals[p.begun[id]].MarkInDoubt(id, why)
}

func (p *pair) RebaseAccount(account attempt.Account, snapshot cost.Account) error {
	j, _ := p.next()
	on, err := j.For(account)
	if err != nil {
		return err
	}
	on.BeginReading()
	on.lock()
	quiet := on.wasQuiet()
	on.mu.Unlock()
	before := on.Base()
	if err := on.Rebase(snapshot); err != nil || quiet {
		return err
	}
	if after := on.Base(); !after.ReadAt.Equal(before.ReadAt) {
		return errors.New("the base changed while a call of another process was in flight")
	}
	return errors.New("a call of another process is in flight")
}

func (p *pair) Assume(charged bool, ids ...attempt.ID) error {
	j, _ := p.next()
	return j.Assume(charged, ids...)
}

func (p *pair) Totals(scope string) cost.Totals {
	j, _ := p.next()
	return j.Totals(scope)
}

func (p *pair) RecordIn(account attempt.Account, who enrich.Identity) (attempt.Record, error) {
	j, _ := p.next()
	return recordIn(j, account, who)
}

func (p *pair) close(t testing.TB) {
	for _, j := range p.journals {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

// pairs returns a New of pairs of journals on a server.
func pairs(server *iotest.PostgresServer) ledgertest.New {
	return func(t testing.TB, options ledgertest.Options) func() ledgertest.Journal {
		workspace := fmt.Sprint("w", workspaces.Add(1))
		var last *pair
		t.Cleanup(func() {
			if last != nil {
				last.close(t)
			}
		})
		return func() ledgertest.Journal {
			if last != nil {
				last.close(t)
			}
			last = &pair{begun: map[attempt.ID]int{}}
			for i := range last.journals {
				j, err := New(openPostgres(t, server, workspace), Options{
					Catalogue: v1.Catalogue(), Tariff: ledgertest.Tariff(), Rate: options.Rates[0], Now: options.Now,
				})
				if err != nil {
					t.Fatal(err)
				}
				last.journals[i] = j
				terms := AccountOptions{Catalogue: v1.Catalogue(), Tariff: ledgertest.Tariff(), Rate: options.Rates[1]}
				if number, err := j.Account(secondID, terms); number != 1 || err != nil {
					t.Fatalf("the second account has the number %d, error %v", number, err)
				}
			}
			return last
		}
	}
}

// TestTwoJournalsConformAsOne runs the conformance suite on two journals that take the steps in turn.
func TestTwoJournalsConformAsOne(t *testing.T) {
	ledgertest.Run(t, pairs(iotest.StartPostgres(t, "fsync=on")))
}

// TestTwoJournalsDecideAsRowsDo compares two journals on one database, which take random steps in turn, with a ledger
// that loads each view from the rows of all attempts.
func TestTwoJournalsDecideAsRowsDo(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	for seed := range uint64(*pairSeeds) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { ledgertest.Compare(t, seed, pairs(server), ledgertest.Rows) })
	}
}
