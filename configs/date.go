package configs

import (
	"errors"
	"time"
)

// DateFlag is a day or a month in UTC, such as 2026-11-21 or 2026-11, or a point
// in time. Its span is [start, end); both are zero until it is set.
type DateFlag struct {
	Text       string
	Start, End time.Time
}

func (v *DateFlag) Set(text string) error {
	v.Text = text
	if t, err := time.Parse("2006-01", text); err == nil {
		v.Start, v.End = t, t.AddDate(0, 1, 0)
		return nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		v.Start, v.End = t, t.AddDate(0, 0, 1)
		return nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return errors.New("write a day (2026-11-21), a month (2026-11) or a time (2026-11-21T15:04:05Z), in UTC")
	}
	v.Start, v.End = t, t
	return nil
}

func (v *DateFlag) String() string { return v.Text }
func (*DateFlag) Type() string     { return "DATE" }

// SinceFlag is a time in the past: a DateFlag, of which the start counts, or how long ago it was, such as 7d or 36h.
type SinceFlag struct {
	date DateFlag
	ago  AgeFlag
}

func (v *SinceFlag) Set(text string) error {
	v.date, v.ago = DateFlag{}, AgeFlag{}
	if v.date.Set(text) == nil {
		return nil
	}
	if err := v.ago.Set(text); err != nil || v.ago.Span <= 0 {
		return errors.New("write a day (2026-11-21), a month (2026-11), a time (2026-11-21T15:04:05Z), in UTC, or how long ago it was (7d, 36h)")
	}
	v.date.Text = text
	return nil
}

// Time returns the time, zero when the flag is not set.
func (v *SinceFlag) Time(now time.Time) time.Time {
	if v.ago.Span > 0 {
		return now.Add(-v.ago.Span)
	}
	return v.date.Start
}

func (v *SinceFlag) String() string { return v.date.Text }
func (*SinceFlag) Type() string     { return "TIME" }
