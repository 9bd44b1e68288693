package notify

import (
	"cmp"
	"slices"
	"time"

	"payonce/checkpoint/record"
)

// ChannelFailure says that alerts of a job do not reach a channel.
type ChannelFailure struct {
	Job     string    `json:"job"`
	Channel string    `json:"channel"`
	Alerts  int64     `json:"alerts"`
	Since   time.Time `json:"since"` // when the oldest of them happened
	Error   string    `json:"error"` // of the last attempt
	Tried   time.Time `json:"tried"`
}

// ChannelFailures returns the channels that did not accept alerts that were sent to them.
func ChannelFailures(open []record.Alert) (failures []ChannelFailure) {
	for _, alert := range open {
		for _, d := range alert.Deliveries {
			if d.Tries == 0 || !d.Delivered.IsZero() {
				continue
			}
			i := slices.IndexFunc(failures, func(f ChannelFailure) bool { return f.Job == alert.Job && f.Channel == d.Channel })
			if i < 0 {
				i, failures = len(failures), append(failures, ChannelFailure{Job: alert.Job, Channel: d.Channel, Since: alert.At})
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
	slices.SortFunc(failures, func(a, b ChannelFailure) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Channel, b.Channel))
	})
	return failures
}
