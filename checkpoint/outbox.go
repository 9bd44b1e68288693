// This file keeps the alerts of jobs in a journal until every channel accepted them. The process that owns the
// store calls the functions that write.
//
// An alert is added in the commit that records what happened, so neither is there without the other. It is sent
// after that commit, and what became of it is recorded after that. So a crash can lead to a second delivery of
// one alert, with the same ID, and never to none.

package checkpoint

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/checkpoint/record"
	"payonce/cost"
)

// AddAlerts gives alerts their IDs, and returns the writes that add those that the journal does not have.
func AddAlerts(s record.Store, alerts []record.Alert) (writes []record.Write, err error) {
	if len(alerts) == 0 {
		return nil, nil
	}
	journal, err := record.Identify(s)
	if err != nil {
		return nil, err
	}
	for _, alert := range alerts {
		alert.ID = idOf(journal.ID, alert)
		key := record.AlertKey(alert.Job, alert.ID)
		value, err := s.Get(key)
		if err != nil {
			return nil, err
		}
		if value == nil {
			writes = append(writes, record.Write{Key: key, Value: record.Encode(&alert)})
		}
	}
	return writes, nil
}

// idOf returns the ID of an alert in a journal. It is the same whenever the same fact is found.
func idOf(journal string, a record.Alert) string {
	facts := []string{journal, a.Job, a.Occurrence, strconv.FormatInt(a.Start, 10), a.Kind}
	sum := sha256.Sum256([]byte(strings.Join(facts, "\n")))
	return "alert-" + hex.EncodeToString(sum[:16])
}

