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

// AddReports returns the writes that add reports to the outbox, each for those of its channels that have no report on the
// period: a channel gets one of a whole journal, whichever job starts first.
func AddReports(s record.Store, reports []record.Alert) (writes []record.Write, err error) {
	if len(reports) == 0 {
		return nil, nil
	}
	type sent struct{ period, occurrence, channel string }
	known := map[sent]bool{}
	err = each(s, "", func(_ []byte, alert record.Alert) {
		for _, d := range alert.Deliveries {
			known[sent{alert.Period, alert.Occurrence, d.Channel}] = true
		}
	})
	if err != nil {
		return nil, err
	}
	var missing []record.Alert
	for _, r := range reports {
		r.Deliveries = slices.DeleteFunc(slices.Clone(r.Deliveries), func(d record.Delivery) bool {
			return known[sent{r.Period, r.Occurrence, d.Channel}]
		})
		month, isDay := r.Occurrence, len(r.Occurrence) > len("2006-01")
		if isDay {
			month = r.Occurrence[:len("2006-01")]
		}
		totals, _, err := record.Load[cost.Totals](s, record.NameKey(record.TotalsPrefix, WorkspaceScope+"/"+month))
		if err != nil {
			return nil, err
		}
		if len(r.Deliveries) > 0 && totals.Calls() > 0 { // a month without calls has nothing to report
			missing = append(missing, r)
		}
	}
	return AddAlerts(s, missing)
}
