// This file records in a journal which occurrences of jobs ran. The process that owns the store calls it.

package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"payonce/checkpoint/record"
)

// ErrClaimed says that the occurrence was claimed since it was read.
var ErrClaimed = errors.New("the occurrence was claimed by another start")

// JobRecord returns what is recorded of a job; of one that never started its name alone.
func JobRecord(s record.Store, name string) (record.Job, error) {
	job, found, err := record.Load[record.Job](s, record.NameKey(record.JobPrefix, name))
	if !found {
		job.Name = name
	}
	return job, err
}

// OccurrenceRecord returns what is recorded of an occurrence, and false when nothing is.
func OccurrenceRecord(s record.Store, job, at string) (record.Occurrence, bool, error) {
	return record.Load[record.Occurrence](s, record.OccurrenceKey(job, at))
}

// JobHistory returns what is recorded of the occurrences of a job, the oldest first.
func JobHistory(s record.Store, job string) (found []record.Occurrence, err error) {
	err = s.Scan(record.OccurrenceKey(job, ""), nil, func(key, value []byte) (bool, error) {
		var one record.Occurrence
		err := record.Decode(key, value, &one)
		found = append(found, one)
		return true, err
	})
	return found, err
}

// NewestOccurrences returns the newest occurrences of a job up to now, the oldest first: at least as many as least
// says, if the journal has them.
func NewestOccurrences(s record.Store, job string, now time.Time, least int) (found []record.Occurrence, err error) {
	for days := 10; ; days *= 10 {
		from := record.OccurrenceKey(job, now.AddDate(0, 0, -days).Format(time.DateOnly))
		if days >= 10_000 {
			from = nil
		}
		found = nil
		err = s.Scan(record.OccurrenceKey(job, ""), from, func(key, value []byte) (bool, error) {
			var one record.Occurrence
			err := record.Decode(key, value, &one)
			found = append(found, one)
			return true, err
		})
		if err != nil || from == nil || len(found) >= least {
			return found, err
		}
	}
}

// WaitingOccurrences returns the occurrences that wait, by the names of their jobs.
func WaitingOccurrences(s record.Store) (waiting []record.Occurrence, err error) {
	err = s.Scan([]byte{record.JobPrefix}, nil, func(key, value []byte) (bool, error) {
		var job record.Job
		if err := record.Decode(key, value, &job); err != nil || job.Unfinished == "" {
			return true, err
		}
		one, _, err := OccurrenceRecord(s, job.Name, job.Unfinished)
		if !one.Until.IsZero() {
			waiting = append(waiting, one)
		}
		return true, err
	})
	return waiting, err
}

// OccurrenceStartedAfter reports whether a later occurrence than one has started.
func OccurrenceStartedAfter(s record.Store, job, at string) (started bool, err error) {
	from := record.OccurrenceKey(job, at)
	err = s.Scan(record.OccurrenceKey(job, ""), from, func(key, value []byte) (bool, error) {
		var one record.Occurrence
		err := record.Decode(key, value, &one)
		started = one.Starts > 0 && one.At > at
		return !started, err
	})
	return started, err
}

// Claims is what is recorded of a job together, in one commit.
type Claims struct {
	Job    record.Job
	Passed []record.Occurrence // that did not run
	// Claim is the occurrence that starts; nil for none. Its Starts is one more than what is recorded.
	Claim *record.Occurrence
	// More is written in the same commit.
	More []record.Write
}

// ClaimOccurrences records a decision. It returns ErrClaimed when somebody started the occurrence since the caller read
// it. When it returns nil, the claim is durable: whoever opens the journal after a crash sees it.
func ClaimOccurrences(s record.Store, d Claims) error {
	occurrences := d.Passed
	if d.Claim != nil {
		was, _, err := OccurrenceRecord(s, d.Claim.Job, d.Claim.At)
		if err != nil {
			return err
		}
		if was.Starts != d.Claim.Starts-1 {
			return fmt.Errorf("%w: %s of %s", ErrClaimed, d.Claim.At, d.Claim.Job)
		}
		occurrences = append(slices.Clone(occurrences), *d.Claim)
	}
	return write(s, d.Job, occurrences, nil, d.More)
}

// EndOccurrence records how an occurrence ended, and removes the records of occurrences that were due before another
// one. A record that is removed is older than the job's last decision, so it cannot start again. More is written in
// the same commit.
func EndOccurrence(s record.Store, job record.Job, ended record.Occurrence, before string, more ...record.Write) error {
	var old [][]byte
	err := s.Scan(record.OccurrenceKey(job.Name, ""), nil, func(key, _ []byte) (bool, error) {
		if string(key) >= string(record.OccurrenceKey(job.Name, before)) {
			return false, nil
		}
		if string(key) != string(record.OccurrenceKey(job.Name, ended.At)) {
			old = append(old, slices.Clone(key))
		}
		return len(old) < removedAtOnce, nil
	})
	if err != nil {
		return err
	}
	return write(s, job, []record.Occurrence{ended}, old, more)
}

// removedAtOnce is how many records one commit removes at most.
const removedAtOnce = 1000

// write writes the records of a job in one commit.
func write(s record.Store, job record.Job, occurrences []record.Occurrence, remove [][]byte, more []record.Write) error {
	first, err := record.Replace(s, record.NameKey(record.JobPrefix, job.Name), &job)
	if err != nil {
		return err
	}
	writes := []record.Write{first}
	for i := range occurrences {
		one, err := record.Replace(s, record.OccurrenceKey(job.Name, occurrences[i].At), &occurrences[i])
		if err != nil {
			return err
		}
		writes = append(writes, one)
	}
	for _, key := range remove {
		writes = append(writes, record.Write{Key: key})
	}
	return s.Commit(append(writes, more...))
}

// SaveJob records a job.
func SaveJob(s record.Store, job record.Job) error { return write(s, job, nil, nil, nil) }
