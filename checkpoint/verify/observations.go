package verify

import (
	"fmt"

	"payonce/checkpoint/record"
)

// checkObservations checks the records of observations: whether they can be read, and whether the attempts that they
// name have begun. Otherwise a later attempt would get the number, and its answer could be bought again.
func (c *checker) checkObservations() error {
	return c.store.Scan([]byte{record.ObservedPrefix}, nil, func(key, value []byte) (bool, error) {
		var o record.Observation
		name := fmt.Sprintf("observation %x", key[1:])
		if !read(c, name, key, value, &o) {
			return true, nil
		}
		if _, _, ok := record.ObservedOf(key); !ok {
			c.problem(name, "has a key of %d bytes", len(key))
		}
		if o.Company == "" {
			c.problem(name, "names no company")
		}
		c.observed[o.After] = true
		if o.After >= c.state.NextID {
			c.problem(name, "was made after attempt %d, and the last one is %d", o.After, c.state.NextID-1)
		}
		return true, nil
	})
}
