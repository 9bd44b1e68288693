// This file sends the alerts of a journal's outbox to their channels. It does not use the journal: the caller
// reads the alerts before, and records the results after.

package notify

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
)

// AlertSender sends alerts.
type AlertSender struct {
	Channels map[string]Channel // by name
	// Ordered are the channels that show the state of a job by the last alert about it. They get the alerts of a job
	// in the order in which they happened: a failure never arrives after the success that followed it.
	Ordered map[string]bool
	Now     func() time.Time
	// Complete adds the figures and the page to a report, as the journal has them now. It may be nil.
	Complete func(context.Context, record.Alert, *Message) error
}

// roundTime is the time after which a channel gets no further alert in one round. An alert that was begun before may
// still take the channel's own timeout.
const roundTime = 30 * time.Second

// Send sends every alert that is due to the channels that have not accepted it, to each channel one after the
// other and to all channels at the same time. After a failure the channel gets nothing more in this round, unless it is
// ordered and only refused the alert. When the context ends, the alerts that were not answered have no result.
func (s AlertSender) Send(ctx context.Context, open []record.Alert) (results []checkpoint.AlertResult) {
	var mutex sync.Mutex
	var sending sync.WaitGroup
	began := s.Now()
	for name, channel := range s.Channels {
		due := s.dueTo(open, name, began)
		if len(due) == 0 {
			continue
		}
		sending.Go(func() {
			for _, alert := range due {
				if ctx.Err() != nil || s.Now().Sub(began) > roundTime {
					return
				}
				err := s.send(ctx, channel, alert)
				if err != nil && ctx.Err() != nil {
					return
				}
				mutex.Lock()
				results = append(results, s.result(alert, name, err))
				mutex.Unlock()
				if err != nil && !(s.Ordered[name] && isRefused(err)) {
					return
				}
			}
		})
	}
	sending.Wait()
	return results
}

// send sends an alert to a channel.
func (s AlertSender) send(ctx context.Context, channel Channel, alert record.Alert) error {
	m := messageOf(alert)
	if alert.Period != "" && s.Complete != nil {
		if err := s.Complete(ctx, alert, &m); err != nil {
			return fmt.Errorf("the report cannot be made: %w", err)
		}
	}
	return channel.Send(ctx, m)
}

// dueTo returns the alerts that a channel gets now: those that were tried least often first, so that an alert that
// the channel never accepts does not delay the others. An ordered channel gets the oldest first.
func (s AlertSender) dueTo(open []record.Alert, channel string, now time.Time) (due []record.Alert) {
	if s.Ordered[channel] {
		return inOrder(open, channel, now)
	}
	tries := map[string]int64{}
	for _, alert := range open {
		if d, waits := waitsFor(alert, channel); waits && !d.Next.After(now) {
			due, tries[alert.ID] = append(due, alert), d.Tries
		}
	}
	slices.SortStableFunc(due, func(a, b record.Alert) int { return int(tries[a.ID] - tries[b.ID]) })
	return due
}

// inOrder returns the alerts that an ordered channel gets now: all alerts of a job when the oldest of them is due, or
// when another one has happened since the oldest was tried.
func inOrder(open []record.Alert, channel string, now time.Time) (due []record.Alert) {
	byJob := map[string][]record.Alert{}
	for _, alert := range open {
		if _, waits := waitsFor(alert, channel); waits {
			byJob[alert.Job] = append(byJob[alert.Job], alert)
		}
	}
	for _, alerts := range byJob {
		oldest, _ := waitsFor(alerts[0], channel)
		if !oldest.Next.After(now) || alerts[len(alerts)-1].At.After(oldest.Tried) {
			due = append(due, alerts...)
		}
	}
	slices.SortStableFunc(due, func(a, b record.Alert) int { return a.At.Compare(b.At) })
	return due
}

