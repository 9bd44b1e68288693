package delivery

import (
	"cmp"
	"slices"
	"time"

	"payonce/checkpoint/record"
)

// Failure says that alerts of a job do not reach a channel.
type Failure struct {
	Job     string    `json:"job"`
	Channel string    `json:"channel"`
	Alerts  int64     `json:"alerts"`
	Since   time.Time `json:"since"` // when the oldest of them happened
	Error   string    `json:"error"` // of the last attempt
	Tried   time.Time `json:"tried"`
}

// Failures returns the channels that did not accept alerts that were sent to them.
func Failures(open []record.Alert) (failures []Failure) {
	for _, alert := range open {
		for _, d := range alert.Deliveries {
			if d.Tries == 0 || !d.Delivered.IsZero() {
				continue
			}
			i := slices.IndexFunc(failures, func(f Failure) bool { return f.Job == alert.Job && f.Channel == d.Channel })
			if i < 0 {
				i, failures = len(failures), append(failures, Failure{Job: alert.Job, Channel: d.Channel, Since: alert.At})
			}
			f := &failures[i]
			f.Alerts++
			if alert.At.Before(f.Since) {
				f.Since = alert.At
			}
			if d.Tried.After(f.Tried) {
				f.Tried, f.Error = d.Tried, d.Error
			}
		}
	}
	slices.SortFunc(failures, func(a, b Failure) int { return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Channel, b.Channel)) })
	return failures
}
