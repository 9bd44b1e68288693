package record

import (
	"maps"
	"slices"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// The packed forms of the records that every commit writes: the sums and the ledger state.

// totals are cost.Totals in their packed form.
type totals cost.Totals

// amounts returns the money of the sums, in the order of the form.
func (t *totals) amounts() [3]*cost.Money { return [...]*cost.Money{&t.Settled, &t.Held, &t.EverHeld} }

// counts returns what the sums count, in the order of the form.
func (t *totals) counts() [5]*int64 {
	return [...]*int64{&t.Forfeited, &t.Uncharged, &t.Lookups, &t.Whole, &t.Open}
}

// packedFields is the number of fields that the packed forms hold.
const packedFields = 2

// countsByField returns what the sums count for each field, in the order of the form.
func (t *totals) countsByField() [6]*enrich.ByField[int64] {
	return [...]*enrich.ByField[int64]{&t.FreeUsed, &t.FreeHeld, &t.FreeEverHeld, &t.Charged, &t.Asked, &t.Returned}
}

func (t *totals) pack(data []byte) []byte {
	for _, amount := range t.amounts() {
		data = appendSigned(data, *amount)
	}
	for _, count := range t.counts() {
		data = appendSigned(data, *count)
	}
	for _, counts := range t.countsByField() {
		for _, count := range counts[:packedFields] {
			data = appendSigned(data, count)
		}
	}
	return data
}

func (t *totals) unpack(from *Packet) {
	for _, amount := range t.amounts() {
		*amount = cost.Money(from.signed())
	}
	for _, count := range t.counts() {
		*count = from.signed()
	}
	for _, counts := range t.countsByField() {
		for f := range packedFields {
			counts[f] = from.signed()
		}
	}
}

func (s *Span) pack(data []byte) []byte { return appendNumber(appendNumber(data, s.First), s.Last) }

func (s *Span) unpack(from *Packet) {
	s.First, s.Last = attempt.ID(from.number()), attempt.ID(from.number())
}

func (b *State) pack(data []byte) []byte {
	data = appendNumber(data, b.NextID)
	data = appendSigned(data, b.Resolved)
	data = appendIDs(data, b.InFlight)
	data = appendNumber(data, b.Horizon)
	data = appendTime(data, b.PausedAt)
	data = appendTime(data, b.LastEnded)
	data = appendTime(data, b.PausedUntil)
	data = packAccount(data, b.Base)
	data = appendNumber(data, b.BaseFirst)
	data = appendNumber(data, b.DecidableFrom)
	for _, units := range b.Forgone[:packedFields] {
		data = appendSigned(data, units)
	}
	data = appendPrices(data, b.Prices)
	data = appendFlags(appendTime(data, b.Base.ReadAt), b.CreditAdded, b.Strict)
	data = packProvisional(data, b.Provisional)
	data = appendNumber(data, uint64(len(b.Closed)))
	for _, period := range b.Closed {
		data = appendNumber(appendNumber(data, period.First), period.Next)
		data = appendSigned(appendSigned(data, period.Lost), period.Booked)
		data = packProvisional(appendPrices(data, period.Prices), period.Provisional)
	}
	return data
}

func packProvisional(data []byte, list []Provisional) []byte {
	data = appendNumber(data, uint64(len(list)))
	for _, p := range list {
		data = append(appendNumber(data, p.ID), byte(p.Fields))
	}
	return data
}

func unpackProvisional(from *Packet) (list []Provisional) {
	for range from.count() {
		list = append(list, Provisional{attempt.ID(from.number()), from.fields()})
	}
	return list
}

func (b *State) unpack(from *Packet) {
	b.NextID, b.Resolved = attempt.ID(from.number()), from.signed()
	b.InFlight, b.Horizon = from.ids(), attempt.ID(from.number())
	b.PausedAt, b.LastEnded, b.PausedUntil = from.time(), from.time(), from.time()
	b.Base = unpackAccount(from)
	b.BaseFirst, b.DecidableFrom = attempt.ID(from.number()), attempt.ID(from.number())
	for f := range packedFields {
		b.Forgone[f] = from.signed()
	}
	b.Prices = from.prices()
	b.Base.ReadAt = from.time()
	from.flags(&b.CreditAdded, &b.Strict)
	b.Provisional = unpackProvisional(from)
	for range from.count() {
		period := ClosedPeriod{First: attempt.ID(from.number()), Next: attempt.ID(from.number())}
		period.Lost, period.Booked = cost.Money(from.signed()), cost.Money(from.signed())
		period.Prices, period.Provisional = from.prices(), unpackProvisional(from)
		b.Closed = append(b.Closed, period)
	}
}

func packAccount(data []byte, a cost.Account) []byte {
	data = appendAnswered(data, a.KeyValid)
	for f := range packedFields {
		data = appendOptional(appendOptional(data, a.Free[f]), a.FreeReserved[f])
	}
	for _, amount := range [...]cost.Optional[cost.Money]{a.Balance.Available, a.Balance.Included, a.Balance.Prepaid, a.Balance.Reserved} {
		data = appendOptional(data, amount)
	}
	data = appendFlags(data, a.Budget.Known, a.Budget.Capped)
	for _, amount := range [...]cost.Optional[cost.Money]{a.Budget.Cap, a.Budget.Spent, a.Budget.Reserved, a.Budget.Remaining} {
		data = appendOptional(data, amount)
	}
	data = appendTime(data, a.Budget.ResetsAt)
	data = appendNumber(data, uint64(len(a.Readiness)))
	for _, name := range slices.Sorted(maps.Keys(a.Readiness)) {
		ready := a.Readiness[name]
		data = appendText(appendAnswered(appendText(data, name), ready.CanCall), ready.Reason)
		data = appendOptional(data, ready.MaximumCharge)
	}
	data = appendNumber(data, uint64(len(a.Available)))
	for _, name := range slices.Sorted(maps.Keys(a.Available)) {
		data = appendFlags(appendText(data, name), a.Available[name])
	}
	return data
}

func unpackAccount(from *Packet) (a cost.Account) {
	a.KeyValid = from.answered()
	for f := range packedFields {
		a.Free[f], a.FreeReserved[f] = optional[int64](from), optional[int64](from)
	}
	for _, amount := range [...]*cost.Optional[cost.Money]{&a.Balance.Available, &a.Balance.Included, &a.Balance.Prepaid, &a.Balance.Reserved} {
		*amount = optional[cost.Money](from)
	}
	from.flags(&a.Budget.Known, &a.Budget.Capped)
	for _, amount := range [...]*cost.Optional[cost.Money]{&a.Budget.Cap, &a.Budget.Spent, &a.Budget.Reserved, &a.Budget.Remaining} {
		*amount = optional[cost.Money](from)
	}
	a.Budget.ResetsAt = from.time()
	if count := from.count(); count > 0 {
		a.Readiness = map[string]cost.Readiness{}
		for range count {
			a.Readiness[from.text()] = cost.Readiness{CanCall: from.answered(), Reason: from.text(), MaximumCharge: optional[cost.Money](from)}
		}
	}
	if count := from.count(); count > 0 {
		a.Available = map[string]bool{}
		for range count {
			name, available := from.text(), false
			from.flags(&available)
			a.Available[name] = available
		}
	}
	return a
}

// An optional is a flag, whether the value is known, and the value.
func appendOptional[N ~int64](data []byte, o cost.Optional[N]) []byte {
	return appendSigned(appendFlags(data, o.Known), o.Value)
}

func optional[N ~int64](from *Packet) (o cost.Optional[N]) {
	from.flags(&o.Known)
	o.Value = N(from.signed())
	return o
}

// appendAnswered appends the answer to a question that the service may have left open.
func appendAnswered(data []byte, o cost.Optional[bool]) []byte {
	return appendFlags(data, o.Known, o.Value)
}

func (p *Packet) answered() (o cost.Optional[bool]) {
	p.flags(&o.Known, &o.Value)
	return o
}
