package jobs

import (
	"fmt"
	"time"
)

// LocalTime is a date and time on the clocks of a zone. With the name of a job it is the identity of an
// occurrence: a repeated hour has one, and an hour that the clocks leave out has one too.
type LocalTime struct {
	wall time.Time // the same date and time in UTC
}

// The forms of a Local.
const (
	minuteForm = "2006-01-02T15:04"
	secondForm = "2006-01-02T15:04:05"
)

// localTimeOf returns what the clocks show at a time, in the zone of that time.
func localTimeOf(at time.Time) LocalTime {
	year, month, day := at.Date()
	return LocalTime{time.Date(year, month, day, at.Hour(), at.Minute(), at.Second(), 0, time.UTC)}
}

// parseLocalTime reads what String returns.
func parseLocalTime(text string) (LocalTime, error) {
	for _, form := range []string{minuteForm, secondForm} {
		if wall, err := time.Parse(form, text); err == nil {
			return LocalTime{wall}, nil
		}
	}
	return LocalTime{}, fmt.Errorf("%q: write the local date and time like 2026-11-22T02:30", text)
}

// IsZero reports whether there is no date and time.
func (l LocalTime) IsZero() bool { return l.wall.IsZero() }

// Before reports whether the clocks show l first.
func (l LocalTime) Before(other LocalTime) bool { return l.wall.Before(other.wall) }

// String returns the date and time, with seconds where there are some.
func (l LocalTime) String() string {
	switch {
	case l.IsZero():
		return ""
	case l.wall.Second() != 0:
		return l.wall.Format(secondForm)
	}
	return l.wall.Format(minuteForm)
}

// Date returns the date, such as 2026-11-22.
func (l LocalTime) Date() string { return l.wall.Format(time.DateOnly) }

// Clock returns the time of day, such as 0230.
func (l LocalTime) Clock() string {
	if l.wall.Second() != 0 {
		return l.wall.Format("150405")
	}
	return l.wall.Format("1504")
}

// farFromChange is longer than any change of a zone's clocks.
const farFromChange = 36 * time.Hour

// In returns when the clocks of a zone show the date and time. When they show it twice, that is the first
// time. When they leave it out, it is as much later as they leave out: 02:30 is 03:30.
func (l LocalTime) In(zone *time.Location) time.Time {
	before, after := l.wall.Add(-farFromChange), l.wall.Add(farFromChange)
	_, offset := before.In(zone).Zone()
	early := l.wall.Add(-time.Duration(offset) * time.Second).In(zone)
	_, offset = after.In(zone).Zone()
	late := l.wall.Add(-time.Duration(offset) * time.Second).In(zone)
	if localTimeOf(early) != l && localTimeOf(late) == l {
		return late
	}
	return early
}
