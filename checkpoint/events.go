// This file records what happens to values that were found for records of a CRM: the decisions about them, when they
// were exported, and what became of writing them to the CRM.

package checkpoint

import (
	"strings"

	"payonce/checkpoint/record"
	"payonce/enrich"
)

// Event records what happened to the values that were found for one record of a CRM. Key is the hash that names it.
type Event struct {
	Key enrich.Key
	record.Event
}

// EventKey returns the hash that names an event by what it is about. It is not the key of an identity.
func (j *Journal) EventKey(about ...string) enrich.Key {
	return record.KeyOf(j.secret, []byte("event\x1f"+strings.Join(about, "\x1f")))
}

// PersonKey returns the key of an identity in the account 0, by which an event is erased with the person.
func (j *Journal) PersonKey(id enrich.Identity) enrich.Key { return record.HashKey(j.secret, id) }

// Event returns the record of an event, and false when there is none.
func (j *Journal) Event(key enrich.Key) (record.Event, bool, error) {
	return record.Load[record.Event](j.store, record.EventKey(key))
}

// Events visits all events.
func (j *Journal) Events(visit func(Event) error) error {
	return j.store.Scan([]byte{record.EventPrefix}, nil, func(key, value []byte) (bool, error) {
		var event Event
		err := record.Decode(key, value, &event.Event)
		if copy(event.Key[:], key[1:]); err == nil {
			err = visit(event)
		}
		return true, err
	})
}

// ValueKey returns a hash of a value that was written to a record of a CRM.
func (j *Journal) ValueKey(value string) enrich.Key {
	return j.EventKey("value", value)
}

// SaveEvents records events. Each replaces what was recorded under its key. When it returns nil, all are durable. After
// an error, some of them may be.
func (j *Journal) SaveEvents(events []Event) error {
	var writes []Write
	size := 0
	save := func() error {
		j.lock()
		durable := j.enqueue(nil, writes...)
		j.mu.Unlock()
		writes, size = nil, 0
		return <-durable
	}
	for i := range events {
		write, err := record.Replace(j.store, record.EventKey(events[i].Key), &events[i].Event)
		if err != nil {
			return err
		}
		writes, size = append(writes, write), size+write.Size()
		if size >= maxQueue/2 {
			if err := save(); err != nil {
				return err
			}
		}
	}
	if len(writes) == 0 {
		return nil
	}
	return save()
}
