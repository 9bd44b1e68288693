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
