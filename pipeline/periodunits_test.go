package pipeline

import (
	"testing"
	"time"

	"payonce/io/sandbox"
	"payonce/pipeline/dispatch"
)

// TestUnitsOfAJobAreLimitedByDayAndByMonth runs a job on several days, over the end of a month.
func TestUnitsOfAJobAreLimitedByDayAndByMonth(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := stand(t, func(*sandbox.Config) {})
	list := companyIDs(t, dir, "list.csv", 101, 112)
	today := s.now().UTC()
	first := time.Date(today.Year(), today.Month()+1, 1, 12, 0, 0, 0, time.UTC)
	for _, day := range []struct {
		after time.Duration // of the first day
		calls int           // so far
		stop  string
	}{
		{0, 2, "daily-units companies"},
		{time.Hour, 2, "daily-units companies"},
		{24 * time.Hour, 4, "daily-units companies"},
		{48 * time.Hour, 5, "monthly-units companies"},
		{72 * time.Hour, 5, "monthly-units companies"},
		{32 * 24 * time.Hour, 7, "daily-units companies"},
	} {
		s.pass(first.Add(day.after).Sub(s.now()))
		o := runOf(list, "company")
		o.Pace.Concurrency, o.Budget.Job = 1, "nightly"
		o.Budget.DailyUnits, o.Budget.MonthlyUnits = map[string]int64{"companies": 2}, map[string]int64{"companies": 5}
		ended, err := s.work(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		stop, is := ended.Stop.(dispatch.CeilingReached)
		if calls := s.calls("companies"); !is || stop.Ceiling.Name != day.stop || calls != day.calls {
			t.Errorf("after %s: stopped by %+v, %d calls so far; want %s and %d", day.after, ended.Stop, calls, day.stop, day.calls)
		}
	}
}
