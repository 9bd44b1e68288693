package verify

import (
	"fmt"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
)

// together is how many attempts are joined with their resolutions at a time. Two passes over some of
// them are many times as fast as looking each resolution up.
const together = 1024

// joined is an attempt with its resolution.
type joined struct {
	id       attempt.ID
	intent   record.Intent
	ended    attempt.Resolution
	resolved bool
	readable bool // the intent
}

// eachAttempt calls visit for every attempt whose intent can be read, in their order. It is called
// once for each part of the identities; only the first time it reports problems.
func (c *checker) eachAttempt(visit func(*joined)) error {
	some := make([]joined, 0, together)
	next := attempt.ID(0)
	for {
		more, err := c.readIntents(next, &some)
		if err != nil {
			return err
		}
		first := next
		if len(some) > 0 {
			next = some[len(some)-1].id + 1
		}
		if err := c.joinResolutions(first, next, !more, some); err != nil {
			return err
		}
		for i := range some {
			if some[i].readable {
				c.enter(&some[i])
				visit(&some[i])
			}
		}
		if !more {
			return nil
		}
	}
}

// readIntents reads some intents from first on, and reports whether there may be more.
func (c *checker) readIntents(first attempt.ID, some *[]joined) (more bool, err error) {
	*some = (*some)[:0]
	var texts record.Texts
	err = c.store.Scan([]byte{record.IntentPrefix}, record.IDKey(record.IntentPrefix, first), func(key, value []byte) (bool, error) {
		if len(key) != record.IDKeyLength {
			c.withoutID(key)
			return true, nil
		}
		if more = len(*some) == together; more {
			return false, nil
		}
		id := record.IDOf(key)
		if c.part == 0 {
			c.checkID(id)
		}
		*some = append(*some, joined{id: id})
		a := &(*some)[len(*some)-1]
		a.readable = readOnce(c, nameOf("intent", id), key, texts.Keep(value), &a.intent)
		if a.readable && int64(a.intent.Account) >= int64(len(c.accounts)) {
			a.readable = false
			if c.part == 0 {
				c.problemOf(nameOf("intent", id), "is for account %d, which is missing", a.intent.Account)
			}
		}
		return true, nil
	})
	return more, err
}

// joinResolutions reads the resolutions of attempts, which are those from first on before next, or
// all from first on. One that belongs to no intent is a problem.
func (c *checker) joinResolutions(first, next attempt.ID, all bool, some []joined) error {
	var texts record.Texts
	return c.store.Scan([]byte{record.ResolutionPrefix}, record.IDKey(record.ResolutionPrefix, first), func(key, value []byte) (bool, error) {
		if len(key) != record.IDKeyLength {
			c.withoutID(key)
			return true, nil
		}
		id := record.IDOf(key)
		if id >= next && !all {
			return false, nil
		}
		for len(some) > 0 && some[0].id < id {
			some = some[1:]
		}
		switch {
		case len(some) == 0 || some[0].id != id:
			if c.part == 0 {
				c.problemOf(nameOf("resolution", id), "belongs to no intent")
			}
		case some[0].readable:
			some[0].resolved = readOnce(c, nameOf("resolution", id), key, texts.Keep(value), &some[0].ended)
			if !some[0].resolved {
				some[0].ended = attempt.Resolution{}
			}
		}
		return true, nil
	})
}

// readOnce is readText, and reports a problem only in the first part.
func readOnce[T record.Record](c *checker, name recordName, key []byte, value string, into *T) bool {
	if c.part == 0 {
		return readText(c, name, key, value, into)
	}
	return record.DecodeFrom(&c.packet, key, value, into) == nil
}

// withoutID reports a record of an attempt whose key has no ID.
func (c *checker) withoutID(key []byte) {
	if c.part == 0 {
		c.problem(fmt.Sprintf("record %q", key), "has no ID")
	}
}
