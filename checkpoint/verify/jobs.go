package verify

import (
	"fmt"

	"payonce/checkpoint/record"
)

// checkJobs checks the records of jobs, their occurrences and their alerts: whether they can be read, and are
// where their names say.
func (c *checker) checkJobs() error {
	err := c.store.Scan([]byte{record.JobPrefix}, nil, func(key, value []byte) (bool, error) {
		var job record.Job
		name := fmt.Sprintf("job %q", key[1:])
		if read(c, name, key, value, &job) && job.Name != string(key[1:]) {
			c.problem(name, "calls itself %q", job.Name)
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	err = c.store.Scan([]byte{record.OccurrencePrefix}, nil, func(key, value []byte) (bool, error) {
		var one record.Occurrence
		name := fmt.Sprintf("occurrence %q", key[1:])
		if read(c, name, key, value, &one) && string(record.OccurrenceKey(one.Job, one.At)) != string(key) {
			c.problem(name, "calls itself %q of %q", one.At, one.Job)
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	return c.store.Scan([]byte{record.AlertPrefix}, nil, func(key, value []byte) (bool, error) {
		var alert record.Alert
		name := fmt.Sprintf("alert %q", key[1:])
		if !read(c, name, key, value, &alert) {
			return true, nil
		}
		if string(record.AlertKey(alert.Job, alert.ID)) != string(key) {
			c.problem(name, "calls itself %q of %q", alert.ID, alert.Job)
		}
		channels := map[string]bool{}
		for _, delivery := range alert.Deliveries {
			if channels[delivery.Channel] {
				c.problem(name, "has two deliveries to the channel %q", delivery.Channel)
			}
			channels[delivery.Channel] = true
		}
		return true, nil
	})
}
