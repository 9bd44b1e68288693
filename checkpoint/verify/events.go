package verify

import (
	"fmt"

	"payonce/checkpoint/record"
	"payonce/enrich"
)

// checkEvents checks the records of events: whether they can be read, and whether each field is there once.
func (c *checker) checkEvents() error {
	return c.store.Scan([]byte{record.EventPrefix}, nil, func(key, value []byte) (bool, error) {
		var event record.Event
		name := fmt.Sprintf("event %x", key[1:])
		if !read(c, name, key, value, &event) {
			return true, nil
		}
		if len(key) != 1+len(enrich.Key{}) {
			c.problem(name, "has a key of %d bytes", len(key))
		}
		fields := map[string]bool{}
		for _, one := range event.Fields {
			if fields[one.Field] {
				c.problem(name, "has the field %q twice", one.Field)
			}
			fields[one.Field] = true
		}
		return true, nil
	})
}
