// This file records what happens to values that were found for records of a CRM: the decisions about them, and when they
// were exported.

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

// SaveEvents records events. Each replaces what was recorded under its key. When it returns nil, all are durable. After an
// error, some of them may be.
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
