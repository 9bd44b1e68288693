package verify

import (
	"bytes"
	"cmp"
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// facts compare the index of fields with the attempts. What the attempts say of each field is sorted
// by identity, which is the order of the index.
//
// To limit the memory, the identities are divided by their keys into parts, each with about atOnce facts. The
// attempts are read once for each part.
type facts struct {
	atOnce      uint64 // about how many are in memory
	part, parts int
	list        []fact
}

// fact is what an attempt says of a field.
type fact struct {
	key       enrich.Key
	id        attempt.ID
	at        int64 // when the attempt ended
	field     enrich.Field
	state     attempt.FieldState // that the index has to give; Unasked when the attempt decided nothing
	charged   bool
	forfeited bool
	erased    bool // the identity
	search    bool // it is a page of a search, which may be asked for again when it is old
	// upTo says that what attempts up to this one answered was asked for again, because of an observed change.
	upTo attempt.ID
}

// factsAtOnce is how many facts a check holds in memory. They take 48 bytes each.
const factsAtOnce = 1 << 20

// allKeys is how many values the byte of a key has that decides its part.
const allKeys = 256

// divide divides the identities of the attempts before next.
func (f *facts) divide(next attempt.ID) {
	most := 2 * uint64(next)
	f.parts = int(min(allKeys, 1+most/f.atOnce))
	f.list = make([]fact, 0, min(most, f.atOnce))
}

// partOf returns the part of a key by its first byte.
func (f *facts) partOf(first byte) int { return int(first) * f.parts / allKeys }

// enter adds what an attempt says of its fields, if its identity is in the part.
func (f *facts) enter(a *joined) {
	in, res := &a.intent, &a.ended
	if f.partOf(in.Key[0]) != f.part {
		return
	}
	charged := res.Charge.Fields()
	fields := in.Hold.Fields | charged
	for field := range fields.Each() {
		said := fact{
			key: in.Key, id: a.id, field: field, charged: a.resolved && charged.Has(field),
			forfeited: res.State == attempt.Forfeited, erased: in.Erased, search: in.Pattern == enrich.BySearch.String(),
			upTo: in.UpTo,
		}
		if a.resolved && in.Hold.Fields.Has(field) {
			said.state, said.at = decided(res, field, charged), res.At.UnixNano()
		}
		f.list = append(f.list, said)
	}
	if fields == 0 { // a damaged intent
		f.list = append(f.list, fact{key: in.Key, id: a.id, erased: in.Erased})
	}
}

// decided returns what the index of fields has to say after a resolution.
func decided(res *attempt.Resolution, f enrich.Field, charged enrich.Fields) attempt.FieldState {
	switch {
	case res.State == attempt.Settled && res.Returned.Has(f):
		return attempt.Found
	case res.State == attempt.Settled:
		return attempt.Missing
	case res.State == attempt.Forfeited && charged.Has(f):
		return attempt.PaidAndGone
	case res.State == attempt.Released && res.Rejected:
		return attempt.Rejected
	}
	return attempt.Unasked
}

func (s *fact) name() recordName {
	return recordName{field: record.KeyedField{Key: s.key, Field: s.field}}
}

// compare orders facts as the index does, and those of one field by attempt.
func (s fact) compare(other fact) int {
	return cmp.Or(bytes.Compare(s.key[:], other.key[:]), cmp.Compare(s.field, other.field), cmp.Compare(s.id, other.id))
}

// checkOtherParts checks the fields of the identities after the first part.
func (c *checker) checkOtherParts() error {
	for c.part = 1; c.part < c.parts; c.part++ {
		if err := c.eachAttempt(func(*joined) {}); err != nil {
			return err
		}
		if err := c.checkFields(); err != nil {
			return err
		}
	}
	return nil
}

// checkFields compares the index of one part with the facts.
func (c *checker) checkFields() error {
	slices.SortFunc(c.list, fact.compare)
	w := walk{checker: c, rest: c.list}
	first := 0
	for c.partOf(byte(first)) < c.part {
		first++
	}
	from := []byte{record.FieldPrefix}
	if first > 0 {
		from = append(from, byte(first))
	}
	err := c.store.Scan([]byte{record.FieldPrefix}, from, func(key, value []byte) (bool, error) {
		if len(key) > 1 && c.partOf(key[1]) > c.part {
			return false, nil
		}
		field, ok := record.FieldOf(key)
		if !ok {
			c.problem("a field record", "has a key that names no field")
			return true, nil
		}
		w.check(field, key, value)
		return true, nil
	})
	w.endBefore(nil)
	c.list = c.list[:0]
	return err
}

// walk goes through the facts in the order of the index.
type walk struct {
	*checker
	rest   []fact     // that were not looked at
	key    enrich.Key // of the last identity
	begun  bool
	erased bool // whether one of the identity's attempts is
}

// check checks one record of the index.
func (w *walk) check(field record.KeyedField, key, value []byte) {
	w.endBefore(&field)
	var want *fact
	if len(w.rest) > 0 && w.rest[0].key == field.Key && w.rest[0].field == field.Field {
		want = w.take()
	}
	name := recordName{field: field}
	var entry record.FieldEntry
	if !readText(w.checker, name, key, string(value), &entry) {
		return
	}
	switch {
	case entry.State == attempt.Forgotten:
		if want != nil && !w.erased {
			w.problemOf(name, "is forgotten, and attempt %d still holds the identity", want.id)
		}
		if !w.forgotten[field.Key] && !w.isForgottenFormer(field.Key) {
			w.problemOf(name, "is forgotten, and nothing marks the identity")
		}
	case w.forgotten[field.Key]:
		w.problemOf(name, "is not forgotten, and the identity is marked")
	case want == nil:
		w.problemOf(name, "points to attempt %d, which decided nothing about it", entry.Attempt)
	case entry.State != want.state || entry.Attempt != want.id || entry.At.UnixNano() != want.at:
		w.problemOf(name, "says state %d by attempt %d, and attempt %d made it state %d", entry.State, entry.Attempt, want.id, want.state)
	}
}

// isForgottenFormer reports whether a key is a former one of an identity that is marked as forgotten. Its fields of
// others are not.
func (c *checker) isForgottenFormer(key enrich.Key) bool {
	return slices.ContainsFunc(c.formerOf[key], func(own enrich.Key) bool { return c.forgotten[own] })
}

// endBefore reports the fields before one, or all, that the index lacks.
func (w *walk) endBefore(field *record.KeyedField) {
	for len(w.rest) > 0 {
		if field != nil && w.rest[0].compare(fact{key: field.Key, field: field.Field}) > 0 {
			return // a fact has an attempt, so that of the field itself comes later, too
		}
		if want := w.take(); want != nil {
			w.problemOf(want.name(), "is missing: attempt %d decided it", want.id)
		}
	}
}

// nameOf returns the name of the field in the interface of the attempt.
func (w *walk) nameOf(s *fact) string {
	c, _ := w.names().ofAttempt(s.id)
	return c.Name(s.field)
}

// take takes the facts of the next field. It returns the last one that decided the field. A field that
// was charged before is a problem: only what was forfeited, what was answered before an observed change, and pages of
// searches, may be bought again.
func (w *walk) take() (last *fact) {
	w.beginIdentity()
	var paid *fact
	first := w.rest[0]
	for len(w.rest) > 0 && w.rest[0].key == first.key && w.rest[0].field == first.field {
		s := &w.rest[0]
		if s.charged {
			renewed := paid != nil && paid.id <= s.upTo && w.observed[s.upTo]
			if paid != nil && !paid.forfeited && !s.search && !renewed {
				w.problemOf(nameOf("resolution", s.id), "pays for %s a second time: attempt %d paid for it before", w.nameOf(s), paid.id)
			}
			paid = s
		}
		if s.state != attempt.Unasked {
			last = s
		}
		w.rest = w.rest[1:]
	}
	return last
}

// beginIdentity notes whether the next identity was erased, and counts it.
func (w *walk) beginIdentity() {
	if w.begun && w.key == w.rest[0].key {
		return
	}
	w.begun, w.key, w.erased = true, w.rest[0].key, false
	w.summary.Identities++
	for i := 0; i < len(w.rest) && w.rest[i].key == w.key; i++ {
		w.erased = w.erased || w.rest[i].erased
	}
}
