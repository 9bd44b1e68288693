// This file decides when the occurrences of a job are due, and which of them run. It is pure: the
// clock and what happened before are passed in.

package jobs

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// Times are the local times at which a job is due, without a time zone.
type Times struct {
	text string
	spec *cron.SpecSchedule // nil for no times
}

// daily is the short form of a schedule that is due once a day.
var daily = regexp.MustCompile(`^daily at ([01]?[0-9]|2[0-3]):([0-5][0-9])$`)

// parseTimes reads "daily at 02:30", or the five fields of a cron expression: minute, hour, day of the
// month, month, day of the week. When both days are restricted, one of them is enough, as in crontab.
func parseTimes(text string) (Times, error) {
	text = strings.Join(strings.Fields(text), " ")
	expression := daily.ReplaceAllString(text, "$2 $1 * * *")
	switch {
	case strings.HasPrefix(text, "daily") && expression == text:
		return Times{}, errors.New("write it like daily at 02:30")
	case strings.Contains(text, "="):
		return Times{}, errors.New("the expression cannot hold a time zone; give it in time-zone")
	case len(strings.Fields(expression)) != 5:
		return Times{}, errors.New("write daily at 02:30, or the five fields of a cron expression such as 30 2 * * 1-5")
	}
	parsed, err := parser().Parse(expression)
	if err != nil {
		return Times{}, fmt.Errorf("it is not a cron expression: %w", err)
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return Times{}, errors.New("write daily at 02:30, or the five fields of a cron expression such as 30 2 * * 1-5")
	}
	spec.Location = time.UTC // local times are kept as if they were UTC: see Local
	t := Times{text, spec}
	if t.Next(localTimeOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))).IsZero() {
		return Times{}, errors.New("no date matches the expression; correct the day or the month")
	}
	return t, nil
}

// parser reads the five fields of crontab.
func parser() cron.Parser {
	return cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom)
}

// IsZero reports whether there are no times.
func (t Times) IsZero() bool { return t.spec == nil }

// String returns the times as they were written.
func (t Times) String() string { return t.text }

// Next returns the first time after another one; zero when there is none within some years.
//
// The library counts in UTC, where a day has 24 hours. So it proposes each local date and time exactly
// once, whatever the clocks of the zone do. Local.In says when that is.
func (t Times) Next(after LocalTime) LocalTime { return LocalTime{t.spec.Next(after.wall)} }

// Previous returns the last time before another one; zero when there is none within some years.
func (t Times) Previous(before LocalTime) LocalTime { return LocalTime{t.spec.Prev(before.wall)} }
