// This file sends the report on a month to channels, after each week or each month.

package jobs

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"payonce/checkpoint/record"
	"payonce/io/notify"
	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/report"
)

// How often a channel gets the report on the month.
const (
	eachWeek  = "week"
	eachMonth = "month"
)

// dueReports returns the reports on the last week and the last month (UTC) that have ended, for the channels that get
// them. Those that were sent before are among them. Of periods that passed while no job started, the last one counts.
func dueReports(job string, channels []AlertChannel, now time.Time) (due []record.Alert) {
	today := now.UTC().Truncate(24 * time.Hour)
	sunday := today.AddDate(0, 0, -int(today.Weekday()))
	if sunday.Equal(today) {
		sunday = sunday.AddDate(0, 0, -7)
	}
	lastMonth := today.AddDate(0, 0, -today.Day())
	for _, period := range []struct{ name, of, text string }{
		{eachWeek, sunday.Format(time.DateOnly), "The report on " + sunday.Format("2006-01") + ", after the week that ended on " + sunday.Format(time.DateOnly) + "."},
		{eachMonth, lastMonth.Format("2006-01"), "The report on " + lastMonth.Format("2006-01") + "."},
	} {
		alert := record.Alert{
			Job: job, Occurrence: period.of, Kind: string(notify.Report), At: now.UTC(), Period: period.name, Text: period.text,
		}
		for _, channel := range channels {
			if channel.Report == period.name {
				alert.Deliveries = append(alert.Deliveries, record.Delivery{Channel: channel.Name})
			}
		}
		if len(alert.Deliveries) > 0 {
			due = append(due, alert)
		}
	}
	return due
}

// completeReport adds to a message the report that an alert is about, on all runs of the workspace. It names nobody of a
// list. The text has sums alone.
func completeReport(ctx context.Context, job *Job, alert record.Alert, m *notify.Message) error {
	options, env, err := job.Run.Workspace()
	if err != nil {
		return err
	}
	options.Journal.Wait = readingPatience
	work := &pipeline.Work{Env: env, Workspace: options}
	scope := report.ReportScope{Month: alert.Occurrence[:min(len(alert.Occurrence), len("2006-01"))]}
	var view *report.RunReport
	err = whileOwnersEnd(func() (err error) {
		view, err = inspect.ReadReport(ctx, work, inspect.ReportOptions{Scope: scope})
		return err
	})
	if err != nil {
		return err
	}
	perValue := "not known"
	if view.PerValue != nil {
		perValue = "$" + view.PerValue.String()
	}
	m.Figures = []notify.Figure{
		{Name: notify.FigureWorkspace, Value: options.Journal.Name},
		{Name: "runs", Value: fmt.Sprint(len(view.Runs))},
		{Name: "spent", Value: "$" + view.Spent.String()},
		{Name: "values found", Value: fmt.Sprint(view.Found)},
		{Name: "cost per value", Value: perValue},
		{Name: "calls", Value: fmt.Sprint(view.Calls)},
		{Name: "calls answered", Value: fmt.Sprint(view.Answered)},
		{Name: "in doubt", Value: fmt.Sprint(int64(len(view.Doubts)) + view.MoreDoubts)},
		{Name: "held", Value: "$" + view.Held.String()},
	}
	var page bytes.Buffer
	if err := report.WriteHTML(&page, view, nil); err != nil {
		return err
	}
	m.Page = page.String()
	return nil
}
