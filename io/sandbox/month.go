package sandbox

import "time"

// month is a month in UTC: the usage period, the period of the budget and that of
// the included balance.
type month struct {
	year  int
	month time.Month
}

func monthOf(t time.Time) month {
	t = t.UTC()
	return month{t.Year(), t.Month()}
}

// start returns the first moment of the month.
func (m month) start() time.Time { return time.Date(m.year, m.month, 1, 0, 0, 0, 0, time.UTC) }

// end returns the first moment after the month.
func (m month) end() time.Time { return time.Date(m.year, m.month+1, 1, 0, 0, 0, 0, time.UTC) }

func (m month) before(other month) bool {
	return m.year < other.year || m.year == other.year && m.month < other.month
}
