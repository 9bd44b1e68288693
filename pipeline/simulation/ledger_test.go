package simulation

import (
	"encoding/binary"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
)

// ledger parts in time what the journal sets off at one instant, and checks that
// what it calls durable is.
type ledger struct {
	*process
	dispatch.Ledger
	begun int
}

func (l *ledger) Begin(req attempt.Request) (attempt.Decision, error) {
	l.begun++
	l.beat("begin", l.begun)
	at := time.Now()
	decision, err := l.Ledger.Begin(req)
	granted, ok := decision.(attempt.Granted)
	if !ok || err != nil {
		return decision, err
	}
	return attempt.Granted{Ticket: func() (attempt.Ticket, error) {
		ticket, err := granted.Ticket()
		l.world.check.begins(l.process, ticket.ID, at)
		l.beat("ticket", ticket.ID)
		l.told(err, "a ticket", 'a', ticket.ID)
		return ticket, err
	}}, nil
}

func (l *ledger) Settle(id attempt.ID, answer enrich.Answered) (cost.Charge, error) {
	l.beat("settle", id)
	charge, err := l.Ledger.Settle(id, answer)
	l.told(err, "an answer", 'r', id)
	l.beat("settled", id)
	return charge, err
}

func (l *ledger) Release(id attempt.ID, why attempt.Release) error {
	l.beat("void", id)
	err := l.Ledger.Release(id, why)
	l.told(err, "a refusal", 'r', id)
	if err == nil && !why.PauseUntil.IsZero() {
		l.world.check.pauseKept(l.process, why.PauseUntil)
	}
	l.beat("voided", id)
	return err
}

func (l *ledger) MarkInDoubt(id attempt.ID, why attempt.LostCall) error {
	l.beat("park", id)
	err := l.Ledger.MarkInDoubt(id, why)
	if l.resolved(id) == nil {
		l.told(err, "a loss", 'd', id)
	}
	if err == nil && !why.PauseUntil.IsZero() {
		l.world.check.pauseKept(l.process, why.PauseUntil)
	}
	l.beat("parked", id)
	return err
}

// told checks that what was said to be durable stands on the disk.
func (l *ledger) told(err error, what string, prefix byte, id attempt.ID) {
	if err != nil || l.isDead() {
		return
	}
	if key := recordKey(prefix, id); l.world.disk.get(key) == nil && !l.world.database.hasLost(key) {
		l.world.check.broken("P3: %s of attempt %d is used and not on the disk", what, id)
	}
}

// beat lets a moment pass, and as long as the process is stopped.
func (l *ledger) beat(what string, id any) {
	l.waitWhileStopped()
	l.world.beat(what, l.number, id)
}

func (l *ledger) resolved(id attempt.ID) []byte { return l.world.disk.get(recordKey('r', id)) }

// recordKey is the key of a record about an attempt.
func recordKey(prefix byte, id attempt.ID) string {
	return string(binary.BigEndian.AppendUint64([]byte{prefix}, uint64(id)))
}