// OpenAlerts returns the alerts of a job that a channel has not accepted yet, the oldest first. Without a job it
// returns those of all jobs.
func OpenAlerts(s record.Store, job string) (open []record.Alert, err error) {
	err = each(s, job, func(_ []byte, alert record.Alert) {
		if !delivered(alert) {
			open = append(open, alert)
		}
	})
	slices.SortStableFunc(open, func(a, b record.Alert) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return open, err
}

// delivered reports whether every channel accepted an alert.
func delivered(a record.Alert) bool {
	return !slices.ContainsFunc(a.Deliveries, func(d record.Delivery) bool { return d.Delivered.IsZero() })
}

// each visits the alerts of a job, or of all jobs.
func each(s record.Store, job string, visit func(key []byte, alert record.Alert)) error {
	prefix := []byte{record.AlertPrefix}
	if job != "" {
		prefix = record.AlertKey(job, "")
	}
	return s.Scan(prefix, nil, func(key, value []byte) (bool, error) {
		var alert record.Alert
		err := record.Decode(key, value, &alert)
		if err == nil {
			visit(key, alert)
		}
		return true, err
	})
}

// AlertResult is what became of an alert that was sent to a channel.
type AlertResult struct {
	Job, ID string
	record.Delivery
}

// RecordResults records results in one commit. A channel that accepted an alert once has accepted it, whatever a second
// process found.
func RecordResults(s record.Store, results []AlertResult) error {
	changed := map[string]*record.Alert{}
	for _, result := range results {
		key := record.AlertKey(result.Job, result.ID)
		alert := changed[string(key)]
		if alert == nil {
			found, is, err := record.Load[record.Alert](s, key)
			if err != nil {
				return err
			}
			if !is {
				continue // erased meanwhile
			}
			alert = &found
			changed[string(key)] = alert
		}
		for i, was := range alert.Deliveries {
			if was.Channel == result.Channel && was.Delivered.IsZero() {
				result.Tries = was.Tries + 1
				alert.Deliveries[i] = result.Delivery
			}
		}
	}
	var writes []record.Write
	for key, alert := range changed {
		write, err := record.Replace(s, []byte(key), alert)
		if err != nil {
			return err
		}
		writes = append(writes, write)
	}
	if len(writes) == 0 {
		return nil
	}
	return s.Commit(writes)
}

// ExpiredAlerts returns the writes that erase alerts of a job: those that every channel accepted and that happened
// before one time, and all that happened before an earlier one. Other jobs may keep theirs for longer.
func ExpiredAlerts(s record.Store, job string, acceptedBefore, before time.Time) (erase []record.Write, err error) {
	err = each(s, job, func(key []byte, alert record.Alert) {
		old := alert.At.Before(before) || alert.At.Before(acceptedBefore) && delivered(alert)
		if alert.Period != "" { // the record of a report says that it was sent
			old = alert.At.Before(acceptedBefore.AddDate(0, -2, 0))
		}
		if old && len(erase) < erasedAtOnce {
			erase = append(erase, record.Write{Key: slices.Clone(key)})
		}
	})
	return erase, err
}

// erasedAtOnce is how many alerts one commit erases at most.
const erasedAtOnce = 1000

// reportPatience is how long a report waits after the time of its next attempt. Then another job with the same channel
// takes it, because its job may have been removed or renamed.
const reportPatience = 24 * time.Hour

// AddReports returns the writes that add reports to the outbox, each for those of its channels that have no report on the
// period: a channel gets one of a whole journal, whichever job starts first. A report that its job no longer sends moves
// to another job, and keeps its ID.
func AddReports(s record.Store, reports []record.Alert) (writes []record.Write, err error) {
	if len(reports) == 0 {
		return nil, nil
	}
	type sent struct{ period, occurrence, channel string }
	known := map[sent]record.Alert{}
	err = each(s, "", func(_ []byte, alert record.Alert) {
		for _, d := range alert.Deliveries {
			known[sent{alert.Period, alert.Occurrence, d.Channel}] = alert
		}
	})
	if err != nil {
		return nil, err
	}
	for _, r := range reports {
		if called, err := hasCalls(s, r); err != nil {
			return nil, err
		} else if !called {
			continue // there is nothing to report
		}
		journal, err := record.Identify(s)
		if err != nil {
			return nil, err
		}
		added := map[string][]record.Delivery{} // by the IDs of alerts
		from := map[string]string{}             // the jobs that had them
		for _, d := range r.Deliveries {
			was, isKnown := known[sent{r.Period, r.Occurrence, d.Channel}]
			switch {
			case !isKnown:
				own := idOf(journal.ID, r)
				added[own] = append(added[own], d)
			case was.Job != r.Job && isLeft(was, d.Channel, r.At):
				added[was.ID], from[was.ID] = append(added[was.ID], d), was.Job
			}
		}
		for _, id := range slices.Sorted(maps.Keys(added)) {
			if job, moves := from[id]; moves {
				without, err := withoutDeliveries(s, record.AlertKey(job, id), added[id])
				if err != nil {
					return nil, err
				}
				writes = append(writes, without)
			}
			alert := r
			alert.ID, alert.Deliveries = id, added[id]
			with, err := withDeliveries(s, alert)
			if err != nil {
				return nil, err
			}
			writes = append(writes, with)
		}
	}
	return writes, nil
}

// hasCalls reports whether there were calls in the month of a report.
func hasCalls(s record.Store, report record.Alert) (bool, error) {
	month := report.Occurrence[:min(len(report.Occurrence), len("2006-01"))]
	totals, _, err := record.Load[cost.Totals](s, record.NameKey(record.TotalsPrefix, WorkspaceScope+"/"+month))
	return totals.Calls() > 0, err
}

// isLeft reports whether a channel has not accepted a report, and its job has not tried to send it for long.
func isLeft(report record.Alert, channel string, now time.Time) bool {
	return slices.ContainsFunc(report.Deliveries, func(d record.Delivery) bool {
		next := report.At
		if d.Next.After(next) {
			next = d.Next
		}
		return d.Channel == channel && d.Delivered.IsZero() && now.Sub(next) > reportPatience
	})
}

// withDeliveries returns the write that adds an alert, or its deliveries to the alert that is there.
func withDeliveries(s record.Store, alert record.Alert) (record.Write, error) {
	key := record.AlertKey(alert.Job, alert.ID)
	write, found, err := record.Change(s, key, func(was *record.Alert) { was.Deliveries = append(was.Deliveries, alert.Deliveries...) })
	if !found {
		write = record.Write{Key: key, Value: record.Encode(&alert)}
	}
	return write, err
}

// withoutDeliveries returns the write that removes deliveries to some channels from an alert, and the alert with its last
// one.
func withoutDeliveries(s record.Store, key []byte, removed []record.Delivery) (record.Write, error) {
	var left int
	write, _, err := record.Change(s, key, func(was *record.Alert) {
		was.Deliveries = slices.DeleteFunc(was.Deliveries, func(d record.Delivery) bool {
			return slices.ContainsFunc(removed, func(r record.Delivery) bool { return r.Channel == d.Channel })
		})
		left = len(was.Deliveries)
	})
	if left == 0 {
		write = record.Write{Key: key}
	}
	return write, err
}
