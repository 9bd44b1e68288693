package jobs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/io/atomicfile"
	"payonce/io/notify"
)

// ending records how an occurrence ended.
type ending struct {
	job   *Job
	ended record.Occurrence
	// noFailure says that nobody has to act, though the run did not come to its end.
	noFailure bool
	// counted says that a failure of the same cause counted in the same start.
	counted bool
	facts   notify.RunFacts
	note    func(string)
	// After write:
	state  record.Job     // of the job
	failed bool           // the occurrence counts as a failure, or one of the same cause in the same start did
	open   []record.Alert // that wait for their channels
}

func (e *ending) write(s record.Store) error {
	job, err := checkpoint.JobRecord(s, e.job.Name)
	if err != nil {
		return err
	}
	exit, now := int(e.ended.Exit), e.ended.Ended
	job.Ended = now
	switch {
	case goesOn(exit) || !e.ended.Until.IsZero():
		job.Unfinished = e.ended.At // also when the job was paused and resumed meanwhile
	case job.Unfinished == e.ended.At:
		job.Unfinished = ""
	}
	switch {
	case isEnd(exit):
		job.Failures = 0
		e.removeOutputs(s)
	case !goesOn(exit) && !e.noFailure && exit != exitApproval: // a run that nobody approved has not failed
		e.failed = true
		if !e.counted { // those that are caught up in one start and fail for one cause are one failure
			fail(&job, e.job.PauseAfter, now)
		}
	}
	if e.ended.Fields, err = priced(s, e.ended.Fields, e.facts.Fields); err != nil {
		return err
	}
	before := localTimeOf(now.Add(-e.job.Retention).In(e.job.Plan.Zone))
	e.state = job
	alerts, err := e.alerts(s)
	if err != nil {
		return err
	}
	if err := checkpoint.EndOccurrence(s, job, e.ended, before.String(), alerts...); err != nil {
		return err
	}
	e.open, err = checkpoint.OpenAlerts(s, job.Name)
	return err
}

// alerts returns the writes that add the alerts about the end, and erase old ones.
func (e *ending) alerts(s record.Store) ([]record.Write, error) {
	old, err := checkpoint.ExpiredAlerts(s, e.job.Name, e.ended.Ended.Add(-acceptedRetention), e.ended.Ended.Add(-e.job.Retention))
	if err != nil {
		return nil, err
	}
	ended := notify.RunEnded{
		Occurrence: e.ended, Job: e.state, End: e.end(), Facts: e.facts, Commands: e.job.Commands().About(e.ended),
	}
	if len(e.job.Alerts) > 0 {
		if ended.Earlier, err = checkpoint.NewestOccurrences(s, e.job.Name, e.ended.Ended, comparedRuns); err != nil {
			return nil, err
		}
	}
	ended.Facts.Fields = nil
	for _, field := range e.ended.Fields { // with their prices
		if slices.ContainsFunc(e.facts.Fields, func(asked record.FieldCount) bool { return asked.Name == field.Name }) {
			ended.Facts.Fields = append(ended.Facts.Fields, field)
		}
	}
	more, err := checkpoint.AddAlerts(s, notify.AddressAlerts(notify.AlertsOfEnd(ended), e.job.Receivers()))
	return append(more, old...), err
}

// comparedRuns is how many earlier occurrences rules look at, at least.
const comparedRuns = 40

// acceptedRetention is how long alerts are kept that every channel accepted.
const acceptedRetention = 7 * 24 * time.Hour

// end returns how the start of the occurrence ended.
func (e *ending) end() notify.RunEnd {
	exit := int(e.ended.Exit)
	switch {
	case !e.ended.Until.IsZero():
		return notify.RunWaits
	case goesOn(exit):
		return notify.RunGoesOn
	case isEnd(exit) || e.noFailure:
		return notify.RunDone
	}
	return notify.RunFailed
}

// priced returns the counts of fields with the prices of those that were asked for now. They are the prices of the
// last attempts in the journal.
func priced(s record.Store, counts, asked []record.FieldCount) ([]record.FieldCount, error) {
	if len(asked) == 0 {
		return counts, nil
	}
	prices, err := record.LastPrices(s)
	if err != nil {
		return nil, err
	}
	counts = slices.Clone(counts)
	for i := range counts {
		isAsked := slices.ContainsFunc(asked, func(one record.FieldCount) bool { return one.Name == counts[i].Name && one.Asked > 0 })
		if price := prices[counts[i].Name]; isAsked && price > 0 {
			counts[i].Price = price
		}
	}
	return counts, nil
}

// removeOutputs removes the oldest dated outputs, when there are more than the job keeps. One that was changed
// after it was written stays.
func (e *ending) removeOutputs(s record.Store) {
	if e.job.Keep == 0 {
		return
	}
	history, err := checkpoint.JobHistory(s, e.job.Name)
	if err != nil {
		e.note(fmt.Sprintf("earlier outputs are not removed: %v", err))
		return
	}
	slices.Reverse(history) // the newest first
	kept, good := map[string]bool{}, int64(0)
	for _, one := range history {
		if one.At == e.ended.At {
			one = e.ended
		}
		if len(one.Outputs) == 0 {
			continue
		}
		// Occurrences may share an output, and one that failed may have none.
		if output := one.Outputs[0]; isEnd(int(one.Exit)) && !one.Ended.IsZero() && !kept[output] && exists(output) {
			good++
		}
		for _, path := range one.Outputs {
			if good <= e.job.Keep || one.At == e.ended.At || kept[path] {
				kept[path] = true
			} else if err := removeUnchanged(s, path); err != nil {
				e.note(err.Error())
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// removeUnchanged removes an output that is as it was written.
func removeUnchanged(s record.Store, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // somebody removed it before
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil
	}
	file, found, err := record.Load[record.File](s, record.NameKey(record.FilePrefix, real))
	if err != nil {
		return err
	}
	if found {
		if found, err = isAsWritten(real, info, file); err != nil {
			return fmt.Errorf("%s could not be read, so it was kept; remove it if you do not need it: %w", path, err)
		}
	}
	if !found {
		return fmt.Errorf("%s was changed after it was written, so it was kept; remove it if you do not need it",
			path)
	}
	return os.Remove(path)
}

// isAsWritten reports whether a file has the bytes that were written. An edit can keep the size and the time. So they
// alone decide only where the record has no hash.
func isAsWritten(path string, info fs.FileInfo, written record.File) (bool, error) {
	same := info.Mode().IsRegular() && info.Size() == written.Size && info.ModTime().Equal(written.Changed)
	if !same || written.Hash == "" {
		return same, nil
	}
	hash, err := atomicfile.SumOf(path)
	return hash == written.Hash, err
}