// isRefused reports whether a receiver refused an alert because of its kind, such as one that has no address for
// failures. An ordered channel then gets the next one: else the receiver would never learn that the job has succeeded
// since.
func isRefused(err error) bool {
	_, refused := errors.AsType[*RefusedError](err)
	return refused
}

// waitsFor returns the delivery of an alert to a channel that has not accepted it, and false for none.
func waitsFor(alert record.Alert, channel string) (record.Delivery, bool) {
	i := slices.IndexFunc(alert.Deliveries, func(d record.Delivery) bool { return d.Channel == channel && d.Delivered.IsZero() })
	if i < 0 {
		return record.Delivery{}, false
	}
	return alert.Deliveries[i], true
}

// messageOf returns what is sent of an alert.
func messageOf(a record.Alert) Message {
	kind := Kind(a.Kind)
	m := Message{
		ID: a.ID, Job: a.Job, Occurrence: a.Occurrence, Kind: kind, Severity: SeverityOf(kind), At: a.At, Text: a.Text,
	}
	for _, figure := range a.Figures {
		m.Figures = append(m.Figures, Figure(figure))
	}
	return m
}

// The times between two attempts. They double from firstPause to lastPause. A channel whose receiver answers 410 Gone
// is tried once a day, because its address may be corrected.
const (
	firstPause = time.Minute
	lastPause  = 6 * time.Hour
	gonePause  = 24 * time.Hour
)

// result returns the outcome of an alert that was sent.
func (s AlertSender) result(alert record.Alert, channel string, err error) checkpoint.AlertResult {
	now := s.Now().UTC()
	was, _ := waitsFor(alert, channel)
	d := record.Delivery{Channel: channel, Tries: was.Tries + 1, Tried: now}
	switch {
	case err == nil:
		d.Delivered = now
	case errors.Is(err, ErrGone):
		d.Next = now.Add(gonePause)
	default:
		pause := lastPause
		if was.Tries < 10 {
			pause = min(firstPause<<was.Tries, lastPause)
		}
		d.Next = now.Add(pause)
	}
	if err != nil {
		d.Error = short(err.Error())
	}
	return checkpoint.AlertResult{Job: alert.Job, ID: alert.ID, Delivery: d}
}

// addresses matches what looks like an email address.
var addresses = regexp.MustCompile(`[^\s<>"']+@[^\s<>"']+`)

// short returns the text of an error without email addresses, up to a length.
func short(text string) string {
	const most = 200
	characters := []rune(addresses.ReplaceAllString(text, "(address)"))
	return string(characters[:min(len(characters), most)])
}

// After returns the alerts that wait for a channel after results, and when the next one is due; zero when none is.
// An alert that was not sent because of a failure before it is due after the first pause.
func (s AlertSender) After(open []record.Alert, results []checkpoint.AlertResult) (left []record.Alert, next time.Time) {
	soonest := s.Now().Add(firstPause)
	behind := map[[2]string]bool{} // jobs and ordered channels for which an older alert waits
	for _, alert := range open {
		alert.Deliveries = slices.Clone(alert.Deliveries)
		waits := false
		for i, d := range alert.Deliveries {
			for _, result := range results {
				if result.Job == alert.Job && result.ID == alert.ID && result.Channel == d.Channel {
					alert.Deliveries[i] = result.Delivery
				}
			}
			d = alert.Deliveries[i]
			if !d.Delivered.IsZero() {
				continue
			}
			waits = true
			if _, known := s.Channels[d.Channel]; !known {
				continue // it is not in the jobs file any more
			}
			if of := [2]string{alert.Job, d.Channel}; s.Ordered[d.Channel] {
				if behind[of] {
					continue // it is sent after the older one
				}
				behind[of] = true
			}
			due := d.Next
			if due.Before(soonest) {
				due = soonest
			}
			if next.IsZero() || due.Before(next) {
				next = due
			}
		}
		if waits {
			left = append(left, alert)
		}
	}
	return left, next
}
