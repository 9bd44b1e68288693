package jobs

import (
	"context"
	"fmt"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/io/notify"
	"payonce/pipeline/workspace"
)

// sender returns what sends the alerts of a job.
func (r Runner) sender(job *Job) notify.AlertSender {
	channels, ordered := map[string]notify.Channel{}, map[string]bool{}
	for _, alert := range job.Alerts {
		channels[alert.Name], ordered[alert.Name] = alert.Channel, alert.Type == notify.Ping
	}
	return notify.AlertSender{
		Channels: channels, Ordered: ordered, Now: r.Now,
		Complete: func(ctx context.Context, alert record.Alert, m *notify.Message) error {
			return completeReport(ctx, job, alert, m)
		},
	}
}

// send starts to send the alerts that are due, after those that were sent before. The function that it returns waits
// for the results of both. That takes a limited time, and usually less than a run.
func (r Runner) send(ctx context.Context, job *Job, open []record.Alert, before func() []checkpoint.AlertResult) (wait func() []checkpoint.AlertResult) {
	results := make(chan []checkpoint.AlertResult, 1)
	go func() {
		sender, sent := r.sender(job), before()
		left, _ := sender.After(open, sent)
		results <- append(sent, sender.Send(ctx, left)...)
	}()
	return func() []checkpoint.AlertResult { return <-results }
}

// deliver sends the alerts that are due, and records what became of them and of those that were sent before. It does
// not own the journal while it sends. It returns when there is something to send again; zero for never.
//
// A process that ends between the two sends the same alerts again with its next start. Only the process that has
// the job sends its alerts, so no two processes send them at the same time.
func (r Runner) deliver(ctx context.Context, m *member, job *Job, open []record.Alert, sent []checkpoint.AlertResult) (next time.Time) {
	sender := r.sender(job)
	left, _ := sender.After(open, sent)
	results := sender.Send(ctx, left)
	_, next = sender.After(left, results)
	results = append(sent, results...)
	if len(results) == 0 {
		return next
	}
	recording, stop := lingering(ctx)
	defer stop()
	err := m.change(recording, func(s record.Store, _ workspace.Peers) error { return checkpoint.RecordResults(s, results) })
	if err != nil {
		r.noteUnrecorded(job, results, err)
	}
	for _, result := range results {
		if result.Error != "" {
			r.Note(fmt.Sprintf("the alert %s of %s did not reach the channel %s; the next attempt is at %s: %s", result.ID, job.Name,
				result.Channel, result.Next.Format("2006-01-02 15:04 MST"), result.Error))
		}
	}
	return next
}

// noteUnrecorded reports that the journal does not know whether alerts were accepted.
func (r Runner) noteUnrecorded(job *Job, results []checkpoint.AlertResult, err error) {
	if len(results) > 0 {
		r.Note(fmt.Sprintf("alerts of %s were sent, and may be sent again, because that could not be recorded: %v", job.Name, err))
	}
}
